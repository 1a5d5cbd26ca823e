//! A subject without a plan, made from the options.

use std::path::Path;

use tacho_measure::nearest_program;
use tacho_record::bisection::{TypedSubject, ValueSource};
use tacho_record::plan::Benchmark;
use tacho_store::Store;
use tacho_subject::SubjectError;

use crate::cli::shared::DirectionName;
use crate::cli::{BisectArgs, GlobalArgs, TypedSubjectArgs};
use crate::error::CliError;
use crate::error::bisect::BisectMistake;
use crate::project::Project;

/// The project that the command is about: that of the plan, unless a subject was typed.
pub fn project(global: &GlobalArgs, command: &BisectArgs) -> Result<Project, CliError> {
    let typed = &command.typed;
    if typed.run.is_none() && typed.build.is_none() {
        return match Project::open(global) {
            // A test needs no more than a repository.
            Err(CliError::NoPlan { .. }) if command.test.is_some() => made(global, typed),
            Err(CliError::NoPlan { .. }) => Err(BisectMistake::NothingToMeasure.into()),
            project => project,
        };
    }
    let of_build = OF_BUILDS.iter().any(|(name, _)| command.metric.as_deref() == Some(name));
    if typed.run.is_none() && command.test.is_none() && !of_build {
        let is_set_aside = Project::open(global).is_ok();
        let nothing = BisectMistake::NothingToMeasure;
        return Err(if is_set_aside { BisectMistake::PlanSetAside } else { nothing }.into());
    }
    made(global, typed)
}

/// Without a plan, a folder outside of a repository needs other advice than a plan.
pub fn mistaken(project: &Project, error: CliError) -> CliError {
    match error {
        CliError::Subject(SubjectError::NotARepository { path }) if project.is_typed => {
            BisectMistake::NoRepository { folder: path }.into()
        }
        other => other,
    }
}

/// The options in place of a plan, to be kept with the answer.
pub fn kept(command: &BisectArgs) -> TypedSubject {
    let TypedSubjectArgs { run, build, repository, artifact, number, .. } = &command.typed;
    let folder = repository.display().to_string();
    TypedSubject {
        build: build.clone(),
        run: run.clone(),
        artifacts: artifact.clone(),
        number: number.clone(),
        repository: Some(folder).filter(|folder| folder != "."),
    }
}

/// The project of the given repository.
fn made(global: &GlobalArgs, typed: &TypedSubjectArgs) -> Result<Project, CliError> {
    let folder = typed.repository.canonicalize().map_err(CliError::reading(&typed.repository))?;
    Project::typed(global, plan(typed, &folder), &folder)
}

/// The project of all bisections of this repository that were made without a plan.
pub fn of(global: &GlobalArgs, repository: &Path) -> Result<Project, CliError> {
    let folder = repository.canonicalize().map_err(CliError::reading(repository))?;
    let nothing = TypedSubjectArgs { repository: folder.clone(), ..TypedSubjectArgs::default() };
    Project::typed(global, plan(&nothing, &folder), &folder)
}

/// The store of bisections without a plan, if it exists.
pub fn store(global: &GlobalArgs, repository: &Path) -> Result<Store, CliError> {
    of(global, repository)?.store()
}

/// The text of the plan.
fn plan(typed: &TypedSubjectArgs, folder: &Path) -> String {
    let quoted = |text: &str| toml_text(text);
    let mut lines =
        vec!["[subject]".to_owned(), format!("repository = {}", quoted(&folder.to_string_lossy()))];
    lines.extend(typed.build.as_deref().map(|build| format!("build = {}", quoted(build))));
    if !typed.artifact.is_empty() {
        let artifacts: Vec<String> = typed.artifact.iter().map(|path| quoted(path)).collect();
        lines.push(format!("artifacts = [{}]", artifacts.join(", ")));
    }
    lines.push(benchmark("run", typed.run.as_deref().unwrap_or("true")));
    if let Some(number) = &typed.number {
        let from = quoted(&format!("regex:{number}"));
        let better =
            if matches!(typed.better, Some(DirectionName::Higher)) { "higher" } else { "lower" };
        lines.push(format!(
            "metrics = [{{ name = \"number\", from = {from}, better = \"{better}\" }}]"
        ));
    }
    lines.join("\n") + "\n"
}

/// The benchmark that a command which passes or fails is.
pub fn test(command: &str) -> Result<Benchmark, CliError> {
    let text = format!("[subject]\nrepository = \".\"\n{}\n", benchmark("test", command));
    let mut plan = tacho_record::plan::parse(&text, "what was typed").map_err(CliError::Plan)?;
    plan.benchmarks.pop().ok_or_else(|| BisectMistake::NothingToMeasure.into())
}

/// Words that begin a command and are programs of no folder.
const OF_SHELLS: &str = ". alias bg case cd command declare echo eval exec exit export false fg \
    for function getopts hash if jobs kill let local popd printf pushd pwd read select set shift \
    shopt source test time trap true type ulimit umask unset until wait while";

/// The first word of a command of a shell, where no program is called so but one nearly, and that
/// one. A test that is mistyped fails at each revision, after the builds of both ends.
pub(crate) fn mistyped(command: &str) -> Option<(String, String)> {
    let word = command.split_whitespace().next()?;
    let is_name = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
    if !is_name || OF_SHELLS.split_whitespace().any(|it| it == word) {
        return None;
    }
    let nearest = nearest_program(word).filter(|nearest| nearest != word)?;
    Some((word.to_owned(), nearest))
}

/// Whether a shell would only execute one program, which may then take its place: how long the
/// child of a shell waits for a CPU is not read. An `exec` of a list replaces the shell only for
/// its first part.
fn is_one_program(command: &str) -> bool {
    let rest = command.replace("{build}", "");
    let Some(word) = command.split_whitespace().next() else { return false };
    let word = word.strip_prefix("{build}").unwrap_or(word);
    let is_name = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+/".contains(c));
    is_name
        && (word.contains('/') || !OF_SHELLS.split_whitespace().any(|it| it == word))
        && !rest.contains([';', '&', '|', '(', ')', '`', '{', '}', '#', '!', '\n'])
}

/// A shell command in the folder that was built, as a benchmark of a plan.
fn benchmark(name: &str, command: &str) -> String {
    let escaped = command.replace('{', "{{").replace('}', "}}");
    let command = match (command.contains("{build}"), is_one_program(command)) {
        (true, true) => format!("exec {command}"),
        (true, false) => command.to_owned(),
        (false, true) => format!("cd {{build}} && exec {escaped}"),
        (false, false) => format!("cd {{build}} && {{{{ {escaped}\n}}}}"),
    };
    format!("[[benchmark]]\nname = \"{name}\"\ncommand = [\"sh\", \"-c\", {}]", toml_text(&command))
}

/// A text as TOML has it.
fn toml_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// The names of what is measured of builds rather than of executions.
pub(crate) const OF_BUILDS: [(&str, ValueSource); 2] =
    [("build-time", ValueSource::Build), ("artifact-size", ValueSource::Artifacts)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_makes_way_for_one_program() {
        for command in ["./p", "{build}/p -n 3", "python3 'a b.py' > \"$X\" 2>out"] {
            assert!(is_one_program(command), "{command}");
        }
        let lists = ["./p; true", "./p && ./q", "./p | cat", "./p\n./q", "{ ./p; }", "$(./p)"];
        let words = ["", "X=1 ./p", "test -e p", ". ./p", "! ./p", "\"./p\"", "./p $(nproc)"];
        for command in lists.into_iter().chain(words) {
            assert!(!is_one_program(command), "{command}");
        }
        assert!(benchmark("run", "./p").contains("\"cd {build} && exec ./p\""));
        assert!(benchmark("run", "./p; true").contains("&& {{ ./p; true\\n}}"));
    }

    #[test]
    fn a_test_whose_program_is_mistyped_is_seen_before_it_is_executed() {
        assert_eq!(mistyped("sleeep 1"), Some(("sleeep".to_owned(), "sleep".to_owned())));
        for command in ["sleep 1", "cd x && make", "./sleeep", "X=1 sleeep", "! sleeep", ""] {
            assert_eq!(mistyped(command), None, "{command}");
        }
    }
}
