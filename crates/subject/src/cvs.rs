//! The program `cvs`, called so that nothing in a user's configuration or environment changes what
//! it does.

use std::ffi::OsStr;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tacho_record::plan::CvsModule;

use crate::SubjectError;

/// How long a repository may be silent before it counts as unreachable.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is reported how far reading has come, from the first time on.
const TICK: Duration = Duration::from_secs(1);

/// Receives reports of long reading.
static LISTENER: OnceLock<fn(ReadProgress)> = OnceLock::new();

/// How far reading what a repository has to say has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadProgress {
    /// This number of bytes.
    Bytes(usize),
    /// To its end; not reported where nothing was reported before.
    Ended,
}

/// Has this function receive reports of reading that takes longer than a second; the first that is
/// given stays.
pub fn report_reading(listener: fn(ReadProgress)) {
    LISTENER.get_or_init(|| listener);
}

/// Variables that change what cvs does, or make it write.
const VARIABLES: [&str; 9] = [
    "COMSPEC",
    "CVSIGNORE",
    "CVSREAD",
    "CVSREADONLYFS",
    "CVSROOT",
    "CVSUMASK",
    "CVSWRAPPERS",
    "CVS_CLIENT_LOG",
    "CVS_SERVER_SLEEP",
];

/// cvs, of a repository.
#[derive(Clone, Debug)]
pub(crate) struct Cvs {
    root: String,
    patience: Duration,
}

impl Cvs {
    /// The repository that a plan in that folder names.
    pub fn of(module: &CvsModule, plan_folder: &Path) -> Result<Self, SubjectError> {
        if !is_folder(&module.root) {
            return Ok(Self { root: module.root.clone(), patience: PATIENCE });
        }
        let path = plan_folder.join(&module.root).components().collect::<PathBuf>();
        if !path.join("CVSROOT").is_dir() {
            return Err(SubjectError::NoCvsRoot { path });
        }
        Ok(Self { root: path.to_string_lossy().into_owned(), patience: PATIENCE })
    }

    /// The repository, as `cvs -d` takes it.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The folder on its own machine.
    pub fn folder(&self) -> &str {
        self.root.find('/').map_or(self.root.as_str(), |start| &self.root[start..])
    }

    /// The command, to be executed by the caller.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new("cvs");
        command.args(["-f", "-Q", "-d", &self.root]).args(arguments).stdin(Stdio::null());
        for variable in VARIABLES {
            command.env_remove(variable);
        }
        // No lock is left in a repository here, and no right to write is needed to read it; others
        // refuse that.
        if is_folder(&self.root) {
            command.env("CVSREADONLYFS", "1");
        }
        command.envs([("LC_ALL", "C"), ("TZ", "UTC")]);
        command
    }

    /// The output, and the message of a failure, if it failed.
    pub fn read(&self, arguments: &[&str]) -> Result<(Vec<u8>, Option<String>), SubjectError> {
        // Its messages go to a file: a pipe that one of its helpers keeps open would never end.
        let mut said =
            tempfile::tempfile().map_err(SubjectError::cache("write", &std::env::temp_dir()))?;
        let failed = |source| SubjectError::CvsMissing { source };
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(said.try_clone().map_err(failed)?);
        let mut child = command.spawn().map_err(failed)?;
        let (printed, status) = self.listen(&mut child)?;
        let why = (!status.success()).then(|| why(&mut said, status));
        Ok((printed, why))
    }

    /// All that it prints until it ends; it is killed when it is silent for too long.
    fn listen(&self, child: &mut Child) -> Result<(Vec<u8>, ExitStatus), SubjectError> {
        let failed = |source| SubjectError::CvsMissing { source };
        let mut printed = Vec::new();
        let (sender, receiver) = mpsc::channel::<io::Result<Vec<u8>>>();
        if let Some(mut pipe) = child.stdout.take() {
            thread::spawn(move || {
                loop {
                    let mut buffer = vec![0; 1 << 16];
                    let read = pipe.read(&mut buffer).map(|read| buffer[..read].to_vec());
                    let is_last = !read.as_ref().is_ok_and(|read| !read.is_empty());
                    if sender.send(read).is_err() || is_last {
                        return;
                    }
                }
            });
        }
        let (mut heard, mut noted) = (Instant::now(), Instant::now());
        let mut is_noted = false;
        loop {
            match receiver.recv_timeout(self.patience.saturating_sub(heard.elapsed()).min(TICK)) {
                Ok(Ok(read)) => {
                    heard = Instant::now();
                    printed.extend(read);
                }
                Ok(Err(source)) => return Err(failed(source)),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if heard.elapsed() < self.patience => {}
                Err(RecvTimeoutError::Timeout) => {
                    // The process may have ended by itself just now.
                    let _ = child.kill();
                    let _ = child.wait();
                    let seconds = self.patience.as_secs();
                    return Err(SubjectError::CvsSilent { root: self.root.clone(), seconds });
                }
            }
            if let Some(listener) = LISTENER.get().filter(|_| noted.elapsed() >= TICK) {
                (noted, is_noted) = (Instant::now(), true);
                listener(ReadProgress::Bytes(printed.len()));
            }
        }
        if let Some(listener) = LISTENER.get().filter(|_| is_noted) {
            listener(ReadProgress::Ended);
        }
        Ok((printed, child.wait().map_err(failed)?))
    }

    /// Whether the repository answers at all.
    pub fn reach(&self) -> Result<(), SubjectError> {
        if is_folder(&self.root) {
            let path = PathBuf::from(&self.root);
            return if path.join("CVSROOT").is_dir() {
                Ok(())
            } else {
                Err(SubjectError::NoCvsRoot { path })
            };
        }
        match self.read(&["version"])? {
            (_, None) => Ok(()),
            (_, Some(why)) => Err(SubjectError::Cvs { command: "version".to_owned(), why }),
        }
    }
}

/// Whether this is a folder of this machine, as cvs decides it: `:ext:…` and `host:/path` are not.
fn is_folder(root: &str) -> bool {
    let colon = root.find(':');
    colon.is_none_or(|colon| root.find('/').is_some_and(|slash| slash < colon))
}

/// The message after a lost connection: the program that cvs called (such as ssh) printed the
/// reason before it.
const SEE_ABOVE: &str = "consult above messages";

/// The line of what it said that says most.
fn why(said: &mut std::fs::File, status: ExitStatus) -> String {
    let mut text = Vec::new();
    // An unreadable message is ignored.
    let _ = said.rewind().and_then(|()| said.read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    // cvs itself, rather than what it calls.
    let own = lines.clone().find(|line| line.starts_with("cvs "));
    let called = || lines.clone().take_while(|line| !line.starts_with("cvs ")).last();
    if let Some(line) = own.filter(|line| line.contains(SEE_ABOVE)).and_then(|_| called()) {
        return line.trim().to_owned();
    }
    own.or(lines.next()).map_or_else(
        || status.to_string(),
        |line| line.split_once(": ").map_or(line, |(_, why)| why).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn module(root: &str) -> CvsModule {
        CvsModule { root: root.into(), module: "m".into(), branch: None, keywords: "k".into() }
    }

    #[test]
    fn a_folder_is_told_from_a_host() {
        for root in ["/cvs", "../cvs", "cvs", "a/b:c"] {
            assert!(is_folder(root), "{root}");
        }
        for root in [":ext:anoncvs@host:/cvs", ":local:/cvs", "host:/cvs", "me@host:/cvs"] {
            assert!(!is_folder(root), "{root}");
            assert!(Cvs::of(&module(root), Path::new("/")).unwrap().folder().ends_with("/cvs"));
        }
    }

    #[test]
    fn a_folder_without_a_repository_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let error = Cvs::of(&module("nowhere"), folder.path()).unwrap_err();
        assert!(matches!(error, SubjectError::NoCvsRoot { .. }), "{error}");
    }

    #[test]
    fn who_accepts_and_never_answers_is_not_waited_for_without_end() {
        let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
        let root =
            format!(":pserver:anonymous:@127.0.0.1:{}/cvs", deaf.local_addr().unwrap().port());
        let cvs = Cvs {
            patience: Duration::from_millis(200),
            ..Cvs::of(&module(&root), Path::new("/")).unwrap()
        };
        let error = cvs.read(&["rlog", "m"]).unwrap_err();
        assert!(matches!(error, SubjectError::CvsSilent { .. }), "{error}");
    }

    #[test]
    fn where_the_way_there_failed_that_is_said() {
        let said = |text: &str| {
            let mut file = tempfile::tempfile().unwrap();
            io::Write::write_all(&mut file, text.as_bytes()).unwrap();
            why(&mut file, ExitStatus::default())
        };
        let end = "cvs [rlog aborted]: end of file from server (consult above messages if any)\n";
        assert_eq!(
            said(&format!("ssh: connect to host h port 22: no\r\n{end}")),
            "ssh: connect to host h port 22: no"
        );
        assert_eq!(said(end), "end of file from server (consult above messages if any)");
        assert_eq!(said("a banner\ncvs rlog: no such module\n"), "no such module");
        assert_eq!(said("a banner\n"), "a banner");
    }

    #[test]
    fn who_refuses_is_quoted() {
        // Nobody listens there (tcpmux), and only root could.
        let port = 1;
        let cvs =
            Cvs::of(&module(&format!(":pserver:anonymous:@127.0.0.1:{port}/cvs")), Path::new("/"));
        let error = cvs.unwrap().reach().unwrap_err().to_string();
        assert!(error.contains("refused"), "{error}");
    }
}
