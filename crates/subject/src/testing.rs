//! Real git repositories for tests, made by a builder that reads aloud.

use std::path::{Path, PathBuf};
use std::process::Command;

use jiff::{SignedDuration, Timestamp};
use tacho_record::Revision;
use tempfile::TempDir;

/// A repository in a temporary folder, with `main` as its branch and noon of 2024-01-01 as its
/// time.
pub(crate) struct Repo {
    folder: TempDir,
    date: Timestamp,
}

/// A new repository without commits.
pub(crate) fn repo() -> Repo {
    let repo = Repo {
        folder: tempfile::tempdir().unwrap(),
        date: "2024-01-01T12:00:00Z".parse().unwrap(),
    };
    repo.git(&["init", "--quiet", "--initial-branch=main", "."])
}

impl Repo {
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Executes git in it and returns what it prints.
    pub fn ask(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.path()).args(["-c", "protocol.file.allow=always"]);
        command.envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")]);
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "A. Author")
                .env(format!("GIT_{who}_EMAIL"), "a@example.org");
            command.env(format!("GIT_{who}_DATE"), format!("{} +0000", self.date.as_second()));
        }
        command
    }

    pub fn git(self, arguments: &[&str]) -> Self {
        self.ask(arguments);
        self
    }

    /// The next commit has this date; those after it follow daily.
    pub fn at(mut self, date: &str) -> Self {
        self.date = format!("{date}T12:00:00Z").parse().unwrap();
        self
    }

    /// Writes a file, which becomes part of the next commit.
    pub fn write(self, path: impl AsRef<Path>, content: &str) -> Self {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// Commits what was written, or a file with the name of the message if nothing was.
    pub fn commit(mut self, message: &str) -> Self {
        if self.ask(&["status", "--porcelain"]).is_empty() {
            self = self.write(message, message);
        }
        self = self.git(&["add", "--all"]).git(&["commit", "--quiet", "--message", message]);
        self.tomorrow()
    }

    pub fn commits(self, messages: &str) -> Self {
        messages.split(' ').fold(self, Repo::commit)
    }

    /// Goes on from here on a new branch.
    pub fn branch(self, name: &str) -> Self {
        self.git(&["checkout", "--quiet", "-b", name])
    }

    /// Goes on from there.
    pub fn on(self, name: &str) -> Self {
        self.git(&["checkout", "--quiet", name])
    }

    /// A merge commit with the message `merge NAME`.
    pub fn merge(self, name: &str) -> Self {
        let message = format!("merge {name}");
        self.git(&[
            "merge",
            "--quiet",
            "--no-ff",
            "--allow-unrelated-histories",
            "-m",
            &message,
            name,
        ])
        .tomorrow()
    }

    pub fn tag(self, name: &str) -> Self {
        self.git(&["tag", name])
    }

    /// The hash of a commit.
    pub fn id(&self, name: &str) -> String {
        self.ask(&["rev-parse", "--verify", name])
    }

    /// A clone of it, made like this.
    pub fn cloned(&self, arguments: &[&str]) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("clone");
        let source = format!("file://{}", self.path().display());
        self.ask(
            &[&["clone", "--quiet"], arguments, &[&source, target.to_str().unwrap()]].concat(),
        );
        (folder, target)
    }

    fn tomorrow(mut self) -> Self {
        self.date += SignedDuration::from_hours(24);
        self
    }
}

/// A temporary folder with files, each written as `path: content`.
pub(crate) fn folder(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let (path, content) = file.split_once(": ").unwrap();
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}

/// A revision of which only the name is known.
pub(crate) fn revision(id: &str) -> Revision {
    let (author, subject) = (String::new(), String::new());
    Revision { id: id.to_owned(), order: 1, author, date: None, subject, tags: Vec::new() }
}

/// The history of one file as CVS keeps it, with revisions of the trunk: text that holds their
/// number and `$Id$`.
#[derive(Clone)]
pub(crate) struct Rcs {
    revisions: Vec<(String, String)>,
    symbols: Vec<String>,
}

impl Rcs {
    /// Dates and messages, oldest first; a message that starts with `-` removes the file.
    pub fn new(revisions: &[(&str, &str)]) -> Self {
        let own = |(date, message): &(&str, &str)| ((*date).to_owned(), (*message).to_owned());
        Self { revisions: revisions.iter().map(own).collect(), symbols: Vec::new() }
    }

    /// Names, each written as `NAME:NUMBER`.
    pub fn symbols(mut self, names: &str) -> Self {
        self.symbols.extend(names.split(' ').map(str::to_owned));
        self
    }

    /// The file as RCS writes it (rcsfile(5)).
    fn text(&self) -> String {
        let count = self.revisions.len();
        let symbols: String = self.symbols.iter().map(|symbol| format!("\n\t{symbol}")).collect();
        let mut text = format!(
            "head\t1.{count};\naccess;\nsymbols{symbols};\nlocks; strict;\ncomment\t@# @;\n\n"
        );
        for (place, (date, message)) in self.revisions.iter().enumerate().rev() {
            let date = date.replace(['-', ' ', ':'], ".");
            let state = if message.starts_with('-') { "dead" } else { "Exp" };
            let next = if place > 0 { format!("1.{place}") } else { String::new() };
            let number = place + 1;
            text += &format!(
                "\n1.{number}\ndate\t{date};\tauthor ann;\tstate \
                 {state};\nbranches;\nnext\t{next};\n"
            );
        }
        text += "\n\ndesc\n@@\n";
        for (place, (_, message)) in self.revisions.iter().enumerate().rev() {
            let number = place + 1;
            let content = format!("revision {number} $Id$\n");
            let change = if number == count { content } else { format!("d1 1\na1 1\n{content}") };
            let message = message.trim_start_matches('-');
            text += &format!("\n\n1.{number}\nlog\n@{message}\n@\ntext\n@{change}@\n");
        }
        text
    }
}

/// A CVS repository with these files, by their paths without `,v`.
pub(crate) fn cvs_root(files: &[(&str, Rcs)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let made = Command::new("cvs").arg("-d").arg(root.path()).arg("init").output();
    let made = made.expect("tests need `cvs`: .ci/setup installs it");
    assert!(made.status.success(), "cvs init: {}", String::from_utf8_lossy(&made.stderr));
    for (path, rcs) in files {
        let path = root.path().join(format!("{path},v"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, rcs.text()).unwrap();
    }
    root
}
