//! Into a merge that did it: real repositories, whose program answers with the product of what two
//! files hold.

use insta::assert_snapshot;

use crate::bisect::{id, step};
use crate::harness::Project;

/// A program of its own for each commit, though most answer alike.
const PLAN: &str = r#"
[subject]
build = "echo echo work $(($(cat a) * $(cat b))) '#' $(ls) > prog"
artifacts = ["prog"]

[[benchmark]]
name = "work"
command = "sh {build}/prog"
metrics = [{ name = "work", from = 'regex:work ([0-9.]+)' }]
"#;

/// Steps of a history: a commit `NAME` or `NAME file=text`, `on BRANCH` (made where nobody is yet),
/// `merge MESSAGE BRANCH...`, `tag NAME`.
pub fn made(steps: &str) -> Project {
    let start = Project::repository().plan(PLAN).file("a", "100").file("b", "100").commit("m0");
    steps.split(';').map(|step| step.split_whitespace().collect::<Vec<_>>()).fold(
        start,
        |project, step| match step.as_slice() {
            ["on", branch] => {
                let exists = project.git(["branch", "--list", branch]).contains(branch);
                let new = if exists { "--force" } else { "-b" };
                project.git(["checkout", "--quiet", new, branch]);
                project
            }
            ["merge", message, branch] => {
                project.git(["merge", "--quiet", "--no-ff", "--no-commit", branch]);
                project.commit(message)
            }
            ["merge", message, one, other] => {
                project.git(["merge", "--quiet", "--no-ff", "--no-commit", one, other]);
                project.commit(message)
            }
            ["tag", name] => project.tag(name),
            [name, files @ ..] => {
                let project = project.file(&format!("id-{name}"), name);
                let write = |project: Project, file: &&str| {
                    let (path, text) = file.split_once('=').unwrap();
                    project.file(path, text)
                };
                files.iter().fold(project, write).commit(name)
            }
            [] => project,
        },
    )
}

/// What is told, without how long it took, and which names the bisections have.
pub fn told(text: &str) -> String {
    let name = regex::Regex::new("bisection [a-z]+").unwrap();
    let text = name.replace_all(text, "bisection NAME");
    let lasting = |line: &&str| !line.contains("; run ") && !line.starts_with("`tacho bisect log ");
    text.lines().filter(lasting).map(|line| format!("{line}\n")).collect()
}

/// The subjects of what is named, in order.
pub fn named(answer: &serde_json::Value) -> Vec<&str> {
    let culprits = answer["standing"]["culprits"].as_array().unwrap();
    let place =
        |culprit: &serde_json::Value| usize::try_from(culprit["place"].as_u64().unwrap()).unwrap();
    culprits.iter().map(|it| answer["candidates"][place(it)]["subject"].as_str().unwrap()).collect()
}

/// The branch takes up the main line, which became slower meanwhile, before it becomes slower
/// itself.
const TAKEN_UP: &str = "m1; on br; b1; on main; m2; m3-innocent a=150; m4; tag good; m5; on br; \
    merge back main; b2; b3-guilty b=112; b4; on main; m6; merge bring br; m7; tag bad";

#[test]
fn what_a_branch_took_up_is_not_what_it_brought() {
    let project = made(TAKEN_UP);
    let answer = project.tacho("bisect good bad --into-merges --quiet").exits(0);
    assert_snapshot!(told(&answer.stdout), @r"
    a876480bc1 2023-11-15 b3-guilty
      by A. Author
      changed work of `work` by +12.0 %
      over 99.9 % likely; verified in 1 fresh pair, compared with 9b1592ea1d

    inside the merge 54c0abd862 (bring), which has an effect of +12.0 % in bisection NAME
    each commit that 54c0abd862 brought is merged into 8c546e3165, and the result is measured
    the whole merge, with all commits it brought: +12.0 %

    revision    date        samples   work
    8c546e3165  2023-11-15        2  15000
    9b1592ea1d  2023-11-15        2  15000
    a876480bc1  2023-11-15        2  16800     ←
    54c0abd862  2023-11-15        2  16800

    bisect once more, with fresh samples:
      tacho bisect good bad --benchmark work --metric work --min-effect 2% \
        --into-merges --again
    ");
    assert_snapshot!(
        answer.stderr,
        @"note: 54c0abd862 is a merge: searching its commits"
    );
    let json = project.tacho("bisect good bad --into-merges --json").exits(0).json();
    let merge = &json["asked"]["within"][0];
    assert_eq!(
        (merge["subject"].as_str(), merge["ends"][0].as_str()),
        (Some("bring"), Some("good"))
    );
    assert!((merge["effect"]["estimate"].as_f64().unwrap() - 0.12).abs() < 1e-6, "{merge}");
    let markdown = project.tacho("bisect log --markdown").exits(0).stdout;
    assert!(
        markdown.contains(
            "`tacho bisect good bad --benchmark work --metric work --min-effect 2% --into-merges`"
        ),
        "{markdown}"
    );
}

#[test]
fn what_both_sides_did_alike_is_not_what_the_branch_brought() {
    let steps = "m1; on br; b1; on main; m2 a=80; tag good; m3; on br; b2-guilty b=112; b3-as-m2 \
        a=80; b4; on main; m4; merge bring br; tag bad";
    let project = made(steps);
    let json = project.tacho("bisect good bad --into-merges --json").exits(0).json();
    assert_eq!(named(&json), ["b2-guilty"]);
}

#[test]
fn all_parents_of_a_merge_brought_something() {
    let steps = "m1; tag good; on x; x1; x2; on main; on y; y1; y2-guilty b=115; y3; on main; m2; \
        merge bring x y; m3; tag bad";
    let project = made(steps);
    let json = project.tacho("bisect good bad --into-merges --json").exits(0).json();
    assert_eq!(named(&json), ["y2-guilty"]);
    let subjects =
        json["candidates"].as_array().unwrap().iter().map(|it| it["subject"].as_str().unwrap());
    assert_eq!(subjects.collect::<Vec<_>>(), ["m2", "x1", "x2", "y1", "y2-guilty", "y3", "bring"]);
}

#[test]
fn a_merge_in_a_merge_is_gone_into() {
    let steps = "m1; tag good; on br; b1; on inner; i1; i2-guilty a=112; i3; on br; b2; merge \
        inside inner; b3; on main; m2; merge bring br; m3; tag bad";
    let project = made(steps);
    let json = project.tacho("bisect good bad --into-merges --json").exits(0).json();
    assert_eq!(named(&json), ["i2-guilty"]);
    let within: Vec<_> =
        json["asked"]["within"].as_array().unwrap().iter().map(|it| &it["subject"]).collect();
    assert_eq!(within, ["bring", "inside"]);
}

#[test]
fn what_goes_the_other_way_than_the_merge_is_not_named_for_it() {
    let steps = "m1; tag good; on br; b1; b2-better a=50; b3; b4-worse b=230; b5; on main; m2; \
        merge bring br; tag bad";
    let project = made(steps);
    let json = project.tacho("bisect good bad --into-merges --json").exits(0).json();
    assert!(named(&json).contains(&"b4-worse"), "{json}");
}

#[test]
fn what_does_not_merge_is_kept_apart() {
    // What the branch changes at first, and takes back, is in the way of the main line.
    let steps = "m1; tag good; on br; b1 c=1; b2-guilty c=2 b=112; b3; b4 c=0; on main; m2 c=9";
    let project = made(steps);
    project.git(["merge", "--quiet", "--no-ff", "--no-commit", "-X", "ours", "br"]);
    let project = project.commit("bring").tag("bad");
    let answer = project.tacho("bisect good bad --into-merges --quiet").exits(0).stdout;
    assert!(
        answer.contains(
            " bring\n  by A. Author\n  or one of the 4 commits before it that could not be \
             measured\n"
        ),
        "{answer}"
    );
    assert!(answer.contains("not built: it does not merge without conflicts\n"), "{answer}");
}

#[test]
fn a_merge_that_did_it_itself_is_named() {
    let project = made("m1; tag good; on br; b1; b2; on main; m2");
    project.git(["merge", "--quiet", "--no-ff", "--no-commit", "br"]);
    let project = project.file("a", "130").commit("bring").tag("bad");
    let answer = project.tacho("bisect good bad --into-merges --quiet").exits(0);
    let short = &id(&project, "HEAD")[..10];
    let why = format!(
        "note: no single commit of merge {short} makes the change: the merge itself does\n"
    );
    assert!(answer.stderr.ends_with(&why), "{}", answer.stderr);
    assert!(answer.stdout.contains(&format!("{short} 2023-11-15 bring\n")), "{}", answer.stdout);
}

#[test]
fn a_commit_of_a_merge_is_reverted_alone() {
    let project = made(TAKEN_UP);
    let answer = project.tacho("bisect good bad --into-merges --revert --quiet").exits(0);
    assert!(answer.stdout.contains("\nreverted:\n"), "{}", answer.stdout);
}

#[test]
fn commits_of_a_merge_that_cannot_be_measured_are_a_set_with_it() {
    let project = step(3, 3);
    project.git(["checkout", "--quiet", "-b", "side"]);
    let project = project.file("prog", "echo work 100 # a\n").commit("side 1");
    let project = project.file("prog", "exit 3\n").commit("side 2");
    project.git(["checkout", "--quiet", "main"]);
    project.git(["merge", "--quiet", "--no-ff", "-m", "bring side", "side"]);
    let project = project.file("prog", "echo work 150 # c\n");
    project.git(["commit", "--quiet", "--amend", "--all", "-m", "bring side"]);
    let project = project.file("prog", "echo work 150 # d\n").commit("after");
    let answer = project.tacho("bisect HEAD~3 HEAD --into-merges --quiet").exits(0);
    let short = &id(&project, "HEAD~1")[..10];
    let why = format!(
        "note: the cause is {short} itself, or the commit before it that could not be \
                 measured\n"
    );
    assert!(answer.stderr.ends_with(&why), "{}", answer.stderr);
    assert!(
        answer
            .stdout
            .contains(" bring side\n  by A. Author\n  or the commit before it that could not"),
        "{}",
        answer.stdout
    );
}

#[test]
fn into_a_merge_that_did_it() {
    let project = merged();
    let outer = project.tacho("bisect HEAD~4 HEAD --quiet").exits(0);
    assert!(outer.stdout.contains("bring side"), "{}", outer.stdout);
    assert!(
        outer
            .stderr
            .ends_with(" is a merge: with `--into-merges` the same command searches its commits\n"),
        "a hint is no progress: {}",
        outer.stderr
    );
    let inner = project.tacho("bisect HEAD~4 HEAD --into-merges --quiet").exits(0);
    assert!(inner.stdout.contains("side 2"), "{}", inner.stdout);
    assert!(inner.stderr.contains(" is a merge: searching its commits\n"), "{}", inner.stderr);
}

#[test]
fn a_merge_is_not_gone_into_where_another_may_have_done_it() {
    let project = step(3, 3);
    project.git(["checkout", "--quiet", "-b", "side"]);
    let project = project.file("prog", "echo work 150\n").commit("side 1");
    project.git(["checkout", "--quiet", "main"]);
    let project = project.file("prog", "exit 3\n").commit("broken");
    project.git(["merge", "--quiet", "--no-ff", "-X", "theirs", "-m", "bring side", "side"]);
    let project = project.file("prog", "echo work 150 # d\n").commit("after");
    let answer = project.tacho("bisect HEAD~4 HEAD --into-merges --quiet").exits(0);
    assert!(
        answer
            .stdout
            .contains(" bring side\n  by A. Author\n  or the commit before it that could not"),
        "{}",
        answer.stdout
    );
    let why = " is a merge, but the commit before it that could not be measured may have done it \
        instead: the merge is not searched\n";
    assert!(answer.stderr.contains(why), "{}", answer.stderr);
}

/// A branch of three, whose second changes it, and its merge.
fn merged() -> Project {
    let project = step(3, 3);
    project.git(["checkout", "--quiet", "-b", "side"]);
    let project = project.file("prog", "echo work 100 # a\n").commit("side 1");
    let project = project.file("prog", "echo work 150 # b\n").commit("side 2");
    let project = project.file("prog", "echo work 150 # c\n").commit("side 3");
    project.git(["checkout", "--quiet", "main"]);
    let project = project.file("doc", "words\n").commit("words");
    project.git(["merge", "--quiet", "--no-ff", "-m", "bring side", "side"]);
    project.file("prog", "echo work 150 # d\n").commit("after")
}

/// The main line goes on while a branch becomes slower, and takes it in; some noise of its own
/// lets it be judged.
fn tracked_merge() -> Project {
    let main = |n: u32| format!("m{n} a={}", 10_000 + n * 7919 % 101);
    let some = |range: std::ops::Range<u32>| range.map(main).collect::<Vec<_>>().join(";");
    let branch = "on br; b1; b2-guilty b=120; b3; on main";
    made(&format!("{}; {branch}; {}; merge bring br; {}", some(1..9), some(9..12), some(12..20)))
}

#[test]
fn a_change_stays_at_the_merge_whose_commit_was_named() {
    let project = tracked_merge();
    project.tacho("track --quiet --seed 1").succeeds();
    let rows = |project: &Project| -> Vec<String> {
        let table = project.tacho("track --quiet --seed 1").succeeds().stdout;
        table.lines().filter(|line| line.contains('%')).map(str::to_owned).collect()
    };
    let before = rows(&project);
    let change = |project: &Project| {
        project.tacho("changes --json").json()["events"][0]["changes"][0].clone()
    };
    let name = change(&project)["name"].as_str().unwrap().to_owned();
    project.tacho(&format!("bisect --change {name} --into-merges --quiet")).exits(0);
    let (guilty, merge) = (id(&project, "br~1"), id(&project, "HEAD~8"));
    let change = change(&project);
    assert_eq!((&change["revision"], &change["bad"]), (&merge.as_str().into(), &merge.into()));
    assert_eq!(change["of_merge"]["revision"], guilty.as_str());
    let shown = project.tacho(&format!("changes show {name}")).succeeds().stdout;
    let short = &guilty[..10];
    assert!(shown.contains(&format!("commit {short} of the merge named by bisection ")), "{shown}");
    assert!(shown.contains("\none of 4 commits after "), "{shown}");
    assert!(shown.contains(&format!("tacho show {short} --diff\n")), "{shown}");
    assert!(shown.contains(" saw it in fresh samples of both commits\n"), "{shown}");
    // Nothing that was built for the bisection alone is a value of the series.
    assert_eq!(rows(&project), before);
}
