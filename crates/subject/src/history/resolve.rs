//! From what people write to the commit that they mean.

use std::path::Path;

use glob::Pattern;
use tacho_record::Revision;

use crate::SubjectError;
use crate::git_repository::Repository;

/// How alike two names must be, from 0 to 1, for one to be offered instead of the other.
const ALIKE: f64 = 0.75;

/// The hashes of the commits that these names mean, in the same order, in one process.
pub(super) fn commits(
    repository: &Repository,
    names: &[&str],
) -> Result<Vec<String>, SubjectError> {
    if let Some(name) = names.iter().find(|name| name.contains(['\n', '\0'])) {
        return Err(unknown(repository, name)?);
    }
    let kinds = kinds(repository, names)?;
    let mut commits = Vec::with_capacity(names.len());
    for (name, answer) in names.iter().zip(&kinds) {
        commits.push(commit(repository, name, answer)?);
    }
    Ok(commits)
}

/// Git's answer for each name: `HASH KIND SIZE`, `NAME missing`, `NAME ambiguous`.
///
/// Asked this way names may hold spaces, and those that start with a dash are no options.
fn kinds(repository: &Repository, names: &[&str]) -> Result<Vec<String>, SubjectError> {
    let input: String = names.iter().flat_map(|name| [name, "\n"]).collect();
    let answers = repository.git.answers(&["cat-file", "--batch-check"], &input)?;
    // Some answers to an ambiguous name are longer than a line; then each name is queried alone.
    if answers.len() == names.len() || names.len() == 1 {
        return Ok(answers);
    }
    names.iter().map(|name| Ok(kinds(repository, &[name])?.swap_remove(0))).collect()
}

fn commit(repository: &Repository, name: &str, answer: &str) -> Result<String, SubjectError> {
    let mut words = answer.rsplitn(2, ' ');
    match words.next() {
        Some("missing") | None => return Err(unknown(repository, name)?),
        Some("ambiguous") => return Err(SubjectError::AmbiguousRevision { name: name.to_owned() }),
        Some(_) => {}
    }
    match words.next().and_then(|words| words.split_once(' ')) {
        Some((id, "commit")) => Ok(id.to_owned()),
        Some((id, "tag")) => {
            let target = format!("{id}^{{}}");
            let answers = kinds(repository, &[&target])?;
            commit(repository, name, answers.first().map_or("missing", String::as_str))
        }
        Some((_, kind)) => {
            Err(SubjectError::NotACommit { name: name.to_owned(), kind: kind.to_owned() })
        }
        None => Err(unknown(repository, name)?),
    }
}

/// The error for a name that git does not know, or the failure of the query.
fn unknown(repository: &Repository, name: &str) -> Result<SubjectError, SubjectError> {
    if repository.git.lines(&["rev-list", "--all", "--max-count=1"])?.is_empty()
        && repository
            .git
            .lines_if_any(&["rev-parse", "--quiet", "--verify", "HEAD^{commit}"])?
            .is_empty()
    {
        return Ok(SubjectError::EmptyRepository { path: repository.folder().to_owned() });
    }
    if Path::new(name).is_dir() {
        return Ok(SubjectError::Folder { name: name.to_owned() });
    }
    let nearest = nearest_known(repository, name)?;
    Ok(SubjectError::UnknownRevision {
        name: name.to_owned(),
        nearest,
        shallow: repository.shallow,
    })
}

/// The tag or branch that may have been meant.
fn nearest_known(repository: &Repository, name: &str) -> Result<Option<String>, SubjectError> {
    // The suffix after the name of a tag or branch leads to another commit: `v1.0~3`.
    let base =
        name.split(['~', '^', '@', ':']).next().filter(|base| !base.is_empty()).unwrap_or(name);
    if name.contains('\n')
        || !kinds(repository, &[base])?.iter().any(|answer| answer.ends_with(" missing"))
    {
        return Ok(oldest(repository, name));
    }
    let format = "--format=%(refname:strip=2)";
    let known = repository.git.lines(&[
        "for-each-ref",
        format,
        "refs/tags",
        "refs/heads",
        "refs/remotes",
    ])?;
    Ok(nearest(base, known.iter().map(String::as_str).chain(["HEAD"])))
}

/// The first commit as that name counts it, where it goes back beyond: `main~3` for `main~9`. In a
/// shallow clone that is another mistake.
fn oldest(repository: &Repository, name: &str) -> Option<String> {
    let (base, _) = name.split_once('~').filter(|(_, back)| back.parse::<u32>().is_ok())?;
    if repository.shallow || base.starts_with('-') {
        return None;
    }
    let commit = format!("{base}^{{commit}}");
    let count = ["rev-list", "--count", "--first-parent", &commit, "--"];
    // If the count fails, the error remains that the commit is unknown.
    let counted = repository.git.lines_if_any(&count).ok()?;
    let commits = counted.first().and_then(|it| it.parse::<u32>().ok());
    commits.filter(|commits| *commits > 1).map(|commits| format!("{base}~{}", commits - 1))
}

/// The name that is spelt most like that one, if one is much like it.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.collect();
    // A release by fewer of its numbers: `v1.0.0` for `v1.0`.
    let is_release =
        |known: &&&str| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let mut releases = known.iter().filter(is_release);
    if let (Some(release), None) = (releases.next(), releases.next()) {
        return Some((*release).to_owned());
    }
    let likeness = |known: &str| {
        // A branch that only the remote has: `origin/topic` for `topic`.
        let remote = known.split_once('/').is_some_and(|(_, known)| known == name);
        if remote { 1.0 } else { strsim::normalized_damerau_levenshtein(name, known).max(0.0) }
    };
    known
        .iter()
        .map(|known| (likeness(known), *known))
        .filter(|(likeness, known)| *likeness >= ALIKE || likely_typo(name, known))
        .min_by(|(one, _), (two, _)| two.total_cmp(one))
        .map(|(_, known)| known.to_owned())
}

/// One letter too few, too many, wrong or swapped: much for a short name, and yet the likeliest
/// mistake.
fn likely_typo(name: &str, known: &str) -> bool {
    name.len() >= 3 && strsim::damerau_levenshtein(name, known) == 1
}

/// A pattern for the names of tags and releases; `*` matches slashes too, as in `git tag --list`.
pub(super) fn pattern(text: &str) -> Result<Pattern, SubjectError> {
    Pattern::new(text)
        .map_err(|source| SubjectError::BadPattern { pattern: text.to_owned(), source })
}

/// Whether a tag of the revision matches, if one must.
pub(super) fn has_tag(pattern: Option<&Pattern>, revision: &Revision) -> bool {
    pattern.is_none_or(|pattern| revision.tags.iter().any(|tag| pattern.matches(tag)))
}

/// The note on a pattern that no tag matches, in a range or in all revisions up to the newest.
pub fn no_tag_matches(pattern: &Pattern, is_range: bool) -> String {
    let taken = if is_range {
        "the first and the last revision of the range are"
    } else {
        "the newest revision is"
    };
    format!("no tag matches `{pattern}`: only {taken} taken")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        let known = ["v1.0", "v1.10", "v2.0.1", "main", "origin/topic"];
        let nearest = |name| nearest(name, known.into_iter());
        assert_eq!(nearest("v1.00").as_deref(), Some("v1.0"));
        assert_eq!(nearest("mian").as_deref(), Some("main"));
        assert_eq!(nearest("v1").as_deref(), None, "which of them?");
        assert_eq!(nearest("v2").as_deref(), Some("v2.0.1"));
        assert_eq!(nearest("topic").as_deref(), Some("origin/topic"));
        assert_eq!(nearest("development"), None);
        assert_eq!(nearest("x"), None);
    }
}
