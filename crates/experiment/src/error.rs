//! The errors that stop an experiment.

use std::path::PathBuf;

use tacho_measure::{MeasureError, Unavailable};
use tacho_record::Unit;
use tacho_store::StoreError;
use tacho_subject::SubjectError;

/// The errors that stop an experiment. A failed build or execution is a result, and no error.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The folder with a build went away while it was measured.
    #[error("the build in `{}` is gone", path.display())]
    BuildGone {
        /// The folder.
        path: PathBuf,
    },
    /// A counter that the plan asks for is not available on this host.
    #[error("benchmark `{benchmark}` requests `{metric}`: {why}")]
    CounterUnavailable {
        /// The benchmark's name.
        benchmark: String,
        /// The counter's name.
        metric: String,
        /// Why not, in one line.
        why: String,
        /// The advice.
        hint: Option<String>,
    },
    /// Another process measured another wording of a benchmark under the same version meanwhile.
    #[error(
        "benchmark `{benchmark}` was measured meanwhile by another process, with another command"
    )]
    EditedMeanwhile {
        /// The benchmark's name.
        benchmark: String,
    },
    /// The plan joins the samples of a version that there is not.
    #[error(
        "benchmark `{benchmark}` has `same-as = {version}`, but no version {version} was measured"
    )]
    UnknownVersion {
        /// The benchmark's name.
        benchmark: String,
        /// The version that the plan names.
        version: u32,
        /// The highest version that there is.
        highest: u32,
    },
    /// The file that holds the right answer cannot be read.
    #[error("cannot read the expected output `{path}`: {source}")]
    ExpectedOutput {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file or folder that a benchmark needs is not there.
    #[error("benchmark `{benchmark}` needs `{}`, which does not exist", path.display())]
    InputMissing {
        /// The benchmark's name.
        benchmark: String,
        /// The file for its standard input, or the folder that it is executed in.
        path: PathBuf,
    },
    /// A benchmark cannot be executed twice at the same time.
    #[error("benchmark `{benchmark}` cannot be executed twice at the same time: {why}")]
    NotAtOnce {
        /// The benchmark's name.
        benchmark: String,
        /// Why not.
        why: &'static str,
    },
    /// The program of a benchmark is nowhere.
    #[error("benchmark `{benchmark}` cannot be executed: {source}")]
    NoProgram {
        /// The benchmark's name.
        benchmark: String,
        /// Why.
        source: Unavailable,
    },
    /// A setting of the machine cannot be made for a probe.
    #[error("cannot change the machine for a probe: {why}")]
    Setting {
        /// Why, in one line.
        why: String,
    },
    /// A metric has values in another unit, so that old and new ones could not be distinguished.
    #[error(
        "stored values of metric `{metric}` have {}, but the plan now gives {}",
        name(known),
        name(planned)
    )]
    OtherUnit {
        /// Its name.
        metric: String,
        /// The unit of the values that are kept.
        known: Unit,
        /// The unit that the plan gives.
        planned: Unit,
    },
    /// Samples that must be marked are not where they were put.
    #[error(
        "cannot mark the samples of disturbed round {round}: only {kept} of its {taken} samples \
         are in the store"
    )]
    RoundNotKept {
        /// The round.
        round: u32,
        /// How many samples it has.
        taken: usize,
        /// How many of them the store has.
        kept: usize,
    },
    /// Conditions or limits of a benchmark are not available on this host.
    #[error("benchmark `{benchmark}` cannot be executed as the plan says: {source}")]
    Unavailable {
        /// The benchmark's name.
        benchmark: String,
        /// Why.
        source: Unavailable,
    },
    /// An execution would write over a file that is none of its own.
    #[error("benchmark `{benchmark}` would overwrite `{}`, {what}", path.display())]
    WouldOverwrite {
        /// The benchmark's name.
        benchmark: String,
        /// The file.
        path: PathBuf,
        /// The kind of file.
        what: &'static str,
    },
    /// The programs of the reference cannot be put into memory.
    #[error("cannot execute the reference: {0}")]
    Reference(#[source] MeasureError),
    /// The measurements cannot be kept or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The subject is not available.
    #[error(transparent)]
    Subject(#[from] SubjectError),
}

impl ExperimentError {
    /// The advice, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            ExperimentError::BuildGone { .. } => Some(
                "the build cache was emptied meanwhile; the same command builds again and \
                 continues"
                    .to_owned(),
            ),
            ExperimentError::CounterUnavailable { metric, hint, .. } => {
                let without =
                    format!("`{metric}?` leaves the metric out where it is not available");
                Some(hint.as_ref().map_or(without.clone(), |hint| format!("{hint}; {without}")))
            }
            ExperimentError::EditedMeanwhile { .. } => {
                Some("execute the same command again: your edit becomes another version".to_owned())
            }
            ExperimentError::UnknownVersion { highest, .. } => Some(match highest {
                1 => "the only version is 1".to_owned(),
                _ => format!("versions are 1 to {highest}; `tacho show` lists them"),
            }),
            ExperimentError::InputMissing { .. } => {
                Some("`stdin` and `directory` are paths from the plan's folder".to_owned())
            }
            ExperimentError::NotAtOnce { .. } => Some(
                "leave out `--duet`: both are then measured in rounds, never at the same time"
                    .to_owned(),
            ),
            ExperimentError::ExpectedOutput { .. } => {
                Some("`expect.stdout.file` is a path from the plan's folder".to_owned())
            }
            ExperimentError::NoProgram { source, .. }
            | ExperimentError::Unavailable { source, .. } => source.hint.clone(),
            ExperimentError::WouldOverwrite { .. } => {
                let name = "name another file in `file`, or move the existing one away";
                Some(format!("{name}; only files that this benchmark wrote are overwritten"))
            }
            ExperimentError::RoundNotKept { .. } => Some(
                "unmarked samples would count as undisturbed: measure again, or without \
                    `--quiet-wait`"
                    .to_owned(),
            ),
            ExperimentError::Reference(_) => {
                Some("`--reference off` measures without the reference".to_owned())
            }
            ExperimentError::OtherUnit { .. } => Some("choose another name".into()),
            ExperimentError::Setting { .. } => Some("`--skip` leaves a disturbance out".to_owned()),
            ExperimentError::Store(error) => error.hint().map(str::to_owned),
            ExperimentError::Subject(error) => error.hint(),
        }
    }
}

/// The unit, in a sentence.
fn name(unit: &Unit) -> String {
    match unit {
        Unit::Bytes => "the unit bytes".to_owned(),
        Unit::Nanoseconds => "a time".to_owned(),
        Unit::Other(name) if name.is_empty() => "no unit".to_owned(),
        Unit::Other(name) => format!("the unit `{name}`"),
    }
}
