//! Which stretches of a history could not be judged, in words and in JSON.

use serde::Serialize;
use tacho_experiment::BuildGap;
use tacho_measure::nearest_program;
use tacho_record::{BuildState, build_error};

use super::text;

/// How many stretches are named.
const NAMED: usize = 3;

/// A stretch in JSON.
#[derive(Serialize)]
pub struct UnbuiltAnswer<'a> {
    first: &'a str,
    last: &'a str,
    revisions: usize,
    among: usize,
    state: &'static str,
    why: String,
}

impl<'a> UnbuiltAnswer<'a> {
    pub fn of(unbuilt: &'a BuildGap) -> Self {
        Self {
            first: &unbuilt.first.id,
            last: &unbuilt.last.id,
            revisions: unbuilt.revisions,
            among: unbuilt.among(),
            state: unbuilt.state.word(),
            why: why(&unbuilt.state),
        }
    }
}

/// How a build ended that is none, in one line.
pub fn why(state: &BuildState) -> String {
    match state {
        BuildState::Built { .. } => "built".to_owned(),
        BuildState::Failed { why } | BuildState::Skipped { why } => why.clone(),
        BuildState::TimedOut { limit } => format!("timed out after {}", text::duration(*limit)),
    }
}

/// What to do about a build that failed since a program is not there.
pub fn missing_program(state: &BuildState) -> Option<String> {
    let BuildState::Failed { why } = state else { return None };
    let program = build_error::missing_program(why)?;
    Some(match nearest_program(program) {
        _ if program.contains('/') => {
            format!(
                "`{program}` is not in the checkout, which has only what history has: let `build` \
                 make it"
            )
        }
        Some(nearest) => format!("did you mean `{nearest}`? `{program}` is not installed"),
        None => format!("`{program}` is not installed, or not in `PATH`"),
    })
}

/// The largest of them, each in a line, and how many more there are.
pub fn lines(all: &[BuildGap]) -> Vec<String> {
    let mut largest: Vec<&BuildGap> = all.iter().collect();
    largest.sort_by_key(|unbuilt| std::cmp::Reverse(unbuilt.revisions));
    let (named, rest) = largest.split_at(NAMED.min(largest.len()));
    let mut lines: Vec<String> = named.iter().map(|unbuilt| line(unbuilt)).collect();
    if !rest.is_empty() {
        let (tried, among) = sums(rest);
        let stretches = if rest.len() == 1 { "stretch" } else { "stretches" };
        lines.push(format!(
            "{} {stretches} more, {}: not judged",
            rest.len(),
            tried_of(tried, among)
        ));
    }
    lines
}

/// How many revisions of these stretches were tried, and how many they have.
fn sums(all: &[&BuildGap]) -> (usize, usize) {
    let both = all.iter().map(|unbuilt| (unbuilt.revisions, unbuilt.among()));
    both.fold((0, 0), |sum: (usize, usize), one| (sum.0 + one.0, sum.1.saturating_add(one.1)))
}

/// `8 revisions`, or `8 of 13 revisions tried`.
fn tried_of(tried: usize, among: usize) -> String {
    let all = text::count(among, "revision");
    if tried == among { all } else { format!("{tried} of {all} tried") }
}

fn line(unbuilt: &BuildGap) -> String {
    let (first, last) = (unbuilt.first.short(), unbuilt.last.short());
    let place = if first == last { first.to_owned() } else { format!("{first}..{last}") };
    let (tried, among) = (unbuilt.revisions, unbuilt.among());
    let is_skipped = matches!(unbuilt.state, BuildState::Skipped { .. });
    let how = match (is_skipped, tried == among) {
        (true, true) => "skipped",
        (true, false) => "all of these skipped",
        (false, true) => "could not be built",
        (false, false) => "none of these could be built",
    };
    format!("{place}, {}, {how}: not judged", tried_of(tried, among))
}

#[cfg(test)]
mod tests {
    use tacho_record::Revision;

    use super::*;

    #[test]
    fn the_largest_are_named_and_the_others_counted() {
        let at = |name: &str, order: u64| Revision { order, ..Revision::bare(name) };
        let stretch = |revisions: usize, last: &str| BuildGap {
            first: at("aaa", 1),
            last: at(last, revisions as u64),
            revisions,
            state: BuildState::Failed { why: "no".to_owned() },
        };
        let all = [(1, "aaa"), (8, "bbb"), (2, "ccc"), (3, "ddd"), (2, "eee")];
        let all: Vec<BuildGap> = all.map(|(revisions, last)| stretch(revisions, last)).into();
        assert_eq!(
            lines(&all),
            [
                "aaa..bbb, 8 revisions, could not be built: not judged",
                "aaa..ddd, 3 revisions, could not be built: not judged",
                "aaa..ccc, 2 revisions, could not be built: not judged",
                "2 stretches more, 3 revisions: not judged",
            ]
        );
        let skipped = BuildGap {
            state: BuildState::Skipped { why: "known".to_owned() },
            ..stretch(1, "aaa")
        };
        assert_eq!(lines(&[skipped]), ["aaa, 1 revision, skipped: not judged"]);
        let thinly =
            |stretch: BuildGap| BuildGap { last: at("zzz", stretch.last.order + 5), ..stretch };
        let failed = thinly(stretch(8, "zzz"));
        assert_eq!(
            lines(std::slice::from_ref(&failed)),
            ["aaa..zzz, 8 of 13 revisions tried, none of these could be built: not judged"]
        );
        let skipped =
            BuildGap { state: BuildState::Skipped { why: "known".to_owned() }, ..failed.clone() };
        assert_eq!(
            lines(&[skipped]),
            ["aaa..zzz, 8 of 13 revisions tried, all of these skipped: not judged"]
        );
        let many: Vec<BuildGap> = (1..=4).map(|_| failed.clone()).collect();
        assert_eq!(lines(&many)[3], "1 stretch more, 8 of 13 revisions tried: not judged");
        assert_eq!(lines(&[]), Vec::<String>::new());
    }
}
