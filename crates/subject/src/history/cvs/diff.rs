//! The difference between two points in time, as a diff that git and `patch` apply.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tacho_record::CvsNumbers;

use super::CvsPoints;
use super::past::CvsHistory;
use crate::SubjectError;

/// At most this many files are requested by name; of more the whole module is.
const FILES: usize = 500;

/// Before all that there is.
const NEVER: i64 = 86_400;

impl CvsPoints {
    /// The diff from a point to a later one, or all of that where there is no first.
    ///
    /// `cvs rdiff` is called with dates, as for checkouts, and only with the files of the commits
    /// between.
    pub(super) fn between(
        &self,
        past: &CvsHistory,
        from: Option<usize>,
        to: usize,
    ) -> Result<Vec<u8>, SubjectError> {
        let files = past.touched(from, to);
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let time = |point: Option<usize>| {
            point.map_or(NEVER, |point| past.commits[past.points[point]].end)
        };
        let at = |point: Option<usize>| match &self.module.branch {
            Some(branch) => ["-r".to_owned(), format!("{branch}:{}", date(time(point)))],
            None => ["-D".to_owned(), date(time(point))],
        };
        let keywords = format!("-k{}", self.module.keywords);
        let mut arguments = vec!["rdiff".to_owned(), "-u".to_owned(), keywords];
        arguments.extend([at(from), at(Some(to))].concat());
        arguments.push("--".to_owned());
        if files.len() > FILES {
            arguments.push(self.module.module.clone());
        } else {
            arguments.extend(files.keys().map(|file| format!("{}{file}", past.prefix)));
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match self.cvs.read(&arguments)? {
            (printed, None) => Ok(plain(&printed, &past.prefix, &files)),
            (_, Some(why)) => Err(SubjectError::Cvs { command: "rdiff".to_owned(), why }),
        }
    }
}

impl CvsHistory {
    /// The files of all commits between two points, with their numbers at both.
    fn touched(&self, from: Option<usize>, to: usize) -> BTreeMap<&str, CvsNumbers> {
        let after = |point: Option<usize>| point.map_or(0, |point| self.points[point] + 1);
        let mut touched: BTreeMap<&str, CvsNumbers> = BTreeMap::new();
        for commit in &self.commits[after(from)..after(Some(to))] {
            for (file, [before, after]) in &commit.numbers {
                let [_, last] = touched.entry(file).or_insert([before.clone(), None]);
                last.clone_from(after);
            }
        }
        touched
    }
}

/// A time as all versions of cvs read it.
fn date(time: i64) -> String {
    Timestamp::from_second(time).unwrap_or_default().strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// The diff with paths as checkouts have them, `a/` and `b/` before them as git writes them, and
/// the numbers behind.
fn plain(printed: &[u8], prefix: &str, numbers: &BTreeMap<&str, CvsNumbers>) -> Vec<u8> {
    let mut out = Vec::with_capacity(printed.len());
    let mut is_head = false;
    for line in printed.split_inclusive(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        is_head = text.starts_with("Index: ") || is_head && !text.starts_with("@@ ");
        match is_head.then(|| head(&text, prefix, numbers)).flatten() {
            Some(changed) => out.extend_from_slice(changed.as_bytes()),
            None => out.extend_from_slice(line),
        }
    }
    out
}

/// A line of a file's head in its new form, if it changes: `--- src/prog/a.c:1.1<tab>date`.
fn head(line: &str, prefix: &str, numbers: &BTreeMap<&str, CvsNumbers>) -> Option<String> {
    let side = |mark: &str, letter: char, of: usize| {
        let (name, _) = line.strip_prefix(mark)?.split_once('\t')?;
        if name == "/dev/null" {
            return Some(format!("{mark}{name}\n"));
        }
        let is_number = |text: &str| text.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit());
        let path =
            name.rsplit_once(':').filter(|(_, number)| is_number(number)).map_or(name, |it| it.0);
        let path = path.strip_prefix(prefix).unwrap_or(path);
        // A file that is removed is called by its name there.
        Some(match numbers.get(path).map(|numbers| numbers[of].as_deref()) {
            Some(Some(number)) => format!("{mark}{letter}/{path}\t{number}\n"),
            Some(None) => format!("{mark}/dev/null\n"),
            None => format!("{mark}{letter}/{path}\n"),
        })
    };
    let index = || Some(format!("Index: {}", line.strip_prefix("Index: ")?.strip_prefix(prefix)?));
    side("--- ", 'a', 0).or_else(|| side("+++ ", 'b', 1)).or_else(index)
}
