//! The instrument, measured by itself: what it costs to start nothing, and what this machine makes
//! of equal work.
//!
//! Everything is taken in turns, so that all readings see the same machine. Here are raw readings
//! only; the caller summarises them.

use std::fs::File;
use std::hint::black_box;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::process::program;
use crate::{Execution, ExecutionEnd, Executor, MeasureError, Request};

/// Additions in one turn of the loop: some 100 µs on processors of today.
const ADDITIONS: u64 = 100_000;

/// How often the clock is read to see what that costs, and in which steps it goes.
const CLOCK_READINGS: u32 = 1000;

/// The instrument's readings of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelfTest {
    /// The smallest step that the clock was seen to make: no reading is finer.
    pub clock_step: Duration,
    /// The mean duration of reading the clock.
    pub clock_cost: Duration,
    /// The same loop of additions, again and again: what differs is the machine's doing.
    pub loops: Vec<Duration>,
    /// The wall time of a program of 5 KiB that ends at once: what every sample has in it.
    pub nothing: Vec<Duration>,
    /// From the end of the one to the end of the other, without that wall time: what is spent
    /// between two samples.
    pub between: Vec<Duration>,
    /// The wall time of `true`.
    pub trues: Vec<Duration>,
    /// The processor time of `true`, where the kernel counts it.
    pub true_cpus: Vec<Duration>,
}

/// Measures the instrument in that many turns, after one that does not count.
///
/// # Errors
///
/// [`MeasureError::Interrupted`] when the user stops it, [`MeasureError::Instrument`] when a
/// program cannot be started.
pub fn self_test(executor: &mut dyn Executor, turns: u32) -> Result<SelfTest, MeasureError> {
    let program =
        program().map_err(|source| MeasureError::Instrument { why: source.to_string() })?;
    let nothing = request(&path(&program).to_string_lossy());
    let really = request("true");
    let mut test = SelfTest::default();
    (test.clock_step, test.clock_cost) = clock();
    for turn in 0..=turns {
        let spun = spin();
        let begun = Instant::now();
        let empty = execute(executor, &nothing)?.wall;
        let between = begun.elapsed().saturating_sub(empty);
        let full = execute(executor, &really)?;
        if turn > 0 {
            test.loops.push(spun);
            test.nothing.push(empty);
            test.between.push(between);
            test.trues.push(full.wall);
            test.true_cpus.extend(full.usage.cpu().filter(|cpu| !cpu.is_zero()));
        }
    }
    Ok(test)
}

/// A file of ours, as others find it.
fn path(file: &File) -> PathBuf {
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into()
}

fn request(program: &str) -> Request {
    Request { timeout: Duration::from_secs(10), ..Request::new([program]) }
}

fn execute(executor: &mut dyn Executor, request: &Request) -> Result<Execution, MeasureError> {
    let execution = executor.execute(request);
    match execution.ended {
        ExecutionEnd::Exited(0) => Ok(execution),
        ExecutionEnd::Interrupted => Err(MeasureError::Interrupted),
        ExecutionEnd::NotStarted(why) => Err(MeasureError::Instrument { why }),
        ended => {
            Err(MeasureError::Instrument { why: format!("`{}`: {ended:?}", request.command[0]) })
        }
    }
}

/// The clock's smallest step, and what reading it takes.
fn clock() -> (Duration, Duration) {
    let begun = Instant::now();
    let (mut last, mut step) = (begun, Duration::MAX);
    for _ in 0..CLOCK_READINGS {
        let now = Instant::now();
        let passed = now - last;
        if !passed.is_zero() {
            step = step.min(passed);
        }
        last = now;
    }
    (step, (last - begun) / CLOCK_READINGS)
}

/// Work that is the same each time and needs nothing but a processor.
fn spin() -> Duration {
    let begun = Instant::now();
    let mut sum = 0_u64;
    for number in 0..ADDITIONS {
        sum = black_box(sum.wrapping_add(number));
    }
    black_box(sum);
    begun.elapsed()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use jiff::Timestamp;

    use super::*;
    use crate::{ProcessExecutor, ScriptedExecutor};

    #[test]
    fn it_measures_itself_on_the_real_machine() {
        let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
        let test = self_test(&mut executor, 5).unwrap();
        assert!(test.clock_step > Duration::ZERO && test.clock_step < Duration::from_millis(10));
        let all = [&test.loops, &test.nothing, &test.between, &test.trues];
        assert!(all.iter().all(|readings| readings.len() == 5));
        assert!(
            all.iter().all(|readings| readings.iter().all(|reading| *reading > Duration::ZERO))
        );
    }

    #[test]
    fn what_ends_otherwise_is_an_error() {
        let ended = |ended: ExecutionEnd| {
            let script =
                move |_: &Request, at: Timestamp| Execution::of(ended.clone(), at, Duration::ZERO);
            self_test(&mut ScriptedExecutor::new(script), 1).unwrap_err()
        };
        assert!(matches!(ended(ExecutionEnd::Interrupted), MeasureError::Interrupted));
        assert!(matches!(ended(ExecutionEnd::Killed(9)), MeasureError::Instrument { .. }));
        assert!(
            matches!(ended(ExecutionEnd::NotStarted("none".into())), MeasureError::Instrument { why } if why == "none")
        );
    }
}
