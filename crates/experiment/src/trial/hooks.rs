//! The hooks of a benchmark at a build: what is executed, and what it means when it does not go
//! well.

use tacho_measure::{Execution, ExecutionEnd, Executor, Request};
use tacho_record::plan::{self, fill_shell};
use tacho_record::{Failure, Outcome, Place, killed_by};

/// The hooks, ready to be executed.
#[derive(Clone, Debug, Default)]
pub struct ReadyHooks {
    /// Before everything is executed.
    pub setup: Option<ReadyHook>,
    /// Before each execution.
    pub prepare: Option<ReadyHook>,
    /// After each execution.
    pub conclude: Option<ReadyHook>,
    /// After everything was executed.
    pub cleanup: Option<ReadyHook>,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct ReadyHook {
    name: &'static str,
    request: Request,
}

/// How a hook ended, unless it went well.
#[derive(Clone, Debug, PartialEq)]
pub enum HookEnd {
    /// The hook failed, and so did its execution.
    Failed(HookFailure),
    /// The user interrupted it, or it was not begun any more.
    Interrupted,
}

/// A hook that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFailure {
    /// The hook and its failure, in one line.
    pub why: String,
    /// The last of what it printed.
    pub output: String,
}

impl HookFailure {
    /// The outcome of all executions for which it was the setup.
    #[must_use]
    pub fn of_setup(self) -> Outcome {
        Outcome::Failed { failure: Failure::Setup { why: self.why }, output: self.output }
    }

    /// The outcome of the execution to which the hook belongs.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        Outcome::Failed { failure: Failure::Hook { why: self.why }, output: self.output }
    }
}

impl ReadyHooks {
    /// The hooks of a plan, with these values filled in; the rest is as in that request.
    #[must_use]
    pub fn new(hooks: &plan::Hooks, values: &[(&str, &str)], like: &Request) -> Self {
        let mut ready = Self::default();
        for (name, plan::Hook { script, timeout }) in hooks.each() {
            let command = ["sh", "-c", &fill_shell(script, values)].map(str::to_owned).to_vec();
            let hook = Some(ReadyHook {
                name,
                request: Request { command, timeout: *timeout, ..like.clone() },
            });
            match name {
                "setup" => ready.setup = hook,
                "prepare" => ready.prepare = hook,
                "conclude" => ready.conclude = hook,
                _ => ready.cleanup = hook,
            }
        }
        ready
    }
}

impl ReadyHook {
    /// Executes it, unless the user interrupts.
    pub fn execute(
        &self,
        executor: &mut dyn Executor,
        round: Option<Place>,
        port: Option<u16>,
    ) -> Result<(), HookEnd> {
        self.judge(&executor.execute(&self.request(round, port)))
    }

    /// Executes it although the user has interrupted: it undoes what was done.
    pub fn finish(
        &self,
        executor: &mut dyn Executor,
        round: Option<Place>,
        port: Option<u16>,
    ) -> Result<(), HookEnd> {
        self.judge(&executor.finish(&self.request(round, port)))
    }

    /// The failure of a hook that was not executed to its end.
    #[must_use]
    pub fn unfinished(&self) -> HookFailure {
        HookFailure {
            why: format!("`{}` was not finished: interrupted", self.name),
            output: String::new(),
        }
    }

    /// With the number of the round in its environment, and its port filled in.
    fn request(&self, round: Option<Place>, port: Option<u16>) -> Request {
        let mut request = with_port(&self.request, port);
        if let Some(Place { round, .. }) = round {
            request.environment.push(("TACHO_ROUND".to_owned(), round.to_string()));
        }
        request
    }

    fn judge(&self, execution: &Execution) -> Result<(), HookEnd> {
        let how = match &execution.ended {
            ExecutionEnd::Exited(0) => return Ok(()),
            ExecutionEnd::Interrupted => return Err(HookEnd::Interrupted),
            other => line(other),
        };
        let output = tail(execution);
        // The shell's own line names the command that it did not find or could not execute. The
        // output of a cleanup is shown anyway.
        let is_of_shell =
            matches!(execution.ended, ExecutionEnd::Exited(126 | 127)) && self.name != "cleanup";
        let said = output.lines().rev().find(|line| is_of_shell && !line.trim().is_empty());
        let said = said.map_or_else(String::new, |line| format!(" ({})", line.trim()));
        let why = format!("`{}` failed: {how}{said}", self.name);
        Err(HookEnd::Failed(HookFailure { why, output }))
    }
}

/// How something ended that should have gone well, in one line.
pub fn line(ended: &ExecutionEnd) -> String {
    match ended {
        ExecutionEnd::Exited(code) => format!("exit {code}"),
        ExecutionEnd::Interrupted => "interrupted".to_owned(),
        ExecutionEnd::Killed(number) => killed_by(*number),
        ExecutionEnd::LimitReached(_) => "it reached a limit".to_owned(),
        ExecutionEnd::Stopped(number) => Failure::Stopped { number: *number }.line(),
        ExecutionEnd::TimedOut => "timed out".to_owned(),
        ExecutionEnd::NotStarted(why) => why.clone(),
    }
}

/// The last of what an execution said: standard error, else standard output.
pub fn tail(execution: &Execution) -> String {
    let stdout = execution.stdout.as_ref().map_or(&[][..], |stdout| &stdout.tail);
    let bytes = if execution.stderr_tail.is_empty() { stdout } else { &execution.stderr_tail };
    String::from_utf8_lossy(bytes).into_owned()
}

/// The placeholder in a command for a port that is not known yet. It needs no quotes in a shell,
/// and no plan contains it.
pub const PORT: &str = "@tacho:port@";

/// The request with its port filled in, if it is known.
pub fn with_port(request: &Request, port: Option<u16>) -> Request {
    let mut request = request.clone();
    if let Some(port) = port {
        for word in &mut request.command {
            *word = word.replace(PORT, &port.to_string());
        }
    }
    request
}
