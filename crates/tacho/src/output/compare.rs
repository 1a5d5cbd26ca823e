//! What `tacho compare` answers: as text, in Markdown, and in JSON.

use std::time::Duration;

use serde::Serialize;
use tacho_experiment::compare::{Compared, Row, Rows};
use tacho_record::Revision;
use tacho_stats::Summary;
use tacho_stats::compare::{Comparison, Estimate, Verdict};

use super::bench::{factor, word};
use super::{table, text};

/// Two revisions beside one another.
pub struct Report<'a> {
    /// As they were typed.
    pub names: [&'a str; 2],
    pub sides: &'a [Revision; 2],
    pub compared: &'a Compared,
    /// Up to which difference two are called the same, as a share.
    pub margin: f64,
}

/// The answer in JSON; docs/formats.md says what each key means.
#[derive(Serialize)]
pub struct CompareAnswer<'a> {
    a: &'a str,
    b: &'a str,
    same_program: bool,
    not_built: Option<&'a str>,
    interrupted: bool,
    run: Option<i64>,
    seed: Option<u64>,
    margin: f64,
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
    samples: (usize, usize),
    rounds: usize,
    more_rounds: Option<usize>,
    more_seconds: Option<f64>,
    control: Option<f64>,
    control_interval: Option<(f64, f64)>,
    detectable: Option<f64>,
    failure: Option<&'a str>,
}

impl Report<'_> {
    /// The answer as people read it.
    pub fn text(&self) -> String {
        let [a, b] = self.names;
        match self.compared {
            Compared::Interrupted => "interrupted before anything was measured\n".to_owned(),
            Compared::SameProgram => {
                format!("{a} and {b} built to the same artifacts: they are the same program\n")
            }
            Compared::NotBuilt { revision, why } => format!("{revision} cannot be compared: {why}\n"),
            Compared::Measured(all) => {
                let interrupted =
                    if all.interrupted { "interrupted: this is what was measured so far\n" } else { "" };
                format!("{b} against {a}\n\n{}\n{interrupted}{}", self.table(all), summary(all))
            }
        }
    }

    fn table(&self, all: &Rows) -> String {
        let [a, b] = self.names;
        let head = ["benchmark", "metric", "n", a, b, "ratio", "95 %", "control", "verdict"];
        let mut list = table::plain(&head, &[2, 3, 4, 5, 6, 7]);
        for row in &all.rows {
            list.add_row(self.cells(row));
        }
        table::hide_empty_columns(&mut list);
        table::indent(&table::render(&list))
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let Comparison { estimate, control, counts, .. } = &row.comparison;
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
            ratio(control).map_or_else(String::new, |ratio| format!("× {}", factor(ratio))),
            self.verdict(row),
        ]
    }

    /// The word, and what would settle one that is unclear.
    fn verdict(&self, row: &Row) -> String {
        if let Some((why, revision)) = row.failure.as_ref().filter(|_| row.sides.iter().any(Option::is_none))
        {
            return format!("failed at {} ({why})", self.name_of(revision));
        }
        match (row.verdict, row.comparison.more) {
            (Verdict::Same, _) => format!("same, within {}", text::precision(self.margin)),
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

    fn name_of(&self, revision: &str) -> &str {
        let at = self.sides.iter().position(|side| side.id == revision);
        at.map_or("?", |at| self.names[at])
    }

    /// A table for a pull request.
    pub fn markdown(&self) -> String {
        let Compared::Measured(all) = self.compared else { return self.text() };
        let [a, b] = self.names;
        let mut out = format!(
            "| benchmark | metric | {a} | {b} | ratio | 95 % | control | verdict |\n|:---|:---|---:|---:|---:|---:|---:|:---|\n"
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
            a: &self.sides[0].id,
            b: &self.sides[1].id,
            same_program: matches!(self.compared, Compared::SameProgram),
            not_built: if let Compared::NotBuilt { why, .. } = self.compared { Some(why) } else { None },
            interrupted: matches!(self.compared, Compared::Interrupted)
                || all.is_some_and(|all| all.interrupted),
            run: all.map(|all| all.run),
            seed: all.map(|all| all.seed),
            margin: self.margin,
            executing: all.map(|all| all.executing.as_secs_f64()),
            rows: all.map_or_else(Vec::new, |all| all.rows.iter().map(RowAnswer::from).collect()),
        }
    }
}

impl<'a> From<&'a Row> for RowAnswer<'a> {
    fn from(row: &'a Row) -> Self {
        let Comparison { estimate, control, counts, more, detectable, significant, .. } = &row.comparison;
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
            samples: (counts.a, counts.b),
            rounds: counts.rounds,
            more_rounds: more.map(|more| more.rounds),
            more_seconds: more.map(|more| more.cost(row.round) / 1e9),
            control: control.and_then(|it| it.ratio),
            control_interval: control.and_then(|it| it.interval),
            detectable: *detectable,
            failure: row.failure.as_ref().map(|(why, _)| why.as_str()),
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
    format!(
        "{}{seen}\nrun {}, {} executing, seed {}\n",
        told.collect::<Vec<_>>().join(", "),
        all.run,
        text::duration(all.executing),
        all.seed
    )
}

fn interval((low, high): (f64, f64)) -> String {
    format!("{} … {}", factor(low), factor(high))
}
