//! How batches get from the thread that reads to the checks. All ways give the same report.

use std::path::Path;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded, unbounded};
use rayon::prelude::*;

use crate::archive::{self, Batch, Reader};
use crate::hint::Hint;
use crate::names::Names;
use crate::report::{Cpu, Report, Totals};
use crate::stopwatch::{Checker, process_time, thread_time};
use crate::{Error, Options, checks};

/// How the work is spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// One thread reads and checks.
    Sequential,
    /// Reads everything into memory, then checks on all CPUs.
    ReadAll,
    /// Hands batches to other threads through a queue without a bound.
    Unbounded,
    /// Hands batches to other threads through a short queue, and helps where it is full.
    #[default]
    Bounded,
    /// Reads and checks nothing: the floor.
    JustReading,
}

/// Checks one archive.
///
/// # Errors
/// If the archive cannot be opened, is damaged or goes beyond a limit.
pub fn check(path: &Path, options: &Options) -> Result<Report, Error> {
    let begin_of_all = process_time();
    let (mut archive, meter) = archive::open(path, options)?;
    let reader = Reader::new(path, &mut archive, meter.clone(), options)?;
    let has_checks = options.way != Way::JustReading;
    let mut feed = Feed { reader, names: has_checks.then(Names::default), cpu: Duration::ZERO };
    let checker = Checker::new(options);
    let mut hints = match options.way {
        Way::Sequential => sequential(&mut feed, &checker),
        Way::ReadAll => read_all(&mut feed, &checker),
        Way::Unbounded => unbounded_queue(&mut feed, &checker),
        Way::Bounded => bounded_queue(&mut feed, &checker),
        Way::JustReading => just_reading(&mut feed),
    }?;
    let (names, entries, mut reading) = (feed.names, feed.reader.count(), feed.cpu);
    let begin = thread_time();
    let ending = archive::finish(path, archive, &meter, entries)?;
    reading += thread_time().saturating_sub(begin);
    if let Some(names) = &names {
        names.judge(&options.selection, &mut hints);
        hints.extend(checks::ending(ending, &options.selection));
    }
    hints.sort_by(|a, b| a.order().cmp(&b.order()));
    let totals = Totals { entries, packed: meter.packed(), unpacked: meter.unpacked() };
    let checking = checker.time();
    let others = process_time().saturating_sub(begin_of_all + reading + checking);
    let cpu = Cpu { reading, unpacking: options.ahead.then_some(others), checking };
    Ok(Report { totals, hints, cpu })
}

/// What the reading thread does: fills batches, and remembers names if anything is checked.
struct Feed<'a> {
    reader: Reader<'a>,
    names: Option<Names>,
    cpu: Duration,
}

impl Feed<'_> {
    fn fill(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let begin = thread_time();
        let result = self.reader.fill(batch);
        if let (Some(names), Ok(true)) = (&mut self.names, &result) {
            names.add(batch);
        }
        self.cpu += thread_time().saturating_sub(begin);
        result
    }
}

fn sequential(feed: &mut Feed, checker: &Checker) -> Result<Vec<Hint>, Error> {
    let (mut batch, mut hints) = (Batch::default(), Vec::new());
    while feed.fill(&mut batch)? {
        checker.check(&batch, &mut hints);
        batch.clear();
    }
    Ok(hints)
}

fn just_reading(feed: &mut Feed) -> Result<Vec<Hint>, Error> {
    let mut batch = Batch::default();
    while feed.fill(&mut batch)? {
        batch.clear();
    }
    Ok(Vec::new())
}

fn read_all(feed: &mut Feed, checker: &Checker) -> Result<Vec<Hint>, Error> {
    let mut batches = Vec::new();
    let mut batch = Batch::default();
    while feed.fill(&mut batch)? {
        batches.push(std::mem::take(&mut batch));
    }
    let of = |batch: &Batch| {
        let mut hints = Vec::new();
        checker.check(batch, &mut hints);
        hints
    };
    Ok(batches.par_iter().flat_map_iter(of).collect())
}

fn unbounded_queue(feed: &mut Feed, checker: &Checker) -> Result<Vec<Hint>, Error> {
    let (sender, receiver) = unbounded();
    with_checkers(&receiver, None, checker, move || {
        let mut batch = Batch::default();
        while feed.fill(&mut batch)? {
            send(&sender, std::mem::take(&mut batch));
        }
        Ok(Vec::new())
    })
}

/// The queue has two batches for each checking thread: enough to bridge a long file, little to keep
/// in memory.
fn bounded_queue(feed: &mut Feed, checker: &Checker) -> Result<Vec<Hint>, Error> {
    let length = checker.jobs() * 2;
    let (sender, receiver) = bounded(length);
    let (giver, spare) = bounded(length + checker.jobs());
    with_checkers(&receiver, Some(&giver), checker, move || {
        let mut hints = Vec::new();
        let mut batch = Batch::default();
        while feed.fill(&mut batch)? {
            match sender.try_send(batch) {
                Ok(()) => batch = spare.try_recv().unwrap_or_default(),
                Err(TrySendError::Full(own) | TrySendError::Disconnected(own)) => {
                    batch = own;
                    checker.check(&batch, &mut hints);
                    batch.clear();
                }
            }
        }
        Ok(hints)
    })
}

fn send(sender: &Sender<Batch>, batch: Batch) {
    // Receivers outlive the sender: `with_checkers` joins them after the reading ended.
    let _ = sender.send(batch);
}

/// Checks what is received on the checker's threads while `read` runs on this one. Cleared batches
/// are given back.
fn with_checkers(
    receiver: &Receiver<Batch>,
    giver: Option<&Sender<Batch>>,
    checker: &Checker,
    read: impl FnOnce() -> Result<Vec<Hint>, Error>,
) -> Result<Vec<Hint>, Error> {
    let work = || {
        let mut hints = Vec::new();
        for mut batch in receiver {
            checker.check(&batch, &mut hints);
            batch.clear();
            if let Some(giver) = giver {
                let _ = giver.try_send(batch);
            }
        }
        hints
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..checker.jobs()).map(|_| scope.spawn(work)).collect();
        let mut result = read();
        for worker in workers {
            let found = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            if let Ok(hints) = &mut result {
                hints.extend(found);
            }
        }
        result
    })
}
