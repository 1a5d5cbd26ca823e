//! The likely meaning of a name without a prefix: a report, a program, a missing file.

use std::path::Path;

use tacho_experiment::bench::Start;
use tacho_measure::{Report, read_report};

use crate::cli::CompareArgs;
use crate::commands::bench::start::{self, check};
use crate::error::compare::CompareMistake;

/// How files end that tools write reports to.
const FILES: [&str; 4] = ["csv", "json", "log", "txt"];

/// The report with this path, if it is one; a program of this name is no report.
pub fn exported(name: &str) -> Option<Report> {
    let path = Path::new(name);
    (path.is_file() || path.is_dir()).then(|| read_report(path).ok()).flatten()
}

/// Whether the command needs no plan.
pub fn may_be_commands(command: &CompareArgs) -> bool {
    let b = command.b.as_deref();
    command.command
        || b.is_some()
            && [Some(command.a.as_str()), b].into_iter().flatten().all(|typed| {
                ["command:", "file:"].iter().any(|prefix| typed.starts_with(prefix))
                    || typed.contains(char::is_whitespace)
                    || is_program(typed)
                    || exported(typed).is_some()
                    || is_unknown_file(typed)
                    || is_missing_file(typed)
            })
}

/// The mistake in two sides without a plan. Two unknown names are probably revisions, whose plan is
/// missing. A name beside a file or a program, a name similar to a file's, or a path is mistyped.
pub fn mistyped(command: &CompareArgs) -> Option<CompareMistake> {
    if command.b.is_none() && exported(&command.a).is_some() {
        return Some(CompareMistake::ReportAlone { name: command.a.clone() });
    }
    let sides = [Some(&command.a), command.b.as_ref()];
    let is_here = |typed: &&String| is_program(typed) || Path::new(typed).exists();
    let beside = sides.into_iter().flatten().any(|typed| is_here(&typed));
    let is_word = |typed: &&String| !is_here(typed) && !typed.contains(':');
    sides.into_iter().flatten().filter(is_word).find_map(|typed| {
        let (name, nearest) = (typed.clone(), nearest_file(typed));
        let is_meant = beside || nearest.is_some() || typed.contains('/');
        is_meant.then_some(CompareMistake::NothingHere { name, nearest })
    })
}

/// The error for a missing file, with the similar one that exists.
pub fn no_file(name: &str) -> CompareMistake {
    CompareMistake::NoFile { file: name.to_owned(), nearest: nearest_file(name) }
}

/// The file in the same folder whose name is nearly the same, if there is one.
fn nearest_file(name: &str) -> Option<String> {
    let path = Path::new(name);
    let (folder, file) = (path.parent()?, path.file_name()?.to_str()?);
    let most = if file.len() < 4 { 1 } else { 2 };
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let names =
        here.read_dir().ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let near =
        names.map(|name| (strsim::osa_distance(file, &name), name)).filter(|(far, _)| *far <= most);
    near.min().map(|(_, near)| folder.join(near).display().to_string())
}

/// Whether a word that is no path is a program of this folder.
pub fn is_program_of_folder(word: &str) -> bool {
    let folder = std::env::current_dir().unwrap_or_default();
    start::is_program_of_folder(word, &folder) && !is_program(word)
}

/// Whether the name is a file that is neither a report nor a program.
pub fn is_unknown_file(name: &str) -> bool {
    Path::new(name).is_file() && !is_program(name) && exported(name).is_none()
}

/// Whether the name can only mean a file, by its path or its ending, and there is none.
pub fn is_missing_file(name: &str) -> bool {
    let path = Path::new(name);
    let is_of_file =
        path.extension().is_some_and(|ending| FILES.iter().any(|known| ending == *known));
    (is_of_file || is_path(name)) && !name.contains(char::is_whitespace) && !path.exists()
}

/// Whether it is written as a path, and not as a name.
pub fn is_path(name: &str) -> bool {
    ["./", "../", "/"].iter().any(|begin| name.starts_with(begin))
}

/// Whether a single word is a program that can be started.
pub fn is_program(word: &str) -> bool {
    let folder = std::env::current_dir().unwrap_or_default();
    let start = Start::Words(vec![word.to_owned()]);
    check(&start, word, &folder, &[]).is_ok()
}
