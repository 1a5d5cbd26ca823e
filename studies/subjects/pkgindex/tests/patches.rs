//! Patches: the same result as by `patch --ed` and by apt's own method.

use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use crate::harness::{Folder, says};

const APT: &str = "/usr/lib/apt/methods/rred";

fn diff(folder: &Folder, old: &str, new: &str) -> Vec<u8> {
    Command::new("diff").arg("--ed").args([folder.at(old), folder.at(new)]).output().unwrap().stdout
}

/// Applies patches one after the other by ed.
fn by_ed(folder: &Folder, patches: &[&str]) -> Option<Vec<u8>> {
    std::fs::copy(folder.at("old"), folder.at("by-ed")).unwrap();
    for patch in patches {
        let mut command = Command::new("patch");
        command.args(["--ed", "--silent"]).arg(folder.at("by-ed")).arg(folder.at(patch));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().ok().filter(std::process::ExitStatus::success)?;
    }
    Some(folder.read("by-ed"))
}

fn by_apt(folder: &Folder, patches: &[&str]) -> Option<Vec<u8>> {
    if !Path::new(APT).exists() {
        return None;
    }
    let old = std::fs::File::open(folder.at("old")).unwrap();
    let mut command = Command::new(APT);
    command.arg("-f").args(patches.iter().map(|patch| folder.at(patch))).stdin(old);
    let output = command.output().unwrap();
    output.status.success().then_some(output.stdout)
}

fn by_us(folder: &Folder, words: &str) -> Vec<u8> {
    let output = folder.pkgindex(&format!("rred {words}"));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    output.stdout
}

fn folder(versions: &[String]) -> (Folder, Vec<String>) {
    let folder = Folder::new();
    folder.write("old", versions[0].as_bytes());
    let mut names = Vec::new();
    for (number, pair) in versions.windows(2).enumerate() {
        folder.write("a", pair[0].as_bytes());
        folder.write("b", pair[1].as_bytes());
        let name = format!("patch{number}");
        folder.write(&name, &diff(&folder, "a", "b"));
        names.push(name);
    }
    (folder, names)
}

fn check(versions: &[String]) {
    let (folder, names) = folder(versions);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let new = versions.last().unwrap().as_bytes();
    let all = names.join(" ");
    for writing in ["buffered", "unbuffered"] {
        assert_eq!(by_us(&folder, &format!("--writing {writing} old {all}")), new);
    }
    folder.write("merged", &by_us(&folder, &format!("--merge {all}")));
    assert_eq!(by_us(&folder, "old merged"), new, "merged");
    if let Some(by_ed) = by_ed(&folder, &names) {
        assert_eq!(by_ed, new, "patch --ed");
        if !folder.read("merged").is_empty() {
            assert_eq!(self::by_ed(&folder, &["merged"]).unwrap(), new, "patch --ed, merged");
        }
    }
    // apt knows no `s/.//`, which lines with a single dot need.
    let has_dot = versions.iter().any(|version| version.lines().any(|line| line == "."));
    if let Some(by_apt) = by_apt(&folder, &names).filter(|_| !has_dot) {
        assert_eq!(by_apt, new, "apt");
    }
}

fn lines(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word}\n")).collect()
}

#[test]
fn one_patch() {
    check(&[lines(&["a", "b", "c", "d"]), lines(&["a", "x", "y", "d", "e"])]);
    check(&[lines(&["a", "b", "c"]), lines(&["b"])]);
    check(&[lines(&["a"]), lines(&["z", "a"])]);
}

#[test]
fn several_patches_are_one() {
    check(&[
        lines(&["a", "b", "c", "d", "e", "f"]),
        lines(&["a", "b", "x1", "x2", "d", "e", "f"]),
        lines(&["a", "x2", "new", "d", "f"]),
        lines(&["first", "a", "x2", "d", "f", "last"]),
    ]);
}

#[test]
fn lines_that_are_dots() {
    check(&[
        lines(&["a", "b"]),
        lines(&["a", ".", "x", ".", ".", "b"]),
        lines(&[".", "a", ".", "b", "."]),
    ]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_history_gives_its_last_version(versions in prop::collection::vec(
        prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d", "..", ". ", ".", "x y"]), 1..12), 2..5)
    ) {
        let versions: Vec<String> = versions.iter().map(|words| lines(words)).collect();
        check(&versions);
    }
}

#[test]
fn a_last_line_without_an_end_gets_one() {
    let folder = Folder::new();
    folder.write("old", b"a\nb");
    folder.write("patch", b"1c\nx\n.\n");
    assert_eq!(by_us(&folder, "old patch"), b"x\nb\n");
    folder.write("patch", b"2a\nc\n.\n");
    assert_eq!(by_us(&folder, "old patch"), b"a\nb\nc\n");
}

#[test]
fn the_output_is_replaced_when_it_is_whole() {
    let folder = Folder::new();
    folder.write("old", b"a\nb\n");
    folder.write("patch", b"1d\n");
    says(&folder.pkgindex("rred -o old old patch"), 0, "", "");
    assert_eq!(folder.read("old"), b"b\n");
    folder.write("patch", b"5d\n");
    let stderr = "error: cannot apply `old`: it ends before a line that a patch names\n";
    says(&folder.pkgindex("rred -o old old patch"), 2, "", stderr);
    assert_eq!(folder.read("old"), b"b\n");
}

#[test]
fn a_broken_patch_is_named() {
    let folder = Folder::new();
    folder.write("old", b"a\nb\n");
    folder.write("patch", b"1c\nx\n");
    let stderr =
        "error: cannot apply `patch`: line 1: the text after it has no end; the patch is cut off\n";
    says(&folder.pkgindex("rred old patch"), 2, "", stderr);
    folder.write("patch", b"--- old\n+++ new\n");
    let stderr = "error: cannot apply `patch`: line 1: neither `a`, `c`, `d` nor `s/.//` with a \
        line number\n";
    says(&folder.pkgindex("rred old patch"), 2, "", stderr);
}
