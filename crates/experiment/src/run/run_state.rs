//! The state of a run: the cells with samples, those that need no more, those that are given up.
//!
//! All of it is reckoned from samples, in the order in which they were taken: what a killed run
//! left says the same as it would have said then.

mod next;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use jiff::Timestamp;
use tacho_record::{Outcome, Place, Rule, Sample, Warmup};

use crate::run::budget::{SpentTime, wall};
use crate::run::enough::{GIVE_UP_AFTER, MetricValues, is_precise};
use crate::run::quiet::REPEATS;
use crate::run::quiet_limits::Noise;
use crate::run::schedule::ScheduledTrial;
use crate::run::session::{SampleDemand, Session, SessionCell};

/// A warmup by time also ends after this many executions, in case the clock does not move.
const LONGEST_WARMUP: u32 = 10_000;

/// The state of a run.
pub struct RunProgress<'a> {
    rule: &'a Rule,
    cells: Vec<CellProgress<'a>>,
    /// How many are executed at the same time: two where the session is of pairs.
    at_once: usize,
    /// The places with a sample.
    done: HashSet<Place>,
    /// The last round that has one.
    last: u32,
    spent: SpentTime,
    /// The loudest noise that samples of a round show, by the round.
    noise: BTreeMap<u32, Noise>,
    /// The rounds that were disturbed, and count no more.
    disturbed: BTreeSet<u32>,
}

/// How far a cell is.
struct CellProgress<'a> {
    wanted: &'a SampleDemand,
    /// Samples that were not the warmup.
    counted: u32,
    failed: usize,
    succeeded: bool,
    warm: WarmupState,
    /// The values of the metric with a requested precision.
    known: MetricValues,
    precise: bool,
    /// Whether the stopping rule settled the cell, which needs no more samples.
    settled: bool,
    /// The round of the last valid sample, and whether it has a value of that metric.
    last: Option<(u32, bool)>,
}

/// How warm a cell is.
#[derive(Default)]
struct WarmupState {
    executions: u32,
    /// How long they took.
    time: Duration,
    failed: bool,
}

impl<'a> CellProgress<'a> {
    fn new(cell: &'a SessionCell) -> Self {
        let (wanted, known) = (&cell.wanted, cell.wanted.elsewhere.clone());
        let warm = WarmupState::default();
        let (precise, settled) = (false, false);
        Self {
            wanted,
            counted: 0,
            failed: 0,
            succeeded: false,
            warm,
            known,
            precise,
            settled,
            last: None,
        }
    }

    fn is_hopeless(&self) -> bool {
        !self.succeeded && self.failed >= GIVE_UP_AFTER
    }

    fn is_warm(&self, warmup: Warmup) -> bool {
        match warmup {
            Warmup::Executions(number) => self.warm.executions >= number,
            Warmup::Found => true,
            Warmup::Time(time) => {
                self.warm.time >= time || self.warm.failed || self.warm.executions >= LONGEST_WARMUP
            }
        }
    }

    /// The largest number of remaining executions, including the warmup as far as known.
    fn left(&self, warmup: Warmup) -> usize {
        let warming = warmup.executions().unwrap_or(0).saturating_sub(self.warm.executions);
        (self.wanted.enough.saturating_sub(self.counted) + warming) as usize
    }

    fn record(&mut self, sample: &Sample) {
        let failed = sample.outcome.is_failure();
        self.succeeded |= !failed;
        self.failed += usize::from(failed);
        if sample.place.round == 0 {
            self.warm.executions += 1;
            self.warm.failed |= failed;
            self.warm.time += wall(sample);
            return;
        }
        if matches!(sample.outcome, Outcome::Disturbed { .. }) {
            return;
        }
        self.counted += 1;
        let metric = self.wanted.metric.as_ref();
        let value =
            metric.and_then(|metric| sample.value(&metric.name)).filter(|_| sample.counts());
        if let Some(metric) = metric {
            self.known.add(metric.better, value.as_slice(), sample.bound(metric).as_slice());
        }
        if sample.counts() {
            self.last = Some((sample.place.round, value.is_some()));
        }
    }

    /// As if it had no valid sample of that round, which is its last.
    fn forget(&mut self, round: u32) {
        if let Some((_, reported)) = self.last.take_if(|(last, _)| *last == round) {
            self.counted -= 1;
            if reported {
                self.known.values.pop();
            }
        }
    }
}

impl<'a> RunProgress<'a> {
    /// The state of the run after earlier sessions; `sessions` are the times when they all began.
    pub fn new(session: &'a Session, sessions: Vec<Timestamp>) -> Self {
        let rule = &session.run.rule;
        let cells: Vec<CellProgress> = session.cells.iter().map(CellProgress::new).collect();
        let spent = SpentTime::new(sessions, cells.len()).in_pairs(session.duet.is_some());
        let at_once = if session.duet.is_some() { 2 } else { 1 };
        let (noise, disturbed) = (BTreeMap::new(), BTreeSet::new());
        let mut progress =
            Self { rule, cells, at_once, done: HashSet::new(), last: 0, spent, noise, disturbed };
        let before =
            |(index, cell): (usize, &'a SessionCell)| cell.before.iter().map(move |it| (index, it));
        let mut samples: Vec<(usize, &Sample)> =
            session.cells.iter().enumerate().flat_map(before).collect();
        samples.sort_by_key(|(_, sample)| sample.place);
        for (cell, sample) in samples {
            progress.record(cell, sample);
        }
        progress.look();
        progress
    }

    /// Looks at what is known by now, as one may after each round; which cells became precise
    /// enough with it, and how many executions each leaves out.
    pub fn look(&mut self) -> Vec<(usize, usize)> {
        let mut ended = Vec::new();
        for (index, cell) in self.cells.iter_mut().enumerate().filter(|(_, cell)| !cell.precise) {
            cell.precise = cell.counted >= cell.wanted.needed && is_precise(self.rule, &cell.known);
            if cell.precise && !cell.is_hopeless() {
                ended.push((index, cell.left(self.rule.warmup)));
            }
        }
        ended
    }

    /// Settles these cells, which need no more samples; returns those that were not settled before,
    /// with the number of omitted executions of each.
    pub fn settle(&mut self, cells: &[usize]) -> Vec<(usize, usize)> {
        let mut ended = Vec::new();
        for &index in cells {
            let cell = &mut self.cells[index];
            if !std::mem::replace(&mut cell.settled, true) && !cell.is_hopeless() {
                ended.push((index, cell.left(self.rule.warmup)));
            }
        }
        ended
    }

    /// How many executions are still to come at the most, as far as that is known.
    pub fn left(&self) -> usize {
        self.cells.iter().map(|cell| cell.left(self.rule.warmup)).sum()
    }

    /// The trials for which the condition holds; both of a pair if it holds for one and neither is
    /// given up.
    pub fn chosen(
        &self,
        trials: &[ScheduledTrial],
        wants: impl Fn(ScheduledTrial) -> bool,
    ) -> Vec<ScheduledTrial> {
        let is_given_up =
            |trial: &ScheduledTrial| self.cells[trial.cell].is_hopeless() && !self.is_done(*trial);
        let together = trials.chunks(self.at_once).filter(|together| {
            together.iter().any(|trial| wants(*trial))
                && (self.at_once == 1 || !together.iter().any(is_given_up))
        });
        together.flatten().copied().collect()
    }

    /// How many are executed at the same time.
    pub fn at_once(&self) -> usize {
        self.at_once
    }

    /// Whether the cell still lacks executions.
    pub fn is_lacking(&self, cell: usize) -> bool {
        let lacks = !self.has_enough(cell);
        let cell = &self.cells[cell];
        !cell.is_hopeless() && (lacks || !cell.is_warm(self.rule.warmup))
    }

    /// Whether that execution of the warmup took or takes place.
    pub fn warms_up(&self, trial: ScheduledTrial) -> bool {
        let cell = &self.cells[trial.cell];
        self.is_done(trial) || !(cell.is_hopeless() || cell.is_warm(self.rule.warmup))
    }

    /// Whether this execution took or takes place, if its round does.
    pub fn takes_part(&self, trial: ScheduledTrial) -> bool {
        self.is_done(trial)
            || !(self.has_enough(trial.cell) || self.cells[trial.cell].is_hopeless())
    }

    /// Whether there are enough samples of the cell by any rule.
    fn has_enough(&self, index: usize) -> bool {
        let cell = &self.cells[index];
        let has_taken = |time| self.spent.of(index) >= time && cell.counted >= self.rule.min_rounds;
        cell.precise
            || cell.settled
            || cell.counted >= cell.wanted.enough
            || self.rule.each.is_some_and(has_taken)
    }

    /// Whether it has its sample already.
    pub fn is_done(&self, trial: ScheduledTrial) -> bool {
        self.done.contains(&trial.place)
    }

    /// Whether the budget has room for a round of these executions: the first always takes place,
    /// and a round that began is completed.
    pub fn has_time_for(&self, round: u32, trials: &[ScheduledTrial]) -> bool {
        let Some(budget) = self.rule.budget else { return true };
        let longest = |together: &[ScheduledTrial]| {
            together.iter().map(|trial| self.spent.expected(trial.cell)).max()
        };
        let expected: Duration = trials.chunks(self.at_once).filter_map(longest).sum();
        round <= self.last.max(1) || self.spent.before(round) + expected <= budget
    }

    /// Takes note of what disturbed a sample.
    fn listen(&mut self, sample: &Sample) {
        let round = sample.place.round;
        if matches!(sample.outcome, Outcome::Disturbed { .. }) {
            self.disturbed.insert(round);
        }
        let noise = Noise::loudest([self.noise.get(&round).copied(), Noise::of_sample(sample)]);
        self.noise.extend(noise.map(|noise| (round, noise)));
    }

    /// The disturbance of a round that must be repeated, if any.
    pub fn disturbed(&self, round: u32) -> Option<Noise> {
        let before = (1..round).rev().take_while(|before| self.disturbed.contains(before));
        let is_last = before.count() >= REPEATS as usize;
        self.noise.get(&round).copied().filter(|_| !is_last && !self.disturbed.contains(&round))
    }

    /// How many samples it has.
    pub fn taken(&self, round: u32) -> usize {
        self.done.iter().filter(|place| place.round == round).count()
    }

    /// Marks the round as disturbed: its valid samples count no more.
    pub fn forget(&mut self, round: u32) {
        self.disturbed.insert(round);
        self.cells.iter_mut().for_each(|cell| cell.forget(round));
    }

    /// Takes note of a sample; says how many executions are left out if the cell is given up with
    /// it.
    pub fn record(&mut self, cell: usize, sample: &Sample) -> Option<usize> {
        self.done.insert(sample.place);
        self.last = self.last.max(sample.place.round);
        self.spent.record(cell, sample);
        self.listen(sample);
        let cell = &mut self.cells[cell];
        let was_hopeless = cell.is_hopeless();
        cell.record(sample);
        (cell.is_hopeless() && !was_hopeless).then(|| cell.left(self.rule.warmup))
    }
}
