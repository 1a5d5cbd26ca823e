//! Looking more than once without being wrong more often: the error is spent in parts, look by
//! look.
//!
//! Group-sequential testing with an error-spending function: Lan & `DeMets`, "Discrete Sequential
//! Boundaries for Clinical Trials", Biometrika 70 (1983); its power form: Kim & `DeMets`,
//! Biometrika 74 (1987); the calculation: Armitage, `McPherson` & Rowe, "Repeated Significance
//! Tests on Accumulating Data", Journal of the Royal Statistical Society A 132 (1969); the
//! intervals: Jennison & Turnbull, "Group Sequential Methods" (2000), 9.

use std::f64::consts::TAU;

use crate::distribution::normal_below;

/// With fewer rounds nothing can be reported.
const FIRST: usize = 6;
/// From look to look the rounds grow by this.
const GROWTH: f64 = 1.3;
/// The error spent grows with this power of the share of the planned rounds that is done.
const POWER: f64 = 1.5;
/// The share of the error that is reserved for looks beyond the plan.
const KEPT: f64 = 0.1;

/// The share of the error that is spent on verdicts. The estimator may change from look to look,
/// and growing noise makes looks depend on each other less than the calculation assumes. Simulated,
/// this costs up to a sixth more error. On a real host beside other work, with 0.85, a program
/// differed from itself in 3.0 % of comparisons, of which 2 % are allowed. With less than 0.7, six
/// rounds without a control would have no interval at all.
const CAUTION: f64 = 0.7;

/// The error that one look may spend, and the error of an interval shown at it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// After this many rounds.
    pub rounds: usize,
    /// The chance of an error of this look alone: its intervals have the confidence 1 − `level`,
    /// and all looks together err with the chance that was asked.
    pub level: f64,
    /// This look's share of the whole error: a p value divided by it is valid over all looks, with
    /// any dependence.
    pub share: f64,
    /// How often the interval that is shown may miss: 0.05 is 95 %.
    pub error: f64,
    /// For a difference that is reported first at this look: the probability with which each end of
    /// the displayed interval misses, as of a single look.
    pub ends: LookEnds,
}

/// The ends of a difference's interval, nearer to no difference and farther from it: the
/// probabilities to miss.
///
/// The nearer one has less, since what is reported by chance looks large; the farther one more,
/// since it would have been reported before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookEnds {
    /// Towards no difference.
    pub near: f64,
    /// Away from it.
    pub far: f64,
}

impl Look {
    /// The only one.
    #[must_use]
    pub fn only(rounds: usize, error: f64) -> Self {
        let half = error / 2.0;
        Self { rounds, level: error, share: 1.0, error, ends: LookEnds { near: half, far: half } }
    }

    /// The same for a comparison that a report at this look does not end: it was reported before,
    /// or continues in any case.
    #[must_use]
    pub fn in_passing(self) -> Self {
        Self { ends: Self::only(self.rounds, self.error).ends, ..self }
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
    /// For this many rounds planned, and `error` as the chance that any of all looks errs.
    #[must_use]
    pub fn planned(rounds: usize, error: f64) -> Self {
        let mut walk = Walk::new();
        let mut before = 0.0;
        let looks = times(rounds).into_iter().map(|at| {
            let spent = CAUTION * spent(at as f64 / rounds as f64);
            let share = spent - before;
            before = spent;
            let look = walk.look(at, error, share);
            Look { ends: walk.ends(error), ..look }
        });
        Self { all: looks.collect(), planned: rounds, error }
    }

    /// The look that is due after this many rounds.
    #[must_use]
    pub fn after(&self, rounds: usize) -> Option<Look> {
        self.all.iter().copied().find(|look| look.rounds == rounds)
    }

    /// The look at an unplanned end, after the earlier looks. It spends the error due by then. If
    /// it is the `last` for a reason independent of the values, such as a budget, it spends all the
    /// error that is left.
    #[must_use]
    pub fn unplanned(&self, rounds: usize, last: bool) -> Look {
        let rounds = rounds.max(1);
        let mut times: Vec<usize> =
            self.all.iter().map(|look| look.rounds).filter(|&look| look < rounds).collect();
        times.push(rounds);
        let planned = if last { rounds.min(self.planned) } else { self.planned };
        let mut walk = Walk::new();
        let mut before = 0.0;
        let mut look = Look { level: 0.0, share: 0.0, ..Look::only(rounds, self.error) };
        for time in times {
            let of = if time == rounds { planned } else { self.planned };
            let spent = CAUTION * spent(time as f64 / of as f64);
            let share = (spent - before).max(0.0);
            before = spent;
            look = walk.look(time, self.error, share);
        }
        Look { ends: walk.ends(self.error), ..look }
    }

    /// All of them, in order.
    #[must_use]
    pub fn all(&self) -> &[Look] {
        &self.all
    }
}

/// The share of the error that is spent when this share of the planned rounds is done.
fn spent(done: f64) -> f64 {
    let kept = if done > 1.0 { KEPT * (1.0 - 1.0 / done) } else { 0.0 };
    (1.0 - KEPT) * done.min(1.0).powf(POWER) + kept
}

/// The numbers of rounds after which is looked: the plan's end is one of them.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive, and far below 2⁵³
fn times(planned: usize) -> Vec<usize> {
    let next = |&rounds: &usize| {
        let next = ((rounds as f64 * GROWTH).round() as usize).max(rounds + 1);
        // There is no look right before the end.
        let near = next as f64 * GROWTH.sqrt() > planned as f64;
        (rounds < planned).then_some(if near { planned } else { next })
    };
    std::iter::successors(Some(FIRST.min(planned)), next).collect()
}

/// The sum of what was seen, as a Brownian motion that has crossed no boundary so far: its density
/// on a grid.
#[derive(Clone)]
struct Walk {
    time: f64,
    density: Vec<(f64, f64)>,
    /// The looks that were.
    looked: Vec<PastLook>,
}

/// A look that was: at this time, with this boundary, after those that had stayed within those
/// before.
#[derive(Clone)]
struct PastLook {
    since: f64,
    density: Vec<(f64, f64)>,
    time: f64,
    boundary: f64,
}

/// Points of the grid; with them levels are right to three digits.
const GRID: usize = 120;

impl Walk {
    fn new() -> Self {
        Self { time: 0.0, density: vec![(0.0, 1.0)], looked: Vec::new() }
    }

    /// The next look, but for the ends of what is shown at it.
    fn look(&mut self, rounds: usize, error: f64, share: f64) -> Look {
        Look { level: self.spend(rounds as f64, error * share), share, ..Look::only(rounds, error) }
    }

    /// The errors of the ends of an interval at the last look that misses with probability `error`,
    /// by the order of how soon a difference is reported (Siegmund, "Estimation Following
    /// Sequential Tests", Biometrika 65 (1978)): at a boundary the interval contains each drift for
    /// which the probability of so early a report is neither less than half of the error, nor more
    /// than one minus that.
    fn ends(&self, error: f64) -> LookEnds {
        let Some(last) = self.looked.last() else { return Look::only(0, error).ends };
        let (seen, scale) = (last.boundary / last.time.sqrt(), last.time.sqrt());
        let drift = |chance: f64| {
            let (mut low, mut high) = (-4.0 / scale, (seen + 8.0) / scale);
            for _ in 0..30 {
                let middle = f64::midpoint(low, high);
                if self.found_above(middle) < chance { low = middle } else { high = middle }
            }
            high * scale
        };
        LookEnds {
            near: normal_below(drift(error / 2.0) - seen),
            far: normal_below(seen - drift(1.0 - error / 2.0)),
        }
    }

    /// The chance that it has crossed the upper boundary first, with this drift.
    fn found_above(&self, drift: f64) -> f64 {
        let at = |look: &PastLook| -> f64 {
            let step = look.time - look.since;
            let above = |&(x, weight): &(f64, f64)| {
                // The effect of a drift on the probabilities of places: Girsanov.
                let tilt = (drift * x - drift * drift * look.since / 2.0).exp();
                weight * tilt * normal_below((x + drift * step - look.boundary) / step.sqrt())
            };
            look.density.iter().map(above).sum()
        };
        self.looked.iter().map(at).sum()
    }

    /// The level of a test at `time` that adds `error` to the chance to have crossed; 0 when there
    /// is nothing to spend.
    fn spend(&mut self, time: f64, error: f64) -> f64 {
        let step = (time - self.time).sqrt();
        let beyond = |boundary: f64| -> f64 {
            let out =
                |x: f64| normal_below((x - boundary) / step) + normal_below((-boundary - x) / step);
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

    /// The paths that stay within the boundary.
    fn go_on(&mut self, time: f64, boundary: f64) {
        let variance = time - self.time;
        let width = 2.0 * boundary.min(8.0 * time.sqrt()) / GRID as f64;
        let at = |index: usize| (index as f64 + 0.5 - GRID as f64 / 2.0) * width;
        let weight = |x: f64| -> f64 {
            let from =
                |&(y, weight): &(f64, f64)| weight * (-(x - y).powi(2) / 2.0 / variance).exp();
            width / (TAU * variance).sqrt() * self.density.iter().map(from).sum::<f64>()
        };
        let within = (0..GRID).map(|index| (at(index), weight(at(index)))).collect();
        let density = std::mem::replace(&mut self.density, within);
        self.looked.push(PastLook { since: self.time, density, time, boundary });
        self.time = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::normal_quantile;

    #[test]
    fn looks_are_fixed_before() {
        let rounds = |planned| {
            Looks::planned(planned, 0.05).all().iter().map(|l| l.rounds).collect::<Vec<_>>()
        };
        assert_eq!(rounds(30), [6, 8, 10, 13, 17, 22, 30]);
        assert_eq!(rounds(6), [6]);
        assert_eq!(rounds(3), [3]);
        assert_eq!(Looks::planned(30, 0.05).after(7), None);
    }

    #[test]
    fn shares_sum_up_and_levels_are_larger() {
        let looks = Looks::planned(30, 0.05);
        let beyond = looks.unplanned(1000, false);
        let all = || looks.all().iter().chain([&beyond]);
        let sum: f64 = all().map(|look| look.share).sum();
        assert!((0.99 * CAUTION..CAUTION).contains(&sum), "{sum}");
        assert!(all().all(|look| look.level >= 0.99 * 0.05 * look.share), "{looks:?}");
    }

    #[test]
    fn an_end_that_was_not_planned_spends_what_is_due_or_all_that_is_left() {
        let looks = Looks::planned(30, 0.05);
        let sum = |before: usize, last: Look| {
            looks
                .all()
                .iter()
                .filter(|look| look.rounds < before)
                .map(|look| look.share)
                .sum::<f64>()
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
        // Jennison & Turnbull, table 2.1: five equal steps at constant level, 5 % in all: z = 2.413
        // each.
        let level = 2.0 * normal_below(-2.413);
        let mut walk = Walk::new();
        let mut crossed = 0.0;
        for look in 1..=5 {
            let (mut low, mut high) = (0.0, 0.05);
            for _ in 0..40 {
                let middle = f64::midpoint(low, high);
                let mut next = walk.clone();
                if next.spend(f64::from(look), middle) < level {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            crossed += low;
            walk.spend(f64::from(look), low);
        }
        assert!((crossed - 0.05).abs() < 2e-4, "{crossed}");
    }

    /// How often what is shown at the end holds the drift, for one so far from none, in standard
    /// errors of the last look.
    fn covers(looks: &Looks, far: f64) -> f64 {
        let mut walk = Walk::new();
        looks.all().iter().for_each(|look| {
            walk.look(look.rounds, looks.error, look.share);
        });
        let drift = far / (looks.planned as f64).sqrt();
        let q = |chance: f64| -normal_quantile(chance);
        let detected = walk.looked.iter().zip(looks.all()).map(|(at, Look { ends, .. })| {
            let (seen, scale) = (drift * at.time.sqrt(), at.time.sqrt());
            let first = at.boundary / scale;
            walk_between(at, drift, (first.max(seen - q(ends.far)), seen + q(ends.near)))
        });
        let detected: f64 = detected.sum();
        let at = walk.looked.last().unwrap();
        let (plain, repeated) = (q(looks.error / 2.0), at.boundary / at.time.sqrt());
        let left =
            [(-plain, plain, plain), (plain, repeated, repeated), (-repeated, -plain, repeated)];
        let left = left.map(|(low, high, reach)| {
            walk_between(at, drift, (low.max(far - reach), high.min(far + reach)))
        });
        detected + left.iter().sum::<f64>()
    }

    /// The chance to come to this look, and to see a drift between these, in its standard errors.
    fn walk_between(at: &PastLook, drift: f64, (low, high): (f64, f64)) -> f64 {
        let (step, scale) = (at.time - at.since, at.time.sqrt());
        let chance = |&(x, weight): &(f64, f64)| {
            let tilt = (drift * x - drift * drift * at.since / 2.0).exp();
            let below = |z: f64| normal_below((z * scale - x - drift * step) / step.sqrt());
            weight * tilt * (below(high) - below(low)).max(0.0)
        };
        at.density.iter().map(chance).sum()
    }

    #[test]
    fn what_is_shown_covers_as_often_as_it_says_whatever_there_is() {
        for planned in [6, 10, 30, 100, 1000] {
            let looks = Looks::planned(planned, 0.05);
            for step in 0..=40 {
                let covered = covers(&looks, f64::from(step) / 4.0);
                assert!(
                    (0.93..=0.97).contains(&covered),
                    "{planned} rounds, {step} quarters: {covered}"
                );
            }
        }
    }

    #[test]
    fn what_is_shown_is_within_what_the_verdict_is_by() {
        for planned in [6, 30, 1000] {
            for look in Looks::planned(planned, 0.05).all() {
                let LookEnds { near, far } = look.ends;
                assert!(look.level / 2.0 <= near && near <= 0.0251 && far >= 0.0249, "{look:?}");
            }
        }
        let LookEnds { near, far } = Looks::planned(30, 0.05).all()[0].ends;
        assert!(
            (near - 0.025).abs() < 1e-6 && (far - 0.025).abs() < 1e-6,
            "who is told first is not favoured"
        );
    }
}
