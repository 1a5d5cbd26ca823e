//! The error for a mistyped option.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::CliError;
use crate::error::bench::BenchMistake;
use crate::error::bisect::{BisectMistake, STEPS_OF_GIT};

/// The error without tips that only lead to the next error: that an unknown option may be given as
/// a value, after `--`, and an option that is spelled too differently to be meant.
pub fn without_wrong_tip(mut error: clap::Error) -> clap::Error {
    if is_far(&error) {
        error.remove(ContextKind::SuggestedArg);
        // It has the suggested option as if that were required.
        error.remove(ContextKind::Usage);
    }
    if let Some(tip) = elsewhere(&error) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().contains(" as a value, use "));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    error
}

/// Where something is that this command does not have.
fn elsewhere(error: &clap::Error) -> Option<&'static str> {
    let is = |kind: ContextKind, word: &str| {
        error.get(kind) == Some(&ContextValue::String(word.to_owned()))
    };
    if is(ContextKind::InvalidSubcommand, "survey") {
        return Some("`tacho track --builds N` or `--budget TIME` makes a survey");
    }
    is(ContextKind::InvalidArg, "--fail-on")
        .then_some("`tacho compare A B --fail-on slower` is a gate")
}

/// Whether the suggested option can hardly be meant: no beginning is meant either.
fn is_far(error: &clap::Error) -> bool {
    let word = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.trim_start_matches('-')),
        _ => None,
    };
    let words = word(ContextKind::InvalidArg).zip(word(ContextKind::SuggestedArg));
    words.is_some_and(|(typed, near)| {
        let typed = typed.split('=').next().unwrap_or(typed);
        let begins = near.starts_with(typed) || typed.starts_with(near);
        !begins && strsim::osa_distance(typed, near) > (typed.len() / 3).max(1)
    })
}

/// The mistake in our words, where those of the parser do not help.
pub fn in_our_words(words: &[OsString], error: &clap::Error) -> Option<CliError> {
    files_of_numbers(words.iter().cloned(), error)
        .map(|names| CliError::FilesOfNumbers { names })
        .or_else(|| loose_change(words, error))
        .or_else(|| step_of_git(words, error))
        .or_else(|| assigned_range(words))
        .or_else(|| third_word(words, error))
        .or_else(|| loose_arguments(words, error))
        .or_else(|| no_number(error))
}

/// A command that `tacho changes` does not have: `tacho changes ack NAME`.
fn loose_change(words: &[OsString], error: &clap::Error) -> Option<CliError> {
    let words = words.iter().filter_map(|word| word.to_str());
    let mut words = words.filter(|word| !word.starts_with('-'));
    let is_it = words.next()? == "changes" && error.to_string().contains("the subcommand '");
    let word = words.next().filter(|_| is_it)?.to_owned();
    let is_near = |known: &&str| strsim::osa_distance(known, &word) == 1;
    let nearest = ["list", "show", "set"].into_iter().find(is_near);
    Some(CliError::LooseChange { word, nearest })
}

/// Values of a parameter as `tacho sweep` takes them: `tacho bench -P n=1,2`.
fn assigned_range(words: &[OsString]) -> Option<CliError> {
    let mut words = words.iter().filter_map(|word| word.to_str());
    words.find(|word| *word == "bench")?;
    let value = words.skip_while(|word| !["-P", "--parameter-scan"].contains(word)).nth(1)?;
    BenchMistake::assigned(value).map(CliError::from)
}

/// A step of `git bisect` with more words than revisions: `tacho bisect start HEAD v1.0`.
fn step_of_git(words: &[OsString], error: &clap::Error) -> Option<CliError> {
    let words = words.iter().filter_map(|word| word.to_str());
    let mut words = words.skip_while(|word| word.starts_with('-'));
    let is_one_too_many =
        matches!(error.kind(), ErrorKind::ArgumentConflict | ErrorKind::UnknownArgument);
    // A mistyped option of ours: the word may be a revision of that name.
    let is_ours = error.get(ContextKind::SuggestedArg).is_some();
    if !is_one_too_many || is_ours || words.next()? != "bisect" {
        return None;
    }
    let word = words.next().filter(|word| STEPS_OF_GIT.contains(word))?.to_owned();
    Some(BisectMistake::StepOfGit { word }.into())
}

/// A word after both revisions of a bisection: `tacho bisect v1.0 HEAD ./test.sh`.
fn third_word(words: &[OsString], error: &clap::Error) -> Option<CliError> {
    let mut words = words.iter().filter_map(|word| word.to_str());
    let is_bisect = words.find(|word| !word.starts_with('-')) == Some("bisect");
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    is_bisect.then(|| BisectMistake::OneTooMany { word: word.clone() }.into())
}

/// An option of the measured command without quotes: `tacho bench ls -la`.
fn loose_arguments(words: &[OsString], error: &clap::Error) -> Option<CliError> {
    let mut words = words.iter().filter_map(|word| word.to_str());
    let command = words.find(|word| !word.starts_with('-'))?;
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_ours = error.get(ContextKind::SuggestedArg).is_some();
    if error.kind() != ErrorKind::UnknownArgument || command != "bench" || is_ours {
        return None;
    }
    // Options of ours before it have their own values: only what begins with the command is sure.
    let all: Vec<&str> = words.collect();
    let is_one = all.first().is_some_and(|word| !word.starts_with('-') && !word.contains(' '));
    is_one.then(|| CliError::LooseArguments { option: option.clone(), command: all.join(" ") })
}

/// A number that is invalid, or out of its option's range.
fn no_number(error: &clap::Error) -> Option<CliError> {
    let text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    let (option, value) = text(ContextKind::InvalidArg).zip(text(ContextKind::InvalidValue))?;
    let option = option.split(' ').next().unwrap_or(&option).to_owned();
    let why = std::error::Error::source(error)?.to_string();
    if why == "invalid digit found in string" {
        return Some(CliError::NoNumber { option, value, least: "1".to_owned(), most: None });
    }
    let (least, most) = why.split_once(" is not in ")?.1.split_once("..")?;
    // The largest number of a type is no limit that anyone set.
    let most = most.trim_start_matches('=');
    let is_meant = most.parse::<u64>().is_ok_and(|most| most < u64::from(u32::MAX));
    let most = is_meant.then(|| most.to_owned());
    Some(CliError::NoNumber { option, value, least: least.to_owned(), most })
}

/// The files that were given to `tacho changes` where revisions belong, if there are several and
/// nothing else.
fn files_of_numbers(
    words: impl Iterator<Item = OsString>,
    error: &clap::Error,
) -> Option<Vec<String>> {
    let words = words.map(|word| word.to_string_lossy().into_owned());
    let mut words = words.skip_while(|word| word.starts_with('-'));
    if error.kind() != ErrorKind::ArgumentConflict || words.next()? != "changes" {
        return None;
    }
    let names: Vec<String> = words.filter(|word| !word.starts_with('-')).collect();
    (names.len() > 1 && names.iter().all(|name| Path::new(name).is_file())).then_some(names)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Arguments;

    #[test]
    fn several_files_in_place_of_revisions_are_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<String> = ["a.json", "b.json"]
            .map(|name| folder.path().join(name).display().to_string())
            .to_vec();
        let of = |files: &[String]| {
            let words = ["--quiet", "changes"].map(str::to_owned).into_iter();
            let words: Vec<String> = words.chain(files.iter().cloned()).collect();
            let typed = std::iter::once("tacho".to_owned()).chain(words.clone());
            let error = Arguments::try_parse_from(typed).err()?;
            files_of_numbers(words.into_iter().map(OsString::from), &error)
        };
        assert_eq!(of(&files), None, "there are no such files");
        for file in &files {
            std::fs::write(file, "[]").unwrap();
        }
        assert_eq!(of(&files), Some(files.clone()));
        assert_eq!(of(&files[..1]), None);
    }

    #[test]
    fn a_number_that_is_none_is_reported_with_what_its_option_takes() {
        let said = |typed: &[&str]| {
            let all: Vec<OsString> = typed.iter().map(OsString::from).collect();
            let error = Arguments::try_parse_from(["tacho"].iter().chain(typed)).err()?;
            let error = in_our_words(&all, &error)?;
            Some(format!("{error}: {}", error.hint()?))
        };
        let least = |value: &str| {
            format!("`--rounds` cannot be `{value}`: write a whole number, at least 1")
        };
        for value in ["-1", "0", "99999999999"] {
            assert_eq!(said(&["bench", "--runs", value, "true"]), Some(least(value)));
        }
        assert_eq!(said(&["bench", "-r", "many", "true"]), Some(least("many")));
        assert_eq!(
            said(&["compare", "a", "b", "--layouts", "5000"]).unwrap(),
            "`--layouts` cannot be `5000`: write a whole number from 1 to 1000"
        );
        assert_eq!(
            said(&["bench", "--nice", "30", "true"]).unwrap(),
            "`--nice` cannot be `30`: write a whole number from -20 to 19"
        );
        let git = said(&["bisect", "start", "HEAD", "v1.0"]).unwrap();
        assert!(git.starts_with("`start` is a step of `git bisect`, not a"), "{git}");
        assert_eq!(
            said(&["bisect", "a", "b", "./work.sh"]).unwrap(),
            "`tacho bisect` takes two revisions, and `./work.sh` is one more word: a command goes \
             into `--run` or `--test`"
        );
        assert_eq!(
            said(&["changes", "ack", "zurepi"]).unwrap(),
            "`ack` is not a command of `tacho changes`: `tacho changes set NAME STATE` sets the \
             state of a change"
        );
        assert_eq!(
            said(&["bench", "ls", "-la"]).unwrap(),
            "`-l` is not an option of `tacho bench`: a command and its arguments go in quotes: \
             `tacho bench 'ls -la'`"
        );
        assert_eq!(said(&["bench", "--wramup", "3", "true"]), None);
        assert_eq!(said(&["bench", "-m", "wall", "true"]), None, "clap says what was meant");
    }

    #[test]
    fn an_option_is_suggested_only_if_it_is_near() {
        let said = |typed: &str| {
            let words = ["tacho", "compare", "a", "b", typed];
            without_wrong_tip(Arguments::try_parse_from(words).err().unwrap()).to_string()
        };
        assert!(!said("--retry").contains("similar"), "{}", said("--retry"));
        assert!(!said("--retry").contains("Usage: "), "{}", said("--retry"));
        for (typed, near) in [("--metirc=wall", "'--metric"), ("--mark", "'--markdown'")] {
            assert!(said(typed).contains(near), "{}", said(typed));
        }
    }

    #[test]
    fn an_option_of_another_command_is_not_to_be_given_as_a_value() {
        for typed in [["tacho", "track", "--fail-on"], ["tacho", "changes", "--fail-on"]] {
            let error = without_wrong_tip(Arguments::try_parse_from(typed).err().unwrap());
            let text = error.to_string();
            assert!(text.contains("unexpected argument '--fail-on' found"), "{text}");
            assert!(!text.contains("use '--"), "{text}");
        }
    }
}
