//! What an experiment reports while it goes on.

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
    /// A bisection begins, has taken a step, or is over.
    Believed {
        /// As far as it has come.
        bisection: &'a Bisection,
    },
    /// A build begins; `done` of `total` revisions are behind us.
    BuildBegins {
        /// What is built.
        revision: &'a Revision,
        /// Revisions already looked at.
        done: usize,
        /// Revisions in all.
        total: usize,
    },
    /// A build ended.
    BuildEnds {
        /// What was built.
        revision: &'a Revision,
        /// How it went.
        build: &'a Build,
    },
    /// What is to be measured is known.
    MeasuringBegins {
        /// The run, new or taken up again.
        run: &'a Run,
        /// What it measures.
        cells: &'a [Cell],
        /// Executions in all, at the most; those of a warm-up by time, which are unknown, left
        /// out.
        total: usize,
        /// Executions that an earlier, interrupted session of this run has done.
        done: usize,
    },
    /// Callgrind counts the instructions of a cell, which takes some fifty times as long as an
    /// execution.
    CountingBegins {
        /// What is counted.
        cell: &'a Cell,
    },
    /// One execution was recorded.
    Sampled {
        /// What was executed.
        cell: &'a Cell,
        /// What was read.
        sample: &'a Sample,
    },
    /// A cell fails each time and is left out from here on.
    GivenUp {
        /// What is left out.
        cell: &'a Cell,
        /// Executions that therefore do not take place.
        saved: usize,
    },
    /// A hook of a cell begins that is executed once.
    HookBegins {
        /// Whose.
        cell: &'a Cell,
        /// `setup` or `cleanup`.
        hook: &'static str,
    },
    /// What should have been done was not, and no sample says so.
    Trouble {
        /// Of what.
        cell: &'a Cell,
        /// What, and what it printed.
        trouble: &'a HookFailure,
    },
    /// A round waits for a quiet host.
    Waiting {
        /// What disturbs.
        noise: Noise,
        /// How long it has waited.
        took: Duration,
    },
    /// A round was disturbed: its valid samples are marked and do not count, and it is repeated.
    Disturbed {
        /// Which.
        round: u32,
        /// By what.
        noise: Noise,
    },
    /// A program changed the folder of its own build while it was measured: later executions may
    /// have measured something else than the build.
    BuildChanged {
        /// What was executed.
        cell: &'a Cell,
        /// What was changed, from the build's folder.
        path: &'a std::path::Path,
    },
    /// Python takes a module of a benchmark from the current folder and not from the build, so that
    /// all revisions are measured with the same code.
    ShadowedModule {
        /// The benchmark's name.
        benchmark: &'a str,
        /// What is taken from where.
        module: &'a ShadowedModule,
    },
    /// Nothing that is executed for a benchmark names the build or the revision, so that all
    /// revisions are measured with the same program.
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
        /// What is known.
        cell: &'a Cell,
        /// Executions that therefore do not take place.
        saved: usize,
    },
    /// What few builds say of a long history, before more are made.
    Surveyed {
        /// Of each benchmark.
        surveyed: &'a [SurveyedBenchmark],
        /// Builds made so far.
        builds: usize,
    },
    /// A build that was evicted from the cache came out otherwise when built again.
    NotReproducible {
        /// What was built.
        revision: &'a Revision,
        /// What it was before.
        before: Digest,
    },
}

/// Receives what happens.
pub trait Observer {
    /// Takes note; it may draw, and must be quick.
    fn note(&mut self, event: &Event<'_>);
}

/// Receives nothing.
#[derive(Debug, Default)]
pub struct SilentObserver;

impl Observer for SilentObserver {
    fn note(&mut self, _: &Event<'_>) {}
}
