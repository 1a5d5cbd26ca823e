//! `tacho try`: a revision with and without a diff.

use serde_json::{Value, json};

use crate::harness::Project;

/// What is measured stands in the output: nothing here depends on how fast anything is.
const PLAN: &str = "
[subject]
build = 'sh -n prog'
artifacts = ['prog']

[[benchmark]]
name = 'hash'
command = 'sh {build}/prog'
metrics = [{ name = 'bucket', from = 'regex:bucket ([0-9.]+)', unit = 'entries' }]
";

const PROG: &str =
    "# a table\n:\nbucket=60\n:\nstep=1\n:\necho hashing\necho bucket $((bucket * step))\n";

/// A diff that makes another of one line of the program, with a line around it.
fn diff(old: &str, new: &str) -> String {
    let lines: Vec<&str> = PROG.lines().collect();
    let at = lines.iter().position(|line| *line == old).unwrap();
    let before = if at > 0 { format!(" {}\n", lines[at - 1]) } else { String::new() };
    let (from, length) = (at.max(1), if at > 0 { 3 } else { 2 });
    let after = lines[at + 1];
    format!(
        "--- a/prog\n+++ b/prog\n@@ -{from},{length} +{from},{length} \
         @@\n{before}-{old}\n+{new}\n {after}\n"
    )
}

fn project() -> Project {
    let project = Project::repository().file("prog", PROG).commit("a table").plan(PLAN);
    project
        .file("fast.diff", &diff("bucket=60", "bucket=45"))
        .file("slow.diff", &diff("step=1", "step=4"))
        .file("same.diff", &diff("# a table", "# the table"))
        .file("other.diff", &diff("step=1", "step=2").replace("-step=1", "-step=9"))
        .file("broken.diff", &diff("echo hashing", "if hashing"))
}

fn verdicts(answer: &Value) -> Vec<(Value, Value, Value)> {
    let tries = answer["tries"].as_array().unwrap().iter();
    tries
        .map(|it| {
            let row = &it["rows"][0];
            (it["patches"].clone(), row["verdict"].clone(), row["b"].clone())
        })
        .collect()
}

#[test]
fn diffs_are_tried_each_alone_and_all_together() {
    let project = project();
    let before = project.git(["status", "--porcelain", "--untracked-files=no"]);
    let answer = project.tacho("try fast.diff slow.diff --rounds 8 --json").exits(0).json();
    let expected = [
        (json!(["fast.diff"]), json!("faster"), json!(45.0)),
        (json!(["slow.diff"]), json!("slower"), json!(240.0)),
        (json!(["fast.diff", "slow.diff"]), json!("slower"), json!(180.0)),
    ];
    assert_eq!(verdicts(&answer), expected);
    assert_eq!(answer["base"], project.git(["rev-parse", "HEAD"]).trim());
    for one in answer["tries"].as_array().unwrap() {
        assert_eq!(
            (&one["a"]["name"], &one["rows"][0]["a"]),
            (&json!("HEAD"), &json!(60.0)),
            "the same base"
        );
        assert_eq!(one["rows"][0]["control"], 1.0);
    }
    assert_eq!(answer["tries"][2]["b"]["name"], "fast.diff + slow.diff");
    assert_eq!(
        project.git(["status", "--porcelain", "--untracked-files=no"]),
        before,
        "the work tree is as it was"
    );
    assert_eq!(std::fs::read_to_string(project.path().join("prog")).unwrap(), PROG);
    let tracked = project.tacho("track --rounds 2 --json").exits(0).json();
    assert_eq!(
        tracked["series"][0]["points"][0]["values"],
        json!([60.0, 60.0]),
        "no series knows of it"
    );
}

/// What the base was built to is built again by its own recipe, and not by that of the diff.
#[test]
fn a_cache_that_was_emptied_is_filled_again() {
    let project = project();
    let first = project.tacho("try slow.diff --rounds 6 --json").exits(0).json();
    std::fs::remove_dir_all(project.cache()).unwrap();
    let again = project.tacho("try slow.diff --rounds 6 --json").exits(0).json();
    assert_eq!(verdicts(&again), verdicts(&first));
}

#[test]
fn the_answer_says_with_and_without() {
    let project = project().wide();
    let head = project.git(["rev-parse", "HEAD"])[..10].to_owned();
    let same = project.tacho("try same.diff --rounds 8").exits(0).stdout;
    assert!(
        same.starts_with(&format!("HEAD with same.diff against HEAD (the revision {head})\n")),
        "{same}"
    );
    assert!(same.contains("  same, within ± 1 %\n") && same.contains("\n1 same\n"), "{same}");
    let slow =
        project.tacho("try slow.diff --rounds 8 --markdown --fail-on slower:5%").exits(1).stdout;
    let (gate, slow) = slow.split_once("\n\n").unwrap();
    assert_eq!(gate, "**1 worse: fails on `slower:5%`: hash · bucket × 4.00**");
    let head = "| benchmark | metric | verdict | ratio | 95 % | HEAD | slow.diff | n |";
    assert!(slow.starts_with(head), "{slow}");
    let fast = project
        .tacho("try fast.diff --rounds 8 --fail-on slower --base main -b hash -m bucket")
        .exits(0);
    // What else the host did meanwhile may stand between both.
    let fast = fast.stdout;
    assert!(fast.contains("  better\n") && fast.contains("\n1 better\n"), "{fast}");
    project.tacho("site pages --quiet").exits(0);
    let pages = std::fs::read_to_string(project.path().join("pages/comparisons.html")).unwrap();
    for text in ["Diffs tried on HEAD", "main with and without fast.diff"] {
        assert!(pages.contains(text), "{text}: {pages}");
    }
    let project = project.file("README", "words\n").commit("words");
    let idle = project
        .file("words.diff", "--- a/README\n+++ b/README\n@@ -1 +1 @@\n-words\n+more words\n");
    let told = idle.tacho("try words.diff").exits(0).stdout;
    assert!(told.ends_with(" built to the same artifacts: they are the same program\n"), "{told}");
}

#[test]
fn a_diff_may_come_from_standard_input() {
    let project = project();
    let told =
        project.tacho_with("try - --rounds 8", &diff("bucket=60", "bucket=45")).exits(0).stdout;
    assert!(
        told.starts_with("HEAD with standard input against HEAD") && told.contains("1 better"),
        "{told}"
    );
    let empty = project.tacho_with("try -", "\n").exits(2).stderr;
    assert!(
        empty.starts_with("error: standard input is empty: there is no patch to try\nhint: "),
        "{empty}"
    );
    let none = project.tacho_with("try -", "hello\n").exits(2).stderr;
    assert_eq!(
        none,
        "error: `standard input` is not a patch: no line says which file it changes (`+++ FILE`)\n"
    );
    let other = diff("step=1", "step=2").replace("-step=1", "-step=9");
    let why = project.tacho_with("try -", &other).exits(2).stderr;
    assert!(why.contains("patch `standard input` does not apply: hunk 1 of `prog`"), "{why}");
}

#[test]
fn several_diffs_have_one_page() {
    let project = project();
    project.tacho("try fast.diff slow.diff --rounds 8").exits(0);
    project.tacho("site pages").exits(0);
    let folder = project.path().join("pages/comparison");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    let page = std::fs::read_to_string(folder.join("1.html")).unwrap();
    for text in [
        "Diffs tried on HEAD",
        ">fast.diff<",
        ">slow.diff<",
        ">fast.diff + slow.diff<",
        ">run</th>",
        ">3</td>",
        ">better</b>",
        ">worse</b>",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[test]
fn what_hinders_a_diff_or_a_verdict_is_said() {
    let project = project();
    let dos = diff("bucket=60", "bucket=45").replace('\n', "\r\n");
    let project = project.file("dos.diff", &dos);
    let told = project.tacho("try dos.diff").exits(2).stderr;
    assert!(told.ends_with("; its lines end with CR LF, and those of `prog` do not\n"), "{told}");
    // Without context git looks for a hunk at the end of the file.
    let project =
        project.file("bare.diff", "--- a/prog\n+++ b/prog\n@@ -3 +3 @@\n-bucket=60\n+bucket=45\n");
    let bare = project.tacho("try bare.diff").exits(2).stderr;
    assert!(bare.contains("hunk 1 of `prog` (`@@ -3 +3 @@`) has no lines of context"), "{bare}");
    let twice = project.tacho("try fast.diff ./fast.diff").exits(2).stderr;
    assert_eq!(
        twice,
        "error: the patch `./fast.diff` is named twice\nhint: name each patch once: it is tried \
         alone and with all others\n"
    );
    // Where those lines are not in the file, that is why.
    let project =
        project.file("other.diff", "--- a/prog\n+++ b/prog\n@@ -1 +1 @@\n-bucket=61\n+bucket=45\n");
    let other = project.tacho("try other.diff").exits(2).stderr;
    assert!(other.contains("hunk 1 of `prog` (`@@ -1 +1 @@`) finds other lines there"), "{other}");
    let few = project.tacho("try fast.diff -r 2").exits(0).stdout;
    assert!(few.contains("unclear: 1 more round (") && few.contains(") would decide"), "{few}");
    let noisy = project.tacho("try fast.diff -r 2 -m wall").exits(0).stdout;
    assert!(noisy.contains("unclear: an interval of this ratio needs "), "{noisy}");
}

#[test]
fn what_was_0_without_a_diff_passes_no_gate_with_it() {
    let zero = PROG.replace("bucket=60", "bucket=0");
    let raised = diff("bucket=60", "bucket=45").replace("-bucket=60", "-bucket=0");
    let project = Project::repository().file("prog", &zero).commit("empty").plan(PLAN);
    let project = project.file("raised.diff", &raised);
    let told = project.tacho("try raised.diff -r 8 --fail-on slower:5% --json").exits(1).json();
    let row = &told["tries"][0]["rows"][0];
    assert_eq!((&row["verdict"], &row["ratio"]), (&"slower".into(), &Value::Null));
    assert_eq!(
        (&row["more_rounds"], &row["difference_interval"]),
        (&Value::Null, &json!([45.0, 45.0]))
    );
}

#[test]
fn a_page_shows_what_was_with_it_and_without() {
    let project = project();
    project.tacho("try fast.diff --rounds 8").exits(0);
    project.tacho("site pages").exits(0);
    let read =
        |file: &str| std::fs::read_to_string(project.path().join("pages").join(file)).unwrap();
    let page = read("comparison/1.html");
    for text in [
        "HEAD with and without fast.diff",
        ">better</b>",
        "HEAD again",
        "× 0.750",
        "tacho show run:1",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(read("comparisons.html").contains("comparison/1.html"));
    assert!(read("runs.html").contains("comparison/1.html"));
}

#[test]
fn a_diff_that_does_not_apply_or_build_is_told_and_the_others_are_measured() {
    let project = project();
    let told = project.tacho("try other.diff").exits(2).stderr;
    let expected = "error: `other.diff` cannot be compared: patch `other.diff` does not apply: \
                    hunk 1 of `prog` (`@@ -4,3 +4,3 @@`) finds other lines there\n";
    assert!(told.ends_with(expected), "{told}");
    let answer = project.tacho("try fast.diff broken.diff --rounds 8 --json").exits(2).json();
    let tries = &answer["tries"];
    assert_eq!(
        (&tries[0]["rows"][0]["verdict"], &tries[0]["not_built"]),
        (&json!("faster"), &json!(null))
    );
    for broken in [&tries[1], &tries[2]] {
        let why = broken["not_built"].as_str().unwrap();
        assert!(why.starts_with("exit status 2"), "{why}");
        assert_eq!(broken["rows"], json!([]));
    }
    let project = project.file("prog", "if\n").commit("broken");
    let base = project.tacho("try fast.diff").exits(2).stderr;
    assert!(base.contains(" does not build: exit status 2"), "{base}");
}

#[test]
fn what_is_no_diff_and_no_base_is_said_before_anything_is_built() {
    let project = project();
    let said = |arguments: &str| {
        let stderr = project.tacho(&format!("try {arguments}")).exits(2).stderr;
        assert!(!project.cache().exists());
        stderr
    };
    assert!(
        said("none.diff").starts_with("error: cannot read `none.diff`: No such file"),
        "a missing file"
    );
    assert_eq!(
        said("HEAD fast.diff"),
        "error: `HEAD` is a revision, not a patch\n\
         hint: `--base` takes the revision: `tacho try x.patch --base HEAD`\n"
    );
    assert!(
        said("fast.diff --base v9").starts_with("error: unknown revision `v9`"),
        "a wrong name"
    );
    assert!(
        said("fast.diff -b hsh").starts_with("error: unknown benchmark `hsh`"),
        "a wrong benchmark"
    );
    assert!(
        said("fast.diff --margin x").starts_with("error: `--margin x` is not a share "),
        "a wrong margin"
    );
    assert_eq!(
        said(""),
        "error: no patch is given\n\
         hint: `git diff HEAD | tacho try -` measures the edits that are not committed\n"
    );
    assert_eq!(
        said("prog"),
        "error: `prog` is not a patch: no line says which file it changes (`+++ FILE`)\n"
    );
}

#[test]
fn edits_that_are_not_committed_are_named_and_can_be_tried() {
    let project = project().file("prog", &PROG.replace("step=1", "step=4"));
    let note = "note: 1 file is edited and not committed: builds use committed files only; \
                commands that read files of the plan's folder read the edited ones\nhint: `git \
                diff HEAD | tacho try -` measures the edits against `HEAD`\n";
    for arguments in ["track HEAD", "compare HEAD HEAD", "try fast.diff --rounds 3"] {
        let stderr = project.tacho(arguments).stderr;
        assert_eq!(stderr.matches(note).count(), 1, "{arguments}: {stderr}");
    }
    for arguments in ["compare HEAD~0 HEAD --markdown", "try fast.diff --rounds 3 --markdown"] {
        let markdown = project.tacho(arguments).stdout;
        assert_eq!(markdown.matches("not committed").count(), 1, "{markdown}");
    }
    let diff = project.git(["diff", "HEAD"]);
    let answer = project.tacho_with("try - --rounds 8 --json", &diff).exits(0);
    assert!(!answer.stderr.contains("not committed"), "these are tried: {}", answer.stderr);
    assert_eq!(answer.json()["tries"][0]["rows"][0]["b"], 240.0);
    let project = project.commit("four times");
    let stderr = project.tacho("track HEAD~1").stderr;
    assert!(!stderr.contains("not committed"), "nothing is edited: {stderr}");
}
