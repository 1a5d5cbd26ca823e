//! The meaning of each side's name; an ambiguous name is never guessed.

use std::cell::RefCell;
use std::path::Path;

use tacho_experiment::bench::Start;
use tacho_experiment::compare::{ComparisonResult, ResolvedSide, earlier_program, start_alike};
use tacho_measure::read_report;
use tacho_record::{
    EarlierSide, Parameter, Parameters, Program, Revision, Side, is_shown, short_name as short,
    shown,
};
use tacho_report::run::RESUMES;
use tacho_store::{Baseline, Store};
use tacho_subject::{RevisionQuery, SelectedRevisions, Selection, history};

use super::suggest::{
    exported, is_missing_file, is_path, is_program, is_program_of_folder, is_unknown_file,
    may_be_commands, mistyped, no_file,
};
use crate::cli::{CompareArgs, GlobalArgs};
use crate::commands::bench::start::{Shell, check};
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output;
use crate::project::Project;

/// The sources in which names are looked up.
pub struct SideLookup {
    project: Option<Project>,
    store: Option<RefCell<Store>>,
}

/// How a name begins that says what it is.
const PREFIXES: [&str; 6] = ["rev:", "build:", "command:", "file:", "saved:", "run:"];

impl SideLookup {
    /// Opens the plan, which commands can do without, and the store if there is one.
    pub fn open(global: &GlobalArgs, command: &CompareArgs) -> Result<Self, CliError> {
        let project = match Project::open(global) {
            Ok(project) => Some(project.counting(&command.terms.counter, &command.terms.metric)?),
            Err(CliError::NoPlan { .. }) if !command.terms.counter.is_empty() => {
                return Err(CompareMistake::NeedsPlan { option: "--counter" }.into());
            }
            Err(CliError::NoPlan { .. }) if may_be_commands(command) => None,
            Err(error @ CliError::NoPlan { .. }) => {
                return Err(mistyped(command).map_or(error, Into::into));
            }
            Err(error) => return Err(error),
        };
        let store =
            project.as_ref().and_then(|project| project.store_to_read().ok()).map(RefCell::new);
        Ok(Self { project, store })
    }

    pub fn store(&self) -> Option<&RefCell<Store>> {
        self.store.as_ref()
    }

    pub fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// Both sides.
    pub fn sides(&self, command: &CompareArgs) -> Result<[ResolvedSide; 2], CliError> {
        let b = command.b.as_deref();
        if command.command && b.is_none() {
            return Err(CompareMistake::OneCommand.into());
        }
        let [a, b] = [command.a.as_str(), b.unwrap_or("HEAD")].map(|it| self.side(it, command));
        let mut taken = match (a, b) {
            (Ok(a), Ok(b)) => [a, b],
            (Err(error), other) | (other, Err(error)) => return Err(beside(error, &other)),
        };
        start_alike(&mut taken);
        Ok(taken)
    }

    /// Checks that a name is free for this comparison.
    pub fn check_free(&self, name: &str, force: bool) -> Result<(), CliError> {
        let Some(project) = &self.project else {
            return Err(CompareMistake::NeedsPlan { option: "--save-as" }.into());
        };
        let name = name.to_owned();
        let is_odd = |c: char| c.is_whitespace() || [':', '/'].contains(&c) || !is_shown(c);
        // A name that no revision can have is not looked up.
        if name.is_empty() || name.contains(is_odd) || select(project, vec![name.clone()]).is_ok() {
            return Err(CompareMistake::NoName { name: shown(&name) }.into());
        }
        let Some(store) = &self.store else { return Ok(()) };
        let is_taken = store.borrow_mut().baselines()?.iter().any(|known| known.name == name);
        if is_taken && !force {
            Err(CompareMistake::BaselineExists { name }.into())
        } else {
            Ok(())
        }
    }

    /// Gives a complete comparison a name; says so if it is incomplete.
    pub fn save(&self, name: &str, compared: &ComparisonResult) -> Result<(), CliError> {
        let (all, why) = match compared {
            ComparisonResult::Measured(all) if all.rows.iter().any(|row| row.failure.is_some()) => {
                (None, "an execution failed")
            }
            ComparisonResult::Measured(all) if all.run.is_none() => (None, "nothing was measured"),
            ComparisonResult::Measured(all) if !all.interrupted => (Some(all), ""),
            ComparisonResult::SameProgram => (None, "nothing was measured"),
            ComparisonResult::NotBuilt { .. } => (None, "one side could not be built"),
            ComparisonResult::Measured(_) | ComparisonResult::Interrupted => (None, RESUMES),
        };
        if all.is_none() {
            output::note("note", &format!("baseline `{name}` was not saved: {why}"));
        }
        let run = all.and_then(|all| all.run.as_ref());
        if let (Some(project), Some(run)) = (&self.project, run) {
            let of = EarlierSide { run: run.number, side: 1 };
            let saved = run.ended.unwrap_or(run.started);
            project.store()?.put_baseline(&Baseline { name: name.to_owned(), of, saved })?;
        }
        Ok(())
    }

    /// The revisions of both sides, with their history.
    pub fn select(&self, sides: &[Side; 2]) -> Option<SelectedRevisions> {
        let project = self.project.as_ref()?;
        let mut names: Vec<String> =
            sides.iter().filter_map(|side| side.program.revision()).map(str::to_owned).collect();
        if names.is_empty() {
            return None;
        }
        // The commit of a baseline may be gone, which takes nothing from the other side.
        select(project, names.clone()).ok().or_else(|| {
            names.retain(|name| select(project, vec![name.clone()]).is_ok());
            select(project, names).ok().filter(|selected| !selected.revisions.is_empty())
        })
    }

    /// Whether history does not have a revision any more.
    pub fn is_gone(&self, revision: &str) -> bool {
        self.project
            .as_ref()
            .is_some_and(|project| select(project, vec![revision.to_owned()]).is_err())
    }

    fn side(&self, typed: &str, command: &CompareArgs) -> Result<ResolvedSide, CliError> {
        let (prefix, name) = match PREFIXES.into_iter().find(|prefix| typed.starts_with(prefix)) {
            Some(prefix) => (prefix, &typed[prefix.len()..]),
            None if command.command => ("command:", typed),
            None if self.project.is_none() => match exported(typed) {
                Some(report) => return Ok(ResolvedSide::of_report(typed, report)),
                None if is_program_of_folder(typed) => {
                    return Err(CompareMistake::NoPath { name: typed.to_owned() }.into());
                }
                None if is_unknown_file(typed) => ("file:", typed),
                None if is_missing_file(typed) => return Err(no_file(typed).into()),
                None => ("command:", typed),
            },
            None => ("", typed),
        };
        match prefix {
            "rev:" => self.revision(name),
            "build:" => self
                .build(name)?
                .ok_or_else(|| CompareMistake::NoBuild { name: name.to_owned() }.into()),
            "command:" => one_command(name),
            "file:" => match read_report(Path::new(name)) {
                Ok(report) => Ok(ResolvedSide::of_report(name, report)),
                Err(why) => Err(CompareMistake::NoReport { file: name.to_owned(), why }.into()),
            },
            "saved:" => self
                .saved(name, command.kept)?
                .ok_or_else(|| CompareMistake::NoBaseline { name: name.to_owned() }.into()),
            "run:" => self.run(name, command.kept),
            _ => self.any(name, command.kept),
        }
    }

    /// A name that does not say what it is.
    fn any(&self, name: &str, kept: bool) -> Result<ResolvedSide, CliError> {
        let revision = self.revision(name);
        let mut all: Vec<(&str, ResolvedSide)> = Vec::new();
        all.extend(self.saved(name, kept)?.map(|taken| ("saved:", taken)));
        all.extend(exported(name).map(|report| ("file:", ResolvedSide::of_report(name, report))));
        all.extend(revision.as_ref().ok().map(|taken| ("rev:", taken.clone())));
        all.extend(self.build(name)?.filter(|_| name.len() >= 8).map(|taken| ("build:", taken)));
        if all.len() > 1 {
            let candidates =
                all.iter().map(|(prefix, taken)| format!("{} (`{prefix}{name}`)", taken.what));
            return Err(CompareMistake::Ambiguous {
                name: name.to_owned(),
                candidates: candidates.collect(),
            }
            .into());
        }
        match (all.pop(), revision) {
            (Some((_, taken)), _) => Ok(taken),
            (None, Err(_)) if is_program_of_folder(name) => {
                Err(CompareMistake::NoPath { name: name.to_owned() }.into())
            }
            (None, Err(_)) if is_unknown_file(name) => {
                let why = read_report(Path::new(name)).err().unwrap_or_default();
                Err(CompareMistake::NoReport { file: name.to_owned(), why }.into())
            }
            (None, Err(_)) if name.contains(char::is_whitespace) => one_command(name),
            // A path is no name of a revision that was mistyped; a word may be.
            (None, Err(_)) if is_path(name) && is_program(name) => one_command(name),
            (None, Err(_)) if is_missing_file(name) => Err(no_file(name).into()),
            (None, Err(CliError::Unknown { .. } | CliError::Subject(_))) if is_program(name) => {
                let name = name.to_owned();
                Err(CompareMistake::IsProgram { name, beside_revision: false }.into())
            }
            (None, revision) => revision,
        }
    }

    /// A revision, or one with values of parameters: `HEAD:threads=8`.
    fn revision(&self, name: &str) -> Result<ResolvedSide, CliError> {
        let (base, values) = match name.rsplit_once(':') {
            Some((base, values)) if values.contains('=') => (base, Some(values)),
            _ => (name, None),
        };
        let project = self.project.as_ref().ok_or(CompareMistake::NeedsPlan { option: "rev:" })?;
        // Only if it has values: otherwise it is probably an unset variable of a script, and every
        // check would pass.
        let base = match (base, values) {
            ("", None) => return Err(CompareMistake::Nothing.into()),
            ("", Some(_)) => "HEAD",
            (base, _) => base,
        };
        let selected = select(project, vec![base.to_owned()])?;
        let unknown = || CliError::Unknown { name: base.to_owned(), nearest: None };
        let revision = selected.revisions.into_iter().next().ok_or_else(unknown)?;
        let revision = revision.id;
        let program = match values.map(parameters) {
            Some(parameters) => Program::Variant { revision, parameters },
            None => Program::Revision { revision },
        };
        Ok(ResolvedSide::new(name, program))
    }

    /// The build whose digest begins like this.
    fn build(&self, name: &str) -> Result<Option<ResolvedSide>, CliError> {
        let is_digest = name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let Some(store) = self.store.as_ref().filter(|_| is_digest) else { return Ok(None) };
        let mut store = store.borrow_mut();
        for (host, _) in store.hosts()? {
            for build in store.builds(host)? {
                let Some(artifact) = build.state.artifact() else { continue };
                if artifact.to_string().starts_with(&name.to_ascii_lowercase()) {
                    if build.state.layouts().is_some() {
                        let revision = short(&build.revision).to_owned();
                        return Err(CompareMistake::BuildOfLayouts {
                            name: name.to_owned(),
                            revision,
                        }
                        .into());
                    }
                    let program = Program::Build { artifact, revision: build.revision };
                    return Ok(Some(ResolvedSide::new(name, program)));
                }
            }
        }
        Ok(None)
    }

    /// The baseline of that name.
    fn saved(&self, name: &str, kept: bool) -> Result<Option<ResolvedSide>, CliError> {
        let Some(store) = &self.store else { return Ok(None) };
        let found =
            store.borrow_mut().baselines()?.into_iter().find(|baseline| baseline.name == name);
        let Some(baseline) = found else { return Ok(None) };
        self.earlier(name, baseline.of, "the baseline", kept).map(Some)
    }

    /// The second side of a run, or with `/a` its first side.
    fn run(&self, name: &str, kept: bool) -> Result<ResolvedSide, CliError> {
        let (number, side) = match name.split_once('/') {
            Some((number, "a")) => (number, 0),
            Some((number, "b")) => (number, 1),
            _ => (name, 1),
        };
        let unknown = || CliError::Unknown { name: format!("run {name}"), nearest: None };
        let run: i64 = number.parse().map_err(|_| unknown())?;
        let what = ["side A", "side B"][side];
        self.earlier(&format!("run:{name}"), EarlierSide { run, side }, what, kept)
    }

    /// A side of an earlier run: the build that it was, or the command.
    fn earlier(
        &self,
        name: &str,
        of: EarlierSide,
        what: &str,
        kept: bool,
    ) -> Result<ResolvedSide, CliError> {
        let unknown = CompareMistake::NoRun { run: of.run };
        let Some(store) = &self.store else { return Err(unknown.into()) };
        if store.borrow_mut().run(of.run)?.is_none() {
            return Err(unknown.into());
        }
        let none = CompareMistake::NoComparison { run: of.run };
        let program = earlier_program(&mut store.borrow_mut(), of)?.ok_or(none)?;
        let when = if kept { ", its kept samples" } else { "" };
        let taken = ResolvedSide::new(name, program);
        let what = format!("{what} of run {}: {}{when}", of.run, taken.what);
        Ok(ResolvedSide { earlier: Some(of), what, ..taken })
    }
}

fn select(project: &Project, names: Vec<String>) -> Result<SelectedRevisions, CliError> {
    let history = history(&project.plan.subject, &project.folder)?;
    let what = RevisionQuery::List(names);
    Ok(history.select(&Selection::commits(what))?)
}

/// The revisions that these sides name, as the history knows them.
pub fn revisions(selected: Option<&SelectedRevisions>) -> Vec<Revision> {
    selected.map_or_else(Vec::new, |selected| selected.revisions.clone())
}

/// `threads=8,level=fast`: numbers are numbers, as in a plan.
fn parameters(typed: &str) -> Parameters {
    let value = |text: &str| {
        let whole = text.parse().map(Parameter::Integer).ok();
        let number = || text.parse::<f64>().ok().filter(|it| it.is_finite()).map(Parameter::Number);
        whole.or_else(number).unwrap_or_else(|| Parameter::Text(text.to_owned()))
    };
    let pairs = typed.split(',').filter_map(|pair| pair.split_once('='));
    Parameters(pairs.map(|(name, text)| (name.to_owned(), value(text))).collect())
}

/// The error of one side, if the other one is known.
fn beside(error: CliError, other: &Result<ResolvedSide, CliError>) -> CliError {
    let is_revision = other.as_ref().is_ok_and(|other| other.side.program.revision().is_some());
    match error {
        CliError::Compare(CompareMistake::IsProgram { name, .. }) => {
            CompareMistake::IsProgram { name, beside_revision: is_revision }.into()
        }
        error => error,
    }
}

fn one_command(text: &str) -> Result<ResolvedSide, CliError> {
    let start = Shell::parse(None, false)?.start(text)?;
    check(&start, text, &std::env::current_dir()?, &[])?;
    let (words, shell) = match start {
        Start::Words(words) => (words, false),
        Start::Shell(words, _) => (words, true),
    };
    let program = Program::Command { command: text.to_owned(), words, shell };
    Ok(ResolvedSide::new(text, program))
}
