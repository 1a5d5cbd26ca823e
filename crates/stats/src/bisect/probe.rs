//! Probes of a verified effect: whether it persists under other circumstances.

use super::belief::RangeBelief;
use super::estimates::{self, RevisionLevels};
use super::noise::own_scale;
use super::outcome::EffectEstimate;
use super::record::Record;
use super::report;
use super::rules::{BisectionRules, ODDS, ValueKind, WITHIN};
use super::step::{Observation, ObservedValues};

/// The decision from pairs of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeDecision {
    /// No effect is more likely.
    Gone,
    /// The effect is as before.
    Holds,
    /// More pairs are needed.
    More,
    /// The effect has the opposite direction.
    Turned,
}

/// The effect that pairs of values show, one of the parent and one of the culprit, measured next to
/// each other with alternating order; and the decision, as soon as there is one.
///
/// The test is the sequential test of a verification, with the noise of these pairs alone: the
/// verified effect against no effect, 99 to 1 (Wald 1945). The effect holds only if its interval
/// excludes no effect, too.
#[must_use]
pub fn probe(
    rules: &BisectionRules,
    effect: EffectEstimate,
    pairs: &[(f64, f64)],
) -> (ProbeDecision, Option<EffectEstimate>) {
    let record = record(rules, pairs);
    let belief = RangeBelief::of((0, 1), &record, rules);
    let shown = between(&record, rules);
    let effect_shown = shown.map(|shown| report::effect(shown, &record, rules));
    let enough = |end: usize| {
        let mut values = record.of(end).map(|reading| reading.value);
        let first = values.next().unwrap_or(0.0);
        let steady = values.all(|value| (value - first).abs() < rules.least / 1000.0);
        record.count(end) >= belief.wanted(end) || (record.count(end) >= 2 && steady)
    };
    let (Some((step, variance)), true) = (shown, enough(0) && enough(1)) else {
        return (ProbeDecision::More, effect_shown);
    };
    let expected = match rules.values {
        ValueKind::Ratios => effect.estimate.ln_1p(),
        ValueKind::Differences | ValueKind::Failures => effect.estimate,
    };
    let scaled: Vec<(f64, f64)> =
        record.of(0).map(|of| of.value).zip(record.of(1).map(|of| of.value)).collect();
    let odds = belief.odds(&scaled, 1, expected);
    let turned =
        step * expected < 0.0 && step.abs() >= (WITHIN * variance.sqrt()).max(rules.least / 2.0);
    // Beside the word the interval of these pairs alone is said, and one with none in it would
    // belie it.
    let is_clear =
        step * expected > 0.0 && step.abs() > estimates::reach(&record, rules) * variance.sqrt();
    let probed = match odds {
        odds if odds >= ODDS && is_clear => ProbeDecision::Holds,
        odds if odds > -ODDS => ProbeDecision::More,
        _ if turned => ProbeDecision::Turned,
        _ => ProbeDecision::Gone,
    };
    (probed, effect_shown)
}

/// The difference that values of two revisions show, in the order in which they were taken. The
/// flag marks the later revision. `None` as long as one of them has no values.
#[must_use]
pub fn difference(rules: &BisectionRules, values: &[(bool, f64)]) -> Option<EffectEstimate> {
    let record = in_order(rules, values.iter().map(|(is_later, it)| (usize::from(*is_later), *it)));
    between(&record, rules).map(|shown| report::effect(shown, &record, rules))
}

/// How far values of the same revision vary, as a standard deviation on the scale of the effects
/// and without what drifts; and by how many differences that is known. Each value with its
/// revision, in the order in which they were taken.
#[must_use]
pub fn scatter(rules: &BisectionRules, values: &[(usize, f64)]) -> (f64, usize) {
    own_scale(&in_order(rules, values.iter().copied()).readings)
}

/// The change from the first revision to the second.
fn between(record: &Record, rules: &BisectionRules) -> Option<(f64, f64)> {
    estimates::between((0, 1), RevisionLevels::of(record, rules).as_ref(), record, rules)
}

fn in_order(rules: &BisectionRules, values: impl Iterator<Item = (usize, f64)>) -> Record {
    let mut record = Record::default();
    for (revision, value) in values {
        let seen = ObservedValues::Samples(vec![value]);
        record.add(&Observation { revision, seen, build: None, executing: 0.0 }, rules);
    }
    record
}

fn record(rules: &BisectionRules, pairs: &[(f64, f64)]) -> Record {
    let mut record = Record::default();
    for (at, (parent, culprit)) in pairs.iter().enumerate() {
        let both = [(0, *parent), (1, *culprit)];
        for place in [at % 2, 1 - at % 2] {
            let (revision, value) = both[place];
            let seen = ObservedValues::Samples(vec![value]);
            record.add(&Observation { revision, seen, build: None, executing: 0.0 }, rules);
        }
    }
    record
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::draw::gaussian;

    /// Pairs that differ by this share, until something is said of an effect of 5 %.
    fn probed(by: f64, noise: f64, seed: u64) -> (ProbeDecision, usize) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let effect = EffectEstimate { estimate: 0.05, interval: (0.04, 0.06) };
        let mut pairs = Vec::new();
        loop {
            let mut value = |level: f64| level * (noise * gaussian(&mut rng)).exp();
            pairs.push((value(100.0), value(100.0 * (1.0 + by))));
            match probe(&BisectionRules::default(), effect, &pairs).0 {
                ProbeDecision::More if pairs.len() < 200 => {}
                probed => return (probed, pairs.len()),
            }
        }
    }

    /// In how many of 300 bisected ranges the interval of the difference holds 12 %.
    fn covered(pairs: usize, noise: f64) -> usize {
        let rules = BisectionRules::default();
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let holds = |_: &usize| {
            let mut value = |level: f64| level * (noise * gaussian(&mut rng)).exp();
            let pair = |at| [(at % 2 == 1, value(100.0 + 12.0 * (at % 2) as f64))];
            let values: Vec<(bool, f64)> = (0..2 * pairs).flat_map(pair).collect();
            let (low, high) = difference(&rules, &values).unwrap().interval;
            low <= 0.12 && 0.12 <= high
        };
        (0..300).filter(holds).count()
    }

    #[test]
    fn intervals_of_a_few_pairs_hold_the_truth() {
        for pairs in [2, 3, 5] {
            for noise in [0.004, 0.01, 0.03] {
                let covered = covered(pairs, noise);
                // 95 % of 300, with a standard error of 1.3 %.
                assert!(covered >= 276, "{pairs} pairs, {noise}: {covered}");
            }
        }
    }

    #[test]
    fn an_effect_holds_is_gone_or_turns() {
        assert_eq!(
            probed(0.05, 0.0, 1),
            (ProbeDecision::Holds, 2),
            "without noise two pairs are enough"
        );
        let all = |by, noise| (0..20).map(move |seed| probed(by, noise, seed).0);
        let of = |by, noise, wanted| all(by, noise).filter(|said| *said == wanted).count();
        assert_eq!(of(-0.06, 0.01, ProbeDecision::Turned), 20);
        assert_eq!(of(-0.06, 0.03, ProbeDecision::Holds), 0);
        for noise in [0.01, 0.03] {
            // By the odds one of a hundred is wrong.
            assert!(of(0.05, noise, ProbeDecision::Holds) >= 18, "{noise}");
            assert!(of(0.0, noise, ProbeDecision::Gone) >= 18, "{noise}");
        }
        let (probed, pairs) = probed(0.05, 0.01, 3);
        assert!(probed == ProbeDecision::Holds && pairs <= 12, "{pairs}");
    }

    #[test]
    fn what_holds_is_clear_of_none() {
        let effect = EffectEstimate { estimate: 0.05, interval: (0.04, 0.06) };
        let mut unclear = 0;
        for (seed, by) in (0..3).flat_map(|seed| [0.0, 0.03, 0.05].map(|by| (seed, by))) {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut pairs = Vec::new();
            for _ in 0..40 {
                let mut value = |level: f64| level * (0.04 * gaussian(&mut rng)).exp();
                pairs.push((value(100.0), value(100.0 * (1.0 + by))));
                let (said, shown) = probe(&BisectionRules::default(), effect, &pairs);
                let is_clear = shown.is_some_and(|shown| shown.interval.0 > 0.0);
                assert!(
                    said != ProbeDecision::Holds || is_clear,
                    "{shown:?} of {by} in {} pairs",
                    pairs.len()
                );
                unclear += usize::from(said == ProbeDecision::More && !is_clear);
            }
        }
        assert!(unclear > 0, "noise of that size hides it for a while");
    }

    #[test]
    fn values_vary_by_their_noise_whatever_the_levels() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut value = |level: f64| level * (0.03 * gaussian(&mut rng)).exp();
        let level = |n: u32| if n % 2 == 1 { 150.0 } else { 100.0 + f64::from(n) / 40.0 };
        let values: Vec<(usize, f64)> =
            (0..400).map(|n| ((n % 2) as usize, value(level(n)))).collect();
        let (sd, differences) = scatter(&BisectionRules::default(), &values);
        assert!((sd - 0.03).abs() < 0.004, "{sd}");
        assert_eq!(differences, 398);
        assert_eq!(scatter(&BisectionRules::default(), &values[..2]), (0.0, 0));
    }
}
