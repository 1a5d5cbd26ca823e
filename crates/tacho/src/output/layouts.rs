//! The answer of `tacho layouts`, as text and in JSON.

use serde::Serialize;
use tacho_experiment::build::layouts::{BenchmarkLayouts, LayoutMeasurements, LayoutsResult};
use tacho_record::{Revision, Unit};
use tacho_report::block::{AnswerTable, Block};
use tacho_report::build::log_hint;
use tacho_report::layouts::{
    BAND, LayoutLine, TAKES_ORDER, bands, conclusions, cost, deviations, host_speed, table, unknown,
};
use tacho_report::run::{NOTHING_YET, RESUMES};
use tacho_stats::Summary;
use tacho_stats::levels::Levels;

use super::bounds::Bounds;
use super::{blocks, note, text};

/// How wide the bars of bands are at the most.
const WIDTH: f64 = 40.0;

/// One revision in several layouts.
pub struct LayoutsReport<'a> {
    pub revision: &'a Revision,
    pub linker: &'static str,
    pub laid: &'a LayoutsResult,
    pub precision: f64,
}

/// The answer in JSON; docs/src/formats says what each key means.
#[derive(Serialize)]
pub struct LayoutsAnswer<'a> {
    revision: &'a str,
    linker: &'a str,
    ignored: bool,
    not_built: Option<NotBuilt<'a>>,
    interrupted: bool,
    run: Option<i64>,
    equal: usize,
    build: Option<f64>,
    executing: Option<f64>,
    rows: Vec<LayoutsRowAnswer<'a>>,
}

#[derive(Serialize)]
struct NotBuilt<'a> {
    layout: u32,
    why: &'a str,
}

#[derive(Serialize)]
struct LayoutsRowAnswer<'a> {
    benchmark: String,
    metric: &'a str,
    unit: &'a Unit,
    layouts: Vec<LayoutAnswer>,
    fixed: Vec<FixedAnswer>,
    uneven: Option<f64>,
    mean: Option<f64>,
    interval: Option<(f64, f64)>,
    keep: Option<f64>,
    restart: Option<f64>,
    relink: Option<f64>,
    relink_at_least: Option<f64>,
    relink_at_most: Option<f64>,
    one_stands_for_all: Option<bool>,
    #[serde(rename = "would_tell")]
    would_decide: Option<NeededAnswer>,
    by_chance: Option<f64>,
    execution: f64,
    repetition: Option<RepetitionAnswer>,
    limited: u32,
    limit: Option<&'a str>,
    failure: Option<&'a str>,
}

#[derive(Serialize)]
struct LayoutAnswer {
    layout: u32,
    #[serde(flatten)]
    executions: ExecutionsAnswer,
}

#[derive(Serialize)]
struct FixedAnswer {
    order: &'static str,
    #[serde(flatten)]
    executions: ExecutionsAnswer,
}

/// The executions of a layout.
#[derive(Serialize)]
struct ExecutionsAnswer {
    median: Option<f64>,
    interval: Option<(f64, f64)>,
    spread: Option<f64>,
    samples: usize,
    #[serde(flatten)]
    bounds: Bounds,
}

impl ExecutionsAnswer {
    fn of(summary: Option<Summary>) -> Self {
        let mut bounds = Bounds::default();
        Self {
            median: bounds.of("median", summary.map(|of| of.known_median())),
            interval: summary.and_then(|of| of.interval),
            spread: summary.and_then(|of| of.spread()),
            samples: summary.map_or(0, |of| of.n),
            bounds,
        }
    }
}

/// How often to repeat so that it is known what relinking adds, in JSON.
#[derive(Debug, Serialize)]
pub struct NeededAnswer {
    layouts: u32,
    processes: u32,
}

/// How often to repeat for a precision, in JSON.
#[derive(Debug, Serialize)]
pub struct RepetitionAnswer {
    pub precision: f64,
    pub layouts: u32,
    pub processes: u32,
}

impl LayoutsReport<'_> {
    /// The answer as people read it.
    pub fn text(&self) -> String {
        let name = self.revision.short();
        match self.laid {
            LayoutsResult::Interrupted => format!("{NOTHING_YET}\n"),
            // An error, which is beside the answer.
            LayoutsResult::NotBuilt { .. } => String::new(),
            LayoutsResult::Ignored => {
                format!("all layouts of {name} are the same program: nothing was measured\n")
            }
            LayoutsResult::Measured(rows) => {
                let all: Vec<String> = rows.rows.iter().map(|row| self.row(rows, row)).collect();
                let so_far = rows.interrupted.then(|| format!("\n{RESUMES}\n"));
                format!("{}{}", all.join("\n"), so_far.unwrap_or_default())
            }
        }
    }

    /// Prints failures, and the advice for them.
    pub fn hints(&self) {
        match self.laid {
            LayoutsResult::Ignored => note("hint", TAKES_ORDER),
            LayoutsResult::NotBuilt { layout, why } => {
                let name = self.revision.short();
                note("error", &format!("{name} could not be built in layout {layout}: {why}"));
                note("hint", &log_hint(name));
            }
            LayoutsResult::Measured(rows) if rows.equal > 0 => {
                let layouts = text::count(rows.equal, "layout");
                note(
                    "note",
                    &format!(
                        "{layouts} gave the same program as another layout: only one \
                                       of the equal ones counts"
                    ),
                );
            }
            _ => {}
        }
    }

    fn row(&self, rows: &LayoutMeasurements, row: &BenchmarkLayouts) -> String {
        let heading = format!(
            "{} at {}, {} by {}",
            row.metric.series_of(&row.benchmark),
            self.revision.short(),
            text::count(row.layouts.len(), "layout"),
            self.linker
        );
        let failed = row.failure.as_ref();
        let failed = failed.map(|why| format!("executions failed; the first: {why}"));
        let is_cut_off = row.limited.count > 0;
        let limited = is_cut_off.then(|| text::limited(&row.limited));
        let moved = host_speed(row.uneven);
        let mut blocks = vec![Block::Heading(heading)];
        blocks.extend(failed.into_iter().chain(limited).chain(moved).map(Block::Item));
        let lines = match &row.levels {
            None => vec![unknown(is_cut_off).to_owned()],
            Some(levels) => {
                blocks.push(Block::Table(blocks::drawn(bands(levels), BAND, bars(levels))));
                blocks.push(Block::Table(layouts(row, levels)));
                let cost = cost(rows.build, row.execution);
                conclusions(levels, &row.metric.unit, cost, Some(self.precision))
            }
        };
        blocks.extend(lines.into_iter().map(Block::Item));
        blocks::terminal(&blocks)
    }

    pub fn answer(&self) -> LayoutsAnswer<'_> {
        let measured =
            if let LayoutsResult::Measured(rows) = self.laid { Some(&**rows) } else { None };
        let not_built = match self.laid {
            LayoutsResult::NotBuilt { layout, why } => Some(NotBuilt { layout: *layout, why }),
            _ => None,
        };
        LayoutsAnswer {
            revision: &self.revision.id,
            linker: self.linker,
            ignored: matches!(self.laid, LayoutsResult::Ignored),
            not_built,
            interrupted: measured
                .map_or(matches!(self.laid, LayoutsResult::Interrupted), |rows| rows.interrupted),
            run: measured.map(|rows| rows.run),
            equal: measured.map_or(0, |rows| rows.equal),
            build: measured.map(|rows| rows.build.as_secs_f64()),
            executing: measured.map(|rows| rows.executing.as_secs_f64()),
            rows: measured.map_or_else(Vec::new, |all| {
                all.rows.iter().map(|row| self.row_answer(all, row)).collect()
            }),
        }
    }

    fn row_answer<'a>(
        &self,
        rows: &LayoutMeasurements,
        row: &'a BenchmarkLayouts,
    ) -> LayoutsRowAnswer<'a> {
        let layout = |(number, summary): &(u32, Option<Summary>)| LayoutAnswer {
            layout: *number,
            executions: ExecutionsAnswer::of(*summary),
        };
        let fixed = |(order, summary): &(&'static str, Option<Summary>)| FixedAnswer {
            order,
            executions: ExecutionsAnswer::of(*summary),
        };
        let (levels, cost) = (row.levels, cost(rows.build, row.execution));
        let repetition = levels.and_then(|levels| levels.repetition(self.precision, cost));
        LayoutsRowAnswer {
            benchmark: row.benchmark.to_string(),
            metric: &row.metric.name,
            unit: &row.metric.unit,
            layouts: row.layouts.iter().map(layout).collect(),
            fixed: row.fixed.iter().map(fixed).collect(),
            uneven: row.uneven,
            mean: levels.map(|levels| levels.mean),
            interval: levels.and_then(|levels| levels.interval),
            keep: levels.and_then(|levels| levels.keep),
            restart: levels.map(|levels| levels.restart),
            relink: levels.and_then(|levels| levels.relink),
            relink_at_least: levels.and_then(|levels| levels.relink_at_least),
            relink_at_most: levels.and_then(|levels| levels.relink_at_most),
            one_stands_for_all: levels.map(|levels| levels.one_represents_all()),
            would_decide: levels
                .and_then(|levels| levels.would_decide(cost))
                .map(|it| NeededAnswer { layouts: it.layouts, processes: it.processes }),
            by_chance: levels.and_then(|levels| levels.by_chance()),
            execution: row.execution,
            repetition: repetition.map(|it| RepetitionAnswer {
                precision: self.precision,
                layouts: it.layouts,
                processes: it.processes,
            }),
            limited: row.limited.count,
            limit: row.limited.why.as_deref(),
            failure: row.failure.as_deref(),
        }
    }
}

/// Keep, restart, relink as bars: how far one value is off by each.
fn bars(levels: &Levels) -> impl Iterator<Item = String> {
    let all = deviations(levels);
    let widest = all.into_iter().flatten().fold(f64::MIN_POSITIVE, f64::max);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most WIDTH
    let bar = move |sd: f64| "█".repeat((WIDTH * sd / widest).round() as usize);
    all.into_iter().map(move |sd| sd.map_or_else(String::new, bar))
}

/// Each layout, and how far it is from the mean of all.
fn layouts(row: &BenchmarkLayouts, levels: &Levels) -> AnswerTable {
    let line = |(name, summary): (String, Option<Summary>)| LayoutLine {
        name,
        summary,
        failed: 0,
        artifact: String::new(),
    };
    let shuffled = row.layouts.iter().map(|(number, summary)| (number.to_string(), *summary));
    let fixed = row.fixed.iter().map(|(name, summary)| ((*name).to_owned(), *summary));
    let lines: Vec<LayoutLine> = shuffled.chain(fixed).map(line).collect();
    table(&lines, &row.metric.unit, Some(levels))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tacho_record::{BenchmarkKey, LimitedExecutions, Metric};

    use super::*;

    #[test]
    fn a_host_whose_speed_moved_is_reported() {
        let row = |uneven| BenchmarkLayouts {
            benchmark: BenchmarkKey::plain("parts"),
            metric: Metric::built_in("wall").unwrap(),
            uneven,
            layouts: vec![(1, None), (2, None)],
            fixed: Vec::new(),
            levels: None,
            execution: 1.0,
            limited: LimitedExecutions::default(),
            failure: None,
        };
        let text = |uneven| {
            let laid = LayoutsResult::Measured(Box::new(LayoutMeasurements {
                run: 1,
                interrupted: false,
                equal: 0,
                build: Duration::ZERO,
                executing: Duration::ZERO,
                rows: vec![row(uneven)],
            }));
            let revision = &Revision::bare("abc");
            LayoutsReport { revision, linker: "mold", laid: &laid, precision: 0.01 }.text()
        };
        let moved = text(Some(0.12));
        let line = "the host's speed moved by 12 %; values are corrected to the host's usual speed \
                    in this run: that of another run may differ by more than the interval";
        let moved = moved.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(moved.contains(line), "{moved}");
        assert!(!text(None).contains("speed"));
    }
}
