//! Uncommitted changes of the user, which no revision has.

use std::path::Path;

use tacho_record::Revision;
use tacho_record::plan::{Source, Subject};

use super::repository_of;
use crate::git::Git;

/// The folder beside a plan with what was measured, which some commit.
const STORE: &str = ".tacho";

/// How many files of the work tree are edited and not committed, where one of these revisions is
/// the one that is checked out: what is built of it is without these edits.
///
/// The plan itself does not count, as it is read where it is, nor does the store beside it. If git
/// fails, no file counts as edited.
#[must_use]
pub fn edited_files(subject: &Subject, plan: &Path, revisions: &[Revision]) -> usize {
    let (Source::Git(path), Some(folder)) = (&subject.source, plan.parent()) else { return 0 };
    let Ok(repository) = repository_of(path, folder) else { return 0 };
    let head = repository.git.lines_if_any(&["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]);
    let head = head.ok().and_then(|lines| lines.into_iter().next());
    let is_measured = |id: String| revisions.iter().any(|revision| revision.id == id);
    if !head.is_some_and(is_measured) {
        return 0;
    }
    let Some(top) = repository.top() else { return 0 };
    let is_own = |path: &Path| path == plan || path.starts_with(folder.join(STORE));
    changed(&Git::new(&top)).iter().filter(|path| !is_own(&top.join(path))).count()
}

/// The paths that git says are edited, from the root of the work tree.
fn changed(git: &Git) -> Vec<String> {
    let status = ["status", "--porcelain=v1", "--untracked-files=no", "--no-renames", "-z"];
    let Ok(said) = git.read(&status) else { return Vec::new() };
    let said = String::from_utf8_lossy(&said);
    let paths = said.split('\0').filter_map(|entry| entry.get(3..)).map(str::to_owned);
    paths.filter(|path| !path.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{repo, revision};

    #[test]
    fn only_edits_beside_a_measured_checkout_count() {
        let repo = repo().write("prog", "1").write("tacho.toml", "").commit("one").commit("two");
        let subject = Subject { source: Source::Git(".".into()), ..subject() };
        let plan = repo.path().canonicalize().unwrap().join("tacho.toml");
        let [head, first] = ["HEAD", "HEAD~1"].map(|name| revision(&repo.id(name)));
        let edited = |revisions: &[Revision]| edited_files(&subject, &plan, revisions);
        assert_eq!(edited(std::slice::from_ref(&head)), 0, "nothing is edited");
        let repo = repo.write("prog", "2").write("tacho.toml", "edited").write("new", "");
        assert_eq!(edited(&[first.clone(), head.clone()]), 1, "neither the plan nor a new file");
        assert_eq!(edited(&[first]), 0, "what is checked out is not measured");
        let repo = repo.write("two", "3").git(&["add", "two"]);
        assert_eq!(edited(&[head]), 2, "what is staged is not committed either");
        drop(repo);
    }

    fn subject() -> Subject {
        let text = "[subject]\n[[benchmark]]\nname = 'a'\ncommand = 'true'\n";
        tacho_record::plan::parse(text, "").unwrap().subject
    }
}
