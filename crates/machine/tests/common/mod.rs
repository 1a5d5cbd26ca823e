//! Machines for tests: `fixtures/NAME.tree` describes the files of one, and is unpacked into a
//! folder.
//!
//! A line `PATH = TEXT` is a file with that line. `PATH <<` begins a file of several lines, which
//! `.` ends. A range `{0-3}` or a list `{0,2}` in a path makes a file of each number; `{}` in the
//! text is the number.

// Each test file uses a part of this.
#![allow(dead_code, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use tacho_machine::{CpuList, Root};
use tempfile::TempDir;

/// All machines.
pub const MACHINES: [&str; 8] = [
    "amd-server",
    "arm-board",
    "cloud-guest",
    "intel-desktop",
    "laptop-on-battery",
    "this-kind-of-vm",
    "tuned-lab",
    "two-sockets",
];

/// A machine in a folder that goes away with it.
pub struct Machine {
    pub folder: TempDir,
    pub root: Root,
}

impl Machine {
    pub fn of(name: &str) -> Self {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{name}.tree"));
        let folder = tempfile::tempdir().unwrap();
        unpack(&fs::read_to_string(path).unwrap(), folder.path());
        let root = Root::of_folder(folder.path());
        Self { folder, root }
    }

    pub fn write(&self, path: &str, text: &str) {
        write(self.folder.path(), path, text);
    }

    /// All files and folders with their content.
    pub fn content(&self) -> Vec<(String, Option<Vec<u8>>)> {
        let mut all = Vec::new();
        collect(self.folder.path(), self.folder.path(), &mut all);
        all.sort();
        all
    }
}

fn collect(top: &Path, folder: &Path, all: &mut Vec<(String, Option<Vec<u8>>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            all.push((name, None));
            collect(top, &path, all);
        } else {
            all.push((name, Some(fs::read(&path).unwrap())));
        }
    }
}

fn unpack(text: &str, folder: &Path) {
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    while let Some(line) = lines.next() {
        if let Some(path) = line.strip_suffix(" <<") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != ".").collect();
            write_each(folder, path, &(body.join("\n") + "\n"));
        } else {
            let (path, value) =
                line.split_once(" =").unwrap_or_else(|| panic!("not a file: {line}"));
            write_each(folder, path, &format!("{}\n", value.trim_start()));
        }
    }
}

fn write_each(folder: &Path, path: &str, text: &str) {
    let Some((before, rest)) = path.split_once('{') else { return write(folder, path, text) };
    let (list, after) = rest.split_once('}').unwrap();
    for number in list.parse::<CpuList>().unwrap().0 {
        write(
            folder,
            &format!("{before}{number}{after}"),
            &text.replace("{}", &number.to_string()),
        );
    }
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path.trim_start_matches('/'));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
