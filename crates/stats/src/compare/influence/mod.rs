//! Influences that should not matter and may: the program executed before, the place in the round,
//! the time of day.
//!
//! A residual is a value minus that of its subject. If the predecessor does not matter, the
//! residuals after one subject are drawn from those of all: Kruskal & Wallis' statistic of their
//! ranks, its chance by exchanging the labels within each subject at random, so that any shape of
//! noise is allowed. A short program may be affected when a long one is not. So each subject is
//! also tested by itself, by the rank sum beside one neighbour against all others. The least likely
//! of all these statistics counts, with the probability of one so unlikely among as many (Westfall
//! & Young, "Resampling-Based Multiple Testing", 1993).

mod hypotheses;
mod labels;
mod residuals;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use self::hypotheses::{InfluenceAsked, chances};
use self::labels::{exchange_within, places_by, places_of};
pub use self::residuals::{PlacedSample, ResidualGroup};
use self::residuals::{groups, residuals};
use super::order::{quantile, sorted};

/// The number of random exchanges of labels: probabilities are known to about 0.5 % at 5 %.
const TIMES: u32 = 1999;

/// The influence of the neighbour on an execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// The chance of so large an influence if there is no real one.
    pub p: f64,
    /// The influence that is least likely to be chance.
    pub strongest: StrongestInfluence,
    /// For each neighbour: the number of executions, and their deviation from their own subject's
    /// median (0.03 is 3 % slower; in the metric's unit where some values are not positive).
    pub groups: Vec<ResidualGroup>,
}

/// The neighbour beside which executions deviate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrongestInfluence {
    /// The executions: those of this subject, or of all.
    pub subject: Option<u32>,
    /// The neighbour.
    pub beside: u32,
    /// By how much: against those beside other things, of one subject; against each one's median,
    /// of all.
    pub residual: f64,
}

impl Influence {
    /// The influence in a sequence of executions. `None` without two neighbours that have two
    /// executions each.
    #[must_use]
    pub fn of(executions: &[PlacedSample], seed: u64) -> Option<Self> {
        let residuals = residuals(executions);
        let beside: Vec<u32> = executions.iter().map(|execution| execution.beside).collect();
        let groups = groups(&residuals, &beside);
        if groups.iter().filter(|group| group.count >= 2).count() < 2 {
            return None;
        }
        let subjects: Vec<u32> = executions.iter().map(|execution| execution.subject).collect();
        let places = places_by(&subjects);
        let mut exchanged = places_of(&beside);
        let asked = InfluenceAsked::of(&residuals, &places, &exchanged);
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

    /// The group that is slowest against its subjects, if there is an influence with this chance of
    /// an error.
    #[must_use]
    pub fn worst(&self, error: f64) -> Option<ResidualGroup> {
        let worst = self
            .groups
            .iter()
            .copied()
            .max_by(|one, other| one.residual.total_cmp(&other.residual));
        worst.filter(|_| self.p <= error)
    }
}

/// Each execution with the subject before it, in the order of execution; the first has none and is
/// left out.
#[must_use]
pub fn after_predecessors(sequence: &[(u32, f64)]) -> Vec<PlacedSample> {
    let pairs = sequence.windows(2).map(|two| PlacedSample {
        subject: two[1].0,
        beside: two[0].0,
        value: two[1].1,
    });
    pairs.collect()
}

/// The neighbour beside which executions deviate, by the least likely statistic. Among equal
/// statistics, a subject beside another one is preferred to a subject beside itself, and one
/// subject to all.
fn strongest(
    executions: &[PlacedSample],
    residuals: &[f64],
    groups: &[ResidualGroup],
    (asked, statistics, chances): (&InfluenceAsked, &[f64], &[f64]),
) -> Option<StrongestInfluence> {
    let label = |of: &dyn Fn(&PlacedSample) -> u32, place: usize| {
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
        found.push((strength, StrongestInfluence { subject: Some(subject), beside, residual }));
    }
    let first = found.into_iter().min_by(|(one, _), (other, _)| {
        one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)).then(one.2.total_cmp(&other.2))
    });
    if let Some((_, strongest)) = first.filter(|((chance, ..), _)| *chance <= chances[0]) {
        return Some(strongest);
    }
    let far =
        groups.iter().max_by(|one, other| one.residual.abs().total_cmp(&other.residual.abs()))?;
    Some(StrongestInfluence { subject: None, beside: far.beside, residual: far.residual })
}
