//! One source in several layouts: the variation of each level, and the distance of each value from
//! the mean of the level above.

use tacho_report::layouts::cost;
use tacho_stats::Summary;
use tacho_stats::levels::{LayoutValues, Levels, Repetition};
use tacho_stats::summary::median;

use crate::lab::{LayoutRecord, LayoutSeries, LayoutsRecord};

/// For means known to ± these shares it is said how often to repeat.
const PRECISIONS: [f64; 4] = [0.05, 0.02, 0.01, 0.005];

/// A run over layouts.
pub(crate) struct LayoutsView<'a> {
    /// The measurements.
    pub(crate) record: &'a LayoutsRecord,
    /// As in the record.
    pub(crate) rows: Vec<LayoutsRow<'a>>,
}

/// A metric of a benchmark in all layouts.
pub(crate) struct LayoutsRow<'a> {
    /// The measurements.
    pub(crate) row: &'a LayoutSeries,
    /// Each layout with its name and what its executions say, each by the median of its values;
    /// those in a fixed order last.
    pub(crate) layouts: Vec<(String, &'a LayoutRecord, Option<Summary>)>,
    /// The variation of each level; `None` if unknown.
    pub(crate) levels: Option<Levels>,
    /// How far values are from their execution's mean, executions from their build's, builds from
    /// that of all: shares.
    pub(crate) apart: [Vec<f64>; 3],
    /// How many executions a build takes as long as, at least one.
    pub(crate) cost: f64,
    /// How often to repeat for which precision.
    pub(crate) repetitions: Vec<(f64, Repetition)>,
}

impl<'a> LayoutsView<'a> {
    /// Computes it all.
    pub(super) fn of(record: &'a LayoutsRecord) -> Self {
        Self { record, rows: record.rows.iter().map(row).collect() }
    }
}

fn row(row: &LayoutSeries) -> LayoutsRow<'_> {
    let measured: Vec<Vec<Vec<f64>>> =
        row.layouts.iter().map(|layout| layout.executions.clone()).collect();
    // Executions that were cut off hide how far executions differ.
    let is_known = row.layouts.iter().all(|layout| layout.limited.count == 0);
    let levels = Levels::of(LayoutValues(&measured)).filter(|_| is_known);
    let cost = cost(row.build, row.execution);
    let shuffled = row.layouts.iter().enumerate();
    let shuffled = shuffled.map(|(place, layout)| ((place + 1).to_string(), layout));
    let fixed = row.fixed.iter().map(|(name, layout)| (name.clone(), layout));
    let layouts = shuffled.chain(fixed).map(|(name, layout)| (name, layout, summary(layout)));
    let repetition = |precision: f64| {
        levels.and_then(|levels| Some((precision, levels.repetition(precision, cost)?)))
    };
    LayoutsRow {
        row,
        layouts: layouts.collect(),
        levels,
        apart: levels.map(|levels| apart(&measured, levels.mean)).unwrap_or_default(),
        cost,
        repetitions: PRECISIONS.into_iter().filter_map(repetition).collect(),
    }
}

/// The summary of a layout's executions, each by the median of its values.
fn summary(layout: &LayoutRecord) -> Option<Summary> {
    let values: Vec<f64> = layout.executions.iter().filter_map(|values| median(values)).collect();
    let summary = Summary::censored(&values, &layout.limited.bounds)?;
    Some(summary.with_reach(layout.reach))
}

/// The geometric mean: levels are distinguished in logarithms.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) =
        values.fold((0.0, 0_u32), |(sum, count), value| (sum + value.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// The distance of each value from its mean one level up. A single value has no distance, and is
/// left out.
fn apart(measured: &[Vec<Vec<f64>>], of_all: f64) -> [Vec<f64>; 3] {
    let [mut keep, mut restart, mut relink] = <[Vec<f64>; 3]>::default();
    for layout in measured {
        let means: Vec<f64> = layout.iter().filter_map(|of| mean(of.iter().copied())).collect();
        let Some(of_layout) = mean(means.iter().copied()) else { continue };
        relink.push(of_layout / of_all - 1.0);
        if means.len() > 1 {
            restart.extend(means.iter().map(|value| value / of_layout - 1.0));
        }
        for (values, mean) in layout.iter().filter(|of| !of.is_empty()).zip(&means) {
            if values.len() > 1 {
                keep.extend(values.iter().map(|value| value / mean - 1.0));
            }
        }
    }
    [keep, restart, if relink.len() > 1 { relink } else { Vec::new() }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_held_against_what_stands_above_it() {
        let measured =
            [vec![vec![99.0], vec![99.0]], vec![vec![102.0, 100.0], vec![101.0]], vec![vec![]]];
        let [keep, restart, relink] = apart(&measured, 100.0);
        assert_eq!(keep.len(), 2, "an execution with one value has no band");
        assert!((keep[0] - 0.0099).abs() < 0.001 && keep[1] < 0.0);
        assert_eq!((restart.len(), restart[0], relink.len()), (4, 0.0, 2));
        assert!((relink[0] + 0.01).abs() < 1e-9);
        assert_eq!(
            apart(&[vec![vec![1.0], vec![2.0]]], 1.0)[2].len(),
            0,
            "nothing to compare with"
        );
    }
}
