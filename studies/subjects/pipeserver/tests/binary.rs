//! `pipeserver` as it is called.
#![allow(clippy::unwrap_used)] // helpers of tests stand outside of test functions

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

fn pipeserver(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pipeserver")).args(arguments).output().unwrap()
}

fn texts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A helper, started; its pipe is there when `open` returns.
struct Helper {
    folder: TempDir,
    process: Child,
}

impl Helper {
    fn open(wait: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let process = Command::new(env!("CARGO_BIN_EXE_pipeserver"))
            .args(["serve", "--wait", wait])
            .arg(folder.path().join("pipe"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut helper = Self { folder, process };
        while texts(&pipeserver(&["send", &helper.pipe(), ""])).0 != 0 {
            assert!(helper.process.try_wait().unwrap().is_none(), "the helper has ended");
        }
        helper
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("pipe")
    }

    fn pipe(&self) -> String {
        self.path().to_str().unwrap().to_owned()
    }

    fn send(&self, lines: &[&str]) {
        let pipe = self.pipe();
        let output = pipeserver(&[&["send", &pipe], lines].concat());
        assert_eq!(texts(&output), (0, String::new(), String::new()));
    }

    fn end(self) -> (i32, String, String) {
        self.send(&["quit"]);
        let output = self.process.wait_with_output().unwrap();
        assert!(!self.folder.path().join("pipe").exists(), "the helper removes its pipe");
        texts(&output)
    }
}

#[test]
fn both_ways_of_waiting_count_the_same() {
    for wait in ["block", "busy"] {
        let helper = Helper::open(wait);
        helper.send(&["count b 2", "count a"]);
        // Any program may write, and a line may come in pieces.
        let mut pipe = fs::OpenOptions::new().write(true).open(helper.path()).unwrap();
        pipe.write_all(b"count").unwrap();
        pipe.write_all(b" a 40\nnonsense\nreport\n").unwrap();
        helper.send(&["count a"]);
        let expected = "a 41\nb 2\na 42\nb 2\n".to_owned();
        let warning = "warning: `nonsense` is no command: count, report or quit\n".to_owned();
        assert_eq!(helper.end(), (0, expected, warning), "{wait}");
    }
}

#[test]
fn lines_of_many_clients_at_once_stay_whole() {
    let helper = Helper::open("block");
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (name, helper) = (format!("count client{client}"), &helper);
            scope.spawn(move || helper.send(&vec![name.as_str(); 500]));
        }
    });
    let expected: String = (0..4).map(|client| format!("client{client} 500\n")).collect();
    assert_eq!(helper.end(), (0, expected, String::new()));
}

#[test]
fn a_busy_helper_uses_a_processor_and_a_blocking_one_does_not() {
    let value = |wait: &str, name: &str| -> f64 {
        let output = pipeserver(&["test", "--wait", wait, "--steps", "20", "--work", "1000000"]);
        let (status, stdout, stderr) = texts(&output);
        assert_eq!((status, stderr.as_str()), (0, ""));
        assert!(stdout.contains("\ncounted 20\n"), "{stdout}");
        let line = stdout.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" s").parse().unwrap()
    };
    // On a busy machine it gets less than a whole one, but far more than one that sleeps.
    assert!(value("busy", "helper-cpu") > 5.0 * value("block", "helper-cpu"));
}

#[test]
fn the_product_does_the_same_work_however_the_helper_waits() {
    let checksum = |arguments: &[&str]| {
        let (_, stdout, _) =
            texts(&pipeserver(&[arguments, &["--steps", "3", "--work", "1000"]].concat()));
        stdout.lines().last().unwrap().to_owned()
    };
    let alone = checksum(&["product"]);
    assert!(alone.starts_with("checksum "));
    assert_eq!(checksum(&["test", "--wait", "busy"]), alone);
    assert_eq!(checksum(&["test", "--wait", "block", "--silent"]), alone);
}

#[test]
fn a_pipe_that_was_there_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("mine");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let name = pipe.to_str().unwrap();
    let mut helper =
        Command::new(env!("CARGO_BIN_EXE_pipeserver")).args(["serve", name]).spawn().unwrap();
    while texts(&pipeserver(&["send", name, "quit"])).0 != 0 {
        assert!(helper.try_wait().unwrap().is_none(), "the helper has ended");
    }
    assert!(helper.wait().unwrap().success());
    assert!(pipe.exists());
}

#[test]
fn a_pipe_has_one_helper() {
    let helper = Helper::open("block");
    let name = helper.pipe();
    let in_use = format!(
        "error: another helper reads `{name}`\nhint: name another pipe, or end that helper first: \
         pipeserver send {name} quit\n"
    );
    for wait in ["block", "busy"] {
        let second = pipeserver(&["serve", "--wait", wait, &name]);
        assert_eq!(texts(&second), (2, String::new(), in_use.clone()));
    }
    // The first one goes on, with all lines.
    helper.send(&["count a"]);
    assert_eq!(helper.end(), (0, "a 1\n".to_owned(), String::new()));
}

#[test]
fn the_pipe_of_a_killed_helper_is_taken_over() {
    let mut first = Helper::open("block");
    first.process.kill().unwrap();
    first.process.wait().unwrap();
    let name = first.pipe();
    let mut second =
        Command::new(env!("CARGO_BIN_EXE_pipeserver")).args(["serve", &name]).spawn().unwrap();
    while texts(&pipeserver(&["send", &name, "quit"])).0 != 0 {
        assert!(second.try_wait().unwrap().is_none(), "the helper has ended");
    }
    assert!(second.wait().unwrap().success());
}

#[test]
fn a_signal_ends_a_helper_with_its_totals() {
    for (wait, signal) in [("block", "-INT"), ("busy", "-TERM")] {
        let helper = Helper::open(wait);
        helper.send(&["count a", "report"]);
        // The report says that the line has arrived.
        let (folder, mut process) = (helper.folder, helper.process);
        let mut first = [0; 4];
        process.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
        assert_eq!(&first, b"a 1\n");
        assert!(
            Command::new("kill")
                .args([signal, &process.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let output = process.wait_with_output().unwrap();
        assert_eq!(texts(&output), (0, "a 1\n".to_owned(), String::new()), "{wait}");
        assert!(!folder.path().join("pipe").exists());
    }
}

#[test]
fn a_full_pipe_is_not_waited_for_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // It stands for a helper that is stopped: it has the pipe open, and reads nothing.
    let _reader = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let name = pipe.to_str().unwrap();
    let line = format!("count {}", "x".repeat(4000));
    let output =
        pipeserver(&[&["send", "--timeout", "1", name], &[line.as_str(); 40][..]].concat());
    let stderr = format!(
        "error: the pipe `{name}` is full, and its helper has read nothing for 1 s\nhint: is the \
         helper stopped? `kill -CONT` lets it go on; `--timeout` waits longer\n"
    );
    assert_eq!(texts(&output), (2, String::new(), stderr));
}

#[test]
fn totals_that_cannot_be_written_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let name = pipe.to_str().unwrap();
    let mut helper = Command::new(env!("CARGO_BIN_EXE_pipeserver"))
        .args(["serve", name])
        .stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while texts(&pipeserver(&["send", name, "count a 7"])).0 != 0 {
        assert!(helper.try_wait().unwrap().is_none(), "the helper has ended");
    }
    pipeserver(&["send", name, "report", "quit"]);
    let stderr = "warning: cannot write a report: No space left on device (os error 28)\n\
                  error: cannot write the totals: No space left on device (os error 28)\n\
                  note: the totals are:\na 7\n";
    assert_eq!(texts(&helper.wait_with_output().unwrap()), (2, String::new(), stderr.to_owned()));
}

#[test]
fn mistakes_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (pipe, file) = (at("pipe"), at("file"));
    fs::write(&file, "").unwrap();
    let error = |arguments: &[&str]| {
        let (status, _, stderr) = texts(&pipeserver(arguments));
        assert_eq!(status, 2, "{arguments:?}");
        stderr
    };
    let not_a_pipe = format!(
        "error: `{file}` exists and is no named pipe\nhint: name another path, or remove it\n"
    );
    assert_eq!(error(&["serve", &file]), not_a_pipe);
    assert_eq!(error(&["send", &file, "quit"]), not_a_pipe);
    let no_helper = format!(
        "error: no helper reads `{pipe}`\nhint: start one first: pipeserver serve {pipe}\n"
    );
    assert_eq!(error(&["send", &pipe, "quit"]), no_helper);
    assert_eq!(error(&["product", "--pipe", &pipe]), no_helper);
    assert!(
        error(&["serve", "/nonexistent/pipe"])
            .starts_with("error: cannot make `/nonexistent/pipe`: ")
    );

    assert_eq!(
        error(&["send", &pipe, "nonsense"]),
        "error: `nonsense` is no command: count, report or quit\n"
    );
    let unquoted = format!(
        "error: `count` needs a name\nhint: put each command in quotes: pipeserver send {pipe} \
         'count c -3'\n"
    );
    assert_eq!(error(&["send", &pipe, "count", "c", "-3"]), unquoted);

    let helper = Helper::open("block");
    let (name, long) = (helper.pipe(), format!("count {}", "x".repeat(4994)));
    let too_long =
        "error: a line of 5001 bytes is too long: at most 4096 are written in one piece\n";
    assert_eq!(error(&["send", &name, &long]), too_long);
    helper.end();
}
