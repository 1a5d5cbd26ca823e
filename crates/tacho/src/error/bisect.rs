//! The mistakes in the options of `tacho bisect`.

use std::path::PathBuf;

use crate::nearest::near;

/// The least effect where nothing else is requested.
pub(crate) const LEAST: &str = "2%";

/// The same of rates of failure.
pub(crate) const LEAST_RATE: &str = "20%";

/// The mistakes of a bisection.
#[derive(Debug, thiserror::Error)]
pub enum BisectMistake {
    #[error("the plan has several benchmarks, and one can be bisected at a time")]
    WhichBenchmark { known: String },
    #[error("`{good}` and `{bad}` are the same revision: there is nothing between them")]
    SameEnds { good: String, bad: String },
    #[error("`{good}` and `{bad}` share no history")]
    NothingShared { good: String, bad: String },
    #[error("`{text}` does not name two ends")]
    BadRange { text: String },
    #[error("`{text}` is not the size of a change")]
    BadEffect { text: String },
    #[error("`{text}` has no unit, and the metric is {what}")]
    NoUnit { text: String, what: &'static str, hint: String },
    #[error("`--layout {text}` is neither a share nor an amount with a unit")]
    BadLayout { text: String },
    #[error("`{text}` is not a difference of rates")]
    BadRate { text: String },
    #[error("`{text}` is not two values: one of the good end, one of the bad end")]
    BadBefore { text: String },
    #[error("`{}` is not in a git repository", folder.display())]
    NoRepository { folder: PathBuf },
    #[error("there is nothing to measure: no plan, and no command to execute")]
    NothingToMeasure,
    #[error("`--build` sets the plan aside, and no command to execute is given")]
    PlanSetAside,
    #[error("`--probe` needs executions: artifact sizes and build times cannot be probed")]
    NothingToProbe,
    #[error("unknown bisection `{name}`")]
    NoBisection { name: String, known: String },
    #[error("`{name}` is a bisection, not a revision")]
    BisectionNotRevision { name: String },
    #[error("there are no bisections yet")]
    NoneYet,
    #[error("`tacho bisect` takes two revisions, and `{word}` is one more word")]
    OneTooMany { word: String },
    #[error("`{word}` is a step of `git bisect`, not a revision")]
    StepOfGit { word: String },
}

/// The steps of `git bisect` that have no place here: measurements decide.
pub(crate) const STEPS_OF_GIT: [&str; 12] = [
    "start",
    "good",
    "bad",
    "old",
    "new",
    "run",
    "skip",
    "reset",
    "terms",
    "visualize",
    "view",
    "replay",
];

/// The equivalent of this step of `git bisect`.
fn of_git(word: &str) -> &'static str {
    match word {
        "run" => {
            "`tacho bisect GOOD BAD --test COMMAND` searches by a command that passes or fails"
        }
        "skip" => {
            "no need to skip: a revision that does not build, or for which `--test COMMAND` exits \
             with 125, is no evidence for either side"
        }
        "reset" => "builds are made in a checkout of their own: there is nothing to reset",
        "visualize" | "view" => "`tacho bisect log` shows a bisection with each of its steps",
        "replay" => "`tacho bisect log --replay` shows the probabilities after each step",
        _ => "`tacho bisect GOOD BAD` names both ends once; measurements decide on the rest",
    }
}

impl BisectMistake {
    /// The advice.
    pub fn hint(&self) -> String {
        let hint = match self {
            Self::WhichBenchmark { known } => return format!("`--benchmark` names one of {known}"),
            Self::NoUnit { hint, .. } => return hint.clone(),
            Self::BadEffect { text } if text.starts_with('-') => {
                let size = text.trim_start_matches('-');
                return format!("a change in either direction is searched: write `{size}`");
            }
            Self::SameEnds { .. } => "name a revision from before the change, then one with it",
            Self::NothingShared { .. } => {
                "name two revisions of one line of history: one is an ancestor of the other, or \
                 both share an ancestor"
            }
            Self::BadRange { .. } => "write the ends as `GOOD BAD`, or as `GOOD..BAD`",
            Self::BadEffect { .. } => {
                "write a share (`2%`, `200%`) or a difference (`5ms`, `1MiB`, `3`)"
            }
            Self::BadLayout { .. } => {
                "write a share (`--layout 1%`), or an amount (`--layout 5ms`) as in \
                 `--min-effect 5ms`"
            }
            Self::BadRate { .. } => "with `--test` write a share of all executions: `30%`",
            Self::BadBefore { .. } => "write the values as `21s,44s`",
            Self::NothingToMeasure => {
                "give `--run COMMAND`, `--test COMMAND` or `--metric build-time`; `tacho init` \
                 writes a plan; `--repository FOLDER` names another repository"
            }
            Self::PlanSetAside => {
                "give `--run COMMAND` or `--test COMMAND`, or leave out `--build` to use the plan"
            }
            Self::NoRepository { .. } => "`--repository FOLDER` names the repository",
            Self::NothingToProbe => "leave `--probe` out",
            Self::NoBisection { name, known } => {
                return format!("{}; `tacho bisect list` lists them", near(name, known));
            }
            Self::BisectionNotRevision { name } => {
                return format!("`tacho bisect log {name}` shows it");
            }
            Self::NoneYet => "`tacho bisect GOOD BAD` starts one",
            Self::OneTooMany { .. } => "a command goes into `--run` or `--test`",
            Self::StepOfGit { word } => of_git(word),
        };
        hint.to_owned()
    }
}
