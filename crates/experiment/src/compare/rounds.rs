//! When a benchmark needs no more rounds: looked for at times that are fixed before, each benchmark
//! on its own.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_record::{Comparing, Metric, Rule, Sample, StopCondition};
use tacho_stats::compare::{
    Comparison, ComparisonRules, DuetPair, Look, Looks, SampleValue, Sides, Verdict, compare,
    compare_duet,
};

use super::family::{self, FamilyRole};
use crate::analysis::cpu_waits::beside_cpu_time;
use crate::analysis::estimator::{by, ruled};
use crate::analysis::usual_speed::{UsualSpeed, at_usual_speed};
use crate::compare::row::ERROR;
use crate::run::budget::wall;
use crate::run::enough::is_given_up;
use crate::run::session::Session;
use crate::run::stopping_rule::StoppingRule;

/// Fewer rounds than this are planned by no budget.
const FEWEST: usize = 6;

/// The rows of a run that compares, as far as it came.
pub(super) struct Sequential<'a> {
    terms: &'a Comparing,
    rule: Rule,
    pub groups: Vec<BenchmarkCells>,
    looks: Option<Looks>,
}

/// One benchmark: its cells, side after side.
pub(super) struct BenchmarkCells {
    /// The index of the terms' row.
    row: usize,
    /// The first cell.
    first: usize,
    /// How many cells each side has, one a layout: both sides and the control.
    builds: [usize; 3],
    /// The samples of each cell.
    pub samples: Vec<Vec<Sample>>,
    /// One for each metric: as of the last look.
    pub comparisons: Vec<Comparison>,
    pub settled: bool,
}

impl<'a> Sequential<'a> {
    /// Before the first sample; `cells` is how many there are in all.
    pub fn new(terms: &'a Comparing, rule: &Rule, cells: usize) -> Self {
        let each = cells / terms.rows.len().max(1);
        let [a, b] = terms.sides.each_ref().map(|side| side.program.builds());
        let group = |row: usize| BenchmarkCells {
            row,
            first: row * each,
            builds: [a, b, a],
            samples: vec![Vec::new(); each],
            comparisons: Vec::new(),
            settled: false,
        };
        let groups = (0..terms.rows.len()).map(group).collect();
        Self { terms, rule: rule.clone(), groups, looks: None }
    }

    /// The state of a session that was begun earlier.
    pub fn of_session(terms: &'a Comparing, session: &Session) -> Self {
        let mut sequential = Self::new(terms, &session.run.rule, session.cells.len());
        sequential.replay(session.cells.iter().map(|cell| cell.before.clone()).collect());
        sequential
    }

    /// Takes these samples, cell after cell, as if they came now, round after round.
    pub fn replay(&mut self, samples: Vec<Vec<Sample>>) {
        let last = samples.iter().flatten().map(|sample| sample.place.round).max().unwrap_or(0);
        let mut left: Vec<_> =
            samples.into_iter().map(|cell| cell.into_iter().peekable()).collect();
        for round in 0..=last {
            for (cell, samples) in left.iter_mut().enumerate() {
                while let Some(sample) = samples.next_if(|sample| sample.place.round <= round) {
                    self.record(cell, &sample);
                }
            }
            self.look(round);
        }
    }

    /// The looks, known when the warmup is over.
    fn looks(&mut self) -> &Looks {
        let planned = self.planned();
        self.looks.get_or_insert_with(|| Looks::planned(planned, ERROR))
    }

    /// For how many rounds: those of the rule; with a budget alone as many as it has room for, by
    /// the warmup.
    fn planned(&self) -> usize {
        let most = self.rule.max_rounds as usize;
        let Some(budget) = self.rule.budget else { return most };
        let warm = |cell: &Vec<Sample>| {
            let walls: Vec<Duration> =
                cell.iter().filter(|it| it.place.round == 0).map(wall).collect();
            walls.iter().min().copied().unwrap_or_default()
        };
        let at_once = if self.terms.duet.is_some() { 2 } else { 1 };
        let longest = |together: &[Vec<Sample>]| together.iter().map(warm).max();
        let of = |group: &BenchmarkCells| {
            group.samples.chunks(at_once).filter_map(longest).sum::<Duration>()
        };
        let round: Duration = self.groups.iter().map(of).sum();
        let room = budget.as_nanos().checked_div(round.as_nanos()).unwrap_or(most as u128);
        usize::try_from(room).unwrap_or(most).clamp(FEWEST.min(most), most)
    }

    /// Judges what is unsettled at its last round, planned for or not; a side that was given up
    /// leaves the other alone.
    pub fn end(&mut self, is_finished: bool) {
        let looks = self.looks().clone();
        for at in 0..self.groups.len() {
            let rounds = self.groups[at].rounds();
            // A row that ended at once may never have been judged.
            if !self.groups[at].settled || self.groups[at].comparisons.is_empty() {
                let look =
                    looks.after(rounds).unwrap_or_else(|| looks.unplanned(rounds, is_finished));
                self.compare(at, look);
            }
        }
    }

    fn compare(&mut self, at: usize, look: Look) {
        let group = &self.groups[at];
        let (_, metrics) = &self.terms.rows[group.row];
        let estimator = self.terms.estimator.map(by);
        let rules =
            ComparisonRules { margin: self.terms.margin, estimator, ..ComparisonRules::default() };
        let one = |(row, metric): (usize, &Metric)| {
            let look = match group.comparisons.get(row) {
                _ if self.terms.until == StopCondition::AllRounds => look.in_passing(),
                // The same look once more, at the end.
                Some(before) if before.look.rounds == look.rounds => {
                    Look { ends: before.look.ends, ..look }
                }
                // The benchmark continues for the sake of other rows.
                Some(before) if before.verdict.differs() => look.in_passing(),
                _ => look,
            };
            let of = |metric: &Metric| match self.terms.duet {
                Some(_) => of_pairs(metric, group, &rules, look),
                None => comparison(metric, group, &rules, look),
            };
            let compared = of(metric);
            if !metric.is_wall() {
                return compared;
            }
            let [a, b, again] = [0, 1, 2]
                .map(|side| group.side(side).iter().map(Vec::as_slice).collect::<Vec<&[Sample]>>());
            let cpu = Metric::built_in("cpu").expect("a built-in metric");
            beside_cpu_time(compared, [&[a, again].concat(), &b], rules.margin, || of(&cpu))
        };
        self.groups[at].comparisons = metrics.iter().enumerate().map(one).collect();
    }

    /// Whether that benchmark needs no more, with all rows judged together in their present state.
    fn is_settled(&self, at: usize) -> bool {
        let of_group = |group: &'_ BenchmarkCells| -> Vec<FamilyRole> {
            let (_, metrics) = &self.terms.rows[group.row];
            let sides = || [group.side(0), group.side(1)];
            metrics.iter().map(|metric| FamilyRole::of_samples(metric, sides())).collect()
        };
        let parts =
            self.groups.iter().filter(|group| !group.comparisons.is_empty()).flat_map(of_group);
        let all = self.groups.iter().flat_map(|group| &group.comparisons);
        let all: Vec<(&Comparison, FamilyRole)> = all.zip(parts).collect();
        let before: usize = self.groups[..at].iter().map(|group| group.comparisons.len()).sum();
        let verdicts = family::verdicts(&all);
        let own = self.groups[at].comparisons.iter().zip(&verdicts[before..]);
        !self.groups[at].comparisons.is_empty()
            && own.into_iter().all(|(row, verdict)| is_enough(self.terms.until, row, *verdict))
    }
}

impl BenchmarkCells {
    /// The samples of each build of a side; the third is the control.
    pub fn side(&self, side: usize) -> &[Vec<Sample>] {
        self.part(&self.samples, side)
    }

    /// The part of a side in samples of all cells.
    pub fn part<'s>(&self, samples: &'s [Vec<Sample>], side: usize) -> &'s [Vec<Sample>] {
        let first: usize = self.builds[..side].iter().sum();
        samples.get(first..first + self.builds[side]).unwrap_or_default()
    }

    /// All samples; of several layouts of a side with that metric at the host's usual speed, as
    /// `layouts` has it: each layout counts with its level. The control's are A's layouts again.
    pub fn at_usual_speed(&self, metric: &Metric) -> UsualSpeed {
        let [a, b, _] = self.builds;
        if a.max(b) < 2 {
            return UsualSpeed::unknown(&self.samples);
        }
        let programs: Vec<usize> = (0..self.samples.len()).map(|cell| cell % (a + b)).collect();
        at_usual_speed(&self.samples, &programs, metric)
    }

    /// Whether no further sample makes the row comparable: an answer was wrong, or a cell is given
    /// up.
    fn is_broken(&self) -> bool {
        let is_wrong = |sample: &Sample| sample.outcome.is_wrong_answer();
        self.samples.iter().any(|cell| is_given_up(cell) || cell.iter().any(is_wrong))
    }

    /// How many rounds it took part in.
    fn rounds(&self) -> usize {
        let last = self.samples.iter().flatten().map(|sample| sample.place.round).max();
        last.unwrap_or(0) as usize
    }

    /// Whether each cell has been executed in its last round.
    fn is_whole(&self, round: u32) -> bool {
        self.samples.iter().all(|cell| cell.iter().any(|sample| sample.place.round == round))
    }
}

impl StoppingRule for Sequential<'_> {
    fn record(&mut self, cell: usize, sample: &Sample) {
        let group = self.groups.iter_mut().rfind(|group| group.first <= cell);
        if let Some(group) = group {
            let place = cell - group.first;
            group.samples[place].push(sample.clone());
        }
    }

    fn look(&mut self, round: u32) -> Vec<usize> {
        for group in self.groups.iter_mut().filter(|group| !group.settled) {
            group.settled = group.is_broken();
        }
        if round > 0
            && let Some(look) = self.looks().after(round as usize)
        {
            let open: Vec<usize> = (0..self.groups.len())
                .filter(|at| !self.groups[*at].settled && self.groups[*at].is_whole(round))
                .collect();
            for at in &open {
                self.compare(*at, look);
            }
            for at in open {
                self.groups[at].settled = self.is_settled(at);
            }
        }
        let settled = self.groups.iter().filter(|group| group.settled);
        settled.flat_map(|group| group.first..group.first + group.samples.len()).collect()
    }

    fn forget(&mut self, round: u32) {
        for cell in
            self.groups.iter_mut().filter(|it| !it.settled).flat_map(|group| &mut group.samples)
        {
            cell.retain(|sample| sample.place.round != round);
        }
    }
}

/// By how much a side with a ratio in this interval is slower, at least and at most, whichever
/// direction is worse, as shares. Without a ratio, as with another side of 0, the share is
/// infinite.
fn slower_by(interval: Option<(f64, f64)>) -> (f64, f64) {
    let worse = |one: f64| (one - 1.0).max(1.0 / one - 1.0);
    match interval {
        None => (f64::INFINITY, f64::INFINITY),
        Some((low, high)) if low > 1.0 => (worse(low), worse(high)),
        Some((low, high)) => (worse(high), worse(low)),
    }
}

/// Ratios come back from logarithms: what two differ by less is their rounding.
pub(super) const ROUNDING: f64 = 1e-9;

/// Whether a slowdown by this share is at least the limit: from 100 to 105 is at least 5 %.
pub(super) fn reaches(share: f64, limit: f64) -> bool {
    share >= limit - ROUNDING
}

/// Whether a row needs no more.
fn is_enough(until: StopCondition, row: &Comparison, verdict: Verdict) -> bool {
    match until {
        StopCondition::AllRounds => false,
        StopCondition::Precise(share) => {
            row.estimate.and_then(|estimate| estimate.reach()).is_some_and(|reach| reach <= share)
        }
        // For a slower program it must be clear whether the slowdown exceeds the limit.
        StopCondition::Settled(Some(limit)) if verdict == Verdict::Slower => {
            let estimate = row.estimate.filter(|estimate| estimate.ratio.is_some());
            let (near, far) = slower_by(estimate.and_then(|estimate| estimate.repeated));
            (reaches(near, limit) || !reaches(far, limit)) && !row.may_have_modes()
        }
        // With two modes another ratio decides, once they are detected.
        StopCondition::Settled(_) => verdict != Verdict::Unclear && !row.may_have_modes(),
    }
}

/// Compares a metric of a benchmark, from the samples of both sides and of the control, if there is
/// one.
fn comparison(
    metric: &Metric,
    group: &BenchmarkCells,
    rules: &ComparisonRules,
    look: Look,
) -> Comparison {
    let usual = group.at_usual_speed(metric);
    let [a, b, control] =
        [0, 1, 2].map(|side| in_layouts(metric, group.part(&usual.samples, side)));
    let sides = Sides { a: &a, b: &b, control: &control };
    let mut compared = compare(&sides, &ruled(metric, [&a, &b], rules), look);
    compared.choice.uneven = compared.choice.uneven.or(usual.uneven);
    compared
}

/// The same where both sides were executed at the same time: the one at the even position had the
/// first processor.
fn of_pairs(
    metric: &Metric,
    group: &BenchmarkCells,
    rules: &ComparisonRules,
    look: Look,
) -> Comparison {
    let [of_a, of_b] = [0, 1].map(|side| values(metric, &group.side(side).concat()));
    let rules = ruled(metric, [&of_a, &of_b], rules);
    let [a, b] = [0, 1].map(|side| placed(metric, group.side(side)));
    let mut pairs = Vec::with_capacity(a.len());
    for (round, (a, _)) in &a {
        if let Some((b, place)) = b.get(round) {
            pairs.push(DuetPair { a: *a, b: *b, swapped: place % 2 == 0 });
        }
    }
    compare_duet(&pairs, &rules, look)
}

/// The counting values of a side with one build, by round, with their positions in it.
fn placed(metric: &Metric, builds: &[Vec<Sample>]) -> BTreeMap<u32, (SampleValue, u32)> {
    let side = builds.first().map(Vec::as_slice).unwrap_or_default();
    let positions: BTreeMap<u32, u32> =
        side.iter().map(|sample| (sample.place.round, sample.place.position)).collect();
    let all = values(metric, side).into_iter();
    all.filter_map(|value| Some((value.round?, (value, *positions.get(&value.round?)?)))).collect()
}

/// The counting values of a side, each in its round, and with several builds in its layout.
fn in_layouts(metric: &Metric, builds: &[Vec<Sample>]) -> Vec<SampleValue> {
    let [side] = builds else {
        let of = |(layout, build): (u32, &Vec<Sample>)| {
            values(metric, build).into_iter().map(move |value| value.of_layout(layout))
        };
        return (0..).zip(builds).flat_map(of).collect();
    };
    values(metric, side)
}

/// The counting values of a side, each in its round; a bound for an execution that reached a limit,
/// if less is better. Metrics that do not depend on the speed have no order in time.
pub(super) fn values(metric: &Metric, side: &[Sample]) -> Vec<SampleValue> {
    let one = |sample: &Sample| {
        let place = sample.place;
        let exact = sample.value(&metric.name).filter(|_| sample.counts());
        let bound = || sample.bound(metric).map(|bound| SampleValue::new(bound).at_least());
        exact
            .map(SampleValue::new)
            .or_else(bound)
            .map(|it| it.in_round(place.round))
            .map(|it| if metric.is_of_speed() { it.at(place.position) } else { it })
    };
    side.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use tacho_record::{Outcome, Place};

    use super::*;

    /// Four layouts of A, of B and of A again, ten rounds, on a host of two speeds.
    fn layouts(by: f64, rng: &mut ChaCha8Rng) -> BenchmarkCells {
        let levels: Vec<f64> = (0..8).map(|_| 0.01 * (rng.random::<f64>() - 0.5)).collect();
        let mut samples = vec![Vec::new(); 12];
        let mut slow = false;
        for round in 1..=10 {
            for position in 0..12 {
                slow ^= rng.random::<f64>() < 0.05;
                let cell = (position * 5 + round) as usize % 12;
                let of_b = if (4..8).contains(&cell) { by } else { 0.0 };
                let noise = 0.01 * (rng.random::<f64>() - 0.5);
                let host = if slow { 0.5 } else { 0.0 };
                let place = Place { round, position };
                let (at, outcome) = (jiff::Timestamp::UNIX_EPOCH, Outcome::Valid);
                let mut sample = Sample { place, at, outcome, values: Vec::new() };
                sample.add("wall", 1e8 * (levels[cell % 8] + of_b + host + noise).exp());
                samples[cell].push(sample);
            }
        }
        let builds = [4, 4, 4];
        let (row, first, comparisons, settled) = (0, 0, Vec::new(), false);
        BenchmarkCells { row, first, builds, samples, comparisons, settled }
    }

    #[test]
    fn layouts_count_with_their_levels_at_the_hosts_usual_speed() {
        let wall = Metric::built_in("wall").unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(22);
        let [equal, slower] = [0.0, 0.02].map(|by| {
            let compared = |_: &u32| {
                let group = layouts(by, &mut rng);
                let rules = ComparisonRules::default();
                comparison(&wall, &group, &rules, Look::only(10, 0.05)).significant
            };
            (0..100).filter(compared).count()
        });
        println!("{equal} of 100 equal programs differ, {slower} of such 2 % apart");
        // 5 % and two standard errors of 100 trials.
        assert!(equal <= 9 && slower >= 90, "{equal} {slower}");
    }
}
