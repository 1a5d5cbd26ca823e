//! What of a history could not be built, and so cannot be judged.

use std::collections::HashMap;

use tacho_record::{Build, BuildState, Revision};

/// Revisions in a row that were tried and have no build: none between them that was tried has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildGap {
    /// The first of them.
    pub first: Revision,
    /// The last of them.
    pub last: Revision,
    /// How many were tried.
    pub revisions: usize,
    /// How the first ended; all were skipped, or none was.
    pub state: BuildState,
}

impl BuildGap {
    /// How many revisions history has from the first to the last of them, tried or not.
    #[must_use]
    pub fn among(&self) -> usize {
        let apart = self.last.order.saturating_sub(self.first.order);
        usize::try_from(apart)
            .map_or(usize::MAX, |apart| apart.saturating_add(1))
            .max(self.revisions)
    }
}

/// Such stretches of these revisions, which are in order of history; of several builds of a
/// revision the last one counts.
#[must_use]
pub fn unbuilt<'a>(
    revisions: &[Revision],
    builds: impl IntoIterator<Item = &'a Build>,
) -> Vec<BuildGap> {
    let states: HashMap<&str, &BuildState> =
        builds.into_iter().map(|build| (build.revision.as_str(), &build.state)).collect();
    let mut stretches: Vec<BuildGap> = Vec::new();
    let mut open = false;
    for revision in revisions {
        let Some(&state) = states.get(revision.id.as_str()) else { continue };
        if state.artifact().is_some() {
            open = false;
            continue;
        }
        match stretches
            .last_mut()
            .filter(|last| open && is_skipped(&last.state) == is_skipped(state))
        {
            Some(stretch) => {
                stretch.last = revision.clone();
                stretch.revisions += 1;
            }
            None => stretches.push(BuildGap {
                first: revision.clone(),
                last: revision.clone(),
                revisions: 1,
                state: state.clone(),
            }),
        }
        open = true;
    }
    stretches
}

fn is_skipped(state: &BuildState) -> bool {
    matches!(state, BuildState::Skipped { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::builds::tests::{built, revision};

    #[test]
    fn stretches_end_where_something_builds_and_not_where_nothing_was_tried() {
        let all: Vec<Revision> = (1..=9).map(revision).collect();
        let failed = || BuildState::Failed { why: "no header".to_owned() };
        let skipped = || BuildState::Skipped { why: "known".to_owned() };
        let build = |order: u64, state: Option<BuildState>| {
            let build = built(&revision(order), "a");
            Build { state: state.unwrap_or_else(|| build.state.clone()), ..build }
        };
        let builds = [
            build(1, None),
            build(2, Some(failed())),
            // The third was not tried.
            build(4, Some(BuildState::TimedOut { limit: std::time::Duration::from_secs(1) })),
            build(5, None),
            build(6, Some(failed())),
            build(7, Some(skipped())),
            build(8, Some(skipped())),
            build(9, Some(failed())),
            build(9, None),
        ];
        let found: Vec<(u64, u64, usize, usize)> = unbuilt(&all, &builds)
            .iter()
            .map(|stretch| {
                (stretch.first.order, stretch.last.order, stretch.revisions, stretch.among())
            })
            .collect();
        assert_eq!(found, [(2, 4, 2, 3), (6, 6, 1, 1), (7, 8, 2, 2)]);
        assert_eq!(unbuilt(&all, &builds)[0].state, failed());
        assert_eq!(unbuilt(&all, &builds[..1]), []);
    }
}
