//! Published releases as a history: named in the plan, or printed by a command.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tacho_record::Revision;

use super::choose::choose;
use super::{RevisionStep, resolve};
use crate::SubjectError;
use crate::history::selection::{History, RevisionQuery, SelectedRevisions, Selection};

/// The origin of the names.
#[derive(Debug)]
enum ReleaseOrigin {
    Listed(Vec<String>),
    Printed { command: String, folder: PathBuf },
}

/// Releases in the order in which they were published.
#[derive(Debug)]
pub(super) struct Releases {
    origin: ReleaseOrigin,
    /// Requested once: a command may take its time.
    names: OnceCell<Vec<String>>,
}

impl Releases {
    pub fn listed(names: Vec<String>) -> Self {
        Self { origin: ReleaseOrigin::Listed(names), names: OnceCell::new() }
    }

    pub fn printed(command: &str, folder: &Path) -> Self {
        let origin =
            ReleaseOrigin::Printed { command: command.to_owned(), folder: folder.to_owned() };
        Self { origin, names: OnceCell::new() }
    }

    fn names(&self) -> Result<&[String], SubjectError> {
        if let Some(names) = self.names.get() {
            return Ok(names);
        }
        let (names, place) = match &self.origin {
            ReleaseOrigin::Listed(names) => (names.clone(), "the plan"),
            ReleaseOrigin::Printed { command, folder } => {
                (print(command, folder)?, "the command that prints the releases")
            }
        };
        let mut seen = HashSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(SubjectError::DuplicateRelease { name: name.clone() });
        }
        if names.is_empty() {
            return Err(SubjectError::NoReleases { place: place.to_owned() });
        }
        Ok(self.names.get_or_init(|| names))
    }

    fn range(
        &self,
        from: Option<&str>,
        to: Option<&str>,
        selection: &Selection,
    ) -> Result<Vec<Revision>, SubjectError> {
        let names = self.names()?;
        let first = from.map(|name| place(names, name)).transpose()?;
        let last = to.map(|name| place(names, name)).transpose()?.unwrap_or(names.len() - 1);
        if let Some(first) = first.filter(|&first| first >= last) {
            let (from, to) = (names[first].clone(), names[last].clone());
            return Err(SubjectError::EmptyRange { from, to, same: first == last });
        }
        if let RevisionStep::Span(_) = selection.every {
            return Err(SubjectError::NoDates { every: selection.every.to_string() });
        }
        let pattern = selection.tags.as_deref().map(resolve::pattern).transpose()?;
        let wanted = |revision: &Revision| {
            pattern.as_ref().is_none_or(|pattern| pattern.matches(&revision.id))
        };
        let revisions = (first.unwrap_or(0)..=last).map(|place| revision(names, place)).collect();
        Ok(choose(revisions, selection.every, from, wanted))
    }

    fn list(&self, wanted: &[String]) -> Result<Vec<Revision>, SubjectError> {
        let names = self.names()?;
        let mut places =
            wanted.iter().map(|name| place(names, name)).collect::<Result<Vec<_>, _>>()?;
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            return Err(SubjectError::EmptyList);
        }
        Ok(places.into_iter().map(|place| revision(names, place)).collect())
    }
}

impl History for Releases {
    fn select(&self, selection: &Selection) -> Result<SelectedRevisions, SubjectError> {
        let revisions = match &selection.what {
            RevisionQuery::Range { from, to } => {
                self.range(from.as_deref(), to.as_deref(), selection)?
            }
            RevisionQuery::List(names) => self.list(names)?,
        };
        let names = self.names()?;
        let note = no_match(names, selection)?;
        let known = (0..names.len()).map(|place| revision(names, place)).collect();
        Ok(SelectedRevisions { revisions, known, commits: Vec::new(), note })
    }
}

/// The note on a range with a pattern that no release matches.
fn no_match(names: &[String], selection: &Selection) -> Result<Option<String>, SubjectError> {
    let (RevisionQuery::Range { .. }, Some(text)) = (&selection.what, &selection.tags) else {
        return Ok(None);
    };
    let pattern = resolve::pattern(text)?;
    let is_any = names.iter().any(|name| pattern.matches(name));
    Ok((!is_any).then(|| format!("no release matches `{text}`")))
}

fn place(names: &[String], wanted: &str) -> Result<usize, SubjectError> {
    names.iter().position(|name| name == wanted).ok_or_else(|| SubjectError::UnknownRelease {
        name: wanted.to_owned(),
        nearest: resolve::nearest(wanted, names.iter().map(String::as_str)),
    })
}

fn revision(names: &[String], place: usize) -> Revision {
    Revision {
        id: names[place].clone(),
        order: place as u64 + 1,
        author: String::new(),
        date: None,
        subject: String::new(),
        tags: Vec::new(),
    }
}

/// The longest list of releases that is read, in bytes.
const LONGEST_LIST: u64 = 16 << 20;

/// The output of a shell command, which is killed when its standard output exceeds the limit.
fn output(command: &str, folder: &Path) -> io::Result<Output> {
    let mut errors = tempfile::tempfile()?;
    let mut child = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors.try_clone()?)
        .spawn()?;
    let mut stdout = Vec::new();
    if let Some(pipe) = child.stdout.take() {
        pipe.take(LONGEST_LIST + 1).read_to_end(&mut stdout)?;
    }
    if stdout.len() as u64 > LONGEST_LIST {
        // The process may have ended by itself.
        let _ = child.kill();
    }
    let status = child.wait()?;
    let mut stderr = Vec::new();
    errors.rewind()?;
    errors.take(LONGEST_LIST).read_to_end(&mut stderr)?;
    Ok(Output { status, stdout, stderr })
}

/// The words that a shell command prints.
fn print(command: &str, folder: &Path) -> Result<Vec<String>, SubjectError> {
    let output = output(command, folder)
        .map_err(|error| SubjectError::ReleasesCommand { why: error.to_string() })?;
    if output.stdout.len() as u64 > LONGEST_LIST {
        let why = format!("it prints more than {} MiB", LONGEST_LIST >> 20);
        return Err(SubjectError::ReleasesCommand { why });
    }
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout)
            .split_whitespace()
            .map(str::to_owned)
            .collect());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let why = match text.lines().rfind(|line| !line.trim().is_empty()) {
        Some(line) => format!("{}: {}", output.status, line.trim()),
        None => output.status.to_string(),
    };
    Err(SubjectError::ReleasesCommand { why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_without_end_is_refused() {
        let error = print("yes 1.0", Path::new("/")).unwrap_err().to_string();
        assert!(error.ends_with("it prints more than 16 MiB"), "{error}");
    }

    fn listed(names: &str) -> Releases {
        Releases::listed(names.split_whitespace().map(str::to_owned).collect())
    }

    fn chosen(
        releases: &Releases,
        range: &str,
        every: &str,
        tags: Option<&str>,
    ) -> Result<String, SubjectError> {
        let mut selection = Selection::parse_range(range);
        selection.every = every.parse().unwrap();
        selection.tags = tags.map(str::to_owned);
        let selected = releases.select(&selection)?;
        let show = |revision: &Revision| format!("{}:{}", revision.order, revision.id);
        Ok(selected.revisions.iter().map(show).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn ranges_go_by_place_not_by_name() {
        let releases = listed("1.0 1.10 1.9 2.0-rc1 2.0");
        assert_eq!(
            chosen(&releases, "1.10..2.0-rc1", "commit", None).unwrap(),
            "2:1.10 3:1.9 4:2.0-rc1"
        );
        assert_eq!(chosen(&releases, "..1.9", "commit", None).unwrap(), "1:1.0 2:1.10 3:1.9");
        assert_eq!(chosen(&releases, "..", "3commits", None).unwrap(), "1:1.0 4:2.0-rc1 5:2.0");
        assert_eq!(
            chosen(&releases, "1.0..", "commit", Some("1.*")).unwrap(),
            "1:1.0 2:1.10 3:1.9 5:2.0"
        );
        assert_eq!(chosen(&releases, "2.0", "commit", None).unwrap(), "5:2.0");
    }

    #[test]
    fn a_pattern_that_no_release_matches_is_said() {
        let ask = |tags: &str| {
            let selection =
                Selection { tags: Some(tags.to_owned()), ..Selection::parse_range("..") };
            listed("1.0 2.0").select(&selection).unwrap().note
        };
        assert_eq!(ask("v*").unwrap(), "no release matches `v*`");
        assert_eq!(ask("2*"), None);
    }

    #[test]
    fn a_list_is_put_in_order() {
        let what = RevisionQuery::List(["2.0", "1.0", "2.0"].map(str::to_owned).to_vec());
        let selected =
            listed("1.0 2.0").select(&Selection { what, ..Selection::parse_range("..") }).unwrap();
        assert_eq!(
            selected.revisions.iter().map(|r| r.id.as_str()).collect::<Vec<_>>(),
            ["1.0", "2.0"]
        );
        assert_eq!(selected.commits, []);
    }

    #[test]
    fn the_places_of_all_are_known_whatever_is_requested() {
        let selected = listed("0.9 1.0 2.0").select(&Selection::parse_range("1.0")).unwrap();
        let places = |revisions: &[Revision]| -> Vec<_> {
            revisions.iter().map(|revision| (revision.id.clone(), revision.order)).collect()
        };
        assert_eq!(places(&selected.revisions), [("1.0".to_owned(), 2)]);
        let all =
            [("0.9", 1), ("1.0", 2), ("2.0", 3)].map(|(name, order)| (name.to_owned(), order));
        assert_eq!(places(&selected.known), all);
    }

    #[test]
    fn what_cannot_be_is_said() {
        let releases = listed("1.0 1.10 2.0");
        let said = |range: &str, every: &str| {
            let error = chosen(&releases, range, every, None).unwrap_err();
            format!("{error}; {}", error.hint().unwrap_or_default())
        };
        assert_eq!(
            said("2.0..1.0", "commit"),
            "the range `2.0..1.0` is empty: `1.0` is an ancestor of `2.0`; did you mean `1.0..2.0`?"
        );
        assert_eq!(
            said("2.0..", "commit"),
            "the range `2.0..2.0` is empty: both are the same revision; to measure one revision, \
             name only that one"
        );
        assert_eq!(said("1.11..", "commit"), "unknown release `1.11`; did you mean `1.10`?");
        assert!(said("..", "1w").starts_with("`1w` is a step in time, and releases have no dates"));
        let error = listed("1 2 1").names().unwrap_err();
        assert_eq!(error.to_string(), "release `1` is listed twice");
        assert_eq!(listed("").names().unwrap_err().to_string(), "the plan names no releases");
    }

    #[test]
    fn a_command_prints_them_in_the_folder_of_the_plan() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("releases"), "1.0 1.1\n2.0\n").unwrap();
        let printed = |command| Releases::printed(command, folder.path());
        assert_eq!(printed("cat releases").names().unwrap(), ["1.0", "1.1", "2.0"]);
        let said = |command| printed(command).names().unwrap_err().to_string();
        let failed = "the command that prints the releases failed: exit status: 3";
        assert_eq!(said("echo why >&2; exit 3"), format!("{failed}: why"));
        assert_eq!(said("exit 3"), failed);
        assert_eq!(said("true"), "the command that prints the releases names no releases");
    }
}
