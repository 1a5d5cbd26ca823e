//! Starts the subject: from a request to a process that is watched.
//!
//! The child is forked, not made by `vfork` or `posix_spawn`: those let it inherit the peak of our memory over our
//! whole life, a fork only what we hold now without files (`floor`). A start from a tiny helper would inherit
//! next to nothing, and belongs here.

use std::env;
use std::fs::File;
use std::io::{self, PipeWriter, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, getppid, kill_process, pidfd_open, set_parent_process_death_signal,
};

use super::output::Ends;
use super::reap;
use crate::Request;

/// A process that was started and not yet reaped.
pub struct Subject {
    /// Its number, which is its group's too.
    pub pid: Pid,
    /// Readable once it has ended.
    pub pidfd: OwnedFd,
    /// When it was started.
    pub started: Instant,
    /// The peak of memory that it had before it became the program, in bytes.
    pub floor: u64,
}

/// Starts it; or says in one line why that cannot be done.
pub fn start(request: &Request, ends: Ends) -> Result<Subject, String> {
    let (program, arguments) = request.command.split_first().ok_or("there is no command to execute")?;
    let (mut floor, child_floor) = io::pipe().map_err(|error| format!("cannot make a pipe: {error}"))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&request.directory)
        .envs(request.environment.iter().map(|(name, value)| (name, value)))
        .stdin(stdin(request.stdin.as_deref())?)
        .stdout(ends.stdout)
        .stderr(ends.stderr)
        .process_group(0);
    let parent = getpid();
    // SAFETY: between fork and exec `prepare` only makes system calls on values of its own.
    unsafe { command.pre_exec(move || prepare(parent, &child_floor)) };
    let started = Instant::now();
    let child = command.spawn().map_err(|error| why_not(request, program, &error))?;
    // Our ends for the child go with the command, else the pipes would have no end.
    drop(command);
    let pid = Pid::from_child(&child);
    let watched = pidfd_open(pid, PidfdFlags::empty()).map_err(io::Error::from);
    let mut bytes = [0; 8];
    match watched.and_then(|pidfd| floor.read_exact(&mut bytes).map(|()| pidfd)) {
        Ok(pidfd) => Ok(Subject { pid, pidfd, started, floor: u64::from_ne_bytes(bytes) }),
        Err(error) => {
            let _ = kill_process(pid, Signal::KILL);
            let _ = reap::wait(pid);
            Err(format!("`{program}` was started and cannot be watched: {error}"))
        }
    }
}

/// What the child does before it becomes the program: it dies when we do, and says how much memory it started with.
fn prepare(parent: Pid, floor: &PipeWriter) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(parent) {
        return Err(rustix::io::Errno::SRCH.into());
    }
    rustix::io::write(floor, &reap::own_peak().to_ne_bytes())?;
    Ok(())
}

fn stdin(file: Option<&Path>) -> Result<Stdio, String> {
    file.map_or(Ok(Stdio::null()), |path| {
        let error = |error| format!("cannot open `{}` for standard input: {error}", path.display());
        File::open(path).map(Stdio::from).map_err(error)
    })
}

/// Why the system refused to start it, in one line and in the words of whoever wrote the request.
fn why_not(request: &Request, program: &str, error: &io::Error) -> String {
    let directory = &request.directory;
    if !directory.is_dir() {
        return format!("the folder `{}` to execute it in does not exist", directory.display());
    }
    let path = directory.join(program);
    let named = program.contains('/');
    match error.raw_os_error() {
        Some(libc::E2BIG) => {
            let bytes: usize = request.command.iter().map(|word| word.len() + 1).sum();
            format!("the argument list of `{program}` is too long: {bytes} bytes")
        }
        Some(libc::ENOENT) if named && path.exists() => {
            format!("the interpreter that `{program}` names does not exist")
        }
        Some(libc::ENOENT) if named => format!("`{program}` does not exist"),
        Some(libc::ENOENT) => format!("command not found: `{program}`"),
        // A folder of `PATH` that we may not enter makes this of any command that is in none of the others.
        Some(libc::EACCES) if !named && !is_on_path(request, program) => {
            format!("command not found: `{program}`")
        }
        Some(libc::EACCES) if named && path.is_dir() => format!("`{program}` is a folder, not a program"),
        Some(libc::EACCES) => format!("`{program}` is not executable: permission denied"),
        _ => format!("cannot start `{program}`: {error}"),
    }
}

/// Whether a file of that name, executable or not, is in a folder of the `PATH` that the subject would have had.
fn is_on_path(request: &Request, program: &str) -> bool {
    let asked = request.environment.iter().rev().find(|(name, _)| name == "PATH");
    let path = asked.map(|(_, value)| value.into()).or_else(|| env::var_os("PATH")).unwrap_or_default();
    env::split_paths(&path).any(|folder| request.directory.join(folder).join(program).exists())
}
