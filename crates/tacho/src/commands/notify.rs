//! `--notify`: tells of changes that nobody was told of yet.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tacho_experiment::changes::is_new_regression;
use tacho_record::{Change, Word};
use tacho_store::Store;

use super::Exit;
use super::changes::{found::Found, list};
use crate::error::CliError;
use crate::output::text;
use crate::project::Project;

/// Where the names of the changes stand that were told, one a line.
const TOLD: &str = ".tacho/told";

/// Who is told of changes.
pub struct Teller {
    command: String,
    file: PathBuf,
}

impl Teller {
    /// With the first use, what is known already counts as told: whoever begins to be told is not told of the past.
    pub fn open(project: &Project, command: &str) -> Result<Self, CliError> {
        let teller = Self { command: command.to_owned(), file: project.folder.join(TOLD) };
        if !teller.file.exists() {
            let mut store = Store::open(&project.location())?;
            let found = Found::look(project, &mut store)?;
            teller.keep(&due(&found, &BTreeSet::new()).into_iter().map(|it| it.name.clone()).collect())?;
        }
        Ok(teller)
    }

    /// Gives what is new to the command.
    pub fn tell(&self, project: &Project) -> Result<Exit, CliError> {
        let text = std::fs::read_to_string(&self.file).map_err(CliError::reading(&self.file))?;
        let mut told: BTreeSet<String> = text.lines().map(str::to_owned).collect();
        let mut store = project.store()?;
        let found = Found::look(project, &mut store)?;
        let changes = due(&found, &told);
        if changes.is_empty() {
            return Ok(Exit::Success);
        }
        let worse = changes.iter().filter(|change| is_new_regression(change)).count();
        let markdown = list::of(project, &mut store, &found, &changes)?.markdown();
        self.give(project, &changes, worse, &markdown)?;
        told.extend(changes.iter().map(|change| change.name.clone()));
        self.keep(&told)?;
        Ok(if worse > 0 { Exit::Worse } else { Exit::Success })
    }

    fn give(
        &self,
        project: &Project,
        changes: &[&Change],
        worse: usize,
        markdown: &str,
    ) -> Result<(), CliError> {
        let failed = |why: String| CliError::Notify { command: self.command.clone(), why };
        let names: Vec<&str> = changes.iter().map(|change| change.name.as_str()).collect();
        let hosts: BTreeSet<&str> = changes.iter().map(|change| change.series.host.as_str()).collect();
        let title =
            format!("{}: {}, {worse} for the worse", project.name, text::count(changes.len(), "new change"));
        let mut child = Command::new("sh")
            .args(["-c", &self.command])
            .current_dir(&project.folder)
            .env("TACHO_TITLE", title)
            .env("TACHO_SUBJECT", &project.name)
            .env("TACHO_HOST", hosts.into_iter().collect::<Vec<_>>().join(" "))
            .env("TACHO_CHANGES", names.join(" "))
            .env("TACHO_WORSE", worse.to_string())
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        if let Some(mut input) = child.stdin.take() {
            // Who does not read it need not.
            let _ = input.write_all(markdown.as_bytes());
        }
        let status = child.wait().map_err(|error| failed(error.to_string()))?;
        if status.success() { Ok(()) } else { Err(failed(status.to_string())) }
    }

    /// Keeps these names, all or none.
    fn keep(&self, names: &BTreeSet<String>) -> Result<(), CliError> {
        let written = |path: &PathBuf, text: &str| {
            std::fs::create_dir_all(path.parent().unwrap_or(path))?;
            std::fs::write(path, text)
        };
        let text: String = names.iter().map(|name| format!("{name}\n")).collect();
        let new = self.file.with_extension("new");
        written(&new, &text).map_err(CliError::writing(&new))?;
        std::fs::rename(&new, &self.file).map_err(CliError::writing(&self.file))
    }
}

/// Changes that stand, that users have said nothing to, and that are not among those.
fn due<'a>(found: &'a Found, told: &BTreeSet<String>) -> Vec<&'a Change> {
    let is_new = |change: &&Change| change.stands() && change.state() == Word::New;
    let planned = found.changes().filter(|change| found.is_planned(change));
    planned.filter(is_new).filter(|change| !told.contains(&change.name)).collect()
}
