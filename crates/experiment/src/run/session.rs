//! A run that is ready to measure, new or resumed.
//!
//! All that the rounds need to know, and nothing of why it is measured: an experiment that has
//! cells with builds and a run to keep their samples under can have them
//! [measured](crate::run::rounds::measure).

use crate::run::enough::MetricValues;
use std::collections::HashMap;

use tacho_record::{BenchmarkKey, Cell, Counter, Cpus, Metric, ReferenceMode, Run, Sample};
use tacho_store::{MeasurementId, Store};

use crate::ExperimentError;
use crate::trial::answers::AnswerText;
use crate::trial::prepared::Trial;

/// A run that is ready to measure.
pub struct Session {
    /// The run: its seed orders the rounds, and its rule says what comes before them and when they
    /// stop.
    pub run: Run,
    /// The cells, in the order of the warmup.
    pub cells: Vec<SessionCell>,
    /// The two processors on which cells 0 and 1, 2 and 3 … are executed at the same time; `None`:
    /// one after the other.
    pub duet: Option<[u32; 2]>,
    /// How much of the time goes to the reference.
    pub reference: ReferenceMode,
    /// The group of each cell; the cells of a group are next to each other in each round. `None`: a
    /// group a benchmark.
    pub groups: Option<Vec<usize>>,
}

/// A cell that is ready to be executed.
pub struct SessionCell {
    /// The key under which its samples are kept.
    pub id: MeasurementId,
    /// The cell.
    pub cell: Cell,
    /// The trial.
    pub(crate) trial: Trial,
    /// How much is wanted of it.
    pub wanted: SampleDemand,
    /// The samples of earlier sessions of the run, in order of the schedule.
    pub before: Vec<Sample>,
}

/// How much is wanted of a cell.
#[derive(Clone, Debug, Default)]
pub struct SampleDemand {
    /// How many samples of its own, the warmup not counted, are enough in any case.
    pub enough: u32,
    /// How many it needs, however well it is known, since what there is lacks a counter.
    pub needed: u32,
    /// The metric whose median is to be known precisely, if that is requested.
    pub metric: Option<Metric>,
    /// The values of the metric in other runs.
    pub elsewhere: MetricValues,
    /// The metric by which its warmup is found, where that is requested.
    pub steady: Option<Metric>,
}

impl Session {
    /// How many executions earlier sessions of the run have done.
    #[must_use]
    pub fn done(&self) -> usize {
        self.cells.iter().map(|cell| cell.before.len()).sum()
    }

    /// The cells, without what is known of them.
    #[must_use]
    pub fn plain_cells(&self) -> Vec<Cell> {
        self.cells.iter().map(|cell| cell.cell.clone()).collect()
    }

    /// The processors that all cells are confined to; `None` if they are not, or differ.
    pub(crate) fn common_cpus(&self) -> Option<Cpus> {
        let mut all = self.cells.iter().map(|cell| &cell.trial.request.conditions.cpus);
        let first = all.next()?;
        all.all(|cpus| cpus == first).then(|| first.clone()).flatten()
    }

    /// The group of each cell, as a number; by default its benchmark.
    pub(crate) fn groups(&self) -> Vec<usize> {
        if let Some(groups) = &self.groups {
            return groups.clone();
        }
        let mut numbers = HashMap::new();
        let mut number = |cell: &SessionCell| {
            let next = numbers.len();
            *numbers.entry(cell.cell.benchmark.identity()).or_insert(next)
        };
        self.cells.iter().map(&mut number).collect()
    }
}

impl SessionCell {
    /// Whether callgrind is to count its instructions and has not done so in this run.
    #[must_use]
    pub fn lacks_instructions(&self) -> bool {
        let metric = Counter::CallgrindInstructions.name();
        self.trial.wants_instructions()
            && !self.before.iter().any(|it| it.counts() && it.value(metric).is_some())
    }
}

/// The reference answers of benchmarks, by identity.
#[derive(Debug, Default)]
pub struct References(HashMap<String, AnswerText>);

impl References {
    /// The answers that are kept for these cells.
    pub fn read(store: &mut Store, cells: &[SessionCell]) -> Result<Self, ExperimentError> {
        let mut references = Self::default();
        for SessionCell { cell, .. } in cells {
            if references.of(&cell.benchmark).is_none()
                && let Some(answer) = reference(store, &cell.benchmark)?
            {
                references.0.insert(cell.benchmark.identity(), answer);
            }
        }
        Ok(references)
    }

    /// The reference answer of a benchmark, if there is one.
    #[must_use]
    pub fn of(&self, key: &BenchmarkKey) -> Option<AnswerText> {
        self.0.get(&key.identity()).cloned()
    }

    /// Takes this first answer of a cell as the reference, without keeping it.
    pub fn take(&mut self, cell: &Cell, answer: &AnswerText) {
        let answer = answer.clone().of_revision(&cell.revision);
        self.0.insert(cell.benchmark.identity(), answer);
    }

    /// Keeps this answer as the reference, unless another was first.
    pub fn keep(
        &mut self,
        store: &mut Store,
        key: &BenchmarkKey,
        answer: &AnswerText,
    ) -> Result<(), ExperimentError> {
        let first = keep_reference(store, key, answer)?;
        self.0.insert(key.identity(), first);
        Ok(())
    }
}

/// The reference answer of a benchmark, if it is kept; with its text, if the text is kept too.
pub fn reference(
    store: &mut Store,
    key: &BenchmarkKey,
) -> Result<Option<AnswerText>, ExperimentError> {
    let digest = store.answer(key)?;
    Ok(digest.map(|digest| AnswerText::with(digest, store.log(digest).ok().as_deref())))
}

/// Keeps this answer as the reference of a benchmark, unless another was first; which one it is.
pub fn keep_reference(
    store: &mut Store,
    key: &BenchmarkKey,
    answer: &AnswerText,
) -> Result<AnswerText, ExperimentError> {
    // Its text is for messages alone, so nothing refers to it but the digest.
    if let Some(text) = answer.text.as_ref().filter(|_| store.outlives_us()) {
        store.put_text(text.as_bytes())?;
    }
    store.put_answer(key, answer.digest)?;
    // On a shared store another host's answer may have been first.
    let first = store.answer(key)?.filter(|first| *first != answer.digest);
    Ok(match first {
        Some(first) => AnswerText::with(first, store.log(first).ok().as_deref()),
        None => answer.clone(),
    })
}
