//! One source linked in several orders: what follows from it, in words.

use std::time::Duration;

use tacho_record::{SeriesKey, Unit};
use tacho_stats::Summary;
use tacho_stats::levels::{Levels, Repetition};

use crate::block::{AnswerCell, AnswerTable, Block};
use crate::series::uneven;
use crate::summary::SummaryText;
use crate::words::{count, effect, effect_interval, executions, percent, precision};

/// The requirement on a build whose layouts differ.
pub const TAKES_ORDER: &str = "the build must pass LDFLAGS (or RUSTFLAGS) to the linker, such as \
    `build = 'make CC=\"cc $LDFLAGS\"'`, or link in the order of TACHO_LAYOUT";
/// The meaning of the second band's name, for answers without a table.
const RESTARTING: &str = "restarting (executing the same build again)";
/// The column of [`bands`] that a medium may draw.
pub const BAND: usize = 2;
/// The column of [`table`] with the intervals.
const INTERVAL: usize = 3;

/// The levels, and what differs at each beyond the one before.
pub const BANDS: [(&str, &str); 3] = [
    ("keep", "values of one execution"),
    ("restart", "executions of one build (additional variation)"),
    ("relink", "builds of one source (additional variation)"),
];

/// The standard deviation of each of [`BANDS`], as far as it is known.
#[must_use]
pub fn deviations(levels: &Levels) -> [Option<f64>; 3] {
    [levels.keep, Some(levels.restart), levels.relink]
}

/// Why nothing can be said of the levels.
#[must_use]
pub fn unknown(is_cut_off: bool) -> &'static str {
    if is_cut_off {
        "the levels are unknown: executions that reached a limit hide how far values differ"
    } else {
        "the levels are unknown: no build has two executions that count, or a value is 0 or \
         negative"
    }
}

/// Says that values are at the usual speed of a host whose speed moved by this share, and the
/// consequence for the overall mean; `None` if the speed moved little.
#[must_use]
pub fn host_speed(by: Option<f64>) -> Option<String> {
    let moved = uneven(by, "values")?;
    Some(format!("{moved} in this run: that of another run may differ by more than the interval"))
}

/// How many executions a build takes as long as, at least one; an execution takes that many
/// seconds.
#[must_use]
pub fn cost(build: Duration, execution: f64) -> f64 {
    if execution > 0.0 { (build.as_secs_f64() / execution).max(1.0) } else { 1.0 }
}

/// The shares between which 95 % of values with this standard deviation differ. Their logarithms
/// are symmetric; no value is lower by more than 100 %.
#[must_use]
pub fn within(deviation: f64) -> (f64, f64) {
    ((-1.96 * deviation).exp_m1(), (1.96 * deviation).exp_m1())
}

/// The variance of each level, one a row.
#[must_use]
pub fn bands(levels: &Levels) -> AnswerTable {
    let row = |((name, what), deviation): ((&str, &str), Option<f64>)| {
        let band = deviation.map_or_else(String::new, |it| effect_interval(within(it)));
        let deviation = deviation.map_or_else(|| "–".to_owned(), percent);
        [name.to_owned(), deviation, band, what.to_owned()].map(AnswerCell::from).into()
    };
    let rows = BANDS.into_iter().zip(deviations(levels)).map(row).collect();
    let table = AnswerTable::of(&["band", "sd", "95 % within", "what differs"], &(1..3), rows);
    AnswerTable { spare: vec![table.columns.len() - 1], ..table }
}

/// All three in a line; where relinking does not differ significantly from restarting, at most how
/// much it adds: `restart 0.4 %, relink at most 1.2 %`.
#[must_use]
pub fn short(levels: &Levels) -> String {
    let shown = |(name, deviation): (&str, f64)| match levels.relink_at_most {
        Some(bound) if name == BANDS[2].0 && bound > 0.0 && !levels.is_detected() => {
            format!("{name} at most {}", percent(bound))
        }
        _ => format!("{name} {}", percent(deviation)),
    };
    let known = BANDS.iter().zip(deviations(levels)).filter_map(|(band, sd)| Some((band.0, sd?)));
    known.map(shown).collect::<Vec<_>>().join(", ")
}

/// The measurements of a layout.
#[derive(Clone, Debug)]
pub struct LayoutLine {
    /// Its number, or the name of its order.
    pub name: String,
    /// The summary of its executions; `None` if none counted.
    pub summary: Option<Summary>,
    /// How many of them failed.
    pub failed: usize,
    /// The name of what was built, in short; may be empty.
    pub artifact: String,
}

/// Each layout, and how far its median is from the mean of the shuffled ones.
#[must_use]
pub fn table(lines: &[LayoutLine], unit: &Unit, levels: Option<&Levels>) -> AnswerTable {
    let heads = ["layout", "n", "median", "95 %", "spread", "to the mean", "failed", "artifacts"];
    let row = |line: &LayoutLine| {
        let text = SummaryText::of(unit, line.summary.as_ref());
        let to_mean =
            line.summary.zip(levels).map(|(of, levels)| effect(of.median / levels.mean - 1.0));
        [
            line.name.clone(),
            line.summary.map_or(0, |of| of.n).to_string(),
            text.median,
            text.interval,
            text.spread,
            to_mean.unwrap_or_default(),
            if line.failed > 0 { line.failed.to_string() } else { String::new() },
            line.artifact.clone(),
        ]
        .map(AnswerCell::from)
        .into()
    };
    let table = AnswerTable::of(&heads, &(0..7), lines.iter().map(row).collect());
    AnswerTable { spare: vec![INTERVAL], ..table }
}

/// The conclusions from the levels, in clauses. `cost` is the duration of a build in executions;
/// `wanted` is the precision for which the number of repetitions is given.
#[must_use]
pub fn conclusions(levels: &Levels, unit: &Unit, cost: f64, wanted: Option<f64>) -> Vec<String> {
    let mean = levels.interval.map(|(low, high)| {
        let [mean, low, high] = [levels.mean, low, high].map(|value| unit.show(value));
        let layouts = count(levels.layouts, "layout");
        format!("mean {mean}, 95 % interval {low} … {high} from {layouts} (more layouts narrow it)")
    });
    let repetition = wanted.and_then(|wanted| repetition(levels, cost, wanted));
    let all = [mean, by_chance(levels), relinking(levels, cost), repetition];
    all.into_iter().flatten().collect()
}

/// The levels of a series that was measured over layouts, and the number of repetitions for a mean
/// with precision `wanted`.
#[must_use]
pub fn of_series(key: &SeriesKey, levels: &Levels, cost: f64, wanted: f64) -> Vec<Block> {
    let (benchmark, metric) = (&key.benchmark, &key.metric.name);
    let layouts = count(levels.layouts, "layout");
    let chance = by_chance(levels).map_or_else(String::new, |clause| format!("; {clause}"));
    let line =
        format!("{benchmark} {metric}, medians over up to {layouts}: {}{chance}", short(levels));
    let more = repetition(levels, cost, wanted).or_else(|| too_noisy(levels, cost));
    [Block::Sentence(line)].into_iter().chain(more.map(Block::Item)).collect()
}

/// Says that there is too much noise to distinguish relinking from restarting, if so.
fn too_noisy(levels: &Levels, cost: f64) -> Option<String> {
    let more = levels.is_too_noisy().then(|| levels.would_decide(cost))?;
    let more = more.map_or_else(String::new, |it| {
        let layouts = count(it.layouts as usize, "layout");
        format!("; {layouts} of {} executions each would probably be enough", it.processes)
    });
    Some(format!("too noisy to distinguish relinking from {RESTARTING}{more}"))
}

/// By how much two builds of one source differ by chance.
#[must_use]
pub fn by_chance(levels: &Levels) -> Option<String> {
    let chance = levels.by_chance().filter(|chance| *chance > 0.0).map(percent)?;
    Some(format!("by layout alone, two builds differ by more than {chance} in one of twenty cases"))
}

/// How often to repeat for a mean that is known that precisely.
#[must_use]
pub fn repetition(levels: &Levels, cost: f64, wanted: f64) -> Option<String> {
    let repetition = levels.repetition(wanted, cost)?;
    let layouts = count(repetition.layouts as usize, "layout");
    let (wanted, each) = (precision(wanted), executions(repetition));
    let plural = if cost.round() == 1.0 { "" } else { "s" };
    Some(format!(
        "for {wanted}: {layouts}, {each} each (the cheapest way: a build takes as long as \
         {cost:.0} execution{plural})"
    ))
}

/// The bound on relinking if it does not differ significantly from restarting.
fn relinking(levels: &Levels, cost: f64) -> Option<String> {
    let bound = levels.relink_at_most.filter(|_| !levels.is_detected()).map(percent)?;
    if levels.one_represents_all() {
        return Some(format!(
            "relinking cannot be distinguished from {RESTARTING}: relinking adds at most {bound} \
             (95 % confidence), so one build represents all"
        ));
    }
    let more = levels.would_decide(cost).map_or_else(
        || "no reasonable number of executions would be enough".to_owned(),
        |Repetition { layouts, processes }| {
            let of = count(layouts as usize, "layout");
            format!(
                "{of} of {processes} executions each would probably be enough \
                 (`-n {layouts} -r {processes}`)"
            )
        },
    );
    Some(format!(
        "too noisy to distinguish relinking from {RESTARTING}: relinking adds at most {bound} \
         (95 % confidence); {more}"
    ))
}

/// The advice for a more precise mean, if relinking and restarting differ significantly.
#[must_use]
pub fn advice(levels: &Levels) -> &'static str {
    match levels.relink {
        None => "one layout does not show how far layouts differ",
        Some(_) if !levels.is_detected() => "",
        Some(relink) if relink > levels.restart => {
            "relinking varies the metric more than restarting, so only more layouts make the mean \
             more precise; a small difference between two builds may come from layout, not from \
             code"
        }
        Some(_) => {
            "restarting varies the metric more than relinking, so more executions make the mean \
             more precise; a small difference between two builds may still come from layout, not \
             from code"
        }
    }
}
