//! `--notify`: reports changes that it has not reported yet.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tacho_experiment::changes::{
    CONFIRMATION_ROUNDS, Confirmation, confirm as measure_again, is_new_regression, other_layouts,
};
use tacho_record::{Change, RuleRequest};
use tacho_store::Store;

use super::changes::{found, list};
use super::session::{CommandSession, SessionRequest};
use crate::cli::StartArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::changes::ConfirmationRequest;
use crate::output::{self, text};
use crate::project::Project;

/// The file with the names of reported changes, one a line.
const NOTIFIED: &str = ".tacho/notified";
/// The former name of that file.
const FORMER: &str = ".tacho/told";

/// The program that is notified of changes.
pub struct Notifier {
    command: String,
    file: PathBuf,
}

impl Notifier {
    /// With the first use, what is known already counts as reported: the first notification does
    /// not repeat the past.
    pub fn open(project: &Project, command: &str) -> Result<Self, CliError> {
        let notifier = Self { command: command.to_owned(), file: project.folder.join(NOTIFIED) };
        let former = project.folder.join(FORMER);
        if former.exists() && !notifier.file.exists() {
            std::fs::rename(&former, &notifier.file).map_err(CliError::writing(&notifier.file))?;
        }
        if !notifier.file.exists() {
            let mut store = Store::open(&project.location())?;
            let found = found::look(project, &mut store)?;
            let known = found.unreported(&BTreeSet::new());
            notifier.keep(&known.into_iter().map(|it| it.name.clone()).collect())?;
        }
        Ok(notifier)
    }

    /// Measures both sides of doubtful new changes again, interleaved: changes of the host alone
    /// are withdrawn, and not reported. Returns whether it was not interrupted.
    pub fn doubt(
        &self,
        project: &Project,
        begin: &StartArgs,
        quiet: bool,
    ) -> Result<bool, CliError> {
        let mut store = project.store()?;
        let host = store.put_host(&tacho_machine::host())?;
        let found = found::look(project, &mut store)?;
        drop(store);
        let doubtful = found.to_confirm(&self.reported()?);
        let (wanted, _) = found.divided(doubtful, host, &project.plan);
        if wanted.is_empty() {
            return Ok(true);
        }
        let rounds = Some(CONFIRMATION_ROUNDS);
        let plan = project.plan.with_rule(RuleRequest { rounds, ..RuleRequest::default() })?;
        let sides = SessionRequest {
            seed: begin.seed,
            quiet,
            ..SessionRequest::new(plan, &found.revisions)
        };
        let mut session = CommandSession::open(project, begin.wait)?;
        let confirmation = session.measure(project, sides, |context, question| {
            measure_again(context, question, &wanted, &other_layouts())
        })?;
        if !quiet {
            say(&wanted, &confirmation);
        }
        Ok(!confirmation.interrupted)
    }

    /// The names of the changes that were reported.
    fn reported(&self) -> Result<BTreeSet<String>, CliError> {
        let text = std::fs::read_to_string(&self.file).map_err(CliError::reading(&self.file))?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Gives what is new to the command.
    pub fn announce(&self, project: &Project) -> Result<Exit, CliError> {
        let mut reported = self.reported()?;
        let mut store = project.store()?;
        let found = found::look(project, &mut store)?;
        let changes = found.unreported(&reported);
        if changes.is_empty() {
            return Ok(Exit::Success);
        }
        let worse = changes.iter().filter(|change| is_new_regression(change)).count();
        let markdown = list::of(project, &mut store, &found, &changes)?.markdown();
        self.give(project, &changes, worse, &markdown)?;
        reported.extend(changes.iter().map(|change| change.name.clone()));
        self.keep(&reported)?;
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
        let hosts: BTreeSet<&str> =
            changes.iter().map(|change| change.series.host.as_str()).collect();
        let title = format!(
            "{}: {}, {worse} for the worse",
            project.name,
            text::count(changes.len(), "new change")
        );
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
            // The command need not read its input.
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

/// The result of measuring them again, for the user at the terminal.
fn say(changes: &[Change], confirmation: &Confirmation) {
    for (change, answer) in changes.iter().zip(&confirmation.answers) {
        let said = ConfirmationRequest { change: change.clone(), answer: answer.clone() }.words();
        output::note(
            "note",
            &format!(
                "`{}` appeared with a new run; both sides were measured again: {said}",
                change.name
            ),
        );
    }
}
