//! Finds whether a command needs a shell, and whether its program exists.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tacho_experiment::bench::Start;
use tacho_measure::nearest_program;
use tacho_record::plan::{shell_operator, shell_part};

use crate::error::bench::{BenchMistake, NoProgram};

/// The requested shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shell {
    /// No shell.
    None,
    /// `sh`, where a command needs one.
    Needed,
    /// This shell, with its words up to the code, for every command.
    Words(Vec<String>),
}

impl Shell {
    /// As it is typed: `bash`, `bash --norc`, `default`, `none`.
    pub fn parse(typed: Option<&str>, no_shell: bool) -> Result<Self, BenchMistake> {
        match typed {
            _ if no_shell => Ok(Shell::None),
            None => Ok(Shell::Needed),
            Some("none" | "") => Ok(Shell::None),
            Some("default") => Ok(Shell::sh()),
            Some(shell) => {
                let mut words = split(shell)?;
                words.push("-c".to_owned());
                Ok(Shell::Words(words))
            }
        }
    }

    fn sh() -> Self {
        Shell::Words(["sh", "-c"].map(str::to_owned).to_vec())
    }

    /// How a command is started.
    pub fn start(&self, command: &str) -> Result<Start, BenchMistake> {
        match self {
            Shell::Words(words) => Ok(Start::Shell(words.clone(), command.to_owned())),
            Shell::Needed if shell_part(command).is_some() => Shell::sh().start(command),
            Shell::None if shell_operator(command).is_some() => {
                let operator = shell_operator(command).unwrap_or_default();
                Err(BenchMistake::NeedsShell { command: command.to_owned(), operator })
            }
            Shell::Needed | Shell::None => Ok(Start::Words(split(command)?)),
        }
    }
}

fn split(command: &str) -> Result<Vec<String>, BenchMistake> {
    shell_words::split(command).map_err(|_| BenchMistake::Quote { command: command.to_owned() })
}

/// Reports a command whose program is not there; `all` are all commands as they were typed.
pub fn check(
    start: &Start,
    command: &str,
    folder: &Path,
    all: &[String],
) -> Result<(), BenchMistake> {
    if all.len() > 1 && is_lone_operator(command) {
        let (program, why) = (command.to_owned(), NoProgram::Argument(all.join(" ")));
        return Err(BenchMistake::NoProgram { program, command: command.to_owned(), why });
    }
    let (Start::Words(words) | Start::Shell(words, _)) = start;
    let program = words.first().cloned().unwrap_or_default();
    if program.is_empty() {
        return Err(BenchMistake::EmptyCommand);
    }
    let is_there = if program.contains('/') {
        is_program(&folder.join(&program))
    } else {
        paths().any(|path| is_program(&folder.join(path).join(&program)))
    };
    if is_there {
        return Ok(());
    }
    let why = why_not(&program, folder, all);
    Err(BenchMistake::NoProgram { program, command: command.to_owned(), why })
}

/// Whether a word is an operator between commands, and no command: `|`, `&&`, `>`.
fn is_lone_operator(command: &str) -> bool {
    !command.is_empty() && command.chars().all(|c| "|&;<>".contains(c))
}

fn why_not(program: &str, folder: &Path, all: &[String]) -> NoProgram {
    let has_words = all.iter().any(|command| command.contains(char::is_whitespace));
    let is_after_command = all.len() > 1 && !has_words && all[0] != program;
    if is_program_of_folder(program, folder) {
        return NoProgram::Here(program.to_owned(), is_after_command.then(|| all.join(" ")));
    }
    let is_argument = program.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        || folder.join(program).exists();
    let is_path_of_nothing = program.contains('/') && !folder.join(program).exists();
    if is_after_command && !is_path_of_nothing {
        return NoProgram::Argument(all.join(" "));
    }
    if folder.join(program).is_dir() && program.contains('/') {
        return NoProgram::Folder;
    }
    if folder.join(program).exists() && program.contains('/') {
        return NoProgram::NotExecutable;
    }
    if program.contains('/') {
        // A readable link whose target is missing leads nowhere, or in a circle.
        let target =
            std::fs::read_link(folder.join(program)).map(|target| target.display().to_string());
        return target.map_or(NoProgram::NoFile, NoProgram::Link);
    }
    if is_argument {
        return NoProgram::Unknown;
    }
    nearest_program(program).map_or(NoProgram::Unknown, NoProgram::Nearest)
}

/// Whether a word that is no path names a program of the folder nevertheless.
pub fn is_program_of_folder(word: &str, folder: &Path) -> bool {
    !word.is_empty() && !word.contains('/') && is_program(&folder.join(word))
}

fn paths() -> impl Iterator<Item = PathBuf> {
    let all = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    std::env::split_paths(&all).collect::<Vec<_>>().into_iter()
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_used_where_one_is_needed() {
        for command in [
            "a | b",
            "a; b",
            "a > f",
            "echo $HOME",
            "ls *.c",
            "X=1 a",
            "cd x",
            "echo \"$x\"",
            "a &",
        ] {
            assert!(shell_part(command).is_some(), "{command}");
        }
        for command in [
            "sleep 0.1",
            "awk '{print $1}' f",
            "grep \"a|b\" f",
            r"echo \$x",
            "make -j{n}",
            "a='b'c x",
        ] {
            assert_eq!(shell_part(command).is_some(), command.starts_with("a="), "{command}");
        }
    }

    #[test]
    fn shells_are_typed_as_for_hyperfine() {
        let start = |typed, command| Shell::parse(typed, false).unwrap().start(command);
        let by = |words: &[&str], code: &str| {
            Start::Shell(words.iter().map(ToString::to_string).collect(), code.to_owned())
        };
        assert_eq!(start(None, "sleep 1").unwrap(), Start::Words(vec!["sleep".into(), "1".into()]));
        assert_eq!(start(None, "a | b").unwrap(), by(&["sh", "-c"], "a | b"));
        assert_eq!(start(Some("bash --norc"), "a").unwrap(), by(&["bash", "--norc", "-c"], "a"));
        assert_eq!(start(Some("default"), "a").unwrap(), by(&["sh", "-c"], "a"));
        assert_eq!(
            start(Some("none"), "a $b").unwrap(),
            Start::Words(vec!["a".into(), "$b".into()])
        );
        let refused = Shell::parse(None, true).unwrap().start("a 'x|y' && b").unwrap_err();
        assert_eq!(refused.to_string(), "`a 'x|y' && b` has `&`, which only a shell understands");
        assert_eq!(
            start(None, "a 'b").unwrap_err().to_string(),
            "`a 'b` cannot be split into words: a quote is missing"
        );
    }
}
