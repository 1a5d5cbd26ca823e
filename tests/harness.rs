//! Projects in temporary folders, and `tacho` called in them.

use std::ffi::OsString;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Has what these tests start heed each signal again that whoever started them (`nohup`, a shell's
/// `&`) had them ignore.
fn heed_signals() {
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
        // SAFETY: no handler of these is installed here, only in the processes that these tests
        // start.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// A folder with a repository and a plan; gone when dropped.
pub struct Project {
    folder: TempDir,
    commits: u32,
    /// As wide as the terminal says it is; nothing: it is none.
    columns: Option<&'static str>,
    /// Whether `tacho` finds [`PROGRAMS`] before all others.
    has_programs: bool,
}

/// The folder of programs of a project.
const PROGRAMS: &str = ".programs";

impl Project {
    /// An empty folder without a repository.
    pub fn empty() -> Self {
        heed_signals();
        Self {
            folder: tempfile::tempdir().unwrap(),
            commits: 0,
            columns: None,
            has_programs: false,
        }
    }

    /// An empty git repository.
    pub fn repository() -> Self {
        let project = Self::empty();
        project.git(["init", "--quiet", "--initial-branch=main"]);
        project
    }

    /// A repository with the plan of [`SCRIPT_PLAN`] and so many commits, each with a script of its
    /// own.
    pub fn scripts(commits: u32) -> Self {
        let commit = |n| (format!("echo answer # revision {n}\n"), format!("change {n}"));
        Self::repository().commits("prog", (1..=commits).map(commit)).plan(SCRIPT_PLAN)
    }

    /// On a terminal that is wide enough for all columns of a table.
    pub fn wide(self) -> Self {
        Self { columns: Some("1000"), ..self }
    }

    pub fn plan(self, text: &str) -> Self {
        self.file("tacho.toml", text)
    }

    pub fn file(self, name: &str, content: &str) -> Self {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// `cvs` does not sleep (`sleepless.c` says why it would).
    pub fn with_sleepless_cvs(self) -> Self {
        let folder = self.path().join(PROGRAMS);
        std::fs::create_dir(&folder).unwrap();
        let (library, program) = (folder.join("sleepless.so"), folder.join("cvs"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sleepless.c");
        let how = ["-shared", "-fPIC", "-o"];
        done(Command::new("cc").args(how).arg(&library).arg(source).arg("-ldl"));
        let path = std::env::var("PATH").unwrap();
        let script = format!(
            "#!/bin/sh\nPATH='{path}' LD_PRELOAD='{}' exec cvs \"$@\"\n",
            library.display()
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        Self { has_programs: true, ..self }
    }

    /// Commits everything but the plan, an hour after the commit before.
    pub fn commit(mut self, subject: &str) -> Self {
        self.commits += 1;
        let date = date(self.commits);
        let own = [":!tacho.toml", ":!.cache", ":!.state", ":!.tacho-lock"];
        self.git(["add", "--all", "--", ".", own[0], own[1], own[2], own[3]]);
        let mut command = self.git_command();
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        done(command.args(["commit", "--quiet", "--allow-empty", "-m", subject]));
        self
    }

    /// Commits of this file, each with its content and its subject, as [`file`](Self::file) and
    /// [`commit`](Self::commit) make them; many take no longer than few.
    pub fn commits(mut self, file: &str, all: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut all = all.into_iter();
        let Some((content, subject)) = all.next() else { return self };
        self = self.file(file, &content).commit(&subject);
        let branch = self.git(["symbolic-ref", "HEAD"]);
        let mut stream = format!("reset {branch}from {}\n", self.git(["rev-parse", "HEAD"]));
        for (content, subject) in all {
            self.commits += 1;
            let by = format!("A. Author <a@example.org> {}", date(self.commits));
            stream += &format!(
                "commit {branch}author {by}\ncommitter {by}\ndata {}\n{subject}\nM 100644 inline \
                 {file}\ndata {}\n{content}\n",
                subject.len() + 1,
                content.len()
            );
        }
        let input = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(input.path(), stream).unwrap();
        let mut command = self.git_command();
        done(command.args(["fast-import", "--quiet"]).stdin(input.into_file()));
        self.git(["reset", "--quiet", "--hard"]);
        self
    }

    /// Another project that is where this one is.
    pub fn copied(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        done(Command::new("cp").arg("-a").arg(self.path().join(".")).arg(folder.path()));
        Self {
            folder,
            commits: self.commits,
            columns: self.columns,
            has_programs: self.has_programs,
        }
    }

    pub fn tag(self, name: &str) -> Self {
        self.git(["tag", name]);
        self
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn git<const N: usize>(&self, arguments: [&str; N]) -> String {
        String::from_utf8(done(self.git_command().args(arguments)).stdout).unwrap()
    }

    fn git_command(&self) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(self.path())
            // Each commit would start a process that looks for what to tidy up.
            .args(["-c", "maintenance.auto=false"])
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null");
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "A. Author")
                .env(format!("GIT_{role}_EMAIL"), "a@example.org");
        }
        command
    }

    /// `tacho` in this project, not yet executed: its cache, its lock and
    /// what is kept of the host are the project's own.
    pub fn command<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tacho"));
        command
            .current_dir(self.path())
            .args(arguments)
            .env("PATH", self.programs())
            .env("TACHO_CACHE", self.cache())
            .env("TACHO_LOCK", self.path().join(".tacho-lock"))
            .env("XDG_STATE_HOME", self.path().join(".state"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("TZ", "UTC")
            .env("NO_COLOR", "1")
            .env_remove("TACHO_STORE");
        if let Some(columns) = self.columns {
            command.env("COLUMNS", columns);
        }
        command
    }

    /// Where `tacho` finds programs. Version managers put shims before them, of which each is
    /// several shells, and each session that builds asks for the version of Python.
    fn programs(&self) -> OsString {
        let path = std::env::var_os("PATH").unwrap();
        let others = std::env::split_paths(&path).filter(|folder| !folder.ends_with("shims"));
        let own = self.has_programs.then(|| self.path().join(PROGRAMS));
        std::env::join_paths(own.into_iter().chain(others)).unwrap()
    }

    pub fn cache(&self) -> PathBuf {
        self.path().join(".cache")
    }

    /// Executes `tacho` with these words, split at blanks.
    pub fn tacho(&self, arguments: &str) -> Answer {
        Answer::of(&self.command(arguments.split_whitespace()).output().unwrap())
    }

    /// The same with this text as standard input.
    pub fn tacho_with(&self, arguments: &str, input: &str) -> Answer {
        let mut command = self.command(arguments.split_whitespace());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Answer::of(&child.wait_with_output().unwrap())
    }

    /// The places of all samples of all revisions: benchmark, revision, run, round, position;
    /// sorted.
    pub fn places(&self) -> Vec<String> {
        let mut places = Vec::new();
        for revision in self.git(["rev-list", "--first-parent", "HEAD"]).lines() {
            let answer = self.tacho(&format!("show {revision} --json"));
            if answer.status != 0 {
                continue; // not reached yet
            }
            for measured in answer.json()["hosts"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|host| host["benchmarks"].as_array().unwrap())
            {
                for sample in measured["samples"].as_array().unwrap() {
                    places.push(format!(
                        "{} {revision} {} {} {}",
                        measured["benchmark"], sample["run"], sample["round"], sample["position"]
                    ));
                }
            }
        }
        places.sort();
        places
    }
}

/// When that commit is made, as git writes it.
fn date(commit: u32) -> String {
    format!("{} +0000", 1_700_000_000 + 3600 * commit)
}

/// Each revision's script is its build; it answers in no time.
pub const SCRIPT_PLAN: &str = r#"
[subject]
artifacts = ["prog"]

[measure]
rounds = 3

[[benchmark]]
name = "answer"
command = "sh {build}/prog"
"#;

/// What is measured of a program that prints its work itself, so that nothing depends on how fast
/// this machine is.
pub const WORK: &str = r#"
[measure]
rounds = 2
link = 0
warmup = false

[[benchmark]]
name = "work"
command = "sh {build}/prog"
metrics = [{ name = "work", from = "regex:work ([0-9.]+)" }]
"#;

/// A fixed to and fro of 1 %, another for each number.
pub fn noise(n: u32) -> f64 {
    1.0 + 0.01 * (f64::from((n * 7919) % 101) / 101.0 - 0.5)
}

/// What `tacho` answered.
pub struct Answer {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    pub fn of(output: &Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: without_load(&String::from_utf8_lossy(&output.stderr)),
        }
    }

    /// Asserts the exit status.
    #[track_caller]
    pub fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that it went well and said nothing beside the answer.
    #[track_caller]
    pub fn succeeds(self) -> Self {
        let answer = self.exits(0);
        assert_eq!(answer.stderr, "");
        answer
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in:\n{}", self.stdout))
    }

    /// Standard output with what differs from time to time made equal.
    pub fn steady_stdout(&self) -> String {
        steady(&self.stdout)
    }

    /// Standard error with what differs from time to time made equal.
    pub fn steady_stderr(&self) -> String {
        steady(&self.stderr)
    }
}

/// Standard error without what is said of other work on the host: these tests are executed on busy
/// hosts too. Also without what is said of their short commands and short histories.
fn without_load(text: &str) -> String {
    let is_load = |line: &str| {
        line.starts_with("warning: other processes used ")
            || line.starts_with("warning: a hypervisor kept ")
            || line.contains(": most of the time is the start of a process: ")
            || line.starts_with("hint: repeat the work many times ")
            || line.starts_with("note: no verdict yet for ")
            || is_of_times(line)
            || line.starts_with("note: the host's speed moved by ")
            || line.starts_with("warning: commands waited for a CPU ")
            || line.starts_with("hint: `--metric cpu` shows the CPU time")
            || line.starts_with("hint: `--counter instructions=callgrind` counts instructions, ")
            || line.starts_with("hint: `--quiet-wait=10m` waits until the host is quiet")
            || is_of_progress(line)
    };
    text.split_inclusive('\n').filter(|line| !is_load(line)).collect()
}

/// How far it has come: on a busy host tests take longer than a few seconds.
fn is_of_progress(line: &str) -> bool {
    let stages = ["building", "measuring", "probing", "proving", "searching", "verifying"];
    stages.contains(&line.split([' ', ',']).next().unwrap_or_default())
}

/// That times changed, and nothing else: the wall and the CPU time of short scripts may.
fn is_of_times(line: &str) -> bool {
    let names = line
        .strip_prefix("note: also changed at these revisions: ")
        .and_then(|rest| rest.split_once(';'));
    names.is_some_and(|(names, _)| {
        names.split('`').skip(1).step_by(2).all(|name| ["wall", "cpu"].contains(&name))
    })
}

/// Times become `<time>`, percentages `<percent>`, sizes `<size>`, drawn lines `<line>`, temporary
/// folders `<folder>`; columns are two blanks apart. That the host's speed moved is left out.
pub fn steady(text: &str) -> String {
    let replace = |pattern: &str, by: &str, text: &str| {
        regex::Regex::new(pattern).unwrap().replace_all(text, by).into_owned()
    };
    let moved = concat!(
        r"(?ms)^ *(raw values; )?the host's speed moved.*?usual\s+speed[^\n]*\n",
        r"( *(as precise|precise as|as many|times as|many raw|raw samples)[^\n]*\n)?"
    );
    let text = replace(moved, "", text);
    let text = replace(r"/tmp/\.tmp\w+", "<folder>", &text);
    let text = replace(r"\.tmp\w+-[0-9a-f]{12}", "<project>", &text);
    let text = replace(r"on \S+: built in", "on <host>: built in", &text);
    let text = replace(r"\b\d+ min \d+ s\b|\b\d+(\.\d+)? (ns|µs|ms|s)\b", "<time>", &text);
    let text = replace(r"[+−]?\d+(\.\d+)? %|× \d+\.\d", "<percent>", &text);
    let text = replace(r"\b\d+(\.\d+)? (B|KiB|MiB|GiB)\b", "<size>", &text);
    let text = replace(r"[▁▂▃▄▅▆▇█][▁▂▃▄▅▆▇█ ]*", "<line>", &text);
    let text = replace(r"  +", "  ", &text);
    replace(r" +\n", "\n", &text)
}

/// Executes a command that must go well.
#[track_caller]
pub fn done(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}
