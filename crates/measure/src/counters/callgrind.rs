//! Instructions, counted by callgrind: the program is executed once more, in software, so that no
//! processor need count.
//!
//! Callgrind writes a file when a process ends. Three things make the sum of these files that of
//! all processes:
//!
//! - A process that another one splits off (`fork`) starts with what was counted of the other so
//!   far. So the other is made to write a file, and to start from 0, right before.
//! - A process that becomes another program (`exec`) forgets what it has done. So it is made to
//!   write a file before.
//! - A killed process writes none, but its log exists.
//!
//! The first two are detected by the functions of the C library that do it. A program that calls
//! the kernel directly is detected by its files: see [`sum`].

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tacho_record::{Cgroup, Conditions, Limits};
use tempfile::TempDir;

use super::callgrind_files::{CallgrindFiles, sum};
use super::count::Unavailable;
use crate::{Execution, ExecutionEnd, Executor, Request};

const PROGRAM: &str = "valgrind";

/// The options of callgrind: they override all settings of the user.
///
/// Lines of code are not needed, and files are small without them. No process is queried while it
/// runs.
const OPTIONS: [&str; 5] = [
    "--tool=callgrind",
    "--command-line-only=yes",
    "--trace-children=yes",
    "--dump-line=no",
    "--vgdb=no",
];

/// The functions before which a file is written.
const BEFORE: [&str; 11] = [
    "__execve",
    "__fork",
    "__libc_fork",
    "__vfork",
    "execve",
    "execveat",
    "fexecve",
    "fork",
    "posix_spawn",
    "posix_spawnp",
    "vfork",
];

/// The result of an execution under callgrind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallgrindExecution {
    /// The execution; its times, and what it used, are those of callgrind.
    pub execution: Execution,
    /// How many instructions it executed, with all that it started, outside of the kernel; or why
    /// that is not known.
    pub instructions: Result<u64, String>,
    /// Callgrind's complaint in its own words, if it printed one.
    pub complaint: Option<String>,
}

/// The reason why callgrind is not available here, if so.
pub fn lacks() -> Option<Unavailable> {
    let asked = Command::new(PROGRAM).arg("--version").stdin(Stdio::null()).output();
    match asked {
        Ok(answer) if answer.status.success() => None,
        Ok(answer) => {
            Some(Unavailable::because(format!("`{PROGRAM} --version` failed: {}", answer.status)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let why = Unavailable::because(format!(
                "there is no `{PROGRAM}`, which callgrind is part of"
            ));
            Some(why.hint("most systems have it as a package of that name"))
        }
        Err(error) => Some(Unavailable::because(format!("cannot start `{PROGRAM}`: {error}"))),
    }
}

/// Executes the request under callgrind, once.
///
/// Its addresses are not random unless the request sets this, and its environment always has the
/// same length: both slightly change what programs do. Only the time limit applies, since callgrind
/// itself needs memory.
pub fn under_callgrind(executor: &mut dyn Executor, request: &Request) -> CallgrindExecution {
    let folder = match tempfile::Builder::new().prefix("tacho-callgrind-").tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            let why = format!("no folder for the files of callgrind: {error}");
            let ended = ExecutionEnd::NotStarted(why.clone());
            let execution = Execution::of(ended, executor.now(), Duration::ZERO);
            return CallgrindExecution { execution, instructions: Err(why), complaint: None };
        }
    };
    let mut wrapped = wrapped(request, &folder);
    if request.conditions.aslr.is_none() && executor.rehearse(&wrapped).is_err() {
        // Some containers forbid it. Callgrind puts most of the program's memory where it likes
        // anyway.
        wrapped.conditions.aslr = None;
    }
    let execution = executor.execute(&wrapped);
    let files = CallgrindFiles::read(folder.path());
    CallgrindExecution { execution, instructions: sum(&files), complaint: files.complaint }
}

/// The same request, its command under callgrind, which writes into that folder.
fn wrapped(request: &Request, folder: &TempDir) -> Request {
    let file = |name: &str| placeholder_free(&folder.path().join(name));
    let mut command: Vec<String> =
        [PROGRAM].iter().chain(&OPTIONS).map(|&word| word.to_owned()).collect();
    command.extend(BEFORE.map(|function| format!("--dump-before={function}")));
    command.push(format!("--log-file={}.%p", file("log")));
    command.push(format!("--callgrind-out-file={}.%p", file("out")));
    command.extend_from_slice(&request.command);
    let conditions = Conditions {
        aslr: Some(request.conditions.aslr.unwrap_or(false)),
        random_environment: false,
        cold: false,
        cgroup: Cgroup::Never,
        ..request.conditions.clone()
    };
    let limits = Limits::default();
    Request {
        command,
        conditions,
        limits,
        counters: Vec::new(),
        tree_memory: false,
        tree_blocks: false,
        ..request.clone()
    }
}

/// The path as valgrind reads it: `%p` and the like are filled in.
fn placeholder_free(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%%")
}
