//! A PostgreSQL server that a test starts for itself, on a Unix socket, and stops again.

use std::fmt::Display;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tacho_store::Location;
use tempfile::TempDir;

use super::Ground;

/// Set to 1, it makes a missing PostgreSQL a failure instead of a reason to skip.
const REQUIRE: &str = "TACHO_REQUIRE_POSTGRES";

/// A server with databases of its own; stopped when dropped.
pub struct Server {
    programs: PathBuf,
    folder: TempDir,
    databases: AtomicU32,
}

impl Server {
    /// Starts a server, or says why not.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            assert_ne!(
                std::env::var(REQUIRE).as_deref(),
                Ok("1"),
                "no PostgreSQL under /usr/lib/postgresql"
            );
            say("skipped: no PostgreSQL under /usr/lib/postgresql");
            return None;
        };
        // Not where TMPDIR says: the path of a socket may have 107 bytes.
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        if is_root(folder.path()) {
            complete(Command::new("chown").arg("postgres").arg(folder.path()));
        }
        let server = Self { programs, folder, databases: AtomicU32::new(0) };
        let data = server.folder.path().join("data");
        let initdb = ["-A", "trust", "-U", "tacho", "-E", "UTF8", "--locale=C", "--no-sync", "-D"];
        complete(server.command("initdb").args(initdb).arg(&data));
        let log = server.folder.path().join("log");
        let options =
            format!("-k {} -c listen_addresses='' -c fsync=off", server.folder.path().display());
        complete(server.pg_ctl().args(["start", "-w", "-t", "60", "-o", &options, "-l"]).arg(&log));
        Some(server)
    }

    /// An empty database.
    pub fn ground(&self) -> Ground {
        let name = format!("ground{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut client = postgres::Client::connect(&self.url("postgres"), postgres::NoTls).unwrap();
        client.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        Ground {
            location: Location::Postgres { url: self.url(&name), logs: folder.path().join("logs") },
            folder,
        }
    }

    fn url(&self, database: &str) -> String {
        format!("host={} user=tacho dbname={database}", self.folder.path().display())
    }

    fn pg_ctl(&self) -> Command {
        let mut command = self.command("pg_ctl");
        command.arg("-D").arg(self.folder.path().join("data"));
        command
    }

    /// A program of PostgreSQL's, as a user that it agrees to be executed by.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = if is_root(Path::new("/proc/self")) {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let stopped =
            self.pg_ctl().args(["stop", "-m", "immediate", "-w"]).stdout(Stdio::null()).status();
        if !stopped.is_ok_and(|status| status.success()) {
            say("the PostgreSQL server of a test could not be stopped");
        }
    }
}

/// To the terminal, past what the test harness keeps to itself.
pub fn say(words: impl Display) {
    let _ = writeln!(std::io::stderr(), "{words}");
}

/// Where the newest PostgreSQL's programs are.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.map(|entry| entry.unwrap().path().join("bin"));
    let version = |path: &PathBuf| -> u32 {
        let name = path.parent().and_then(Path::file_name);
        name.and_then(|name| name.to_str()).and_then(|name| name.parse().ok()).unwrap_or(0)
    };
    folders.filter(|folder| folder.join("initdb").exists()).max_by_key(version)
}

fn is_root(owned: &Path) -> bool {
    owned.metadata().unwrap().uid() == 0
}

#[track_caller]
fn complete(command: &mut Command) {
    // Not through a pipe: the server would hold it open.
    let status = command.stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}
