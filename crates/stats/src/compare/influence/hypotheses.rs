//! The hypotheses about the ranks of residuals, and how unlikely each one is.

use std::collections::BTreeMap;

use super::super::order::sorted;
use super::super::ranks::doubled_ranks;

/// The hypotheses about the ranks: all of them together, and each subject beside each neighbour.
pub(super) struct InfluenceAsked {
    /// The ranks among all.
    ranks: Vec<f64>,
    pub cells: Vec<InfluenceCell>,
}

/// The executions of one subject, and those among them beside one neighbour.
pub(super) struct InfluenceCell {
    pub subject: usize,
    pub beside: usize,
    /// The places of the subject's executions, and their ranks among themselves.
    places: Vec<usize>,
    ranks: Vec<f64>,
    /// The standard deviation of the rank sum beside that neighbour, if the ranks are drawn from
    /// all.
    deviation: f64,
}

impl InfluenceAsked {
    pub fn of(residuals: &[f64], places: &[Vec<usize>], beside: &[usize]) -> Self {
        let mut cells = Vec::new();
        for (subject, places) in places.iter().enumerate() {
            let own: Vec<f64> = places.iter().map(|&place| residuals[place]).collect();
            let (ranks, n) = (ranks(&own), own.len() as f64);
            let squares = ranks.iter().map(|rank| rank * rank).sum::<f64>();
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for &place in places {
                *counts.entry(beside[place]).or_default() += 1;
            }
            for (beside, count) in counts {
                let (count, others) = (count as f64, n - count as f64);
                let deviation = (count * others / (n - 1.0) * squares / n).sqrt();
                if count >= 2.0 && others >= 2.0 && deviation > 0.0 {
                    cells.push(InfluenceCell {
                        subject,
                        beside,
                        places: places.clone(),
                        ranks: ranks.clone(),
                        deviation,
                    });
                }
            }
        }
        Self { ranks: ranks(residuals), cells }
    }

    /// The statistic of each hypothesis, that of all together first. A larger statistic is less
    /// likely.
    pub fn statistics(&self, beside: &[usize]) -> Vec<f64> {
        let of_cell = |cell: &InfluenceCell| {
            let there = cell
                .places
                .iter()
                .zip(&cell.ranks)
                .filter(|(place, _)| beside[**place] == cell.beside);
            (there.map(|(_, rank)| rank).sum::<f64>() / cell.deviation).abs()
        };
        std::iter::once(statistic(&self.ranks, beside))
            .chain(self.cells.iter().map(of_cell))
            .collect()
    }
}

/// For each time that labels were dealt, the chance of each statistic: the share of all times in
/// which it was as large.
pub(super) fn chances(all: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut chances = vec![vec![1.0; all[0].len()]; all.len()];
    for which in 0..all[0].len() {
        let column = sorted(&all.iter().map(|one| one[which]).collect::<Vec<_>>());
        for (chance, one) in chances.iter_mut().zip(all) {
            let below = column.partition_point(|other| *other < one[which] * (1.0 - 1e-12));
            chance[which] = (column.len() - below) as f64 / column.len() as f64;
        }
    }
    chances
}

/// The sum over groups of the squared sum of ranks by the number of executions: what varies in
/// Kruskal & Wallis'.
fn statistic(ranks: &[f64], groups: &[usize]) -> f64 {
    let mut sums = vec![(0.0, 0.0); groups.iter().max().map_or(0, |last| last + 1)];
    for (rank, &group) in ranks.iter().zip(groups) {
        sums[group].0 += rank;
        sums[group].1 += 1.0;
    }
    sums.iter().map(|(sum, count)| sum * sum / count).sum()
}

/// Ranks from the middle, equal values sharing theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let doubled = doubled_ranks(values);
    let middle = values.len() as f64 + 1.0;
    doubled.into_iter().map(|rank| rank as f64 - middle).collect()
}
