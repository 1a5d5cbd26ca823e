//! What `tacho compare` answers: as text, in Markdown, and in JSON.

use std::time::Duration;

use serde::Serialize;
use tacho_experiment::compare::{Compared, Row, Rows};
use tacho_record::{Comparing, Side};
use tacho_stats::Summary;
use tacho_stats::compare::{Comparison, Estimate, Estimator, Modes, Note, Verdict};
use tacho_stats::levels::{Levels, Repetition};

use super::bench::{estimator, factor, word};
use super::layouts::RepetitionAnswer;
use super::{table, text};
use crate::output;

/// More rounds than this are given as a number to nobody.
const MOST_MORE: usize = 1000;
/// How wide the name of a side may be where there is little room.
const NAME: usize = 20;
/// From this gain on pairing is told of.
const PAIRING: f64 = 1.5;

/// Two programs beside one another.
pub struct Report<'a> {
    pub terms: &'a Comparing,
    /// What each was taken for.
    pub told: [String; 2],
    pub compared: &'a Compared,
    /// How long a build took, where there are several of a side.
    pub build: Option<Duration>,
    /// What differs between the hosts or conditions of both, which the user let pass.
    pub otherwise: Vec<String>,
}

/// The answer in JSON; docs/formats.md says what each key means.
#[derive(Serialize)]
pub struct CompareAnswer<'a> {
    a: &'a Side,
    b: &'a Side,
    same_program: bool,
    not_built: Option<&'a str>,
    interrupted: bool,
    run: Option<i64>,
    seed: Option<u64>,
    margin: f64,
    executed: [bool; 2],
    otherwise: &'a [String],
    executing: Option<f64>,
    rows: Vec<RowAnswer<'a>>,
}

#[derive(Serialize)]
struct RowAnswer<'a> {
    benchmark: String,
    metric: &'a str,
    unit: &'a tacho_record::Unit,
    better: tacho_record::Direction,
    verdict: &'static str,
    significant: bool,
    a: Option<f64>,
    b: Option<f64>,
    ratio: Option<f64>,
    interval: Option<(f64, f64)>,
    p: Option<f64>,
    estimator: Option<String>,
    second: Option<SecondAnswer>,
    pairing_gain: Option<f64>,
    between_runs: Option<BetweenAnswer>,
    modes: Option<ModesAnswer>,
    samples: (usize, usize),
    rounds: usize,
    settled: bool,
    more_rounds: Option<usize>,
    more_seconds: Option<f64>,
    control: Option<f64>,
    control_interval: Option<(f64, f64)>,
    detectable: Option<f64>,
    failure: Option<&'a str>,
    levels: Option<[LevelsAnswer; 2]>,
    repetition: Option<RepetitionAnswer>,
}

#[derive(Serialize)]
struct LevelsAnswer {
    layouts: usize,
    keep: Option<f64>,
    restart: f64,
    relink: Option<f64>,
}

impl From<Levels> for LevelsAnswer {
    fn from(levels: Levels) -> Self {
        let Levels { layouts, keep, restart, relink, .. } = levels;
        Self { layouts, keep, restart, relink }
    }
}

#[derive(Serialize)]
struct SecondAnswer {
    estimator: String,
    ratio: Option<f64>,
    interval: Option<(f64, f64)>,
}

impl From<Estimate> for SecondAnswer {
    fn from(second: Estimate) -> Self {
        let Estimate { ratio, interval, .. } = second;
        Self { estimator: estimator(second.estimator), ratio, interval }
    }
}

#[derive(Serialize)]
struct BetweenAnswer {
    deviation: f64,
    assumed: bool,
}

/// What runs of one program differ by, where the sides are of several.
fn between_runs(comparison: &Comparison) -> Option<BetweenAnswer> {
    comparison.notes.iter().find_map(|note| match *note {
        Note::BetweenRuns { deviation, assumed } => Some(BetweenAnswer { deviation, assumed }),
        _ => None,
    })
}

#[derive(Serialize)]
struct ModesAnswer {
    a: Option<(f64, f64)>,
    b: Option<(f64, f64)>,
    upper_share_a: f64,
    upper_share_b: f64,
    p: f64,
}

impl From<Modes> for ModesAnswer {
    fn from(modes: Modes) -> Self {
        let Modes { a, b, upper_share_a, upper_share_b, p } = modes;
        Self { a, b, upper_share_a, upper_share_b, p }
    }
}

impl Report<'_> {
    /// The answer as people read it.
    pub fn text(&self) -> String {
        let [a, b] = &self.told;
        match self.compared {
            Compared::Interrupted => "interrupted before anything was measured\n".to_owned(),
            Compared::SameProgram => {
                format!("{a} and {b} built to the same artifacts: they are the same program\n")
            }
            Compared::NotBuilt { side, why } => format!("{side} cannot be compared: {why}\n"),
            Compared::Measured(all) => {
                let interrupted = if all.interrupted {
                    "interrupted: this is what was measured so far, the same command goes on\n"
                } else {
                    ""
                };
                let notes = notes(all) + &self.of_several_runs(all) + &self.levels(all);
                format!("{b} against {a}\n\n{}\n{notes}{interrupted}{}", self.table(all), summary(all))
            }
        }
    }

    fn table(&self, all: &Rows) -> String {
        let [a, b] = self.names();
        let head = ["benchmark", "metric", "n", a, b, "ratio", "95 %", "of", "also", "control", "verdict"];
        let mut list = table::plain(&head, &[2, 3, 4, 5, 6, 9]);
        for row in &all.rows {
            list.add_row(self.cells(row));
        }
        table::hide_empty_columns(&mut list);
        let table = table::indent(&table::render(&list));
        let widest = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        if output::terminal_width().is_some_and(|width| widest > width) { self.listed(all) } else { table }
    }

    /// The rows where the table has no room: some lines each.
    fn listed(&self, all: &Rows) -> String {
        let names = self.names().map(|name| text::cut(name, NAME));
        let mut out = String::new();
        for row in &all.rows {
            let [benchmark, metric, rounds, a, b, ratio, interval, of, also, control, verdict] =
                <[String; 11]>::try_from(self.cells(row)).unwrap_or_default();
            out += &format!("{benchmark} {metric}: {verdict}\n");
            let told = [ratio, interval, of].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>();
            let also = if also.is_empty() { also } else { format!("also {also}") };
            let control = if control.is_empty() { control } else { format!("control {control}") };
            let sides = format!("{}: {a}, {}: {b}, n {rounds}", names[0], names[1]);
            for line in [told.join("  "), sides, also, control] {
                out += &if line.is_empty() { line } else { format!("  {line}\n") };
            }
        }
        out
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let Comparison { estimate, second, control, counts, .. } = &row.comparison;
        let median = |side: &Option<Summary>| {
            side.as_ref().map_or_else(String::new, |summary| text::median(&row.metric.unit, summary))
        };
        let ratio = |estimate: &Option<Estimate>| estimate.and_then(|it| it.ratio);
        vec![
            row.benchmark.to_string(),
            row.metric.name.clone(),
            counts.rounds.to_string(),
            median(&row.sides[0]),
            median(&row.sides[1]),
            ratio(estimate).map_or_else(String::new, |ratio| format!("× {}", factor(ratio))),
            estimate.and_then(|it| it.interval).map_or_else(String::new, interval),
            estimate.map_or_else(String::new, |it| of(it.estimator).to_owned()),
            second
                .and_then(|it| Some(format!("× {} of {}", factor(it.ratio?), of(it.estimator))))
                .unwrap_or_default(),
            ratio(control).map_or_else(String::new, |ratio| format!("× {}", factor(ratio))),
            self.verdict(row),
        ]
    }

    /// The word, and what would settle one that is unclear.
    fn verdict(&self, row: &Row) -> String {
        if let Some((why, side)) = row.failure.as_ref().filter(|_| row.sides.iter().any(Option::is_none)) {
            return format!("failed at {} ({why})", self.names()[*side]);
        }
        let comparison = &row.comparison;
        if let (Verdict::Unclear, Some(more), [Some(levels), _]) = (row.verdict, comparison.more, row.levels)
        {
            // More executions of the same builds would not.
            let rounds = comparison.counts.rounds.max(1) as f64;
            let layouts = levels.layouts as f64 * (1.0 + more.rounds as f64 / rounds);
            return format!("unclear: some {:.0} layouts would settle it", layouts.ceil());
        }
        match (row.verdict, comparison.more) {
            (Verdict::Same, _) => format!("same, within {}", text::precision(self.terms.margin)),
            (Verdict::Unclear, Some(more)) if more.rounds > MOST_MORE => {
                format!("unclear: over {MOST_MORE} more rounds would be needed")
            }
            (Verdict::Unclear, Some(more)) => {
                let time = Duration::try_from_secs_f64(more.cost(row.round) / 1e9).unwrap_or(Duration::MAX);
                format!(
                    "unclear: {} ({}) would settle it",
                    text::count(more.rounds, "more round"),
                    text::duration(time)
                )
            }
            (verdict, _) => word(verdict).to_owned(),
        }
    }

    /// That what is compared is not of one run, and what that costs.
    fn of_several_runs(&self, all: &Rows) -> String {
        let found = all.rows.iter().filter_map(|row| between_runs(&row.comparison));
        let Some(most) = found.max_by(|one, other| one.deviation.total_cmp(&other.deviation)) else {
            return String::new();
        };
        let names = self.names();
        let kept: Vec<&str> =
            (0..2).filter(|side| !self.terms.executes(*side)).map(|side| names[side]).collect();
        let from = if most.assumed {
            "assumed, as too little is known of this host"
        } else {
            "as earlier runs show"
        };
        let mut out = format!(
            "not measured today: {}; the interval has in it what runs of one program differ by (up to {}, {from})\n",
            kept.join(" and "),
            text::percent(most.deviation)
        );
        for otherwise in &self.otherwise {
            out += &format!("not alike: {otherwise}\n");
        }
        out
    }

    /// What each level adds, and how often to repeat.
    fn levels(&self, all: &Rows) -> String {
        let mut out = String::new();
        for row in &all.rows {
            let [Some(a), Some(b)] = row.levels else { continue };
            let of = |levels: Levels| {
                let relink = levels.relink.map_or_else(|| "–".to_owned(), text::percent);
                format!("relink {relink}, restart {}", text::percent(levels.restart))
            };
            let [first, second] = self.names();
            out += &format!(
                "{} {}, by {} layouts: {first}: {}; {second}: {}\n",
                row.benchmark,
                row.metric.name,
                a.layouts.min(b.layouts),
                of(a),
                of(b)
            );
            if let Some(repetition) = self.repetition(row) {
                out += &format!(
                    "  each mean would be known to {} by {}, {} each\n",
                    text::precision(self.terms.margin),
                    text::count(repetition.layouts as usize, "layout"),
                    text::count(repetition.processes as usize, "execution"),
                );
            }
        }
        out
    }

    /// How often to repeat at each level so that the mean of the side that varies more is known to the margin.
    fn repetition(&self, row: &Row) -> Option<Repetition> {
        let [Some(a), Some(b)] = row.levels else { return None };
        let execution = row.round / (2 * a.layouts + b.layouts) as f64 / 1e9;
        let cost = self.build?.as_secs_f64() / execution.max(f64::MIN_POSITIVE);
        let worst = if a.means >= b.means { a } else { b };
        worst.repetition(self.terms.margin, cost)
    }

    fn names(&self) -> [&str; 2] {
        self.terms.sides.each_ref().map(|side| side.name.as_str())
    }

    /// A table for a pull request.
    pub fn markdown(&self) -> String {
        let Compared::Measured(all) = self.compared else { return self.text() };
        let [a, b] = self.names();
        let mut out = format!(
            "| benchmark | metric | {a} | {b} | ratio | 95 % | of | also | control | verdict |\n|:---|:---|---:|---:|---:|---:|:---|:---|---:|:---|\n"
        );
        for row in &all.rows {
            let mut cells = self.cells(row);
            cells.remove(2);
            let cells: Vec<String> = cells.into_iter().map(|cell| cell.replace('|', "\\|")).collect();
            out += &format!("| {} |\n", cells.join(" | "));
        }
        out + "\n" + &summary(all)
    }

    /// All of it.
    pub fn answer(&self) -> CompareAnswer<'_> {
        let all = if let Compared::Measured(all) = self.compared { Some(&**all) } else { None };
        CompareAnswer {
            a: &self.terms.sides[0],
            b: &self.terms.sides[1],
            same_program: matches!(self.compared, Compared::SameProgram),
            not_built: if let Compared::NotBuilt { why, .. } = self.compared { Some(why) } else { None },
            interrupted: matches!(self.compared, Compared::Interrupted)
                || all.is_some_and(|all| all.interrupted),
            run: all.and_then(|all| Some(all.run.as_ref()?.number)),
            seed: all.and_then(|all| Some(all.run.as_ref()?.seed)),
            margin: self.terms.margin,
            executed: [self.terms.executes(0), self.terms.executes(1)],
            otherwise: &self.otherwise,
            executing: all.and_then(|all| Some(all.executing?.as_secs_f64())),
            rows: all.map_or_else(Vec::new, |all| all.rows.iter().map(|row| self.row_answer(row)).collect()),
        }
    }
}

impl Report<'_> {
    fn row_answer<'a>(&self, row: &'a Row) -> RowAnswer<'a> {
        let repetition = self.repetition(row).map(|it| RepetitionAnswer {
            precision: self.terms.margin,
            layouts: it.layouts,
            processes: it.processes,
        });
        RowAnswer { repetition, ..RowAnswer::from(row) }
    }
}

impl<'a> From<&'a Row> for RowAnswer<'a> {
    fn from(row: &'a Row) -> Self {
        let Comparison { estimate, second, control, counts, more, detectable, significant, .. } =
            &row.comparison;
        Self {
            benchmark: row.benchmark.to_string(),
            metric: &row.metric.name,
            unit: &row.metric.unit,
            better: row.metric.better,
            verdict: word(row.verdict),
            significant: *significant,
            a: row.sides[0].map(|side| side.median),
            b: row.sides[1].map(|side| side.median),
            ratio: estimate.and_then(|it| it.ratio),
            interval: estimate.and_then(|it| it.interval),
            p: estimate.map(|it| it.p),
            estimator: estimate.map(|it| estimator(it.estimator)),
            second: second.map(SecondAnswer::from),
            pairing_gain: row.comparison.choice.pairing_gain,
            between_runs: between_runs(&row.comparison),
            modes: row.comparison.modes.map(ModesAnswer::from),
            samples: (counts.a, counts.b),
            rounds: counts.rounds,
            settled: row.settled,
            more_rounds: more.map(|more| more.rounds),
            more_seconds: more.map(|more| more.cost(row.round) / 1e9),
            control: control.and_then(|it| it.ratio),
            control_interval: control.and_then(|it| it.interval),
            detectable: *detectable,
            failure: row.failure.as_ref().map(|(why, _)| why.as_str()),
            levels: row.levels[0].zip(row.levels[1]).map(|(a, b)| [a, b].map(LevelsAnswer::from)),
            repetition: None,
        }
    }
}

/// How many of each, and what the run could have seen.
fn summary(all: &Rows) -> String {
    let words = [Verdict::Slower, Verdict::Faster, Verdict::Same, Verdict::Unclear];
    let count = |verdict: Verdict| all.rows.iter().filter(|row| row.verdict == verdict).count();
    let told = words.into_iter().filter(|it| count(*it) > 0).map(|it| format!("{} {}", count(it), word(it)));
    let seen = all.rows.iter().filter_map(|row| row.comparison.detectable).fold(0.0, f64::max);
    let seen = if seen > 0.0 {
        format!("; a difference of {} would have been told with a chance of 80 %", text::percent(seen))
    } else {
        String::new()
    };
    let run = all.run.as_ref().map_or_else(String::new, |run| {
        let executing =
            all.executing.map_or_else(String::new, |it| format!("{} executing, ", text::duration(it)));
        format!("run {}, {executing}seed {}\n", run.number, run.seed)
    });
    format!("{}{seen}\n{run}", told.collect::<Vec<_>>().join(", "))
}

/// What a ratio is of, in a word.
fn of(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::RoundRatios => "rounds",
        Estimator::AllRatios => "all pairs",
        Estimator::Median => "medians",
        Estimator::Mean => "means",
        Estimator::Minimum => "minima",
        Estimator::LowDecile => "tenth percentiles",
        Estimator::Runs => "runs",
    }
}

/// What should be said of rows beside their numbers.
fn notes(all: &Rows) -> String {
    let mut out = String::new();
    for row in &all.rows {
        let name = format!("{} {}", row.benchmark, row.metric.name);
        if let Some(modes) = &row.comparison.modes {
            let shares = [modes.upper_share_a, modes.upper_share_b].map(text::percent);
            let at = modes.a.or(modes.b).map_or_else(String::new, |(low, high)| {
                format!(", around {} and {}", row.metric.unit.show(low), row.metric.unit.show(high))
            });
            let differ = if modes.p <= 0.05 { "they differ for certain" } else { "no certain difference" };
            out += &format!(
                "{name}: two modes{at}: {} of A and {} of B in the upper one ({differ})\n",
                shares[0], shares[1]
            );
        }
        if let Some(gain) =
            row.comparison.choice.pairing_gain.filter(|gain| *gain >= PAIRING && gain.is_finite())
        {
            out += &format!(
                "{name}: without pairing by rounds {gain:.1} times as many would have been needed\n"
            );
        }
    }
    out
}

fn interval((low, high): (f64, f64)) -> String {
    format!("{} … {}", factor(low), factor(high))
}
