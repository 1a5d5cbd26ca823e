//! Two sides, ready for asking whether the second is above the first.

use std::sync::Arc;

use super::order::sorted;
use super::sample::{self, SampleValue, Scale};
use crate::interleaved::{self, InterleavedExecution};

/// The layouts of both sides, each with its values as they are compared.
pub(super) type Layouts = [Vec<Vec<f64>>; 2];

/// A side's samples, and those of the control where it is the same program.
pub(super) type WithControl<'a> = [&'a [SampleValue]; 2];

/// Values of both sides as they are compared.
#[derive(Clone, Debug)]
pub(super) struct RunContrast {
    pub scale: Scale,
    /// Ascending.
    pub a: Vec<f64>,
    /// Ascending.
    pub b: Vec<f64>,
    /// Both again, each with the control's values where it is its program: ascending.
    pub pooled: [Vec<f64>; 2],
    /// For each round with both, B's median above A's; ascending.
    pub rounds: Vec<f64>,
    /// The values of each side by layout, where there are several.
    pub layouts: Option<Layouts>,
    /// Both sides in order of time, where that is known.
    pub neighbours: Option<DirectedContrast>,
}

/// Two programs in order of time, seen from either.
#[derive(Clone, Debug)]
pub(super) struct DirectedContrast {
    pub both: Arc<interleaved::Contrast>,
    /// Whether the question is how far the first is above the second.
    pub is_reversed: bool,
}

impl DirectedContrast {
    /// The contrast of samples with round and place, of both sides and the control, which is A
    /// again. `None` if these are unknown for some, and for levels, limits and values without a
    /// logarithm.
    pub fn of(
        scale: Scale,
        a: &[SampleValue],
        b: &[SampleValue],
        control: &[SampleValue],
    ) -> Option<Self> {
        if scale == Scale::Difference {
            return None;
        }
        let sides = [(0, a), (1, b), (0, control)];
        let all =
            sides.into_iter().flat_map(|(program, side)| side.iter().map(move |it| (program, it)));
        let place = |(program, sample): (usize, &SampleValue)| {
            let is_plain = sample.is_exact() && sample.layout.is_none();
            let round = sample.round.filter(|_| is_plain)?;
            let execution = InterleavedExecution { program, round, value: sample.value.ln() };
            Some((round, sample.position?, execution))
        };
        let mut places: Vec<_> = all.map(place).collect::<Option<_>>()?;
        places.sort_by_key(|&(round, position, _)| (round, position));
        let executions: Vec<InterleavedExecution> =
            places.into_iter().map(|(_, _, execution)| execution).collect();
        let both = interleaved::Contrast::of(&executions)?;
        Some(Self { both: Arc::new(both), is_reversed: false })
    }

    pub fn reversed(&self) -> Self {
        Self { both: Arc::clone(&self.both), is_reversed: !self.is_reversed }
    }

    pub fn shift(&self) -> f64 {
        if self.is_reversed { -self.both.shift() } else { self.both.shift() }
    }

    /// `None` where nothing bounds it yet.
    pub fn bound_below(&self, level: f64) -> Option<f64> {
        let bound = if self.is_reversed {
            -self.both.bound_above(level)
        } else {
            self.both.bound_below(level)
        };
        bound.is_finite().then_some(bound)
    }

    pub fn chance_above(&self, by: f64) -> f64 {
        if self.is_reversed { self.both.chance_below(-by) } else { self.both.chance_above(by) }
    }
}

impl RunContrast {
    /// The values themselves, limits that were reached included.
    pub fn stated(scale: Scale, sides: [WithControl; 2]) -> Self {
        Self::of(scale, sides, &|sample| sample.value, &|sample| sample.value)
    }

    /// Unknown values of the first side count as high, and those of the second as low: a second
    /// side that is still above is surely above.
    pub fn against(scale: Scale, sides: [WithControl; 2]) -> Self {
        Self::of(scale, sides, &SampleValue::high, &SampleValue::low)
    }

    /// A number of rounds in which both sides, and a control, have their constant values.
    pub fn alike(scale: Scale, rounds: usize, has_control: bool) -> Self {
        let all = vec![0.0; rounds];
        let with_control = vec![0.0; if has_control { 2 * rounds } else { rounds }];
        Self {
            scale,
            a: all.clone(),
            b: all.clone(),
            pooled: [with_control, all.clone()],
            rounds: all,
            layouts: None,
            neighbours: None,
        }
    }

    fn of(
        scale: Scale,
        [[a, control_a], [b, control_b]]: [WithControl; 2],
        of_a: &dyn Fn(&SampleValue) -> f64,
        of_b: &dyn Fn(&SampleValue) -> f64,
    ) -> Self {
        let value_a = |sample: &SampleValue| scale.of_value(of_a(sample));
        let value_b = |sample: &SampleValue| scale.of_value(of_b(sample));
        let rounds =
            if sample::rounds_share_layouts(a) { Vec::new() } else { sample::rounds(a, b) };
        let rounds = rounds.iter().map(|(a, b)| centre(b, &value_b) - centre(a, &value_a));
        let layouts = |samples, value: &dyn Fn(&SampleValue) -> f64| {
            let layouts = sample::layouts(samples)?;
            let values =
                |layout: &Vec<&SampleValue>| layout.iter().map(|sample| value(sample)).collect();
            Some(layouts.iter().map(values).collect::<Vec<Vec<f64>>>())
        };
        let alone = |samples: &[SampleValue], value: &dyn Fn(&SampleValue) -> f64| {
            samples.iter().map(|sample| vec![value(sample)]).collect()
        };
        let layouts = match (layouts(a, &value_a), layouts(b, &value_b)) {
            (None, None) => None,
            (of_a, of_b) => Some([
                of_a.unwrap_or_else(|| alone(a, &value_a)),
                of_b.unwrap_or_else(|| alone(b, &value_b)),
            ]),
        };
        let own = [values(a, &value_a), values(b, &value_b)];
        let pooled = [
            [own[0].clone(), values(control_a, &value_a)],
            [own[1].clone(), values(control_b, &value_b)],
        ];
        Self {
            scale,
            a: sorted(&own[0]),
            b: sorted(&own[1]),
            pooled: pooled.map(|both| sorted(&both.concat())),
            rounds: sorted(&rounds.collect::<Vec<_>>()),
            layouts,
            neighbours: None,
        }
    }
}

/// Values as they are compared, in the order of the samples.
fn values(samples: &[SampleValue], value: &dyn Fn(&SampleValue) -> f64) -> Vec<f64> {
    samples.iter().map(value).collect()
}

/// The median.
pub(super) fn centre(samples: &[&SampleValue], value: &dyn Fn(&SampleValue) -> f64) -> f64 {
    let sorted = sorted(&samples.iter().map(|sample| value(sample)).collect::<Vec<_>>());
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    if low == high { low } else { f64::midpoint(low, high) }
}
