//! Verdicts from rounds.

use std::collections::BTreeMap;

use super::trimmed::TrimmedMean;
use super::{
    Dependence, DisturbanceEffect, KEPT, LevelEffect, PairProbe, ProbeRules, ProbeValues,
    RatioBounds, SHOWN_ERROR, UsualDifference,
};

/// Logarithms by round.
type ValuesByRound = BTreeMap<u32, f64>;

/// The difference of two programs under each of these disturbances.
#[must_use]
pub fn judge_pair(usual: &ProbeValues, disturbed: &[ProbeValues], rules: &ProbeRules) -> PairProbe {
    let differences = difference(&usual.a, &usual.b);
    let of_usual = of(&differences);
    let of_all = ProbeLevels::new(rules, disturbed.len(), differences.len());
    let known = of_all.usual(of_usual.as_ref(), rules);
    let sign = of_usual.map_or(1.0, |it| it.mean.signum());
    let effect = |values: &ProbeValues| {
        let under = difference(&values.a, &values.b);
        let levels = ProbeLevels::new(rules, disturbed.len(), under.len());
        let changes = both(&differences, &under, |usual, under| under - usual);
        let (ratio, change) = (of(&under), TrimmedMean::of(changes));
        let kept = both(&differences, &under, |usual, under| sign * (under - KEPT * usual));
        let dependence = match (known, ratio, TrimmedMean::of(kept)) {
            (UsualDifference::Differs, Some(ratio), Some(kept)) => {
                levels.left(sign, ratio, kept, rules)
            }
            (UsualDifference::Same, Some(ratio), _) => levels.appears(ratio, change, rules),
            _ => Dependence::Unknown,
        };
        DisturbanceEffect {
            ratio: ratio.map(|it| levels.shown(it)),
            change: change.map(|it| levels.shown(it)),
            levels: [(&usual.a, &values.a), (&usual.b, &values.b)]
                .map(|(usual, under)| of(&difference(usual, under)).map(|it| levels.shown(it))),
            dependence,
            rounds: both(&differences, &under, |_, under| under).len(),
        }
    };
    PairProbe {
        usual: of_usual.map(|it| of_all.shown(it)),
        difference: known,
        effects: disturbed.iter().map(effect).collect(),
    }
}

/// The effect of each of these disturbances on the level of A.
#[must_use]
pub fn judge_levels(
    usual: &ProbeValues,
    disturbed: &[ProbeValues],
    rules: &ProbeRules,
) -> Vec<LevelEffect> {
    let margin = rules.margin.ln_1p();
    let one = |values: &ProbeValues| {
        let changes = difference(&usual.a, &values.a);
        let levels = ProbeLevels::new(rules, disturbed.len(), changes.len());
        let level = of(&changes);
        let differs = level.and_then(|level| {
            let either = levels.depends / 2.0;
            let (low, high) = (level.above(either), level.below(either));
            let is_near = level.above(levels.holds) > -margin && level.below(levels.holds) < margin;
            if low > margin || high < -margin { Some(true) } else { is_near.then_some(false) }
        });
        LevelEffect { level: level.map(|it| levels.shown(it)), differs, rounds: changes.len() }
    };
    disturbed.iter().map(one).collect()
}

/// The chances at which bounds are taken.
struct ProbeLevels {
    /// The error of one disturbance at one look, for *depends*: all together have the probe's
    /// error.
    depends: f64,
    /// The error of one look, for *holds*.
    holds: f64,
    /// The error of either side of a displayed interval.
    shown: f64,
}

impl ProbeLevels {
    fn new(rules: &ProbeRules, disturbances: usize, rounds: usize) -> Self {
        let (holds, all) = (rules.error_after(rounds), disturbances.max(1) as f64);
        Self { depends: holds / all, holds, shown: SHOWN_ERROR / all / 2.0 }
    }

    fn shown(&self, it: TrimmedMean) -> RatioBounds {
        let [ratio, low, high] =
            [it.mean, it.above(self.shown), it.below(self.shown)].map(f64::exp);
        RatioBounds { ratio, low, high }
    }

    /// Whether the programs differ as usual.
    fn usual(&self, difference: Option<&TrimmedMean>, rules: &ProbeRules) -> UsualDifference {
        let Some(it) = difference else { return UsualDifference::Unknown };
        let margin = rules.margin.ln_1p();
        // Either way: half of the error each.
        let (low, high) = (it.above(self.holds / 2.0), it.below(self.holds / 2.0));
        match () {
            () if low > margin || high < -margin => UsualDifference::Differs,
            () if low > -margin && high < margin => UsualDifference::Same,
            () => UsualDifference::Unknown,
        }
    }

    /// The remaining part of a difference.
    fn left(
        &self,
        sign: f64,
        ratio: TrimmedMean,
        kept: TrimmedMean,
        rules: &ProbeRules,
    ) -> Dependence {
        if kept.above(self.holds) > 0.0 {
            return Dependence::Holds;
        }
        if kept.below(self.depends) >= 0.0 {
            return Dependence::Unknown;
        }
        let margin = rules.margin.ln_1p();
        // More than half is surely gone; the displayed interval decides the name of the rest.
        let ends = [ratio.above(self.shown), ratio.below(self.shown)].map(|end| sign * end);
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        match () {
            () if high < -margin => Dependence::Turned,
            () if low > margin => Dependence::Smaller,
            () => Dependence::Gone,
        }
    }

    /// Whether a difference appears that is not there usually.
    fn appears(
        &self,
        ratio: TrimmedMean,
        change: Option<TrimmedMean>,
        rules: &ProbeRules,
    ) -> Dependence {
        let margin = rules.margin.ln_1p();
        let outside = |it: &TrimmedMean, by: f64| {
            it.above(self.depends / 2.0) > by || it.below(self.depends / 2.0) < -by
        };
        let is_near = ratio.above(self.holds) > -margin && ratio.below(self.holds) < margin;
        match change {
            Some(change) if outside(&ratio, margin) && outside(&change, 0.0) => Dependence::Appears,
            _ if is_near => Dependence::NoneEither,
            _ => Dependence::Unknown,
        }
    }
}

/// By how much the second is above the first in each round that has both, as logarithms.
fn difference(first: &ValuesByRound, second: &ValuesByRound) -> ValuesByRound {
    let of = |(round, one): (&u32, &f64)| {
        let other = second.get(round)?;
        let difference = other.ln() - one.ln();
        difference.is_finite().then_some((*round, difference))
    };
    first.iter().filter_map(of).collect()
}

/// The mean of the rounds.
fn of(rounds: &ValuesByRound) -> Option<TrimmedMean> {
    TrimmedMean::of(rounds.values().copied().collect())
}

/// One number a round that is in both.
fn both(one: &ValuesByRound, other: &ValuesByRound, of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    one.iter().filter_map(|(round, one)| Some(of(*one, *other.get(round)?))).collect()
}
