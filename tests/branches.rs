//! Tracking several branches, and commits that an amend replaced.

use crate::bisect::PLAN;
use crate::harness::Project;

const LEFT_OUT: &str = "left out until tracked again: on another branch, or replaced by an amend";

/// A commit whose program prints that much work.
fn work(project: Project, subject: &str, work: u32) -> Project {
    project.file("prog", &format!("echo work {work} # {subject}\n")).commit(subject)
}

/// `a`, `b` and `c` on the main branch, twice as much work on `side`, and `d` on the main branch.
fn two_branches() -> Project {
    let project = work(work(Project::repository().plan(PLAN), "a", 100), "b", 100);
    project.git(["branch", "--move", "main"]);
    let project = work(project, "c", 100);
    project.git(["checkout", "--quiet", "-b", "side"]);
    let project = work(work(project, "s", 200), "t", 200);
    project.git(["checkout", "--quiet", "main"]);
    work(work(project, "d", 100), "e", 100)
}

/// The subjects of the revisions that `show` has, and those of the changes.
fn shown(project: &Project) -> [String; 2] {
    let subject = |id: &serde_json::Value| {
        project.git(["log", "-1", "--format=%s", id.as_str().unwrap()]).trim().to_owned()
    };
    let series = project.tacho("show --json").succeeds().json();
    let points = series["series"][0]["points"].as_array().unwrap().clone();
    let changes = project.tacho("changes list --json");
    let events = changes.json()["events"].as_array().unwrap().clone();
    let subjects = |ids: Vec<String>| ids.join(" ");
    [
        subjects(points.iter().map(|point| subject(&point["revision"])).collect()),
        subjects(events.iter().map(|event| subject(&event["revision"]["id"])).collect()),
    ]
}

#[test]
fn only_the_branch_that_was_tracked_last_is_judged() {
    let project = two_branches();
    project.tacho("track main~4..main --quiet").exits(0);
    assert_eq!(shown(&project), ["a b c d e", ""]);
    let side = project.tacho("track main~4..side --quiet").exits(0);
    assert!(
        side.stderr.contains(&format!("2 measured revisions are {LEFT_OUT}")),
        "{}",
        side.stderr
    );
    assert_eq!(shown(&project), ["a b c s t", "s"]);
    project.tacho("track main --quiet").exits(0);
    project.tacho("track main~1 --quiet").exits(0);
    assert_eq!(shown(&project), ["a b c d e", ""], "an older revision hides none after it");
    project.git(["merge", "--quiet", "--strategy=ours", "-m", "m", "side"]);
    project.tacho("track main --quiet").exits(0);
    project.tacho("track main~4..main --all-parents --quiet").exits(0);
    assert_eq!(shown(&project)[0], "a b c d e s t m", "the merge brought them");
}

#[test]
fn a_commit_that_an_amend_replaced_is_left_out() {
    let project = work(work(Project::repository().plan(PLAN), "a", 100), "b", 100);
    let project = work(work(project, "c", 200), "d", 200);
    project.tacho("track HEAD~3..HEAD --quiet").exits(0);
    project.git(["reset", "--quiet", "--hard", "HEAD~2"]);
    let project = work(work(project, "new", 200), "last", 200);
    let tracked = project.tacho("track HEAD~3..HEAD --quiet").exits(0);
    assert!(tracked.stderr.contains(LEFT_OUT), "{}", tracked.stderr);
    assert_eq!(shown(&project), ["a b new last", "new"]);
    let exact = project.tacho("changes list --json").json()["events"][0]["commits"].clone();
    assert_eq!(exact, 1, "the commits that were replaced are no candidates");
    // Nor are they measured to link runs.
    let project = work(project, "typo", 200);
    project.tacho("track HEAD --quiet").exits(0);
    project.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    let project = work(work(project, "right", 200), "then", 200);
    let linked = project.tacho("track HEAD --quiet").exits(0).stderr;
    let last = project.git(["rev-parse", "--short=10", "HEAD~2"]);
    assert!(linked.contains(&format!("`{}` was measured again", last.trim())), "{linked}");
}
