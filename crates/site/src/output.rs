//! The folder of pages: files are complete or absent, unchanged ones are not touched, and stale
//! ones of ours are removed.
//!
//! A list of the written files (`tacho-site.json`) is kept beside the pages. Only files in this
//! list are ever replaced or removed. A folder with files but without a list is refused, so other
//! files are never at risk.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use tacho_record::reveal;

use crate::SiteError;

const MANIFEST: &str = "tacho-site.json";
const MANIFEST_VERSION: u32 = 1;

/// The prefix of names of incomplete files.
const UNFINISHED: &str = ".tacho-";

/// The folders that pages are kept in; the folder of the pages itself has a few more files.
pub(crate) const FOLDERS: [&str; 9] =
    ["bisection", "change", "comparison", "data", "layouts", "log", "revision", "runs", "series"];

#[derive(Serialize, Deserialize)]
struct OutputManifest {
    format_version: u32,
    files: BTreeSet<String>,
}

/// The result of writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSite {
    /// The page to open first.
    pub index: PathBuf,
    /// How many pages for people there are.
    pub pages: usize,
    /// How many files there are in all, raw data and logs included.
    pub files: usize,
    /// How many of them are new or changed.
    pub changed: usize,
    /// How many files of an earlier time were removed.
    pub removed: usize,
    /// The size of all files, in bytes.
    pub bytes: u64,
}

/// A folder that is being written.
pub(crate) struct OutputFolder {
    dir: PathBuf,
    /// The files written earlier.
    earlier: BTreeSet<String>,
    planned: BTreeSet<String>,
    changed: AtomicUsize,
    bytes: AtomicU64,
}

impl OutputFolder {
    /// Prepares a folder for exactly these files, named from the folder with `/`.
    pub(crate) fn open(dir: &Path, planned: BTreeSet<String>) -> Result<Self, SiteError> {
        make_folder(dir)?;
        let earlier = match read_manifest(&dir.join(MANIFEST))? {
            Some(files) => files,
            None if is_empty(dir)? => BTreeSet::new(),
            None => return Err(SiteError::NotEmpty { path: dir.to_owned() }),
        };
        for folder in [""].iter().chain(&FOLDERS) {
            remove_unfinished(&dir.join(folder))?;
        }
        let output = Self {
            dir: dir.to_owned(),
            earlier,
            planned,
            changed: AtomicUsize::default(),
            bytes: AtomicU64::default(),
        };
        // Listed before it is written: a writer that is killed half-way leaves nothing that the
        // next does not know.
        let both = output.earlier.union(&output.planned).cloned().collect();
        output.write_manifest(both)?;
        for folder in FOLDERS {
            make_folder(&dir.join(folder))?;
        }
        Ok(output)
    }

    /// Writes one of the planned files, unless it already holds this.
    ///
    /// Characters of pages and their data that are not seen, and that turn the direction of what
    /// follows, are made visible.
    pub(crate) fn put(&self, name: &str, content: &[u8]) -> Result<(), SiteError> {
        let is_shown =
            name != "app.js" && [".html", ".js"].iter().any(|suffix| name.ends_with(suffix));
        let content = &*if is_shown { visible(content) } else { Cow::Borrowed(content) };
        debug_assert!(self.planned.contains(name), "`{name}` was not planned");
        let path = self.dir.join(name);
        let failed = |source| SiteError::Write { path: path.clone(), source };
        self.bytes.fetch_add(content.len() as u64, Ordering::Relaxed);
        match compare(&path, content).map_err(failed)? {
            Existing::Same => return Ok(()),
            Existing::Other if !self.earlier.contains(name) => {
                return Err(SiteError::Foreign { path });
            }
            Existing::Other | Existing::Absent => {}
        }
        replace(&path, content, Sync::Later).map_err(failed)?;
        self.changed.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Removes what an earlier time has written and this one has not.
    pub(crate) fn close(self) -> Result<WrittenSite, SiteError> {
        let mut removed = 0;
        for name in self.earlier.difference(&self.planned).filter(|name| is_ours(name)) {
            let path = self.dir.join(name);
            match fs::remove_file(&path) {
                Ok(()) => removed += 1,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(SiteError::Write { path, source }),
            }
        }
        self.write_manifest(self.planned.clone())?;
        let is_page =
            |name: &&String| Path::new(name).extension().is_some_and(|kind| kind == "html");
        Ok(WrittenSite {
            index: self.dir.join("index.html"),
            pages: self.planned.iter().filter(is_page).count(),
            files: self.planned.len(),
            changed: self.changed.into_inner(),
            removed,
            bytes: self.bytes.into_inner(),
        })
    }

    fn write_manifest(&self, files: BTreeSet<String>) -> Result<(), SiteError> {
        let path = self.dir.join(MANIFEST);
        let manifest = OutputManifest { format_version: MANIFEST_VERSION, files };
        let text = serde_json::to_vec_pretty(&manifest)
            .map_err(|source| SiteError::Encode { path: MANIFEST.into(), source: source.into() })?;
        if fs::read(&path).is_ok_and(|before| before == text) {
            return Ok(());
        }
        replace(&path, &text, Sync::First).map_err(|source| SiteError::Write { path, source })
    }
}

/// The existing entry at the path of a file to write.
enum Existing {
    Absent,
    Other,
    Same,
}

/// The text with `\u{fffd}` in place of each character by which one text can pass for another.
fn visible(content: &[u8]) -> Cow<'_, [u8]> {
    let Ok(text) = str::from_utf8(content) else { return Cow::Borrowed(content) };
    match reveal(text, |_| "\u{fffd}".to_owned()) {
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        Cow::Borrowed(_) => Cow::Borrowed(content),
    }
}

fn compare(path: &Path, content: &[u8]) -> io::Result<Existing> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Existing::Absent),
        Err(error) => Err(error),
        Ok(metadata) if metadata.len() != content.len() as u64 => Ok(Existing::Other),
        Ok(_) => Ok(if fs::read(path)? == content { Existing::Same } else { Existing::Other }),
    }
}

/// Whether a file must be on the disk before it has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sync {
    /// A power cut leaves the old file or the new one.
    First,
    /// A power cut may leave an empty file, which the next time replaces.
    Later,
}

/// Puts a file in place of another in one step; readers see the one or the other.
fn replace(path: &Path, content: &[u8], sync: Sync) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        // Pages are made to be served: as readable as the umask allows, not for their owner alone.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(content)?;
    if sync == Sync::First {
        file.as_file().sync_all()?;
    }
    file.persist(path)?;
    Ok(())
}

fn make_folder(path: &Path) -> Result<(), SiteError> {
    fs::create_dir_all(path).map_err(|source| SiteError::Write { path: path.to_owned(), source })
}

/// Whether the folder has no files except those that a killed writer left.
fn is_empty(dir: &Path) -> Result<bool, SiteError> {
    Ok(children(dir)?.iter().all(|path| is_unfinished(path)))
}

/// Removes what a killed writer left.
fn remove_unfinished(dir: &Path) -> Result<(), SiteError> {
    for path in children(dir)?.into_iter().filter(|path| is_unfinished(path)) {
        fs::remove_file(&path).map_err(|source| SiteError::Write { path, source })?;
    }
    Ok(())
}

/// Whether a file was being written when its writer was killed: `.tacho-` and six characters.
fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.strip_prefix(UNFINISHED).is_some_and(|rest| rest.len() == 6) && path.is_file()
}

/// The entries of a folder; empty if there is no such folder.
fn children(dir: &Path) -> Result<Vec<PathBuf>, SiteError> {
    let failed = |source| SiteError::Write { path: dir.to_owned(), source };
    match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries
            .map_err(failed)?
            .map(|entry| entry.map(|it| it.path()).map_err(failed))
            .collect(),
    }
}

/// The files written earlier; `None` without a list.
fn read_manifest(path: &Path) -> Result<Option<BTreeSet<String>>, SiteError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(SiteError::Write { path: path.to_owned(), source }),
    };
    let manifest: OutputManifest = serde_json::from_slice(&text)
        .map_err(|source| SiteError::Manifest { path: path.to_owned(), source })?;
    Ok(Some(manifest.files))
}

/// Whether a name in a list can be one of our files: a list is a file, and anyone may have edited
/// it.
fn is_ours(name: &str) -> bool {
    let parts: Option<Vec<&str>> = Path::new(name)
        .components()
        .map(|part| if let Component::Normal(part) = part { part.to_str() } else { None })
        .collect();
    match parts.as_deref() {
        Some([file]) => {
            ["html", "js", "css"].iter().any(|kind| file.ends_with(&format!(".{kind}")))
        }
        Some([folder, _]) => FOLDERS.contains(folder),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn write(dir: &Path, files: &[(&str, &str)]) -> Result<WrittenSite, SiteError> {
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        let output = OutputFolder::open(dir, plan(&names))?;
        for (name, content) in files {
            output.put(name, content.as_bytes())?;
        }
        output.close()
    }

    #[test]
    fn only_what_changed_is_written_and_only_ours_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let first =
            write(dir.path(), &[("index.html", "a"), ("series/x.html", "x"), ("data/x.js", "1")])
                .unwrap();
        assert_eq!((first.pages, first.files, first.changed, first.bytes), (2, 3, 3, 3));
        fs::write(dir.path().join("series/theirs.html"), "theirs").unwrap();

        let second = write(dir.path(), &[("index.html", "b"), ("data/x.js", "1")]).unwrap();
        assert_eq!((second.changed, second.removed), (1, 1));
        assert!(!dir.path().join("series/x.html").exists());
        assert!(dir.path().join("series/theirs.html").exists());
    }

    #[test]
    fn a_file_that_is_not_ours_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &[]).unwrap();
        fs::write(dir.path().join("index.html"), "theirs").unwrap();
        let error = write(dir.path(), &[("index.html", "ours!!")]).unwrap_err();
        assert!(
            error.to_string().ends_with("was not written by tacho") && error.hint().is_some(),
            "{error}"
        );
        assert_eq!(fs::read_to_string(dir.path().join("index.html")).unwrap(), "theirs");
    }

    #[test]
    fn a_folder_that_holds_something_else_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("notes.txt"), "theirs").unwrap();
        let error = write(dir.path(), &[("index.html", "ours")]).unwrap_err();
        assert!(matches!(error, SiteError::NotEmpty { .. }) && error.hint().is_some(), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_and_in_nobodys_way() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".tacho-aB3xYz"), "{").unwrap();
        write(dir.path(), &[("index.html", "a")]).unwrap();
        let left = dir.path().join("data/.tacho-aB3xYz");
        let theirs = dir.path().join("data/.tacho-notes");
        fs::write(&left, "half").unwrap();
        fs::write(&theirs, "theirs").unwrap();
        write(dir.path(), &[("index.html", "a")]).unwrap();
        assert!(!left.exists() && theirs.exists());
        assert!(!dir.path().join(".tacho-aB3xYz").exists());
    }

    #[test]
    fn an_edited_list_removes_nothing_outside() {
        let dir = tempfile::tempdir().unwrap();
        let pages = dir.path().join("pages");
        write(&pages, &[("index.html", "a")]).unwrap();
        let outside = dir.path().join("precious.html");
        fs::write(&outside, "precious").unwrap();
        let names =
            ["../precious.html", "notes.txt", "data/../../precious.html"].map(str::to_owned);
        let manifest = OutputManifest { format_version: 1, files: names.into() };
        fs::write(pages.join(MANIFEST), serde_json::to_vec(&manifest).unwrap()).unwrap();
        fs::write(pages.join("notes.txt"), "notes").unwrap();
        assert_eq!(write(&pages, &[]).unwrap().removed, 0);
        assert!(outside.exists() && pages.join("notes.txt").exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_seen_is_made_visible() {
        let hidden = "a\u{202e}b\u{200b}c\u{2066}d\u{feff}e";
        assert_eq!(visible(hidden.as_bytes()), "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e".as_bytes());
        let plain = "größer – × 1.5 µs ✓";
        assert!(matches!(visible(plain.as_bytes()), Cow::Borrowed(_)));
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[("index.html", hidden)]).unwrap();
        let written = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
        assert!(!written.contains('\u{202e}'), "{written}");
    }

    #[test]
    fn pages_are_as_readable_as_other_new_files() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &[("index.html", "a")]).unwrap();
        fs::write(dir.path().join("plain"), "a").unwrap();
        let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("index.html"), mode("plain"));
    }
}
