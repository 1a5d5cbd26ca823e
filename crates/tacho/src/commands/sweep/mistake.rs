//! The mistakes in the options of `tacho sweep`.

use tacho_experiment::sweep::LimitMistake;

use crate::nearest::near;

/// A mistake, found before anything is executed.
#[derive(Debug, thiserror::Error)]
pub enum SweepMistake {
    #[error("`{text}` is not a metric to read: {why}")]
    BadMetric { text: String, why: String },
    #[error("`{text}` is not a range")]
    BadRange { text: String },
    #[error("`{text}` has no values, or more than 10000 values")]
    BadSteps { text: String },
    #[error("benchmark `{name}` has a companion, which `sweep` does not start")]
    Companion { name: String },
    #[error("`{text}` has an empty value")]
    EmptyValue { text: String },
    #[error("`--keep` is for `--highest-load`")]
    KeepAlone,
    #[error(transparent)]
    Limit(#[from] LimitMistake),
    #[error("`{text}` is not a parameter with values")]
    NoValues { text: String },
    #[error("the benchmark has no parameter `{name}`")]
    NotAParameter { name: String, known: String },
    #[error("`--default` names `{name}`, which is not varied")]
    NotVaried { name: String, known: String },
    #[error("no value of `{name}` is `{value}`")]
    NotAValue { name: String, value: String },
    #[error("`--log` is for `--search` and `--highest-load`")]
    LogAlone,
    #[error("`--log` needs values above 0, and `{text}` begins at {from}")]
    NotPositive { text: String, from: String },
    #[error("there is nothing to sweep")]
    NothingToSweep,
    #[error("a search takes one command, but {commands} were given")]
    OneCommand { commands: usize },
    #[error("the values of `{text}` rise neither by steps nor by a factor")]
    Unsteady { text: String },
    #[error("{values} values would be executed, {executions} executions in all")]
    TooMany { values: usize, executions: usize, text: String },
    #[error("unknown metric `{name}`")]
    UnknownMetric { name: String, known: String },
}

impl SweepMistake {
    /// The advice.
    pub fn hint(&self) -> String {
        let text = match self {
            Self::BadMetric { .. } => {
                "metrics are read like `-m 'loss[%]=json:/end/sum/lost_percent'`"
            }
            Self::BadRange { .. } => "ranges rise, and are written like `batch=1..65536`",
            Self::BadSteps { .. } => {
                "steps are written after a colon, and are above 0: `batch=1..65536:1024`"
            }
            Self::Companion { .. } => {
                "`tacho compare HEAD:batch=1 HEAD:batch=64` measures two values with the companion"
            }
            Self::EmptyValue { .. } => "remove the comma without a value beside it",
            Self::LogAlone => "a range that rises by a factor is written like `-P batch=1..1024*2`",
            Self::NotAParameter { known, .. } if known.is_empty() => {
                "`parameters = { batch = [1, 64] }` in the plan gives the benchmark a parameter"
            }
            Self::NotAParameter { name, known } | Self::NotVaried { name, known } => {
                return near(name, known);
            }
            Self::KeepAlone => "`--where` restricts the best value to values that keep a limit",
            Self::Limit(mistake) => return mistake.hint(),
            Self::NoValues { .. } => {
                "parameters are written like `-P batch=1,64,1024` or `-P batch=1,2,4..8192`"
            }
            Self::NotAValue { .. } => "`--default` names one of the values that are measured",
            Self::NotPositive { .. } => "begin the range at 1, or leave out `--log`",
            Self::NothingToSweep => {
                "give a parameter values (`-P batch=1,2,4..64`), or name two or more commands"
            }
            Self::OneCommand { .. } => {
                "search for each command on its own, or sweep all of them with `-P`"
            }
            Self::Unsteady { .. } => {
                "write the step or the factor of a range: `1,2,5..100:5`, `1,2,5..100*2`; a factor \
                 is above 1"
            }
            Self::TooMany { text, .. } => {
                return format!(
                    "`--yes` executes all of them; `{text}:STEP` or `{text}*FACTOR` leaves some \
                     out, and `--search {text}` looks for the best one"
                );
            }
            Self::UnknownMetric { name, known } => {
                let near = near(name, known);
                if near.ends_with('?') {
                    return near;
                }
                return format!("{near}; `-m '{name}=FROM'` reads it from the output");
            }
        };
        text.to_owned()
    }
}
