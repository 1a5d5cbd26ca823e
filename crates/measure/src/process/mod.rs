//! The real executor: one process group, watched through its pidfd, accounted for by `wait4`.
//!
//! One execution reads from top to bottom in [`ProcessExecutor::measure`]. Each step has its file: `launch`
//! starts the subject, `watch` waits for its end while `output` reads what it prints, `reap` asks the kernel what
//! it used, `orphans` finds and kills what it left behind. What is read beside it later (counters, groups of
//! processes, the host's state) joins this list; nothing here knows what the readings are for.

mod launch;
mod orphans;
mod output;
mod reap;
mod watch;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use crate::interrupt::Interrupt;
use crate::{Ended, Execution, Executor, Request};
use orphans::Orphans;
use output::Outputs;

pub use output::TAIL;

/// Executes commands on this host.
///
/// - The subject leads a process group of its own, in the background of our terminal: Ctrl-C reaches us alone. A
///   program that asks at `/dev/tty` is stopped by the kernel, and so runs into its time limit.
/// - The kernel kills it when the thread that executes it dies, even by `kill -9`. Its own children are not
///   reached by that; they are when we live, below.
/// - Nothing outlives its execution: this process becomes the parent of all orphans below it, and kills them,
///   whatever group or session they moved to. It leaves alone the children that it had before and those of its
///   own group, which are not the subject's. While an execution is under way, no other part of this process may
///   start children in groups of their own.
/// - Executors of one process take turns, as two executions at once would disturb and could not tell orphans
///   apart.
/// - Reading output takes processor time beside the subject: give it [`Capture::Nothing`](crate::Capture::Nothing)
///   where nobody asks for the answer.
#[derive(Debug)]
pub struct ProcessExecutor {
    interrupt: Interrupt,
    /// Where output is read to, kept so that no execution waits for memory.
    buffer: Vec<u8>,
}

impl ProcessExecutor {
    /// An executor that ends what it executes, and starts no more, once that flag is set.
    #[must_use]
    pub fn new(interrupt: Arc<AtomicBool>) -> Self {
        Self { interrupt: Interrupt::new(interrupt), buffer: vec![0; 64 * 1024] }
    }

    /// Executes it, or says why it could not be started.
    fn measure(&mut self, request: &Request) -> Result<Execution, String> {
        reap::keep_ended_children().map_err(|error| format!("cannot account for children: {error}"))?;
        let orphans = Orphans::adopt()?;
        let (mut outputs, ends) = Outputs::new(request)?;
        let at = Timestamp::now();
        let subject = launch::start(request, ends)?;
        let end = watch::until_ended(
            &subject,
            &mut outputs,
            &mut self.buffer,
            &self.interrupt,
            subject.started.checked_add(request.timeout),
        );
        let reaped = subject.reap();
        let stragglers = orphans.kill(subject.pid);
        let (status, usage) = reaped?;
        let output = outputs.finish(&mut self.buffer);
        Ok(Execution {
            at,
            wall: end.at.duration_since(subject.started),
            left_behind: stragglers && end.cut.is_none(),
            ended: end.cut.unwrap_or_else(|| reap::ended(status)),
            usage,
            stdout: output.stdout,
            stderr_tail: output.stderr_tail,
            stderr: output.stderr,
        })
    }
}

impl Executor for ProcessExecutor {
    fn execute(&mut self, request: &Request) -> Execution {
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let at = Timestamp::now();
        if self.interrupt.is_raised() {
            return Execution::of(Ended::Interrupted, at, Duration::ZERO);
        }
        self.measure(request).unwrap_or_else(|why| Execution::of(Ended::NotStarted(why), at, Duration::ZERO))
    }

    fn now(&mut self) -> Timestamp {
        Timestamp::now()
    }
}
