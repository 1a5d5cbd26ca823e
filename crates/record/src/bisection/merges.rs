//! Merges that were named, by bisections.

use super::merge::Merge;
use super::{Bisection, Candidate, Culprit};

impl Merge {
    /// The bisected merge of this culprit, if it is one.
    #[must_use]
    pub fn named(bisection: &Bisection, culprit: &Culprit) -> Option<Self> {
        let Candidate { revision, .. } = bisection.candidates.get(culprit.place)?;
        let [good, bad] = bisection.end_names().map(str::to_owned);
        let ends = [bisection.standing.ends.0, bisection.standing.ends.1];
        let better =
            bisection.bad_is_better().map(|bad_is| if bad_is { bad.clone() } else { good.clone() });
        Some(Self {
            revision: revision.id.clone(),
            subject: revision.subject.clone(),
            effect: culprit.effect,
            limited: [culprit.parent_place, culprit.place].map(|place| bisection.limited(place)),
            bisection: bisection.name.clone(),
            exchanged: bisection.asked.exchanged,
            change: bisection.standing.change,
            change_limited: ends.map(|place| bisection.limited(place)),
            left: bisection.left(),
            better,
            ends: (good, bad),
        })
    }
}

impl Bisection {
    /// Whether this place is the merge itself, among whose commits is bisected: a change there
    /// comes from the merge, not from one of its commits.
    #[must_use]
    pub fn is_merge_itself(&self, place: usize) -> bool {
        let merge = self.asked.within.last();
        merge.is_some_and(|merge| {
            self.candidates.get(place).is_some_and(|it| it.revision.id == merge.revision)
        })
    }
}
