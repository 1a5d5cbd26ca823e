//! The process table, as far as the end of a build needs it: parents and groups of processes.

use std::fs;

use rustix::process::Pid;

/// A process, or what is left of it until its parent has waited for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProcessEntry {
    pub id: Pid,
    pub name: String,
    pub is_dead: bool,
    /// 0 for those that have none that we can see, as `group`.
    pub parent: i32,
    pub group: i32,
}

/// All processes; empty if the table cannot be read.
pub(super) fn processes() -> impl Iterator<Item = ProcessEntry> {
    let is_number =
        |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let stats = fs::read_dir("/proc").into_iter().flatten().flatten().filter(is_number);
    stats.filter_map(|entry| parse(&fs::read(entry.path().join("stat")).ok()?))
}

/// Reads `/proc/PID/stat`: `PID (NAME) STATE PARENT GROUP …`.
fn parse(stat: &[u8]) -> Option<ProcessEntry> {
    // The name may hold anything, parentheses included.
    let name_end = stat.iter().rposition(|&byte| byte == b')')?;
    let head = String::from_utf8_lossy(&stat[..name_end]);
    let (id, name) = head.split_once(" (")?;
    let rest = String::from_utf8_lossy(&stat[name_end + 1..]);
    let mut fields = rest.split_ascii_whitespace();
    Some(ProcessEntry {
        id: Pid::from_raw(id.parse().ok()?)?,
        name: name.chars().filter(|c| !c.is_control()).collect(),
        is_dead: matches!(fields.next()?, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_rest_of_its_line() {
        let read = |stat: &str| {
            parse(stat.as_bytes()).map(|process| {
                (
                    process.id.as_raw_pid(),
                    process.name,
                    process.is_dead,
                    process.parent,
                    process.group,
                )
            })
        };
        assert_eq!(
            read("7 (a) S 1 2) R 1 42 42 0"),
            Some((7, "a) S 1 2".to_owned(), false, 1, 42))
        );
        assert_eq!(read("7 ((a\n) Z 5 6 6 0"), Some((7, "(a".to_owned(), true, 5, 6)));
        assert_eq!(read(""), None);
        assert_eq!(read("7 (a) S"), None);
    }

    #[test]
    fn we_are_in_it() {
        let us = rustix::process::getpid();
        let found = processes().find(|process| process.id == us).unwrap();
        assert!(!found.is_dead);
        assert_eq!(found.group, rustix::process::getpgrp().as_raw_pid());
    }
}
