//! Warnings beside a command's numbers.

use tacho_record::{Metric, Sample, Warmup};
use tacho_report::bench::BenchWarning;
use tacho_report::host::HostLoad;
use tacho_stats::outlier::outliers;

use super::{BenchCommand, BenchQuestion, Start};
use crate::analysis::carry_over::{CarryOver, ProgramSamples};
use crate::analysis::host_load::host_load;
use crate::analysis::process_start::mostly_start;
use crate::run::warmup::unsteady;

/// From this share of its wall time on a shell's part is reported (docs/src/method).
pub const SHELL_SHARE: f64 = 0.5;

/// From this multiple of the median on the warning says that the first execution took longer.
const FIRST_SLOW: f64 = 1.05;

/// The warnings about a command with these samples, and the same at the host's usual speed: a host
/// that changes its speed is no unsteady command.
pub(super) fn of_command(
    command: &BenchCommand,
    samples: &[Sample],
    usual: &[Sample],
    question: &BenchQuestion,
) -> Vec<BenchWarning> {
    let rule = &question.rule;
    let counted: Vec<&Sample> = samples.iter().filter(|sample| sample.counts()).collect();
    // An execution that reached a limit was ended with all its processes, so it left nothing
    // behind.
    let left = (samples.iter().filter(|sample| !sample.is_limited()))
        .filter(|sample| sample.value("left-behind").is_some_and(|left| left > 0.0));
    let is_shell = matches!(command.start, Start::Shell(..));
    let time = command.time();
    let negative = counted.iter().filter(|it| it.value(&time.name).is_some_and(|time| time < 0.0));
    let warnings = [
        Some(negative.count()).filter(|below| *below > 0).map(BenchWarning::BelowShell),
        first_slow(samples, &counted, &command.time()).map(BenchWarning::FirstSlow),
        share(&counted, Metric::SHELL)
            .filter(|share| is_shell && *share >= SHELL_SHARE)
            .map(BenchWarning::MostlyShell),
        mostly_start(&question.conditions, samples.iter())
            .filter(|_| !is_shell)
            .map(BenchWarning::MostlyStart),
        Some(left.count()).filter(|left| *left > 0).map(BenchWarning::LeftBehind),
        // If the warmup is searched for, its result has this information.
        unsteady(usual, &command.time())
            .filter(|_| rule.warmup != Warmup::Found)
            .map(BenchWarning::NoSteadyState),
    ];
    warnings.into_iter().flatten().collect()
}

/// The warnings about the host, while all these samples were taken.
pub(super) fn of_host(samples: &[Vec<Sample>]) -> Vec<BenchWarning> {
    let programs: Vec<&[Sample]> = samples.iter().map(Vec::as_slice).collect();
    let HostLoad { others, stolen, .. } = host_load(&programs);
    others.map(BenchWarning::Loaded).into_iter().chain(stolen.map(BenchWarning::Stolen)).collect()
}

/// The carry-over from the command executed before; commands at the same time have none.
pub(super) fn carry_over(
    question: &BenchQuestion,
    samples: &[Vec<Sample>],
) -> Option<BenchWarning> {
    if question.duet.is_some() {
        return None;
    }
    let metrics: Vec<String> =
        question.commands.iter().map(|command| command.time().name).collect();
    let cell = |(program, (metric, samples))| ProgramSamples { program, metric, samples };
    let pairs = metrics.iter().map(String::as_str).zip(samples.iter().map(Vec::as_slice));
    let cells: Vec<ProgramSamples> = (0..).zip(pairs).map(cell).collect();
    CarryOver::of(&cells, question.seed)
        .map(|carried| BenchWarning::CarryOver(carried.after as usize, carried.share))
}

/// How many times as long as the median the first execution took, if it is an outlier and nothing
/// came before it.
fn first_slow(samples: &[Sample], counted: &[&Sample], time: &Metric) -> Option<f64> {
    let first = samples.first().filter(|first| first.counts())?;
    let values: Vec<f64> = counted.iter().filter_map(|sample| sample.value(&time.name)).collect();
    let far = outliers(&values);
    let outlier =
        far.first().filter(|outlier| outlier.index == 0 && outlier.ratio >= FIRST_SLOW)?;
    // With many outliers the first one is no warmup.
    let alone = 20 * far.len() <= values.len().max(40);
    first.value(&time.name).filter(|_| alone).map(|_| outlier.ratio)
}

/// The sum of a metric by that of wall time, of the executions that have both.
fn share(counted: &[&Sample], metric: &str) -> Option<f64> {
    let both =
        counted.iter().filter_map(|sample| Some((sample.value(metric)?, sample.value("wall")?)));
    let (part, whole) =
        both.fold((0.0, 0.0), |(part, whole), (one, other)| (part + one, whole + other));
    (whole > 0.0).then(|| part / whole)
}
