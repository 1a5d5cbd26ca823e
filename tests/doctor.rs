//! The machine and the instrument, described.

use std::process::Command;

use crate::harness::{Project, SCRIPT_PLAN};

#[test]
fn the_instrument_measures_itself_without_a_plan() {
    let project = Project::empty();
    let answer = project.tacho("doctor --instrument --turns 7 --json").succeeds().json();
    let instrument = &answer["instrument"];
    assert_eq!(instrument["turns"], 7);
    for part in ["empty_loop", "nothing", "true", "between"] {
        let number = |key: &str| instrument[part][key].as_f64().unwrap();
        assert!(number("min") > 0.0 && number("min") <= number("median"), "{part}: {instrument}");
        assert!(number("median") <= number("max"), "{part}: {instrument}");
    }
    assert!(instrument["clock_step"].as_f64().unwrap() >= 1.0);
    let table = project.tacho("doctor --instrument --turns 7").succeeds().stdout;
    for word in ["an empty program", "between two executions", "7 turns"] {
        assert!(table.contains(word), "{word} is not in\n{table}");
    }
}

#[test]
fn a_host_that_is_not_quiet_is_told() {
    let mut busy = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
    let project = Project::empty();
    let answer = project.tacho("doctor --instrument --turns 1 --json");
    let shown = project.tacho("doctor --instrument --turns 1");
    busy.kill().and_then(|()| busy.wait()).unwrap();
    assert!(answer.succeeds().json()["instrument"]["disturbed"].is_string());
    assert!(shown.succeeds().stdout.contains("\nnot quiet: "));
}

#[test]
fn facts_alone_measure_nothing() {
    let project = Project::empty();
    let answer = project.tacho("doctor --facts --json").succeeds().json();
    assert!(answer["instrument"].is_null() && answer["facts"]["arch"].is_string(), "{answer}");
    assert!(answer["machine"]["cpu.online"]["value"].is_string(), "{answer}");
    let wrong = project.tacho("doctor --turns 3");
    assert_eq!(wrong.status, 2, "--turns means nothing without --instrument");
    // In a pipe each fact is a line, however long; a terminal folds it.
    let listed = project.tacho("doctor --facts").succeeds().stdout;
    let facts = answer["machine"].as_object().unwrap();
    let is_fact = |line: &str| facts.contains_key(line.split(' ').next().unwrap());
    let (state, facts_shown) = listed.split_once("\n\n").unwrap();
    assert!(facts_shown.lines().all(is_fact), "{listed}");
    assert!(facts_shown.contains("\ncpu.model ") && !state.contains("cpu.model"), "{listed}");
}

#[test]
fn findings_decide_the_status_of_another_machine_too() {
    let project = Project::empty()
        .file("fast/proc/sys/kernel/randomize_va_space", "2\n")
        .file("slow/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
    let fit = project.tacho("doctor --sysroot fast").succeeds();
    assert_eq!(fit.stdout, "machine: no known setting disturbs measurements\n");
    let unfit = project.tacho("doctor --sysroot slow").exits(1);
    assert_eq!(
        unfit.stdout,
        "\
machine: 1 finding of high harm

high    the clock source is hpet
        Each reading of the clock is a system call of a microsecond or more, in
          the program under test too.
        cannot be set here: the kernel found the processor's own clock (tsc)
          unstable
        source: https://docs.kernel.org/timers/timekeeping.html#clock-sources
"
    );
    let answer = project.tacho("doctor --sysroot slow --json").exits(1).json();
    assert_eq!(
        (&answer["fit"], &answer["findings"][0]["name"]),
        (&false.into(), &"clock-source".into())
    );
    let project = project.file("other/readme", "");
    let other = project.tacho("doctor --sysroot other").exits(2);
    assert!(other.stderr.contains("`other` is no copy of a machine's files"), "{}", other.stderr);
    let nowhere = project.tacho("doctor --sysroot none").exits(2);
    assert!(nowhere.stderr.starts_with("error: cannot read `none`: "), "{}", nowhere.stderr);
}

#[test]
fn a_run_records_what_the_instrument_read_of_itself() {
    let project = Project::scripts(1).plan(SCRIPT_PLAN);
    project.tacho("track").succeeds();
    let runs = project.tacho("log --json").succeeds().json();
    let conditions = runs["runs"][0]["conditions"].as_object().unwrap();
    let ours: Vec<&str> =
        conditions.keys().filter_map(|key| key.strip_prefix("instrument.")).collect();
    assert_eq!(
        ours,
        ["between", "clock-step", "loop-spread", "nothing", "true", "true-least", "true-spread"]
    );
    assert!(conditions.contains_key("now.kernel"), "{conditions:?}");
}

#[test]
fn the_noise_of_this_host_is_measured() {
    let project = Project::empty();
    let shown = project.tacho("doctor --noise=1s --quiet").succeeds().stdout;
    assert!(shown.contains("in 60 min") && shown.contains("\n`true` "), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    let answer = project.tacho("doctor --noise=1s --quiet --json").succeeds().json();
    assert_eq!(answer["noise"].as_array().map(Vec::len), Some(3), "{answer}");
    assert!(answer["noise"][0]["rounds"].as_u64() >= Some(20), "{answer}");
}

#[test]
fn the_first_line_is_a_verdict() {
    let project = Project::empty();
    let shown = project.tacho("doctor").stdout;
    let (verdict, findings) = shown.split_once("\n\n").unwrap();
    let known =
        ["busy: ", "quiet now: ", "unsteady: "].iter().any(|word| verdict.starts_with(word));
    assert!(known && shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let hint = verdict.split_once("\nhint: `tacho compare -m cpu`");
    assert_eq!(hint.is_none(), verdict.starts_with("quiet now: "), "{verdict}");
    let fitness = findings.starts_with("machine: ");
    assert!(
        verdict.contains("\n`true`, executed ") && verdict.contains(" times just now: spread "),
        "{shown}"
    );
    assert!(fitness, "{shown}");
}
