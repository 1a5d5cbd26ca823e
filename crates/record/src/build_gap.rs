//! Stretches of history that could not be built, so that nothing is known of them.

use std::collections::HashMap;

use crate::{Build, BuildState, Revision};

/// Consecutive revisions that were tried and have no build; no tried revision between them has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildGap {
    /// The first of them.
    pub first: Revision,
    /// The last of them.
    pub last: Revision,
    /// How many were tried.
    pub tried: usize,
    /// How the first ended; all were skipped, or none was.
    pub state: BuildState,
}

impl BuildGap {
    /// How many revisions history has from the first to the last of them, tried or not.
    #[must_use]
    pub fn among(&self) -> usize {
        let apart = self.last.order.saturating_sub(self.first.order);
        usize::try_from(apart).map_or(usize::MAX, |apart| apart.saturating_add(1)).max(self.tried)
    }

    /// Whether a quirk skips these revisions.
    #[must_use]
    pub fn is_skipped(&self) -> bool {
        is_skipped(&self.state)
    }

    /// The gaps among revisions in order of history, each with the state of its build if one was
    /// tried.
    #[must_use]
    pub fn among_states<'a>(
        tried: impl IntoIterator<Item = (&'a Revision, Option<&'a BuildState>)>,
    ) -> Vec<Self> {
        let mut gaps: Vec<Self> = Vec::new();
        let mut is_open = false;
        for (revision, state) in tried {
            let Some(state) = state else { continue };
            let is_built = state.artifact().is_some();
            let same = |last: &&mut Self| is_open && last.is_skipped() == is_skipped(state);
            match gaps.last_mut().filter(same) {
                _ if is_built => {}
                Some(gap) => {
                    gap.last = revision.clone();
                    gap.tried += 1;
                }
                None => gaps.push(Self {
                    first: revision.clone(),
                    last: revision.clone(),
                    tried: 1,
                    state: state.clone(),
                }),
            }
            is_open = !is_built;
        }
        gaps
    }

    /// The gaps of these revisions, which are in order of history; of several builds of a revision
    /// the last one counts.
    #[must_use]
    pub fn of<'a>(
        revisions: &'a [Revision],
        builds: impl IntoIterator<Item = &'a Build>,
    ) -> Vec<Self> {
        let states: HashMap<&str, &BuildState> =
            builds.into_iter().map(|build| (build.revision.as_str(), &build.state)).collect();
        Self::among_states(revisions.iter().map(|it| (it, states.get(it.id.as_str()).copied())))
    }
}

fn is_skipped(state: &BuildState) -> bool {
    matches!(state, BuildState::Skipped { .. })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Digest;

    #[test]
    fn gaps_end_where_something_builds_and_not_where_nothing_was_tried() {
        let revision =
            |order: u64| Revision { order, ..Revision::bare(&format!("revision {order}")) };
        let all: Vec<Revision> = (1..=9).map(revision).collect();
        let built = BuildState::Built { artifact: Digest::of("a"), size: 1, layouts: None };
        let failed = BuildState::failed("no header");
        let timed_out = BuildState::TimedOut { limit: Duration::from_secs(1) };
        let skipped = BuildState::Skipped { why: "known".to_owned() };
        let states = [
            Some(&built),
            Some(&failed),
            None,
            Some(&timed_out),
            Some(&built),
            Some(&failed),
            Some(&skipped),
            Some(&skipped),
            Some(&built),
        ];
        let gaps = BuildGap::among_states(all.iter().zip(states));
        let found: Vec<_> =
            gaps.iter().map(|it| (it.first.order, it.last.order, it.tried, it.among())).collect();
        assert_eq!(found, [(2, 4, 2, 3), (6, 6, 1, 1), (7, 8, 2, 2)]);
        assert_eq!((gaps[0].is_skipped(), gaps[2].is_skipped()), (false, true));
        assert_eq!(gaps[0].state, failed);
        assert_eq!(BuildGap::of(&all, []), []);
    }
}
