//! Many rows judged together: of those that are said to differ, few are wrong.

use super::more::{self, More};
use super::{Comparison, Verdict};
use crate::believed;

/// The verdicts of a family of comparisons (benchmarks × metrics), so that of the differences that are told at most this
/// share is expected to be false; and the same of those that are said to be the same.
///
/// Benjamini & Hochberg, "Controlling the False Discovery Rate", Journal of the Royal Statistical Society B 57 (1995),
/// over the chances of all rows, each divided by its look's share of the error so that it is valid however often was looked.
/// The variant for any dependence (Benjamini & Yekutieli 2001) would ask ln m times as much; metrics of one execution
/// depend on each other positively, for which the plain one holds. What is not believed becomes unclear.
#[must_use]
pub fn judge_together(rows: &[Comparison], share: f64) -> Vec<Verdict> {
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

impl Comparison {
    /// How many more would settle a row that is told alone, but not among so many rows of which this share may be false.
    ///
    /// Enough to be believed whatever the others say, as the least of them all: at the share by the number of rows.
    #[must_use]
    pub fn more_among(&self, rows: usize, share: f64) -> Option<More> {
        let p = match self.verdict {
            Verdict::Faster | Verdict::Slower => self.p(),
            Verdict::Same => self.p_same(),
            Verdict::Unclear => return None,
        };
        more::for_chance(self.counts.a.min(self.counts.b), p, share / rows.max(1) as f64)
    }

    /// The chance of so large a difference, at any look, when there is none.
    #[must_use]
    pub fn p(&self) -> f64 {
        self.estimate.map_or(1.0, |estimate| (estimate.p / self.look.share).min(1.0))
    }

    /// The chance to seem so much the same, at any look, with a difference of the margin or more.
    #[must_use]
    pub fn p_same(&self) -> f64 {
        self.estimate.map_or(1.0, |estimate| (estimate.p_same / self.look.share).min(1.0))
    }
}
