//! Residuals of values after those of their subjects are subtracted, all together and by neighbour.

use std::collections::BTreeMap;

use super::super::SampleValue;
use super::super::order::{quantile, sorted};
use super::super::sample::Scale;

/// One execution, and what may have influenced it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedSample {
    /// The program.
    pub subject: u32,
    /// The neighbour: the program executed before, the place in the round, the hour of the day.
    pub beside: u32,
    /// The value of the metric.
    pub value: f64,
}

/// The executions beside one neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualGroup {
    /// The neighbour.
    pub beside: u32,
    /// How many.
    pub count: usize,
    /// The median of the residuals.
    pub residual: f64,
}

/// The values minus the medians of their subjects.
pub(super) fn residuals(executions: &[PlacedSample]) -> Vec<f64> {
    let samples: Vec<SampleValue> =
        executions.iter().map(|execution| SampleValue::new(execution.value)).collect();
    let scale = Scale::of(&[&samples]);
    let mut by_subject: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for execution in executions {
        by_subject.entry(execution.subject).or_default().push(scale.of_value(execution.value));
    }
    let medians: BTreeMap<u32, f64> = by_subject
        .into_iter()
        .filter_map(|(subject, values)| Some((subject, quantile(&sorted(&values), 0.5)?)))
        .collect();
    executions
        .iter()
        .map(|execution| scale.of_value(execution.value) - medians[&execution.subject])
        .collect()
}

pub(super) fn groups(residuals: &[f64], beside: &[u32]) -> Vec<ResidualGroup> {
    let mut groups: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (&residual, &beside) in residuals.iter().zip(beside) {
        groups.entry(beside).or_default().push(residual);
    }
    let group = |(beside, values): (u32, Vec<f64>)| {
        let residual = quantile(&sorted(&values), 0.5)?;
        Some(ResidualGroup { beside, count: values.len(), residual })
    };
    groups.into_iter().filter_map(group).collect()
}
