//! The result of measuring changes again.

use std::time::Duration;

use serde::Serialize;
use tacho_experiment::changes::{ConfirmationResult, ConfirmationVerdict, is_new_regression};
use tacho_record::{Change, short_name};
use tacho_report::block::{AnswerCell, AnswerNote, AnswerTable, Block};
use tacho_report::busy_host_hint::WaysOut;
use tacho_report::change::{effect_again, effect_found, state_beside_outcome};
use tacho_report::change_row::ChangeRow;
use tacho_report::run::RESUMES;
use tacho_report::series::series_name;
use tacho_report::words;

use super::answer::ChangeAnswer;
use crate::output::{blocks, text};

/// The results of all requested changes.
#[derive(Debug, Default)]
pub struct ConfirmationReport {
    /// The run that measured.
    pub run: Option<i64>,
    /// Samples that this session took.
    pub samples: usize,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// Time spent building and executing.
    pub took: Duration,
    /// The changes.
    pub changes: Vec<ConfirmationRequest>,
    /// Whether changes were requested by name.
    pub named: bool,
}

/// A change that was requested.
#[derive(Debug)]
pub struct ConfirmationRequest {
    /// As it is kept now.
    pub change: Change,
    /// The result.
    pub answer: ConfirmationResult,
}

/// All of it in JSON.
#[derive(Serialize)]
pub struct ConfirmedAnswer<'a> {
    run: Option<i64>,
    interrupted: bool,
    samples: usize,
    confirmed: usize,
    not_reproduced: usize,
    open: usize,
    not_measured: usize,
    changes: Vec<AskedAnswer<'a>>,
}

#[derive(Serialize)]
struct AskedAnswer<'a> {
    outcome: &'static str,
    why: Option<&'a str>,
    rounds_needed: Option<u32>,
    layouts_needed: Option<u32>,
    how: Option<&'a str>,
    change: ChangeAnswer<'a>,
}

impl ConfirmationReport {
    /// Whether one of them is an unacknowledged change for the worse.
    pub fn has_regression(&self) -> bool {
        self.changes.iter().any(|asked| is_new_regression(&asked.change))
    }

    fn count(&self, outcome: ConfirmationOutcome) -> usize {
        self.changes.iter().filter(|asked| asked.outcome() == outcome).count()
    }

    /// All of it in JSON.
    pub fn answer(&self) -> ConfirmedAnswer<'_> {
        ConfirmedAnswer {
            run: self.run,
            interrupted: self.interrupted,
            samples: self.samples,
            confirmed: self.count(ConfirmationOutcome::Confirmed),
            not_reproduced: self.count(ConfirmationOutcome::NotReproduced),
            open: self.count(ConfirmationOutcome::Open),
            not_measured: self.count(ConfirmationOutcome::NotMeasured),
            changes: self.changes.iter().map(ConfirmationRequest::answer).collect(),
        }
    }

    /// All of it for people.
    pub fn text(&self) -> String {
        let nothing = match (self.interrupted, self.changes.as_slice(), self.named) {
            (true, ..) => RESUMES,
            (_, [], true) => "nothing to confirm: none of these changes is listed",
            (_, [], false) => "nothing to confirm: no new change is left to measure again",
            _ => {
                let table = self.table().into_iter().map(Block::Table).collect();
                return blocks::parts_in_terminal(&[table, self.notes(), self.summary()]);
            }
        };
        blocks::terminal(&[Block::Lead(nothing.to_owned())])
    }

    /// A row for each that was measured.
    fn table(&self) -> Option<AnswerTable> {
        let head =
            ["name", "series", "in the series", "again", "95 %", "samples", "outcome", "state"];
        let measured = self.changes.iter().filter_map(ConfirmationRequest::row);
        let (rows, narrow): (Vec<_>, Vec<_>) = measured.unzip();
        let is_empty = rows.is_empty();
        let mut table = AnswerTable { narrow, ..AnswerTable::of(&head, &(2..4), rows) };
        table.columns[5].is_number = true;
        (!is_empty).then_some(table)
    }

    /// The changes that were not measured, with the reasons, and the way of measuring those that
    /// needed several builds.
    fn notes(&self) -> Vec<Block> {
        let note = |asked: &ConfirmationRequest| {
            let name = &asked.change.name;
            match &asked.answer {
                ConfirmationResult::NotMeasured { why } => {
                    let series = series_name(&asked.change.series, false);
                    Some(format!("not measured: {name}  {series} ({why})"))
                }
                ConfirmationResult::Measured(said) => {
                    said.how.as_ref().map(|how| format!("{name}: {how}"))
                }
            }
        };
        self.changes.iter().filter_map(note).map(Block::Sentence).collect()
    }

    /// The ways to settle an open change: a number of rounds, if known, and measurements that other
    /// work disturbs less.
    fn way_out(&self) -> Option<String> {
        let open =
            self.changes.iter().find(|asked| asked.outcome() == ConfirmationOutcome::Open)?;
        let Change { series, finding, .. } = &open.change;
        let [good, bad] = [&finding.good, &finding.revision].map(|id| short_name(id));
        let is_time = series.metric.name == "wall";
        let of_cpu = format!("`tacho compare {good} {bad} -m cpu` compares");
        let counted = format!("`tacho compare {good} {bad} -m instructions=callgrind`");
        let ways = WaysOut {
            cpu: Some(&of_cpu),
            busy_share: open.busy_share(),
            callgrind: text::has_callgrind().then_some(&counted),
            ..WaysOut::default()
        };
        let others = is_time.then(|| ways.line());
        let rounds = open.needed().0.map(|rounds| {
            format!(
                "`tacho changes --confirm {} --rounds {rounds}` would probably decide",
                open.change.name
            )
        });
        let ways: Vec<String> = rounds.into_iter().chain(others).collect();
        (!ways.is_empty()).then(|| ways.join("; "))
    }

    /// How many have each outcome, what that took, and what would settle an open one.
    fn summary(&self) -> Vec<Block> {
        let counts = ConfirmationOutcome::ALL.map(|outcome| (outcome, self.count(outcome)));
        let counts: Vec<String> = (counts.iter().filter(|(_, count)| *count > 0))
            .map(|(outcome, count)| format!("{count} {}", outcome.word()))
            .collect();
        let spent = match self.run {
            Some(run) if self.samples == 0 => format!(", from run {run}: nothing was measured now"),
            Some(run) => format!(
                ": {} in {}, run {run}",
                text::count(self.samples, "sample"),
                text::duration(self.took)
            ),
            None => String::new(),
        };
        let lead = Block::Lead(format!("{}{spent}", counts.join(", ")));
        let hint = self.way_out().map(|way| Block::Note(AnswerNote::hint(way)));
        [lead].into_iter().chain(hint).collect()
    }
}

/// What measuring a change again came to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConfirmationOutcome {
    Confirmed,
    NotReproduced,
    Open,
    NotMeasured,
}

impl ConfirmationOutcome {
    const ALL: [Self; 4] = [Self::Confirmed, Self::NotReproduced, Self::Open, Self::NotMeasured];

    /// In JSON.
    fn key(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotReproduced => "not-reproduced",
            Self::Open => "open",
            Self::NotMeasured => "not-measured",
        }
    }

    /// For people, in the word that the list of changes has for it.
    fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotReproduced => "not reproduced",
            Self::Open => "unclear",
            Self::NotMeasured => "not measured",
        }
    }
}

impl ConfirmationRequest {
    /// Busy time by wall time of what was executed.
    fn busy_share(&self) -> Option<f64> {
        match &self.answer {
            ConfirmationResult::Measured(said) => said.busy_share,
            ConfirmationResult::NotMeasured { .. } => None,
        }
    }

    fn outcome(&self) -> ConfirmationOutcome {
        match &self.answer {
            ConfirmationResult::NotMeasured { .. } => ConfirmationOutcome::NotMeasured,
            ConfirmationResult::Measured(said) => match said.outcome {
                ConfirmationVerdict::Confirmed => ConfirmationOutcome::Confirmed,
                ConfirmationVerdict::NotReproduced => ConfirmationOutcome::NotReproduced,
                ConfirmationVerdict::Open { .. } => ConfirmationOutcome::Open,
            },
        }
    }

    /// The row of one that was measured, and its lines where the table has no room.
    fn row(&self) -> Option<(Vec<AnswerCell>, Vec<String>)> {
        let ConfirmationResult::Measured(said) = &self.answer else { return None };
        let (change, again) = (&self.change, &said.again);
        let (series, found) = (series_name(&change.series, false), effect_found(change));
        let range = again.interval.map_or_else(String::new, words::effect_interval);
        let state = ChangeRow::noted(change, state_beside_outcome(change));
        let within = if range.is_empty() { String::new() } else { format!(" ({range})") };
        let samples = text::count(again.samples as usize, "sample");
        let lines = vec![
            format!("{}  {series}", change.name),
            format!("{found} in the series"),
            format!("{}{within} measured again", tacho_report::change::again(again)),
            format!("{samples} a side: {}; state: {}", self.outcome_cell().whole(), state.whole()),
        ];
        let effect = effect_again(again).map_or_else(String::new, |it| it.shown(words::effect));
        let texts = [change.name.clone(), series, found, effect, range, again.samples.to_string()];
        let cells = texts.into_iter().map(AnswerCell::from);
        Some((cells.chain([self.outcome_cell(), state]).collect(), lines))
    }

    /// The outcome for people.
    pub fn words(&self) -> String {
        self.outcome_cell().whole()
    }

    fn outcome_cell(&self) -> AnswerCell {
        let outcome = self.outcome();
        let detail = match (outcome, self.needed()) {
            (ConfirmationOutcome::Open, (Some(rounds), _)) => {
                format!("`--rounds {rounds}` would probably decide")
            }
            (ConfirmationOutcome::Open, (_, Some(layouts))) => {
                let finding = &self.change.finding;
                let [good, bad] = [&finding.good, &finding.bad].map(|id| short_name(id));
                format!("`compare {good} {bad} --layouts {layouts}` would probably decide")
            }
            (ConfirmationOutcome::NotReproduced, _) if self.change.is_active() => {
                "the environment, not the commit".to_owned()
            }
            _ => String::new(),
        };
        AnswerCell { detail, ..outcome.word().to_owned().into() }
    }

    /// The rounds, or the layouts, that would probably decide.
    fn needed(&self) -> (Option<u32>, Option<u32>) {
        match &self.answer {
            ConfirmationResult::Measured(said) => match said.outcome {
                ConfirmationVerdict::Open { rounds, layouts } => (rounds, layouts),
                ConfirmationVerdict::Confirmed | ConfirmationVerdict::NotReproduced => (None, None),
            },
            ConfirmationResult::NotMeasured { .. } => (None, None),
        }
    }

    fn answer(&self) -> AskedAnswer<'_> {
        let why = match &self.answer {
            ConfirmationResult::NotMeasured { why } => Some(why.as_str()),
            ConfirmationResult::Measured(_) => None,
        };
        let how = match &self.answer {
            ConfirmationResult::Measured(said) => said.how.as_deref(),
            ConfirmationResult::NotMeasured { .. } => None,
        };
        let outcome = self.outcome().key();
        let (rounds_needed, layouts_needed) = self.needed();
        AskedAnswer {
            outcome,
            why,
            rounds_needed,
            layouts_needed,
            how,
            change: ChangeAnswer::of(&self.change, true),
        }
    }
}
