//! Builds that are several of one source, linked in another order each: whose turn it is, and what
//! was measured of each.
//!
//! They are executed in turn, round by round, so that a round's number says which one it was. Two
//! executions of one are not independent: what counts is the median of each (docs/src/method).

use tacho_record::{Metric, Place, Sample};
use tacho_stats::Summary;
use tacho_store::Values;

/// The index of the layout that is executed at a place of a run with this many cells: by its round,
/// in the warmup by its pass.
#[must_use]
pub(crate) fn layout_at(place: Place, cells: usize, layouts: usize) -> usize {
    let turn = match place.round {
        0 => place.position as usize / cells.max(1),
        round => round as usize - 1,
    };
    turn % layouts.max(1)
}

/// The index of the layout in a round that is no warmup.
pub(crate) fn layout_of(round: u32, layouts: u32) -> usize {
    layout_at(Place { round, position: 0 }, 1, layouts as usize)
}

/// The medians of each layout of a build.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutMedians {
    /// The values of each.
    pub values: Vec<Vec<f64>>,
    /// The median of each that has one.
    pub medians: Vec<f64>,
    /// The lower bounds of the other layouts' medians, since executions reached a limit.
    pub bounds: Vec<f64>,
}

impl LayoutMedians {
    /// The medians from runs with this many layouts.
    pub fn new<'a>(all: impl IntoIterator<Item = &'a Values>, layouts: u32) -> Self {
        let mut values = vec![Vec::new(); layouts as usize];
        let mut bounds = vec![Vec::new(); layouts as usize];
        for one in all {
            for (round, value) in one.rounds.iter().zip(&one.values) {
                values[layout_of(*round, layouts)].push(*value);
            }
            for (round, bound) in one.bound_rounds.iter().zip(&one.limited.bounds) {
                bounds[layout_of(*round, layouts)].push(*bound);
            }
        }
        Self::summarised(values, &bounds)
    }

    /// The medians of a metric in these samples, including those at a limit.
    #[must_use]
    pub fn of_samples<'a>(
        samples: impl IntoIterator<Item = &'a Sample>,
        metric: &Metric,
        layouts: u32,
    ) -> Self {
        let mut values = vec![Vec::new(); layouts as usize];
        let mut bounds = vec![Vec::new(); layouts as usize];
        for sample in samples.into_iter().filter(|sample| sample.place.round > 0) {
            let layout = layout_of(sample.place.round, layouts);
            values[layout].extend(sample.value(&metric.name).filter(|_| sample.counts()));
            bounds[layout].extend(sample.bound(metric));
        }
        Self::summarised(values, &bounds)
    }

    fn summarised(values: Vec<Vec<f64>>, bounds: &[Vec<f64>]) -> Self {
        let (mut medians, mut least) = (Vec::new(), Vec::new());
        let summaries = values
            .iter()
            .zip(bounds)
            .filter_map(|(values, bounds)| Summary::censored(values, bounds));
        for summary in summaries {
            if summary.is_bound { &mut least } else { &mut medians }.push(summary.median);
        }
        Self { values, medians, bounds: least }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_take_turns() {
        let at = |round, position| layout_at(Place { round, position }, 4, 3);
        assert_eq!([1, 2, 3, 4].map(|round| at(round, 2)), [0, 1, 2, 0]);
        // Four cells: the first pass of the warmup is at positions 0 to 3.
        assert_eq!([0, 3, 4, 8, 12].map(|position| at(0, position)), [0, 0, 1, 2, 0]);
        assert_eq!(layout_at(Place { round: 7, position: 0 }, 4, 1), 0);
    }

    #[test]
    fn each_layout_counts_once_by_its_median() {
        let values = vec![vec![1.0, 3.0, 2.0], vec![], vec![5.0, 6.0]];
        let of = LayoutMedians::summarised(values.clone(), &[vec![], vec![9.0], vec![7.0, 8.0]]);
        // Of 5, 6 and two that would have been more, the median is somewhere above 6.
        assert_eq!((of.medians, of.bounds), (vec![2.0], vec![9.0, 6.5]));
        assert_eq!(of.values, values);
    }
}
