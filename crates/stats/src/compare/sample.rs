//! Samples with the round and the levels that they belong to.

use std::collections::BTreeMap;

use crate::Bound;

/// One value of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleValue {
    /// The value, or the limit that it reached. Samples whose value is not finite are left out.
    pub value: f64,
    /// How the value bounds the true one.
    pub bound: Bound,
    /// The round that it was measured in; samples of both sides in one round are a pair.
    pub round: Option<u32>,
    /// Its place in the round's order of executions, which was drawn at random; absent where that
    /// is not known.
    pub position: Option<u32>,
    /// Which layout of the program it is of (links, addresses), where there are several.
    pub layout: Option<u32>,
}

impl SampleValue {
    /// A value on its own.
    #[must_use]
    pub fn new(value: f64) -> Self {
        Self { value, bound: Bound::Exact, round: None, position: None, layout: None }
    }

    /// The same, measured in a round.
    #[must_use]
    pub fn in_round(self, round: u32) -> Self {
        Self { round: Some(round), ..self }
    }

    /// The same, executed at this place of the round.
    #[must_use]
    pub fn at(self, position: u32) -> Self {
        Self { position: Some(position), ..self }
    }

    /// The same, of one of several layouts of the program.
    #[must_use]
    pub fn of_layout(self, layout: u32) -> Self {
        Self { layout: Some(layout), ..self }
    }

    /// The same, of a limit that was reached.
    #[must_use]
    pub fn at_least(self) -> Self {
        Self { bound: Bound::AtLeast, ..self }
    }

    /// Whether the value is exact.
    pub(super) fn is_exact(&self) -> bool {
        self.bound == Bound::Exact
    }

    /// The least that the value can be.
    pub(super) fn low(&self) -> f64 {
        if matches!(self.bound, Bound::AtMost | Bound::Unknown) {
            f64::NEG_INFINITY
        } else {
            self.value
        }
    }

    /// The most that the value can be.
    pub(super) fn high(&self) -> f64 {
        if matches!(self.bound, Bound::AtLeast | Bound::Unknown) {
            f64::INFINITY
        } else {
            self.value
        }
    }
}

/// The samples with a finite value.
pub(super) fn finite(samples: &[SampleValue]) -> Vec<SampleValue> {
    samples.iter().copied().filter(|sample| sample.value.is_finite()).collect()
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// By their ratio, as differences of logarithms.
    Ratio,
    /// By their difference, since some are zero or negative.
    Difference,
}

impl Scale {
    /// By ratio, where all values are above zero.
    pub(super) fn of(samples: &[&[SampleValue]]) -> Self {
        let positive = samples.iter().flat_map(|side| side.iter()).all(|sample| sample.value > 0.0);
        if positive { Self::Ratio } else { Self::Difference }
    }

    /// A value as it is compared.
    pub(super) fn of_value(self, value: f64) -> f64 {
        match self {
            Self::Ratio if value <= 0.0 => f64::NEG_INFINITY,
            Self::Ratio => value.ln(),
            Self::Difference => value,
        }
    }

    /// The value that is compared as this.
    pub(super) fn value_of(self, compared: f64) -> f64 {
        match self {
            Self::Ratio => compared.exp(),
            Self::Difference => compared,
        }
    }
}

/// The samples of both sides by round, for the rounds that have both.
pub(super) fn rounds<'a>(
    a: &'a [SampleValue],
    b: &'a [SampleValue],
) -> Vec<(Vec<&'a SampleValue>, Vec<&'a SampleValue>)> {
    let mut rounds: BTreeMap<u32, (Vec<&SampleValue>, Vec<&SampleValue>)> = BTreeMap::new();
    for (round, sample) in a.iter().filter_map(|sample| Some((sample.round?, sample))) {
        rounds.entry(round).or_default().0.push(sample);
    }
    for (round, sample) in b.iter().filter_map(|sample| Some((sample.round?, sample))) {
        rounds.entry(round).or_default().1.push(sample);
    }
    rounds.into_values().filter(|(a, b)| !a.is_empty() && !b.is_empty()).collect()
}

/// Whether one of several layouts was measured in several rounds: rounds are not independent then.
pub(super) fn rounds_share_layouts(samples: &[SampleValue]) -> bool {
    let count = |of: &dyn Fn(&SampleValue) -> Option<u32>| {
        samples.iter().filter_map(of).collect::<std::collections::BTreeSet<u32>>().len()
    };
    let layouts = count(&|sample| sample.layout);
    layouts > 1 && layouts < count(&|sample| sample.round)
}

/// The samples by layout, if there are several layouts and one of them has several samples; `None`
/// if the samples are independent.
pub(super) fn layouts(samples: &[SampleValue]) -> Option<Vec<Vec<&SampleValue>>> {
    let mut layouts: BTreeMap<u32, Vec<&SampleValue>> = BTreeMap::new();
    for sample in samples {
        layouts.entry(sample.layout?).or_default().push(sample);
    }
    let is_nested = layouts.len() > 1 && layouts.len() < samples.len();
    is_nested.then(|| layouts.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_pair_what_both_sides_have() {
        let a = [
            SampleValue::new(1.0).in_round(1),
            SampleValue::new(2.0).in_round(2),
            SampleValue::new(3.0),
        ];
        let b = [
            SampleValue::new(4.0).in_round(2),
            SampleValue::new(5.0).in_round(2),
            SampleValue::new(6.0).in_round(3),
        ];
        assert_eq!(rounds(&a, &b), [(vec![&a[1]], vec![&b[0], &b[1]])]);
    }

    #[test]
    fn samples_are_in_groups_where_layouts_have_several() {
        let groups = |of: u32, executions: u32| {
            let sample = |i: u32| SampleValue::new(1.0).of_layout(i % of);
            let samples: Vec<SampleValue> = (0..of * executions).map(sample).collect();
            layouts(&samples).map(|groups| groups.len())
        };
        assert_eq!([groups(3, 2), groups(3, 1), groups(1, 4)], [Some(3), None, None]);
        assert_eq!(layouts(&[SampleValue::new(1.0), SampleValue::new(2.0)]), None);
    }

    #[test]
    fn what_has_zeros_is_compared_by_difference() {
        let (some, zero) = ([SampleValue::new(1.0)], [SampleValue::new(0.0)]);
        assert_eq!(Scale::of(&[&some, &some]), Scale::Ratio);
        assert_eq!(Scale::of(&[&some, &zero]), Scale::Difference);
        assert_eq!(Scale::Ratio.of_value(f64::NEG_INFINITY), f64::NEG_INFINITY);
    }
}
