//! Which stretches of a history could not be judged, in words and in JSON.

use serde::Serialize;
use tacho_experiment::Unbuilt;
use tacho_record::BuildState;

use super::text;

/// How many stretches are named.
const NAMED: usize = 3;

/// A stretch in JSON.
#[derive(Serialize)]
pub struct UnbuiltAnswer<'a> {
    first: &'a str,
    last: &'a str,
    revisions: usize,
    state: &'static str,
    why: String,
}

impl<'a> UnbuiltAnswer<'a> {
    pub fn of(unbuilt: &'a Unbuilt) -> Self {
        Self {
            first: &unbuilt.first.id,
            last: &unbuilt.last.id,
            revisions: unbuilt.revisions,
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

/// The largest of them, each in a line, and how many more there are.
pub fn lines(all: &[Unbuilt]) -> Vec<String> {
    let mut largest: Vec<&Unbuilt> = all.iter().collect();
    largest.sort_by_key(|unbuilt| std::cmp::Reverse(unbuilt.revisions));
    let (named, rest) = largest.split_at(NAMED.min(largest.len()));
    let mut lines: Vec<String> = named.iter().map(|unbuilt| line(unbuilt)).collect();
    if !rest.is_empty() {
        let revisions = text::count(rest.iter().map(|unbuilt| unbuilt.revisions).sum(), "revision");
        let stretches = if rest.len() == 1 { "stretch" } else { "stretches" };
        lines.push(format!("{} {stretches} more, {revisions}: not judged", rest.len()));
    }
    lines
}

fn line(unbuilt: &Unbuilt) -> String {
    let (first, last) = (unbuilt.first.short(), unbuilt.last.short());
    let place = if first == last { first.to_owned() } else { format!("{first}..{last}") };
    let how = match unbuilt.state {
        BuildState::Skipped { .. } => "skipped",
        _ => "could not be built",
    };
    format!("{place}, {}, {how}: not judged", text::count(unbuilt.revisions, "revision"))
}

#[cfg(test)]
mod tests {
    use tacho_record::Revision;

    use super::*;

    #[test]
    fn the_largest_are_named_and_the_others_counted() {
        let stretch = |revisions: usize, last: &str| Unbuilt {
            first: Revision::bare("aaa"),
            last: Revision::bare(last),
            revisions,
            state: BuildState::Failed { why: "no".to_owned() },
        };
        let all = [(1, "aaa"), (8, "bbb"), (2, "ccc"), (3, "ddd"), (2, "eee")];
        let all: Vec<Unbuilt> = all.map(|(revisions, last)| stretch(revisions, last)).into();
        assert_eq!(
            lines(&all),
            [
                "aaa..bbb, 8 revisions, could not be built: not judged",
                "aaa..ddd, 3 revisions, could not be built: not judged",
                "aaa..ccc, 2 revisions, could not be built: not judged",
                "2 stretches more, 3 revisions: not judged",
            ]
        );
        let skipped = Unbuilt { state: BuildState::Skipped { why: "known".to_owned() }, ..stretch(1, "aaa") };
        assert_eq!(lines(&[skipped]), ["aaa, 1 revision, skipped: not judged"]);
        assert_eq!(lines(&[]), Vec::<String>::new());
    }
}
