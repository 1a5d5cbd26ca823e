//! The test whether builds differ by more than their samples and one step explain.

use super::record::Record;
use crate::distribution::fisher_quantile;

/// How sure it has to be before it is said that builds vary.
const SURE: f64 = 0.99;

/// Whether the levels of the measured revisions differ among themselves beside the one step that
/// explains most of their differences.
///
/// Fisher's test of variances: those of levels around the mean of their side of the step, against
/// those of samples around their level. The step is chosen after looking, which leaves less between
/// levels than chance would: errors are rarer than stated.
pub(super) fn are_shown(record: &Record) -> bool {
    let builds: Vec<Vec<f64>> = record
        .tested_programs()
        .map(|revision| record.of(revision).map(|reading| reading.value).collect())
        .collect();
    let samples: usize = builds.iter().map(Vec::len).sum();
    let (above, below) = (builds.len().saturating_sub(2), samples - builds.len());
    if above == 0 || below == 0 {
        return false;
    }
    let within: f64 = builds.iter().map(|values| squares(values)).sum();
    let sides = |step: usize| {
        let (before, after) = builds.split_at(step);
        [before, after].map(|side| squares(&side.concat())).iter().sum::<f64>()
    };
    let left = (1..builds.len()).map(sides).fold(f64::INFINITY, f64::min);
    let between = (left - within).max(0.0) / above as f64;
    // With equal samples, only rounding leaves a residual.
    if within <= f64::EPSILON * left {
        return left > 0.0;
    }
    let ratio = between / (within / below as f64);
    ratio > fisher_quantile(SURE, above as f64, below as f64)
}

/// The sum of squares around the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::{BisectionRules, Observation, ObservedValues};
    use super::*;
    use crate::draw::gaussian;

    /// Eight builds with a step of 5 % in their middle, in ten samples each.
    fn record(seed: u64, noise: f64, layout: f64) -> Record {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut record = Record::default();
        for revision in 0..8 {
            let step = if revision >= 4 { 0.05 } else { 0.0 };
            let level = step + layout * gaussian(&mut rng);
            let values = (0..10).map(|_| (level + noise * gaussian(&mut rng)).exp()).collect();
            let observation = Observation {
                revision,
                seen: ObservedValues::Samples(values),
                build: None,
                executing: 1.0,
            };
            record.add(&observation, &BisectionRules::default());
        }
        record
    }

    #[test]
    fn builds_are_said_to_vary_only_where_they_do() {
        let shown = |noise, layout| {
            (0..400).filter(|seed| are_shown(&record(*seed, noise, layout))).count()
        };
        // At most 1 in 100 is wrong, with room for the chance of 400.
        let wrong = shown(0.01, 0.0);
        assert!(wrong <= 8, "{wrong}");
        // Builds that vary as much as samples do are seen in 9 of 10 cases.
        let right = shown(0.01, 0.01);
        assert!(right >= 360, "{right}");
        assert_eq!((shown(0.0, 0.0), shown(0.0, 0.001)), (0, 400), "without noise");
    }
}
