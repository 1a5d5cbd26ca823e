//! A host that is not quiet: waited for, told, and its rounds repeated.

use std::process::{Child, Command, Stdio};

use tacho_measure::HostReader;

use crate::harness::{Answer, Project};

/// Something else that uses a CPU for as long as it lives here.
struct Load(Child);

impl Load {
    fn new() -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// A script that takes 400 ms of no processor, twice after a warmup.
fn project() -> Project {
    let plan = "[subject]\nartifacts = ['prog']\n[measure]\nrounds = 2\n\
                [[benchmark]]\nname = 'sleep'\ncommand = 'sh {build}/prog'\n";
    Project::repository().file("prog", "sleep 0.4\n").commit("one").plan(plan)
}

/// Whether this host tells who uses its processors; says so if it does not.
fn tells_of_others() -> bool {
    let reader = HostReader::new();
    let why = reader.absent().find(|(name, _)| *name == "host-other-cpu");
    if let Some((_, why)) = why {
        eprintln!("not tested: {why}");
    }
    why.is_none()
}

#[test]
fn commands_side_by_side_tell_of_it_too() {
    if !tells_of_others() {
        return;
    }
    let project = Project::empty();
    let measure = |more: &[&str]| {
        let words = ["bench", "--quiet", "--quiet-wait=300ms", "-r", "1", "sleep 0.4"];
        Answer::of(&project.command(words.iter().chain(more).copied()).output().unwrap()).exits(0)
    };
    let load = Load::new();
    let (told, json) = (measure(&[]).stderr, measure(&["--json"]).json());
    drop(load);
    assert!(told.contains("for a quiet host") && told.contains("disturbed and repeated"), "{told}");
    assert!(
        json["waits"][0]["why"].is_string() && !json["disturbed"].as_object().unwrap().is_empty(),
        "{json}"
    );
}

#[test]
fn a_load_beside_is_waited_for_no_longer_than_wished_and_rounds_are_repeated() {
    if !tells_of_others() {
        return;
    }
    let project = project();
    let load = Load::new();
    let tracked = project.tacho("track HEAD --quiet-wait=1s").exits(0);
    drop(load);
    assert!(tracked.stderr.contains("for a quiet host"), "{}", tracked.stderr);
    assert!(tracked.stderr.contains(" disturbed and repeated"), "{}", tracked.stderr);

    let run = &project.tacho("log --json").succeeds().json()["runs"][0];
    let waits = run["waits"].as_array().unwrap();
    let waited: f64 = waits.iter().map(|wait| wait["took"].as_f64().unwrap()).sum();
    assert!(waited > 0.0 && waited <= 1.0, "{waits:?}");
    assert!(
        waits.iter().all(|wait| wait["why"].is_string() && wait["quiet"].is_boolean()),
        "{waits:?}"
    );

    let known = project.tacho("show HEAD --json").succeeds().json();
    let samples = known["hosts"][0]["benchmarks"][0]["samples"].as_array().unwrap();
    let rounds = |of: &dyn Fn(&serde_json::Value) -> bool| -> Vec<String> {
        samples
            .iter()
            .filter(|sample| of(sample))
            .map(|sample| sample["round"].to_string())
            .collect()
    };
    let disturbed = rounds(&|sample| sample["disturbed"].is_string());
    let listed: Vec<&String> = run["disturbed"].as_object().unwrap().keys().collect();
    assert_eq!(listed, disturbed.iter().collect::<Vec<_>>());
    assert!((1..=4).contains(&disturbed.len()), "each of two rounds at most twice: {disturbed:?}");
    assert_eq!(rounds(&|sample| sample["valid"] == true && sample["round"] != 0).len(), 2);
    let series = project.tacho("show --json").succeeds().json();
    assert_eq!(
        series["series"][0]["points"][0]["values"].as_array().unwrap().len(),
        2,
        "the others count not"
    );
    let shown = project.tacho("show HEAD").succeeds().stdout;
    assert!(shown.contains("do not count; the first: disturbed: "), "{shown}");
    project.tacho("site pages").succeeds();
}

#[test]
fn the_wait_can_be_requested_in_a_plan_and_must_be_a_time() {
    let project = project();
    let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
    let project = project.plan(&plan.replace("rounds = 2", "rounds = 2\nquiet-wait = '1s'"));
    project.tacho("track --dry-run HEAD").succeeds();
    let wrong = project.tacho("track --dry-run --quiet-wait=soon HEAD").exits(2);
    insta::assert_snapshot!(wrong.stderr, @r#"
    error: `soon` is not a duration
    hint: durations are written like "500ms", "60s", "5m" or "2h"
    "#);
}

/// A blank there would make a command of the time.
#[test]
fn the_time_to_wait_is_typed_as_it_is_advised() {
    let project = crate::harness::Project::empty();
    project.tacho("bench -q -r 2 --quiet-wait=1s true").exits(0);
    let blank = project.tacho("bench -q -r 2 --quiet-wait 1s true").exits(2);
    assert!(blank.stderr.contains("cannot execute `1s`"), "{}", blank.stderr);
}
