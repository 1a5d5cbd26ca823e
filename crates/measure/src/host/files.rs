//! Reads small files of `/proc`, `/sys` and `/etc`, or says that they are missing.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folder of the processors' folders.
pub const CPUS: &str = "/sys/devices/system/cpu";

/// A fact, or why it cannot be known here: `not available here: …`.
pub type HostFact = Result<String, String>;

/// The files of a host: this one's, or those of a folder that looks like one.
#[derive(Clone, Debug)]
pub struct HostFiles {
    root: PathBuf,
}

impl HostFiles {
    /// The files below that folder.
    pub fn below(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The content of the file, without surrounding space.
    pub fn read(&self, path: &str) -> HostFact {
        match fs::read(self.below_root(path)) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).trim().to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing(&[path])),
            Err(error) => Err(format!("not available here: {path} cannot be read: {error}")),
        }
    }

    /// The numbers of what is in the folder as `cpu0`, `cpu1` …, ascending.
    pub fn numbered(&self, folder: &str, prefix: &str) -> Vec<u32> {
        let entries = fs::read_dir(self.below_root(folder)).into_iter().flatten().flatten();
        let number = |entry: fs::DirEntry| {
            entry.file_name().to_str()?.strip_prefix(prefix)?.parse::<u32>().ok()
        };
        let mut numbers: Vec<u32> = entries.filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The names in the folder, in no order; empty if there is no such folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.below_root(folder)).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// The file, opened to be read again and again.
    pub fn open(&self, path: &str) -> Result<fs::File, String> {
        fs::File::open(self.below_root(path)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(&[path]),
            _ => format!("not available here: {path} cannot be opened: {error}"),
        })
    }

    fn below_root(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }
}

/// The message if none of these files exists.
pub fn missing(paths: &[&str]) -> String {
    let verb = if paths.len() == 1 { "is" } else { "are" };
    format!("not available here: {} {verb} missing", paths.join(" and "))
}
