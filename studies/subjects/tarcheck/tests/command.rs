//! The command: what is printed, the exit status, limits and mistakes.

use std::io::Write;
use std::process::Output;

use tar::EntryType::{GNUSparse, Regular};

use crate::harness::{Maker, Stored, stored};

fn tarcheck(stored: &Stored, arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::cargo_bin("tarcheck").unwrap();
    command.current_dir(stored.folder.path()).arg("x.tar").args(arguments).output().unwrap()
}

#[track_caller]
fn says(output: &Output, exit: i32, stdout: &str, stderr: &str) {
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout);
    assert_eq!(String::from_utf8_lossy(&output.stderr), stderr);
    assert_eq!(output.status.code(), Some(exit));
}

fn faulty() -> Stored {
    stored(&Maker::new().file("x/../a", b"a\n").script("x/s", b"#!perl\n").gz())
}

#[test]
fn hints_summary_and_exit_status() {
    let stdout = "x/../a: error: path-traversal\nx/s:1: warning: relative-interpreter: `perl`\n";
    let stderr = "x.tar: 3 entries, 0.0 MB: 1 error, 1 warning, 0 infos\n";
    says(&tarcheck(&faulty(), &[]), 1, stdout, stderr);
    says(&tarcheck(&faulty(), &["-q", "--fail-on", "never"]), 0, stdout, "");
    let stdout = "x/s:1: warning: relative-interpreter: `perl`\n";
    says(&tarcheck(&faulty(), &["-q", "--skip", "path-traversal"]), 0, stdout, "");
    says(
        &tarcheck(&faulty(), &["-q", "--only", "relative-interpreter", "--fail-on", "warning"]),
        1,
        stdout,
        "",
    );
}

#[test]
fn stats_are_lines_of_keys_and_values() {
    let keys = |way: &str| {
        let output = tarcheck(&faulty(), &["-q", "--stats", way]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        let keys = stderr.lines().filter_map(|line| line.split(": ").next());
        keys.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(keys("--no-ahead"), ["cpu-reading", "cpu-checking"]);
    assert_eq!(keys("--ahead"), ["cpu-reading", "cpu-unpacking", "cpu-checking"]);
}

#[test]
fn json_is_one_object_an_archive() {
    let output = tarcheck(&faulty(), &["x.tar", "--json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let objects: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[0]["entries"], 3);
    let hint = serde_json::json!({
        "file": "x/s", "line": 1, "tag": "relative-interpreter", "severity": "warning",
        "note": "`perl`"
    });
    assert_eq!(objects[0]["hints"][1], hint);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn every_compression_is_read() {
    let tar = Maker::new().script("x/s", b"#!perl\n").tar();
    let folder = stored(&tar);
    for command in ["xz -k", "zstd -qk", "bzip2 -k", "gzip -k"] {
        let mut words = command.split(' ');
        let packer = words.next().unwrap();
        let Ok(status) = std::process::Command::new(packer).args(words).arg(&folder.path).status()
        else {
            continue;
        };
        assert!(status.success());
        let extension = if packer == "zstd" {
            "zst"
        } else {
            &packer.replace("gzip", "gz").replace("bzip2", "bz2")
        };
        let output = tarcheck(&folder, &["-q", &format!("x.tar.{extension}")]);
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2, "{command}");
    }
}

#[test]
fn what_is_damaged_behind_the_last_entry_is_found() {
    let whole = Maker::new().script("x/s", b"#!/bin/sh\n").gz();
    let mut other_sum = whole.clone();
    let at = other_sum.len() - 8;
    other_sum[at] ^= 1;
    let cut = whole[..whole.len() - 4].to_vec();
    assert_eq!(tarcheck(&stored(&whole), &[]).status.code(), Some(0));
    for damaged in [other_sum, cut] {
        let damaged = stored(&damaged);
        for more in ["--way=sequential", "--way=just-reading", "--ahead", "--inflate=miniz"] {
            let output = tarcheck(&damaged, &[more]);
            assert_eq!(output.status.code(), Some(2), "{more}: {output:?}");
        }
    }
}

#[test]
fn a_bomb_is_stopped() {
    let bomb = Maker::new().entry(b"x/zeros", Regular, &vec![0; 3 << 20], |_| {}).gz();
    let bomb = stored(&bomb);
    let hint = "hint: raise the limit with `--max-size` or `--max-ratio`\n";
    let stderr =
        format!("error: decompression bomb: `x.tar` has more than 1048576 bytes unpacked\n{hint}");
    for way in ["sequential", "read-all", "unbounded", "bounded", "just-reading"] {
        says(&tarcheck(&bomb, &["--max-size", "1M", "--way", way]), 2, "", &stderr);
    }
    says(&tarcheck(&bomb, &["--max-size", "1M", "--ahead"]), 2, "", &stderr);
    for inflate in ["miniz", "libdeflate"] {
        says(&tarcheck(&bomb, &["--max-size", "1M", "--inflate", inflate]), 2, "", &stderr);
    }
}

/// 120 MiB of zeros in 120 KB: more than 300 to 1, after more than 100 MiB.
#[test]
fn a_bomb_is_stopped_by_its_ratio() {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes()[..1].copy_from_slice(b"z");
    header.set_size(120 << 20);
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_cksum();
    out.write_all(header.as_bytes()).unwrap();
    for _ in 0..120 {
        out.write_all(&vec![0; 1 << 20]).unwrap();
    }
    let output = tarcheck(&stored(&out.finish().unwrap()), &[]);
    let stderr = "error: decompression bomb: `x.tar` has more than 300 bytes unpacked for each \
        packed byte\nhint: raise the limit with `--max-size` or `--max-ratio`\n";
    says(&output, 2, "", stderr);
}

#[test]
fn a_sparse_file_counts_with_the_size_that_it_states() {
    let sparse = Maker::new().entry(b"x/sparse", GNUSparse, b"", |header| {
        let gnu = header.as_gnu_mut().unwrap();
        gnu.realsize = *b"77777777777\0";
        gnu.sparse[0].offset = *b"77777777777\0";
        gnu.sparse[0].numbytes = *b"00000000000\0";
    });
    let output = tarcheck(&stored(&sparse.gz()), &["--max-size", "1G"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.starts_with("error: decompression bomb: `x.tar` has more than 1073741824 bytes"),
        "{stderr}"
    );
}

#[test]
fn too_many_entries() {
    let stderr =
        "error: `x.tar` has more than 2 entries\nhint: raise the limit with `--max-entries`\n";
    says(&tarcheck(&faulty(), &["--max-entries", "2"]), 2, "", stderr);
}

#[test]
fn damage_is_an_error() {
    let whole = Maker::new().file("x/f", &b"some text\n".repeat(10_000)).gz();
    let output = tarcheck(&stored(&whole[..whole.len() / 2]), &[]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("error: cannot read `x.tar` after 1 entry: "), "{stderr}");
    let mut broken = Maker::new().file("x/a", b"a\n").file("x/b", b"b\n").tar();
    broken[2 * 1024..2 * 1024 + 512].fill(0x9b);
    let stderr = "error: cannot read `x.tar` after 2 entries: the next header is damaged\n";
    says(&tarcheck(&stored(&broken), &[]), 2, "", stderr);
    let stderr = "error: cannot read `x.tar` after 2 entries: the file is cut off\n";
    says(&tarcheck(&stored(&broken[..2 * 1024 + 100]), &[]), 2, "", stderr);
    let stderr = "error: `x.tar` has no entry: nothing was checked\n";
    says(&tarcheck(&stored(&[0; 1024]), &[]), 2, "", stderr);
}

#[test]
fn what_is_no_tar_archive_is_named() {
    let gz = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let text = "ä\n".repeat(1000).into_bytes();
    let cases: [(Vec<u8>, &str); 8] = [
        (Vec::new(), "an empty file"),
        (b"PK\x03\x04\x14\0\0\0".to_vec(), "a zip archive"),
        (b"hi\n".to_vec(), "text"),
        (text[1..].to_vec(), "unknown data"),
        (text.clone(), "text"),
        (gz(&text), "text, packed by gzip"),
        (gz(&gz(&Maker::new().tar())), "packed twice, by gzip and gzip"),
        (Maker::new().tar()[..300].to_vec(), "shorter than a header"),
    ];
    for (bytes, kind) in cases {
        let stderr = format!(
            "error: `x.tar` is not a tar archive: it is {kind}\nhint: tar archives are read as they \
             are, or in gz, xz, lzma, zst, bz2 or lz4\n"
        );
        says(&tarcheck(&stored(&bytes), &[]), 2, "", &stderr);
    }
}

#[test]
fn mistakes_are_named() {
    let output = tarcheck(&faulty(), &["--only", "devices"]);
    says(
        &output,
        2,
        "",
        "error: there is no check `devices`\nhint: `tarcheck --list` shows all checks\n",
    );
    let output = tarcheck(&faulty(), &["--only", "device-file", "--skip", "device-file"]);
    says(
        &output,
        2,
        "",
        "error: no check is left: `--skip` leaves out all others\nhint: `tarcheck --list` shows all \
         checks\n",
    );
    let output = tarcheck(&faulty(), &["-q", "missing.tar", "."]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let expected = "error: cannot read `missing.tar`: No such file or directory (os error 2)\n\
                    error: cannot read `.`: it is a folder\n";
    assert_eq!(stderr, expected, "and the first archive is checked all the same");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
}

#[test]
fn the_list_has_every_check() {
    let output =
        assert_cmd::Command::cargo_bin("tarcheck").unwrap().arg("--list").output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).lines().count(),
        tarcheck::checks::ALL.len()
    );
}
