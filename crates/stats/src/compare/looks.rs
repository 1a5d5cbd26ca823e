//! Looking more than once without being wrong more often: the error is spent in parts, look by look.
//!
//! Group-sequential testing with an error-spending function: Lan & `DeMets`, "Discrete Sequential Boundaries for Clinical
//! Trials", Biometrika 70 (1983); its power form: Kim & `DeMets`, Biometrika 74 (1987); the calculation: Armitage,
//! `McPherson` & Rowe, "Repeated Significance Tests on Accumulating Data", Journal of the Royal Statistical Society A
//! 132 (1969); the intervals: Jennison & Turnbull, "Group Sequential Methods" (2000), 9.

use std::f64::consts::TAU;

use crate::distribution::normal_below;

/// With fewer rounds nothing can be told.
const FIRST: usize = 6;
/// From look to look the rounds grow by this.
const GROWTH: f64 = 1.3;
/// The error spent grows with this power of the share of the planned rounds that is done.
const POWER: f64 = 1.5;
/// This share of the error is kept for those who go on beyond what was planned.
const KEPT: f64 = 0.1;

/// So much of the error is spent at all. The estimator may change from look to look, and noise that grows makes looks
/// depend on each other less than the calculation has it: simulated, this costs up to a sixth more error than is reckoned.
const CAUTION: f64 = 0.85;

/// What one look may spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// After so many rounds.
    pub rounds: usize,
    /// The chance of an error of this look alone: its intervals have the confidence 1 − `level`, and all looks together
    /// err with the chance that was asked.
    pub level: f64,
    /// This look's share of the whole error: a chance divided by it is valid over all looks, whatever they depend on.
    pub share: f64,
}

impl Look {
    /// The only one.
    #[must_use]
    pub fn only(rounds: usize, error: f64) -> Self {
        Self { rounds, level: error, share: 1.0 }
    }
}

/// When to look, and what each look may spend: fixed before the first round.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    all: Vec<Look>,
    planned: usize,
    error: f64,
}

impl Looks {
    /// For so many rounds planned, and `error` as the chance that any of all looks errs.
    #[must_use]
    pub fn planned(rounds: usize, error: f64) -> Self {
        Self::spending(&times(rounds, rounds), rounds, error)
    }

    /// The same plan, gone on with after it had ended, up to so many rounds in all. The looks that were are the same.
    #[must_use]
    pub fn extended(rounds: usize, until: usize, error: f64) -> Self {
        Self::spending(&times(rounds, until), rounds, error)
    }

    /// The look that is due after so many rounds.
    #[must_use]
    pub fn after(&self, rounds: usize) -> Option<Look> {
        self.all.iter().copied().find(|look| look.rounds == rounds)
    }

    /// The look at an end that comes at another time, after the looks before it: with what is due by then, or where it is the
    /// `last` for a reason that has nothing to do with what was seen, such as a budget, with all that was left.
    #[must_use]
    pub fn unplanned(&self, rounds: usize, last: bool) -> Look {
        let rounds = rounds.max(1);
        let mut times: Vec<usize> =
            self.all.iter().map(|look| look.rounds).filter(|&look| look < rounds).collect();
        times.push(rounds);
        let planned = if last { rounds.min(self.planned) } else { self.planned };
        let mut walk = Walk::new();
        let mut before = 0.0;
        let mut look = Look { rounds, level: 0.0, share: 0.0 };
        for time in times {
            let of = if time == rounds { planned } else { self.planned };
            let spent = CAUTION * spent(time as f64 / of as f64);
            let share = (spent - before).max(0.0);
            before = spent;
            look = Look { rounds: time, level: walk.spend(time as f64, self.error * share), share };
        }
        look
    }

    /// All of them, in order.
    #[must_use]
    pub fn all(&self) -> &[Look] {
        &self.all
    }

    fn spending(times: &[usize], planned: usize, error: f64) -> Self {
        let mut walk = Walk::new();
        let mut before = 0.0;
        let looks = times.iter().map(|&rounds| {
            let spent = CAUTION * spent(rounds as f64 / planned as f64);
            let share = spent - before;
            before = spent;
            Look { rounds, level: walk.spend(rounds as f64, error * share), share }
        });
        Self { all: looks.collect(), planned, error }
    }
}

/// The share of the error that is spent when this share of the planned rounds is done.
fn spent(done: f64) -> f64 {
    let kept = if done > 1.0 { KEPT * (1.0 - 1.0 / done) } else { 0.0 };
    (1.0 - KEPT) * done.min(1.0).powf(POWER) + kept
}

/// The numbers of rounds after which is looked: the plan's end is one of them.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive, and far below 2⁵³
fn times(planned: usize, until: usize) -> Vec<usize> {
    let next = |&rounds: &usize| {
        let next = ((rounds as f64 * GROWTH).round() as usize).max(rounds + 1);
        let end = if rounds < planned { planned } else { until };
        // A look right before the end is none.
        let near = next as f64 * GROWTH.sqrt() > end as f64;
        (rounds < end).then_some(if near { end } else { next })
    };
    std::iter::successors(Some(FIRST.min(planned)), next).collect()
}

/// The sum of what was seen, as a Brownian motion that has crossed no boundary so far: its density on a grid.
struct Walk {
    time: f64,
    density: Vec<(f64, f64)>,
}

/// Points of the grid; with them levels are right to three digits.
const GRID: usize = 120;

impl Walk {
    fn new() -> Self {
        Self { time: 0.0, density: vec![(0.0, 1.0)] }
    }

    /// The level of a test at `time` that adds `error` to the chance to have crossed; 0 when there is nothing to spend.
    fn spend(&mut self, time: f64, error: f64) -> f64 {
        let step = (time - self.time).sqrt();
        let beyond = |boundary: f64| -> f64 {
            let out = |x: f64| normal_below((x - boundary) / step) + normal_below((-boundary - x) / step);
            self.density.iter().map(|&(x, weight)| weight * out(x)).sum()
        };
        let (mut low, mut high) = (0.0, 12.0 * time.sqrt());
        for _ in 0..50 {
            let middle = f64::midpoint(low, high);
            if beyond(middle) > error { low = middle } else { high = middle }
        }
        self.go_on(time, high);
        2.0 * normal_below(-high / time.sqrt())
    }

    /// Those that stay within the boundary.
    fn go_on(&mut self, time: f64, boundary: f64) {
        let variance = time - self.time;
        let width = 2.0 * boundary.min(8.0 * time.sqrt()) / GRID as f64;
        let at = |index: usize| (index as f64 + 0.5 - GRID as f64 / 2.0) * width;
        let weight = |x: f64| -> f64 {
            let from = |&(y, weight): &(f64, f64)| weight * (-(x - y).powi(2) / 2.0 / variance).exp();
            width / (TAU * variance).sqrt() * self.density.iter().map(from).sum::<f64>()
        };
        self.density = (0..GRID).map(|index| (at(index), weight(at(index)))).collect();
        self.time = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_fixed_before() {
        let rounds =
            |planned| Looks::planned(planned, 0.05).all().iter().map(|l| l.rounds).collect::<Vec<_>>();
        assert_eq!(rounds(30), [6, 8, 10, 13, 17, 22, 30]);
        assert_eq!(rounds(6), [6]);
        assert_eq!(rounds(3), [3]);
        let (planned, extended) = (Looks::planned(30, 0.05), Looks::extended(30, 100, 0.05));
        assert_eq!(extended.all()[..7], *planned.all());
        assert_eq!(extended.all().last().map(|look| look.rounds), Some(100));
        assert_eq!(planned.after(7), None);
    }

    #[test]
    fn shares_sum_up_and_levels_are_larger() {
        let looks = Looks::extended(30, 1000, 0.05);
        let sum: f64 = looks.all().iter().map(|look| look.share).sum();
        assert!((0.99 * CAUTION..CAUTION).contains(&sum), "{sum}");
        assert!(looks.all().iter().all(|look| look.level >= 0.99 * 0.05 * look.share), "{looks:?}");
    }

    #[test]
    fn an_end_that_was_not_planned_spends_what_is_due_or_all_that_is_left() {
        let looks = Looks::planned(30, 0.05);
        let sum = |before: usize, last: Look| {
            looks.all().iter().filter(|look| look.rounds < before).map(|look| look.share).sum::<f64>()
                + last.share
        };
        let stopped = looks.unplanned(15, false);
        assert!((sum(15, stopped) - CAUTION * spent(0.5)).abs() < 1e-9, "{stopped:?}");
        let ended = looks.unplanned(15, true);
        assert!((sum(15, ended) - CAUTION * spent(1.0)).abs() < 1e-9, "{ended:?}");
        assert!(ended.level > stopped.level && ended.level < 0.05);
        assert_eq!(looks.unplanned(30, true), looks.after(30).unwrap());
    }

    #[test]
    fn the_tabulated_boundaries() {
        // Jennison & Turnbull, table 2.1: five equal steps at constant level, 5 % in all: z = 2.413 each.
        let level = 2.0 * normal_below(-2.413);
        let mut walk = Walk::new();
        let mut crossed = 0.0;
        for look in 1..=5 {
            let (mut low, mut high) = (0.0, 0.05);
            for _ in 0..40 {
                let middle = f64::midpoint(low, high);
                let mut next = Walk { density: walk.density.clone(), ..walk };
                if next.spend(f64::from(look), middle) < level { low = middle } else { high = middle }
            }
            crossed += low;
            walk.spend(f64::from(look), low);
        }
        assert!((crossed - 0.05).abs() < 2e-4, "{crossed}");
    }
}
