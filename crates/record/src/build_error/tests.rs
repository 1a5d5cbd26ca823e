use proptest::prelude::*;

use super::*;

/// Output of real builds that failed, each after `==== name => the line that says why`.
const LOGS: &str = include_str!("logs.txt");

#[test]
fn the_line_that_says_why_is_found_in_real_logs() {
    let mut read = 0;
    for part in LOGS.split("==== ").skip(1) {
        let (head, log) = part.split_once('\n').unwrap();
        let (name, expected) = head.split_once(" => ").unwrap();
        assert_eq!(error_line(log).as_deref(), Some(expected), "{name}");
        read += 1;
    }
    assert!(read > 30, "{read} logs");
}

#[test]
fn only_the_last_command_counts_and_notes_of_ours_do_not() {
    let log = "# builds x\n# executes in /tree:\n# sh quirk\na.c:1:2: error: ignored\n# executes \
        in /tree:\n# make\ncc -c a.c\ncp: cannot stat 'b': No such file or directory\n# failed: \
        error: no,\n";
    assert_eq!(error_line(log).as_deref(), Some("cp: cannot stat 'b': No such file or directory"));
    assert_eq!(error_line("# builds\none\ntwo\n").as_deref(), Some("two"));
    assert_eq!(error_line("# builds\n\n"), None);
}

#[test]
fn files_of_the_tree_are_named_from_its_root() {
    let log = "# executes in /cache/c-1/tree:\n# make\n/usr/bin/ld: /tmp/a.o: in function `f':\n\
        /cache/c-1/tree/src/a.c:12: undefined reference to `g'\n";
    assert_eq!(error_line(log).unwrap(), "src/a.c:12: undefined reference to `g'");
}

#[test]
fn what_happens_on_the_way_is_not_the_cause() {
    let found = |log: &str| error_line(log).unwrap();
    let version = "fatal: not a git repository (or any of the parent directories): .git\ncc a.c\n";
    assert_eq!(
        found(&format!("{version}a.c:1:2: error: no\nmake: *** [a.o] Error 1\n")),
        "a.c:1:2: error: no"
    );
    assert_eq!(found(&format!("{version}strip: 'b': No such file\n")), "strip: 'b': No such file");
    let ignored = "t.c:1:2: error: old\nmake: [Makefile:3: t] Error 1 (ignored)\nld: x.o: \
        undefined symbol: y\n";
    assert_eq!(found(ignored), "ld: x.o: undefined symbol: y");
    let lacking =
        "/bin/sh: 1: bison: not found\nmake: *** [a.y] Error 127\ncc: error: y.c: no such file\n";
    assert_eq!(found(lacking), "/bin/sh: 1: bison: not found");
    let parallel =
        "cc -c a.c\ncp: cannot stat 'x': No such file\ncc -c b.c\nmake: *** [a] Error 1\n";
    assert_eq!(found(parallel), "cp: cannot stat 'x': No such file");
}

#[test]
fn the_program_that_is_missing_is_named() {
    let named = [
        ("exit status 127: sh: 1: mak: not found", "mak"),
        ("/bin/sh: line 3: ./configure: command not found", "./configure"),
        ("bash: cargoo: command not found", "cargoo"),
        ("exit status 2: make: clang-3.6: No such file or directory", "clang-3.6"),
        ("/usr/bin/env: ‘pyton’: No such file or directory", "pyton"),
        ("sh: 1: exec: ./prog: not found", "./prog"),
    ];
    for (error, program) in named {
        assert_eq!(missing_program(error), Some(program), "{error}");
    }
    let [make, shell] = [named[3].0, "exit status 2: /bin/sh: 1: clang-3.6: not found"];
    assert!(has_same_cause(make, shell) && !has_same_cause(make, named[0].0));
    for other in [
        "cp: cannot stat 'x': No such file or directory",
        "a.c:1:2: fatal error: x.h: No such file or directory",
    ] {
        assert_eq!(missing_program(other), None, "{other}");
    }
}

#[test]
fn colours_and_progress_are_no_part_of_the_line() {
    let log = "\x1b[1mx.c:1:5: \x1b[31merror: \x1b[0mno\n50 %\r100 %\n";
    assert_eq!(error_line(log).as_deref(), Some("x.c:1:5: error: no"));
    assert_eq!(error_line("50 %\r99 %\n").as_deref(), Some("99 %"));
}

proptest! {
    #[test]
    fn however_the_output_arrives_the_line_is_the_same(
        which in 0..30_usize,
        lengths in prop::collection::vec(1..90_usize, 200),
    ) {
        let log = LOGS.split("==== ").nth(which + 1).unwrap().split_once('\n').unwrap().1;
        let (mut finder, mut rest) = (ErrorFinder::default(), log.as_bytes());
        for length in lengths.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, others) = rest.split_at((*length).min(rest.len()));
            finder.read(piece);
            rest = others;
        }
        prop_assert_eq!(finder.found(), error_line(log));
    }
}
