//! A merge that was named, among whose commits is bisected.

use serde::{Deserialize, Serialize};

use super::{BisectedEffect, Bisection, Candidate};

/// A merge that was named. The candidates are then what was before it, each of the commits that it brought merged into that, and the
/// merge itself: all that lies between what it was measured against and it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// Its full name.
    pub revision: String,
    /// The first line of its message.
    pub subject: String,
    /// What it changed as a whole.
    pub effect: BisectedEffect,
    /// The name of the bisection that named it.
    pub bisection: String,
    /// The good end and the bad one of that bisection, by names that mean the same tomorrow.
    pub ends: (String, String),
}

impl Merge {
    /// That of the only culprit of a bisection, if it has no other.
    #[must_use]
    pub fn named(bisection: &Bisection) -> Option<Self> {
        let [culprit] = bisection.standing.culprits.as_slice() else { return None };
        let Candidate { revision, .. } = bisection.candidates.get(culprit.place)?;
        let [good, bad] = bisection.end_names().map(str::to_owned);
        Some(Self {
            revision: revision.id.clone(),
            subject: revision.subject.clone(),
            effect: culprit.effect,
            bisection: bisection.name.clone(),
            ends: (good, bad),
        })
    }
}

impl Bisection {
    /// Whether this place is that of the merge among whose commits is bisected: what lies there is its own doing.
    #[must_use]
    pub fn is_merge_itself(&self, place: usize) -> bool {
        let merge = self.asked.within.last();
        merge.is_some_and(|merge| {
            self.candidates.get(place).is_some_and(|it| it.revision.id == merge.revision)
        })
    }
}
