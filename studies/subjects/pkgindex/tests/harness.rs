//! A folder with an index, and the program.

use std::path::PathBuf;
use std::process::Output;

pub const INDEX: &str = "\
Package: hello
Version: 2.10-2
Depends: libc6 (>= 2.14)
Description: example package based on GNU hello
 The GNU hello program produces a familiar, friendly greeting.

Package: mawk
Version: 1.3.4
Provides: awk
Pre-Depends: libc6 (>= 2.34)
Description: Pattern scanning and text processing language

Package: hello
Version: 2.10-3
Depends: libc6 (>= 2.34), mawk:any | awk
Suggests: hello-doc
Description: example package based on GNU hello

Package: libc6
Version: 2.36-9
Description: GNU C Library: Shared libraries
";

pub struct Folder {
    pub path: tempfile::TempDir,
}

impl Folder {
    pub fn new() -> Self {
        let folder = Self { path: tempfile::tempdir().unwrap() };
        folder.write("Packages", INDEX.as_bytes());
        folder
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.path.path().join(name)
    }

    pub fn write(&self, name: &str, content: &[u8]) {
        std::fs::write(self.at(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.at(name)).unwrap()
    }

    /// Executes the program in the folder; words are separated by spaces.
    pub fn pkgindex(&self, words: &str) -> Output {
        let mut command = assert_cmd::Command::cargo_bin("pkgindex").unwrap();
        command.current_dir(self.path.path()).args(words.split(' ')).output().unwrap()
    }

    /// The same with the index and cache of this folder.
    pub fn ask(&self, words: &str) -> Output {
        self.pkgindex(&format!("-i Packages -c cache {words}"))
    }
}

#[track_caller]
pub fn says(output: &Output, exit: i32, stdout: &str, stderr: &str) {
    assert_eq!(String::from_utf8_lossy(&output.stderr), stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout);
    assert_eq!(output.status.code(), Some(exit));
}
