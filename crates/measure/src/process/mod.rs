//! The real executor: a launcher starts the subject, waits for it, and answers what it used.
//!
//! One execution reads from top to bottom in [`ProcessExecutor::measure`]. Each step has its file: `order` puts
//! the request into the launcher's terms, `launcher` holds that process, `watch` waits for its answer while
//! `output` reads what the subject prints, `answer` reads what came of it; [`Events`] count meanwhile. What is read beside it
//! later (groups of processes, the host's state) joins this list; nothing here knows what the readings are for.
//!
//! Why a launcher: a program inherits the peak of memory of the process that it was made from, and is made the
//! slower the larger that is. And why one in C (`launcher/launcher.c`): it holds 24 KiB, so that a static program
//! shows its own 548; to execute ourselves again for the purpose would hold several MiB, which is what our dynamic
//! loader touches, and would need a place at the top of every `main`, those of tests included. No second file
//! has to be installed, and building `SQLite` takes a C compiler anyway.

mod answer;
mod launcher;
mod order;
mod output;
mod watch;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tacho_record::Counter;

use crate::counters::{self, Events};
use crate::interrupt::Interrupt;
use crate::{Ended, Execution, Executor, HostReader, Request, Unavailable};
use launcher::Launcher;
use order::Order;
use output::Outputs;

pub use launcher::program;
pub use output::TAIL;

/// Executes commands on this host.
///
/// - The subject leads a process group of its own, in the background of our terminal: Ctrl-C reaches us alone. A
///   program that asks at `/dev/tty` is stopped by the kernel, and so runs into its time limit.
/// - Nothing outlives its execution: the launcher is the parent of all orphans below it, and kills them, whatever
///   group or session they moved to. Nor does anything outlive us, even by `kill -9`: the launcher sees that we
///   are gone and does the same. Only a subject that kills the launcher itself leaves what it started.
/// - Standard input and outputs are the only files that the subject has open.
/// - The launcher is started with the first execution. What a process hands down to its children (limits,
///   priority, processors it may use) is that of this process at that time.
/// - Executors of one process take turns, as two executions at once would disturb each other.
/// - Reading output takes processor time beside the subject: give it [`Capture::Nothing`](crate::Capture::Nothing)
///   where nobody asks for the answer.
#[derive(Debug)]
pub struct ProcessExecutor {
    interrupt: Interrupt,
    /// Where output is read to, kept so that no execution waits for memory.
    buffer: Vec<u8>,
    /// The one of the last execution, unless that was its last, and what is counted of all that it executes.
    launcher: Option<(Launcher, Events)>,
    host: HostReader,
}

impl ProcessExecutor {
    /// An executor that ends what it executes, and starts no more, once that flag is set.
    #[must_use]
    pub fn new(interrupt: Arc<AtomicBool>) -> Self {
        let interrupt = Interrupt::new(interrupt);
        Self { interrupt, buffer: vec![0; 64 * 1024], launcher: None, host: HostReader::new() }
    }

    /// Executes it, or says why it could not be started.
    fn measure(&mut self, request: &Request) -> Result<Execution, String> {
        let order = Order::new(request)?;
        // Only one that did its work is used again.
        let idle = self.launcher.take().filter(|(launcher, _)| launcher.is_there());
        let (mut launcher, events) = idle.map_or_else(start, Ok)?;
        let mut events = events.or_those(&request.counters, launcher.id());
        let (mut outputs, ends) = Outputs::new(request)?;
        let before = launcher.cpu();
        self.host.begin();
        events.begin();
        let at = Timestamp::now();
        launcher.order(&order, &ends)?;
        // Ours go, else the pipes would have no end.
        drop(ends);
        let answer = watch::until_answered(&launcher, &mut outputs, &mut self.buffer, &self.interrupt)?;
        let (counts, uncounted) = events.end();
        let usage = answer.usage(launcher.floor());
        let starting = launcher.cpu().saturating_sub(before);
        let readings = self.host.end(usage.user + usage.sys + starting, None);
        if answer.may_go_on() {
            self.launcher = Some((launcher, events));
        }
        let output = outputs.finish(&mut self.buffer);
        answer.started().map_err(|error| order::why_not(request, &error))?;
        Ok(Execution {
            at,
            wall: answer.wall(),
            left_behind: answer.left_behind(),
            ended: answer.ended(),
            absent: [usage.absent(), uncounted].concat(),
            usage,
            counts,
            readings,
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

    fn lacks(&mut self, counter: Counter) -> Option<Unavailable> {
        counters::lacks(counter)
    }

    fn now(&mut self) -> Timestamp {
        Timestamp::now()
    }
}

/// A new launcher, of whose executions nothing is counted yet.
fn start() -> Result<(Launcher, Events), String> {
    Ok((Launcher::start()?, Events::default()))
}
