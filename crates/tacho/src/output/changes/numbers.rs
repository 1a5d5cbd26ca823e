//! The changes in numbers from files.

use serde::Serialize;
use tacho_experiment::changes::{ChangeFilter, Difference, JudgedGiven, kind_of, verdict};
use tacho_record::numbers::NumbersShape;
use tacho_record::{ChangeKind, ChangeVerdict, Direction, Unit};
use tacho_report::block::{AnswerCell, AnswerTable, Block};
use tacho_report::change_list::ChangeCounts;
use tacho_report::detection::{self, BY_CHANCE};
use tacho_report::series::better;
use tacho_report::words::{effect, effect_interval};
use tacho_stats::changes::{DetectedChange, Drift, Kind, Refusal};

use super::history::HistoryAnswer;
use crate::output::answer::{VersionedAnswer, versioned};
use crate::output::{blocks, spark, text};

/// How many blocks a drawn series has at the most.
const SPARK: usize = 60;
/// The columns of a series' changes.
const HEAD: [&str; 12] = [
    "index",
    "range",
    "label",
    "time",
    "before",
    "after",
    "change",
    "",
    "95 %",
    "confidence",
    "kind",
    "",
];
/// The column of verdicts.
const VERDICT: usize = 7;
/// How wide a label may become.
const LABEL: usize = 24;

/// The changes in the series of a file, and the filter of those to show.
pub struct GivenChanges<'a> {
    /// The shape of the series in the file.
    pub shape: NumbersShape,
    /// The series with what was found in them.
    pub series: Vec<JudgedGiven<'a>>,
    /// The filter.
    pub filter: ChangeFilter,
}

/// The answer in JSON: one series alone, or all of them in the order of the file.
#[derive(Serialize)]
#[serde(untagged)]
pub enum GivenChangesAnswer<'a> {
    One(Box<VersionedAnswer<GivenSeriesAnswer<'a>>>),
    Many(VersionedAnswer<SeriesListAnswer<'a>>),
}

#[derive(Serialize)]
pub struct SeriesListAnswer<'a> {
    judged: usize,
    not_judged: usize,
    series: SeriesCollection<'a>,
}

/// Several series, in a list or by name.
#[derive(Serialize)]
#[serde(untagged)]
enum SeriesCollection<'a> {
    Listed(Vec<GivenSeriesAnswer<'a>>),
    Named(SeriesByName<'a>),
}

/// Series by name, in the file's order.
struct SeriesByName<'a>(Vec<GivenSeriesAnswer<'a>>);

impl Serialize for SeriesByName<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|series| (series.name.unwrap_or(""), series)))
    }
}

/// One series.
#[derive(Serialize)]
pub struct GivenSeriesAnswer<'a> {
    name: Option<&'a str>,
    better: Direction,
    points: usize,
    judged: bool,
    why_not: Option<String>,
    changes: Vec<GivenChangeAnswer<'a>>,
    scatter: Vec<GivenChangeAnswer<'a>>,
    refused: Vec<RefusedAnswer<'a>>,
    drift: Option<DriftAnswer>,
    modes: Option<Vec<ModeAnswer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<HistoryAnswer>,
}

#[derive(Serialize)]
struct GivenChangeAnswer<'a> {
    index: usize,
    label: Option<&'a str>,
    time: Option<&'a str>,
    range: [usize; 2],
    before: f64,
    after: f64,
    effect: Option<f64>,
    interval: Option<[f64; 2]>,
    p: f64,
    confidence: f64,
    kind: ChangeKind,
    verdict: ChangeVerdict,
    returned: Option<usize>,
    environment: Vec<EnvironmentAnswer>,
}

#[derive(Serialize)]
struct EnvironmentAnswer {
    tag: String,
    before: String,
    after: String,
}

impl From<Difference> for EnvironmentAnswer {
    fn from(Difference { tag, before, after }: Difference) -> Self {
        Self { tag, before, after }
    }
}

#[derive(Serialize)]
struct RefusedAnswer<'a> {
    index: usize,
    label: Option<&'a str>,
    why: &'static str,
}

#[derive(Serialize)]
struct DriftAnswer {
    range: [usize; 2],
    effect: Option<f64>,
}

#[derive(Serialize)]
struct ModeAnswer {
    ratio: f64,
    share: f64,
}

impl GivenChanges<'_> {
    /// All that was found, in JSON.
    pub fn answer(&self) -> GivenChangesAnswer<'_> {
        let mut series: Vec<GivenSeriesAnswer<'_>> =
            self.all().map(FilteredSeries::answer).collect();
        if self.shape == NumbersShape::One
            && let Some(one) = series.pop()
        {
            return GivenChangesAnswer::One(Box::new(versioned(one)));
        }
        let judged = series.iter().filter(|series| series.judged).count();
        let not_judged = series.len() - judged;
        let named = self.shape == NumbersShape::Named;
        let series = if named {
            SeriesCollection::Named(SeriesByName(series))
        } else {
            SeriesCollection::Listed(series)
        };
        GivenChangesAnswer::Many(versioned(SeriesListAnswer { judged, not_judged, series }))
    }

    /// All that was found, for people; `width` is that of their terminal, in columns.
    pub fn text(&self, width: Option<usize>) -> String {
        let shown = self.all().map(|series| series.blocks(Block::Heading(series.head(width))));
        let parts: Vec<Vec<Block>> = shown.chain([self.summary()]).collect();
        blocks::parts_in_terminal(&parts)
    }

    /// All that was found, for a mail or a pull request.
    pub fn markdown(&self) -> String {
        let shown =
            self.all().flat_map(|series| series.blocks(Block::Lead(series.name().to_owned())));
        let all: Vec<Block> = shown.chain(self.summary()).collect();
        let names: Vec<String> = self.all().flat_map(FilteredSeries::names).collect();
        let prose = |prose: &str| text::markdown_with(prose, &names);
        blocks::markdown(&all, prose).trim_end().to_owned() + "\n"
    }

    /// Whether something that is shown is a regression.
    pub fn has_regression(&self) -> bool {
        self.all().any(|series| series.found.has_regression(series.filter))
    }

    fn all(&self) -> impl Iterator<Item = FilteredSeries<'_>> {
        let named = |found: &&JudgedGiven<'_>| {
            let name = found.given.name.as_deref().unwrap_or("");
            self.filter.shows_benchmark(name, name)
        };
        self.series.iter().filter(named).map(|found| FilteredSeries { found, filter: &self.filter })
    }

    /// The number of judged series, and the result.
    fn summary(&self) -> Vec<Block> {
        let skipped = |found: &JudgedGiven<'_>| {
            detection::not_judged(found.judgement.detection.judged).is_some()
        };
        let not = self.all().filter(|series| skipped(series.found)).count();
        let changes: usize = self.all().map(|series| series.shown().len()).sum();
        let judged = self.all().count() - not;
        let mut line = match changes {
            0 => ChangeCounts { judged, ..ChangeCounts::default() }.lead(),
            some => {
                let some = text::count(some, "change");
                format!("{some} in {judged} series; the first point has index 0")
            }
        };
        if not > 0 && judged > 0 {
            line += &format!("; {not} not judged");
        }
        let found: usize = self.all().map(|series| series.found.found()).sum();
        if found > changes {
            let hidden = text::count(found - changes, "change");
            line += &format!("; {hidden} not shown, by `--min-effect` or `--kind`");
        }
        let early = if changes == 0 { self.too_early() } else { None };
        let early = early.map(|steps| {
            let steps = text::count(steps, "possible step");
            format!(
                "not reported: {steps}, since there are too few values yet (`--all` shows where)"
            )
        });
        [Block::Lead(line)].into_iter().chain(early.map(Block::Sentence)).collect()
    }

    /// In how many places a step was seen that has too few values yet, if in any; those that
    /// `--all` lists are not counted.
    fn too_early(&self) -> Option<usize> {
        let refused = self.all().flat_map(|series| &series.found.judgement.detection.refused);
        let steps = refused.filter(|refused| refused.why == Refusal::Few).count();
        (steps > 0 && !self.filter.all).then_some(steps)
    }
}

/// A number, if it is one.
fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}

/// A value as people read it: a time of 0.0103 s is 10.30 ms.
fn shown(unit: &Unit, value: f64) -> String {
    match unit {
        Unit::Other(name) => {
            let (unit, scale) = Unit::named(name);
            unit.show(value * scale)
        }
        unit => unit.show(value),
    }
}

/// One series, and what of it is shown.
#[derive(Clone, Copy)]
struct FilteredSeries<'a> {
    found: &'a JudgedGiven<'a>,
    filter: &'a ChangeFilter,
}

impl<'a> FilteredSeries<'a> {
    /// The changes that are shown, each with the index of the one with which its level came back.
    fn shown(self) -> Vec<(&'a DetectedChange, Option<usize>)> {
        self.found.shown(self.filter)
    }

    fn name(self) -> &'a str {
        self.found.given.name.as_deref().unwrap_or("values")
    }

    /// Its name, and the labels that its notes have.
    fn names(self) -> Vec<String> {
        let labels = self.refused().into_iter().filter_map(|refused| refused.label);
        [self.name()].into_iter().chain(labels).map(str::to_owned).collect()
    }

    /// The drift of the level, if there is one and it is shown.
    fn drift(self) -> Option<&'a Drift> {
        self.found.judgement.detection.drift.as_ref().filter(|drift| self.filter.shows_drift(drift))
    }

    fn label(self, index: usize) -> Option<&'a str> {
        self.found.given.points.get(index)?.label.as_deref()
    }

    fn answer(self) -> GivenSeriesAnswer<'a> {
        let detection = &self.found.judgement.detection;
        let why_not = detection::not_judged(detection.judged);
        GivenSeriesAnswer {
            name: self.found.given.name.as_deref(),
            better: self.found.given.better,
            points: self.found.values.len(),
            judged: why_not.is_none(),
            why_not,
            changes: self.changes(true),
            scatter: self.changes(false),
            refused: self.refused(),
            drift: self.drift().map(|drift| DriftAnswer {
                range: [drift.first, drift.last],
                effect: finite(drift.effect),
            }),
            history: self.found.judgement.history.as_ref().map(HistoryAnswer::of),
            modes: detection.modes.as_ref().map(|modes| {
                modes
                    .levels
                    .iter()
                    .map(|mode| ModeAnswer { ratio: mode.ratio, share: mode.share })
                    .collect()
            }),
        }
    }

    /// The changes of the level, or those of the scatter.
    fn changes(self, of_level: bool) -> Vec<GivenChangeAnswer<'a>> {
        let shown = self.shown().into_iter();
        let wanted = shown.filter(|(change, _)| change.kind.is_of_level() == of_level);
        wanted.map(|(change, back)| self.change(change, back)).collect()
    }

    fn change(self, change: &DetectedChange, returned: Option<usize>) -> GivenChangeAnswer<'a> {
        GivenChangeAnswer {
            index: change.index,
            label: self.label(change.index),
            time: self.found.given.points.get(change.index).and_then(|point| point.time.as_deref()),
            range: [*change.range.start(), *change.range.end()],
            before: change.before,
            after: change.after,
            effect: finite(change.effect),
            interval: finite(change.interval.0)
                .zip(finite(change.interval.1))
                .map(|(low, high)| [low, high]),
            p: change.p,
            confidence: change.confidence,
            kind: kind_of(change.kind),
            verdict: verdict(change, self.found.given.better),
            returned,
            environment: self.found.environment_of(change).into_iter().map(Into::into).collect(),
        }
    }

    /// The refused candidates, in order.
    fn refused(self) -> Vec<RefusedAnswer<'a>> {
        let judgement = &self.found.judgement;
        let refused = judgement
            .detection
            .refused
            .iter()
            .map(|refused| (refused.index, detection::refusal(refused.why)));
        let chance = judgement.chance.iter().map(|change| (change.index, BY_CHANCE));
        let mut all: Vec<(usize, &str)> = refused.chain(chance).collect();
        all.sort_unstable();
        all.into_iter()
            .map(|(index, why)| RefusedAnswer { index, label: self.label(index), why })
            .collect()
    }

    /// The remarks on it beside its changes.
    fn notes(self) -> Vec<String> {
        let detection = &self.found.judgement.detection;
        let mut notes: Vec<String> = detection::not_judged(detection.judged)
            .map(|why| format!("not judged: {why}"))
            .into_iter()
            .chain(self.drift().map(detection::drift))
            .chain(detection.modes.as_ref().map(detection::modes))
            .chain(self.found.judgement.history.iter().flat_map(detection::unclear))
            .collect();
        if self.filter.all {
            notes.extend(self.refused().iter().map(|refused| {
                let label = refused.label.map_or_else(String::new, |label| format!(" {label}"));
                format!("no change at index {}{label}: {}", refused.index, refused.why)
            }));
        }
        notes
    }

    /// The series below its head; empty if there is nothing to say of it.
    fn blocks(self, head: Block) -> Vec<Block> {
        let (shown, notes) = (self.shown(), self.notes());
        if shown.is_empty() && notes.is_empty() {
            return Vec::new();
        }
        let table = (!shown.is_empty()).then(|| Block::Table(self.table(&shown)));
        [head].into_iter().chain(table).chain(notes.into_iter().map(Block::Item)).collect()
    }

    /// Its name, which way is better, and a drawing.
    fn head(self, width: Option<usize>) -> String {
        let values: Vec<Option<f64>> =
            self.found.values.iter().map(|value| Some(*value).filter(|v| v.is_finite())).collect();
        let head = format!("{} ({})  ", self.name(), better(self.found.given.better));
        let room = width
            .map_or(SPARK, |width| width.saturating_sub(head.chars().count()).clamp(10, SPARK));
        head + &spark::line(&values, room)
    }

    /// A row a change.
    fn table(self, shown: &[(&DetectedChange, Option<usize>)]) -> AnswerTable {
        let rows: Vec<_> = shown.iter().map(|(change, back)| self.row(change, *back)).collect();
        let narrow = rows.iter().map(lines).collect();
        let cells = |(row, (change, _)): ([String; 12], &(&DetectedChange, _))| {
            let mut cells = row.map(AnswerCell::from).to_vec();
            cells[VERDICT].tone = verdict(change, self.found.given.better).into();
            cells
        };
        let rows = rows.into_iter().zip(shown).map(cells).collect();
        let mut table = AnswerTable { narrow, ..AnswerTable::of(&HEAD, &(4..7), rows) };
        for number in [0, 9] {
            table.columns[number].is_number = true;
        }
        table
    }

    fn row(self, change: &DetectedChange, back: Option<usize>) -> [String; 12] {
        let (first, last) = (change.range.start(), change.range.end());
        let time =
            self.found.given.points.get(change.index).and_then(|point| point.time.as_deref());
        let show = |value| shown(&self.found.given.unit, value);
        let mut notes: Vec<String> =
            back.map(|index| format!("came back at index {index}")).into_iter().collect();
        if change.kind == Kind::Environment {
            let differences = self.found.environment_of(change).into_iter();
            notes.extend(differences.map(|d| format!("{}: {} → {}", d.tag, d.before, d.after)));
        }
        if change.kind == Kind::Build {
            notes.push("another layout would decide".to_owned());
        }
        [
            change.index.to_string(),
            if first == last { String::new() } else { format!("{first}–{last}") },
            text::cut(self.label(change.index).unwrap_or(""), LABEL),
            text::cut(time.unwrap_or(""), LABEL),
            show(change.before),
            show(change.after),
            effect(change.effect),
            verdict(change, self.found.given.better).word().to_owned(),
            effect_interval(change.interval),
            super::confidence(change.p),
            kind_of(change.kind).likely_words(change.after > change.before, change.p),
            notes.join(", "),
        ]
    }
}

/// A row where the table has no room.
fn lines(row: &[String; 12]) -> Vec<String> {
    let [index, range, label, time, before, after, effect, verdict, interval, sure, kind, notes] =
        row;
    let cells = |words: &[&String]| {
        let words = words.iter().filter(|word| !word.is_empty()).map(|word| word.as_str());
        words.collect::<Vec<_>>().join("  ")
    };
    vec![
        format!("  index {}", cells(&[index, range, label, time])),
        format!("  {}", cells(&[&format!("{effect} {verdict}"), interval, sure, kind])),
        format!("  {}", cells(&[&format!("{before} → {after}"), notes])),
    ]
}
