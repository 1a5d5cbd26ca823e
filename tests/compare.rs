//! `tacho compare`: two revisions beside one another.

use crate::harness::{Project, SCRIPT_PLAN};

#[test]
fn two_revisions_are_compared_in_a_run_of_their_own() {
    let project = Project::scripts(2);
    let answer = project.tacho("compare HEAD~1 HEAD --rounds 4 --json").exits(0).json();
    let row = &answer["rows"][0];
    assert_eq!((&row["benchmark"], &row["metric"]), (&"answer".into(), &"wall".into()));
    assert_eq!((&row["rounds"], &row["samples"]), (&4.into(), &serde_json::json!([4, 4])));
    assert!(row["a"].as_f64().unwrap() > 0.0 && row["control"].as_f64().unwrap() > 0.0, "{row}");
    assert_eq!(answer["a"], project.git(["rev-parse", "HEAD~1"]).trim());
    let shown = project.tacho("log").exits(0).stdout;
    assert!(shown.contains("to compare two revisions"), "{shown}");
    let tracked = project.tacho("track HEAD~1..HEAD --json").exits(0).json();
    assert_eq!(tracked["samples"], 2 * 4, "what was compared is no part of a series");
}

#[test]
fn what_is_slower_is_told_and_can_be_a_failure() {
    let project = Project::repository().plan(SCRIPT_PLAN);
    let project = project.file("prog", "exit\n").commit("quick").file("prog", "sleep 0.7\n").commit("slow");
    let slower = project.tacho("compare HEAD~1 HEAD -r 8 --no-control --fail-on slower:50%").exits(1).stdout;
    assert!(slower.starts_with("HEAD against HEAD~1\n\n  benchmark  metric  n  "), "{slower}");
    assert!(slower.contains("  slower\n\n1 slower; a difference of "), "{slower}");
    let faster =
        project.tacho("compare HEAD HEAD~1 -r 8 --no-control --fail-on slower --markdown").exits(0).stdout;
    assert!(faster.starts_with("| benchmark | metric | HEAD | HEAD~1 | ratio | 95 % |"), "{faster}");
    assert!(faster.contains(" | faster |\n\n1 faster"), "{faster}");
}

#[test]
fn the_same_program_is_told_and_not_measured() {
    let project = Project::scripts(1).file("README", "words\n").commit("words");
    let same = project.tacho("compare HEAD~1 HEAD").exits(0).stdout;
    assert_eq!(same, "HEAD~1 and HEAD built to the same artifacts: they are the same program\n");
    assert_eq!(project.tacho("compare HEAD~1 --json").exits(0).json()["same_program"], true);
}

#[test]
fn what_cannot_be_compared_is_said_with_the_reason() {
    let plan = SCRIPT_PLAN.replace("artifacts", "build = 'test -e prog'\nartifacts");
    let project = Project::repository().plan(&plan);
    let project = project.file("other", "").commit("nothing").file("prog", "exit\n").commit("something");
    let told = project.tacho("compare HEAD~1 HEAD").exits(2).stdout;
    assert!(told.contains(" cannot be compared: its build failed: "), "{told}");
    let unknown = project.tacho("compare v9 HEAD").exits(2).stderr;
    assert!(unknown.starts_with("error: "), "{unknown}");
    let margin = project.tacho("compare HEAD~1 --margin x").exits(2).stderr;
    assert_eq!(
        margin,
        "error: `x` is not a precision\nhint: a precision is written like \"1%\" or \"0.5%\"\n"
    );
}

#[test]
fn what_fails_at_one_revision_is_told() {
    let project = Project::repository().plan(SCRIPT_PLAN);
    let project = project.file("prog", "exit\n").commit("works").file("prog", "exit 3\n").commit("fails");
    let answer = project.tacho("compare HEAD~1 HEAD -r 3 --no-control").exits(2).stdout;
    assert!(answer.contains("failed at HEAD (exit 3)"), "{answer}");
}
