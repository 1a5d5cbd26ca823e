//! In which order files are points of a series.

use std::path::PathBuf;

use tacho_measure::FilePoint;

use crate::cli::FileOrder;
use crate::error::CliError;
use crate::output;

/// The points in the order that was typed, else the one that their files suggest, and says which.
pub fn ordered(
    mut points: Vec<(PathBuf, FilePoint)>,
    typed: Option<FileOrder>,
    paths: &[PathBuf],
) -> Result<Vec<FilePoint>, CliError> {
    let untimed = points.iter().find(|(_, point)| point.moment.is_none());
    let order = match (typed, untimed) {
        (Some(FileOrder::Time), Some((path, _))) => {
            return Err(CliError::NoTime { name: path.display().to_string() });
        }
        (Some(order), _) => order,
        (None, None) => FileOrder::Time,
        (None, Some(_)) if is_by_letters(paths) => FileOrder::Name,
        (None, Some(_)) => FileOrder::Given,
    };
    match order {
        FileOrder::Time => points.sort_by_key(|(_, point)| point.moment),
        FileOrder::Name => points.sort_by_key(|(path, _)| natural(&path.to_string_lossy())),
        FileOrder::Given => {}
    }
    if points.len() > 1 {
        output::note("note", said(order, typed.is_some()));
    }
    Ok(points.into_iter().map(|(_, point)| point).collect())
}

fn said(order: FileOrder, is_typed: bool) -> &'static str {
    match order {
        FileOrder::Time if is_typed => "points are in order of the times in the files",
        FileOrder::Name if is_typed => "points are in order of the names of the files",
        FileOrder::Time => {
            "points are in order of the times in the files; `--order given` keeps them as given"
        }
        FileOrder::Name => {
            "points are in order of the names of the files, numbers by value; `--order given` \
             keeps them as given"
        }
        FileOrder::Given if is_typed => "points are in the order given",
        FileOrder::Given => {
            "points are in the order given; `--order name` sorts them by the names of the files"
        }
    }
}

/// Whether paths are in the order of a dictionary, in which a shell writes a pattern: no user types
/// `run-10` before `run-2`.
fn is_by_letters(paths: &[PathBuf]) -> bool {
    // With a locale, shells leave out punctuation and compare letters of either case.
    let letters = |path: &PathBuf| -> String {
        let name = path.to_string_lossy().to_lowercase();
        name.chars().filter(|c| c.is_alphanumeric()).collect()
    };
    paths.is_sorted() || paths.is_sorted_by_key(letters)
}

/// A name in which numbers are compared by value: `run-9` comes before `run-10`.
pub fn natural(name: &str) -> Vec<(u64, String)> {
    let mut parts = vec![(0, String::new())];
    let mut digits = String::new();
    for c in name.chars().chain(['\0']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            parts.push((digits.parse().unwrap_or(u64::MAX), String::new()));
            digits.clear();
        }
        if let Some((_, text)) = parts.last_mut() {
            text.push(c);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_compared_by_value() {
        let mut names = ["run-10.json", "run-9.json", "a-2.json", "run-9b.json"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["a-2.json", "run-9.json", "run-9b.json", "run-10.json"]);
    }

    #[test]
    fn an_order_that_no_shell_writes_was_meant() {
        let of =
            |names: &[&str]| is_by_letters(&names.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert!(of(&["run-1.json", "run-10.json", "run-2.json"]));
        assert!(of(&["a_b", "A-c"]), "by the letters alone");
        assert!(!of(&["new.json", "old.json", "middle.json"]));
    }
}
