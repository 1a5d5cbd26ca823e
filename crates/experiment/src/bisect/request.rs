//! The request of a bisection, and its candidates.

use std::collections::HashMap;

use glob::{MatchOptions, Pattern};
use tacho_record::bisection::{BisectionRequest, Candidate, ValueSource};
use tacho_record::plan::Benchmark;
use tacho_record::{Commit, Digest, Recipes, Revision};

use tacho_subject::Layout;

/// The request with its candidates.
#[derive(Clone, Debug)]
pub struct Inquiry {
    /// The request.
    pub asked: BisectionRequest,
    /// The revisions that may be the cause, and both ends, in order of history; at least two.
    pub candidates: Vec<Candidate>,
    /// The earlier end as it was named, where it is no candidate: it is measured beside the first.
    pub aside: Option<Revision>,
    /// Begin again, whatever is known.
    pub again: bool,
    /// The orders of linking that probes may ask for.
    pub layouts: Vec<Layout>,
}

impl Inquiry {
    /// The digest of all that identifies the question. The budget is no part of it.
    #[must_use]
    pub fn digest(&self, benchmarks: &[Benchmark], recipes: &Recipes) -> Digest {
        let asked = &self.asked;
        let candidates: Vec<&str> =
            self.candidates.iter().map(|it| it.revision.id.as_str()).collect();
        let benchmarks = (asked.of == ValueSource::Execution).then_some(benchmarks);
        let recipes = recipes.together(candidates.iter().copied());
        let how = (
            &asked.metric,
            asked.of,
            asked.by,
            asked.least,
            asked.all,
            asked.exchanged,
            &asked.probe,
        );
        let what = (benchmarks, &asked.benchmark, (how, asked.layout), recipes, candidates);
        // Only a number that JSON cannot write has no text, and plans refuse those.
        let text = serde_json::to_string(&what).unwrap_or_else(|_| format!("{what:?}"));
        let aside = self.aside.iter().map(|aside| format!("\n{}", aside.id)).collect::<String>();
        Digest::of(format!("bisect\n{text}{aside}"))
    }
}

/// The candidates among revisions of a range: without those that touch none of these paths, which
/// are likely the same program as the one before. The ends stay, and so does all of it where there
/// are no paths.
#[must_use]
pub fn left_out(revisions: &[Revision], commits: &[Commit], paths: &[String]) -> Vec<Candidate> {
    let matters = matters(commits, paths);
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut before = Vec::new();
    for (at, revision) in revisions.iter().enumerate() {
        let is_end = at == 0 || at + 1 == revisions.len();
        if is_end || paths.is_empty() || matters(revision) {
            candidates.push(Candidate::after(revision.clone(), std::mem::take(&mut before)));
        } else {
            before.push(revision.clone());
        }
    }
    candidates
}

/// Whether there are paths, and all revisions after the first are known to touch none of them: they
/// may be mistyped.
#[must_use]
pub fn touch_none(revisions: &[Revision], commits: &[Commit], paths: &[String]) -> bool {
    !paths.is_empty() && !revisions.iter().skip(1).any(matters(commits, paths))
}

/// Finds the revisions that touch one of these paths. A revision with unknown files may touch all
/// of them.
fn matters(commits: &[Commit], paths: &[String]) -> impl Fn(&Revision) -> bool {
    let files: HashMap<&str, &[String]> =
        commits.iter().map(|commit| (commit.id.as_str(), commit.files.as_slice())).collect();
    let patterns: Vec<Pattern> = paths.iter().filter_map(|path| Pattern::new(path).ok()).collect();
    move |revision| {
        files
            .get(revision.id.as_str())
            .is_none_or(|files| files.iter().any(|file| touches(file, paths, &patterns)))
    }
}

/// Whether a file is one of these paths, is below one, or matches one.
fn touches(file: &str, paths: &[String], patterns: &[Pattern]) -> bool {
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    let below = |path: &String| {
        let path = path.trim_end_matches('/');
        path == "."
            || file == path
            || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
    };
    paths.iter().any(below) || patterns.iter().any(|pattern| pattern.matches_with(file, options))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::build::builds::tests::revision;

    fn commit(order: u64, files: &[&str]) -> Commit {
        let Revision { id, order, author, date, subject, .. } = revision(order);
        let files = files.iter().map(|&file| file.into()).collect();
        Commit { id, order, author, date, subject, files, numbers: BTreeMap::new() }
    }

    fn kept(paths: &[&str]) -> Vec<(u64, usize)> {
        let revisions: Vec<Revision> = (1..=6).map(revision).collect();
        let commits = [
            commit(2, &["doc/a.md"]),
            commit(3, &["src/a.c", "doc/a.md"]),
            commit(4, &["Makefile"]),
            commit(5, &[]),
            commit(6, &["doc/b.md"]),
        ];
        let paths: Vec<String> = paths.iter().map(|&path| path.into()).collect();
        let candidates = left_out(&revisions, &commits, &paths);
        candidates.into_iter().map(|it| (it.revision.order, it.left_out)).collect()
    }

    #[test]
    fn what_touches_no_path_is_left_out_and_counted_with_the_next() {
        assert_eq!(kept(&[]).len(), 6);
        assert_eq!(kept(&["src"]), [(1, 0), (3, 1), (6, 2)]);
        assert_eq!(kept(&["sr"]), [(1, 0), (6, 4)]);
        assert_eq!(kept(&["src/", "Make*"]), [(1, 0), (3, 1), (4, 0), (6, 1)]);
        assert_eq!(kept(&["*.c"]), [(1, 0), (6, 4)], "a star does not go into folders");
        assert_eq!(kept(&["**/*.c"]), [(1, 0), (3, 1), (6, 2)]);
    }
}
