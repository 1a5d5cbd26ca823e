//! The files of a machine, all read and written through one path root.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tacho_record::NOT_AVAILABLE;

/// A reading, or the reason why there is none: `not available here: …`.
pub type FactReading<T> = Result<T, String>;

/// A machine as its files show it: this one, or a folder with a copy of another machine's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    folder: PathBuf,
}

impl Root {
    /// The machine that this program is executed on.
    #[must_use]
    pub fn this_machine() -> Self {
        Self { folder: PathBuf::from("/") }
    }

    /// The machine whose `/proc`, `/sys` and `/etc` are in that folder.
    #[must_use]
    pub fn of_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Whether the files are the kernel's own, and not a copy.
    #[must_use]
    pub fn is_this_machine(&self) -> bool {
        self.folder == Path::new("/")
    }

    /// The location of the machine's `path` for this process.
    #[must_use]
    pub fn place(&self, path: &str) -> PathBuf {
        self.folder.join(path.trim_start_matches('/'))
    }

    /// The text of a file, without white space around it.
    pub fn read(&self, path: &str) -> FactReading<String> {
        self.read_exactly(path).map(|text| text.trim().to_owned())
    }

    /// The text of a file as it is.
    pub fn read_exactly(&self, path: &str) -> FactReading<String> {
        match fs::read(self.place(path)) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing(&[path])),
            Err(error) => Err(format!("{NOT_AVAILABLE}{path} cannot be read: {error}")),
        }
    }

    /// The number in a file.
    pub fn number(&self, path: &str) -> FactReading<i64> {
        let text = self.read(path)?;
        text.parse().map_err(|_| format!("{NOT_AVAILABLE}{path} is not a number: `{text}`"))
    }

    /// The word that is chosen in a file such as `always [madvise] never`.
    pub fn choice(&self, path: &str) -> FactReading<String> {
        let text = self.read(path)?;
        chosen(&text).map(str::to_owned).ok_or_else(|| lacks(path, "[…]"))
    }

    /// Whether the file or folder exists.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.place(path).exists()
    }

    /// Whether the permissions of a file let its owner write it. For root only this permission
    /// matters.
    #[must_use]
    pub fn is_writable(&self, path: &str) -> bool {
        fs::metadata(self.place(path)).is_ok_and(|data| data.permissions().mode() & 0o200 != 0)
    }

    /// The names in a folder, sorted; empty if there is no such folder.
    #[must_use]
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.place(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// The numbers of the entries `PREFIXn` of a folder, ascending.
    #[must_use]
    pub fn numbered(&self, folder: &str, prefix: &str) -> Vec<u32> {
        let names = self.names(folder);
        let mut numbers: Vec<u32> =
            names.iter().filter_map(|name| name.strip_prefix(prefix)?.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Writes a value into a file of the kernel's, in one call, as the kernel asks for it.
    ///
    /// A copy of another machine's files has no kernel behind it. There the file gets the text that
    /// the kernel would show: with a newline, and with the choices that were not taken.
    pub fn write(&self, path: &str, value: &str) -> io::Result<()> {
        if self.is_this_machine() {
            return fs::OpenOptions::new()
                .write(true)
                .open(self.place(path))?
                .write_all(value.as_bytes());
        }
        let before = fs::read_to_string(self.place(path)).unwrap_or_default();
        let after = shown_after(&before, value);
        // Written completely or not at all, as by a kernel: by a file in the folder where the
        // journal is, if there is one.
        let aside = self.place("/var/lib/tacho/write.new");
        match fs::write(&aside, &after) {
            Ok(()) => fs::rename(&aside, self.place(path)),
            Err(_) => fs::write(self.place(path), &after),
        }
    }
}

/// The text that a kernel shows in a file after that value was written into it.
fn shown_after(before: &str, value: &str) -> String {
    let words = || before.split_whitespace().map(|word| word.trim_matches(['[', ']']));
    if chosen(before).is_some() && words().any(|word| word == value) {
        let marked =
            words().map(|word| if word == value { format!("[{word}]") } else { word.to_owned() });
        return marked.collect::<Vec<_>>().join(" ") + "\n";
    }
    format!("{value}\n")
}

/// The chosen word of `always [madvise] never`.
#[must_use]
pub fn chosen(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('[')?;
    rest.split_once(']').map(|(word, _)| word)
}

/// The reason if none of these files exists.
#[must_use]
pub fn missing(paths: &[&str]) -> String {
    let verb = if paths.len() == 1 { "is" } else { "are" };
    format!("{NOT_AVAILABLE}{} {verb} missing", paths.join(" and "))
}

/// The reason if a file exists and lacks the key.
#[must_use]
pub fn lacks(path: &str, key: &str) -> String {
    format!("{NOT_AVAILABLE}{path} has no `{key}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_shows_what_a_kernel_would_show() {
        assert_eq!(shown_after("always [madvise] never\n", "never"), "always madvise [never]\n");
        assert_eq!(shown_after("1\n", "0"), "0\n");
        assert_eq!(shown_after("", "2-3"), "2-3\n");
        // A word that is no choice is the kernel's to refuse, not ours to hide.
        assert_eq!(shown_after("[a] b\n", "c"), "c\n");
    }

    #[test]
    fn a_reading_says_why_it_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::of_folder(folder.path());
        fs::write(folder.path().join("word"), "fast\n").unwrap();
        assert_eq!(root.read("/word").unwrap(), "fast");
        assert_eq!(
            root.number("/word").unwrap_err(),
            "not available here: /word is not a number: `fast`"
        );
        assert_eq!(root.choice("/word").unwrap_err(), "not available here: /word has no `[…]`");
        assert_eq!(root.read("/none").unwrap_err(), "not available here: /none is missing");
        assert!(root.read("/").unwrap_err().starts_with("not available here: / cannot be read: "));
    }
}
