//! The answer in JSON; docs/src/formats says what each key means.

use serde::Serialize;
use tacho_experiment::compare::{ComparisonData, ComparisonResult, RowAtGate};
use tacho_record::{RequestedEstimator, Side, StopCondition};
use tacho_report::comparison::{
    CarriedOver, ComparedRow, between_runs, has_trade_off, in_order, places,
};
use tacho_report::host::HostLoad;
use tacho_stats::compare::{Comparison, Estimate, Note, RankTest, SharedModes, Size};
use tacho_stats::levels::Levels;
use tacho_stats::{Bound, BoundedValue};

use super::family::Family;
use super::gate_notes::FailOnAnswer;
use crate::output::bench::{estimator, word};
use crate::output::bounds::Bounds;
use crate::output::compare::report::CompareReport;
use crate::output::layouts::RepetitionAnswer;

/// The answer in JSON; docs/src/formats says what each key means.
#[derive(Serialize)]
pub struct CompareAnswer<'a> {
    a: &'a Side,
    b: &'a Side,
    same_program: bool,
    not_built: Option<&'a str>,
    interrupted: bool,
    run: Option<i64>,
    seed: Option<u64>,
    estimator: Option<RequestedEstimator>,
    margin: f64,
    executed: [bool; 2],
    duet: Option<DuetAnswer>,
    carry_over: Option<CarryOverAnswer>,
    loads: Vec<LoadAnswer>,
    otherwise: &'a [String],
    executing: Option<f64>,
    family: Option<Family>,
    trade_off: bool,
    fail_on: Option<FailOnAnswer<'a>>,
    only_a: &'a [String],
    only_b: &'a [String],
    rows: Vec<CompareRowAnswer<'a>>,
}

/// Both sides were executed at the same time.
#[derive(Serialize)]
pub struct DuetAnswer {
    cpus: [u32; 2],
}

impl DuetAnswer {
    /// On these processors.
    pub fn on(cpus: [u32; 2]) -> Self {
        Self { cpus }
    }
}

/// The use of the host by others during a run.
#[derive(Serialize)]
struct LoadAnswer {
    run: i64,
    other_cpus: Option<f64>,
    stolen: Option<f64>,
}

impl From<&(i64, HostLoad)> for LoadAnswer {
    fn from((run, load): &(i64, HostLoad)) -> Self {
        Self { run: *run, other_cpus: load.others, stolen: load.stolen }
    }
}

#[derive(Serialize)]
struct CarryOverAnswer {
    benchmark: String,
    after: &'static str,
    share: f64,
}

impl From<&CarriedOver> for CarryOverAnswer {
    fn from(carried: &CarriedOver) -> Self {
        let after = if carried.side == 0 { "a" } else { "b" };
        Self { benchmark: carried.benchmark.to_string(), after, share: carried.share }
    }
}

#[derive(Serialize)]
struct CompareRowAnswer<'a> {
    benchmark: String,
    metric: &'a str,
    unit: &'a tacho_record::Unit,
    better: tacho_record::Direction,
    verdict: &'static str,
    significant: bool,
    size: &'static str,
    a: Option<f64>,
    b: Option<f64>,
    ratio: Option<f64>,
    interval: Option<(f64, f64)>,
    repeated_interval: Option<(f64, f64)>,
    difference: Option<f64>,
    difference_interval: Option<(f64, f64)>,
    p: Option<f64>,
    estimator: Option<String>,
    second: Option<SecondAnswer>,
    rank_test: RankTestAnswer,
    host_uneven: Option<f64>,
    neighbours_gain: Option<f64>,
    places: Option<f64>,
    between_runs: Option<BetweenAnswer>,
    modes: Option<ModesAnswer>,
    notes: Vec<&'static str>,
    samples: (usize, usize),
    rounds: usize,
    settled: bool,
    precision: Option<PrecisionAnswer>,
    more_rounds: Option<usize>,
    more_seconds: Option<f64>,
    fail_on: Option<&'static str>,
    fail_on_more_rounds: Option<usize>,
    control: Option<f64>,
    control_interval: Option<(f64, f64)>,
    detectable: Option<f64>,
    failure: Option<&'a str>,
    why: Option<String>,
    levels: Option<[CompareLevelsAnswer; 2]>,
    repetition: Option<RepetitionAnswer>,
    limited: [u32; 2],
    limit: Option<&'a str>,
    #[serde(flatten)]
    bounds: Bounds,
}

/// How precisely a ratio was to be known, and is.
#[derive(Serialize)]
struct PrecisionAnswer {
    wanted: f64,
    found: Option<f64>,
    reached: bool,
}

#[derive(Serialize)]
struct CompareLevelsAnswer {
    layouts: usize,
    keep: Option<f64>,
    restart: f64,
    relink: Option<f64>,
    relink_at_most: Option<f64>,
}

impl From<Levels> for CompareLevelsAnswer {
    fn from(levels: Levels) -> Self {
        let Levels { layouts, keep, restart, relink, relink_at_most, .. } = levels;
        Self { layouts, keep, restart, relink, relink_at_most }
    }
}

#[derive(Serialize)]
struct SecondAnswer {
    estimator: String,
    ratio: Option<f64>,
    interval: Option<(f64, f64)>,
    #[serde(flatten)]
    bounds: Bounds,
}

impl SecondAnswer {
    fn of(comparison: &Comparison) -> Option<Self> {
        let second = comparison.second?;
        let Estimate { estimator: by, interval, .. } = second;
        let estimator = estimator(by);
        let mut bounds = Bounds::default();
        let ratio = bounds.of("ratio", second.known_ratio());
        Some(Self { estimator, ratio, interval, bounds })
    }
}

/// A test that knows only which is larger.
#[derive(Debug, PartialEq, Serialize)]
pub struct RankTestAnswer {
    test: &'static str,
    p: f64,
}

impl From<RankTest> for RankTestAnswer {
    fn from(test: RankTest) -> Self {
        match test {
            RankTest::MannWhitney(p) => Self { test: "mann-whitney", p },
            RankTest::Wilcoxon(p) => Self { test: "wilcoxon", p },
        }
    }
}

#[derive(Serialize)]
struct BetweenAnswer {
    deviation: f64,
    assumed: bool,
}

/// The p value. With samples that were cut off it is an upper bound: larger values would make it
/// smaller.
pub fn known_p(comparison: &Comparison) -> Option<BoundedValue> {
    let is_limited = comparison.notes.iter().any(|note| matches!(note, Note::Limited(..)));
    let bound = if is_limited { Bound::AtMost } else { Bound::Exact };
    Some(BoundedValue { value: comparison.estimate?.p, bound })
}

/// The limits of a verdict, in a word each.
pub fn names(comparison: &Comparison) -> Vec<&'static str> {
    comparison.notes.iter().map(Note::name).collect()
}

/// Two modes.
#[derive(Serialize)]
pub struct ModesAnswer {
    a: Option<(f64, f64)>,
    b: Option<(f64, f64)>,
    upper_share_a: f64,
    upper_share_b: f64,
    difference: (f64, f64),
    p: f64,
}

impl From<SharedModes> for ModesAnswer {
    fn from(modes: SharedModes) -> Self {
        let SharedModes { a, b, upper_share_a, upper_share_b, difference, p } = modes;
        Self { a, b, upper_share_a, upper_share_b, difference, p }
    }
}

impl CompareReport<'_> {
    /// All of it.
    pub fn answer(&self) -> CompareAnswer<'_> {
        let all =
            if let ComparisonResult::Measured(all) = self.compared { Some(&**all) } else { None };
        CompareAnswer {
            a: &self.terms.sides[0],
            b: &self.terms.sides[1],
            same_program: matches!(self.compared, ComparisonResult::SameProgram),
            not_built: if let ComparisonResult::NotBuilt { why, .. } = self.compared {
                Some(why)
            } else {
                None
            },
            interrupted: matches!(self.compared, ComparisonResult::Interrupted)
                || all.is_some_and(|all| all.interrupted),
            run: all.filter(|_| self.is_kept).and_then(|all| Some(all.run.as_ref()?.number)),
            seed: all.and_then(|all| Some(all.run.as_ref()?.seed)),
            estimator: self.terms.estimator,
            margin: self.terms.margin,
            executed: [0, 1].map(|side| all.is_some() && self.terms.executes(side)),
            duet: self.terms.duet.map(DuetAnswer::on),
            carry_over: all.and_then(|all| all.carried.as_ref()).map(CarryOverAnswer::from),
            loads: all
                .map_or_else(Vec::new, |all| all.loads.iter().map(LoadAnswer::from).collect()),
            otherwise: &self.terms.otherwise,
            executing: all.and_then(|all| Some(all.executing?.as_secs_f64())),
            family: all.and_then(|all| Family::of(all.together)),
            trade_off: all.is_some_and(|all| has_trade_off(&all.rows)),
            fail_on: self.fail_on_answer(all),
            only_a: &self.lone[0],
            only_b: &self.lone[1],
            rows: all.map_or_else(Vec::new, |all| {
                in_order(&all.rows).into_iter().map(|row| self.row_answer(all, row)).collect()
            }),
        }
    }
}

impl CompareReport<'_> {
    fn row_answer<'a>(&self, all: &ComparisonData, row: &'a ComparedRow) -> CompareRowAnswer<'a> {
        let report = self.worded(all);
        let repetition = report.repetition(row).map(|it| RepetitionAnswer {
            precision: self.terms.margin,
            layouts: it.layouts,
            processes: it.processes,
        });
        let found = row.comparison.estimate.and_then(|estimate| estimate.reach());
        let precision = match self.terms.until {
            StopCondition::Precise(wanted) => Some(PrecisionAnswer {
                wanted,
                found,
                reached: found.is_some_and(|found| found <= wanted),
            }),
            _ => None,
        };
        let status = self.status(row);
        let open = self.fail_on.filter(|_| status == Some(RowAtGate::Open));
        CompareRowAnswer {
            precision,
            repetition,
            why: report.unmeasured(row),
            fail_on: status.map(|status| match status {
                RowAtGate::Slower => "slower",
                RowAtGate::Below => "below",
                RowAtGate::Open => "open",
            }),
            fail_on_more_rounds: open.and_then(|fail_on| Some(fail_on.gate.more(row)?.rounds)),
            ..CompareRowAnswer::from(row)
        }
    }
}

impl<'a> From<&'a ComparedRow> for CompareRowAnswer<'a> {
    fn from(row: &'a ComparedRow) -> Self {
        let Comparison {
            estimate,
            control,
            counts,
            more,
            detectable,
            significant,
            rank_test,
            size,
            choice,
            ..
        } = &row.comparison;
        let mut bounds = Bounds::default();
        Self {
            benchmark: row.benchmark.to_string(),
            metric: &row.metric.name,
            unit: &row.metric.unit,
            better: row.metric.better,
            verdict: word(row.verdict),
            significant: *significant,
            size: match size {
                Size::Within => "within",
                Size::Beyond => "beyond",
                Size::Open => "open",
            },
            a: bounds.of("a", row.sides[0].map(|side| side.known_median())),
            b: bounds.of("b", row.sides[1].map(|side| side.known_median())),
            ratio: bounds.of("ratio", estimate.and_then(|it| it.known_ratio())),
            interval: estimate.and_then(|it| it.interval),
            repeated_interval: estimate.and_then(|it| it.repeated),
            difference: bounds.of("difference", estimate.map(|it| it.known_difference())),
            difference_interval: estimate.and_then(|it| it.difference_interval),
            p: bounds.of("p", known_p(&row.comparison)),
            estimator: estimate.map(|it| estimator(it.estimator)),
            second: SecondAnswer::of(&row.comparison),
            rank_test: RankTestAnswer::from(*rank_test),
            host_uneven: choice.uneven,
            neighbours_gain: choice.gain,
            places: places(&row.comparison),
            between_runs: between_runs(&row.comparison)
                .map(|(deviation, assumed)| BetweenAnswer { deviation, assumed }),
            modes: row.comparison.modes.map(ModesAnswer::from),
            notes: names(&row.comparison),
            samples: (counts.a, counts.b),
            rounds: counts.rounds,
            settled: row.settled,
            precision: None,
            more_rounds: more.map(|more| more.rounds),
            more_seconds: more.map(|more| more.cost(row.round) / 1e9),
            fail_on: None,
            fail_on_more_rounds: None,
            control: bounds.of("control", control.and_then(|it| it.known_ratio())),
            control_interval: control.and_then(|it| it.interval),
            detectable: *detectable,
            failure: row.failure.as_ref().map(|(why, _)| why.as_str()),
            why: None,
            levels: row.levels[0]
                .zip(row.levels[1])
                .map(|(a, b)| [a, b].map(CompareLevelsAnswer::from)),
            repetition: None,
            limited: row.limited.each_ref().map(|side| side.count),
            limit: row.limited.iter().find_map(|side| side.why.as_deref()),
            bounds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_test_is_named() {
        let named = |test: RankTest| serde_json::to_string(&RankTestAnswer::from(test)).unwrap();
        assert_eq!(named(RankTest::MannWhitney(0.25)), r#"{"test":"mann-whitney","p":0.25}"#);
        assert_eq!(named(RankTest::Wilcoxon(1.0)), r#"{"test":"wilcoxon","p":1.0}"#);
    }
}
