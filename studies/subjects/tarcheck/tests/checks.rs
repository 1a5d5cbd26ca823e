//! Each check at an archive that it must complain about, and at a near miss where there is an
//! obvious one.

use tar::EntryType::{Char, Link, Regular, Symlink};
use tarcheck::{Options, Selection, Way};

use crate::harness::{Maker, stored};

const WAYS: [Way; 4] = [Way::Sequential, Way::ReadAll, Way::Unbounded, Way::Bounded];

fn check(archive: Maker, options: &Options) -> Vec<String> {
    check_bytes(&archive.gz(), options)
}

fn check_bytes(archive: &[u8], options: &Options) -> Vec<String> {
    let stored = stored(archive);
    let report = |way| {
        let report =
            tarcheck::check(&stored.path, &Options { way, jobs: 2, ..options.clone() }).unwrap();
        report.hints.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let first = report(Way::Sequential);
    for way in WAYS {
        assert_eq!(report(way), first, "{way:?}");
    }
    let ahead = tarcheck::check(&stored.path, &Options { ahead: true, ..options.clone() }).unwrap();
    assert_eq!(ahead.hints.iter().map(ToString::to_string).collect::<Vec<_>>(), first, "ahead");
    assert_eq!(report(Way::JustReading), Vec::<String>::new());
    first
}

/// All hints about an archive that is not packed.
fn hints_of(archive: &[u8]) -> Vec<String> {
    check_bytes(archive, &Options::default())
}

/// All hints about an archive, by every way.
fn hints(archive: Maker) -> Vec<String> {
    check(archive, &Options::default())
}

fn with(name: &str, content: &[u8]) -> Vec<String> {
    hints(Maker::new().file(name, content))
}

fn mode(mode: u32) -> Vec<String> {
    hints(Maker::new().entry(b"x/f", Regular, b"a\n", |header| header.set_mode(mode)))
}

fn dated(seconds: u64) -> Vec<String> {
    hints(Maker::new().entry(b"x/f", Regular, b"a\n", |header| header.set_mtime(seconds)))
}

const NONE: [&str; 0] = [];

#[test]
fn a_good_archive_has_no_hints() {
    let archive =
        Maker::new().folder("x/").file("x/a.c", b"int a;\n").script("x/b", b"#!/bin/sh\n");
    assert_eq!(hints(archive.link("x/c", Symlink, "a.c").link("x/d", Link, "x/a.c")), NONE);
}

#[test]
fn path_traversal() {
    assert_eq!(with("x/../../f", b"a\n"), ["x/../../f: error: path-traversal"]);
    assert_eq!(with("x/..f", b"a\n"), NONE);
}

#[test]
fn absolute_path() {
    assert_eq!(with("/etc/f", b"a\n"), ["/etc/f: error: absolute-path"]);
}

#[test]
fn control_character_in_name() {
    assert_eq!(with("x/a\x1b[2J", b"a\n"), ["x/a\\u{1b}[2J: error: control-character-in-name"]);
}

#[test]
fn name_too_long() {
    let long = format!("x/{}", "a".repeat(256));
    assert_eq!(with(&long, b"a\n"), [format!("{long}: error: name-too-long: 256 bytes")]);
    assert_eq!(with(&long[..257], b"a\n"), NONE);
}

#[test]
fn name_not_utf8() {
    let archive = Maker::new().entry(b"x/gr\xf6\xdfe", Regular, b"a\n", |_| {});
    assert_eq!(hints(archive), ["x/gr\\xf6\\xdfe: warning: name-not-utf8"]);
}

#[test]
fn name_not_portable() {
    assert_eq!(with("x/a:b", b"a\n"), ["x/a:b: info: name-not-portable: `:` in `a:b`"]);
    assert_eq!(with("x/aux.c", b"a\n"), ["x/aux.c: info: name-not-portable: `aux.c` is reserved"]);
    assert_eq!(
        with("x/a.", b"a\n"),
        ["x/a.: info: name-not-portable: `a.` ends with a space or dot"]
    );
    assert_eq!(with("x/auxiliary.c", b"a\n"), NONE);
}

#[test]
fn device_file() {
    let archive = Maker::new().entry(b"x/null", Char, b"", |_| {});
    assert_eq!(hints(archive), ["x/null: error: device-file"]);
}

#[test]
fn setuid_or_setgid() {
    assert_eq!(mode(0o4644), ["x/f: error: setuid-or-setgid: mode 4644"]);
    assert_eq!(mode(0o2644), ["x/f: error: setuid-or-setgid: mode 2644"]);
}

#[test]
fn world_writable() {
    assert_eq!(mode(0o646), ["x/f: warning: world-writable: mode 0646"]);
    assert_eq!(mode(0o664), NONE);
}

#[test]
fn absolute_symlink() {
    let archive = Maker::new().link("x/l", Symlink, "/etc/passwd");
    assert_eq!(hints(archive), ["x/l: warning: absolute-symlink: to `/etc/passwd`"]);
}

#[test]
fn symlink_out_of_tree() {
    let archive = Maker::new().link("x/l", Symlink, "../../etc/passwd");
    assert_eq!(hints(archive), ["x/l: error: symlink-out-of-tree: to `../../etc/passwd`"]);
}

#[test]
fn date_in_future() {
    assert_eq!(dated(4_102_444_800), ["x/f: warning: date-in-future: 2100-01-01T00:00:00Z"]);
    let tomorrow = Options::default().now + 23 * 60 * 60;
    assert_eq!(dated(tomorrow), NONE);
}

#[test]
fn date_missing() {
    assert_eq!(dated(0), ["x/f: info: date-missing"]);
    let blank = |header: &mut tar::Header| header.as_mut_bytes()[136..148].fill(b' ');
    let archive = Maker::new().entry(b"x/f", tar::EntryType::Regular, b"f\n", blank);
    assert_eq!(hints(archive), ["x/f: info: date-missing"], "an old writer left it blank");
}

#[test]
fn version_control_leftover() {
    let archive = Maker::new().folder("x/.git/").file("x/.git/config", b"[core]\n");
    assert_eq!(hints(archive), ["x/.git/: warning: version-control-leftover"]);
    assert_eq!(with("x/CVS/Entries", b"D\n"), ["x/CVS/Entries: warning: version-control-leftover"]);
    assert_eq!(with("x/.gitignore", b"*.o\n"), NONE);
}

#[test]
fn backup_file() {
    for name in ["x/a.c~", "x/.a.c.swp", "x/#a.c#", "x/.#a.c", "x/a.bak"] {
        assert_eq!(with(name, b"a\n"), [format!("{name}: warning: backup-file")]);
    }
}

#[test]
fn patch_leftover() {
    assert_eq!(with("x/a.c.rej", b"a\n"), ["x/a.c.rej: warning: patch-leftover"]);
    assert_eq!(with("x/a.c.orig", b"a\n"), ["x/a.c.orig: warning: patch-leftover"]);
    assert_eq!(with("x/Cargo.toml.orig", b"a\n"), NONE, "cargo adds it");
}

#[test]
fn system_metadata() {
    assert_eq!(with("x/.DS_Store", b"a\n"), ["x/.DS_Store: warning: system-metadata"]);
    assert_eq!(with("x/._a.c", b"a\n"), ["x/._a.c: warning: system-metadata"]);
}

#[test]
fn build_leftover() {
    assert_eq!(with("x/config.log", b"a\n"), ["x/config.log: warning: build-leftover"]);
    assert_eq!(
        hints(Maker::new().folder("x/__pycache__/")),
        ["x/__pycache__/: warning: build-leftover"]
    );
}

#[test]
fn content_partly_checked() {
    let options = Options { content: 8, ..Options::default() };
    let archive = Maker::new().file("x/f", b"a line and more\n");
    assert_eq!(check(archive, &options), ["x/f: info: content-partly-checked: 8 of 16 bytes"]);
}

#[test]
fn a_character_that_the_limit_cuts_is_not_broken() {
    let options = Options { content: 6, selection: only("invalid-utf8"), ..Options::default() };
    assert_eq!(
        check(Maker::new().file("x/f", "größer\n".as_bytes()), &options),
        NONE,
        "`gr` `ö` and a half"
    );
}

fn only(tag: &str) -> Selection {
    Selection::new(&[tag.to_owned()], &[]).unwrap()
}

#[test]
fn prebuilt_binary() {
    let windows = [&b"MZ"[..], &[0; 58], &[64, 0, 0, 0], b"PE\0\0"].concat();
    let cases: [(&[u8], &str); 6] = [
        (b"\x7fELF\x02\x01\x01\0", "ELF"),
        (b"\xcf\xfa\xed\xfe\x07\0\0\x01", "Mach-O"),
        (b"\xca\xfe\xba\xbe\0\0\0\x34", "Java class"),
        (b"\0asm\x01\0\0\0", "WebAssembly"),
        (b"!<arch>\n", "static library"),
        (&windows, "Windows executable"),
    ];
    for (content, what) in cases {
        assert_eq!(with("x/f", content), [format!("x/f: warning: prebuilt-binary: {what}")]);
    }
    assert_eq!(with("x/f", b"MZ is how Zbikowski begins\n"), NONE);
}

#[test]
fn embedded_archive() {
    assert_eq!(with("x/f", b"PK\x03\x04\0\0"), ["x/f: info: embedded-archive: zip"]);
    assert_eq!(with("x/f", b"\x1f\x8b\x08\0\0"), ["x/f: info: embedded-archive: gzip"]);
    assert_eq!(with("x/f", &Maker::new().tar()), ["x/f: info: embedded-archive: tar"]);
}

#[test]
fn nul_in_text() {
    assert_eq!(with("x/a.c", b"int a;\n\0\n"), ["x/a.c:2: warning: nul-in-text"]);
    assert_eq!(with("x/a.c", b"\xff\xfea\0"), ["x/a.c:1: warning: nul-in-text: UTF-16"]);
    assert_eq!(with("x/a.png", b"a\0b\n"), NONE);
}

fn script(first: &[u8]) -> Vec<String> {
    hints(Maker::new().script("x/s", &[first, b"\nexit\n"].concat()))
}

#[test]
fn script_without_interpreter() {
    assert_eq!(script(b"#! "), ["x/s:1: warning: script-without-interpreter"]);
    assert_eq!(with("x/a.rs", b"#![no_std]\n"), NONE, "an attribute of Rust");
}

#[test]
fn relative_interpreter() {
    assert_eq!(script(b"#!perl -w"), ["x/s:1: warning: relative-interpreter: `perl`"]);
    assert_eq!(script(b"#!@PERL@ -w"), NONE, "a template");
    assert_eq!(script(b"#!%prefix%/bin/x"), NONE, "another");
}

#[test]
fn carriage_return_in_interpreter() {
    let archive = Maker::new().script("x/s", b"#!/bin/sh\r\nexit\r\n");
    assert_eq!(hints(archive), ["x/s:1: error: carriage-return-in-interpreter: `/bin/sh`"]);
}

#[test]
fn local_interpreter() {
    assert_eq!(
        script(b"#!/usr/local/bin/perl"),
        ["x/s:1: warning: local-interpreter: `/usr/local/bin/perl`"]
    );
}

#[test]
fn obsolete_interpreter() {
    assert_eq!(
        script(b"#!/usr/bin/env -S python2.7 -u"),
        ["x/s:1: info: obsolete-interpreter: `python2.7`"]
    );
    assert_eq!(script(b"#!/usr/bin/python"), ["x/s:1: info: obsolete-interpreter: `python`"]);
    assert_eq!(script(b"#!/usr/bin/python3"), NONE);
}

#[test]
fn executable_not_script() {
    assert_eq!(script(b"echo hello"), ["x/s: info: executable-not-script"]);
}

#[test]
fn invalid_utf8() {
    assert_eq!(with("x/f", b"a\nb gr\xf6\xdfer\n"), ["x/f:2: warning: invalid-utf8: byte 0xf6"]);
    assert_eq!(with("x/f", "größer\n".as_bytes()), NONE);
    assert_eq!(with("x/f", b"# coding: latin-1\ngr\xf6\xdfer\n"), NONE, "an encoding is declared");
    let declared = with("x/f", b"# coding: utf-8\ngr\xf6\xdfer\n");
    assert_eq!(declared, ["x/f:2: warning: invalid-utf8: byte 0xf6"]);
}

#[test]
fn byte_order_mark() {
    assert_eq!(with("x/f", b"\xef\xbb\xbfa\n"), ["x/f:1: info: byte-order-mark"]);
}

#[test]
fn bidirectional_control() {
    assert_eq!(
        with("x/f", "a\nb \u{202e} c\n".as_bytes()),
        ["x/f:2: error: bidirectional-control: U+202E"]
    );
    assert_eq!(
        with("x/f", "\u{2066}\n".as_bytes()),
        ["x/f:1: error: bidirectional-control: U+2066"]
    );
    assert_eq!(with("x/f", "“quoted” – and more…\n".as_bytes()), NONE);
}

#[test]
fn very_long_line() {
    let long = format!("a\n{}\nb\n", "c".repeat(2001));
    assert_eq!(with("x/f", long.as_bytes()), ["x/f:2: info: very-long-line: 2001 bytes"]);
    let fits = format!("a\n{}\nb\n", "c".repeat(2000)).repeat(3);
    assert_eq!(with("x/f", fits.as_bytes()), NONE);
}

#[test]
fn mixed_line_endings() {
    assert_eq!(with("x/f", b"a\r\nb\r\nc\n"), ["x/f:3: info: mixed-line-endings"]);
    assert_eq!(with("x/f", b"a\nb\nc\r\n"), ["x/f:3: info: mixed-line-endings"]);
    assert_eq!(with("x/f", b"a\r\nb\r\n"), NONE);
}

#[test]
fn merge_conflict() {
    let conflict = b"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n";
    assert_eq!(with("x/f", conflict), ["x/f:2: error: merge-conflict"]);
    assert_eq!(with("x/f", b"a line with <<<<<<< HEAD in it\n>>>>>>> other\n"), NONE);
}

#[test]
fn private_key() {
    let key = b"a\n-----BEGIN RSA PRIVATE KEY-----\nabc\n";
    assert_eq!(with("x/f", key), ["x/f:2: error: private-key"]);
    assert_eq!(with("x/f.c", b"s = \"-----BEGIN RSA PRIVATE KEY-----\";\n"), NONE);
    assert_eq!(with("x/f", b"-----BEGIN CERTIFICATE-----\n"), NONE);
}

#[test]
fn duplicate_name() {
    let archive = Maker::new().file("x/f", b"a\n").file("x/f", b"b\n").folder("x/d/").folder("x/d");
    assert_eq!(hints(archive), ["x/f: warning: duplicate-name: 2 entries"]);
}

#[test]
fn case_conflict() {
    let archive = Maker::new().file("x/F", b"a\n").file("x/f", b"b\n");
    assert_eq!(hints(archive), ["x/f: info: case-conflict: `x/F` differs in case only"]);
}

#[test]
fn hardlink_without_target() {
    let archive = Maker::new().link("x/l", Link, "x/f").file("x/f", b"a\n");
    assert_eq!(hints(archive), ["x/l: error: hardlink-without-target: to `x/f`"]);
}

#[test]
fn dangling_symlink() {
    let archive = Maker::new().link("x/l", Symlink, "f").link("x/m", Symlink, "../x");
    assert_eq!(hints(archive), ["x/l: info: dangling-symlink: to `f`"]);
}

#[test]
fn minified_without_source() {
    assert_eq!(
        with("x/a.min.js", b"a\n"),
        ["x/a.min.js: warning: minified-without-source: no `x/a.js`"]
    );
    assert_eq!(hints(Maker::new().file("x/a.min.js", b"a\n").file("x/a.js", b"a\n")), NONE);
}

#[test]
fn several_top_folders() {
    assert_eq!(with("y/f", b"a\n"), [".: info: several-top-folders: 2: `x`, `y`"]);
}

#[test]
fn license_missing() {
    let found = hints(Maker::empty().file("x/a.c", b"int a;\n"));
    assert_eq!(
        found,
        [".: info: license-missing: no `LICENSE`, `COPYING` or `COPYRIGHT` at the top"]
    );
}

#[test]
fn end_missing() {
    let whole = Maker::new().tar();
    let entries = &whole[..whole.len() - 1024];
    let lone = [entries, &[0; 512][..]].concat();
    let expected = [".: warning: end-missing"];
    assert_eq!(hints_of(entries), expected);
    assert_eq!(hints_of(&lone), expected);
    assert_eq!(hints_of(&[lone, vec![0; 511]].concat()), expected);
    assert_eq!(hints_of(&whole), NONE);
    assert_eq!(hints_of(&[whole, vec![0; 9000]].concat()), NONE);
}

#[test]
fn trailing_data() {
    let whole = Maker::new().tar();
    let expected = [".: warning: trailing-data"];
    assert_eq!(hints_of(&[&whole[..], b"more"].concat()), expected);
    assert_eq!(hints_of(&[whole.clone(), vec![0; 100_000], b"more".to_vec()].concat()), expected);
    assert_eq!(hints_of(&whole.repeat(2)), expected);
}

#[test]
fn every_check_has_a_test() {
    let tests = include_str!("checks.rs");
    for check in &tarcheck::checks::ALL {
        let test = format!("fn {}() {{", check.tag.replace('-', "_"));
        assert!(tests.contains(&test), "no test for `{}`", check.tag);
    }
}

#[test]
fn many_batches_are_checked_once_each() {
    let archive = (0..2000).fold(Maker::new(), |archive, n| {
        archive.file(&format!("x/f{n:04}"), &[b"a\n".repeat(500), b"\xff".to_vec()].concat())
    });
    let found = hints(archive);
    assert_eq!(found.len(), 2000);
    assert_eq!(found[1999], "x/f1999:501: warning: invalid-utf8: byte 0xff");
}
