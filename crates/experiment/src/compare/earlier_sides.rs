//! Sides that are not measured today: what was kept of an earlier run, or what another tool wrote.
//!
//! The samples of one run do not show the variation between runs of one program. The variation is
//! estimated from the store's samples of the same cells in several runs on the host, executed in
//! the same way, before the comparing run began. The interval and the verdict include this estimate
//! (`stats::compare::compare_earlier`), and later measurements do not change them.

use std::collections::{BTreeMap, HashMap};

use tacho_record::plan::parse;
use tacho_record::{
    BenchmarkKey, Comparing, Digest, ExportedMetric, LimitedExecutions, Metric, Purpose, Run,
    RunState, Sample,
};
use tacho_stats::Summary;
use tacho_stats::compare::{ComparisonRules, RunEffectPrior, SampleValue, compare_earlier};
use tacho_store::Store;

use super::judge::{believe, failure, mean_wall, summary};
use super::rounds::values;
use crate::ExperimentError;
use crate::analysis::estimator::ruled;
use crate::analysis::execution_times::busy_share;
use crate::compare::row::ERROR;
use tacho_report::comparison::ComparedRow;

/// The samples of a side for a row.
#[derive(Clone, Debug, Default)]
pub(super) struct RowSamples {
    /// The samples, of a side that was executed in this run or an earlier one.
    pub samples: Vec<Sample>,
    /// The executed artifact.
    artifact: Option<Digest>,
}

/// The rows of terms by which a side at least was not executed, from what there is of each.
pub(super) fn judged(
    store: &mut Store,
    run: Option<&Run>,
    terms: &Comparing,
) -> Result<Vec<ComparedRow>, ExperimentError> {
    let mut sides = Vec::new();
    for side in 0..2 {
        sides.push(had(store, run, terms, side)?);
    }
    let earlier = terms.earlier.iter().flatten().next().map(|earlier| earlier.run);
    let of = match (run, earlier) {
        (Some(run), _) => Some(run.clone()),
        (None, Some(number)) => store.run(number)?,
        (None, None) => None,
    };
    let informative = informative_runs(store.runs()?, run);
    let exported = terms.exported.each_ref().map(|said| by_name(said));
    let mut rows = Vec::new();
    for (at, (benchmark, metrics)) in terms.rows.iter().enumerate() {
        let of_row = [&sides[0][at], &sides[1][at]];
        let alike = of
            .iter()
            .flat_map(|of| informative.iter().filter(|run| is_executed_alike(of, run, benchmark)));
        let known = medians_of_runs(store, alike, benchmark, of_row, metrics)?;
        for metric in metrics {
            let programs = known.get(&metric.name).cloned().unwrap_or_default();
            let exported = exported.each_ref().map(|of| said_of(of, benchmark, metric));
            let prior = RunEffectPrior::of_programs(&programs);
            rows.push(row(terms.margin, (benchmark, metric), (of_row, exported), prior));
        }
    }
    believe(&mut rows);
    // A row that ended earlier takes no more rounds.
    for row in &mut rows {
        row.comparison.more = None;
    }
    Ok(rows)
}

fn row(
    margin: f64,
    (benchmark, metric): (&BenchmarkKey, &Metric),
    (had, exported): ([&RowSamples; 2], [Option<&ExportedMetric>; 2]),
    known: Option<RunEffectPrior>,
) -> ComparedRow {
    let of = |side: usize| match exported[side] {
        Some(ExportedMetric { values, limited, .. }) => {
            let bounds = limited.bounds.iter().map(|bound| SampleValue::new(*bound).at_least());
            values.iter().copied().map(SampleValue::new).chain(bounds).collect()
        }
        None => values(metric, &had[side].samples),
    };
    let (a, b) = (of(0), of(1));
    let rules = ruled(metric, [&a, &b], &ComparisonRules { margin, ..ComparisonRules::default() });
    let prior =
        rules.once.map_or_else(|| RunEffectPrior::or_unknown(known), |counted| counted.with(known));
    let comparison = compare_earlier(&a, &b, &rules, prior, ERROR);
    let samples = had.map(|had| had.samples.clone());
    let (failure, printed) = failure(&samples);
    ComparedRow {
        benchmark: benchmark.clone(),
        metric: metric.clone(),
        sides: [0, 1].map(|side| match exported[side] {
            Some(of) => Summary::sampled(&of.values, &of.limited.bounds, false),
            None => summary(metric, &samples[side]),
        }),
        levels: [None, None],
        verdict: comparison.verdict,
        comparison,
        settled: false,
        limited: [0, 1].map(|side| match exported[side] {
            Some(of) => of.limited.clone(),
            None => LimitedExecutions::of(&samples[side], metric),
        }),
        round: samples.iter().filter_map(|side| mean_wall(side)).sum(),
        busy_share: busy_share(samples.iter().flatten()),
        failure,
        printed,
        is_wrong: samples.iter().flatten().any(|it| it.outcome.is_wrong_answer()),
    }
}

/// The metrics of a file, by benchmark and metric; the first of several.
type ExportedByKey<'a> = HashMap<(&'a str, &'a str), &'a ExportedMetric>;

fn by_name(said: &[ExportedMetric]) -> ExportedByKey<'_> {
    let mut all = ExportedByKey::new();
    for one in said {
        all.entry((&one.benchmark, &one.metric.name)).or_insert(one);
    }
    all
}

/// The file's metric of that name.
fn said_of<'a>(
    said: &ExportedByKey<'a>,
    benchmark: &BenchmarkKey,
    metric: &Metric,
) -> Option<&'a ExportedMetric> {
    said.get(&(benchmark.to_string().as_str(), metric.name.as_str())).copied()
}

/// The samples of a side for each row.
pub(super) fn had(
    store: &mut Store,
    run: Option<&Run>,
    terms: &Comparing,
    side: usize,
) -> Result<Vec<RowSamples>, ExperimentError> {
    if let Some(earlier) = terms.earlier[side] {
        let Some(then) = store.comparing(earlier.run)? else { return Ok(nothing(terms)) };
        let all = of_run(store, earlier.run, &then, earlier.side)?;
        let find = |benchmark: &BenchmarkKey| {
            let at = then.rows.iter().position(|(key, _)| key == benchmark);
            at.and_then(|at| all.get(at).cloned()).unwrap_or_default()
        };
        return Ok(terms.rows.iter().map(|(benchmark, _)| find(benchmark)).collect());
    }
    match run.filter(|_| terms.executes(side)) {
        Some(run) => of_run(store, run.number, terms, side),
        None => Ok(nothing(terms)),
    }
}

fn nothing(terms: &Comparing) -> Vec<RowSamples> {
    vec![RowSamples::default(); terms.rows.len()]
}

/// A run's samples of a side that it executed, row by row: its cells are in the order of
/// `Comparing`.
fn of_run(
    store: &mut Store,
    run: i64,
    terms: &Comparing,
    side: usize,
) -> Result<Vec<RowSamples>, ExperimentError> {
    // Executions of several layouts are not those of one program: they are not used.
    if !terms.executes(side) || terms.sides.iter().any(|side| side.program.builds() > 1) {
        return Ok(nothing(terms));
    }
    let cells = store.cells(run)?;
    let each = cells.len() / terms.rows.len().max(1);
    let place = (0..side).filter(|side| terms.executes(*side)).count();
    let mut all = Vec::new();
    for row in 0..terms.rows.len() {
        all.push(match cells.get(row * each + place) {
            Some((id, cell)) => {
                RowSamples { samples: store.samples(*id)?, artifact: Some(cell.artifact) }
            }
            None => RowSamples::default(),
        });
    }
    Ok(all)
}

/// The runs that show the variation between runs: the judged run, and those that had ended when it
/// began. Later runs are left out, so that the judgement of a run never changes. Without a judged
/// run, all runs until now count.
fn informative_runs(mut all: Vec<Run>, judged: Option<&Run>) -> Vec<Run> {
    let had_ended = |run: &Run, judged: &Run| {
        run.number < judged.number && run.ended.is_some_and(|ended| ended <= judged.started)
    };
    let is_informative = |run: &Run| {
        judged.is_none_or(|judged| run.number == judged.number || had_ended(run, judged))
    };
    all.retain(|run| is_of_series_or_comparison(run) && is_informative(run));
    all
}

/// By metric, of each of these programs the medians of those of the runs that executed it as that
/// benchmark.
fn medians_of_runs<'a>(
    store: &mut Store,
    runs: impl Iterator<Item = &'a Run>,
    benchmark: &BenchmarkKey,
    had: [&RowSamples; 2],
    metrics: &[Metric],
) -> Result<BTreeMap<String, Vec<Vec<f64>>>, ExperimentError> {
    let artifacts: Vec<Digest> = had.iter().filter_map(|had| had.artifact).collect();
    let mut found: BTreeMap<String, BTreeMap<String, Vec<f64>>> = BTreeMap::new();
    for run in runs {
        // A and its control are one program: together they give one median of the run.
        let mut of_run: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
        for (id, cell) in store.cells(run.number)? {
            if cell.benchmark.name == benchmark.name && artifacts.contains(&cell.artifact) {
                let program = format!("{} {}", cell.artifact, cell.benchmark);
                of_run.entry(program).or_default().extend(store.samples(id)?);
            }
        }
        for (program, samples) in &of_run {
            for metric in metrics {
                // The distance of a lower bound from other medians is unknown.
                if let Some(summary) = summary(metric, samples).filter(|of| !of.is_bound) {
                    let programs = found.entry(metric.name.clone()).or_default();
                    programs.entry(program.clone()).or_default().push(summary.median);
                }
            }
        }
    }
    Ok(found
        .into_iter()
        .map(|(metric, programs)| (metric, programs.into_values().collect()))
        .collect())
}

/// Whether two runs were on one host, and their plans execute the benchmark in the same way;
/// commands have no plan.
fn is_executed_alike(one: &Run, other: &Run, benchmark: &BenchmarkKey) -> bool {
    let of = |run: &Run| {
        let plan = parse(&run.plan, "").ok()?;
        plan.benchmarks.into_iter().find(|it| it.name == benchmark.name)
    };
    let is_same = || match (of(one), of(other)) {
        (Some(one), Some(other)) => one.executes_otherwise(&other).is_empty(),
        _ => false,
    };
    one.host == other.host && (one.plan == other.plan || is_same())
}

fn is_of_series_or_comparison(run: &Run) -> bool {
    run.state == RunState::Finished && matches!(run.purpose, Purpose::Compare | Purpose::Track)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;
    use tacho_measure::{Execution, ExecutionEnd, Request};

    use super::super::tests::{TWO, compared, lab, rows, terms};
    use super::*;
    use crate::track_tests::TestLab;

    /// Executes both sides, which take so many milliseconds, in a run of its own; the control takes
    /// what the first does.
    fn run(lab: &TestLab, takes: [u64; 2]) -> Run {
        let script = |request: &Request, at: Timestamp| {
            let side = usize::from(request.command.join(" ").ends_with("r2"));
            Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(takes[side]))
        };
        rows(compared(lab, &terms(lab), script)).run.unwrap()
    }

    /// The medians by which it is told what runs differ by today, of the programs of that run.
    fn medians(lab: &TestLab, of: &Run) -> Vec<Vec<f64>> {
        medians_told(lab, of, None)
    }

    /// The same where a run is judged.
    fn medians_told(lab: &TestLab, of: &Run, judged: Option<&Run>) -> Vec<Vec<f64>> {
        let mut store = lab.store();
        let terms = terms(lab);
        let had = [0, 1].map(|side| of_run(&mut store, of.number, &terms, side).unwrap().remove(0));
        let (benchmark, metrics) = &terms.rows[0];
        let informative = informative_runs(store.runs().unwrap(), judged);
        let alike = informative.iter().filter(|run| is_executed_alike(of, run, benchmark));
        let known = medians_of_runs(&mut store, alike, benchmark, had.each_ref(), metrics)
            .unwrap()
            .remove("wall");
        let mut programs = known.unwrap_or_default();
        for median in programs.iter_mut().flatten() {
            *median /= 1e6;
        }
        programs.sort_by(|one, other| one[0].total_cmp(&other[0]));
        programs
    }

    #[test]
    fn of_each_program_the_runs_that_executed_it_alike_are_taken() {
        let mut lab = lab(TWO, 3);
        let first = run(&lab, [100, 200]);
        assert_eq!(medians(&lab, &first), [[100.0], [200.0]], "A and its control are one");
        run(&lab, [110, 190]);
        assert_eq!(medians(&lab, &first), [[100.0, 110.0], [200.0, 190.0]]);
        // Another plan, by which the benchmark is executed in the same way.
        lab.measure = "rounds = 4".to_owned();
        run(&lab, [120, 210]);
        let alike = [[100.0, 110.0, 120.0], [200.0, 190.0, 210.0]];
        assert_eq!(medians(&lab, &first), alike);
        // Plans by which it is executed otherwise.
        lab.benchmarks = TWO.replacen("'b {revision}'", "'b -v {revision}'", 1);
        let other = run(&lab, [500, 600]);
        assert_eq!(medians(&lab, &first), alike);
        assert_eq!(medians(&lab, &other), [[500.0], [600.0]]);
    }

    #[test]
    fn of_a_run_that_is_judged_only_itself_and_those_before_are_taken() {
        let lab = lab(TWO, 3);
        let runs = [[100, 200], [110, 190], [500, 600]].map(|takes| run(&lab, takes));
        let judged = |at: usize| medians_told(&lab, &runs[at], Some(&runs[at]));
        assert_eq!(judged(0), [[100.0], [200.0]]);
        assert_eq!(judged(1), [[100.0, 110.0], [200.0, 190.0]], "not those of the third");
        // One that was interrupted before and taken up after had not ended.
        let late = Run { ended: runs[2].ended, ..runs[0].clone() };
        assert_eq!(
            informative_runs(vec![late, runs[1].clone()], Some(&runs[1])),
            [runs[1].clone()]
        );
    }

    #[test]
    fn what_is_unfinished_or_on_another_host_tells_nothing() {
        let lab = lab(TWO, 3);
        let first = run(&lab, [100, 200]);
        let elsewhere = Run { host: "other".into(), ..first.clone() };
        assert_eq!(medians(&lab, &elsewhere), Vec::<Vec<f64>>::new());
        let mut left = 4;
        let stopped = compared(&lab, &terms(&lab), |_, at| {
            left -= 1;
            let ended = if left > 0 { ExecutionEnd::Exited(0) } else { ExecutionEnd::Interrupted };
            Execution::of(ended, at, Duration::from_millis(1))
        });
        assert!(rows(stopped).interrupted);
        assert_eq!(medians(&lab, &first), [[100.0], [200.0]]);
    }
}
