//! The store's builds as a forecast of a bisection: which of the needed ones exist, how long one
//! takes, and which commits are the same program.

use std::collections::BTreeMap;

use tacho_record::bisection::{Candidate, ValueSource};
use tacho_record::{Build, BuildState, Digest, Recipes};
use tacho_stats::summary::median;

use super::expected_cost::{BisectForecast, builds_among};
use super::fold::blocks;
use super::request::Inquiry;

impl BisectForecast {
    /// Learns from the builds of this host. `recipes` are those of the candidates. `retry_failed`:
    /// failed builds are made again.
    pub(super) fn learn_builds(
        &mut self,
        builds: &[Build],
        recipes: &Recipes,
        inquiry: &Inquiry,
        retry_failed: bool,
    ) {
        let counts = |it: &&Build| {
            let is_made_again = retry_failed && it.state.artifact().is_none();
            it.recipe == recipes.of(&it.revision) && !is_made_again
        };
        let builds: Vec<&Build> = builds.iter().filter(counts).collect();
        // A build whose time is bisected is made now.
        if inquiry.asked.of != ValueSource::Build {
            self.find_known(&of_candidates(&builds, inquiry), inquiry);
        }
        // Skipped builds take no time, which shows nothing about the others.
        let was_made = |it: &&&Build| !matches!(it.state, BuildState::Skipped { .. });
        let made = builds.iter().filter(was_made);
        let took: Vec<f64> = made.map(|it| it.took.as_secs_f64()).collect();
        self.build = median(&took);
    }

    /// Finds the known programs, and the needed builds that exist.
    fn find_known(&mut self, known: &BTreeMap<usize, &BuildState>, inquiry: &Inquiry) {
        let count = inquiry.candidates.len();
        let artifacts: BTreeMap<usize, Digest> =
            known.iter().filter_map(|(place, it)| Some((*place, it.artifact()?))).collect();
        let all_gap = inquiry.asked.all_gap(count);
        let programs = blocks(count, &artifacts, |earlier, later| {
            let open = later - earlier - 1;
            all_gap.is_none_or(|most| open <= most && open != 1)
        });
        let is_built: Vec<bool> =
            programs.iter().map(|&(from, to)| known.range(from..=to).next().is_some()).collect();
        self.programs = programs.len();
        self.builds = builds_among(&inquiry.asked, self.programs);
        self.built = expected_cached(&is_built, self.builds);
        self.may_be_fewer &= is_built.contains(&false) && self.programs > 2;
        let ends = [0, count.saturating_sub(1)];
        let of_ends = ends.map(|place| artifacts.get(&place));
        self.ends_failed = ends.iter().all(|at| known.contains_key(at)) && of_ends == [None, None];
        // Between equal ends others may have come and gone, which only a search for all looks for.
        let is_searched = inquiry.asked.all && self.programs > 1;
        let is_equal = of_ends[0].is_some() && of_ends[0] == of_ends[1];
        self.is_one_build = self.executes && is_equal && !is_searched;
    }
}

/// How candidates were built, by their places. The commits of a merge are not built as they are:
/// only both ends.
fn of_candidates<'a>(builds: &[&'a Build], inquiry: &Inquiry) -> BTreeMap<usize, &'a BuildState> {
    let by_revision: BTreeMap<&str, &BuildState> =
        builds.iter().map(|it| (it.revision.as_str(), &it.state)).collect();
    let is_end = |place: usize| place == 0 || place + 1 == inquiry.candidates.len();
    let all = inquiry.candidates.iter().enumerate();
    all.filter(|(place, _)| inquiry.asked.within.is_empty() || is_end(*place))
        .filter_map(|(place, it): (usize, &Candidate)| {
            Some((place, *by_revision.get(it.revision.id.as_str())?))
        })
        .collect()
}

/// The number of expected builds that exist already, by the programs that are built. Both ends are
/// needed. Which others are needed is unknown, so the share of existing ones is assumed to be that
/// among all.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of builds")]
fn expected_cached(is_built: &[bool], builds: usize) -> usize {
    let count = |of: &[bool]| of.iter().filter(|it| **it).count();
    let [first, inner @ .., last] = is_built else { return count(is_built).min(builds) };
    let ends = count(&[*first, *last]);
    let needed = builds.saturating_sub(2).min(inner.len());
    if inner.is_empty() {
        return ends.min(builds);
    }
    let share = count(inner) as f64 / inner.len() as f64;
    (ends + (share * needed as f64).round() as usize).min(builds)
}

#[cfg(test)]
mod tests {
    use super::super::tests::asked;
    use super::*;
    use crate::build::builds::tests::revision;

    /// What is expected of thirteen candidates of which these are built so: a letter a candidate.
    fn forecast(built: &str, all: bool) -> BisectForecast {
        let candidates = (0..13).map(|at| Candidate::new(revision(at))).collect();
        let asked = tacho_record::bisection::BisectionRequest { all, ..asked("wall") };
        let inquiry = Inquiry { asked, candidates, aside: None, again: false, layouts: Vec::new() };
        let states: Vec<BuildState> = built.chars().map(state).collect();
        let known = states.iter().enumerate().filter(|(at, _)| &built[*at..=*at] != "-").collect();
        let mut expected = BisectForecast::unknown(&inquiry);
        expected.find_known(&known, &inquiry);
        expected
    }

    /// The program of that letter; `!` is a build that failed.
    fn state(letter: char) -> BuildState {
        if letter == '!' {
            return BuildState::failed("no");
        }
        BuildState::Built { artifact: Digest::of(letter.to_string()), size: 1, layouts: None }
    }

    #[test]
    fn commits_that_gave_the_same_program_cost_nothing() {
        let of = |built: &str| {
            let it = forecast(built, false);
            (it.programs, it.builds, it.built, it.may_be_fewer)
        };
        assert_eq!(of("-------------"), (13, 8, 0, true));
        assert_eq!(of("a-----------b"), (13, 8, 2, true));
        assert_eq!(of("a----ab-----b"), (2, 2, 2, false));
        assert_eq!(of("a-----------a"), (1, 1, 1, false));
        assert_eq!(of("a----a-b----b"), (3, 3, 2, true));
        assert_eq!(of("abcdefghijklm"), (13, 8, 8, false));
        assert_eq!(of("a----!b-----b"), (7, 7, 3, true));
        let all = forecast("aaaaaa-bbbbbb", true);
        assert_eq!((all.programs, all.builds, all.may_be_fewer), (3, 3, true));
    }

    #[test]
    fn both_ends_of_one_build_or_of_none_are_seen() {
        let of = |built: &str| {
            let it = forecast(built, false);
            (it.is_one_build, it.ends_failed)
        };
        assert_eq!(of("a-----------a"), (true, false));
        assert!(!forecast("a-----b-----a", true).is_one_build, "what came and went is searched");
        assert!(forecast("aaaaaaaaaaaaa", true).is_one_build);
        assert_eq!(of("a-----------!"), (false, false));
        assert_eq!(of("!-----------!"), (false, true));
        assert_eq!(of("-------------"), (false, false));
    }

    #[test]
    fn builds_that_may_not_be_needed_are_not_counted_as_there() {
        let of = |built: &[usize], builds| {
            let all: Vec<bool> = (0..20).map(|at| built.contains(&at)).collect();
            expected_cached(&all, builds)
        };
        assert_eq!(of(&[0, 19], 8), 2, "both ends");
        assert_eq!(of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 8), 4, "an end and half of the six others");
        assert_eq!(of(&(0..20).collect::<Vec<_>>(), 8), 8);
        assert_eq!(of(&[], 8), 0);
        assert_eq!((expected_cached(&[true, true], 2), expected_cached(&[true], 1)), (2, 1));
    }
}
