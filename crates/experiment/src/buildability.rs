//! From where to where a history does not build, found with few builds.

use std::collections::HashSet;

use tacho_record::{Build, BuildState, Revision};

use crate::{Bench, ExperimentError, Question};

/// The stretch around a revision that does not build, as places in the question's revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first that does not build.
    pub first: usize,
    /// The last that does not build.
    pub last: usize,
    /// The nearest before it that does, or that is skipped, if there is one: all between are taken not to.
    pub before: Option<usize>,
    /// The nearest after it that does, or that is skipped, if there is one.
    pub after: Option<usize>,
    /// Which of these two are skipped.
    pub skipped: [Option<usize>; 2],
}

impl Bench<'_> {
    /// The build of one revision, made if need be; none when interrupted.
    pub fn build_of(
        &mut self,
        question: &Question,
        revision: &Revision,
    ) -> Result<Option<Build>, ExperimentError> {
        let builds = self.builds(question).all(std::slice::from_ref(revision), question.retry_failed)?;
        Ok(builds.and_then(|builds| builds.into_iter().next()))
    }
}

/// Looks for both ends of the stretch around this place, which does not build: in steps that double until one builds, then by
/// halves. None when interrupted.
///
/// That it is one stretch is taken for granted: a few revisions within it that build are not seen.
pub fn window(
    bench: &mut Bench<'_>,
    question: &Question,
    at: usize,
) -> Result<Option<Window>, ExperimentError> {
    let mut skipped = HashSet::new();
    let mut ends = |place: usize| -> Result<Option<bool>, ExperimentError> {
        let build = bench.build_of(question, &question.revisions[place])?;
        let is_skipped = |build: &Build| matches!(build.state, BuildState::Skipped { .. });
        skipped.extend(build.as_ref().filter(|build| is_skipped(build)).map(|_| place));
        Ok(build.map(|build| build.state.artifact().is_some() || is_skipped(&build)))
    };
    let most = question.revisions.len() - 1;
    let Some(down) = edge(at, |distance| at.checked_sub(distance), &mut ends)? else { return Ok(None) };
    let up = edge(most - at, |distance| Some(at + distance).filter(|place| *place <= most), &mut ends)?;
    let Some(up) = up else { return Ok(None) };
    let (before, after) = (down.1.map(|distance| at - distance), up.1.map(|distance| at + distance));
    let skipped = [before, after].map(|place| place.filter(|place| skipped.contains(place)));
    Ok(Some(Window { first: at - down.0, last: at + up.0, before, after, skipped }))
}

/// How far away the last is that does not build, and the first that does; none when interrupted.
#[allow(clippy::type_complexity)] // two distances, the second of which there may not be
fn edge(
    most: usize,
    place: impl Fn(usize) -> Option<usize>,
    builds: &mut dyn FnMut(usize) -> Result<Option<bool>, ExperimentError>,
) -> Result<Option<(usize, Option<usize>)>, ExperimentError> {
    let (mut bad, mut good, mut step) = (0, None, 1);
    while good.is_none() && bad < most {
        let next = (bad + step).min(most);
        let Some(at) = place(next) else { break };
        match builds(at)? {
            None => return Ok(None),
            Some(true) => good = Some(next),
            Some(false) => bad = next,
        }
        step *= 2;
    }
    while let Some(far) = good.filter(|far| far - bad > 1) {
        let middle = bad + (far - bad) / 2;
        let Some(at) = place(middle) else { break };
        match builds(at)? {
            None => return Ok(None),
            Some(true) => good = Some(middle),
            Some(false) => bad = middle,
        }
    }
    Ok(Some((bad, good)))
}

/// The first line of a build's log that says what is wrong, cleaned of what would disturb a terminal.
#[must_use]
pub fn first_error(log: &str) -> Option<String> {
    const SIGNS: [&str; 8] = [
        "error:",
        "error[",
        "fatal",
        "undefined reference",
        "multiple definition",
        "no such file",
        "not found",
        "does not apply",
    ];
    let said = |line: &&str| !line.starts_with("# ") && !line.trim().is_empty();
    let tells = |line: &&str| {
        let line = line.to_lowercase();
        SIGNS.iter().any(|sign| line.contains(sign))
    };
    let lines = || log.lines().filter(said);
    let line = lines().find(tells).or_else(|| lines().next_back())?;
    Some(line.trim().chars().filter(|c| !c.is_control()).take(300).collect())
}

/// What is known to mend such an error: flags for a C compiler, and why.
#[must_use]
pub fn remedy(log: &str) -> Option<(&'static str, &'static str)> {
    const KNOWN: [(&str, &str, &str); 7] = [
        ("multiple definition of", "-O2 -fcommon", "gcc 10 no longer merges definitions"),
        (
            "implicit declaration of function",
            "-O2 -Wno-error=implicit-function-declaration",
            "gcc 14 wants every function to be declared",
        ),
        ("-Wimplicit-int", "-O2 -Wno-error=implicit-int", "gcc 14 wants every type to be named"),
        (
            "-Wincompatible-pointer-types",
            "-O2 -Wno-error=incompatible-pointer-types",
            "gcc 14 no longer lets pointers of other types pass",
        ),
        ("-Wint-conversion", "-O2 -Wno-error=int-conversion", "gcc 14 no longer makes pointers of numbers"),
        ("two or more data types in declaration specifiers", "-O2 -std=gnu17", "C23 has `bool` of its own"),
        ("[-Werror", "-O2 -Wno-error", "newer compilers warn of more"),
    ];
    KNOWN.into_iter().find(|(sign, ..)| log.contains(sign)).map(|(_, flags, why)| (flags, why))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_ends_are_found_with_few_builds(length in 1_usize..400, at in any::<prop::sample::Index>(), down in 0_usize..400, up in 0_usize..400) {
            let at = at.index(length);
            let (first, last) = (at.saturating_sub(down), (at + up).min(length - 1));
            let mut made = 0;
            let mut builds = |place: usize| {
                made += 1;
                Ok(Some(place < first || place > last))
            };
            let below = edge(at, |distance| at.checked_sub(distance), &mut builds).unwrap().unwrap();
            let above = edge(length - 1 - at, |distance| Some(at + distance), &mut builds).unwrap().unwrap();
            prop_assert_eq!((at - below.0, at + above.0), (first, last));
            prop_assert_eq!(below.1.map(|distance| at - distance), first.checked_sub(1));
            prop_assert_eq!(above.1.map(|distance| at + distance), Some(last + 1).filter(|next| *next < length));
            prop_assert!(made <= 2 * 2 * 10, "{} builds", made);
        }
    }

    #[test]
    fn the_first_error_is_the_one_that_explains_the_others() {
        let log = "# builds x\ncc -c a.c\na.c:1:5: error: unknown type\nmake: *** [a.o] Error 1\n# failed\n";
        assert_eq!(first_error(log).as_deref(), Some("a.c:1:5: error: unknown type"));
        assert_eq!(first_error("# builds\none\ntwo\n").as_deref(), Some("two"));
        assert_eq!(first_error("# builds\n"), None);
        assert_eq!(remedy("ld: multiple definition of `x'").unwrap().0, "-O2 -fcommon");
        assert_eq!(remedy("error: unknown type"), None);
    }
}
