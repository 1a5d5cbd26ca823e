//! Goes on among the commits of the merges that a bisection names.

use std::collections::BTreeMap;

use tacho_record::bisection::{BisectionCost, BisectionEnd, Culprit, CulpritSet};
use tacho_record::{Bisection, Revision};
use tacho_subject::History;

use super::merges::MergeRange;
use super::state::BisectionResult;
use crate::ExperimentError;

/// The final result.
#[derive(Clone, Debug)]
pub struct BisectionWithMerges {
    /// The result for the range; for a single culprit that is a merge, the result for its commits.
    pub answer: BisectionResult,
    /// If there are several culprits, the results among the commits of each merge of them.
    pub inside: Vec<BisectionResult>,
}

impl BisectionWithMerges {
    /// Whether the user stopped any of the bisections.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.answer.interrupted || self.inside.iter().any(|it| it.interrupted)
    }
}

/// The result of a search inside a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeNote {
    /// The merge brought no commits.
    NoCommits,
    /// Its commits are searched now.
    Searching,
    /// The merge is the culprit; which of its commits is undecided.
    Undecided,
    /// The change was not reproduced among its commits.
    NotReproduced,
    /// All that was found among its commits goes the other way.
    OtherWay,
    /// The merge itself is the culprit, and none of its commits.
    Itself,
    /// The merge itself is a culprit, besides some of its commits.
    ItselfInPart,
    /// The merge itself or one of these is the culprit.
    ItselfOr(CulpritSet),
    /// The merge is not searched, since one of these may be the culprit instead.
    OrOthers(CulpritSet),
}

/// Bisects the commits of a merge, which are a range; `None` if the user wants only a forecast.
pub type BisectMerge<'a, E> =
    dyn FnMut(&Revision, &MergeRange) -> Result<Option<BisectionResult>, E> + 'a;

/// Goes on among the commits of merges that are named, as long as there are any. `note` is given
/// what happens meanwhile.
pub fn into_merges<E: From<ExperimentError>>(
    history: &dyn History,
    outer: BisectionResult,
    bisect: &mut BisectMerge<'_, E>,
    note: &mut dyn FnMut(&Revision, MergeNote),
) -> Result<BisectionWithMerges, E> {
    let spent = BisectionCost::default().and(&outer.bisection.standing);
    MergeSearch { history, bisect, note, spent }.enter(outer, &BTreeMap::new())
}

/// The merges that are named and were not searched.
pub fn unsearched_merges(
    history: &dyn History,
    found: &BisectionResult,
) -> Result<Vec<Revision>, ExperimentError> {
    if !found.bisection.asked.within.is_empty() {
        return Ok(Vec::new());
    }
    Ok(named_merges(history, found)?.into_iter().map(|(_, merge)| merge).collect())
}

/// The culprits that are merges; empty for an interrupted bisection.
fn named_merges(
    history: &dyn History,
    found: &BisectionResult,
) -> Result<Vec<(Culprit, Revision)>, ExperimentError> {
    let bisection = &found.bisection;
    let mut merges = Vec::new();
    for culprit in bisection.standing.culprits.iter().filter(|_| !found.interrupted) {
        let Some(candidate) = bisection.candidates.get(culprit.place) else { continue };
        if history.parents(&candidate.revision.id)?.len() > 1 {
            merges.push((culprit.clone(), candidate.revision.clone()));
        }
    }
    Ok(merges)
}

/// The search inside merges.
struct MergeSearch<'a, E> {
    history: &'a dyn History,
    bisect: &'a mut BisectMerge<'a, E>,
    note: &'a mut dyn FnMut(&Revision, MergeNote),
    /// The cost of all bisections so far.
    spent: BisectionCost,
}

impl<E: From<ExperimentError>> MergeSearch<'_, E> {
    /// Goes into the merges that this named among revisions that are themselves merged into those
    /// others.
    fn enter(
        &mut self,
        outer: BisectionResult,
        onto: &BTreeMap<String, Vec<String>>,
    ) -> Result<BisectionWithMerges, E> {
        let mut inside = Vec::new();
        let is_only = outer.bisection.standing.culprits.len() == 1;
        for (culprit, merge) in self.searched(&outer)? {
            let of = (&culprit, &merge);
            let brought = MergeRange::brought(self.history, &outer, of, onto, self.spent)?;
            let Some(inner) = self.among(&merge, &brought)? else { continue };
            let interrupted = inner.interrupted;
            let followed = self.enter(inner, &brought.onto)?;
            if is_only {
                return Ok(followed);
            }
            inside.extend([followed.answer].into_iter().chain(followed.inside));
            if interrupted {
                break;
            }
        }
        Ok(BisectionWithMerges { answer: outer, inside })
    }

    /// The culprits that are merges to be searched: no other may have done it instead.
    fn searched(&mut self, found: &BisectionResult) -> Result<Vec<(Culprit, Revision)>, E> {
        let mut merges = named_merges(self.history, found)?;
        merges.retain(|(culprit, merge)| {
            let why = unsearched(&found.bisection, culprit);
            if let Some(why) = why {
                (self.note)(merge, why);
            }
            why.is_none()
        });
        Ok(merges)
    }

    /// Bisects the commits of a merge; `None` if that does not say more than that the merge did it.
    fn among(
        &mut self,
        merge: &Revision,
        brought: &MergeRange,
    ) -> Result<Option<BisectionResult>, E> {
        if brought.onto.is_empty() {
            (self.note)(merge, MergeNote::NoCommits);
            return Ok(None);
        }
        (self.note)(merge, MergeNote::Searching);
        let Some(inner) = (self.bisect)(merge, brought)? else { return Ok(None) };
        self.spent = self.spent.and(&inner.bisection.standing);
        let effect = brought.within.last().map_or(0.0, |merge| merge.effect.estimate);
        let limits = limits(&inner, effect);
        if let Some(limits) = limits {
            (self.note)(merge, limits);
        }
        let says_more = limits.is_none_or(|it| it == MergeNote::Undecided);
        Ok(says_more.then_some(inner))
    }
}

/// Why a merge that was named is not searched, if it is not.
fn unsearched(bisection: &Bisection, culprit: &Culprit) -> Option<MergeNote> {
    let others = bisection.others(culprit);
    let is_only = bisection.standing.culprits.len() == 1;
    match (bisection.is_merge_itself(culprit.place), others.number()) {
        (true, 0) if is_only => Some(MergeNote::Itself),
        (true, 0) => Some(MergeNote::ItselfInPart),
        (true, _) => Some(MergeNote::ItselfOr(others)),
        (false, 0) => None,
        (false, _) => Some(MergeNote::OrOthers(others)),
    }
}

/// The limit of the answer among the commits of a merge that changed the metric by `effect`.
fn limits(inner: &BisectionResult, effect: f64) -> Option<MergeNote> {
    let standing = &inner.bisection.standing;
    let culprits = &standing.culprits;
    let same_way = culprits.is_empty()
        || culprits.iter().any(|it| (it.effect.estimate < 0.0) == (effect < 0.0));
    match standing.found? {
        BisectionEnd::NotReproduced => Some(MergeNote::NotReproduced),
        BisectionEnd::Undecided { .. } => Some(MergeNote::Undecided),
        BisectionEnd::Verified | BisectionEnd::DependsOnMachine => {
            (!same_way).then_some(MergeNote::OtherWay)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tacho_record::bisection::{Candidate, UndecidedReason};
    use tacho_subject::{SelectedRevisions, Selection, SubjectError};

    use super::super::example::bisection;
    use super::*;

    /// `bring` and `more` are merges of a branch with two commits, `empty` is one of none.
    struct Branches;

    impl History for Branches {
        fn select(&self, _: &Selection) -> Result<SelectedRevisions, SubjectError> {
            Ok(SelectedRevisions::default())
        }

        fn parents(&self, name: &str) -> Result<Vec<String>, SubjectError> {
            let is_merge = ["bring", "more", "empty"].contains(&name);
            let parents = ["before", name].map(|it| format!("{it}-parent"));
            Ok(parents.into_iter().take(1 + usize::from(is_merge)).collect())
        }

        fn line(&self, to: &str, _: &[String]) -> Result<SelectedRevisions, SubjectError> {
            let commits = if to == "empty-parent" { vec![] } else { vec!["b1", "b2"] };
            let revisions = commits.into_iter().map(Revision::bare).collect();
            Ok(SelectedRevisions { revisions, ..SelectedRevisions::default() })
        }
    }

    /// A bisection of these candidates that names some, each with its parent's place and effect.
    fn naming(candidates: &[&str], culprits: &[(usize, usize, f64)]) -> BisectionResult {
        let mut bisection = bisection("finished");
        let candidate = |id: &&str| Candidate::new(Revision::bare(id));
        bisection.candidates = candidates.iter().map(candidate).collect();
        bisection.standing.ends = (0, candidates.len() - 1);
        bisection.standing.found = Some(BisectionEnd::Verified);
        let culprit = |&(place, parent_place, effect): &(usize, usize, f64)| {
            json!({
                "place": place, "revision": candidates[place], "parent_place": parent_place,
                "parent": candidates[parent_place], "posterior": 0.999, "pairs": 1,
                "neighbours": 0, "effect": { "estimate": effect, "interval": [effect, effect] }
            })
        };
        let culprits: Vec<_> = culprits.iter().map(culprit).collect();
        bisection.standing.culprits = serde_json::from_value(culprits.into()).unwrap();
        BisectionResult { bisection, interrupted: false, samples: 0, known: false }
    }

    /// What is found from there, by the names of the culprits of each bisection, and what is noted.
    fn search(
        outer: BisectionResult,
        inner: impl Fn(MergeRange) -> BisectionResult,
    ) -> (Vec<Vec<String>>, Vec<(String, MergeNote)>) {
        let mut notes = Vec::new();
        let mut bisect = |_: &Revision, range: &MergeRange| {
            let mut inner = inner(range.clone());
            inner.bisection.asked.within.clone_from(&range.within);
            Ok::<_, ExperimentError>(Some(inner))
        };
        let mut note = |merge: &Revision, note| notes.push((merge.id.clone(), note));
        let found = into_merges(&Branches, outer, &mut bisect, &mut note).unwrap();
        let named = |it: &BisectionResult| {
            it.bisection.standing.culprits.iter().map(|it| it.revision.clone()).collect()
        };
        (std::iter::once(&found.answer).chain(&found.inside).map(named).collect(), notes)
    }

    const RANGE: [&str; 3] = ["m0", "bring", "m1"];
    const INSIDE: [&str; 4] = ["m0", "b1", "b2", "bring"];

    #[test]
    fn the_commit_of_a_merge_is_named_in_its_place() {
        let (named, notes) = search(naming(&RANGE, &[(1, 0, 0.1)]), |range| {
            let ids: Vec<&str> = range.selected.revisions.iter().map(|it| it.id.as_str()).collect();
            assert_eq!(ids, INSIDE);
            naming(&ids, &[(2, 1, 0.1)])
        });
        assert_eq!(named, [["b2"]]);
        assert_eq!(notes, [("bring".to_owned(), MergeNote::Searching)]);
    }

    #[test]
    fn a_merge_stays_named_where_its_commits_say_no_more() {
        let notes_of = |inner: BisectionResult| {
            let (named, notes) = search(naming(&RANGE, &[(1, 0, 0.1)]), |_| inner.clone());
            (named.concat(), notes.last().unwrap().1)
        };
        let ended = |found: BisectionEnd| {
            let mut inner = naming(&INSIDE, &[]);
            inner.bisection.standing.found = Some(found);
            notes_of(inner)
        };
        let bring = || vec!["bring".to_owned()];
        assert_eq!(ended(BisectionEnd::NotReproduced), (bring(), MergeNote::NotReproduced));
        let reason = UndecidedReason::Noise;
        assert_eq!(ended(BisectionEnd::Undecided { reason }), (vec![], MergeNote::Undecided));
        let opposite = naming(&INSIDE, &[(1, 0, -0.1)]);
        assert_eq!(notes_of(opposite), (bring(), MergeNote::OtherWay));
        let itself = naming(&INSIDE, &[(3, 2, 0.1)]);
        assert_eq!(notes_of(itself), (bring(), MergeNote::Itself));
        let in_part = naming(&INSIDE, &[(1, 0, 0.1), (3, 2, 0.1)]);
        let both = vec!["b1".to_owned(), "bring".to_owned()];
        assert_eq!(notes_of(in_part), (both, MergeNote::ItselfInPart));
        let or_another = naming(&INSIDE, &[(3, 1, 0.1)]);
        let others = CulpritSet { unmeasured: 1, left_out: 0 };
        assert_eq!(notes_of(or_another), (bring(), MergeNote::ItselfOr(others)));
    }

    #[test]
    fn what_may_not_be_the_cause_or_brought_nothing_is_not_searched() {
        let never = |_| -> BisectionResult { panic!("it is not searched") };
        let (_, notes) = search(naming(&["m0", "m1", "bring"], &[(2, 0, 0.1)]), never);
        let others = CulpritSet { unmeasured: 1, left_out: 0 };
        assert_eq!(notes, [("bring".to_owned(), MergeNote::OrOthers(others))]);
        let (_, notes) = search(naming(&["m0", "empty"], &[(1, 0, 0.1)]), never);
        assert_eq!(notes, [("empty".to_owned(), MergeNote::NoCommits)]);
        let stopped = BisectionResult { interrupted: true, ..naming(&RANGE, &[(1, 0, 0.1)]) };
        assert_eq!(search(stopped, never).1, []);
    }

    #[test]
    fn of_several_merges_each_has_its_own_answer() {
        let outer = naming(&["m0", "bring", "m1", "more"], &[(1, 0, 0.1), (3, 2, 0.2)]);
        let (named, notes) = search(outer, |range| {
            let ids: Vec<&str> = range.selected.revisions.iter().map(|it| it.id.as_str()).collect();
            naming(&ids, &[(1, 0, 0.1)])
        });
        assert_eq!(named, [vec!["bring", "more"], vec!["b1"], vec!["b1"]]);
        assert_eq!(notes.len(), 2);
    }

    #[test]
    fn merges_that_were_not_searched_are_known() {
        let ids = |found: &BisectionResult| -> Vec<String> {
            let merges = unsearched_merges(&Branches, found).unwrap();
            merges.into_iter().map(|it| it.id).collect()
        };
        assert_eq!(ids(&naming(&RANGE, &[(1, 0, 0.1), (2, 1, 0.1)])), ["bring"]);
        assert!(ids(&naming(&RANGE, &[(2, 1, 0.1)])).is_empty());
    }
}
