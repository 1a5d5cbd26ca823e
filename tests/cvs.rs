//! A subject in CVS, with a real `cvs`: three years of commits, stepped through by the week.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use jiff::Timestamp;
use serde_json::Value;

use crate::harness::{Answer, Project, WORK, done, noise};

/// Every eighth week there are three commits: on Monday, Wednesday and Friday; 63 in three years.
const WEEKS: u32 = 21;
const EACH: u32 = 3;

/// The first of these weeks in which the tool is needed.
const TOOL_SINCE: u32 = 7;

/// The weeks in which it does not build.
const BROKEN: std::ops::Range<u32> = 10..13;

/// The weeks in the middle of which something got slower; the second while it did not build.
const SLOWER: [u32; 2] = [5, 11];

/// A Monday.
const BEGIN: i64 = 1_451_901_600;
const DAY: i64 = 86_400;

const SUBJECT: &str = r#"
[subject]
name = "prog"
repository = "cvsroot"
vcs = "cvs"
module = "src/prog"
build = "sh build.sh"
artifacts = ["prog"]
"#;

/// What the program is made with: it must be made itself, once, from the source of the week from
/// which on it is needed.
const TOOL: &str = r#"
[[quirk]]
name = "tool"
why = "from here on it is made by gen 2"
from = "2017-01-30"
once = true
build = "cp gen.in $TACHO_STATE/gen"
"#;

/// What mends the weeks in which it does not build.
const COMPAT: &str = r#"
[[quirk]]
name = "compat"
why = "compat.h was committed three weeks late"
from = "2017-07-17"
before = "2018-01-01"
before-build = "echo made > compat.h"
"#;

/// When a commit was made, in seconds since 1970.
fn time(commit: u32) -> i64 {
    BEGIN + i64::from(commit / EACH) * 56 * DAY + i64::from(commit % EACH) * 2 * DAY
}

fn written(time: i64) -> String {
    Timestamp::from_second(time).unwrap().to_string()
}

/// What the program prints, with a fixed to and fro of 1 %.
fn level(commit: u32) -> f64 {
    let steps = SLOWER.into_iter().filter(|week| commit > week * EACH).count();
    noise(commit) * [100.0, 130.0, 160.0][steps]
}

/// From some week on there is a tool between; for some weeks something is missing that only later
/// comes by itself.
fn build(commit: u32) -> &'static str {
    match commit / EACH {
        week if week < TOOL_SINCE => "cp prog.in prog\n",
        week if BROKEN.contains(&week) => {
            "test -e compat.h || { echo 'prog.c:1: error: no compat.h' >&2; exit 1; }\nsh \
             $TACHO_STATE/gen two prog.in > prog\n"
        }
        _ => "sh $TACHO_STATE/gen two prog.in > prog\n",
    }
}

/// The tool's source: before it is needed it cannot do it, and a week later it does not work on
/// this system any more.
fn tool(commit: u32) -> &'static str {
    match commit / EACH {
        week if week < TOOL_SINCE => "test $# = 1 && cat $1\n",
        TOOL_SINCE => "test $1 = two && cat $2 && echo '# by gen 2'\n",
        _ => "echo 'gen: not on this system' >&2\nexit 1\n",
    }
}

/// A revision of a file, oldest first: when, by whom, why, and what it holds.
type Revision = (i64, &'static str, String, String);

/// The file as RCS keeps it (rcsfile(5)): the newest revision whole, each older one as a change to
/// it.
fn rcs(revisions: &[Revision]) -> String {
    let mut text = format!("head\t1.{};\naccess;\nsymbols;\nlocks; strict;\n\n", revisions.len());
    for (place, (time, author, ..)) in revisions.iter().enumerate().rev() {
        let date = Timestamp::from_second(*time).unwrap().strftime("%Y.%m.%d.%H.%M.%S").to_string();
        let next = if place > 0 { format!("1.{place}") } else { String::new() };
        let number = place + 1;
        write!(
            text,
            "\n1.{number}\ndate\t{date};\tauthor {author};\tstate Exp;\nbranches;\nnext\t{next};\n"
        )
        .unwrap();
    }
    text += "\n\ndesc\n@@\n";
    for (place, (.., message, content)) in revisions.iter().enumerate().rev() {
        let change = match revisions.get(place + 1) {
            None => content.clone(),
            Some((.., newer)) => {
                let old = newer.lines().count();
                format!("d1 {old}\na{old} {}\n{content}", content.lines().count())
            }
        };
        write!(text, "\n\n1.{}\nlog\n@{message}\n@\ntext\n@{change}@\n", place + 1).unwrap();
    }
    text
}

/// A project whose subject is in CVS: each commit changes the program, some the tool or the way it
/// is built, a second or so later.
fn project() -> Project {
    let mut program: Vec<Revision> = Vec::new();
    let mut others: [Vec<Revision>; 2] = Default::default();
    for commit in 0..WEEKS * EACH {
        let message =
            format!("change {commit}\n----------------------------\nwith all that belongs to it");
        let content = format!("echo work {:.4}\n# $Id$\n", level(commit));
        program.push((time(commit), "ann", message.clone(), content));
        for (after, (file, content)) in
            (1..).zip(others.iter_mut().zip([tool(commit), build(commit)]))
        {
            if file.last().is_none_or(|(.., last)| last != content) {
                file.push((time(commit) + after, "ann", message.clone(), content.to_owned()));
            }
        }
    }
    let project = Project::empty().with_sleepless_cvs().plan(&format!("{SUBJECT}{WORK}{TOOL}"));
    let root = project.path().join("cvsroot");
    done(Command::new("cvs").arg("-d").arg(&root).arg("init"));
    std::fs::create_dir_all(root.join("src/prog")).unwrap();
    let [tool, way] = others;
    for (name, revisions) in [("prog.in", program), ("gen.in", tool), ("build.sh", way)] {
        std::fs::write(root.join("src/prog").join(format!("{name},v")), rcs(&revisions)).unwrap();
    }
    project
}

fn json(project: &Project, arguments: &str) -> Value {
    project.tacho(arguments).exits(0).json()
}

/// The only change that begins between these commits.
fn change(project: &Project, from: u32, to: u32) -> Value {
    // Something got worse.
    let listing = project.tacho("changes --json").exits(1).json();
    let events = listing["events"].as_array().unwrap();
    let changes = events.iter().flat_map(|event| event["changes"].as_array().unwrap());
    let (from, to) = (written(time(from)), written(time(to) + 2));
    let inside = |change: &&Value| {
        let revision = &change["revision"].as_str().unwrap()[..20];
        *from <= *revision && *revision <= *to
    };
    let found: Vec<&Value> = changes.filter(inside).collect();
    assert_eq!(found.len(), 1, "{listing:#}");
    found[0].clone()
}

/// Whether the change begins with this commit.
fn starts(change: &Value, commit: u32) -> bool {
    change["revision"].as_str().unwrap().starts_with(&written(time(commit)))
}

/// The commits that it may be of.
fn commits(project: &Project, change: &Value) -> Vec<Value> {
    let shown = json(project, &format!("changes show {} --json", change["name"].as_str().unwrap()));
    shown["changes"][0]["commits"].as_array().unwrap().clone()
}

#[test]
fn three_years_by_the_week_a_window_that_a_quirk_mends_and_the_commit_in_it() {
    let project = project();
    let tracked = project.tacho("track --every 1w").exits(0);
    assert!(tracked.stderr.contains("prog.c:1: error: no compat.h"), "{}", tracked.stderr);
    let weekly = change(&project, SLOWER[0] * EACH, SLOWER[0] * EACH + 2);
    assert_eq!(commits(&project, &weekly).len(), 3);
    // What does not build is no side of a change: all that lies in the window is suspected.
    let suspects = change(&project, BROKEN.start * EACH, BROKEN.end * EACH + 2);
    assert_eq!(commits(&project, &suspects).len(), 12);

    // With one more quirk all builds, and only the three weeks are new.
    let link = "link = \"https://e.org/{file}.diff?r1={old}&r2={new}\"\nartifacts";
    let subject = SUBJECT.replace("artifacts", link);
    let project = project.plan(&format!("{subject}{WORK}{TOOL}{COMPAT}"));
    let tracked = json(&project, "track --every 1w --json");
    assert_eq!(
        (&tracked["builds"]["built"], &tracked["builds"]["failed"]),
        (&21.into(), &0.into())
    );
    assert_eq!(tracked["samples"], 3 * 2);
    let week = SLOWER[1] * EACH;
    let weekly = change(&project, week, week + 2);
    assert!(starts(&weekly, week + 2), "{weekly:#}");

    let zoom = format!("track --zoom {} --json", weekly["name"].as_str().unwrap());
    let place = &json(&project, &zoom)["survey"]["series"][0]["places"][0];
    assert_eq!((&place["known"], &place["commits"]), (&"pinned".into(), &1.into()), "{place:#}");
    let named = change(&project, week, week + 2);
    assert!(starts(&named, week + 1), "{named:#}");
    let commits = commits(&project, &named);
    let commit = commits.iter().find(|commit| commit["id"] == named["revision"]).unwrap();
    assert_eq!((&commit["subject"], &commit["author"]), (&"change 34".into(), &"ann".into()));
    assert_eq!(commit["files"][0], "prog.in");
    assert_eq!(commit["numbers"]["prog.in"], serde_json::json!(["1.34", "1.35"]));
    let diff = project.tacho(&format!("show {} --diff", written(time(week + 1)))).exits(0).stdout;
    assert!(
        diff.contains("\n--- a/prog.in\t1.34\n+++ b/prog.in\t1.35\n@@ -1,2 +1,2 @@\n-echo work "),
        "{diff}"
    );

    // A date is its first moment everywhere: the last point before its midnight, and no other that
    // is measured on that day.
    let (before, date) = (written(time(week)), &written(time(week + 1))[..10]);
    let shown =
        |name: &str, diff: &str| project.tacho(&format!("show {name}{diff}")).exits(0).stdout;
    assert_eq!(shown(date, ""), shown(&before, ""));
    assert_eq!(shown(date, " --diff"), shown(&before, " --diff"));
    assert!(shown(date, " --diff").contains("\t1.34\n"), "{}", shown(date, " --diff"));
    let planned = project.tacho(&format!("track --dry-run {date}")).exits(0).stdout;
    assert!(planned.contains(&before), "{planned}");
    let range =
        |end: &str| project.tacho(&format!("changes ..{end} --json")).json()["events"].clone();
    assert_eq!(range(date), range(&before));

    looks_like_git(&project);
    is_the_same_alone(&project, &written(time(week + 1)));
}

/// Alone, in another store, it is the same program: the tool is that of its week.
fn is_the_same_alone(project: &Project, revision: &str) {
    let shown = project.tacho(&format!("show {revision}")).succeeds().stdout;
    assert!(shown.contains("\nwith quirks: tool, compat\n"), "{shown}");
    let alone = self::project().plan(&format!("{SUBJECT}{WORK}{TOOL}{COMPAT}"));
    alone.tacho(&format!("track {revision}")).exits(0);
    let artifact = |project: &Project| {
        json(project, &format!("show {revision} --json"))["hosts"][0]["build"]["artifact"].clone()
    };
    assert!(artifact(&alone).is_string());
    assert_eq!(artifact(project), artifact(&alone));
    let (date, before) = (&revision[..10], written(time(SLOWER[1] * EACH)));
    assert_eq!(
        alone.tacho(&format!("show {date}")).exits(2).stderr,
        format!(
            "error: `{date}` is {before}, which is not measured yet\nhint: `tacho track {before}` \
             measures it\n"
        )
    );
}

/// Every other command takes such a revision like any other.
fn looks_like_git(project: &Project) {
    let last = written(time(WEEKS * EACH - 1));
    let shown = project.tacho(&format!("show {last}")).succeeds().stdout;
    let head: Vec<&str> = shown.lines().take(4).collect();
    assert_snapshot!(head.join("\n"), @r#"
    revision 2019-02-01T10:00:00Z-625fa8c92c
      2019-02-01  ann
      change 62
      prog.in 1.62 to 1.63
    "#);
    project.tacho("show HEAD").succeeds();
    project.tacho("log").succeeds();
    project.tacho("site pages").exits(0);
    let page =
        |entry: std::io::Result<std::fs::DirEntry>| std::fs::read_to_string(entry.unwrap().path());
    let mut pages = std::fs::read_dir(project.path().join("pages/revision")).unwrap().map(page);
    let linked = "<a href=\"https://e.org/prog.in.diff?r1=1.62&amp;r2=1.63\"><code>prog.in</code></a><span class=\"note\"> 1.62 to 1.63</span>";
    assert!(pages.any(|page| page.unwrap().contains(linked)));
}

#[test]
fn a_bisection_names_a_commit_across_quirks_and_what_hides_one_without() {
    let project = project().plan(&format!("{SUBJECT}{WORK}{TOOL}{COMPAT}"));
    // From a year in, when the first change is over, to the newest: 44 commits.
    let words = format!("bisect {} HEAD", written(time(18) + 3600));
    let answer = json(&project, &format!("{words} --json"));
    let standing = &answer["standing"];
    let culprit = &standing["culprits"][0];
    assert!(starts(culprit, SLOWER[1] * EACH + 1), "{standing:#}");
    assert!(culprit["parent"].as_str().unwrap().starts_with(&written(time(SLOWER[1] * EACH))));
    let candidates = answer["candidates"].as_array().unwrap();
    assert_eq!((candidates.len(), standing["unusable"].as_array().unwrap().len()), (45, 0));
    assert!(standing["builds"].as_u64().unwrap() <= 6 + 4, "{standing:#}");
    let text = project.tacho(&format!("{words} --quiet")).exits(0).stdout;
    assert!(text.contains(" change 34\n  by ann\n  changed work of `work` by +23."), "{text}");
    let markdown = project.tacho("bisect log --markdown").succeeds().stdout;
    let command = markdown.rsplit_once("`tacho ").unwrap().1.trim_end().trim_end_matches("`.");
    assert_eq!(json(&project, &format!("{command} --json"))["run"], answer["run"], "{command}");

    // Without what mends it, a window of nine commits hides which one it was.
    let project = self::project().plan(&format!("{SUBJECT}{WORK}{TOOL}"));
    let text = project.tacho(&format!("{words} --quiet --revert")).exits(0);
    assert!(text.stdout.contains(" change 39\n"), "{}", text.stdout);
    assert!(text.stdout.contains("or one of the 9 commits before it that could not be measured"));
    assert!(
        text.stdout.contains("not built: exit status 1: prog.c:1: error: no compat.h"),
        "{}",
        text.stdout
    );
    assert!(
        text.stderr.contains("note: only a commit of git can be reverted\n"),
        "{}",
        text.stderr
    );
    let unknown = project.tacho("bisect HEAD~5 HEAD").exits(2).stderr;
    assert!(
        unknown.starts_with("error: unknown revision `HEAD~5`\nhint: a revision of CVS is a time"),
        "{unknown}"
    );
}

#[test]
fn what_is_requested_in_vain() {
    let project = project();
    let refused = |arguments: &str| project.tacho(arguments).exits(2).steady_stderr();
    assert_snapshot!(refused("track 2016-01-12..2016-01-13"), @r#"
    error: the range `2016-01-12..2016-01-13` is empty: both are the same revision
    hint: to measure one revision, name only that one
    "#);
    assert_snapshot!(refused("track 2010-01-01.."), @r#"
    error: there was no commit yet at `2010-01-01`: the first one is of 2016-01-04T10:00:02Z
    hint: a range without a start, such as `..HEAD`, begins with the first commit
    "#);
    assert_snapshot!(refused("track HEAD~2"), @r#"
    error: unknown revision `HEAD~2`
    hint: a revision of CVS is a time (`2016-07-13`, `2016-07-13T12:30:42Z`), a tag, or `HEAD`
    "#);
    let with = |from: &str, to: &str| {
        let project = Project::empty().plan(&(SUBJECT.replace(from, to) + WORK));
        project.tacho("track --dry-run").exits(2).steady_stderr()
    };
    assert_snapshot!(with("\"cvsroot\"", "\"nowhere\""), @r#"
    error: `<folder>/nowhere` is not a CVS repository
    hint: with `vcs = "cvs"`, `repository` is the folder that holds `CVSROOT`
    "#);
    assert_snapshot!(with("module = \"src/prog\"\n", ""), @r#"
    error: `vcs = "cvs"` needs the key `module`
     --> tacho.toml:5:1
      |
    5 | vcs = "cvs"
      | ^^^
      |
    hint: the folder in the repository that holds the subject
    "#);
    assert_snapshot!(with("vcs = \"cvs\"\n", ""), @r#"
    error: `module` needs `vcs = "cvs"`
     --> tacho.toml:5:1
      |
    5 | module = "src/prog"
      | ^^^^^^
      |
    hint: the key is for CVS repositories only
    "#);
    let porg =
        project.plan(&(SUBJECT.replace("src/prog", "src/porg") + WORK)).tacho("track").exits(2);
    assert_snapshot!(porg.steady_stderr(), @r#"
    error: unknown module `src/porg` in `<folder>/cvsroot`
    hint: `module` is a folder in the repository, such as `src/sys`
    "#);
}

#[test]
fn without_cvs_it_says_what_to_install() {
    let project = project();
    let mut command = project.command(["track"]);
    command.env("PATH", Path::new("/nowhere"));
    let answer = Answer::of(&command.output().unwrap()).exits(2);
    assert_snapshot!(answer.steady_stderr(), @r#"
    error: cannot execute `cvs`: No such file or directory
    hint: install `cvs`: tacho executes it
    "#);
}

#[test]
fn a_dry_run_names_times() {
    let project = project();
    let dry = project.tacho("track --dry-run --every 1y").succeeds();
    assert_snapshot!(dry.stdout, @r#"
    revision              date        subject
    2016-12-09T10:00:00Z  2016-12-09  change 20
    2017-11-10T10:00:00Z  2017-11-10  change 38
    2018-12-07T10:00:00Z  2018-12-07  change 59
    2019-02-01T10:00:00Z  2019-02-01  change 62

    would build 4 revisions and execute 1 benchmark in 2 rounds: at most 8 missing
      executions
    "#);
}
