//! Changes besides the program: edges of quirks from the plan, and changed tags of runs and builds.

use std::collections::{BTreeSet, HashSet};

use tacho_record::{Build, TagChange};

use crate::Question;
use crate::changes::{Environments, Tags};

/// A revision from which something besides the program differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentEdge {
    /// The place among the question's revisions. It is exact for quirks; for other changes it is
    /// the first revision measured with the new value.
    pub at: usize,
    /// The tag with its values before and after.
    pub tagged: TagChange,
}

/// The places where quirks begin or end among the question's revisions, in order. Quirks that skip
/// revisions change no build.
pub(super) fn of_quirks(question: &Question) -> Vec<EnvironmentEdge> {
    let quirks = &question.plan.subject.quirks;
    let skip: HashSet<&str> =
        quirks.iter().filter(|it| it.skip).map(|it| it.name.as_str()).collect();
    let acting = |at: usize| -> Vec<&str> {
        let all = question.recipes.quirks(&question.revisions[at].id).iter().map(String::as_str);
        all.filter(|name| !skip.contains(name)).collect()
    };
    let named = |names: &[&str]| match names {
        [] => Build::NO_QUIRKS.to_owned(),
        names => names.join(", "),
    };
    let edge = |at: usize| {
        let (before, after) = (acting(at - 1), acting(at));
        let tag = Build::QUIRKS.to_owned();
        (before != after).then(|| EnvironmentEdge {
            at,
            tagged: TagChange { tag, before: named(&before), after: named(&after) },
        })
    };
    (1..question.revisions.len()).filter_map(edge).collect()
}

/// The other differences between the first and the last of these measured places, which are given
/// with their tags.
pub(super) fn of_others(measured: Vec<(usize, Tags)>) -> Vec<EnvironmentEdge> {
    let (places, tags): (Vec<usize>, Vec<Tags>) = measured.into_iter().unzip();
    let environments = Environments::new(tags);
    let Some(last) = places.len().checked_sub(1) else { return Vec::new() };
    let differs =
        |tag: &str, at: usize| environments.differences(at, last).iter().any(|it| it.tag == tag);
    let edge = |found: crate::changes::Difference| {
        let since =
            (1..=last).rev().take_while(|at| !differs(&found.tag, *at)).last().unwrap_or(last);
        let tagged = TagChange { tag: found.tag, before: found.before, after: found.after };
        EnvironmentEdge { at: places[since], tagged }
    };
    let others = environments.differences(0, last).into_iter().filter(|it| it.tag != Build::QUIRKS);
    others.map(edge).collect()
}

/// The places of these edges.
pub(super) fn places(edges: &[EnvironmentEdge]) -> BTreeSet<usize> {
    edges.iter().map(|edge| edge.at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_else_differs_is_told_from_where_on() {
        let tags = |kernel: &str, quirks: &str| -> Tags {
            [("kernel", kernel), ("quirks", quirks)]
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .into()
        };
        let all = vec![(3, tags("6.1", "none")), (5, tags("6.2", "q")), (8, tags("6.2", "none"))];
        let tagged = TagChange { tag: "kernel".into(), before: "6.1".into(), after: "6.2".into() };
        assert_eq!(of_others(all.clone()), [EnvironmentEdge { at: 5, tagged }]);
        assert_eq!(of_others(all[1..].to_vec()), [], "of quirks the plan says it");
        assert_eq!(of_others(Vec::new()), []);
    }
}
