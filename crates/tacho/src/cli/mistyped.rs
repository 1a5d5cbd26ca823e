//! What is said of a mistyped option.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The error without tips that only lead to the next error: that an unknown option may be given as
/// a value, after `--`, and an option that is spelled too differently to be meant.
pub fn without_wrong_tip(mut error: clap::Error) -> clap::Error {
    if is_far(&error) {
        error.remove(ContextKind::SuggestedArg);
    }
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().contains(" as a value, use "));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    error
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

/// The files that were given to `tacho changes` where revisions belong, if there are several and
/// nothing else.
pub fn files_of_numbers(
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
    fn an_option_is_suggested_only_if_it_is_near() {
        let said = |typed: &str| {
            let words = ["tacho", "compare", "a", "b", typed];
            without_wrong_tip(Arguments::try_parse_from(words).err().unwrap()).to_string()
        };
        assert!(!said("--retry").contains("similar"), "{}", said("--retry"));
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
