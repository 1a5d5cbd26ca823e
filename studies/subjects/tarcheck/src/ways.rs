//! How batches get from the thread that reads to the checks. All ways give the same report.

use std::path::Path;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded, unbounded};
use rayon::prelude::*;

use crate::archive::{self, Batch, Reader};
use crate::hint::Hint;
use crate::names::Names;
use crate::report::{Report, Totals};
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
    let (mut archive, meter) = archive::open(path, options)?;
    let mut reader = Reader::new(path, &mut archive, meter.clone(), options)?;
    let mut names = Names::default();
    let mut hints = match options.way {
        Way::Sequential => sequential(&mut reader, &mut names, options),
        Way::ReadAll => read_all(&mut reader, &mut names, options),
        Way::Unbounded => unbounded_queue(&mut reader, &mut names, options),
        Way::Bounded => bounded_queue(&mut reader, &mut names, options),
        Way::JustReading => just_reading(&mut reader),
    }?;
    if options.way != Way::JustReading {
        names.judge(&options.selection, &mut hints);
    }
    hints.sort_by(|a, b| a.order().cmp(&b.order()));
    let totals = Totals { entries: reader.count(), packed: meter.packed(), unpacked: meter.unpacked() };
    Ok(Report { totals, hints })
}

fn sequential(reader: &mut Reader, names: &mut Names, options: &Options) -> Result<Vec<Hint>, Error> {
    let (mut batch, mut hints) = (Batch::default(), Vec::new());
    while reader.fill(&mut batch)? {
        names.add(&batch);
        checks::batch(&batch, options, &mut hints);
        batch.clear();
    }
    Ok(hints)
}

fn just_reading(reader: &mut Reader) -> Result<Vec<Hint>, Error> {
    let mut batch = Batch::default();
    while reader.fill(&mut batch)? {
        batch.clear();
    }
    Ok(Vec::new())
}

fn read_all(reader: &mut Reader, names: &mut Names, options: &Options) -> Result<Vec<Hint>, Error> {
    let mut batches = Vec::new();
    let mut batch = Batch::default();
    while reader.fill(&mut batch)? {
        names.add(&batch);
        batches.push(std::mem::take(&mut batch));
    }
    let of = |batch: &Batch| {
        let mut hints = Vec::new();
        checks::batch(batch, options, &mut hints);
        hints
    };
    Ok(batches.par_iter().flat_map_iter(of).collect())
}

fn unbounded_queue(reader: &mut Reader, names: &mut Names, options: &Options) -> Result<Vec<Hint>, Error> {
    let (sender, receiver) = unbounded();
    with_checkers(&receiver, None, options, move || {
        let mut batch = Batch::default();
        while reader.fill(&mut batch)? {
            names.add(&batch);
            send(&sender, std::mem::take(&mut batch));
        }
        Ok(Vec::new())
    })
}

/// The queue has two batches for each checking thread: enough to bridge a long file, little to keep in memory.
fn bounded_queue(reader: &mut Reader, names: &mut Names, options: &Options) -> Result<Vec<Hint>, Error> {
    let length = options.jobs * 2;
    let (sender, receiver) = bounded(length);
    let (giver, spare) = bounded(length + options.jobs);
    with_checkers(&receiver, Some(&giver), options, move || {
        let mut hints = Vec::new();
        let mut batch = Batch::default();
        while reader.fill(&mut batch)? {
            names.add(&batch);
            match sender.try_send(batch) {
                Ok(()) => batch = spare.try_recv().unwrap_or_default(),
                Err(TrySendError::Full(own) | TrySendError::Disconnected(own)) => {
                    batch = own;
                    checks::batch(&batch, options, &mut hints);
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

/// Checks what is received on `options.jobs` threads while `read` runs on this one. Cleared batches are given back.
fn with_checkers(
    receiver: &Receiver<Batch>,
    giver: Option<&Sender<Batch>>,
    options: &Options,
    read: impl FnOnce() -> Result<Vec<Hint>, Error>,
) -> Result<Vec<Hint>, Error> {
    let work = || {
        let mut hints = Vec::new();
        for mut batch in receiver {
            checks::batch(&batch, options, &mut hints);
            batch.clear();
            if let Some(giver) = giver {
                let _ = giver.try_send(batch);
            }
        }
        hints
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
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
