//! From where to where a history does not build, found with few builds.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tacho_record::{Build, BuildState, Revision};

pub(crate) use crate::build::build_error::Complaint;
use crate::build::builds::UnpackResult;
pub use crate::build::known_remedies::RemedyRoute;
pub(crate) use crate::build::known_remedies::remedy_of;
use crate::{Context, ExperimentError, Question};

/// The stretch around a revision in which builds fail as its own does, as places in the question's
/// revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureRange {
    /// The first that fails so.
    pub first: usize,
    /// The last that fails so.
    pub last: usize,
    /// The neighbour before it, if any.
    pub before: Option<StretchNeighbour>,
    /// The neighbour after it, if any.
    pub after: Option<StretchNeighbour>,
}

/// The neighbour of a stretch: all revisions between are assumed to fail as the stretch does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StretchNeighbour {
    /// The revision at this place builds.
    Builds(usize),
    /// A quirk says not to build this one.
    Skipped(usize),
    /// There builds fail too, and not for the same reason.
    Fails {
        /// The adjacent revisions that do not build, by reason, the nearest first.
        stretches: Vec<FailingStretch>,
        /// The nearest revision beyond that builds or is skipped, if any.
        beyond: Option<usize>,
    },
}

/// Revisions in a row whose builds fail for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingStretch {
    /// The one nearest to the revision that is asked about.
    pub near: usize,
    /// The farthest one.
    pub far: usize,
    /// The error of the nearest build.
    pub error: String,
    /// Whether others fail for other reasons, which were not searched for.
    pub is_mixed: bool,
}

/// On each side this many other reasons are looked for, since each takes builds.
const REASONS: usize = 4;

impl StretchNeighbour {
    /// The revision next to the stretch.
    #[must_use]
    pub fn near(&self) -> Option<usize> {
        match self {
            Self::Builds(at) | Self::Skipped(at) => Some(*at),
            Self::Fails { stretches, .. } => stretches.first().map(|stretch| stretch.near),
        }
    }

    /// The nearest revision that builds or is skipped, if any.
    #[must_use]
    pub fn whole(&self) -> Option<usize> {
        match *self {
            Self::Builds(at) | Self::Skipped(at) => Some(at),
            Self::Fails { beyond, .. } => beyond,
        }
    }
}

/// How the build of a revision ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum BuildResult {
    Built,
    Skipped,
    Failed(Complaint),
}

impl Context<'_> {
    /// The build of one revision, made if need be; `None` if interrupted.
    pub fn build_of(
        &mut self,
        question: &Question,
        revision: &Revision,
    ) -> Result<Option<Build>, ExperimentError> {
        let builds =
            self.builds(question).all(std::slice::from_ref(revision), question.retry_failed)?;
        Ok(builds.and_then(|builds| builds.into_iter().next()))
    }

    /// The same, with what it built in the cache: a question with other recipes could not build
    /// that again.
    pub fn build_at_hand(
        &mut self,
        question: &Question,
        revision: &Revision,
    ) -> Result<Option<Build>, ExperimentError> {
        let Some(build) = self.build_of(question, revision)? else { return Ok(None) };
        let Some(artifact) = build.state.artifact() else { return Ok(Some(build)) };
        Ok(match self.builds(question).unpack_one((revision, artifact), 0, 1)? {
            UnpackResult::Folder(_) => Some(build),
            UnpackResult::Otherwise(state) => Some(Build { state, ..build }),
            UnpackResult::Interrupted => None,
        })
    }

    /// The error of a failed build, from its log, or from its state without a log.
    pub fn complaint_of(&mut self, build: &Build) -> Complaint {
        let log = build.log.and_then(|log| self.store.log(log).ok()).unwrap_or_default();
        Complaint::new(&String::from_utf8_lossy(&log), &build.state)
    }

    fn seen(
        &mut self,
        question: &Question,
        place: usize,
    ) -> Result<Option<BuildResult>, ExperimentError> {
        let Some(build) = self.build_of(question, &question.revisions[place])? else {
            return Ok(None);
        };
        Ok(Some(match build.state {
            BuildState::Built { .. } => BuildResult::Built,
            BuildState::Skipped { .. } => BuildResult::Skipped,
            BuildState::Failed { .. } | BuildState::TimedOut { .. } => {
                BuildResult::Failed(self.complaint_of(&build))
            }
        }))
    }
}

/// Finds both ends of the stretch around this failing place in which builds fail for the same
/// reason (`Complaint::is_like`). The steps double until a build does not fail so, and are then
/// halved. If a neighbour fails for another reason, the range of that reason is found in the same
/// way, and so on. `None` if interrupted.
///
/// The search assumes one stretch: a few revisions within it that build, or fail for other reasons,
/// are not seen.
pub fn find(
    context: &mut Context<'_>,
    question: &Question,
    at: usize,
) -> Result<Option<FailureRange>, ExperimentError> {
    let mut look = |place| context.seen(question, place);
    let mut known = BuildFacts { look: &mut look, seen: HashMap::new() };
    let last = question.revisions.len() - 1;
    let Some((first, before)) = known.side(at, |by| at.checked_sub(by), at)? else {
        return Ok(None);
    };
    let up = known.side(at, |by| Some(at + by).filter(|place| *place <= last), last - at)?;
    Ok(up.map(|(last, after)| FailureRange { first, last, before, after }))
}

/// How the builds of places ended, each looked at once.
struct BuildFacts<'a> {
    look: &'a mut dyn FnMut(usize) -> Result<Option<BuildResult>, ExperimentError>,
    seen: HashMap<usize, BuildResult>,
}

impl BuildFacts<'_> {
    /// `None` if interrupted.
    fn at(&mut self, place: usize) -> Result<Option<&BuildResult>, ExperimentError> {
        match self.seen.entry(place) {
            Entry::Occupied(known) => Ok(Some(known.into_mut())),
            Entry::Vacant(unknown) => Ok((self.look)(place)?.map(|seen| &*unknown.insert(seen))),
        }
    }

    /// The last place on one side that fails as `from` does, and its neighbour beyond; `most` is
    /// the number of places on that side.
    #[allow(clippy::type_complexity)] // a place, and its neighbour
    fn side(
        &mut self,
        from: usize,
        place: impl Fn(usize) -> Option<usize>,
        most: usize,
    ) -> Result<Option<(usize, Option<StretchNeighbour>)>, ExperimentError> {
        let Some(BuildResult::Failed(own)) = self.at(from)?.cloned() else { return Ok(None) };
        let Some((same, other)) = self.end_of(&own, 0, &place, most)? else { return Ok(None) };
        let end = place(same).unwrap_or(from);
        let Some((by, near)) = other.and_then(|by| Some((by, place(by)?))) else {
            return Ok(Some((end, None)));
        };
        let beside = match self.at(near)? {
            None => return Ok(None),
            Some(BuildResult::Built) => StretchNeighbour::Builds(near),
            Some(BuildResult::Skipped) => StretchNeighbour::Skipped(near),
            Some(BuildResult::Failed(_)) => match self.fails(by, &place, most)? {
                Some(fails) => fails,
                None => return Ok(None),
            },
        };
        Ok(Some((end, Some(beside))))
    }

    /// How far away the last is that fails for this reason, from one on that does, and the first
    /// that does not; `None` if interrupted.
    #[allow(clippy::type_complexity)] // as `edge` says it
    fn end_of(
        &mut self,
        reason: &Complaint,
        from: usize,
        place: &impl Fn(usize) -> Option<usize>,
        most: usize,
    ) -> Result<Option<(usize, Option<usize>)>, ExperimentError> {
        let is_other =
            |seen: &BuildResult| !matches!(seen, BuildResult::Failed(it) if it.is_like(reason));
        edge((from, most), place, &mut |at| Ok(self.at(at)?.map(is_other)))
    }

    /// The failures from this distance on, by reason; `None` if interrupted.
    fn fails(
        &mut self,
        from: usize,
        place: &impl Fn(usize) -> Option<usize>,
        most: usize,
    ) -> Result<Option<StretchNeighbour>, ExperimentError> {
        let (mut stretches, mut next) = (Vec::new(), Some(from));
        while let Some((by, near)) = next.and_then(|by| Some((by, place(by)?))) {
            let reason = match self.at(near)? {
                None => return Ok(None),
                Some(BuildResult::Failed(reason)) => reason.clone(),
                Some(_) => break,
            };
            let error = reason.error().to_owned();
            let is_mixed = stretches.len() + 1 == REASONS;
            let end = if is_mixed {
                let is_whole = |seen: &BuildResult| !matches!(seen, BuildResult::Failed(_));
                edge((by, most), place, &mut |at| Ok(self.at(at)?.map(is_whole)))?
            } else {
                self.end_of(&reason, by, place, most)?
            };
            let Some((far, other)) = end else { return Ok(None) };
            let far = place(far).unwrap_or(near);
            stretches.push(FailingStretch { near, far, error, is_mixed });
            next = other;
        }
        Ok(Some(StretchNeighbour::Fails { stretches, beyond: next.and_then(place) }))
    }
}

/// From a place so far away that is not what is looked for: how far away the last is that is not,
/// and the first that is; `None` if interrupted.
#[allow(clippy::type_complexity)] // two distances, the second of which there may not be
fn edge(
    (from, most): (usize, usize),
    place: impl Fn(usize) -> Option<usize>,
    is_it: &mut dyn FnMut(usize) -> Result<Option<bool>, ExperimentError>,
) -> Result<Option<(usize, Option<usize>)>, ExperimentError> {
    let (mut not, mut found, mut step) = (from, None, 1);
    while found.is_none() && not < most {
        let next = (not + step).min(most);
        let Some(at) = place(next) else { break };
        match is_it(at)? {
            None => return Ok(None),
            Some(true) => found = Some(next),
            Some(false) => not = next,
        }
        step *= 2;
    }
    while let Some(far) = found.filter(|far| far - not > 1) {
        let middle = not + (far - not) / 2;
        let Some(at) = place(middle) else { break };
        match is_it(at)? {
            None => return Ok(None),
            Some(true) => found = Some(middle),
            Some(false) => not = middle,
        }
    }
    Ok(Some((not, found)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Both sides of a place, and how many were looked at.
    fn sides(at: usize, history: &[BuildResult]) -> (FailureRange, usize) {
        let mut made = 0;
        let mut look = |place: usize| {
            made += 1;
            Ok(Some(history[place].clone()))
        };
        let mut known = BuildFacts { look: &mut look, seen: HashMap::new() };
        let last = history.len() - 1;
        let (first, before) = known.side(at, |by| at.checked_sub(by), at).unwrap().unwrap();
        let up = |by| Some(at + by).filter(|place| *place <= last);
        let (last, after) = known.side(at, up, last - at).unwrap().unwrap();
        (FailureRange { first, last, before, after }, made)
    }

    /// One stretch that fails for this reason.
    fn one(near: usize, far: usize, error: &str) -> Vec<FailingStretch> {
        vec![FailingStretch { near, far, error: error.into(), is_mixed: false }]
    }

    fn failed(error: &str) -> BuildResult {
        BuildResult::Failed(Complaint::of(error))
    }

    proptest! {
        #[test]
        fn both_ends_are_found_with_few_builds(
            length in 1_usize..400,
            at in any::<prop::sample::Index>(),
            down in 0_usize..400,
            up in 0_usize..400,
        ) {
            let at = at.index(length);
            let (first, last) = (at.saturating_sub(down), (at + up).min(length - 1));
            let seen = |place| if place < first || place > last { BuildResult::Built } else { failed("error: one") };
            let history: Vec<BuildResult> = (0..length).map(seen).collect();
            let (window, made) = sides(at, &history);
            let expected = FailureRange {
                first,
                last,
                before: first.checked_sub(1).map(StretchNeighbour::Builds),
                after: Some(last + 1).filter(|next| *next < length).map(StretchNeighbour::Builds),
            };
            prop_assert_eq!(window, expected);
            prop_assert!(made <= 2 * 2 * 10, "{} builds", made);
        }

        #[test]
        fn other_failures_beside_it_are_told_apart(
            lengths in prop::array::uniform5(1_usize..80),
            at in any::<prop::sample::Index>(),
            ends_whole in any::<bool>(),
        ) {
            let kinds = [BuildResult::Built, failed("error: old"), failed("error: one"), failed("error: new"), BuildResult::Skipped];
            let mut history: Vec<BuildResult> =
                kinds.iter().zip(lengths).flat_map(|(seen, length)| vec![seen.clone(); length]).collect();
            let starts: Vec<usize> = (0..=5).map(|nth| lengths[..nth].iter().sum()).collect();
            if !ends_whole {
                history.truncate(starts[4]);
            }
            let at = starts[2] + at.index(lengths[2]);
            let (window, made) = sides(at, &history);
            prop_assert_eq!((window.first, window.last), (starts[2], starts[3] - 1));
            let (near, far) = (starts[2] - 1, starts[1]);
            let stretches = one(near, far, "error: old");
            let before = StretchNeighbour::Fails { stretches, beyond: Some(starts[1] - 1) };
            prop_assert_eq!(window.before, Some(before));
            let (near, far) = (starts[3], starts[4] - 1);
            let beyond = ends_whole.then_some(starts[4]);
            let stretches = one(near, far, "error: new");
            let after = StretchNeighbour::Fails { stretches, beyond };
            prop_assert_eq!(window.after, Some(after));
            prop_assert!(made <= 4 * 2 * 10, "{} builds", made);
        }
    }

    #[test]
    fn each_reason_beside_it_is_reported_up_to_a_few() {
        let reasons = ["whole", "e", "d", "c", "b", "b", "a", "a", "own"];
        let seen = |reason: &&str| match *reason {
            "whole" => BuildResult::Built,
            reason => failed(&format!("error: {reason}")),
        };
        let beside = |history: &[&str]| {
            let history: Vec<BuildResult> = history.iter().map(seen).collect();
            let Some(StretchNeighbour::Fails { stretches, beyond }) =
                sides(history.len() - 1, &history).0.before
            else {
                panic!("it fails there too")
            };
            let of = |it: FailingStretch| (it.near, it.far, it.error, it.is_mixed);
            (stretches.into_iter().map(of).collect::<Vec<_>>(), beyond)
        };
        let of =
            |near, far, reason: &str, is_mixed| (near, far, format!("error: {reason}"), is_mixed);
        let all =
            [of(7, 6, "a", false), of(5, 4, "b", false), of(3, 3, "c", false), of(2, 1, "d", true)];
        assert_eq!(beside(&reasons), (all.to_vec(), Some(0)));
        assert_eq!(beside(&reasons[4..]), (vec![of(3, 2, "a", false), of(1, 0, "b", false)], None));
    }
}
