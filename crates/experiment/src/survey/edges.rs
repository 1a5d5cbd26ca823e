//! Where something besides the program changed: quirks, of which the plan says it, and what runs
//! and builds say of themselves.

use std::collections::{BTreeSet, HashSet};

use tacho_record::{Build, TagChange};

use crate::Question;
use crate::changes::{Environments, Tags};

/// A revision from which on something besides the program is otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentEdge {
    /// Which of the question's revisions. Of quirks it is known; of all else it is the first one
    /// measured with what it is then.
    pub at: usize,
    /// What it is, and was.
    pub tagged: TagChange,
}

/// Where other quirks begin or end among the question's revisions, in order. Those that skip
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

/// What else differs between the first and the last of these, each with its place and with what it
/// was measured.
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
