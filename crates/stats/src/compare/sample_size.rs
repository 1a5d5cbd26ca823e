//! How many more samples would settle what is unclear.

use crate::distribution::normal_quantile;

/// The chance to settle it that is aimed at.
const POWER: f64 = 0.8;

/// The further samples needed for a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoreSamples {
    /// Rounds (or samples on each side) beside those that there are, to settle it with a chance of
    /// about 80 % if the difference is what it seems to be.
    pub rounds: usize,
}

impl MoreSamples {
    /// Their cost, for the cost of one round.
    #[must_use]
    pub fn cost(&self, of_round: f64) -> f64 {
        self.rounds as f64 * of_round
    }
}

/// For a shift seen in this many rounds, between these bounds of this level of error, against this
/// margin.
///
/// An interval's width falls with the root of the number of samples, and the estimate varies around
/// the truth by half the width divided by the level's normal quantile. The interval settles as
/// *different* if it excludes no shift, as *same* if it is within the margin, whichever is nearer.
/// The part that a clock's steps hide on either side (`hidden`) remains with any number of rounds;
/// if it leaves nothing, no number of rounds settles the question.
pub(super) fn more(
    rounds: usize,
    shift: f64,
    bounds: (f64, f64),
    [margin, hidden]: [f64; 2],
    level: f64,
) -> Option<MoreSamples> {
    settling(rounds, shift.abs().max(margin - shift.abs()) - hidden, bounds, level)
}

/// The further samples for an interval on one side of a value at this distance from the finding.
pub(super) fn settling(
    rounds: usize,
    target: f64,
    bounds: (f64, f64),
    level: f64,
) -> Option<MoreSamples> {
    let half = (bounds.1 - bounds.0) / 2.0;
    let quantile = normal_quantile(1.0 - level / 2.0);
    let reach = half * (1.0 + normal_quantile(POWER) / quantile);
    if target > 0.0 { beside(rounds, (reach / target).powi(2)) } else { None }
}

/// For a test of this many rounds that came to the chance `p`, to come below `wanted`.
///
/// The finding is as many standard errors away as the normal distribution has at `p`. This number
/// grows with the root of the number of samples.
pub(super) fn for_chance(rounds: usize, p: f64, wanted: f64) -> Option<MoreSamples> {
    let found = -normal_quantile(p / 2.0);
    let reach = normal_quantile(POWER) - normal_quantile(wanted / 2.0);
    if found > 0.0 { beside(rounds, (reach / found).powi(2)) } else { None }
}

/// A multiple of the present number of rounds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // finite and positive
fn beside(rounds: usize, times: f64) -> Option<MoreSamples> {
    let needed = (rounds as f64 * times).ceil();
    (needed.is_finite() && needed < 1e9)
        .then(|| MoreSamples { rounds: (needed as usize).saturating_sub(rounds).max(1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steps_hide_no_number_of_rounds_shows() {
        let more = |shift, hidden| {
            more(20, shift, (-1.0, 3.0), [0.5, hidden], 0.05).map(|more| more.rounds)
        };
        assert!(more(1.0, 0.5) > more(1.0, 0.0), "{:?} {:?}", more(1.0, 0.5), more(1.0, 0.0));
        assert_eq!((more(1.0, 1.0), more(0.0, 0.5)), (None, None));
    }

    #[test]
    fn what_is_near_a_limit_takes_more_to_be_told_from_it() {
        let half = 0.02;
        let more = |found: f64| {
            let bounds = (found.ln() - half, found.ln() + half);
            settling(10, (found / 1.05).ln().abs(), bounds, 0.05).map(|more| more.rounds)
        };
        // Half the width has to be 1 / (1 + 0.84 / 1.96) of what lies between.
        assert_eq!((more(1.03), more(1.07)), (Some(13), Some(13)));
        assert!(
            more(1.045) > more(1.03) && more(1.2) == Some(1),
            "{:?} {:?}",
            more(1.045),
            more(1.2)
        );
        assert_eq!(more(1.05), None);
    }

    #[test]
    fn a_smaller_chance_takes_more_rounds() {
        let more = |p, wanted| for_chance(20, p, wanted).map(|more| more.rounds);
        // 2.58 standard errors in 20 rounds: 3.02 + 0.84 take (3.86 / 2.58)² times as many.
        assert_eq!(more(0.01, 0.0025), Some(26));
        assert!(more(0.01, 0.0005) > more(0.01, 0.0025));
        assert_eq!(more(1.0, 0.05), None, "nothing was found");
        assert_eq!(more(1e-9, 0.05), Some(1));
    }
}
