//! Patches: the same result as by `patch --ed` and by apt's own method.

use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use crate::harness::{Folder, says};

const UNDONE: &str = "warning: the patches undo each other: the merged patch is empty\n";
const LINES: [&str; 8] = ["a", "b", "c", "d", "..", ". ", ".", "x y"];
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
    let ed = by_ed(&folder, &names);
    assert!(ed.is_none_or(|by_ed| by_ed == new), "patch --ed");
    // Patches do not know the file: one that puts a line back where another was is not empty.
    let merged = folder.pkgindex(&format!("rred --merge {all}"));
    if merged.stdout.is_empty() {
        says(&merged, 0, "", UNDONE);
        assert_eq!(versions[0].as_bytes(), new);
    } else {
        folder.write("merged", &by_us(&folder, &format!("--merge {all}")));
        assert_eq!(by_us(&folder, "old merged"), new, "merged");
        assert!(by_ed(&folder, &["merged"]).is_none_or(|by_ed| by_ed == new), "patch --ed, merged");
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

#[test]
fn patches_that_undo_each_other_are_empty() {
    let (folder, names) = folder(&[lines(&["a"]), lines(&["a", "b"]), lines(&["a"])]);
    says(&folder.pkgindex(&format!("rred --merge {}", names.join(" "))), 0, "", UNDONE);
    // Patches do not know that the first line was an `a`.
    check(&[lines(&["a"]), lines(&["b"]), lines(&["a"])]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_history_gives_its_last_version(versions in prop::collection::vec(
        prop::collection::vec(prop::sample::select(LINES.to_vec()), 1..12), 2..5)
    ) {
        let mut versions: Vec<String> = versions.iter().map(|words| lines(words)).collect();
        // The difference of equal versions is an empty patch, which is an error.
        versions.dedup();
        prop_assume!(versions.len() > 1);
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
    let stderr = |lines| {
        format!(
            "error: cannot patch `old`: the patch needs 5 lines, and the file has {lines}\nhint: \
             is it the file that the patch was made for?\n"
        )
    };
    says(&folder.pkgindex("rred -o old old patch"), 2, "", &stderr(1));
    assert_eq!(folder.read("old"), b"b\n");
    folder.write("old", b"a\nb");
    says(&folder.pkgindex("rred -o old old patch"), 2, "", &stderr(2));
    folder.write("old", b"");
    says(&folder.pkgindex("rred -o old old patch"), 2, "", &stderr(0));
    let stderr = "error: cannot write `no/new`: No such file or directory (os error 2)\n";
    says(&folder.pkgindex("rred -o no/new old patch"), 2, "", stderr);
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
    let expected = "`a`, `c` or `d` with line numbers such as `3,5c` was expected\n";
    let stderr =
        format!("error: cannot apply `patch`: line 1: `--- old` is no command; {expected}");
    says(&folder.pkgindex("rred old patch"), 2, "", &stderr);
    folder.write("patch", b"");
    let stderr = format!("error: cannot apply `patch`: line 1: the patch is empty; {expected}");
    says(&folder.pkgindex("rred old patch"), 2, "", &stderr);
    assert_eq!(folder.pkgindex("rred old").status.code(), Some(2), "without a patch");
}
