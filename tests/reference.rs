//! The reference: fixed programs beside the subject, and a fixed revision of it.

use crate::harness::{Project, SCRIPT_PLAN};

#[test]
fn fixed_programs_are_executed_beside_the_subject() {
    let project = Project::scripts(2);
    let tracked = project.tacho("track --reference full -r 2").exits(0);
    assert!(tracked.stderr.contains("note: reference: 12 executions, "), "{}", tracked.stderr);
    let shown = project.tacho("show run:1").succeeds().stdout;
    let head = shown.lines().next().unwrap();
    assert!(head.starts_with("run 1: track "), "{shown}");
    assert!(shown.contains("\nreference: 12 executions, "), "{shown}");
    assert!(shown.contains("\nmachine.kernel.version "), "{shown}");
    // The page of the run has the same line, as a sentence.
    project.tacho("site pages").succeeds();
    let page = std::fs::read_to_string(project.path().join("pages/runs/1.html")).unwrap();
    let line = shown.lines().find(|line| line.starts_with("reference: ")).unwrap();
    let sentence = format!("<p class=\"note\">R{}.</p>", &line[1..]);
    assert!(page.contains(&sentence), "{line}: {page}");
    let run = project.tacho("show run:1 --json").succeeds().json();
    assert_eq!((&run["runs"][0]["run"], &run["runs"][0]["purpose"]), (&1.into(), &"track".into()));
    let off = project.tacho("track --reference off -r 3").succeeds();
    assert!(!off.stderr.contains("reference: "), "{}", off.stderr);
    let wrong = project.tacho("track --reference some").exits(2).stderr;
    assert!(wrong.contains("valid values: `off`, `cheap`, `full`"), "{wrong}");
}

#[test]
fn commands_are_timed_beside_fixed_programs() {
    let project = Project::empty();
    let mut command =
        project.command(["bench", "-r", "2", "--machine-reference", "full", "--json"]);
    let answer = crate::harness::Answer::of(&command.arg("sleep 0.01").output().unwrap());
    let said = &answer.succeeds().json()["machine_reference"];
    assert_eq!(said["executions"], 12);
    let share = said["share"].as_f64().unwrap();
    assert!((0.5..1.0).contains(&share), "{said}");
}

#[test]
fn a_fixed_revision_is_measured_again_beside_new_ones() {
    let project = Project::scripts(3);
    let first = project.git(["rev-list", "--max-parents=0", "HEAD"]).trim().to_owned();
    let text = format!("{SCRIPT_PLAN}\n[reference]\nprograms = \"off\"\nrevision = \"{first}\"\n");
    let project = project.plan(&text);
    project.tacho("track HEAD~1").succeeds();
    let samples = |project: &Project| {
        let shown = project.tacho(&format!("show {first} --json")).succeeds().json();
        shown["hosts"][0]["benchmarks"][0]["samples"].as_array().unwrap().len()
    };
    assert_eq!(samples(&project), 4, "three rounds and a warmup, though it is not in the range");
    // The newest one before it is measured again too, and that is said.
    project.tacho("track HEAD").exits(0);
    assert_eq!(samples(&project), 8, "again beside a new one");
    project.tacho("track HEAD").succeeds();
    assert_eq!(samples(&project), 8, "nothing is new");
}
