//! Conditions and limits, through the binary.

use crate::harness::{Project, SCRIPT_PLAN};

/// One commit with that script, and a benchmark of it with these keys.
fn project(script: &str, keys: &str) -> Project {
    let plan = format!(
        "[subject]\nartifacts = [\"prog\"]\n[measure]\nrounds = 2\n\
         [[benchmark]]\nname = \"answer\"\ncommand = \"sh {{build}}/prog\"\n{keys}\n"
    );
    Project::repository().file("prog", script).commit("one").plan(&plan)
}

#[test]
fn a_limit_that_is_reached_is_a_result() {
    let project =
        project("while :; do :; done\n", "limits = { cpu-time = \"40ms\" }\nmetrics = [\"cpu\"]");
    let answer = project.tacho("track HEAD").succeeds();
    assert!(answer.stdout.contains("> "), "{}", answer.stdout);
    assert!(
        answer.stdout.contains("limit reached: 40.00 ms of processor time (2 executions)"),
        "{}",
        answer.stdout
    );
    let point = &project.tacho("show --json").succeeds().json()["series"][0]["points"][0];
    assert_eq!(
        (&point["limited"], &point["failed"], &point["median_is_bound"]),
        (&2.into(), &0.into(), &true.into())
    );
    assert!(point["median"].as_f64().unwrap() >= 40e6, "{point}");
    assert_eq!(point["values"], serde_json::json!([]));
    let shown = project.tacho("show HEAD").succeeds().stdout;
    assert!(
        shown.contains("2 executions reached a limit; the first: limit reached: 40.00 ms"),
        "{shown}"
    );
    assert!(project.tacho("track HEAD").succeeds().stdout.contains("nothing was missing"));
    project.tacho("site pages").succeeds();
    let pages: Vec<_> =
        std::fs::read_dir(project.path().join("pages/series")).unwrap().flatten().collect();
    let page = std::fs::read_to_string(pages[0].path()).unwrap();
    assert!(page.contains("limit reached: 40.00 ms of processor time"), "{page}");
}

#[test]
fn the_environment_is_little_of_ours_and_what_the_plan_gives() {
    let project = project(
        "echo \"$ONE $OURS $KEPT_TOO $HOME\"\n",
        "conditions = { environment = { ONE = \"1\" }, inherit-environment = [\"KEPT_*\"] }\n\
         expect = { stdout = { contains = \"1  ours /home/a\\n\" } }",
    );
    let mut command = project.command(["track", "HEAD"]);
    command.env("OURS", "ours").env("KEPT_TOO", "ours").env("HOME", "/home/a");
    crate::harness::Answer::of(&command.output().unwrap()).succeeds();
    let conditions = &project.tacho("log --json").succeeds().json()["runs"][0]["conditions"];
    assert_eq!(conditions["environment.HOME"], "~");
    let digest = conditions["environment.KEPT_TOO"].as_str().unwrap();
    assert!(digest.starts_with("digest ") && !digest.contains("ours"), "{digest}");
    assert_eq!(conditions["environment.OURS"], serde_json::Value::Null);
}

#[test]
fn a_variable_has_the_build_filled_in() {
    let project = Project::scripts(2).plan(&SCRIPT_PLAN.replace(
        "command = \"sh {build}/prog\"",
        "command = \"sh -c 'sh $AT/prog'\"\nconditions.environment.AT = \"{build}\"",
    ));
    project.tacho("track").succeeds();
}

#[test]
fn conditions_that_cannot_be_had_are_refused_before_anything_is_built() {
    let project = project("exit 0\n", "conditions = { cpus = \"0,1023\" }");
    let answer = project.tacho("track HEAD").exits(2);
    assert_eq!(
        answer.steady_stderr(),
        "error: benchmark `answer` cannot be executed as the plan says: cannot use \
         processors `0,1023`: some of these do not exist or may not be used\n\
         hint: `taskset -cp $$` \
         shows those that may be used here\n"
    );
    assert!(!project.cache().join("builds").exists());
}

#[test]
fn an_edited_condition_is_another_version() {
    let project = project("exit 0\n", "");
    project.tacho("track HEAD").succeeds();
    let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
    let project = project.plan(&format!("{plan}conditions = {{ nice = 5 }}\n"));
    let answer = project.tacho("track HEAD").exits(0);
    let told = "note: `answer` was edited: it starts a new series, as version 2\n";
    assert!(answer.stderr.starts_with(told), "{}", answer.stderr);
    assert!(answer.stdout.starts_with("answer v2 · wall"), "{}", answer.stdout);
}

#[test]
fn processes_left_behind_are_told_of() {
    let project = project("sleep 1000 &\nsleep 1000 &\n", "");
    let answer = project.tacho("track HEAD").exits(0);
    assert_eq!(
        answer.stderr,
        "note: 2 executions of `answer` left processes behind, which were killed\n\
         hint: the command should wait for its child processes, so that all of their work is \
         measured\n"
    );
    let shown = project.tacho("show HEAD").succeeds().stdout;
    assert!(shown.contains("3 executions left processes behind, which were killed"), "{shown}");
    let sample = &project.tacho("show HEAD --json").succeeds().json()["hosts"][0]["benchmarks"][0]
        ["samples"][0];
    assert_eq!(sample["values"]["left-behind"], 2.0);
}

#[test]
fn what_cannot_be_read_says_why() {
    let keys = "metrics = [\"wall\", \"peak-memory-tree\"]\nconditions = { cgroup = \"never\" }";
    let project = project("exit 0\n", keys);
    project.tacho("track HEAD").exits(0);
    let why = "control groups are forbidden (`cgroup = \"never\"`)";
    let shown =
        project.tacho("show HEAD --metric wall --metric peak-memory-tree").succeeds().stdout;
    assert!(shown.contains(&format!("peak-memory-tree: {why}")), "{shown}");
    let answer = project.tacho("show HEAD --json").succeeds().json();
    assert_eq!(answer["hosts"][0]["benchmarks"][0]["absent"]["peak-memory-tree"], why);
}

#[test]
fn what_went_to_devices_is_read_or_says_why() {
    let keys = "metrics = [\"wall\", \"block-input-tree\", \"block-output-tree\"]";
    let project = project("echo written >file\nsync file\n", keys);
    project.tacho("track HEAD").succeeds();
    let answer = project.tacho("show HEAD --json").succeeds().json();
    let benchmark = &answer["hosts"][0]["benchmarks"][0];
    let values = &benchmark["samples"][0]["values"];
    for name in ["block-input-tree", "block-output-tree"] {
        let why = benchmark["absent"][name].as_str();
        assert_ne!(values[name].is_number(), why.is_some(), "{name}: {benchmark}");
        assert!(why.is_none_or(|why| why.starts_with("not available here: ")), "{name}: {why:?}");
    }
    let shown = project.tacho("show HEAD --metric block-input-tree").succeeds().stdout;
    let is_there =
        shown.contains("of all processes together until the end, counted by the control group");
    assert_ne!(is_there, shown.contains("block-input-tree: not available here: "), "{shown}");
}

#[test]
fn what_the_host_does_not_tell_says_why() {
    let project = project("exit 0\n", "");
    project.tacho("track HEAD").exits(0);
    let answer = project.tacho("show HEAD --json").succeeds().json();
    let absent = &answer["hosts"][0]["benchmarks"][0]["absent"];
    for (reading, why) in tacho_measure::HostReader::new().absent() {
        assert_eq!(absent[reading], why);
        let shown = project.tacho(&format!("show HEAD --metric {reading}")).succeeds().stdout;
        assert!(shown.contains(&format!("{reading}: {why}")), "{shown}");
        let tracked = project.tacho(&format!("show --metric {reading}")).succeeds().stdout;
        let tracked = tracked.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(tracked.contains(why) && !tracked.contains("not measured yet"), "{tracked}");
    }
}

#[test]
fn what_a_metric_is_of_is_told() {
    // The shell waits for another that counts.
    let counts = "sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done'; exit 0\n";
    let project = project(counts, "metrics = [\"wall\", \"on-cpu\", \"peak-memory\"]");
    project.tacho("track HEAD").succeeds();
    let shown = project.tacho("show HEAD").succeeds().stdout;
    let peak = "peak-memory: the peak of the largest process, not of all together";
    assert!(shown.contains(peak), "{shown}");
    // A kernel may keep no account of it.
    let is_absent = shown.contains("on-cpu: not available here");
    assert!(is_absent || shown.contains("on-cpu: of the first thread, which used "), "{shown}");
}
