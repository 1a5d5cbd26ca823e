//! Which commit did it: real repositories, in which a program changes at a planted commit.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use insta::assert_snapshot;

use crate::harness::{Answer, Project};
use crate::resume::KILLER;

/// The number that the program prints is what is bisected: it has no noise.
pub const PLAN: &str = r#"
[subject]
artifacts = ["prog"]
paths = ["prog", "Makefile"]

[[benchmark]]
name = "work"
command = "sh {build}/prog"
metrics = [{ name = "work", from = 'regex:work ([0-9.]+)' }, "cpu"]
"#;

/// So many commits, each with a program that prints what `work` says of it, counted from 0.
pub fn history(commits: u32, work: impl Fn(u32) -> String) -> Project {
    let commit = |n| (format!("{} # {n}\n", work(n)), format!("change {n}"));
    Project::repository().commits("prog", (0..commits).map(commit)).plan(PLAN)
}

/// 100, and 130 from that commit on.
pub fn step(commits: u32, at: u32) -> Project {
    history(commits, |n| format!("echo work {}", if n < at { 100 } else { 130 }))
}

pub fn id(project: &Project, name: &str) -> String {
    project.git(["rev-parse", name]).trim().to_owned()
}

#[test]
fn the_commit_is_named_and_verified() {
    let project = step(12, 7);
    let answer = project.tacho("bisect HEAD~11 HEAD --seed 1 --quiet").succeeds();
    let text = regex::Regex::new(r"on \S+\n")
        .unwrap()
        .replace(&answer.steady_stdout(), "on <host>\n")
        .into_owned();
    let text =
        regex::Regex::new(r"log [a-z]{6}`").unwrap().replace(&text, "log <name>`").into_owned();
    // On a busy host executions are long enough to tell of others.
    let busy = regex::Regex::new("(?m)  (the host meanwhile|[0-9.]+ (CPU|GHz|°C).*)$").unwrap();
    let text = busy.replace_all(&text, "").into_owned();
    assert_snapshot!(text, @r#"
    0dda7a14c7 2023-11-15 change 7
      by A. Author
      changed work of `work` by <percent>
      over <percent> likely; verified in 1 fresh pair, compared with b9f0ce9990

    whole range 04d0f63dfe..d212f0c56c: <percent>

    revision  date  samples  work
    04d0f63dfe  2023-11-14  3  100
    d8d38180d2  2023-11-15  1  100
    b9f0ce9990  2023-11-15  2  100
    0dda7a14c7  2023-11-15  2  130  ←
    6844264360  2023-11-15  1  130
    d212f0c56c  2023-11-15  2  130

    6 builds in <time>, 11 samples in <time>; run 1 on <host>
    `tacho bisect log <name>` shows each step
    bisect once more, with fresh samples:
      tacho bisect 04d0f63dfe d212f0c56c --benchmark work --metric work \
      --min-effect 2% --again
    "#);
    let again = project.tacho("bisect HEAD~11 HEAD --json").succeeds().json();
    let culprit = &again["standing"]["culprits"][0];
    assert_eq!(culprit["revision"], id(&project, "HEAD~4").as_str());
    assert_eq!(culprit["parent"], id(&project, "HEAD~5").as_str());
    assert_eq!(
        (&again["run"], &again["interrupted"]),
        (&1.into(), &false.into()),
        "answered from what is kept"
    );
    assert!(
        again["standing"]["samples"].as_u64().unwrap() < 40,
        "a number without noise takes few samples"
    );
    assert_eq!(project.places(), Vec::<String>::new(), "what is measured is no part of any series");
}

#[test]
fn a_dry_run_says_what_it_would_take_and_does_nothing() {
    let project = step(12, 7).file("doc", "words\n").commit("words");
    let answer = project.tacho("bisect HEAD~12 HEAD --dry-run").succeeds();
    assert_snapshot!(answer.stdout, @r#"
    which of 12 commits changed work of `work` by 2 % or more?
    expected: about 8 builds; 20 samples, or 150 and more if values vary much; fewer
      where commits give the same program
    the time is known after the first build
    "#);
    let json = project.tacho("bisect HEAD~12 HEAD --dry-run --json").succeeds().json();
    assert_eq!((&json["builds"], &json["takes"]), (&8.into(), &serde_json::Value::Null));
    assert_eq!(json["revisions"].as_array().unwrap().len(), 13);
    assert_eq!(json["asked"]["least"], 0.02);
    assert!(!project.path().join(".tacho").exists() && !project.cache().exists());
    project.tacho("bisect HEAD~12 HEAD --quiet").succeeds();
    let kept = project.tacho("bisect HEAD~12 HEAD --dry-run").succeeds().stdout;
    assert_eq!(kept, "an answer is kept, so nothing is executed: `--again` bisects again\n");
    let json = project.tacho("bisect HEAD~12 HEAD --dry-run --json").succeeds().json();
    assert_eq!((&json["answered"], &json["takes"]), (&true.into(), &serde_json::json!([0.0, 0.0])));
    let again = project.tacho("bisect HEAD~12 HEAD --dry-run --again").succeeds().stdout;
    assert!(again.contains("\nexpected: about 8 builds, 4 made before; "), "{again}");
}

/// Commits that are known to be one program cost no builds and no samples, which is said before.
#[test]
fn a_dry_run_counts_programs_and_not_commits() {
    let mut project = history(1, |_| "echo work 100".to_owned());
    for n in 1..=20 {
        let prog = if n < 12 { "echo work 100\n" } else { "echo work 130\n" };
        project = project.file("prog", prog).file("Makefile", &format!("# {n}\n")).commit("more");
    }
    let done = project.tacho("bisect HEAD~19 HEAD --json").succeeds().json();
    let again = project.tacho("bisect HEAD~19 HEAD --dry-run --again --json").succeeds().json();
    assert_eq!((&again["programs"], &again["builds"]), (&2.into(), &2.into()));
    assert_eq!((&again["built"], &again["may_be_fewer"]), (&2.into(), &false.into()));
    let samples = done["standing"]["samples"].as_f64().unwrap();
    let said = again["samples"][1].as_f64().unwrap();
    assert!((samples - said).abs() <= 1.0, "{samples} {said}");
    let text = project.tacho("bisect HEAD~19 HEAD --dry-run --again").succeeds().stdout;
    assert!(text.starts_with("which of 19 commits (18 are the same program as the one before) "));
    assert!(text.contains("expected: about 2 builds, all made before; about 6 samples"), "{text}");
}

#[test]
fn a_range_names_both_ends() {
    let project = step(4, 2);
    let answer = project.tacho("bisect HEAD~3..HEAD~1 --json").succeeds().json();
    assert_eq!(
        (&answer["asked"]["good"], &answer["asked"]["bad"]),
        (&"HEAD~3".into(), &"HEAD~1".into())
    );
    let newest = project.tacho("bisect HEAD~3.. --json").succeeds().json();
    assert_eq!(
        (&newest["asked"]["bad"], newest["candidates"].as_array().unwrap().len()),
        (&"HEAD".into(), 4)
    );
}

/// Nine commits that touch no path of the plan, one that changes the program, and one more that
/// touches none.
fn words_and_a_change() -> Project {
    let mut project = history(1, |_| "echo work 100".to_owned());
    for n in 1..=9 {
        project = project.file("doc", &format!("{n}\n")).commit(&format!("words {n}"));
    }
    project.file("prog", "echo work 130\n").commit("change").file("doc", "x\n").commit("words")
}

#[test]
fn commits_that_touch_no_path_are_left_out_until_the_one_after_them_is_named() {
    let project = words_and_a_change();
    let dry = project.tacho("bisect HEAD~11 HEAD --dry-run").succeeds().stdout;
    assert!(
        dry.starts_with("which of 2 commits (9 more touch none of the plan's paths) changed "),
        "{dry}"
    );
    let answer = project.tacho("bisect HEAD~11 HEAD --json").succeeds().json();
    let standing = &answer["standing"];
    assert_eq!(standing["culprits"][0]["revision"], id(&project, "HEAD~1").as_str());
    assert_eq!(standing["culprits"][0]["parent"], id(&project, "HEAD~2").as_str());
    // The nine are one program with the first, so that the last of them needs a build and nothing
    // else.
    assert_eq!((&standing["builds"], &standing["ladder"][0]["same_to"]), (&4.into(), &9.into()));
    assert_eq!(standing["suspects"].as_array().unwrap().len(), 0);
    let text = project.tacho("bisect HEAD~11 HEAD").exits(0).stdout;
    assert!(
        !text.contains("touch none") && text.contains(", 9 commits later: the same program again"),
        "{text}"
    );
    let replayed = project.tacho("bisect log --replay").succeeds().stdout;
    assert!(replayed.contains(" (9 of 11): built in "), "{replayed}");
}

#[test]
fn where_no_more_may_be_built_those_left_out_may_be_it() {
    let project = words_and_a_change();
    let answer = project.tacho("bisect HEAD~11 HEAD --max-builds 3 --json").succeeds().json();
    let left_out: Vec<u64> = answer["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["left_out"].as_u64().unwrap())
        .collect();
    assert_eq!(left_out, [0, 9, 0]);
    assert_eq!(answer["candidates"][1]["before"][8]["id"], id(&project, "HEAD~2").as_str());
    let suspects = &answer["standing"]["suspects"];
    assert_eq!((&suspects[0]["first"], &suspects[0]["last"]), (&1.into(), &1.into()));
    let others = "or one of the 9 commits before it that touch none of the plan's paths";
    let parent = &id(&project, "HEAD~11")[..10];
    let text = project.tacho("bisect HEAD~11 HEAD --max-builds 3").exits(0).stdout;
    assert!(text.contains(&format!(" change\n  by A. Author\n  {others}\n")), "{text}");
    assert!(text.contains(" likely that it is one of these; verified in "), "{text}");
    let hint = "hint: with a larger `--max-builds`, the same command searches the commits \
        before this one\n";
    assert!(text.contains(hint), "{text}");
    let markdown = project.tacho("bisect log --markdown").exits(0).stdout;
    assert!(
        markdown.contains(others) && markdown.contains(&format!(" with {parent}\n")),
        "{markdown}"
    );
    let more = project.tacho("bisect HEAD~11 HEAD --quiet").exits(0).stdout;
    assert!(!more.contains(others) && more.contains("\n4 builds in "), "{more}");
}

#[test]
fn a_commit_that_touches_no_path_may_have_done_it() {
    let project = step(4, 2).plan(&PLAN.replace("\"prog\", \"Makefile\"]", "\"pogr\"]"));
    let answer = project.tacho("bisect HEAD~3 HEAD --quiet").exits(0);
    let warned = "warning: no commit of the range touches the plan's `paths` (`pogr`)";
    assert!(answer.stderr.contains(warned), "{}", answer.stderr);
    let told = " change 2\n  by A. Author\n  although it touches none of the plan's paths\n";
    assert!(answer.stdout.contains(told), "{}", answer.stdout);
    let markdown = project.tacho("bisect log --markdown").exits(0).stdout;
    assert!(markdown.contains("although it touches none of the plan's paths\n"), "{markdown}");
}

#[test]
fn ends_that_share_no_history_are_a_mistake() {
    let project = step(2, 1);
    project.git(["checkout", "--quiet", "--orphan", "other"]);
    let project = project.file("prog", "echo work 90\n").commit("another root");
    for ends in ["main other", "other main"] {
        let answer = project.tacho(&format!("bisect {ends}")).exits(2);
        assert!(answer.stderr.contains(" share no history\n"), "{}", answer.stderr);
    }
}

#[test]
fn the_ends_may_be_exchanged() {
    let project = step(10, 4);
    let answer = project.tacho("bisect HEAD HEAD~9 --quiet").exits(0);
    assert_eq!(
        answer.stderr,
        "note: GOOD (`HEAD`) is later than BAD (`HEAD~9`): the ends are swapped; which end is \
         better is measured\n"
    );
    assert!(answer.stdout.contains("change 4"), "{}", answer.stdout);
    assert!(answer.stdout.contains("the better end is HEAD~9"), "{}", answer.stdout);
    let project = history(10, |n| format!("echo work {}", if n < 4 { 130 } else { 100 }));
    let answer = project.tacho("bisect HEAD HEAD~9 --quiet").exits(0).stdout;
    assert!(answer.contains("\nthe better end is HEAD\n"), "{answer}");
}

#[test]
fn a_commit_that_made_it_better_is_found_too() {
    let project = history(8, |n| format!("echo work {}", if n < 3 { 100 } else { 60 }));
    let answer = project.tacho("bisect HEAD~7 HEAD --quiet").succeeds();
    assert!(
        answer.stdout.contains("change 3") && answer.stdout.contains("−40.0 %"),
        "{}",
        answer.stdout
    );
    assert!(answer.stdout.contains("the better end is HEAD"), "{}", answer.stdout);
}

#[test]
fn where_nothing_changed_that_is_the_answer() {
    let project = step(8, 8);
    let answer = project.tacho("bisect HEAD~7 HEAD --before 100,180 --quiet").exits(3);
    let markdown = project.tacho("bisect log --markdown").exits(3).stdout;
    assert!(
        markdown.contains("\n- the ends were 100 and 180, and are now 100 and 100\n"),
        "{markdown}"
    );
    assert_eq!(
        answer.stdout.lines().take(3).collect::<Vec<_>>(),
        [
            "not reproduced: HEAD~7 and HEAD differ by less than 2 % in work of `work`",
            "  the ends were 100 and 180, and are now 100 and 100",
            "  so the machine, the toolchain or the input changed, not the program",
        ]
    );
}

#[test]
fn all_that_comes_and_goes_between_alike_ends_is_looked_for_on_wish() {
    let project =
        history(60, |n| format!("echo work {}", if (8..51).contains(&n) { 300 } else { 100 }));
    let ends = project.tacho("bisect HEAD~59 HEAD --quiet").exits(3).stdout;
    assert!(ends.contains(" is not seen: use `--all`"), "{ends}");
    let answer = project.tacho("bisect HEAD~59 HEAD --all --quiet").exits(0).stdout;
    assert!(answer.contains(" change 8\n") && answer.contains(" change 51\n"), "{answer}");
    let tests = "! grep -q 300 prog";
    let answer = project
        .command(["bisect", "HEAD~59", "HEAD", "--all", "--quiet", "--test", tests])
        .output();
    let answer = Answer::of(&answer.unwrap()).exits(0).stdout;
    assert!(answer.contains(" change 8\n") && answer.contains(" change 51\n"), "{answer}");
    let nothing = step(32, 99).tacho("bisect HEAD~31 HEAD --all --quiet").exits(3).stdout;
    assert!(
        nothing.contains(
            " nothing changed by 2 % or more; a change that lasted for at most 3 commits"
        ),
        "{nothing}"
    );
}

/// The program of the first commit comes back with the revert: it is measured once, in one row.
#[test]
fn a_program_that_comes_back_with_a_revert_has_one_row() {
    let project = (1..=12).fold(Project::repository().plan(PLAN), |project, commit| {
        let level = if (4..9).contains(&commit) { 300 } else { 100 };
        let project = project.file("prog", &format!("echo work {level}\n"));
        project.file("README", &format!("{commit}\n")).commit(&format!("change {commit}"))
    });
    let answer = project.tacho("bisect HEAD~11 HEAD --all --quiet").exits(0).stdout;
    assert!(answer.contains(" change 4\n") && answer.contains(" change 9\n"), "{answer}");
    assert!(answer.contains(", the same program\n"), "{answer}");
    let known = project.tacho("bisect HEAD~11 HEAD --all --json").exits(0).json();
    let ladder = known["standing"]["ladder"].as_array().unwrap();
    assert_eq!(ladder.len(), 2, "one row for each program: {known}");
    let last = known["candidates"].as_array().unwrap().len() - 1;
    let also = ladder[0]["also"].as_array().unwrap();
    assert_eq!(also.last(), Some(&last.into()), "{known}");
}

#[test]
fn what_cannot_be_measured_is_told() {
    let broken = |n| matches!(n, 5..=7);
    let project = history(16, |n| match n {
        n if broken(n) => "exit 3".to_owned(),
        12 => "echo nothing".to_owned(),
        n => format!("echo work {}", if n < 6 { 100 } else { 130 }),
    });
    let answer = project.tacho("bisect HEAD~15 HEAD --quiet").succeeds();
    assert!(answer.stdout.contains("change 8"), "{}", answer.stdout);
    assert!(answer.stdout.contains("or one of the 3 commits before it that could not be measured"));
    let [first, last] = ["HEAD~10", "HEAD~8"].map(|name| id(&project, name)[..10].to_owned());
    let told = format!("\n3 commits from {first} to {last} failed: exit 3\n");
    assert!(answer.stdout.contains(&told), "{}", answer.stdout);
}

#[test]
fn where_nothing_can_be_built_that_is_told() {
    let project = step(6, 3).plan(&PLAN.replace("artifacts", "build = \"exit 7\"\nartifacts"));
    let answer = project.tacho("bisect HEAD~5 HEAD --quiet").exits(2);
    assert!(
        answer.stdout.starts_with(
            "cannot bisect: neither end could be built, nor any of the 4 other revisions that were \
             tried\nhint: fix the build, or name other ends; `--build true --test 'make -s'` finds "
        ),
        "{}",
        answer.stdout
    );
    assert!(answer.stdout.contains("\n6 commits from "), "{}", answer.stdout);
    assert_eq!(answer.stdout.matches(" not built: ").count(), 1, "{}", answer.stdout);
    let markdown = project.tacho("bisect HEAD~5 HEAD --markdown --quiet").exits(2).stdout;
    assert!(!markdown.contains("one of:") && markdown.contains("- 6 commits from "), "{markdown}");
}

#[test]
fn what_a_crashing_program_printed_last_is_told() {
    let project = history(4, |n| {
        if n == 2 { "echo no such table >&2; exit 3" } else { "echo work 1" }.to_owned()
    });
    let answer = project.tacho("bisect HEAD~1 HEAD --quiet").exits(4);
    assert!(answer.stdout.contains(" failed: exit 3: no such table\n"), "{}", answer.stdout);
    let end = &id(&project, "HEAD~1")[..10];
    let lead =
        format!("undecided: the end {end} could not be measured (failed: exit 3: no such table)\n");
    assert!(answer.stdout.starts_with(&lead), "{}", answer.stdout);
}

#[test]
fn what_fails_alike_at_both_ends_is_tried_at_no_other() {
    let project = step(12, 7);
    let all = ["bisect", "HEAD~11", "HEAD", "--build", "true"];
    let answer = |more: &[&str]| {
        Answer::of(&project.command(all.iter().chain(more).copied()).output().unwrap())
            .exits(2)
            .stdout
    };
    let mistyped = answer(&["--run", "nobody --at-all", "--quiet"]);
    assert!(
        mistyped.starts_with(
            "cannot bisect: both ends fail in the same way, so no other revision was tried\nhint: "
        ),
        "{mistyped}"
    );
    assert!(
        mistyped.contains(" failed: exit 127: ") && mistyped.contains("\n2 builds in "),
        "{mistyped}"
    );
    let command = ["bisect", "HEAD~11", "HEAD", "--build", "mak", "--run", "sh prog"];
    let unbuilt = Answer::of(&project.command(command).output().unwrap()).exits(2).stdout;
    assert!(unbuilt.contains("\nhint: did you mean `make`? `mak` is not installed\n"), "{unbuilt}");
    let unread = answer(&["--run", "sh prog", "--number", "nothing ([0-9]+)", "--json"]);
    assert!(unread.contains(r#""reason": "command""#), "{unread}");
    assert_eq!(unread.matches("nothing matches").count(), 2, "{unread}");
    let list = project.tacho("bisect list").succeeds().stdout;
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    let list = list.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(list.contains("cannot bisect: both ends fail in the same way"), "{list}");
}

#[test]
fn an_end_that_fails_alone_is_replaced() {
    let project = history(12, |n| match n {
        0 | 1 => "exit 3".to_owned(),
        n => format!("echo work {}", if n < 7 { 100 } else { 130 }),
    });
    let answer = project.tacho("bisect HEAD~11 HEAD --quiet").succeeds().stdout;
    assert!(answer.contains("change 7"), "{answer}");
    let [border, usable] = ["HEAD~10", "HEAD~9"].map(|name| id(&project, name)[..10].to_owned());
    let told = format!(
        "\nup to {border}: nothing could be measured (failed: exit 3); {usable} is the first \
         measured commit\n"
    );
    assert!(answer.contains(&told), "{answer}");
    // The list of runs counts as the answer does: no warmups, and nothing that failed.
    let samples = &project.tacho("log --json").succeeds().json()["runs"][0]["samples"];
    assert!(answer.contains(&format!(", {samples} samples in ")), "{samples}: {answer}");
}

#[test]
fn where_only_the_latest_can_be_built_the_first_of_them_stands_in() {
    let project = history(16, |n| match n {
        0..11 => "exit 3".to_owned(),
        n => format!("echo work {}", if n < 13 { 100 } else { 120 }),
    })
    .plan(&PLAN.replace("artifacts", "build = \"sh prog\"\nartifacts"));
    let answer = project.tacho("bisect HEAD~15 HEAD --quiet").succeeds().stdout;
    assert!(answer.contains("change 13\n"), "{answer}");
    let [first, border, usable] =
        ["HEAD~15", "HEAD~5", "HEAD~4"].map(|name| id(&project, name)[..10].to_owned());
    assert!(answer.contains(&format!("; {usable} is the first measured commit\n")), "{answer}");
    let told = format!(
        "\n7 of the 11 commits from {first} to {border} not built: exit status 3 (the others \
         were not tried)"
    );
    assert!(answer.contains(&told), "{answer}");
}

#[test]
fn what_was_measured_between_is_no_part_of_those_that_could_not_be() {
    let broken = |n| matches!(n, 0 | 8..=11 | 23);
    let project = history(24, |n| match n {
        n if broken(n) => "exit 3".to_owned(),
        n => format!("echo work {}", if n < 10 { 100 } else { 120 }),
    })
    .plan(&PLAN.replace("artifacts", "build = \"sh prog\"\nartifacts"));
    let answer = project.tacho("bisect HEAD~23 HEAD --quiet").succeeds().stdout;
    let first = id(&project, "HEAD~23")[..10].to_owned();
    assert!(answer.contains(&format!("\n{first} not built: exit status 3\n")), "{answer}");
}

#[test]
fn answers_that_differ_have_a_hint_of_their_own() {
    let project = history(8, |n| format!("echo work 1 {}", if n < 5 { "" } else { "more" }))
        .plan(&(PLAN.to_owned() + "expect = { stdout = \"same\" }\n"));
    let lacking = project.tacho("bisect HEAD~7 HEAD --quiet").exits(4).stdout;
    assert!(lacking.contains("hint: name ends with the same answer, or find"), "{lacking}");
}

#[test]
fn a_build_that_broke_is_bisected_as_a_test() {
    let project = history(8, |n| if n < 5 { "echo work 1" } else { "exit 3" }.to_owned())
        .plan(&PLAN.replace("artifacts", "build = \"sh prog\"\nartifacts"));
    let lacking = project.tacho("bisect HEAD~7 HEAD --quiet --test true").exits(4).stdout;
    assert!(lacking.contains("`--build true --test 'make -s'` finds the commit"), "{lacking}");
    let words = "bisect HEAD~7 HEAD --quiet --build true --test".split(' ').chain(["sh prog"]);
    let found = project.command(words).output().unwrap();
    let found = String::from_utf8(found.stdout).unwrap();
    assert!(found.contains("change 5\n") && !found.contains("; run "), "{found}");
}

#[test]
fn from_which_commit_on_the_metric_is_missing_is_told() {
    let project = history(30, |n| match n {
        11.. => "echo took 100".to_owned(),
        n => format!("echo work {}", if n < 4 { 100 } else { 130 }),
    });
    let [border, usable] = ["HEAD~18", "HEAD~19"].map(|name| id(&project, name)[..10].to_owned());
    let why =
        format!("from {border} on: nothing could be measured (no value: `work`: nothing matches ");
    let found = project.tacho("bisect HEAD~29 HEAD --quiet").succeeds().stdout;
    assert!(found.contains("change 4\n") && found.contains(&why), "{found}");
    let lacking = project.tacho("bisect HEAD~22 HEAD --quiet").exits(4).stdout;
    assert!(
        lacking.starts_with(
            "undecided: the measured commits do not differ, but one end could not be measured\n"
        ),
        "{lacking}"
    );
    assert!(
        lacking.contains(&why)
            && lacking.contains(&format!("); {usable} is the last measured commit\n")),
        "{lacking}"
    );
    let markdown = project.tacho("bisect log --markdown").exits(4).stdout;
    assert!(
        markdown.contains(&format!("- from {border} on: nothing could be measured")),
        "{markdown}"
    );
}

#[test]
fn how_far_builds_differ_may_be_told() {
    let project = step(8, 5);
    let answer = project.tacho("bisect HEAD~7 HEAD --layout 1% --json").succeeds().json();
    assert_eq!(answer["asked"]["layout"], 0.01);
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "HEAD~2").as_str());
    let markdown = project.tacho("bisect log --markdown").succeeds().stdout;
    assert!(markdown.contains(" --min-effect 2% --layout 1%`"), "{markdown}");
    project.tacho("bisect HEAD~7 HEAD --layout 1% --quiet --test true").exits(2);
}

#[test]
fn whoever_waits_says_for_whom() {
    let project = step(4, 2);
    let path = project.path().join(".tacho-lock");
    let held = tacho_measure::lock_host(&path, "another", tacho_measure::LockWait::No).unwrap();
    let mut command = project.command(["bisect", "HEAD~3", "HEAD", "--wait", "--json"]);
    let mut waiting = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(waiting.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert!(said.starts_with("note: another tacho (") && said.contains("in `another`)"), "{said}");
    assert!(said.ends_with(" is measuring on this host: waiting for it\n"), "{said}");
    drop(held);
    let answer = waiting.wait_with_output().unwrap();
    assert!(
        answer.status.success() && String::from_utf8(answer.stdout).unwrap().contains("culprits")
    );
}

#[test]
fn hints_name_what_can_answer() {
    let project = without_plan(step(6, 3));
    let words = ["bisect", "HEAD~5", "HEAD", "--build", "exit 7", "--run", "sh prog", "--quiet"];
    let answer = Answer::of(&project.command(words).output().unwrap()).exits(2).stdout;
    assert!(
        !answer.contains("tacho show")
            && answer.contains("\nhint: name ends that build and have the metric\n"),
        "{answer}"
    );
    assert!(answer.contains("\nhint: `--retry-failed` builds again\n"), "{answer}");
    assert!(!answer.contains("--again"), "no sample was taken: {answer}");
    let expected =
        Answer::of(&project.command(words.into_iter().chain(["--dry-run"])).output().unwrap());
    let kept = "an answer is kept, so nothing is executed: `--retry-failed` builds again\n";
    assert_eq!(expected.stdout, kept);
    let again = words.into_iter().chain(["--again", "--dry-run"]);
    let expected = Answer::of(&project.command(again).output().unwrap());
    let failed = "(both ends failed to build before: `--retry-failed` builds again); ";
    assert!(expected.stdout.replace("\n ", "").contains(failed), "{}", expected.stdout);
}

#[test]
fn culprits_of_an_unfinished_search_are_told_too() {
    let project = history(24, |n| {
        format!(
            "echo work {}",
            if n < 5 {
                100
            } else if n < 15 {
                150
            } else {
                250
            }
        )
    });
    let most = |builds: u32| {
        project.tacho(&format!("bisect HEAD~23 HEAD --all --quiet --max-builds {builds}"))
    };
    let so_far =
        (3..33).map(most).find(|it| it.stdout.contains("  changed work of `work` by ")).unwrap();
    // It is not known whether there is more.
    let so_far = so_far.exits(6).stdout;
    assert!(
        so_far.contains("\nundecided after ") && so_far.contains("; if anything changed, "),
        "{so_far}"
    );
    assert!(so_far.contains("change 15\n") || so_far.contains("change 5\n"), "{so_far}");
    let whole = project.tacho("bisect HEAD~23 HEAD --all --quiet").succeeds().stdout;
    assert!(whole.contains("change 15\n") && whole.contains("change 5\n"), "{whole}");
    assert!(whole.matches(" nothing else changed by 2 % or more").count() >= 3, "{whole}");
}

#[test]
fn of_two_equal_steps_one_is_named_and_the_other_left_over() {
    // As ratios; and where the second might be taken for variance between builds.
    for levels in [[100_usize, 130, 169], [1000, 1050, 1102]] {
        let level = |n: u32| levels[usize::from(n >= 5) + usize::from(n >= 12)];
        let project = history(20, |n| format!("echo work {}", level(n)));
        let answer = project.tacho("bisect HEAD~19 HEAD --quiet").succeeds().stdout;
        assert!(answer.contains("change 5\n") || answer.contains("change 12\n"), "{answer}");
        assert!(answer.contains("the named commits, so something else changed too\n"), "{answer}");
        let size = |n: u32| format!("exit 9 {}", "x".repeat(10 * level(n)));
        let project = history(20, size);
        let all =
            project.tacho("bisect HEAD~19 HEAD --all --quiet -m artifact-size").succeeds().stdout;
        assert!(all.contains("change 5\n") && all.contains("change 12\n"), "{all}");
    }
}

#[test]
fn markdown_and_list_name_the_ends_so_that_they_mean_the_same_tomorrow() {
    let project = step(6, 4).tag("v1");
    project.tacho("bisect HEAD~5 v1 --quiet").succeeds();
    let first = id(&project, "HEAD~5")[..10].to_owned();
    let markdown = project.tacho("bisect log --markdown").succeeds().stdout;
    assert!(markdown.contains(&format!("`tacho bisect {first} v1 ")), "{markdown}");
    let list = project.tacho("bisect list").succeeds().stdout;
    assert!(list.contains(&format!("{first}..v1 ")), "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
}

#[test]
fn ten_thousand_commits_take_few_builds() {
    let project = Project::repository();
    let commits: String = (0..=10_000)
        .map(|n| {
            let (text, subject) = (
                format!("echo work {} # {n}\n", if n < 6543 { 100 } else { 130 }),
                format!("change {n}\n"),
            );
            let from = if n == 0 { String::new() } else { format!("from :{n}\n") };
            format!(
                "commit refs/heads/long\nmark :{}\ncommitter A. Author <author@example.com> {} \
                 +0000\ndata {}\n{subject}{from}M 100644 inline prog\ndata {}\n{text}\n",
                n + 1,
                1_700_000_000 + n * 3600,
                subject.len(),
                text.len()
            )
        })
        .collect();
    let file = project.path().join("commits");
    std::fs::write(&file, commits).unwrap();
    let imported = std::process::Command::new("git")
        .args(["fast-import", "--quiet"])
        .current_dir(project.path())
        .stdin(std::fs::File::open(&file).unwrap())
        .status();
    assert!(imported.unwrap().success());
    let words =
        ["bisect", "long~10000", "long", "--run", "sh prog", "--number", "work ([0-9]+)", "--json"];
    let answer = Answer::of(&project.command(words).output().unwrap()).succeeds().json();
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "long~3457").as_str());
    assert!(
        answer["standing"]["builds"].as_u64().unwrap() <= 14 + 4,
        "{}",
        answer["standing"]["builds"]
    );
}

#[test]
fn a_culprit_is_probed_on_wish() {
    let project = step(8, 5);
    let Answer { stdout: answer, stderr, .. } =
        project.tacho("bisect HEAD~7 HEAD --probe --quiet").exits(0);
    assert!(stderr.starts_with("note: other orders of linking are left out: "), "{stderr}");
    assert!(
        answer.contains("\n  with an environment of random length: holds, +30.0 % "),
        "{answer}"
    );
    assert!(
        answer.contains("\n  with memory at the same addresses each time: holds, ")
            || answer.contains("\n  with memory at random addresses: holds, "),
        "{answer}"
    );
    let json = project.tacho("bisect log --json").succeeds().json();
    assert_eq!(json["standing"]["probes"][0]["probed"], "holds");
    let refused = project.tacho("bisect HEAD~7 HEAD -m build-time --probe").exits(2).stderr;
    assert!(
        refused.contains(
            "error: `--probe` needs executions: artifact sizes and build times cannot be probed\n"
        ),
        "{refused}"
    );
}

#[test]
fn the_command_without_a_plan_can_be_repeated() {
    let project = without_plan(step(8, 5));
    let words = ["bisect", "HEAD~7", "HEAD", "--build", "cp prog made", "--run", "sh made # it's"];
    let words =
        words.into_iter().chain(["--number", "work ([0-9]+)", "--better", "higher", "--markdown"]);
    let markdown = Answer::of(&project.command(words).output().unwrap()).succeeds().stdout;
    let command = markdown.rsplit_once(": `").unwrap().1.trim_end().trim_end_matches("`.");
    assert!(command.contains(" --better higher --min-effect 2%"), "{command}");
    let again = shell_words::split(command).unwrap();
    let json = again[1..].iter().map(String::as_str).chain(["--json"]);
    let json = Answer::of(&project.command(json).output().unwrap()).succeeds().json();
    assert_eq!((&json["run"], &json["asked"]["metric"]["better"]), (&1.into(), &"higher".into()));
}

#[test]
fn what_the_ends_once_were_is_told_of_a_known_answer_too() {
    let project = step(4, 4);
    assert!(!project.tacho("bisect HEAD~3 HEAD --quiet").exits(3).stdout.contains("ends were"));
    let again = project.tacho("bisect HEAD~3 HEAD --before 100,180 --quiet").exits(3);
    assert!(
        again.stdout.contains("the ends were 100 and 180, and are now 100 and 100"),
        "{}",
        again.stdout
    );
}

#[test]
fn what_the_ends_once_were_is_told_whatever_came_of_it() {
    let project = step(32, 20);
    let undecided = project
        .tacho("bisect HEAD~31 HEAD --before 100,180 --max-builds 3 --quiet")
        .exits(4)
        .stdout;
    assert!(
        undecided.contains("\nthe ends were 100 and 180, and are now 100 and 130\n"),
        "{undecided}"
    );
    let named = project.tacho("bisect HEAD~31 HEAD --before 100,180 --quiet").succeeds().stdout;
    assert!(
        named.contains("change 20")
            && named.contains("\nthe ends were 100 and 180, and are now 100 and 130\n"),
        "{named}"
    );
}

#[test]
fn memory_is_bisected() {
    let held = |n| if n < 5 { 1_000_000 } else { 30_000_000 };
    let project = history(8, |n| {
        format!("x=$(head -c {} /dev/zero | tr '\\0' x); echo work ${{#x}}", held(n))
    });
    let answer = project
        .tacho("bisect HEAD~7 HEAD -m peak-memory --min-effect 100% --json")
        .succeeds()
        .json();
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "HEAD~2").as_str());
    assert_eq!(answer["asked"]["metric"]["unit"], "bytes");
}

#[test]
fn a_least_effect_may_be_several_times_the_value() {
    let project = history(8, |n| format!("echo work {}", if n < 5 { 100 } else { 350 }));
    let answer = project.tacho("bisect HEAD~7 HEAD --min-effect 200% --quiet").succeeds().stdout;
    assert!(answer.contains("change 5\n"), "{answer}");
    // What is there for certain is named, and that it is less than was requested is said.
    let less = project.tacho("bisect HEAD~7 HEAD --min-effect 300% --quiet").succeeds().stdout;
    assert!(less.contains("\n  which is less than the requested 300 %\n"), "{less}");
    let markdown = project.tacho("bisect log --markdown").succeeds().stdout;
    assert!(markdown.contains("\n- which is less than the requested 300 %\n"), "{markdown}");
    let project = history(4, |n| format!("echo work {}", if n < 2 { 100 } else { 110 }));
    let small = project.tacho("bisect HEAD~3 HEAD --min-effect 200% --quiet").exits(3).stdout;
    assert!(
        small.starts_with(
            "not reproduced: HEAD~3 and HEAD differ by less than 200 % in work of `work`\n"
        ),
        "{small}"
    );
}

#[test]
fn what_lies_within_noise_is_told_to_take_long() {
    // To and fro by 30 %, counted outside of the build, and a change of 10 % is looked for.
    let project =
        history(2, |_| "echo work $((1000 + ($1 * $1 * 331 + $1 * 17) % 997))".to_owned());
    let counter = project.path().join("counter");
    let counter = counter.display();
    let count = format!("echo >> {counter}; sh prog $(wc -l < {counter})");
    let words = [
        "bisect",
        "HEAD~1",
        "HEAD",
        "--run",
        &count,
        "--number",
        "work ([0-9]+)",
        "--min-effect",
        "10%",
    ];
    let answer = Answer::of(&project.command(words).output().unwrap()).exits(3);
    let told = regex::Regex::new(concat!(
        r"(?m)^note: values vary by \d+\.\d % \(standard deviation\): ",
        r"a change of 10 % may need up to about [\d,]+ samples \(",
    ));
    assert_eq!(told.unwrap().find_iter(&answer.stderr).count(), 1, "{}", answer.stderr);
    let dry = words.into_iter().chain(["--again", "--dry-run"]);
    let dry = Answer::of(&project.command(dry).output().unwrap()).succeeds().stdout;
    let dry = dry.split_whitespace().collect::<Vec<_>>().join(" ");
    let known =
        regex::Regex::new(
            r"; about 20 samples for a large change, [\d,]+ for 10 % \(in earlier runs values varied by \d+\.\d %\) about .* to ",
        )
        .unwrap();
    assert!(known.is_match(&dry), "{dry}");
}

#[test]
fn values_of_zero_and_below_are_compared_by_difference() {
    let project = history(8, |n| format!("echo work {}", if n < 5 { -5 } else { -9 }))
        .plan(&PLAN.replace("work ([0-9.]+)", "work (-?[0-9.]+)"));
    let ratios = project.tacho("bisect HEAD~7 HEAD --quiet").exits(2).stdout;
    assert!(
        ratios.starts_with(
            "cannot bisect: all values at both ends are 0 or negative and have no \
            ratio, "
        ),
        "{ratios}"
    );
    assert!(ratios.contains("\nhint: give the smallest change as a difference"), "{ratios}");
    let answer = project.tacho("bisect HEAD~7 HEAD --min-effect 1 --json").succeeds().json();
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "HEAD~2").as_str());
}

#[test]
fn a_culprit_is_linked_in_other_orders_where_that_can_be() {
    let project = step(4, 2).plan(&PLAN.replace("artifacts", "build = \"true\"\nartifacts"));
    let Answer { stdout, stderr, .. } =
        project.tacho("bisect HEAD~3 HEAD --probe --quiet").exits(0);
    // The build links nothing, so that it comes out the same.
    let told = "with another order of linking (1): not available here: the build does not link \
        with the linker that it is given";
    let left_out =
        "note: other orders of linking are left out: they need a build, and `mold` or `lld`\n";
    assert_ne!(stdout.contains(told), stderr.contains(left_out), "{stdout}{stderr}");
}

#[test]
fn killed_again_and_again_it_goes_on_and_repeats_nothing() {
    let plan = PLAN
        .replace("artifacts", "build = \"sh $KILL_FOLDER/killer build\"\nartifacts")
        .replace("sh {build}/prog", "sh -c 'sh $KILL_FOLDER/killer execution; . {build}/prog'");
    let plan = plan + "prepare = \"sh $KILL_FOLDER/killer between\"\n";
    let plan = plan + "[measure]\nconditions = { inherit-environment = [\"KILL_FOLDER\"] }\n";
    let project = step(12, 7).plan(&plan).file(".kill/killer", KILLER);
    let folder = project.path().join(".kill");
    let bisect = || {
        let mut command = project.command(["bisect", "HEAD~11", "HEAD", "--json"]);
        Answer::of(&command.env("KILL_FOLDER", &folder).output().unwrap())
    };
    let steps = || project.tacho("bisect log --json").json()["steps"].as_array().unwrap().clone();
    let mut kept = Vec::new();
    for moment in ["build 1", "execution 2", "between 6", "build 4"] {
        std::fs::write(folder.join("armed"), moment).unwrap();
        assert_eq!(bisect().status, -1, "{moment}");
        let said = project.tacho("bisect log").exits(130).stdout;
        assert!(said.contains("\nnot finished yet: "), "{said}");
        assert!(
            said.contains("` shows each step\nthe same command resumes:\n  tacho bisect "),
            "{said}"
        );
        let now = steps();
        assert_eq!(now[..kept.len()], kept, "{moment}");
        kept = now;
    }
    let answer = bisect().succeeds().json();
    assert_eq!(steps()[..kept.len()], kept);
    assert_eq!(
        (&answer["run"], &answer["standing"]["culprits"][0]["revision"]),
        (&1.into(), &id(&project, "HEAD~4").into())
    );
    let all = steps();
    let mut built: Vec<&str> = all
        .iter()
        .filter(|it| it["build"].is_number())
        .map(|it| it["revision"].as_str().unwrap())
        .collect();
    assert_eq!(answer["standing"]["builds"], built.len());
    built.sort_unstable();
    built.dedup();
    assert_eq!(answer["standing"]["builds"], built.len(), "none is built twice");
}

#[test]
fn with_more_builds_it_goes_on() {
    let project = step(32, 20);
    let stopped = project.tacho("bisect HEAD~31 HEAD --max-builds 3 --json").exits(4).json();
    assert_eq!(stopped["standing"]["found"]["reason"], "budget");
    let done = project.tacho("bisect HEAD~31 HEAD --json").succeeds().json();
    assert_eq!((&done["run"], &done["name"]), (&stopped["run"], &stopped["name"]));
    assert_eq!(done["standing"]["culprits"][0]["revision"], id(&project, "HEAD~11").as_str());
}

#[test]
fn sizes_of_artifacts_are_bisected_without_executing() {
    let project = history(10, |n| format!("exit 9 {}", "x".repeat(if n < 6 { 0 } else { 9000 })));
    let answer = project
        .tacho("bisect HEAD~9 HEAD -m artifact-size --min-effect 1KiB --json")
        .succeeds()
        .json();
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "HEAD~3").as_str());
    assert_eq!(answer["standing"]["executing"], 0.0);
}

#[test]
fn processor_time_is_bisected_in_all_its_noise() {
    let turns = |n| if n < 5 { 2_000 } else { 60_000 };
    let project = history(8, |n| {
        format!("i=0; while [ $i -lt {} ]; do i=$((i+1)); done; echo work 1", turns(n))
    });
    let answer =
        project.tacho("bisect HEAD~7 HEAD -m cpu --min-effect 50% --json").succeeds().json();
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "HEAD~2").as_str());
}

#[test]
fn instructions_under_callgrind_are_bisected() {
    if std::process::Command::new("valgrind").arg("--version").output().is_err() {
        return;
    }
    let turns = |n| if n < 2 { 1_000 } else { 3_000 };
    let project = history(4, |n| {
        format!("i=0; while [ $i -lt {} ]; do i=$((i+1)); done; echo work 1", turns(n))
    });
    let answer = project
        .tacho("bisect HEAD~3 HEAD -m instructions=callgrind --min-effect 10% --json")
        .succeeds()
        .json();
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "HEAD~1").as_str());
}

#[test]
fn without_a_plan_two_commands_are_enough() {
    let project = step(8, 5);
    std::fs::remove_file(project.path().join("tacho.toml")).unwrap();
    let bare = project.tacho("bisect HEAD~7").exits(2).stderr;
    assert!(bare.contains("nothing to measure") && bare.contains("`--run COMMAND`"), "{bare}");
    let words = [
        "bisect",
        "HEAD~7",
        "HEAD",
        "--build",
        "sed s,work,done:, prog > made",
        "--run",
        "sh made",
    ];
    let words = words.into_iter().chain(["--number", "done: ([0-9]+)", "--json"]);
    let answer = Answer::of(&project.command(words).output().unwrap()).succeeds().json();
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "HEAD~2").as_str());
    assert!(!project.path().join(".tacho").exists(), "nothing is left in the repository");
    let name = answer["name"].as_str().unwrap();
    assert!(project.tacho("bisect list").succeeds().stdout.contains(name));
    let log = project.tacho(&format!("bisect log {name}")).succeeds().stdout;
    assert!(
        log.contains("change 5") && log.contains(&format!("`tacho bisect log {name}`")),
        "{log}"
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = elsewhere.path().to_str().unwrap();
    let nothing = project.tacho(&format!("bisect log --repository {folder}")).exits(2);
    assert!(
        nothing.stderr.starts_with("error: there are no bisections yet\n"),
        "{}",
        nothing.stderr
    );
    project.tacho("site pages").succeeds();
    assert!(
        project.path().join(format!("pages/bisection/{name}.html")).exists(),
        "it can be shared"
    );
    let project = project.plan(PLAN);
    assert_eq!(
        project.tacho("bisect log --json").succeeds().json()["name"],
        name,
        "a plan does not hide it"
    );
    project.tacho("site more --repository .").succeeds();
    assert!(project.path().join(format!("more/bisection/{name}.html")).exists());
}

#[test]
fn a_benchmark_without_a_plan_may_be_a_list_of_commands_with_braces() {
    let project = step(4, 2);
    std::fs::remove_file(project.path().join("tacho.toml")).unwrap();
    let words = [
        "bisect",
        "HEAD~3",
        "HEAD",
        "--run",
        "x=${x:-prog}; sh $x",
        "--number",
        "work ([0-9]+)",
        "--json",
    ];
    let answer = Answer::of(&project.command(words).output().unwrap()).succeeds().json();
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "HEAD~1").as_str());
}

#[test]
fn bisections_are_listed_and_shown_again() {
    let project = step(8, 5);
    project.tacho("bisect list").exits(2);
    let answer = project.tacho("bisect HEAD~7 HEAD --json").succeeds().json();
    let name = answer["name"].as_str().unwrap();
    let list = project.tacho("bisect list").succeeds().stdout;
    assert!(list.contains(name) && list.contains("work of `work`"), "{list}");
    let log = project.tacho(&format!("bisect log {name}")).succeeds().stdout;
    assert!(log.contains(" built in ") && log.contains("change 5"), "{log}");
    let replayed = project.tacho("bisect log --replay").succeeds().stdout;
    assert!(replayed.contains("proving [") && replayed.contains("finished ["), "{replayed}");
    let mut narrow = project.command(["bisect", "log", "--replay"]);
    let narrow = Answer::of(&narrow.env("COLUMNS", "60").output().unwrap()).stdout;
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    let json = project.tacho("bisect log --json").succeeds().json();
    assert_eq!(json["standing"], answer["standing"]);
    assert!(json["steps"].as_array().unwrap().len() > 5);
    let markdown = project.tacho("bisect log --markdown").succeeds().stdout;
    assert!(markdown.starts_with("**") && markdown.contains(" change 5**\n"), "{markdown}");
    let unknown = project.tacho("bisect log nobody").exits(2);
    assert_eq!(
        unknown.stderr,
        format!(
            "error: unknown bisection `nobody`\nhint: known: `{}`; `tacho bisect list` lists \
             them\n",
            json["name"].as_str().unwrap()
        )
    );
    assert!(project.tacho("log").succeeds().stdout.contains("bisect"));
}

#[test]
fn mistakes_are_told_before_anything_is_done() {
    let two = PLAN.to_owned()
        + "[[benchmark]]\nname = \"other\"\ncommand = \"true\"\nparameters = { n = [1, 2] }\n";
    let project = step(4, 2).plan(&two.replace("\"true\"", "\"true {n}\""));
    let says = |words: &str| project.tacho(words).exits(2).stderr;
    assert_snapshot!(says("bisect HEAD~3 HEAD"), @r"
    error: the plan has several benchmarks, and one can be bisected at a time
    hint: `--benchmark` names one of `work`, `other[n=1]`, `other[n=2]`
    ");
    assert_snapshot!(says("bisect HEAD HEAD -b work"), @r"
    error: `HEAD` and `HEAD` are the same revision: there is nothing between them
    hint: name a revision from before the change, then one with it
    ");
    assert_snapshot!(says("bisect HEAD~3 HEAD -b work -m speed"), @r"
    error: unknown metric `speed`
    hint: known: `work`, `cpu`, `wall`, `user`, `sys`, `peak-memory`, `on-cpu`, `cpu-wait` and 22 more
    ");
    assert_snapshot!(says("bisect HEAD~3 HEAD -b work --min-effect 3ms"), @r"
    error: `3ms` is not the size of a change
    hint: write a share (`2%`, `200%`) or a difference (`5ms`, `1MiB`, `3`)
    ");
    assert_snapshot!(says("bisect HEAD~3 HEAD -b work -m wall --min-effect 5"), @r"
    error: `5` has no unit, and the metric is a time
    hint: `5%` is a share of the value, `5ms` a difference
    ");
    assert_snapshot!(says("bisect HEAD~3 HEAD -b work -m peak-memory --before 20,25MiB"), @r"
    error: `20` has no unit, and the metric is a size
    hint: write it as `20MiB`
    ");
    assert_snapshot!(says("bisect HEAD~3 HEAD -b work --layout 1"), @r"
    error: `--layout 1` is neither a share nor an amount with a unit
    hint: write a share (`--layout 1%`), or an amount (`--layout 5ms`) as in `--min-effect 5ms`
    ");
    assert_snapshot!(says("bisect HEAD~3 HEAD --build make"), @r"
    error: `--build` sets the plan aside, and no command to execute is given
    hint: give `--run COMMAND` or `--test COMMAND`, or leave out `--build` to use the plan
    ");
    assert_snapshot!(says("bisect ..HEAD -b work"), @r"
    error: `..HEAD` does not name two ends
    hint: write the ends as `GOOD BAD`, or as `GOOD..BAD`
    ");
    for words in ["HEAD~3...HEAD", "HEAD~3..HEAD~1 HEAD", ".."] {
        assert!(
            says(&format!("bisect {words} -b work")).contains("does not name two ends\n"),
            "{words}"
        );
    }
    assert!(says("bisect HEAD~3 nobody -b work").contains("`nobody`"));
    assert!(says("bisect HEAD~3 HEAD -b work --max-builds 0").contains("--max-builds"));
    assert!(!project.path().join(".tacho").exists());
    let outside = Project::empty();
    let said = outside.tacho("bisect HEAD~3 HEAD --run true").exits(2).steady_stderr();
    assert_snapshot!(said, @r"
    error: `<folder>` is not in a git repository
    hint: `--repository FOLDER` names the repository
    ");
}

/// The main line changes at its third commit or not; a branch leaves it at the first.
fn with_a_side(at: u32, prog: &str) -> Project {
    let project = step(4, at);
    project.git(["checkout", "--quiet", "-b", "side", "HEAD~3"]);
    let project = project.file("prog", prog).commit("on the side");
    project.git(["checkout", "--quiet", "main"]);
    project
}

#[test]
fn a_good_end_on_another_branch_is_measured_beside_where_they_part() {
    let project = with_a_side(2, "echo work 100 # side\n");
    let start = id(&project, "HEAD~3")[..10].to_owned();
    let answer = project.tacho("bisect side main --quiet").exits(0);
    assert!(answer.stderr.contains("`side` is not on the main line of "), "{}", answer.stderr);
    let told = format!(
        "\nside, which is not on the main line of main, behaves like {start}, the fork point: the \
         difference is "
    );
    assert!(
        answer.stdout.contains("change 2") && answer.stdout.contains(&told),
        "{}",
        answer.stdout
    );
    let json = project.tacho("bisect side main --json").exits(0).json();
    assert_eq!(json["standing"]["aside"]["said"], "alike");
    let log = project.tacho("bisect log").exits(0).stdout;
    let side = &id(&project, "side")[..10];
    assert!(log.contains(&format!(" {side}: built in ")), "{log}");
    let list = project.tacho("bisect list").exits(0).stdout;
    assert!(list.contains(&format!("  {side}..")), "{side} {list}");
    let markdown = project.tacho("bisect log --markdown").exits(0).stdout;
    assert!(markdown.contains(&format!("`tacho bisect {side} ")), "{markdown}");
}

#[test]
fn a_good_end_on_another_branch_may_differ_from_where_they_part() {
    let project = with_a_side(2, "echo work 90\n");
    let start = id(&project, "HEAD~3")[..10].to_owned();
    let answer = project.tacho("bisect side main --quiet").exits(0).stdout;
    let told = format!(
        "is not on the main line of main, differs from {start}, the fork point, by −10.0 % in "
    );
    assert!(answer.contains("change 2") && answer.contains(&told), "{answer}");
    let markdown = project.tacho("bisect log --markdown").exits(0).stdout;
    assert!(markdown.contains("\n- side, which") && markdown.contains(&told), "{markdown}");
    // All of it.
    let project = with_a_side(4, "echo work 90\n");
    let start = id(&project, "HEAD~3")[..10].to_owned();
    let answer = project.tacho("bisect side main --quiet").exits(3).stdout;
    assert!(answer.starts_with(&format!("not reproduced: {start} and main differ ")), "{answer}");
    let way = format!(
        "\nthis bisection does not search between {start} and side: \
         `tacho bisect {start} side` does\n"
    );
    assert!(answer.contains(&way), "{answer}");
    let broken = with_a_side(2, "exit 3\n");
    let answer = broken.tacho("bisect side main --quiet").exits(0).stdout;
    assert!(answer.contains(" is not known: exit 3\n"), "{answer}");
}

#[test]
fn a_change_that_was_found_says_what_to_bisect() {
    // Some noise of its own, or nothing is judged.
    let level =
        |n: u32| if n < 17 { 100_000 + n * 7919 % 101 * 6 } else { 120_000 + n * 7919 % 101 * 6 };
    let project = history(32, |n| format!("echo work {}", level(n)));
    project.tacho("track --every 2commits --seed 1").succeeds();
    let events = project.tacho("changes --json").json();
    // CPU time is measured too, and one series in some hundreds changes by chance.
    let mut all = events["events"].as_array().unwrap().iter().flat_map(|event| {
        event["changes"].as_array().unwrap().iter().filter(|it| it["metric"] == "work")
    });
    let change = all.next().unwrap();
    let name = change["name"].as_str().unwrap();
    let shown = project.tacho(&format!("changes show {name}")).succeeds().stdout;
    assert!(shown.contains(&format!("tacho bisect --change {name}\n")), "{shown}");
    let answer = project.tacho(&format!("bisect --change {name} --json")).exits(0);
    let short = |name: &str| id(&project, name)[..10].to_owned();
    // One more of those that were tracked, on either side.
    let note = format!(
        "note: the range is widened to `{}`..`{}`: revisions before and after the change show how \
         far builds vary\n",
        short("HEAD~17"),
        short("HEAD~11")
    );
    assert_eq!(answer.stderr, note);
    let answer = answer.json();
    let asked = &answer["asked"];
    assert_eq!((&asked["change"], &asked["before"][0]), (&change["name"], &change["before"]));
    assert!(
        (asked["least"].as_f64().unwrap() - change["effect"].as_f64().unwrap() / 2.0).abs() < 6e-4
    );
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "HEAD~14").as_str());
    let unknown = project.tacho("bisect --change nobody").exits(2).stderr;
    assert!(unknown.starts_with("error: unknown change `nobody`\n"), "{unknown}");
}

/// `tacho bisect` with a command that passes or fails.
fn bisect_test(project: &Project, test: &str, more: &str) -> Answer {
    let words = ["bisect"].into_iter().chain(more.split_whitespace()).chain(["--test", test]);
    Answer::of(&project.command(words).output().unwrap())
}

pub fn without_plan(project: Project) -> Project {
    std::fs::remove_file(project.path().join("tacho.toml")).unwrap();
    project
}

#[test]
fn a_test_that_begins_to_fail_is_bisected_without_a_plan() {
    let project = without_plan(history(32, |n| format!("exit {}", u32::from(n >= 19))));
    let answer = bisect_test(&project, "sh prog", "HEAD~31 HEAD --json").succeeds().json();
    let standing = &answer["standing"];
    assert_eq!(standing["culprits"][0]["revision"], id(&project, "HEAD~12").as_str());
    // Halving takes 5 of each.
    assert!(standing["samples"].as_u64().unwrap() <= 5 + 18, "{}", standing["samples"]);
    assert!(standing["builds"].as_u64().unwrap() <= 5 + 4, "{}", standing["builds"]);
    assert_eq!(
        (&answer["asked"]["by"], &answer["asked"]["test"]),
        (&"failure".into(), &"sh prog".into())
    );
    let text = bisect_test(&project, "sh prog", "HEAD~31 HEAD --quiet").exits(0).stdout;
    assert!(text.contains("  changed how often `sh prog` fails by +"), "{text}");
    assert!(
        text.contains(" of executions\n")
            && text.contains(" 0 % fail ")
            && text.contains(" 100 % fail "),
        "{text}"
    );
    assert!(!project.path().join(".tacho").exists(), "nothing is left in the repository");
}

#[test]
fn a_test_that_can_tell_neither_skips_the_commit() {
    let project = history(16, |n| {
        format!("exit {}", if (7..10).contains(&n) { 125 } else { u32::from(n >= 8) })
    });
    let answer = bisect_test(&project, "sh prog", "HEAD~15 HEAD --quiet").succeeds();
    assert!(answer.stdout.contains("change 10"), "{}", answer.stdout);
    assert!(answer.stdout.contains("or one of the 3 commits before it that could not be measured"));
    assert!(
        answer.stdout.contains(" skipped: exit 125: neither pass nor fail"),
        "{}",
        answer.stdout
    );
    let markdown = project.tacho("bisect log --markdown").succeeds().stdout;
    let [good, bad] = ["HEAD~15", "HEAD"].map(|name| id(&project, name)[..10].to_owned());
    let command = format!("`tacho bisect {good} {bad} --test 'sh prog' --min-effect 20%`");
    assert!(markdown.contains(&command), "{markdown}");
    assert!(project.tacho("bisect list").succeeds().stdout.contains("how often `sh prog` fails"));
}

#[test]
fn a_flaky_test_is_bisected() {
    // From that commit on six of eleven executions fail, counted outside of the build.
    let flaky = "n=$1; [ $(( (n * n * 7 + n * 13) % 11 )) -lt 5 ]";
    let project = history(8, |n| if n < 5 { "true".to_owned() } else { flaky.to_owned() });
    let counter = project.path().join("counter");
    let counter = counter.display();
    let test = format!("echo >> {counter}; sh prog $(wc -l < {counter})");
    let answer = bisect_test(&project, &test, "HEAD~7 HEAD --json").succeeds().json();
    let standing = &answer["standing"];
    assert_eq!(standing["culprits"][0]["revision"], id(&project, "HEAD~2").as_str());
    let executed = std::fs::read_to_string(project.path().join("counter")).unwrap().lines().count();
    assert_eq!(standing["samples"], executed, "each execution counts");
}

#[test]
fn a_test_that_says_nothing_names_nobody() {
    let project = history(4, |_| "exit 0".to_owned());
    let same = bisect_test(&project, "sh prog", "HEAD~3 HEAD --quiet").exits(3).stdout;
    assert!(
        same.starts_with(
            "not reproduced: HEAD~3 and HEAD differ by less than 20 % in how often `sh prog` \
             fails\n"
        ),
        "{same}"
    );
    let missing = bisect_test(&project, "./nobody", "HEAD~3 HEAD --quiet").exits(2).stdout;
    assert!(missing.contains(" failed: exit 127: `./nobody` was not found ("), "{missing}");
    let rate = bisect_test(&project, "sh prog", "HEAD~3 HEAD --min-effect 5ms").exits(2).stderr;
    assert_eq!(
        rate,
        "error: `5ms` is not a difference of rates\nhint: with `--test` write a share of all \
         executions: `30%`\n"
    );
    bisect_test(&project, "sh prog", "HEAD~3 HEAD -b work").exits(2);
    let dry = bisect_test(&project, "sh prog", "HEAD~3 HEAD --again --dry-run").succeeds().stdout;
    assert!(
        dry.starts_with("which of 3 commits changed how often `sh prog` fails by 20 % or more?\n"),
        "{dry}"
    );
}
#[test]
fn what_the_revert_changes_is_measured() {
    let more = ["echo work 130 # 0", "", "", "", "echo work 1 # 2"].join("\n");
    let project = without_plan(step(3, 1)).file("prog", &more).commit("more");
    let project = project
        .file("prog", &more.replace("130", "160"))
        .commit("it")
        .file("doc", "x\n")
        .commit("words");
    let words = [
        "bisect",
        "HEAD~2",
        "HEAD",
        "--run",
        "sh prog",
        "--number",
        "work ([0-9]{3})",
        "--revert",
        "--json",
    ];
    let answer = Answer::of(&project.command(words).output().unwrap()).succeeds().json();
    assert_eq!(answer["standing"]["culprits"][0]["revision"], id(&project, "HEAD~1").as_str());
    let rows = answer["revert"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{}", answer["revert"]);
    assert!(
        (rows[0]["ratio"].as_f64().unwrap() - 130.0 / 160.0).abs() < 1e-3,
        "{}",
        answer["revert"]
    );
}
