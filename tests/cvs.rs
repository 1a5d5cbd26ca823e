//! A subject in CVS, with a real `cvs`: three years of commits, stepped through by the week.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;
use jiff::Timestamp;
use serde_json::Value;

use crate::harness::{Answer, Project, done};

/// Every sixth week there are three commits: on Monday, Wednesday and Friday.
const WEEKS: u32 = 27;
const EACH: u32 = 3;

/// A Monday.
const BEGIN: i64 = 1_451_901_600;
const DAY: i64 = 86_400;

const PLAN: &str = r#"
[subject]
name = "prog"
repository = "cvsroot"
vcs = "cvs"
module = "src/prog"
build = "sh build.sh"
artifacts = ["prog"]

[measure]
rounds = 2
warmup = false

[[benchmark]]
name = "work"
command = "sh {build}/prog"
metrics = [{ name = "work", from = "regex:work ([0-9.]+)" }]
"#;

/// When a commit was made, in seconds since 1970.
fn time(commit: u32) -> i64 {
    BEGIN + i64::from(commit / EACH) * 42 * DAY + i64::from(commit % EACH) * 2 * DAY
}

fn written(time: i64) -> String {
    Timestamp::from_second(time).unwrap().to_string()
}

/// What the program prints: a third more from the second commit of the ninth week on, and again in the middle of the time
/// in which it does not build. There is a fixed to and fro of 1 %.
fn level(commit: u32) -> f64 {
    let noise = 1.0 + 0.01 * (f64::from((commit * 7919) % 101) / 101.0 - 0.5);
    noise
        * if commit < 8 * EACH + 1 {
            100.0
        } else if commit < 14 * EACH + 1 {
            130.0
        } else {
            160.0
        }
}

/// Three weeks long something is missing that only later comes by itself.
fn build(commit: u32) -> &'static str {
    match commit / EACH {
        0..13 => "cp prog.in prog\n",
        13..16 => {
            "test -e compat.h || { echo 'prog.c:1: error: no compat.h' >&2; exit 1; }\ncp prog.in prog\n"
        }
        _ => "echo new > /dev/null; cp prog.in prog\n",
    }
}

/// A revision of a file, oldest first: when, by whom, why, and what it holds.
type Revision = (i64, &'static str, String, String);

/// The file as RCS keeps it (rcsfile(5)): the newest revision whole, each older one as a change to it.
fn rcs(revisions: &[Revision]) -> String {
    let mut text = format!("head\t1.{};\naccess;\nsymbols;\nlocks; strict;\n\n", revisions.len());
    for (place, (time, author, ..)) in revisions.iter().enumerate().rev() {
        let date = Timestamp::from_second(*time).unwrap().strftime("%Y.%m.%d.%H.%M.%S").to_string();
        let next = if place > 0 { format!("1.{place}") } else { String::new() };
        let number = place + 1;
        write!(text, "\n1.{number}\ndate\t{date};\tauthor {author};\tstate Exp;\nbranches;\nnext\t{next};\n")
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

/// A project whose subject is in CVS: each commit changes the program, some the way it is built, a second or so later.
fn project() -> Project {
    let (mut program, mut way, mut last): (Vec<Revision>, Vec<Revision>, &str) = (Vec::new(), Vec::new(), "");
    for commit in 0..WEEKS * EACH {
        let message = format!("change {commit}\n----------------------------\nwith all that belongs to it");
        let content = format!("echo work {:.4}\n# $Id$\n", level(commit));
        program.push((time(commit), "ann", message.clone(), content));
        if build(commit) != last {
            last = build(commit);
            way.push((time(commit) + 2, "ann", message, last.to_owned()));
        }
    }
    let project = Project::empty().plan(PLAN);
    let root = project.path().join("cvsroot");
    done(Command::new("cvs").arg("-d").arg(&root).arg("init"));
    std::fs::create_dir_all(root.join("src/prog")).unwrap();
    std::fs::write(root.join("src/prog/prog.in,v"), rcs(&program)).unwrap();
    std::fs::write(root.join("src/prog/build.sh,v"), rcs(&way)).unwrap();
    project
}

fn json(project: &Project, arguments: &str) -> Value {
    project.tacho(arguments).exits(0).json()
}

/// The only change that begins between these times.
fn change(project: &Project, from: i64, to: i64) -> Value {
    // Something got worse.
    let listing = project.tacho("changes --json").exits(1).json();
    let events = listing["events"].as_array().unwrap();
    let changes = events.iter().flat_map(|event| event["changes"].as_array().unwrap());
    let (from, to) = (written(from), written(to));
    let inside = |change: &&Value| {
        let revision = &change["revision"].as_str().unwrap()[..20];
        *from <= *revision && *revision <= *to
    };
    let found: Vec<&Value> = changes.filter(inside).collect();
    assert_eq!(found.len(), 1, "{listing:#}");
    found[0].clone()
}

#[test]
fn three_years_by_the_week_and_then_one_week_by_the_commit() {
    let project = project();
    let tracked = json(&project, "track --every 1w --json");
    assert_eq!(tracked["builds"]["built"], 24);
    assert_eq!(tracked["builds"]["failed"], 3);
    let again = project.tacho("track --every 1w").exits(0);
    assert!(again.stdout.contains("nothing was missing"), "{}", again.stdout);
    assert!(again.stderr.contains("prog.c:1: error: no compat.h"), "{}", again.stderr);

    let (week, window) = (8 * EACH, 13 * EACH);
    let found = change(&project, time(week), time(week + 2));
    assert!(found["revision"].as_str().unwrap().starts_with(&written(time(week + 2))));
    let name = found["name"].as_str().unwrap();
    let shown = json(&project, &format!("changes show {name} --json"));
    assert_eq!(shown["changes"][0]["commits"].as_array().unwrap().len(), 3);

    // What does not build is no side of a change: all that lies in the window is suspected.
    let suspects = change(&project, time(window), time(16 * EACH + 2));
    let between = json(&project, &format!("changes show {} --json", suspects["name"].as_str().unwrap()));
    assert_eq!(between["changes"][0]["commits"].as_array().unwrap().len(), 12);

    let range = format!("{}..{}", written(time(week - 1)), written(time(week + 2)));
    project.tacho(&format!("track {range}")).succeeds();
    let named = change(&project, time(week), time(week + 2));
    let shown = json(&project, &format!("changes show {} --json", named["name"].as_str().unwrap()));
    let commits = shown["changes"][0]["commits"].as_array().unwrap();
    let commit = commits.iter().find(|commit| commit["id"] == named["revision"]).unwrap();
    assert_eq!((&commit["subject"], &commit["files"][0]), (&"change 25".into(), &"prog.in".into()));
    assert_eq!(commit["author"], "ann");
    // Nothing is built twice, nor measured.
    assert_eq!(json(&project, &format!("track {range} --json"))["samples"], 0);
    looks_like_git(&project);
}

/// What mends the three weeks in which it does not build: the file, which from their beginning on is made by a tool that is
/// built once, from the source of a week before.
const MENDED: &str = r#"
[[quirk]]
name = "tool"
why = "what makes compat.h is no longer in the source"
from = "2017-06-28"
once = true
build = "echo 'echo made > compat.h' > $TACHO_STATE/tool"

[[quirk]]
name = "compat"
why = "compat.h was committed three weeks late"
from = "2017-07-03"
before = "2017-11-06"
before-build = "sh $TACHO_STATE/tool"
"#;

#[test]
fn a_change_while_it_did_not_build_is_named_once_a_quirk_mends_it() {
    let project = project().plan(&format!("{PLAN}{MENDED}"));
    let tracked = json(&project, "track --every 1w --json");
    assert_eq!((&tracked["builds"]["built"], &tracked["builds"]["failed"]), (&27.into(), &0.into()));

    let week = 14 * EACH;
    let (before, last) = (written(time(week - 1)), written(time(week + 2)));
    project.tacho(&format!("track {before}..{last}")).exits(0);
    let found = change(&project, time(week), time(week + 2));
    assert!(found["revision"].as_str().unwrap().starts_with(&written(time(week + 1))), "{found:#}");
    let shown = project.tacho(&format!("show {}", written(time(week + 1)))).exits(0).stdout;
    assert!(shown.contains("compat") && shown.contains("tool"), "{shown}");

    // Alone, and in another store, it has the same tool.
    let alone = self::project().plan(&format!("{PLAN}{MENDED}"));
    assert_eq!(json(&alone, &format!("track {last} --json"))["builds"]["built"], 1);
}

/// Every other command takes such a revision like any other.
fn looks_like_git(project: &Project) {
    let last = written(time(WEEKS * EACH - 1));
    let shown = project.tacho(&format!("show {last}")).succeeds().stdout;
    let head: Vec<&str> = shown.lines().take(3).collect();
    assert_snapshot!(head.join("\n"), @r#"
    revision 2019-01-04T10:00:00Z-30aea5b1cb
      2019-01-04  ann
      change 80
    "#);
    project.tacho("show HEAD").succeeds();
    project.tacho("log").succeeds();
    project.tacho("site pages").exits(0);
    let pages = std::fs::read_dir(project.path().join("pages/revision")).unwrap().count();
    assert!(pages > 0);
}

#[test]
fn what_is_asked_for_in_vain() {
    let project = project();
    let refused = |arguments: &str| project.tacho(arguments).exits(2).steady_stderr();
    assert_snapshot!(refused("track 2016-01-12..2016-01-13"), @r#"
    error: `2016-01-12..2016-01-13` is empty: both are the same revision
    hint: a revision named alone is measured alone
    "#);
    assert_snapshot!(refused("track 2010-01-01.."), @r#"
    error: at `2010-01-01` there was nothing yet: the first commit is of 2016-01-04T10:00:02Z
    hint: a range without a start, as `..HEAD`, begins with it
    "#);
    assert_snapshot!(refused("track HEAD~2"), @r#"
    error: unknown revision `HEAD~2`
    hint: a revision of CVS is a time (`2016-07-13`, `2016-07-13T12:30:42Z`), a tag, or `HEAD`
    "#);
    let with = |from: &str, to: &str| {
        let project = Project::empty().plan(&PLAN.replace(from, to));
        project.tacho("track --dry-run").exits(2).steady_stderr()
    };
    assert_snapshot!(with("\"cvsroot\"", "\"nowhere\""), @r#"
    error: `<folder>/nowhere` is not a CVS repository
    hint: with `vcs = "cvs"`, `repository` is the folder that holds `CVSROOT`
    "#);
    assert_snapshot!(with("module = \"src/prog\"\n", ""), @r#"
    error: `vcs = "cvs"` without a `module`
     --> tacho.toml:5:1
      |
    5 | vcs = "cvs"
      | ^^^
      |
    hint: the folder in the repository that holds the subject
    "#);
    assert_snapshot!(with("vcs = \"cvs\"\n", ""), @r#"
    error: `module` without `vcs = "cvs"`
     --> tacho.toml:5:1
      |
    5 | module = "src/prog"
      | ^^^^^^
      |
    hint: it says what to get of a CVS repository; git has nothing like it here
    "#);
    let porg = project.plan(&PLAN.replace("src/prog", "src/porg")).tacho("track").exits(2);
    assert_snapshot!(porg.steady_stderr(), @r#"
    error: there is no module `src/porg` in `<folder>/cvsroot`
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
    error: cannot execute `cvs`: No such file or directory (os error 2)
    hint: install cvs; it is called as a program
    "#);
}

#[test]
fn a_dry_run_names_times() {
    let project = project();
    let dry = project.tacho("track --dry-run --every 1y").succeeds();
    assert_snapshot!(dry.stdout, @r#"
    revision              date        subject
    2016-12-09T10:00:00Z  2016-12-09  change 26
    2017-12-22T10:00:00Z  2017-12-22  change 53
    2018-12-31T10:00:00Z  2018-12-31  change 78
    2019-01-04T10:00:00Z  2019-01-04  change 80

    would build 4 revisions and execute 1 benchmark in 2 rounds, as far as they are not measured yet: at the most 8 executions
    "#);
}
