//! The activity that disturbs an execution: commands right before it, a process beside it, commands
//! after it that clean up.

use tacho_measure::{CompanionRequest, ExecutionEnd, Executor, NotReady, Request};

use crate::probe::frequency::ClockSetting;
use crate::trial::hooks::{line, tail};

/// How a trial is disturbed; usually not at all.
#[derive(Clone, Debug, Default)]
pub struct Disturber {
    /// The name, for messages.
    pub name: &'static str,
    /// Executed right before, and must go well.
    pub before: Vec<Request>,
    /// The clock is fixed during it.
    pub clock: Option<ClockSetting>,
    /// Goes on beside it.
    pub beside: Option<CompanionRequest>,
    /// Executed after it; their results are ignored.
    pub after: Vec<Request>,
}

impl Disturber {
    /// Whether there is no activity.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.before.is_empty()
            && self.clock.is_none()
            && self.beside.is_none()
            && self.after.is_empty()
    }

    /// Executes something in the middle of it.
    pub(super) fn around<T, E: From<DisturberEnd>>(
        &self,
        executor: &mut dyn Executor,
        execute: impl FnOnce(&mut dyn Executor) -> Result<T, E>,
    ) -> Result<T, E> {
        for request in &self.before {
            self.must_go_well(executor, request)?;
        }
        let beside = self.beside.as_ref().map(|request| executor.accompany(request));
        let mut beside = beside.transpose().map_err(|end| match end {
            NotReady::Failed { why, tail } => self.failed(&why, &String::from_utf8_lossy(&tail)),
            NotReady::Interrupted => DisturberEnd::Interrupted,
        })?;
        let made = self.clock.as_ref().map_or(Ok(()), ClockSetting::make);
        let tried = match made {
            Ok(()) => execute(executor),
            Err(why) => Err(self.failed(&why, "").into()),
        };
        if let Some(clock) = &self.clock {
            clock.put_back();
        }
        let gone = beside.as_mut().and_then(|beside| beside.ended());
        if let Some(beside) = beside.filter(|_| gone.is_none()) {
            beside.end();
        }
        for request in &self.after {
            executor.execute(request);
        }
        match (tried, gone) {
            (Ok(_), Some(end)) => {
                Err(self.failed(&end.line(), &String::from_utf8_lossy(&end.tail)).into())
            }
            (tried, _) => tried,
        }
    }

    fn must_go_well(
        &self,
        executor: &mut dyn Executor,
        request: &Request,
    ) -> Result<(), DisturberEnd> {
        let execution = executor.execute(request);
        match &execution.ended {
            ExecutionEnd::Exited(0) => Ok(()),
            ExecutionEnd::Interrupted => Err(DisturberEnd::Interrupted),
            other => Err(self.failed(&line(other), &tail(&execution))),
        }
    }

    fn failed(&self, why: &str, output: &str) -> DisturberEnd {
        let why = format!("the disturbance `{}` failed: {why}", self.name);
        DisturberEnd::Failed { why, output: output.to_owned() }
    }
}

/// How a disturbance ended, unless it went well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisturberEnd {
    /// The disturber failed, and so did the execution that it disturbs.
    Failed {
        /// Why, in one line.
        why: String,
        /// The last of what it printed.
        output: String,
    },
    /// The user interrupted it.
    Interrupted,
}
