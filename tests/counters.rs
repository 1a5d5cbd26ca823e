//! Counters: requested by a plan or by `--counter`, there or not there.

use std::sync::Arc;

use insta::assert_snapshot;
use tacho_measure::{Executor, ProcessExecutor};
use tacho_record::{Counter, Metric, Outcome, Place, Sample};
use tacho_store::{Location, Store};

use crate::harness::{Project, SCRIPT_PLAN, done};

/// Whether this host has that counter; says so if it has not.
fn has(counter: Counter) -> bool {
    let lacking = ProcessExecutor::new(Arc::default()).lacks(counter);
    if let Some(lacking) = &lacking {
        eprintln!("not tested: no `{}`: {}", counter.name(), lacking.why);
    }
    lacking.is_none()
}

/// Three rounds of a script with these metrics.
fn script(metrics: &str) -> Project {
    Project::scripts(1).plan(&format!("{SCRIPT_PLAN}metrics = [{metrics}]\n"))
}

/// The values of the only point of that series.
fn values(answer: &serde_json::Value, metric: &str) -> Vec<f64> {
    let series = answer["series"].as_array().unwrap();
    let one = series.iter().find(|series| series["metric"] == metric);
    let values = &one.unwrap_or_else(|| panic!("{answer}"))["points"][0]["values"];
    values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn a_counter_of_the_kernels_is_counted_where_the_plan_names_it() {
    if !has(Counter::TaskClock) {
        return;
    }
    let project = script("'task-clock', 'wall'");
    assert_snapshot!(project.tacho("track").succeeds().steady_stdout(), @r"
    answer · task-clock (lower is better)  <line>

      revision  date  subject  n  median  spread
      18b5b85ede  2023-11-14  change 1  3  <time>  <percent>

    4 samples in <time>: <time> building, <time> executing, <time> other
    ");
    let all = project.tacho("show --metric task-clock --metric cpu --json").succeeds().json();
    let (clock, cpu) = (values(&all, "task-clock"), values(&all, "cpu"));
    // It begins with the program; `cpu` has the making of the process too.
    let nearly = |(clock, cpu): (&f64, &f64)| (0.1..1.5).contains(&(clock / cpu));
    assert!(clock.len() == 3 && clock.iter().zip(&cpu).all(nearly), "{clock:?} of {cpu:?}");
}

#[test]
fn a_counter_that_is_not_there_is_an_error_before_anything_is_built() {
    let project = script("'wall', 'instructions'");
    let answer = project.tacho("track");
    if has(Counter::Instructions) {
        answer.succeeds();
        return;
    }
    let answer = answer.exits(2);
    assert!(
        answer
            .stderr
            .starts_with("error: benchmark `answer` requests `instructions`: not available here: ")
    );
    assert!(
        answer
            .stderr
            .ends_with("; `instructions?` leaves the metric out where it is not available\n"),
        "{}",
        answer.stderr
    );
    if answer.stderr.contains("virtual") {
        assert_snapshot!(answer.stderr, @"
        error: benchmark `answer` requests `instructions`: not available here: no access to the processor's counters, as in most virtual machines
        hint: `instructions=callgrind` counts them by executing the program in software; `instructions?` leaves the metric out where it is not available
        ");
    }
    let optional = script("'wall', 'instructions?'").tacho("track").exits(0);
    let note = "note: `instructions` of `answer` is absent: not available here: ";
    assert!(
        optional.stderr.starts_with(note) && optional.stderr.lines().count() == 1,
        "{}",
        optional.stderr
    );
}

#[test]
fn what_cannot_be_counted_and_need_not_is_not_executed_for_again() {
    let project = script("'wall'");
    project.tacho("track --quiet").exits(0);
    let counted = project.tacho("track --counter instructions? --json").exits(0).json();
    let again = project.tacho("track --counter instructions? --json").exits(0).json();
    assert_eq!(again["samples"], 0);
    let needed = if has(Counter::Instructions) { 4 } else { 0 };
    assert_eq!(counted["samples"], needed);
}

#[test]
fn counters_that_nobody_knows_are_told_with_those_that_are() {
    let project = Project::scripts(1);
    assert_snapshot!(project.tacho("track --counter cycels").exits(2).stderr, @"
    error: unknown counter `cycels`
    hint: known: `instructions`, `cycles`, `branches`, `branch-misses`, `cache-references`, `cache-misses`, `task-clock`, `cpu-migrations`, `energy`, `energy-dram`, `callgrind-instructions`; `instructions=callgrind` is another name of `callgrind-instructions`
    ");
}

/// A program that spins so often.
fn spins(turns: u32) -> String {
    format!(
        "int main(void) {{ for (long i = 0; i < {turns}; i++) __asm__ volatile(\"\"); return 0; \
         }}\n"
    )
}

const PROGRAM: &str = r#"
[subject]
build = "cc -O1 -o prog prog.c"
artifacts = ["prog"]

[measure]
rounds = 2

[[benchmark]]
name = "spin"
command = "{build}/prog"
"#;

fn two_programs() -> Project {
    Project::repository()
        .file("prog.c", &spins(1_000_000))
        .commit("a million turns")
        .file("prog.c", &spins(1_010_000))
        .commit("ten thousand more")
}

/// The medians of callgrind's instructions of all revisions, oldest first.
fn instructions(project: &Project, command: &str) -> Vec<f64> {
    let answer = project.tacho(command).exits(0).json();
    let series = answer["series"].as_array().unwrap();
    let series = series.iter().find(|series| series["metric"] == "callgrind-instructions").unwrap();
    series["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["median"].as_f64().unwrap())
        .collect()
}

#[test]
fn callgrind_tells_programs_apart_to_the_instruction() {
    if !has(Counter::CallgrindInstructions) {
        return;
    }
    let project =
        two_programs().plan(&format!("{PROGRAM}metrics = ['callgrind-instructions', 'wall']\n"));
    let counts = instructions(&project, "track --json");
    // A turn of the loop is the same few instructions each time, and all else is the same.
    let more = counts[1] - counts[0];
    assert!(more % 10_000.0 < 10.0 && (2.0..5.0).contains(&(more / 10_000.0)), "{counts:?}");
    // Counted once again in another run: two values each, which agree.
    let again = instructions(&project, "track --rounds 3 --json");
    assert!(
        again.iter().zip(&counts).all(|(one, other)| (one - other).abs() < 10.0),
        "{counts:?}, then {again:?}"
    );
    let answer = project.tacho("show --json").succeeds().json();
    let both: Vec<usize> = answer["series"][0]["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["values"].as_array().unwrap().len())
        .collect();
    assert_eq!(both, [2, 3], "one of them twice in the run that has several rounds");
}

#[test]
fn a_kept_count_is_known_no_better_than_one_of_today() {
    if !has(Counter::CallgrindInstructions) {
        return;
    }
    let project = two_programs().plan(&format!("{PROGRAM}metrics = ['callgrind-instructions']\n"));
    let row = |typed: &str| {
        project.tacho(&format!("compare {typed} --json")).exits(0).json()["rows"][0].clone()
    };
    let today = row("HEAD~1 HEAD -r 1 --no-control --save-as good");
    let kept = row("run:1/a good --kept");
    assert_eq!((&kept["ratio"], &kept["verdict"]), (&today["ratio"], &today["verdict"]));
    assert_eq!((&kept["notes"], &today["notes"]), (&serde_json::json!(["once"]), &kept["notes"]));
    let width = |row: &serde_json::Value| {
        let [low, high] = [0, 1].map(|end| row["interval"][end].as_f64().unwrap());
        (high / low).ln()
    };
    // Where runs are planned, a part of the error is kept for those who go on.
    let narrower = width(&kept) / width(&today);
    assert!((0.85..=1.0).contains(&narrower), "{kept} {today}");
    let told = project.tacho("compare run:1/a good --kept").exits(0).stdout;
    let told = told.split_once("\nnot executed in this run: ").unwrap().1;
    assert!(told.starts_with("run:1/a and good\n"), "{told}");
}

#[test]
fn one_session_may_ask_for_what_the_plan_does_not() {
    if !has(Counter::CallgrindInstructions) {
        return;
    }
    let project = two_programs().plan(PROGRAM);
    project.tacho("track").succeeds();
    let asked = "track --counter instructions=callgrind --json";
    let counts = instructions(&project, asked);
    assert!(counts[0] > 2e6 && counts[1] > counts[0], "{counts:?}");
    let again = project.tacho(asked).succeeds().json();
    assert_eq!((&again["run"], &again["samples"]), (&serde_json::Value::Null, &0.into()));
    assert_eq!(instructions(&project, "show --metric callgrind-instructions --json"), counts);
}

#[test]
fn counts_of_some_of_the_time_are_told_to_be_scaled() {
    let project = script("'wall'");
    project.tacho("track").succeeds();
    // As a processor with too few counters would have it.
    let mut store = Store::open(&Location::Folder(project.path().join(".tacho"))).unwrap();
    let run = store.runs().unwrap().remove(0);
    let (measurement, _) = store.cells(run.number).unwrap().remove(0);
    let values = [(Metric::COUNTED_SHARE, 43.0), ("instructions", 1e7), ("wall", 1e6)];
    let sample = Sample {
        place: Place { round: 9, position: 0 },
        at: jiff::Timestamp::UNIX_EPOCH,
        outcome: Outcome::Valid,
        values: values.map(|(name, value)| (name.into(), value)).into(),
    };
    store.import(measurement, &[sample]).unwrap();
    drop(store);
    let shown = project.tacho("show --metric instructions").exits(0);
    assert_snapshot!(shown.stderr, @"
    note: `answer`: hardware counters were multiplexed: each was active for at least 43 % of the time, and its count is scaled
    hint: count fewer at once; `--metric counted-share` shows the shares
    ");
    assert!(
        project.tacho("show").succeeds().stdout.contains("wall"),
        "nothing is said of what needs no counter"
    );
}

#[test]
fn a_counter_that_is_named_as_a_metric_too_is_shown_once() {
    if !has(Counter::TaskClock) {
        return;
    }
    let project = Project::scripts(2).plan(SCRIPT_PLAN);
    let asked = "compare HEAD~1 HEAD -r 2 --counter task-clock --metric task-clock --json";
    let rows = project.tacho(asked).exits(0).json()["rows"].clone();
    let metrics: Vec<&str> =
        rows.as_array().unwrap().iter().filter_map(|row| row["metric"].as_str()).collect();
    assert_eq!(metrics, ["task-clock"]);
}

/// Two programs in five commits: too few for noisy values, enough for a count that repeats.
#[test]
fn few_builds_are_judged_by_a_count_that_repeats() {
    if !has(Counter::CallgrindInstructions) {
        return;
    }
    let plan = "[subject]\nbuild = 'make -s prog'\nartifacts = ['prog']\n[measure]\nrounds = \
                2\n[[benchmark]]\nname = 'loop'\ncommand = '{build}/prog'\nmetrics = ['wall', \
                'instructions=callgrind']\n";
    let program = |turns: u32| {
        format!(
            "int main(void) {{ volatile long s = 0; for (long i = 0; i < {turns}; i++) s += i; \
             return 0; }}\n"
        )
    };
    let mut project = Project::repository().file("prog.c", &program(100_000)).commit("few turns");
    for other in ["one", "two"] {
        project = project.file("NEWS", other).commit(other);
    }
    let project = project.file("prog.c", &program(130_000)).commit("more turns").plan(plan);
    let project = project.file("NEWS", "three").commit("three");
    let bad = project.git(["rev-parse", "HEAD~1"]).trim().to_owned();
    let mut track = project.command(["track"]);
    let told = String::from_utf8(done(&mut track).stderr).unwrap();
    let few = "note: no verdict yet for loop · wall: 5 measured revisions count as 2 points, \
               since equal builds in a row count once; a verdict needs 6 points, or 3 points that \
               one run measured in 3 rounds; `tacho compare ";
    assert!(told.contains(few), "{told}");
    let listing = project.tacho("changes --json").exits(1).json();
    let events = listing["events"].as_array().unwrap();
    assert_eq!(events.len(), 1, "{listing}");
    assert_eq!((&events[0]["revision"]["id"], &events[0]["commits"]), (&bad.into(), &1.into()));
    let change = &events[0]["changes"][0];
    assert_eq!(change["metric"], "callgrind-instructions");
    let name = change["name"].as_str().unwrap();
    let shown = project.tacho(&format!("changes show {name}")).exits(0).stdout;
    assert!(shown.contains("this counter is deterministic"), "{shown}");
    let hint = project.tacho("changes -m instructions").exits(2).stderr;
    assert!(hint.contains("hint: did you mean `callgrind-instructions`?"), "{hint}");
}
