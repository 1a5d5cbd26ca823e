//! What should not matter and may: who was executed before, the place in the round, the time of day.
//!
//! What is left of a value when that of its subject is taken away is a residual. If its predecessor does not matter, the
//! residuals of those that came after one subject are drawn from those of all: Kruskal & Wallis' statistic of their ranks,
//! its chance by exchanging the labels within each subject at random, so that any shape of noise is allowed. A short program may
//! feel what a long one does not: so each subject is asked by itself too, whether it is otherwise beside one thing than beside all
//! others, by the sum of its ranks. Of all these statistics the one that is least likely counts, and its chance is that of so
//! unlikely a one among as many (Westfall & Young, "Resampling-Based Multiple Testing", 1993).

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
    /// Where it is least likely to be chance.
    pub strongest: Strongest,
    /// For each thing beside: how many executions, and by how much they were off from their own subject's median (0.03
    /// is 3 % slower; in the metric's unit where some values are not positive).
    pub groups: Vec<Group>,
}

/// Beside which thing executions are off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strongest {
    /// Which executions: those of this subject, or of all.
    pub subject: Option<u32>,
    /// The thing.
    pub beside: u32,
    /// By how much: against those beside other things, of one subject; against each one's median, of all.
    pub residual: f64,
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
        let subjects: Vec<u32> = executions.iter().map(|execution| execution.subject).collect();
        let places = places_by(&subjects);
        let mut exchanged = places_of(&beside);
        let asked = Asked::of(&residuals, &places, &exchanged);
        let mut all = vec![asked.statistics(&exchanged)];
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..TIMES {
            exchange_within(&places, &mut exchanged, &mut rng);
            all.push(asked.statistics(&exchanged));
        }
        let chances = chances(&all);
        let least = |chances: &[f64]| chances.iter().copied().fold(1.0, f64::min);
        let observed = least(&chances[0]);
        let as_unlikely = chances.iter().filter(|one| least(one) <= observed).count();
        let strongest = strongest(executions, &residuals, &groups, (&asked, &all[0], &chances[0]))?;
        Some(Self { p: as_unlikely as f64 / all.len() as f64, strongest, groups })
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

/// What is asked of the ranks: all of them together, and each subject beside each thing.
struct Asked {
    /// The ranks among all.
    ranks: Vec<f64>,
    cells: Vec<Cell>,
}

/// The executions of one subject, against those of them that stood beside one thing.
struct Cell {
    subject: usize,
    beside: usize,
    /// The places of the subject's executions, and their ranks among themselves.
    places: Vec<usize>,
    ranks: Vec<f64>,
    /// What the sum of the ranks beside that thing varies by, when they are drawn from all.
    deviation: f64,
}

impl Asked {
    fn of(residuals: &[f64], places: &[Vec<usize>], beside: &[usize]) -> Self {
        let mut cells = Vec::new();
        for (subject, places) in places.iter().enumerate() {
            let own: Vec<f64> = places.iter().map(|&place| residuals[place]).collect();
            let (ranks, n) = (ranks(&own), own.len() as f64);
            let squares = ranks.iter().map(|rank| rank * rank).sum::<f64>();
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for &place in places {
                *counts.entry(beside[place]).or_default() += 1;
            }
            for (beside, count) in counts {
                let (count, others) = (count as f64, n - count as f64);
                let deviation = (count * others / (n - 1.0) * squares / n).sqrt();
                if count >= 2.0 && others >= 2.0 && deviation > 0.0 {
                    cells.push(Cell {
                        subject,
                        beside,
                        places: places.clone(),
                        ranks: ranks.clone(),
                        deviation,
                    });
                }
            }
        }
        Self { ranks: ranks(residuals), cells }
    }

    /// Each one: that of all together first. As large as it is unlikely.
    fn statistics(&self, beside: &[usize]) -> Vec<f64> {
        let of_cell = |cell: &Cell| {
            let there =
                cell.places.iter().zip(&cell.ranks).filter(|(place, _)| beside[**place] == cell.beside);
            (there.map(|(_, rank)| rank).sum::<f64>() / cell.deviation).abs()
        };
        std::iter::once(statistic(&self.ranks, beside)).chain(self.cells.iter().map(of_cell)).collect()
    }
}

/// For each time that labels were dealt, the chance of each statistic: the share of all times in which it was as large.
fn chances(all: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut chances = vec![vec![1.0; all[0].len()]; all.len()];
    for which in 0..all[0].len() {
        let column = sorted(&all.iter().map(|one| one[which]).collect::<Vec<_>>());
        for (chance, one) in chances.iter_mut().zip(all) {
            let below = column.partition_point(|other| *other < one[which] * (1.0 - 1e-12));
            chance[which] = (column.len() - below) as f64 / column.len() as f64;
        }
    }
    chances
}

/// The thing beside which executions are off, by the statistic that is least likely. Where two say the same, a subject beside another
/// one tells rather than beside itself, and one subject rather than all.
fn strongest(
    executions: &[Placed],
    residuals: &[f64],
    groups: &[Group],
    (asked, statistics, chances): (&Asked, &[f64], &[f64]),
) -> Option<Strongest> {
    let label = |of: &dyn Fn(&Placed) -> u32, place: usize| {
        executions.iter().map(of).collect::<BTreeSet<u32>>().into_iter().nth(place)
    };
    let mut found = Vec::new();
    for (at, cell) in asked.cells.iter().enumerate() {
        let subject = label(&|it| it.subject, cell.subject)?;
        let beside = label(&|it| it.beside, cell.beside)?;
        let residual = {
            let part = |is_there: bool| {
                let own = executions.iter().zip(residuals).filter(|(it, _)| it.subject == subject);
                let part = own.filter(|(it, _)| (it.beside == beside) == is_there);
                quantile(&sorted(&part.map(|(_, residual)| *residual).collect::<Vec<_>>()), 0.5)
            };
            part(true)? - part(false)?
        };
        let strength = (chances[at + 1], subject == beside, -statistics[at + 1]);
        found.push((strength, Strongest { subject: Some(subject), beside, residual }));
    }
    let first = found.into_iter().min_by(|(one, _), (other, _)| {
        one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)).then(one.2.total_cmp(&other.2))
    });
    if let Some((_, strongest)) = first.filter(|((chance, ..), _)| *chance <= chances[0]) {
        return Some(strongest);
    }
    let far = groups.iter().max_by(|one, other| one.residual.abs().total_cmp(&other.residual.abs()))?;
    Some(Strongest { subject: None, beside: far.beside, residual: far.residual })
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

    /// A heavy program, so often in a round, and a light one, which takes so many times as long after the heavy one.
    fn heavy_and_light(
        noise: Noise,
        (heavy, rounds): (usize, usize),
        times: f64,
        rng: &mut ChaCha8Rng,
    ) -> Vec<(u32, f64)> {
        let mut order: Vec<u32> = Vec::new();
        for _ in 0..rounds {
            let mut round = vec![0; heavy];
            round.push(1);
            for last in (1..round.len()).rev() {
                round.swap(last, rng.random_range(0..=last));
            }
            order.extend(round);
        }
        let takes = |slot: usize| match order[slot] {
            0 => 300.0,
            _ if slot > 0 && order[slot - 1] == 0 => 20.0 * times,
            _ => 20.0,
        };
        order.iter().copied().zip(noise.session(order.len(), rng, takes)).collect()
    }

    /// How often it is told with a chance of 1 % for a false word that something differs after the heavy one.
    fn told_of(noise: Noise, heavy: usize, rounds: usize, times: f64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let trials = 200;
        let told = (0..trials).filter(|&trial| {
            let placed = after_predecessors(&heavy_and_light(noise, (heavy, rounds), times, &mut rng));
            Influence::of(&placed, trial)
                .is_some_and(|it| it.p <= 0.01 && (times == 1.0 || it.strongest.beside == 0))
        });
        let rate = told.count() as f64 / trials as f64;
        println!("{noise:?}, {heavy} heavy, {rounds} rounds, {times}: {rate}");
        rate
    }

    #[test]
    fn what_only_the_light_program_feels_is_told() {
        // Side by side a light program follows itself in one of four rounds.
        assert!(told_of(Noise::Gaussian, 1, 30, 1.1) >= 0.97);
        assert!(told_of(Noise::Spikes, 1, 30, 1.1) >= 0.8, "its own spikes are as large");
        // Beside a heavy one and its control in one of nine: with one such round or none nothing can be told.
        assert!(told_of(Noise::Gaussian, 2, 30, 1.1) >= 0.65);
        assert!(told_of(Noise::Gaussian, 2, 60, 1.1) >= 0.9);
        for noise in [Noise::Gaussian, Noise::Spikes, Noise::Autocorrelated] {
            for heavy in [1, 2] {
                // 1 %, and two standard errors of 200 trials.
                assert!(told_of(noise, heavy, 30, 1.0) <= 0.01 + 0.015);
            }
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
