//! What should not matter and may: who was executed before, the place in the round, the time of day.
//!
//! What is left of a value when that of its subject is taken away is a residual. If its predecessor does not matter, the
//! residuals of those that came after one subject are drawn from those of all: Kruskal & Wallis' statistic of their ranks,
//! its chance by exchanging the labels within each subject at random, so that any shape of noise is allowed.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Sample;
use super::order::{quantile, sorted};
use super::sample::Scale;

/// So many times labels are exchanged: chances are known to about 0.5 % at 5 %.
const TIMES: u32 = 1999;

/// One execution, and what may have influenced it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Which program it was.
    pub subject: u32,
    /// What it stood beside: the program executed before, the place in the round, the hour of the day.
    pub beside: u32,
    /// The value of the metric.
    pub value: f64,
}

/// Whether it matters what an execution stood beside.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// The chance of so large an influence when there is none.
    pub p: f64,
    /// For each thing beside: how many executions, and by how much they were off from their own subject's median (0.03
    /// is 3 % slower; in the metric's unit where some values are not positive).
    pub groups: Vec<Group>,
}

/// Those that stood beside one thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// What they stood beside.
    pub beside: u32,
    /// How many.
    pub count: usize,
    /// The median of the residuals.
    pub residual: f64,
}

impl Influence {
    /// Of a sequence of executions. `None` when there are not two things with two executions each to stand beside.
    #[must_use]
    pub fn of(executions: &[Placed], seed: u64) -> Option<Self> {
        let residuals = residuals(executions);
        let beside: Vec<u32> = executions.iter().map(|execution| execution.beside).collect();
        let groups = groups(&residuals, &beside);
        if groups.iter().filter(|group| group.count >= 2).count() < 2 {
            return None;
        }
        let ranks = ranks(&residuals);
        let subjects: Vec<u32> = executions.iter().map(|execution| execution.subject).collect();
        let mut exchanged = places_of(&beside);
        let places = places_by(&subjects);
        let observed = statistic(&ranks, &exchanged);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut at_least = 0;
        for _ in 0..TIMES {
            exchange_within(&places, &mut exchanged, &mut rng);
            at_least += u32::from(statistic(&ranks, &exchanged) >= observed * (1.0 - 1e-12));
        }
        Some(Self { p: f64::from(at_least + 1) / f64::from(TIMES + 1), groups })
    }

    /// The group that is slowest against its subjects, if there is an influence with this chance of an error.
    #[must_use]
    pub fn worst(&self, error: f64) -> Option<Group> {
        let worst = self.groups.iter().copied().max_by(|one, other| one.residual.total_cmp(&other.residual));
        worst.filter(|_| self.p <= error)
    }
}

/// Each execution with the subject before it, in the order of execution; the first has none and is left out.
#[must_use]
pub fn after_predecessors(sequence: &[(u32, f64)]) -> Vec<Placed> {
    let pairs =
        sequence.windows(2).map(|two| Placed { subject: two[1].0, beside: two[0].0, value: two[1].1 });
    pairs.collect()
}

/// What is left when the median of the subject is taken away.
fn residuals(executions: &[Placed]) -> Vec<f64> {
    let samples: Vec<Sample> = executions.iter().map(|execution| Sample::new(execution.value)).collect();
    let scale = Scale::of(&[&samples]);
    let mut by_subject: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for execution in executions {
        by_subject.entry(execution.subject).or_default().push(scale.of_value(execution.value));
    }
    let medians: BTreeMap<u32, f64> = by_subject
        .into_iter()
        .filter_map(|(subject, values)| Some((subject, quantile(&sorted(&values), 0.5)?)))
        .collect();
    executions.iter().map(|execution| scale.of_value(execution.value) - medians[&execution.subject]).collect()
}

fn groups(residuals: &[f64], beside: &[u32]) -> Vec<Group> {
    let mut groups: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (&residual, &beside) in residuals.iter().zip(beside) {
        groups.entry(beside).or_default().push(residual);
    }
    let group = |(beside, values): (u32, Vec<f64>)| {
        let residual = quantile(&sorted(&values), 0.5)?;
        Some(Group { beside, count: values.len(), residual })
    };
    groups.into_iter().filter_map(group).collect()
}

/// Ranks from the middle, equal values sharing theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let doubled = super::ranks::doubled_ranks(values);
    let middle = values.len() as f64 + 1.0;
    doubled.into_iter().map(|rank| rank as f64 - middle).collect()
}

/// Labels as numbers from 0.
fn places_of(labels: &[u32]) -> Vec<usize> {
    let distinct: BTreeSet<u32> = labels.iter().copied().collect();
    labels.iter().map(|label| distinct.range(..label).count()).collect()
}

/// The places of each label.
fn places_by(labels: &[u32]) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, &label) in labels.iter().enumerate() {
        places.entry(label).or_default().push(place);
    }
    places.into_values().collect()
}

/// The sum over groups of the squared sum of ranks by the number of executions: what varies in Kruskal & Wallis'.
fn statistic(ranks: &[f64], groups: &[usize]) -> f64 {
    let mut sums = vec![(0.0, 0.0); groups.iter().max().map_or(0, |last| last + 1)];
    for (rank, &group) in ranks.iter().zip(groups) {
        sums[group].0 += rank;
        sums[group].1 += 1.0;
    }
    sums.iter().map(|(sum, count)| sum * sum / count).sum()
}

/// Shuffles the labels among the places of each.
fn exchange_within(places: &[Vec<usize>], labels: &mut [usize], rng: &mut ChaCha8Rng) {
    for places in places {
        for last in (1..places.len()).rev() {
            labels.swap(places[last], places[rng.random_range(0..=last)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::noise::{Noise, gaussian};
    use super::*;

    /// Programs in rounds of random order, the `heavy` one slowing its successor by this.
    fn executed(noise: Noise, rounds: usize, carried: f64, rng: &mut ChaCha8Rng) -> Vec<(u32, f64)> {
        let mut order: Vec<u32> = Vec::new();
        for _ in 0..rounds {
            let mut round = [0, 1, 2];
            for last in (1..3).rev() {
                round.swap(last, rng.random_range(0..=last));
            }
            order.extend(round);
        }
        let after_heavy = |slot: usize| slot > 0 && order[slot - 1] == 0;
        let takes = |slot: usize| {
            let speed = [300.0, 20.0, 50.0][order[slot] as usize];
            if after_heavy(slot) { speed * (1.0 + carried) } else { speed }
        };
        order.iter().copied().zip(noise.session(order.len(), rng, takes)).collect()
    }

    #[test]
    fn without_an_influence_one_is_seen_as_seldom_as_said() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for noise in [Noise::Gaussian, Noise::Autocorrelated, Noise::Spikes] {
            let trials = 300;
            let seen = (0..trials).filter(|&trial| {
                let placed = after_predecessors(&executed(noise, 15, 0.0, &mut rng));
                Influence::of(&placed, trial).unwrap().p <= 0.05
            });
            let rate = seen.count() as f64 / trials as f64;
            // 5 %, and two standard errors of 300 trials.
            assert!(rate <= 0.075, "{noise:?}: {rate}");
        }
    }

    #[test]
    fn a_heavy_program_that_slows_its_successor_is_told() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let placed = after_predecessors(&executed(Noise::Gaussian, 30, 0.04, &mut rng));
        let influence = Influence::of(&placed, 3).unwrap();
        assert_eq!(influence.groups.iter().map(|group| group.count).sum::<usize>(), 89);
        assert_eq!(influence.worst(0.01).map(|group| group.beside), Some(0), "{influence:?}");
    }

    #[test]
    fn the_time_of_day_is_a_thing_to_stand_beside() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let at = |slot: u32, hot: f64, rng: &mut ChaCha8Rng| {
            let (subject, beside) = (slot % 2, slot / 20);
            let warm = if beside == 2 { hot } else { 0.0 };
            Placed { subject, beside, value: (0.02 * gaussian(rng) + warm).exp() * f64::from(subject + 1) }
        };
        let mut day = |hot: f64| (0..60).map(|slot| at(slot, hot, &mut rng)).collect::<Vec<_>>();
        assert!(Influence::of(&day(0.0), 1).unwrap().p > 0.05);
        assert_eq!(Influence::of(&day(0.05), 1).unwrap().worst(0.05).map(|group| group.beside), Some(2));
    }

    #[test]
    fn of_one_thing_alone_nothing_is_said() {
        let placed = |beside| Placed { subject: 0, beside, value: 1.0 };
        assert_eq!(Influence::of(&[], 0), None);
        assert_eq!(Influence::of(&[placed(1); 9], 0), None);
        let constant: Vec<Placed> = (0..9).map(|slot| placed(slot % 2)).collect();
        assert_eq!(Influence::of(&constant, 0).map(|influence| influence.p), Some(1.0));
    }
}
