//! The log of a build, limited to a useful length.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tacho_record::build_error::ErrorFinder;

use crate::SubjectError;

/// How many bytes are kept from the start, and how many from the end; together 64 MiB.
const HEAD: usize = 48 << 20;
const TAIL: usize = 16 << 20;

/// How many bytes of what was printed last are at hand: enough for a few lines.
const RECENT: usize = 16 << 10;

/// A log that is being written.
#[derive(Debug)]
pub(crate) struct BuildLog {
    path: PathBuf,
    file: File,
    /// How many more bytes the head takes.
    room: usize,
    tail_length: usize,
    tail: VecDeque<u8>,
    left_out: u64,
    recent: VecDeque<u8>,
    errors: ErrorFinder,
}

impl BuildLog {
    pub fn create(path: PathBuf) -> Result<Self, SubjectError> {
        Self::with_lengths(path, HEAD, TAIL)
    }

    fn with_lengths(path: PathBuf, head: usize, tail: usize) -> Result<Self, SubjectError> {
        let file = File::create(&path).map_err(SubjectError::cache("write", &path))?;
        Ok(Self {
            path,
            file,
            room: head,
            tail_length: tail,
            tail: VecDeque::new(),
            left_out: 0,
            recent: VecDeque::new(),
            errors: ErrorFinder::default(),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a remark of ours, each line of it with `# ` before it.
    pub fn note(&mut self, text: &str) -> Result<(), SubjectError> {
        let marked: String = text.lines().flat_map(|line| ["# ", line, "\n"]).collect();
        self.keep(marked.as_bytes()).map_err(SubjectError::cache("write", &self.path))
    }

    /// Adds what was printed.
    pub fn write(&mut self, printed: &[u8]) -> io::Result<()> {
        push(&mut self.recent, printed, RECENT);
        self.errors.read(printed);
        self.keep(printed)
    }

    /// Forgets the lines so far: they are of another command, and do not explain a failure of the
    /// next one.
    pub fn forget_lines(&mut self) {
        self.recent.clear();
        self.errors = ErrorFinder::default();
    }

    /// The line that says best why the last command failed.
    pub fn error_line(&self) -> Option<String> {
        self.errors.found()
    }

    /// The first line of what was printed lately that is like this.
    pub fn find_line(&self, is_it: impl Fn(&str) -> bool) -> Option<String> {
        let recent: Vec<u8> = self.recent.iter().copied().collect();
        String::from_utf8_lossy(&recent).lines().find(|line| is_it(line)).map(str::to_owned)
    }

    /// Whether the latest output contains this text.
    pub fn says(&self, text: &str) -> bool {
        let recent: Vec<u8> = self.recent.iter().copied().collect();
        String::from_utf8_lossy(&recent).contains(text)
    }

    /// Writes the end.
    pub fn finish(mut self) -> Result<PathBuf, SubjectError> {
        self.write_tail().map_err(SubjectError::cache("write", &self.path))?;
        Ok(self.path)
    }

    fn keep(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (head, rest) = bytes.split_at(bytes.len().min(self.room));
        self.room -= head.len();
        self.file.write_all(head)?;
        self.left_out += push(&mut self.tail, rest, self.tail_length);
        Ok(())
    }

    fn write_tail(&mut self) -> io::Result<()> {
        if self.left_out > 0 {
            // The tail begins in the middle of a line, which goes too, unless it is very long.
            let cut = self
                .tail
                .iter()
                .take(RECENT)
                .position(|&byte| byte == b'\n')
                .map_or(0, |end| end + 1);
            self.tail.drain(..cut);
            let left_out = self.left_out + cut as u64;
            write!(self.file, "\n# {left_out} bytes are left out here: the log is too long\n")?;
        }
        let (one, two) = self.tail.as_slices();
        self.file.write_all(one)?;
        self.file.write_all(two)
    }
}

/// Appends, keeps the last bytes only, and says how many went.
fn push(queue: &mut VecDeque<u8>, bytes: &[u8], most: usize) -> u64 {
    queue.extend(bytes);
    let excess = queue.len().saturating_sub(most);
    queue.drain(..excess);
    excess as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(head: usize, tail: usize, parts: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let mut log = BuildLog::with_lengths(folder.path().join("log"), head, tail).unwrap();
        for part in parts {
            log.write(part.as_bytes()).unwrap();
        }
        std::fs::read_to_string(log.finish().unwrap()).unwrap()
    }

    #[test]
    fn what_fits_is_kept_as_it_is() {
        assert_eq!(logged(8, 8, &["one\n", "two\nthree\n"]), "one\ntwo\nthree\n"[..].to_owned());
        assert_eq!(logged(8, 8, &["one\ntwo\nthree\nxy"]).len(), 16);
        assert_eq!(logged(8, 8, &[]), "");
    }

    #[test]
    fn of_what_does_not_fit_head_and_tail_are_kept() {
        let left_out = "\n# 15 bytes are left out here: the log is too long\n";
        assert_eq!(
            logged(4, 8, &["one\ntwo\nthree\n", "four\nfive\n"]),
            format!("one\n{left_out}five\n")
        );
        let letters = "x".repeat(100);
        assert_eq!(
            logged(4, 4, &[&letters]),
            "xxxx\n# 92 bytes are left out here: the log is too long\nxxxx"
        );
    }

    #[test]
    fn the_error_of_the_command_under_way_is_at_hand() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = BuildLog::create(folder.path().join("log")).unwrap();
        assert_eq!(log.error_line(), None);
        log.write(b"cc x.c\n\x1b[31mx.c:1: err").unwrap();
        log.write(b"or: no\x1b[0m\n\n").unwrap();
        log.note("ended\nbadly").unwrap();
        assert_eq!(log.error_line().unwrap(), "x.c:1: error: no");
        assert!(log.says("x.c:1") && !log.says("ended"));
        log.forget_lines();
        assert!(log.error_line().is_none() && !log.says("x.c:1"));
        assert!(
            std::fs::read_to_string(log.finish().unwrap())
                .unwrap()
                .ends_with("\n\n# ended\n# badly\n")
        );
    }

    #[test]
    fn an_error_is_found_however_much_follows() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = BuildLog::create(folder.path().join("log")).unwrap();
        log.write(b"cc x.c\nx.c:1: error: no\nx.c:2: error: nor this\n").unwrap();
        log.write("x.c:3:1: warning: much\n".repeat(RECENT).as_bytes()).unwrap();
        log.write(b"make: *** [x.o] Error 1\nmake: *** Waiting for unfinished jobs....\n").unwrap();
        assert_eq!(log.error_line().unwrap(), "x.c:1: error: no");
        log.forget_lines();
        assert_eq!(log.error_line(), None);
        log.write(b"one\nno rule\n").unwrap();
        assert_eq!(log.error_line().unwrap(), "no rule");
    }
}
