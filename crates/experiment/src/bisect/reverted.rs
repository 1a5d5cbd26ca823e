//! The range that is reverted for a verified culprit.

use tacho_record::bisection::BisectionEnd;
use tacho_record::{Bisection, short_name};

/// The reverted range: all commits from `before` to `revision`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevertedRange {
    /// The last revision that is undone, by full name.
    pub revision: String,
    /// The revision before the first, as git names it.
    pub before: String,
    /// Both in a few words.
    pub what: String,
    /// The culprit's short name.
    pub culprit: String,
}

impl RevertedRange {
    /// The range of a bisection's first culprit; `None` if no culprit is verified.
    ///
    /// If commits in between could not be measured, or were left out, any of them may be the cause,
    /// and all are reverted. On a branch the commit before may be of the main line: then the whole
    /// merge is reverted.
    #[must_use]
    pub fn of(bisection: &Bisection) -> Option<Self> {
        let found = &bisection.standing.found;
        let is_verified =
            matches!(found, Some(BisectionEnd::Verified | BisectionEnd::DependsOnMachine));
        let culprit = bisection.standing.culprits.first().filter(|_| is_verified)?;
        let of = &bisection.candidates.get(culprit.place)?.revision;
        let is_set = bisection.others(culprit).number() > 0;
        let merge = bisection.asked.within.last().filter(|_| is_set);
        let (revision, before) = match merge {
            Some(merge) => (&merge.revision, format!("{}^", merge.revision)),
            None if is_set => (&culprit.revision, culprit.parent.clone()),
            None => (&culprit.revision, format!("{}^", culprit.revision)),
        };
        let what = match bisection.candidates.get(culprit.parent_place) {
            _ if merge.is_some() => format!("all of the merge {}", short_name(revision)),
            Some(parent) if is_set => format!("{}..{}", parent.revision.short(), of.short()),
            _ => of.short().to_owned(),
        };
        let culprit = of.short().to_owned();
        Some(Self { revision: revision.clone(), before, what, culprit })
    }
}
