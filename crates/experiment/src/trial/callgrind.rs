//! Callgrind's count for a cell: one more execution, with the same surroundings as any execution,
//! whose times are not used.

use std::time::Duration;

use tacho_measure::{
    CallgrindExecution, ExecutionEnd, Executor, MissingMetric, Request, under_callgrind,
};
use tacho_record::{Counter, Outcome, Sample};

use crate::trial::answers::AnswerText;
use crate::trial::execute::{Attempt, Halt, Turn};
use crate::trial::hooks::with_port;
use crate::trial::prepared::Trial;

/// Callgrind may take this many times as long as an execution takes without it (docs/src/method).
pub const CALLGRIND_SLOWER: u32 = 200;
/// And this much more, to begin with.
const CALLGRIND_BEGINS: Duration = Duration::from_secs(60);

impl Trial {
    /// Adds what callgrind counts in one more execution to a sample that counts.
    ///
    /// Interrupted, it is as if neither had been: else the cell would go without.
    pub fn with_instructions(
        &self,
        executor: &mut dyn Executor,
        turn: &mut Turn<'_>,
        mut tried: Attempt,
    ) -> Attempt {
        let Attempt::Sampled(sampled) = &mut tried else { return tried };
        let counted = self.instructions(executor, turn, &sampled.sample);
        let metric = Counter::CallgrindInstructions.name();
        match counted {
            Ok(Ok(count)) => sampled.sample.add(metric, count as f64),
            Ok(Err(why)) => sampled.absent.push(MissingMetric::new(metric, why)),
            Err(Halt::Failed(outcome)) => {
                sampled.absent.push(MissingMetric::new(metric, under(&outcome, None)));
            }
            Err(Halt::Interrupted(trouble)) => return Attempt::Interrupted(trouble),
        }
        tried
    }

    /// The count, or the reason why there is none.
    fn instructions(
        &self,
        executor: &mut dyn Executor,
        turn: &mut Turn<'_>,
        sample: &Sample,
    ) -> Result<Result<u64, String>, Halt> {
        if let Err(why) = self.output.remove_files() {
            return Ok(Err(why));
        }
        let round = Some(turn.place);
        let port =
            turn.companion.as_mut().map(|member| member.port(executor)).transpose()?.flatten();
        let prepared =
            self.hooks.prepare.as_ref().map_or(Ok(()), |hook| hook.execute(executor, round, port));
        let counted = match prepared {
            Ok(()) => self.beside_member(executor, turn, limit(sample), port),
            Err(end) => Err(end.into()),
        };
        // The sample itself has reported a failure, or the next one will.
        let _ = self.hooks.conclude.as_ref().map(|hook| hook.finish(executor, round, port));
        counted
    }

    /// The same with its companion under way.
    fn beside_member(
        &self,
        executor: &mut dyn Executor,
        turn: &mut Turn<'_>,
        timeout: Duration,
        port: Option<u16>,
    ) -> Result<Result<u64, String>, Halt> {
        let request = Request { timeout, ..with_port(&self.request, port) };
        let reference = turn.reference.clone();
        let Some(member) = turn.companion.as_mut() else {
            return self.judged_count(under_callgrind(executor, &request), reference.as_ref());
        };
        member.start(executor)?;
        member.begin();
        let counted = under_callgrind(executor, &request);
        let used = member.used();
        member.after_execution();
        used.map_err(Halt::Failed)?;
        self.judged_count(counted, reference.as_ref())
    }

    /// The count, if the program ended under callgrind as expected.
    fn judged_count(
        &self,
        counted: CallgrindExecution,
        reference: Option<&AnswerText>,
    ) -> Result<Result<u64, String>, Halt> {
        let CallgrindExecution { execution, instructions, complaint } = counted;
        if execution.ended == ExecutionEnd::Interrupted {
            return Err(Halt::Interrupted(None));
        }
        Ok(match self.judge(&execution, reference) {
            Outcome::Valid => instructions,
            failed => Err(under(&failed, complaint)),
        })
    }
}

/// How long callgrind may take for an execution that took this without it: it executes all threads
/// in turns on one CPU.
fn limit(sample: &Sample) -> Duration {
    let seconds = |metric| sample.value(metric).unwrap_or(0.0) / 1e9;
    let cpu = seconds("cpu").max(seconds("user") + seconds("sys"));
    let used = Duration::try_from_secs_f64(seconds("wall").max(cpu)).unwrap_or_default();
    CALLGRIND_BEGINS + used.saturating_mul(CALLGRIND_SLOWER)
}

/// Why the count of an execution that failed means nothing, in one line.
fn under(outcome: &Outcome, complaint: Option<String>) -> String {
    let how = match outcome {
        Outcome::Failed { failure, .. } => failure.line(),
        Outcome::LimitReached { .. } => "it reached a limit".to_owned(),
        Outcome::Disturbed { .. } | Outcome::Valid | Outcome::WarmUp => "it went well".to_owned(),
    };
    complaint
        .map_or(format!("under callgrind: {how}"), |what| format!("under callgrind: {how}: {what}"))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_record::Place;

    use super::*;

    #[test]
    fn callgrind_is_given_time_by_what_was_used() {
        let sample = |values: &[(&str, f64)]| Sample {
            place: Place { round: 1, position: 0 },
            at: Timestamp::UNIX_EPOCH,
            outcome: Outcome::Valid,
            values: values
                .iter()
                .map(|(name, value)| ((*name).to_owned().into(), *value))
                .collect(),
        };
        assert_eq!(limit(&sample(&[("cpu", 4e9), ("wall", 1e9)])), Duration::from_secs(860));
        assert_eq!(limit(&sample(&[("cpu", 1e6), ("wall", 1e9)])), Duration::from_secs(260));
        assert_eq!(limit(&sample(&[])), Duration::from_secs(60));
    }
}
