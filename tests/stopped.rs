//! Commands that stop the process that started them, the launcher.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Answer, Project};

/// Stops the launcher, and stays.
const STOPPER: &str = "kill -STOP $PPID; echo >begun; exec sleep 1000";
const WHY: &str = "the process of tacho that starts commands was stopped (SIGSTOP), by the \
    command or by another process";

/// The error output of `tacho bench` with these words, which finds only failures, soon.
fn failing(project: &Project, words: &[&str]) -> String {
    let begun = Instant::now();
    let mut command =
        project.command(["bench", "--quiet"].into_iter().chain(words.iter().copied()));
    let answer = Answer::of(&command.output().unwrap()).exits(2);
    assert!(begun.elapsed() < Duration::from_secs(100), "{:?}", begun.elapsed());
    answer.stderr
}

#[test]
fn a_command_that_stops_its_launcher_fails_with_or_without_a_limit() {
    let project = Project::empty();
    for limit in [&["--timeout", "500ms"][..], &[]] {
        let error = failing(&project, &[limit, &["-r", "2", STOPPER]].concat());
        assert!(error.contains("2 executions failed") && error.contains(WHY), "{error}");
    }
}

/// The orders for its executions are sent ahead, as it was quick at first.
#[test]
fn a_command_that_stops_its_launcher_later_fails_then() {
    let script = "echo >>log; [ $(wc -l <log) -ne 20 ] || kill -STOP $PPID";
    let project = Project::empty().file("script", script);
    let error = failing(&project, &["-r", "30", "sh script"]);
    assert!(error.contains(WHY), "{error}");
    let log = std::fs::read_to_string(project.path().join("log")).unwrap();
    assert!((30..=31).contains(&log.lines().count()), "{log:?}");
}

fn started(project: &Project, words: &[&str]) -> Child {
    let mut command =
        project.command(["bench", "--quiet"].into_iter().chain(words.iter().copied()));
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = project.path().join("begun");
    while !begun.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::remove_file(begun).unwrap();
    child
}

#[test]
fn ctrl_c_and_sigterm_end_what_stops_its_launcher() {
    let project = Project::empty();
    for signal in ["-INT", "-TERM"] {
        let mut child = started(&project, &["-r", "1000000", STOPPER]);
        assert!(
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
}
