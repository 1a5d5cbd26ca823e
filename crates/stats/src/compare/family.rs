//! Many rows judged together: of those that are said to differ, few are wrong.

use super::sample_size::{self, MoreSamples};
use super::{Comparison, Verdict};
use crate::believed;

/// The verdicts of a family of comparisons (benchmarks × metrics), so that of the differences that
/// are reported at most this share is expected to be false; and the same of those that are said to
/// be the same.
///
/// Benjamini & Hochberg, "Controlling the False Discovery Rate", Journal of the Royal Statistical
/// Society B 57 (1995), over the chances of all rows, each divided by its look's share of the error
/// so that it is valid for any number of looks. The variant for any dependence (Benjamini &
/// Yekutieli 2001) would require ln m times as much; metrics of one execution depend on each other
/// positively, for which the plain procedure holds. Differences that are not believed become
/// unclear. One row is no family: its looks already keep the requested error.
#[must_use]
pub fn judge_together(rows: &[Comparison], share: f64) -> Vec<Verdict> {
    if let [row] = rows {
        return vec![row.verdict];
    }
    let differ: Vec<[f64; 1]> = rows.iter().map(|row| [row.p()]).collect();
    let same: Vec<[f64; 1]> = rows.iter().map(|row| [row.p_same()]).collect();
    let cut = |chances: &[[f64; 1]]| believed(chances.iter().map(<[f64; 1]>::as_slice), share);
    let (cut_differ, cut_same) = (cut(&differ), cut(&same));
    let judged = rows.iter().map(|row| match row.verdict {
        Verdict::Faster | Verdict::Slower if row.p() > cut_differ => Verdict::Unclear,
        Verdict::Same if row.p_same() > cut_same => Verdict::Unclear,
        verdict => verdict,
    });
    judged.collect()
}

/// Whether one row is slower and another one faster.
#[must_use]
pub fn is_trade_off(verdicts: &[Verdict]) -> bool {
    [Verdict::Slower, Verdict::Faster].iter().all(|verdict| verdicts.contains(verdict))
}

/// The places of rows in the order in which they are reported, by verdict and ratio: of a trade-off
/// what is slower first, then what is faster, the largest difference first; all others as they are.
/// From nothing to something there is no larger difference.
#[must_use]
pub fn order_of_telling(rows: &[(Verdict, Option<f64>)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let verdicts: Vec<Verdict> = rows.iter().map(|(verdict, _)| *verdict).collect();
    let first = |verdict: Verdict| match verdict {
        Verdict::Slower => 0,
        Verdict::Faster => 1,
        Verdict::Same | Verdict::Unclear => 2,
    };
    let size = |(verdict, ratio): (Verdict, Option<f64>)| {
        if verdict.differs() { ratio.map_or(f64::INFINITY, |ratio| ratio.ln().abs()) } else { 0.0 }
    };
    if is_trade_off(&verdicts) {
        order.sort_by(|&one, &other| {
            let places = first(verdicts[one]).cmp(&first(verdicts[other]));
            places.then_with(|| size(rows[other]).total_cmp(&size(rows[one])))
        });
    }
    order
}

impl Comparison {
    /// How many more would settle a row that is reported alone, but not among this many rows of
    /// which this share may be false.
    ///
    /// Enough to be believed whatever the others say, as the least of them all: at the share by the
    /// number of rows.
    #[must_use]
    pub fn more_among(&self, rows: usize, share: f64) -> Option<MoreSamples> {
        let p = match self.verdict {
            Verdict::Faster | Verdict::Slower => self.p(),
            Verdict::Same => self.p_same(),
            Verdict::Unclear => return None,
        };
        sample_size::for_chance(self.counts.a.min(self.counts.b), p, share / rows.max(1) as f64)
    }

    /// The chance of so large a difference, at any look, if there is no real one.
    #[must_use]
    pub fn p(&self) -> f64 {
        self.estimate.map_or(1.0, |estimate| (estimate.p / self.look.share).min(1.0))
    }

    /// The chance to seem this much the same, at any look, with a difference of the margin or more.
    #[must_use]
    pub fn p_same(&self) -> f64 {
        self.estimate.map_or(1.0, |estimate| (estimate.p_same / self.look.share).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_trade_off_what_is_slower_comes_first_then_what_is_faster() {
        let (same, slower, faster) = (Verdict::Same, Verdict::Slower, Verdict::Faster);
        let rows = [
            (same, Some(1.0)),
            (faster, Some(0.9)),
            (slower, Some(1.05)),
            (faster, Some(0.5)),
            (same, Some(1.005)),
            (slower, None),
        ];
        assert_eq!(order_of_telling(&rows), [5, 2, 3, 1, 0, 4]);
        assert_eq!(order_of_telling(&rows[..2]), [0, 1], "no trade-off");
        assert_eq!(order_of_telling(&[]), [0; 0]);
    }
}
