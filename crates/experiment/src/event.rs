//! The events that an experiment reports.

use std::time::Duration;

use tacho_record::{Bisection, Build, Cell, Digest, Revision, Run, Sample};

use crate::preflight::python_path::ShadowedModule;
use crate::run::quiet_limits::Noise;
use crate::survey::outcome::SurveyedBenchmark;
use crate::trial::hooks::HookFailure;

/// Something happened that a person might like to see.
#[derive(Debug)]
pub enum Event<'a> {
    /// A metric that a benchmark's plan asks for has no value, of any execution or of one.
    Absent {
        /// The benchmark's name.
        benchmark: &'a str,
        /// The metric's name.
        metric: &'a str,
        /// Why, in one line.
        why: &'a str,
    },
    /// An interrupted run is not resumed, since it had another `PATH`: a new one begins.
    OtherPath {
        /// Its number.
        run: i64,
    },
    /// A bisection begins, has taken a step, or is over.
    Believed {
        /// As far as it has come.
        bisection: &'a Bisection,
    },
    /// A build begins; `done` of `total` revisions are behind us.
    BuildBegins {
        /// The revision.
        revision: &'a Revision,
        /// Revisions already looked at.
        done: usize,
        /// Revisions in all.
        total: usize,
    },
    /// A build ended.
    BuildEnds {
        /// The revision.
        revision: &'a Revision,
        /// How it went.
        build: &'a Build,
    },
    /// The cells to measure are known.
    MeasuringBegins {
        /// The run, new or resumed.
        run: &'a Run,
        /// The cells.
        cells: &'a [Cell],
        /// Executions in all, at the most; those of a warmup by time, which are unknown, left
        /// out.
        total: usize,
        /// Executions that an earlier, interrupted session of this run has done.
        done: usize,
    },
    /// Callgrind counts the instructions of a cell, which takes some fifty times as long as an
    /// execution.
    CountingBegins {
        /// The counted cell.
        cell: &'a Cell,
    },
    /// One execution was recorded.
    Sampled {
        /// The executed cell.
        cell: &'a Cell,
        /// The sample.
        sample: &'a Sample,
    },
    /// A cell fails each time and is left out from here on.
    GivenUp {
        /// The cell that is left out.
        cell: &'a Cell,
        /// Executions that therefore do not take place.
        saved: usize,
    },
    /// A hook of a cell begins that is executed once.
    HookBegins {
        /// The cell.
        cell: &'a Cell,
        /// `setup` or `cleanup`.
        hook: &'static str,
    },
    /// A hook was not completed, and no sample shows it.
    Trouble {
        /// The cell.
        cell: &'a Cell,
        /// The failure, with the hook's output.
        trouble: &'a HookFailure,
    },
    /// A round waits for a quiet host.
    Waiting {
        /// The disturbance.
        noise: Noise,
        /// How long it has waited.
        took: Duration,
    },
    /// A round was disturbed: its valid samples are marked and do not count, and it is repeated.
    Disturbed {
        /// The round.
        round: u32,
        /// The disturbance.
        noise: Noise,
    },
    /// A program changed the folder of its own build while it was measured: later executions may
    /// have measured something else than the build.
    BuildChanged {
        /// The executed cell.
        cell: &'a Cell,
        /// The changed path, from the build's folder.
        path: &'a std::path::Path,
    },
    /// Python takes a module of a benchmark from the current folder and not from the build, so that
    /// all revisions are measured with the same code.
    ShadowedModule {
        /// The benchmark's name.
        benchmark: &'a str,
        /// The module and its place.
        module: &'a ShadowedModule,
    },
    /// No command of a benchmark refers to the build or the revision, so that all revisions are
    /// measured with the same program.
    SameForAll {
        /// The benchmark's name.
        benchmark: &'a str,
    },
    /// The budget has no room for another round.
    OutOfTime {
        /// The rounds that took place.
        rounds: u32,
    },
    /// A cell is known as precisely as was requested, and takes no part any more.
    Precise {
        /// The cell.
        cell: &'a Cell,
        /// Executions that therefore do not take place.
        saved: usize,
    },
    /// The findings from a few builds of a long history, before more builds are made.
    Surveyed {
        /// The survey of each benchmark.
        surveyed: &'a [SurveyedBenchmark],
        /// Builds made so far.
        builds: usize,
    },
    /// A build that was evicted from the cache differed when it was built again.
    NotReproducible {
        /// The revision.
        revision: &'a Revision,
        /// The earlier artifacts.
        before: Digest,
    },
}

/// Receives what happens.
pub trait Observer {
    /// Takes note; it may draw, and must be quick.
    fn note(&mut self, event: &Event<'_>);
}

/// Receives nothing.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct SilentObserver;

#[cfg(test)]
impl Observer for SilentObserver {
    fn note(&mut self, _: &Event<'_>) {}
}
