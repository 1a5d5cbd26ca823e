//! The errors of the command line, and their words.

pub mod bench;
pub(crate) mod bisect;
pub mod compare;
pub mod probe;

use std::path::{Path, PathBuf};

use tacho_experiment::ExperimentError;
use tacho_experiment::build::linking::LinkingError;
use tacho_machine::tune::{SettingError, TuneError};
use tacho_measure::{MeasureError, Unavailable};
use tacho_record::numbers::NumbersError;
use tacho_record::plan::PlanErrors;
use tacho_record::{Counter, RuleError, in_backticks};
use tacho_site::SiteError;
use tacho_store::StoreError;
use tacho_subject::SubjectError;

use crate::error::bench::BenchMistake;
use crate::nearest::near;

/// Anything that ends a command early.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    #[error(transparent)]
    Bench(#[from] BenchMistake),
    #[error(transparent)]
    Bisect(#[from] crate::error::bisect::BisectMistake),
    #[error(transparent)]
    Compare(#[from] crate::error::compare::CompareMistake),
    #[error(transparent)]
    Probe(#[from] crate::error::probe::ProbeMistake),
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    #[error("cannot {verb} `{path}`: {source}")]
    File { verb: &'static str, path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Measure(#[from] MeasureError),
    #[error("cannot judge `{name}`: {source}")]
    Numbers { name: String, source: NumbersError },
    #[error("`{path}` exists already")]
    PlanExists { path: PathBuf },
    #[error("`{path}` exists already")]
    FileExists { path: PathBuf },
    #[error("`{name}` is one report of {tool}: a point, not a series")]
    OneExport { name: String, tool: &'static str },
    #[error("`{name}` is a table of hyperfine: it has summaries only, no samples")]
    HyperfineTable { name: String },
    #[error("`{name}` is not a report: {why}")]
    NoReport { name: String, why: String },
    #[error("no file in {names} is a report")]
    NoReports { names: String },
    #[error("`{name}` does not say when it was measured, so points cannot be sorted by time")]
    NoTime { name: String },
    #[error("`{name}` is a revision, not a patch")]
    RevisionAsPatch { name: String },
    #[error("no file matches `{pattern}`")]
    NoFiles { pattern: String },
    #[error("`{name}` has results of several machines: name the folder of one of them")]
    SeveralMachines { name: String, machines: String },
    #[error("`--duet` is not possible here: {}", source.why)]
    NoDuet { source: Unavailable },
    #[error("`--since-last` takes only the end of a range")]
    EndAlone,
    #[error("`--since-last` has nothing to continue: nothing has been tracked on this host")]
    NothingTracked,
    #[error("all of history takes {builds}, which needs `--yes` or a range")]
    ManyBuilds { builds: String, is_time_known: bool },
    #[error("none of these revisions has been built on this host")]
    NothingBuilt,
    #[error("nothing is measured yet")]
    NothingMeasured,
    #[error("`{command}` failed: {why}")]
    Notify { command: String, why: String },
    #[error("no patch is given")]
    NoPatch,
    #[error("{name} is empty: there is no patch to try")]
    EmptyPatch { name: String },
    #[error("the patch `{name}` is named twice")]
    PatchTwice { name: String },
    #[error("`--missing` takes one range, or one revision")]
    RangeAlone,
    #[error("cannot find the current folder: {0}")]
    NowhereHere(std::io::Error),
    #[error("`{}` is no copy of a machine's files: no `proc` and no `sys`", folder.display())]
    NoMachine { folder: PathBuf },
    #[error("there is no plan: no `tacho.toml` in `{folder}` or a folder above it")]
    NoPlan { folder: PathBuf },
    #[error("{rendered}", rendered = .0.render(false))]
    Plan(PlanErrors),
    #[error("cannot print: {0}")]
    Print(#[from] std::io::Error),
    #[error(transparent)]
    Rule(#[from] RuleError),
    #[error(transparent)]
    Site(#[from] SiteError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Subject(#[from] SubjectError),
    #[error(transparent)]
    Sweep(#[from] crate::commands::sweep::mistake::SweepMistake),
    #[error("`{name}` does not build: {why}")]
    NotBuilt { name: String, why: String },
    #[error("`{name}` cannot be compared: {why}")]
    NotLaidOut { name: String, why: String },
    #[error("`{name}` has no diff: releases are not commits")]
    NoDiff { name: String },
    #[error("`{name}` is {revision}, which is not measured yet")]
    NotMeasured { name: String, revision: String },
    #[error("`{name}` is not measured yet")]
    NotMeasuredYet { name: String },
    #[error("`{name}` is a file, not a revision")]
    FileOfNumbers { name: String },
    #[error("`{word}` is not a command of `tacho changes`")]
    LooseChange { word: String, nearest: Option<&'static str> },
    #[error("`{option}` is not an option of `tacho bench`")]
    LooseArguments { option: String, command: String },
    #[error("`{}` are files, not revisions", names.join("`, `"))]
    FilesOfNumbers { names: Vec<String> },
    #[error("no such output of `{revision}` is kept")]
    NoOutput { revision: String },
    #[error(transparent)]
    Linking(#[from] LinkingError),
    #[error("no change is reported at `{name}`{}", if *was_there { " any more" } else { "" })]
    NoChangeAt { name: String, was_there: bool },
    #[error(
        "cannot bisect `{name}`: the change is in {what}, and only changes in level can be \
         bisected"
    )]
    NoLevel { name: String, what: &'static str, good: String, bad: String },
    #[error("`{from}..{to}` has no commits: `{to}` does not come after `{from}`")]
    NoRange { from: String, to: String, is_same: bool },
    #[error("unknown change `{name}`")]
    UnknownChange { name: String, nearest: Option<String> },
    #[error("`{name}` is a benchmark, not a revision")]
    BenchmarkNotRevision { name: String },
    #[error("`{option}` cannot be `{value}`")]
    NoNumber { option: String, value: String, least: String, most: Option<String> },
    #[error("unknown name `{name}`")]
    Unknown { name: String, nearest: Option<String> },
    #[error("`{name}` is ambiguous: {candidates}")]
    Ambiguous { name: String, candidates: String },
    #[error("unknown counter `{name}`")]
    UnknownCounter { name: String },
    #[error("unknown metric `{name}`")]
    UnknownMetric { name: String, known: String },
    #[error("unknown series `{name}`")]
    UnknownSeries { name: String, known: String },
    #[error("unknown quirk `{name}`")]
    UnknownQuirk { name: String, known: String },
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Tune(#[from] TuneError),
    #[error("unknown benchmark `{name}`")]
    UnknownBenchmark { name: String, known: String },
}

fn known_counters() -> String {
    format!(
        "known: {}; `instructions=callgrind` is another name of `callgrind-instructions`",
        in_backticks(Counter::ALL.map(Counter::name))
    )
}

impl CliError {
    /// The advice, if there is any.
    pub fn hint(&self) -> Option<String> {
        self.fixed_hint().map(str::to_owned).or_else(|| self.named_hint())
    }

    /// The hint of another error, or one with names.
    fn named_hint(&self) -> Option<String> {
        match self {
            CliError::Bench(mistake) => mistake.hint(),
            CliError::Bisect(mistake) => Some(mistake.hint()),
            CliError::Compare(mistake) => Some(mistake.hint()),
            CliError::Probe(mistake) => Some(mistake.hint()),
            CliError::Sweep(mistake) => Some(mistake.hint()),
            CliError::Experiment(error) => error.hint(),
            CliError::Numbers { name, source: NumbersError::NoNumbers }
                if Path::new(name).extension().is_some_and(|it| it == "json") =>
            {
                Some("it does not begin like JSON, so it was read as CSV".to_owned())
            }
            CliError::Numbers { source, .. } => source.hint(),
            CliError::NoDuet { source } => source.hint.clone(),
            CliError::Subject(error) => error.hint(),
            CliError::Linking(error) => error.hint(),
            CliError::NoRange { to, is_same: true, .. } => {
                Some(format!("did you mean `{to}~1..{to}`?"))
            }
            CliError::NoRange { from, to, .. } => Some(format!("did you mean `{to}..{from}`?")),
            CliError::HyperfineTable { .. } => Some(
                "`hyperfine --export-json` writes what `tacho compare` and `changes --from` read"
                    .to_owned(),
            ),
            CliError::SeveralMachines { machines, .. } => Some(format!("it has {machines}")),
            CliError::OneExport { name, .. } => Some(format!(
                "`tacho compare {name} OTHER` compares two; `tacho changes --from FILE FILE …` \
                 judges several in a row"
            )),
            CliError::NoLevel { good, bad, .. } => Some(format!(
                "`tacho track {good}..{bad}` measures every commit between, which shows the place \
                 of the change"
            )),
            CliError::LooseChange { nearest: Some(nearest), .. } => {
                Some(format!("did you mean `tacho changes {nearest}`?"))
            }
            CliError::Unknown { nearest: Some(nearest), .. }
            | CliError::UnknownChange { nearest: Some(nearest), .. } => {
                Some(format!("did you mean `{nearest}`?"))
            }
            CliError::NotBuilt { name, .. } => Some(tacho_report::build::log_hint(name)),
            CliError::NotMeasured { revision, .. } => {
                Some(format!("`tacho track {revision}` measures it"))
            }
            CliError::NotMeasuredYet { name } => Some(format!("`tacho track {name}` measures it")),
            CliError::BenchmarkNotRevision { name } => Some(format!(
                "`tacho show -b {name}` shows its history, `tacho changes -b {name}` what changed"
            )),
            CliError::NoNumber { least, most: None, .. } => {
                Some(format!("write a whole number, at least {least}"))
            }
            CliError::NoNumber { least, most: Some(most), .. } => {
                Some(format!("write a whole number from {least} to {most}"))
            }
            CliError::FileOfNumbers { name } => Some(format!(
                "`tacho changes --from {name}` judges a series, `tacho compare` two reports"
            )),
            CliError::LooseArguments { command, .. } => {
                Some(format!("a command and its arguments go in quotes: `tacho bench '{command}'`"))
            }
            CliError::FilesOfNumbers { names } => Some(format!(
                "`tacho changes --from {}` judges the numbers in them as a series",
                names.join(" ")
            )),
            CliError::UnknownCounter { .. } => Some(known_counters()),
            CliError::UnknownMetric { name, known } if Counter::named(name).is_some() => {
                let callgrind = Counter::CallgrindInstructions.name();
                if name == Counter::Instructions.name() && known.contains(callgrind) {
                    return Some(format!("did you mean `{callgrind}`?"));
                }
                Some(format!(
                    "this counter was not counted here: `tacho track --counter {name}` \
                              counts it"
                ))
            }
            CliError::UnknownMetric { name, known }
            | CliError::UnknownQuirk { name, known }
            | CliError::UnknownSeries { name, known }
            | CliError::UnknownBenchmark { name, known } => Some(near(name, known)),
            _ => None,
        }
    }

    /// The hint whose words are always the same.
    fn fixed_hint(&self) -> Option<&'static str> {
        Some(match self {
            CliError::Tune(error) => return error.hint(),
            CliError::Measure(error) => return error.hint(),
            CliError::Site(error) => return error.hint(),
            CliError::Store(error) => return error.hint(),
            CliError::Rule(error) => error.hint(),
            CliError::LooseChange { .. } => {
                "`tacho changes set NAME STATE` sets the state of a change"
            }
            CliError::Setting(_) => "`tacho tune` lists the settings of this machine",
            CliError::NoMachine { .. } => {
                "copy `/proc`, `/sys` and `/etc` of the machine into the folder"
            }
            CliError::NowhereHere(_) => {
                "the folder was deleted or renamed: `cd` to an existing one"
            }
            CliError::EndAlone => {
                "the range begins where tracking stopped: name only its end, or nothing"
            }
            CliError::NothingTracked => {
                "track an explicit range once, such as `tacho track v1.0..`"
            }
            CliError::EmptyPatch { .. } | CliError::NoPatch => {
                "`git diff HEAD | tacho try -` measures the edits that are not committed"
            }
            CliError::PatchTwice { .. } => {
                "name each patch once: it is tried alone and with all others"
            }
            CliError::ManyBuilds { is_time_known: false, .. } => {
                "`tacho track HEAD` builds one and shows how long that takes; `--every 10commits`, \
                 `--tags 'v*'`, `--builds 30` or a range builds fewer; `--yes` builds all"
            }
            CliError::ManyBuilds { is_time_known: true, .. } => {
                "`--every 10commits`, `--tags 'v*'`, `--builds 30` or a range builds fewer; \
                 `--yes` builds all"
            }
            CliError::NothingBuilt => {
                "`--missing` measures revisions that are built: `tacho track` with a range builds \
                 them"
            }
            CliError::NothingMeasured => "`tacho track` measures revisions",
            CliError::Notify { .. } => "the same changes are reported again the next time",
            CliError::NoPlan { .. } => "`tacho init` writes one",
            CliError::NoReport { .. } | CliError::NoReports { .. } => {
                "each of several files is one point of a series: a report of hyperfine, criterion, \
                 Google Benchmark, pyperf, pytest-benchmark, JMH or `go test -bench`, or a result \
                 of asv"
            }
            CliError::NoTime { .. } => {
                "`--order name` sorts by the names of the files, `--order given` keeps the given \
                 order"
            }
            CliError::RevisionAsPatch { .. } => {
                "`--base` takes the revision: `tacho try x.patch --base HEAD`"
            }
            CliError::FileExists { .. } => {
                "`--force` replaces it, `--print` shows what would be written"
            }
            CliError::PlanExists { .. } => "`tacho init --force` replaces it",
            CliError::NoChangeAt { .. } | CliError::UnknownChange { nearest: None, .. } => {
                "`tacho changes --all` lists all of them"
            }
            CliError::Unknown { name, .. } if name.contains("..") => {
                "this takes one revision, not a range: name one of its ends"
            }
            CliError::Unknown { nearest: None, name } if name.starts_with("run:") => {
                "`tacho log` lists the runs"
            }
            CliError::Unknown { nearest: None, name } if Path::new(name).is_file() => {
                "a file is no revision: `tacho compare FILE OTHER` compares two reports, and \
                 `tacho changes --from FILE` judges a series of numbers"
            }
            CliError::Unknown { nearest: None, name }
                if [".csv", ".json"].iter().any(|end| name.ends_with(end)) =>
            {
                "there is no such file either; `tacho changes --from FILE` judges numbers of a file"
            }
            CliError::Unknown { nearest: None, .. } => {
                "`tacho show` lists the revisions that were measured"
            }
            CliError::NoDiff { .. } => "only repositories (`repository`, `vcs`) have diffs",
            CliError::NoOutput { .. } => {
                "`output = \"keep\"` in the plan keeps the output of a benchmark; `tacho show` \
                 lists what was measured"
            }
            CliError::Ambiguous { .. } => "write more of the name",
            CliError::UnknownSeries { known, .. } if known.is_empty() => {
                "no series of the file has a name"
            }
            CliError::UnknownQuirk { known, .. } if known.is_empty() => {
                "the plan has no quirks; `tacho quirk suggest REVISION` gives one to fill in"
            }
            _ => return None,
        })
    }

    /// Whether the reader of our output went away, as `head` does.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, CliError::Print(error) if error.kind() == std::io::ErrorKind::BrokenPipe)
    }

    /// For `map_err` where a file is read.
    pub fn reading(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| CliError::File { verb: "read", path, source }
    }

    /// For `map_err` where a file is written.
    pub fn writing(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| CliError::File { verb: "write", path, source }
    }

    /// Whether the user interrupted before the first execution.
    pub fn is_interrupt(&self) -> bool {
        matches!(self, CliError::Measure(MeasureError::Interrupted))
    }
}
