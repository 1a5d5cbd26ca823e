//! What a bisection tells of ends that are alike, and of numbers in other units.

use crate::bisect::{PLAN, history, step, without_plan};
use crate::harness::{Answer, Project};

/// So many commits without paths that matter; those in this range are slower, and all others are
/// the same program.
fn there_and_back(commits: u32, slower: std::ops::Range<u32>) -> Project {
    let plan = PLAN.replace("paths = [\"prog\", \"Makefile\"]\n", "");
    let commit = |n: u32| {
        let work = if slower.contains(&n) { 150 } else { 100 };
        (format!("echo work {work}\n"), format!("change {n}"))
    };
    Project::repository().commits("prog", (0..commits).map(commit)).plan(&plan)
}

#[test]
fn all_changes_are_looked_for_between_ends_that_are_the_same_program() {
    let project = there_and_back(24, 8..15);
    let said = project.tacho("bisect HEAD~23 HEAD --quiet").exits(3).stdout;
    assert!(
        said.contains("\n  both built to the same artifacts: they are the same program\n"),
        "{said}"
    );
    let said = project.tacho("bisect HEAD~23 HEAD --all --quiet").exits(0).stdout;
    assert!(said.contains(" change 8\n") && said.contains(" change 15\n"), "{said}");
    let project = there_and_back(24, 0..0);
    let said = project.tacho("bisect HEAD~23 HEAD --all --quiet").exits(3).stdout;
    assert!(
        said.contains(
            "  both built to the same artifacts: they are the same program\n  all builds in \
             between had the same artifacts, too; a change that lasted for at most 2 commits would \
             not be seen\n"
        ),
        "{said}"
    );
}

#[test]
fn of_two_builds_it_is_said_that_they_do_not_tell_how_far_builds_vary() {
    let project =
        without_plan(history(8, |n| format!("echo work {}", if n < 5 { 100 } else { 105 })));
    let words = [
        "bisect",
        "HEAD~3",
        "HEAD~2",
        "--build",
        "true",
        "--run",
        "sh prog",
        "--number",
        "work ([0-9]+)",
        "--quiet",
    ];
    let bisect =
        |more: &[&str]| Answer::of(&project.command([&words, more].concat()).output().unwrap());
    let said = bisect(&[]).exits(4).stdout;
    let why = "undecided: two builds do not show how far builds of one source vary: \
        +5.0 % may be such a variation\n";
    assert!(said.contains(why), "{said}");
    let answer = bisect(&["--json", "--again"]).exits(4).json();
    assert!(answer["standing"]["between_builds"].is_null(), "{answer}");
    // As the hint has it.
    let said = bisect(&["--layout", "0.1%"]).exits(0).stdout;
    assert!(said.contains(" change 5"), "{said}");
}

#[test]
fn a_change_between_two_neighbours_is_bisected_with_what_lies_beside_them() {
    let level = |n: u32| if n < 12 { 100_000 } else { 105_000 } + n * 7919 % 101;
    let project = history(20, |n| format!("echo work {}", level(n)));
    project.tacho("track --seed 1").succeeds();
    let events = project.tacho("changes --json").json();
    let name = events["events"][0]["changes"][0]["name"].as_str().unwrap().to_owned();
    let answer = project.tacho(&format!("bisect {name}")).exits(0);
    assert!(
        answer
            .stderr
            .contains(": revisions before and after the change show how far builds vary\n"),
        "{}",
        answer.stderr
    );
    assert!(answer.stdout.contains(" change 12\n"), "{}", answer.stdout);
}

#[test]
fn a_command_that_never_fails_or_always_is_soon_known() {
    let project = without_plan(step(8, 8));
    let test = |test: &str, more: &[&str]| {
        let words = [&["bisect", "HEAD~7", "HEAD", "--test", test, "--quiet"], more].concat();
        Answer::of(&project.command(words).output().unwrap()).exits(3)
    };
    let said = test("true", &[]).stdout;
    assert!(
        said.starts_with(
            "not reproduced: HEAD~7 and HEAD differ by less than 20 % in how often `true` fails\n  \
             the command failed in none of the executions at both ends (14 or more at each): \
             with 95 % confidence, the failure rate is below 20 %\nhint: `--min-effect 5%` \
             looks for smaller changes, with at least 59 executions of each end\n"
        ),
        "{said}"
    );
    assert!(said.contains(", 28 samples in "), "{said}");
    let said = test("echo no file >&2; exit 1", &["--min-effect", "50%"]).stdout;
    let always = "the command failed in all of the executions at both ends (6 or more at each): \
                  with 95 % confidence, the pass rate is below 40 %";
    assert!(said.contains(always) && said.contains(": exit 1: no file\n"), "{said}");
    // There is no plan.
    assert!(!said.contains("`artifacts = ") && !said.contains("; run "), "{said}");
    let markdown = test("true", &["--markdown"]).stdout;
    assert!(
        markdown.contains("\n- the command failed in none of the executions at both ends (14 or "),
        "{markdown}"
    );
}

#[test]
fn a_short_budget_and_typed_commands_are_told_as_they_are() {
    let project = without_plan(step(8, 5));
    let bisect = |words: &[&str]| {
        let words = [&["bisect", "HEAD~7", "HEAD"], words].concat();
        Answer::of(&project.command(words).output().unwrap())
    };
    let said = bisect(&["--budget", "50ms", "--build", "sleep 9", "--run", "sh prog"]).exits(4);
    assert!(
        said.stdout.contains("up before the first build ended\nhint: with a larger `--budget`, ")
            && said.stdout.contains("\nno finished build in ")
            && !said.stdout.contains("--again"),
        "{}",
        said.stdout
    );
    for command in ["sh prog", "cat prog"] {
        let said = bisect(&["--run", command, "--number", "work ([0-9]+)"]).exits(0);
        assert!(!said.stderr.contains("was edited"), "{}", said.stderr);
    }
}

#[test]
fn a_jump_from_unit_to_unit_is_told_as_one() {
    let hint = "hint: a change by a factor of 1000 or 1024, ";
    for (before, after, told) in [("0.5", "500", true), ("2097152", "2", true), ("1", "900", false)]
    {
        let project = history(8, |n| format!("echo work {}", if n < 5 { before } else { after }));
        let said = project.tacho("bisect HEAD~7 HEAD --quiet").exits(0).stdout;
        assert_eq!(said.contains(hint), told, "{said}");
    }
}

#[test]
fn a_negative_effect_is_a_mistake_with_a_hint() {
    let said = step(3, 2).tacho("bisect HEAD~2 HEAD --min-effect -5%").exits(2).stderr;
    assert_eq!(
        said,
        "error: `-5%` is not the size of a change\nhint: a change in either direction is \
         searched: write `5%`\n"
    );
}

#[test]
fn prose_keeps_to_the_width_of_the_terminal() {
    let project = step(8, 5);
    let output =
        project.command(["bisect", "HEAD~7", "HEAD~4", "--quiet"]).env("COLUMNS", "60").output();
    let said = Answer::of(&output.unwrap()).exits(3).stdout;
    // Tables, which are indented, have a column more where the host is busy; commands are there to
    // be copied.
    let is_prose = |line: &&str| !line.starts_with("  ") && !line.contains(": tacho bisect ");
    let wide: Vec<&str> =
        said.lines().filter(is_prose).filter(|line| line.chars().count() > 60).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}

#[test]
fn a_commit_that_the_next_takes_back_is_found_where_one_build_tells() {
    // Between two commits that are the same program.
    let project = there_and_back(14, 6..7);
    let said = project.tacho("bisect HEAD~13 HEAD --all --quiet").exits(0).stdout;
    assert!(said.contains(" change 6\n") && said.contains(" change 7\n"), "{said}");
    assert!(!said.contains("would not be seen"), "{said}");
    // Where that may not be built, it is not known.
    let project = there_and_back(14, 6..7);
    let said = project.tacho("bisect HEAD~13 HEAD --all --quiet --max-builds 6").exits(6).stdout;
    assert!(said.contains("undecided"), "{said}");
}

#[test]
fn after_bisections_alone_what_they_found_is_reported() {
    let project = step(12, 7);
    project.tacho("bisect HEAD~11 HEAD --quiet").succeeds();
    let name = project.tacho("bisect list --json").json()["bisections"][0]["name"].clone();
    let name = name.as_str().unwrap();
    let culprit = &project.git(["rev-parse", "HEAD~4"])[..10];
    let [good, bad] =
        ["HEAD~11", "HEAD"].map(|end| project.git(["rev-parse", end])[..10].to_owned());
    let found = format!("  {name}  {good}..{bad}: named {culprit} (work of `work`)\n");
    for command in ["changes", "show"] {
        let said = project.tacho(command).exits(0).stdout;
        assert!(
            said.starts_with(
                "no series is tracked yet, so no change can be seen; bisections found:"
            ) && said.contains(&found),
            "{command}: {said}"
        );
    }
    let end = project.tacho("show HEAD").exits(0).stdout;
    assert!(
        end.contains(&format!("  measured in bisection {name}: work of `work`, 130\n")),
        "{end}"
    );
    let shown = project.tacho(&format!("show {name}")).exits(0).stdout;
    assert!(shown.contains("changed work of `work` by +30.0 %"), "{shown}");
    // Both are known by now as one build.
    project.git(["commit", "--quiet", "--allow-empty", "-m", "empty"]);
    project.tacho("bisect HEAD~1 HEAD --quiet").exits(3);
    assert_eq!(
        project.tacho("bisect HEAD~1 HEAD --dry-run").exits(0).stdout,
        "both ends are the same build, so there is nothing to find\n"
    );
}

#[test]
fn where_too_little_is_tracked_to_be_judged_bisections_are_listed() {
    let project = step(12, 7);
    project.tacho("bisect HEAD~11 HEAD --quiet").succeeds();
    project.tacho("track HEAD~1..HEAD --quiet").exits(0);
    let said = project.tacho("changes").exits(0).stdout;
    assert!(!said.contains("no series is tracked"), "{said}");
    assert!(said.contains("not judged: ") && said.contains("bisections found:\n  "), "{said}");
}
