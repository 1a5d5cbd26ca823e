//! The mistakes in the options of `tacho bench`.

use std::path::{Path, PathBuf};

use crate::output::text::count;

/// A mistake, found before anything is executed.
#[derive(Debug, thiserror::Error)]
pub enum BenchMistake {
    #[error("`{text}` names no processors")]
    BadCpus { text: String },
    #[error("these conditions are not available: {why}")]
    Conditions { why: String, hint: Option<String> },
    #[error("{from} to {to} in steps of {value} has no values")]
    EmptyRange { value: String, from: String, to: String },
    #[error("{from} to {to} in steps of {value} has more than 10000 values")]
    LongRange { value: String, from: String, to: String },
    #[error("`{option} {text}` is not a size with a unit")]
    BadSize { option: &'static str, text: String },
    #[error("`{text}` is not an exit status")]
    BadStatus { text: String },
    #[error("`--duet` takes two commands, but {commands} {} given",
             if *.commands == 1 { "was" } else { "were" })]
    DuetOfTwo { commands: usize },
    #[error("`--duet` needs a shell for both commands or for none; only one of these needs one")]
    DuetByShell,
    #[error("`{option}` is not supported")]
    Elsewhere { option: &'static str, instead: &'static str },
    #[error("`{first}` and `{second}` would both write {}", one_target(.path))]
    ExportedTwice { first: &'static str, second: &'static str, path: PathBuf },
    #[error("`--min-rounds` is {fewest}, and `--max-rounds` is {most}")]
    FewestAboveMost { fewest: u32, most: u32 },
    #[error("`{option}` is given {given} times for {}", count(*.commands, "command"))]
    HowMany { option: &'static str, given: usize, commands: usize },
    #[error("`-n` is given {given} times for {}", count(*.commands, "command"))]
    Names { given: usize, commands: usize },
    #[error("`{command}` has `{operator}`, which only a shell understands")]
    NeedsShell { command: String, operator: char },
    #[error("`--input {path}` is not a regular file")]
    BadInput { path: String },
    #[error("`--json` and the output of the commands would be mixed")]
    Mixed,
    #[error("`{option} -` and {other} would be mixed on standard output")]
    MixedWithExport { option: &'static str, other: &'static str },
    #[error("`--output {path}`: there is no folder `{folder}`")]
    NoFolder { path: String, folder: String },
    #[error("there is no file `{path}`")]
    NoInput { path: String },
    #[error("a command is empty")]
    EmptyCommand,
    #[error("cannot execute `{program}`{}", of(.program, .command))]
    NoProgram { program: String, command: String, why: NoProgram },
    #[error("`-P` of `tacho bench` takes a name and two numbers, not `{name}={values}`")]
    AssignedRange { name: String, values: String },
    #[error("{}", no_number(.text))]
    NotANumber { text: String },
    #[error("`{command}` cannot be split into words: a quote is missing")]
    Quote { command: String },
    #[error("`--reference {reference}` means {commands} commands, one for each value")]
    ReferenceOfSeveral { reference: String, commands: usize, first: String },
    #[error("the parameter `{name}` is given twice")]
    Twice { name: String },
    #[error("no command has `{{{name}}}`")]
    Unused { name: String, nearest: Option<String> },
    #[error("`--output {path}` would overwrite an existing file")]
    WouldOverwrite { path: String },
}

/// The details of a missing program.
#[derive(Debug)]
pub enum NoProgram {
    /// The text is an argument of the command before it: all of them together.
    Argument(String),
    /// A program of nearly that name.
    Nearest(String),
    /// A program of this folder, unless it is an argument of the command before it: all of them
    /// together.
    Here(String, Option<String>),
    /// A file of that name that may not be executed.
    NotExecutable,
    /// A folder.
    Folder,
    /// A path of nothing.
    NoFile,
    /// The program is a broken link to this path.
    Link(String),
    /// There are no details.
    Unknown,
}

/// The command, where the program is not all of it.
fn of(program: &str, command: &str) -> String {
    if program == command { String::new() } else { format!(" (in `{command}`)") }
}

/// The message for two exports to one target.
fn one_target(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "to standard output".to_owned()
    } else {
        format!("one file, `{}`", path.display())
    }
}

impl BenchMistake {
    /// A parameter and its values in one word, as `tacho sweep` takes them.
    pub fn assigned(word: &str) -> Option<Self> {
        let (name, values) = word.split_once('=')?;
        Some(Self::AssignedRange { name: name.to_owned(), values: values.to_owned() })
    }

    /// The advice.
    pub fn hint(&self) -> Option<String> {
        match self {
            BenchMistake::BadCpus { .. } => Some(
                "processors are counted from 0: `--cpus \
                                                  0-3,6`"
                    .into(),
            ),
            BenchMistake::Conditions { hint, .. } => hint.clone(),
            BenchMistake::LongRange { .. } => {
                Some("a larger step has fewer values: `-P n 1 99999 -D 100`".into())
            }
            BenchMistake::EmptyRange { .. } => {
                let hint = "a rising range takes a positive step, a falling one a negative step: \
                            `-P n 8 1 -D=-1`";
                Some(hint.into())
            }
            BenchMistake::BadSize { option, .. } => {
                Some(format!("sizes are written like `{option} 512MiB`"))
            }
            BenchMistake::BadStatus { .. } => {
                Some("statuses are numbers, with commas between: `-i=1,2`".into())
            }
            BenchMistake::DuetOfTwo { .. } => Some(
                "without `--duet` any number of commands is measured, in rounds and never two at \
                 once"
                    .into(),
            ),
            BenchMistake::DuetByShell => Some("`-S sh` starts both commands in a shell".into()),
            BenchMistake::Elsewhere { instead, .. } => Some((*instead).to_owned()),
            BenchMistake::Names { .. } => Some(
                "give one name for each command, in order; with parameters, give one name for all, \
                 one for each combination, or one for each command before values are filled in"
                    .into(),
            ),
            BenchMistake::FewestAboveMost { .. } => {
                Some("raise `--max-rounds` or lower `--min-rounds`".into())
            }
            BenchMistake::HowMany { .. } => {
                Some("give the option once for all commands, or once for each".into())
            }
            BenchMistake::NeedsShell { .. } => {
                Some("leave out `-N`: a shell is used where one is needed".into())
            }
            BenchMistake::EmptyCommand => Some("perhaps a shell variable is not set".into()),
            BenchMistake::NoProgram { why, .. } => match why {
                NoProgram::Argument(all) => {
                    Some(format!("a command and its arguments go in quotes: `tacho bench '{all}'`"))
                }
                NoProgram::Nearest(nearest) => Some(format!("did you mean `{nearest}`?")),
                NoProgram::Here(program, None) => Some(format!("did you mean `./{program}`?")),
                NoProgram::Here(program, Some(all)) => Some(format!(
                    "did you mean `./{program}`? or, if it is an argument: `tacho bench '{all}'`"
                )),
                NoProgram::NotExecutable => Some(
                    "the file is there, but may not be \
                                                  executed"
                        .into(),
                ),
                NoProgram::Folder => Some("this is a folder: name the program in it".into()),
                NoProgram::NoFile => Some("there is no such file".into()),
                NoProgram::Link(target) => {
                    Some(format!("this is a link to `{target}`, which does not exist"))
                }
                NoProgram::Unknown => Some(
                    "no folder of `PATH` has it; `./prog` names a program in this folder".into(),
                ),
            },
            BenchMistake::Unused { nearest: Some(nearest), name } => Some(format!(
                "a command has `{{{nearest}}}`: did you mean the parameter `{nearest}`, or \
                     `{{{name}}}` in the command?"
            )),
            BenchMistake::Unused { name, .. } => {
                Some(format!("write `{{{name}}}` where its value belongs"))
            }
            BenchMistake::ReferenceOfSeveral { first, .. } => {
                Some(format!("name one of them: `--reference '{first}'`"))
            }
            BenchMistake::Mixed => {
                Some("`--output pipe` drops the output, `--output FILE` keeps it".into())
            }
            BenchMistake::MixedWithExport { option, .. } => {
                Some(format!("`{option} FILE` writes to a file"))
            }
            BenchMistake::ExportedTwice { .. } => Some("give each a file of its own".into()),
            BenchMistake::BadInput { .. } => {
                Some("save the input to a file: each execution reads all of it".into())
            }
            BenchMistake::AssignedRange { name, values } => Some(format!(
                "`-L {name} {values}` takes a list of values; `tacho sweep -P {name}={values}` \
                 measures a curve"
            )),
            BenchMistake::NoFolder { .. } => Some("create the folder first".into()),
            BenchMistake::WouldOverwrite { .. } => {
                Some("name another file, or move it away".into())
            }
            BenchMistake::NoInput { .. }
            | BenchMistake::NotANumber { .. }
            | BenchMistake::Quote { .. }
            | BenchMistake::Twice { .. } => None,
        }
    }
}

fn no_number(text: &str) -> String {
    match text {
        "" => "a range needs both ends, such as `1..10`".to_owned(),
        text => format!("`{text}` is not a number"),
    }
}
