use super::*;
use crate::RevisionStep;
use crate::testing::{Rcs, cvs_root};

/// Three files, a tag, a branch, a removed file and one in a folder.
fn sample() -> tempfile::TempDir {
    let rel = "REL:1.1.0.2";
    cvs_root(&[
        (
            "m/a.c",
            Rcs::new(&[("2016-01-01 10:00:00", "start"), ("2016-01-03 10:00:00", "second")])
                .symbols("V_1:1.1 REL:1.1.0.2"),
        ),
        (
            "m/sub/b.c",
            Rcs::new(&[("2016-01-01 10:00:05", "start"), ("2016-03-01 08:00:00", "third")])
                .symbols("V_1:1.1")
                .symbols(rel),
        ),
        (
            "m/Attic/gone.c",
            Rcs::new(&[("2016-01-02 10:00:00", "add"), ("2016-02-01 00:00:00", "-remove")]),
        ),
        ("other/x", Rcs::new(&[("2015-01-01 10:00:00", "elsewhere")])),
    ])
}

fn points(root: &Path, branch: Option<&str>) -> CvsPoints {
    let module = CvsModule {
        root: root.display().to_string(),
        module: "m".into(),
        branch: branch.map(str::to_owned),
        keywords: "k".into(),
    };
    CvsPoints::new(&module, Path::new("/"), "2017-01-01T00:00:00Z".parse().unwrap()).unwrap()
}

fn select(points: &CvsPoints, text: &str, every: &str) -> Result<SelectedRevisions, SubjectError> {
    let every = every.parse::<RevisionStep>().unwrap();
    points.select(&Selection { every, ..Selection::parse_range(text) })
}

/// Times without what is held, subjects and tags.
fn shown(selected: &SelectedRevisions) -> Vec<String> {
    let line = |r: &Revision| {
        format!("{} {} {} {}", r.order, r.short(), r.subject, r.tags.join(" ")).trim().to_owned()
    };
    selected.revisions.iter().map(line).collect()
}

#[test]
fn a_module_has_the_points_in_time_at_which_it_changed() {
    let root = sample();
    let all = select(&points(root.path(), None), "..", "commit").unwrap();
    assert_eq!(
        shown(&all),
        [
            "1 2016-01-01T10:00:05Z start V_1",
            "2 2016-01-02T10:00:00Z add",
            "3 2016-01-03T10:00:00Z second",
            "4 2016-02-01T00:00:00Z remove",
            "5 2016-03-01T08:00:00Z third",
        ]
    );
    assert_eq!(all.commits[0].files, ["a.c", "sub/b.c"]);
    assert_eq!(all.commits[3].files, ["gone.c"]);
    let numbers =
        |at: usize, file: &str| all.commits[at].numbers[file].each_ref().map(Option::as_deref);
    assert_eq!(numbers(0, "sub/b.c"), [None, Some("1.1")]);
    assert_eq!(numbers(2, "a.c"), [Some("1.1"), Some("1.2")]);
    assert_eq!(numbers(3, "gone.c"), [Some("1.1"), None]);
    assert_eq!((all.commits.len(), all.note), (5, None));
}

#[test]
fn dates_tags_and_names_stand_for_what_was_there_then() {
    let root = sample();
    let points = points(root.path(), None);
    let one = |name: &str| select(&points, name, "commit").map(|it| shown(&it).join("; "));
    let third = "3 2016-01-03T10:00:00Z second";
    for name in ["2016-01-04", "2016-01-31 23:59:59", "2016-01-03T10:00:00Z", "2016-01-03T10:00"] {
        assert_eq!(one(name).unwrap(), third, "{name}");
    }
    let full = select(&points, "2016-01-04", "commit").unwrap().revisions[0].id.clone();
    assert_eq!(one(&full).unwrap(), third);
    assert_eq!(one("HEAD").unwrap(), "5 2016-03-01T08:00:00Z third");
    assert_eq!(one("V_1").unwrap(), "1 2016-01-01T10:00:05Z start V_1");
    let early = one("2016-01-01").unwrap_err().to_string();
    assert_eq!(
        early,
        "there was no commit yet at `2016-01-01`: the first one is of 2016-01-01T10:00:05Z"
    );
    assert_eq!(one("V_2").unwrap_err().hint().unwrap(), "did you mean `V_1`?");
}

#[test]
fn ranges_are_stepped_through_by_the_calendar() {
    let root = sample();
    let points = points(root.path(), None);
    let monthly = select(&points, "V_1..HEAD", "1month").unwrap();
    assert_eq!(monthly.revisions.iter().map(|r| r.order).collect::<Vec<_>>(), [1, 3, 4, 5]);
    assert_eq!(monthly.commits.iter().map(|c| c.order).collect::<Vec<_>>(), [2, 3, 4, 5]);
    let empty = select(&points, "2016-01-05..2016-01-06", "1w").unwrap_err();
    assert_eq!(
        empty.to_string(),
        "the range `2016-01-05..2016-01-06` is empty: both are the same revision"
    );
    let turned = select(&points, "2016-02-05..2016-01-06", "1w").unwrap_err();
    assert_eq!(turned.hint().unwrap(), "did you mean `2016-01-06..2016-02-05`?");
}

#[test]
fn a_branch_begins_where_it_was_made() {
    let root = sample();
    let branch = select(&points(root.path(), Some("REL")), "..", "commit").unwrap();
    assert_eq!(shown(&branch), ["1 2016-01-01T10:00:05Z start V_1"]);
    let unknown = select(&points(root.path(), Some("REI")), "..", "commit").unwrap_err();
    assert_eq!(unknown.hint().unwrap(), "did you mean `REL`?");
    let tag = select(&points(root.path(), Some("V_1")), "..", "commit").unwrap_err();
    assert_eq!(tag.to_string(), "`V_1` is a tag, not a branch");
}

#[test]
fn what_is_not_there_is_said() {
    let root = sample();
    let of = |module: &str| {
        let mut points = points(root.path(), None);
        points.module.module = module.to_owned();
        select(&points, "..", "commit").unwrap_err().to_string()
    };
    assert_eq!(of("mm"), format!("unknown module `mm` in `{}`", root.path().display()));
    std::fs::create_dir(root.path().join("empty")).unwrap();
    assert_eq!(of("empty"), "module `empty` has no commits");
}

#[test]
fn clocks_that_ran_backwards_are_told_of() {
    let root = cvs_root(&[(
        "m/a.c",
        Rcs::new(&[
            ("2016-01-01 10:00:00", "one"),
            ("2016-01-05 10:00:00", "two"),
            ("2016-01-03 10:00:00", "three"),
        ]),
    )]);
    let all = select(&points(root.path(), None), "..", "commit").unwrap();
    assert_eq!(shown(&all), ["1 2016-01-01T10:00:00Z one", "2 2016-01-03T10:00:00Z three"]);
    assert_eq!(
        all.note.unwrap(),
        "`a.c` 1.2 is dated later than the next revision: a checkout by date leaves it out, and \
         commits are ordered as checkouts show them"
    );
}

#[test]
fn all_that_a_clock_hides_is_counted() {
    let root = cvs_root(&[(
        "m/a.c",
        Rcs::new(&[
            ("2016-01-01 10:00:00", "one"),
            ("2016-01-05 10:00:00", "two"),
            ("2016-01-06 10:00:00", "three"),
            ("2016-01-03 10:00:00", "four"),
            ("2016-01-04 10:00:00", "five"),
        ]),
    )]);
    let all = select(&points(root.path(), None), "..", "commit").unwrap();
    assert_eq!(
        shown(&all),
        [
            "1 2016-01-01T10:00:00Z one",
            "2 2016-01-03T10:00:00Z four",
            "3 2016-01-04T10:00:00Z five"
        ]
    );
    let note = all.note.unwrap();
    assert!(
        note.starts_with(
            "`a.c` 1.2 and 1 other revision of files are dated later than the next revision: a \
             checkout by date leaves them out"
        ),
        "{note}"
    );
}

#[test]
fn files_are_called_as_they_lie_in_the_module() {
    for (path, name) in [
        ("/cvs/src/sys/kern/a.c,v", "kern/a.c"),
        ("/cvs/src/sys/Attic/a.c,v", "a.c"),
        ("/cvs/src/sys/kern/Attic/a.c,v", "kern/a.c"),
        ("/cvs/elsewhere/a.c,v", "elsewhere/a.c"),
        ("/cvs/src/system/a.c,v", "src/system/a.c"),
    ] {
        assert_eq!(within(path, "/cvs", "src/sys"), name, "{path}");
    }
}

#[test]
fn a_point_has_the_files_of_all_that_came_with_it() {
    let root = cvs_root(&[
        ("m/a", Rcs::new(&[("2016-01-01 10:00:00", "long")])),
        ("m/b", Rcs::new(&[("2016-01-01 10:00:20", "short")])),
        ("m/c", Rcs::new(&[("2016-01-01 10:00:40", "long")])),
    ]);
    let all = select(&points(root.path(), None), "..", "commit").unwrap();
    assert_eq!(shown(&all), ["2 2016-01-01T10:00:40Z long"]);
    let files: Vec<String> = all.commits.iter().map(|commit| commit.files.join(" ")).collect();
    assert_eq!(files, ["b", "a b c"]);
    assert_eq!(all.commits[1].id, all.revisions[0].id);
}

#[test]
fn what_may_be_under_way_is_held_back_unless_it_is_named() {
    let root = cvs_root(&[(
        "m/a",
        Rcs::new(&[
            ("2016-01-01 10:00:00", "one"),
            ("2016-01-01 11:00:00", "two"),
            ("2040-01-01 10:00:00", "skewed"),
        ]),
    )]);
    let at = |now: &str| CvsPoints { now: now.parse().unwrap(), ..points(root.path(), None) };
    let one =
        |points: &CvsPoints, name: &str| shown(&select(points, name, "commit").unwrap()).join("; ");
    let (early, late) = (at("2016-01-01T11:05:00Z"), at("2016-01-01T11:05:01Z"));
    assert_eq!(one(&early, "HEAD"), "1 2016-01-01T10:00:00Z one", "files may come for 300 s");
    assert_eq!(one(&late, "HEAD"), "2 2016-01-01T11:00:00Z two");
    assert_eq!(one(&early, "2016-01-01T11:00"), "2 2016-01-01T11:00:00Z two", "named, it is had");
    let note = select(&late, "..", "commit").unwrap().note.unwrap();
    assert!(note.starts_with("1 point is left out: "), "{note}");
    assert_eq!(select(&late, "..2041-01-01", "commit").unwrap().note, None);
    assert_eq!(
        one(&at("2016-01-01T10:00:01Z"), "HEAD"),
        "3 2040-01-01T10:00:00Z skewed",
        "all is new"
    );
}

#[test]
fn what_a_point_brought_is_a_diff_that_git_applies() {
    let root = sample();
    let points = points(root.path(), None);
    let reported = |diff: Option<Vec<u8>>| String::from_utf8(diff.unwrap()).unwrap();
    let brought = |name: &str| reported(points.brought(name).unwrap());
    let second = brought("2016-01-03T10:00:00Z");
    let lines: Vec<&str> = second.lines().filter(|line| !line.starts_with("diff ")).collect();
    let expected = [
        "Index: a.c",
        "--- a/a.c\t1.1",
        "+++ b/a.c\t1.2",
        "@@ -1 +1 @@",
        "-revision 1 $Id$",
        "+revision 2 $Id$",
    ];
    assert_eq!(lines, expected);
    let first = brought("V_1");
    assert!(first.contains("--- /dev/null\n+++ b/sub/b.c\t1.1\n"), "{first}");
    assert!(!first.contains("gone.c") && !first.contains("other/x"), "{first}");
    let removed = brought("2016-02-01");
    assert!(removed.contains("--- a/gone.c\t1.1\n+++ /dev/null\n"), "{removed}");
    let back = points.difference("2016-01-03T10:00:00Z", "2016-01-03T10:00:00Z^").unwrap();
    assert_eq!(back, None, "cvs tells no differences backwards");

    // It makes the one of the other.
    let work = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let command = &mut std::process::Command::new("git");
        assert!(command.args(arguments).current_dir(work.path()).status().unwrap().success());
    };
    git(&["init", "--quiet"]);
    for diff in [first, reported(points.difference("V_1", "2016-03-02").unwrap())] {
        std::fs::write(work.path().join("x.diff"), diff).unwrap();
        git(&["apply", "x.diff"]);
    }
    let read = |name: &str| std::fs::read_to_string(work.path().join(name)).unwrap();
    assert_eq!(
        (read("a.c"), read("sub/b.c")),
        ("revision 2 $Id$\n".to_owned(), "revision 2 $Id$\n".to_owned())
    );
    assert!(!work.path().join("gone.c").exists());
}

#[test]
fn on_a_branch_the_diff_is_that_of_the_branch() {
    let root = cvs_root(&[(
        "m/a",
        Rcs::new(&[
            ("2016-01-01 10:00:00", "one"),
            ("2016-01-02 10:00:00", "two"),
            ("2016-01-03 10:00:00", "three"),
        ])
        .symbols("REL:1.2.0.2"),
    )]);
    let points = points(root.path(), Some("REL"));
    let brought = points.brought("HEAD").unwrap().unwrap();
    let brought = String::from_utf8(brought).unwrap();
    assert!(brought.contains("+revision 2 $Id$\n") && !brought.contains("revision 3"), "{brought}");
}
