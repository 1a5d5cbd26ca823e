//! The machine is set for a command, and put back whatever ends it.

use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::Project;

const ASLR: &str = "lab/proc/sys/kernel/randomize_va_space";

/// A folder with the files of a machine that has three settings.
fn lab() -> Project {
    Project::empty()
        .file(ASLR, "2\n")
        .file("lab/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
        .file("lab/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n")
        .file("lab/proc/sys/kernel/random/boot_id", "5f0c1a43\n")
}

fn aslr(project: &Project) -> String {
    std::fs::read_to_string(project.path().join(ASLR)).unwrap()
}

fn wait_for(path: &Path) {
    let begin = Instant::now();
    while !path.exists() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{} does not appear", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// `tacho tune` with a command that says when it began and goes on for long.
fn long(project: &Project) -> Child {
    let words = [
        "tune",
        "--sysroot",
        "lab",
        "aslr=0",
        "turbo",
        "--",
        "sh",
        "-c",
        "touch begun; exec sleep 60",
    ];
    let mut command = project.command(words);
    let child =
        command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(&project.path().join("begun"));
    assert_eq!(aslr(project), "0\n");
    child
}

/// Sends a signal to that process, or with `-` to its group.
fn signal(name: &str, of: &str) {
    assert!(Command::new("kill").args([name, "--", of]).status().unwrap().success());
}

#[test]
fn settings_hold_while_the_command_is_executed() {
    let project = lab();
    let answer =
        project.tacho(&format!("tune --sysroot lab aslr=0 thp=never turbo -- cat {ASLR}")).exits(0);
    assert_eq!(
        (answer.stdout.as_str(), answer.stderr.as_str()),
        ("0\n", "set: 3 changes\nput back: 3 changes\n")
    );
    assert_eq!(aslr(&project), "2\n");
    let answer = project.tacho("tune --sysroot lab aslr=2 -- false").exits(1);
    assert_eq!(answer.stderr, "everything is set already\n");
}

#[test]
fn without_a_command_they_hold_until_they_are_put_back() {
    let project = lab();
    assert_eq!(
        project.tacho("tune --sysroot lab turbo aslr=0").exits(0).stderr,
        "set: 2 changes\n"
    );
    assert_eq!(aslr(&project), "0\n");
    let again = project.tacho("tune --sysroot lab thp=never").exits(2);
    assert_eq!(
        again.stderr,
        "error: settings made by an earlier `tacho tune` are still in place: 2 changes\n\
         hint: `tacho tune --restore` puts them back\n"
    );
    std::fs::write(project.path().join(ASLR), "1\n").unwrap();
    let answer = project.tacho("tune --sysroot lab --restore").succeeds();
    assert_eq!(
        answer.stdout,
        "put back: 1 change\nleft alone: /proc/sys/kernel/randomize_va_space is 1, changed by \
         something else (it was 2, tacho wrote 0)\n"
    );
    assert_eq!(
        project.tacho("tune --sysroot lab --restore").succeeds().stdout,
        "nothing to put back\n"
    );
}

#[test]
fn a_dry_run_changes_nothing() {
    let project = lab();
    let answer =
        project.tacho("tune --sysroot lab --dry-run turbo thp=never nice=-5 -- true").succeeds();
    assert_eq!(
        answer.stdout,
        "\
write never to /sys/kernel/mm/transparent_hugepage/enabled (now madvise)
write 1 to /sys/devices/system/cpu/intel_pstate/no_turbo (now 0)
execute the command with niceness -5
"
    );
    // It refuses what the real call would.
    let refused = project.tacho("tune --sysroot lab --dry-run nice=5").exits(2);
    assert_eq!(
        refused.stderr,
        "\
error: `nice=5` is for a command, and none is given
hint: write the command after `--`
"
    );
    assert!(!project.path().join("lab/var").exists());
}

#[test]
fn mistakes_are_explained_and_change_nothing() {
    let project = lab();
    let error =
        |arguments: &str| project.tacho(&format!("tune --sysroot lab {arguments}")).exits(2).stderr;
    let hint = "hint: `tacho tune` lists the settings of this machine\n";
    assert_eq!(
        error("trubo"),
        format!("error: unknown setting `trubo`; did you mean `turbo`?\n{hint}")
    );
    assert_eq!(error("aslr"), format!("error: `aslr` needs a value: `aslr=0|1|2`\n{hint}"));
    let missing = error("aslr=0 smt -- true");
    assert!(missing.starts_with("error: cannot set `smt=off`: not available here: "), "{missing}");
    assert_eq!(
        error("nice=5"),
        "error: `nice=5` is for a command, and none is given\nhint: write the command after `--`\n"
    );
    assert!(
        error("turbo -- /no/such/program").contains("error: cannot execute `/no/such/program`: ")
    );
    assert_eq!(aslr(&project), "2\n");
}

#[test]
fn ctrl_c_puts_everything_back() {
    let project = lab();
    let mut child = long(&project);
    // The terminal sends it to the whole group.
    signal("-INT", &format!("-{}", child.id()));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(aslr(&project), "2\n");
}

#[test]
fn a_signal_to_tacho_alone_ends_the_command_too() {
    let project = lab();
    let mut child = long(&project);
    signal("-TERM", &child.id().to_string());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(aslr(&project), "2\n");
}

#[test]
fn killed_the_next_call_puts_everything_back() {
    let project = lab();
    let mut child = long(&project);
    let group = format!("-{}", child.id());
    signal("-KILL", &child.id().to_string());
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    signal("-KILL", &group);
    assert_eq!(aslr(&project), "0\n");
    let found = project.tacho("doctor --sysroot lab").exits(1).stdout;
    assert!(
        found.contains("high    a `tacho tune` that was killed left 2 changes in place\n"),
        "{found}"
    );
    for question in ["tune --sysroot lab", "tune --sysroot lab --dry-run thp=never"] {
        let said = project.tacho(question).exits(0).stderr;
        assert!(said.contains("that was killed left 2 changes in place\n"), "{said}");
    }
    let answer = project.tacho(&format!("tune --sysroot lab thp=never -- cat {ASLR}")).exits(0);
    assert_eq!(answer.stdout, "2\n");
    let earlier = "a killed `tacho tune` had left changes behind; put back: 2 changes\n";
    assert_eq!(answer.stderr, format!("{earlier}set: 1 change\nput back: 1 change\n"));
}

#[test]
fn all_settings_are_listed_in_80_columns() {
    let listed = lab().tacho("tune --sysroot lab").succeeds().stdout;
    assert!(
        listed.contains(
            "\nturbo=on|off              whether CPUs may exceed their base frequency (now on)\n"
        ),
        "{listed}"
    );
    assert!(listed.lines().all(|line| line.chars().count() <= 80), "{listed}");
}

#[test]
fn niceness_is_of_the_command_alone() {
    let answer = lab().tacho("tune nice=7 -- nice").succeeds();
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("7\n", ""));
}
