//! The findings, as they are reported.

use std::thread::available_parallelism;

use tacho_record::Warmup;
use tacho_report::bench::notes::FarSample;
use tacho_report::bench::{AdviceGiven, BenchFindings, BenchReference, BenchRow};
use tacho_report::busy_host_hint::{CALLGRIND, WaysOut};
use tacho_report::meaning::is_split_by_ticks;

use super::{BenchCommand, BenchQuestion, BenchResult, CommandResult, Standings, Start};
use crate::analysis::outlier_causes::{self, OutlierCause, OutlierExplanation};

impl Standings {
    /// The findings about these commands; two that differ by at most `margin` are called the same.
    #[must_use]
    pub fn findings<'a>(
        &'a self,
        question: &'a BenchQuestion,
        answer: &BenchResult,
        margin: f64,
    ) -> BenchFindings<'a> {
        let is_shell = |command: &BenchCommand| matches!(command.start, Start::Shell(..));
        BenchFindings {
            rows: question
                .commands
                .iter()
                .zip(&self.each)
                .map(|(it, found)| row(it, found))
                .collect(),
            by_time: self.by_time(),
            reference: self.reference.map(|index| BenchReference {
                index,
                is_fastest: self.is_reference_fastest(),
                smaller_median: self.smaller_median(),
            }),
            counters: question.counters.iter().map(|asked| asked.counter.name()).collect(),
            estimator: question.estimator,
            margin,
            is_looked_at: question.rule.precision.is_some(),
            has_shell: question.commands.iter().any(is_shell),
            is_split_by_ticks: is_split_by_ticks(answer.samples.iter().flatten()),
            executing: answer.executing,
        }
    }
}

impl CommandResult {
    /// Its outliers, the farthest first.
    #[must_use]
    pub fn far_samples(&self) -> Vec<FarSample> {
        let mut far: Vec<_> = self.outliers.iter().collect();
        far.sort_by(|one, other| other.score.abs().total_cmp(&one.score.abs()));
        let sample = |it: &OutlierExplanation| FarSample {
            round: it.place.round,
            ratio: it.ratio,
            causes: outlier_causes::line(&it.causes),
            kind: it.causes.first().map(OutlierCause::kind),
        };
        far.into_iter().map(sample).collect()
    }
}

fn row<'a>(command: &'a BenchCommand, found: &'a CommandResult) -> BenchRow<'a> {
    BenchRow {
        name: &command.name,
        metric: &found.metric,
        time: found.time.as_ref(),
        user: found.user,
        sys: found.sys,
        cpu_percent: found.cpu_percent,
        busy_share: found.busy_share,
        peak_memory: found.peak_memory,
        counters: &found.counters,
        comparison: found.compared.as_ref(),
        verdict: found.verdict,
        beaten_by: &found.beaten_by,
        limited: &found.limited,
        failed: found.failed,
        failure: found.failure.as_ref().map(|(failure, _)| failure),
        stopped: found.stopped.as_ref(),
    }
}

impl BenchQuestion {
    /// The advice that is not needed.
    #[must_use]
    pub fn advice_given(&self) -> AdviceGiven {
        AdviceGiven {
            prepare: self.commands.iter().any(|command| command.hooks.prepare.is_some()),
            warmup: self.rule.warmup != Warmup::Executions(0),
            precision: self.rule.precision.is_some(),
        }
    }

    /// The measurements that other work disturbs less. `has_callgrind`: instructions can be counted
    /// in software here.
    #[must_use]
    pub fn ways_out(&self, busy_share: Option<f64>, has_callgrind: bool) -> WaysOut<'static> {
        let is_pair = self.commands.len() == 2;
        let conditions = self.commands.first().map(|command| &command.conditions);
        let may_be_duet = is_pair
            && self.duet.is_none()
            && self.estimator.is_none()
            && conditions.is_some_and(|it| it.cpus.is_none())
            && available_parallelism().is_ok_and(|cpus| cpus.get() > 1);
        let counts = self.counters.iter().any(|it| it.counter.name() == CALLGRIND);
        WaysOut {
            cpu: is_pair.then_some("`tacho compare --command A B -m cpu` compares"),
            busy_share,
            callgrind: (!counts && has_callgrind).then_some("`--counter instructions=callgrind`"),
            duet: may_be_duet,
            quiet_wait: self.rule.quiet_wait.is_none(),
        }
    }
}
