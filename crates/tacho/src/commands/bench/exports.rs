//! Exports of the measurements in the formats of other tools: files, and at most one on standard
//! output.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::cli::BenchArgs;
use crate::error::CliError;
use crate::error::bench::BenchMistake;
use crate::output;
use crate::output::bench::{BenchReport, export};

/// The names of standard output: hyperfine's, and the system's.
const STDOUT: [&str; 2] = ["-", "/dev/stdout"];

/// An option, and where what it writes goes.
type ExportTarget<'a> = (&'static str, &'a Path);

fn targets(command: &BenchArgs) -> Vec<ExportTarget<'_>> {
    let all = [
        ("--export-json", &command.export_json),
        ("--export-csv", &command.export_csv),
        ("--export-markdown", &command.export_markdown),
    ];
    all.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?))).collect()
}

fn is_stdout(path: &Path) -> bool {
    STDOUT.iter().any(|name| path.as_os_str() == *name)
}

/// The option whose file is standard output, which then has nothing else.
pub fn to_stdout(command: &BenchArgs) -> Option<&'static str> {
    targets(command).into_iter().find(|(_, path)| is_stdout(path)).map(|(option, _)| option)
}

/// Reports what cannot be written, or would be written over one another, before anything is
/// measured for it.
pub fn check(command: &BenchArgs, is_loud: bool) -> Result<(), CliError> {
    let all = targets(command);
    for (at, (option, path)) in all.iter().enumerate() {
        if let Some((first, _)) = all[..at].iter().find(|(_, other)| is_same(other, path)) {
            return Err(BenchMistake::ExportedTwice {
                first,
                second: option,
                path: path.to_path_buf(),
            }
            .into());
        }
    }
    if let Some(option) = to_stdout(command).filter(|_| command.json || is_loud) {
        let other = if command.json { "`--json`" } else { "the output of the commands" };
        return Err(BenchMistake::MixedWithExport { option, other }.into());
    }
    all.into_iter()
        .filter(|(_, path)| !is_stdout(path))
        .try_for_each(|(_, path)| check_writable(path))
}

/// Checks that a file can be written, without changing it: a missing file is missing afterwards
/// too.
pub fn check_writable(path: &Path) -> Result<(), CliError> {
    let mut append = std::fs::OpenOptions::new();
    append.append(true);
    match append.clone().create_new(true).open(path) {
        Ok(_) => std::fs::remove_file(path),
        // A broken link exists as well.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            append.create(true).open(path).map(drop)
        }
        Err(error) => Err(error),
    }
    .map_err(CliError::writing(path))
}

/// Whether both are one file; a path that is no file, such as `/dev/null`, takes both.
fn is_same(one: &Path, other: &Path) -> bool {
    let is_device =
        |path: &Path| !is_stdout(path) && path.metadata().is_ok_and(|data| !data.is_file());
    is_stdout(one) == is_stdout(other) && full(one) == full(other) && !is_device(one)
}

/// The path without links, of a file that need not exist.
fn full(path: &Path) -> PathBuf {
    let of_folder = || {
        let folder =
            path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(of_folder).unwrap_or_else(|| path.to_owned())
}

/// Writes all of them; where no command gave a value, files stay as they were.
pub fn write(command: &BenchArgs, report: &BenchReport<'_>) -> Result<(), CliError> {
    let is_measured = report.standings.each.iter().any(|standing| standing.time.is_some());
    for (option, path) in targets(command) {
        if !is_measured && !is_stdout(path) {
            output::note(
                "note",
                &format!("nothing was measured: `{}` is not written", path.display()),
            );
            continue;
        }
        let content = match option {
            "--export-json" => export::json(report)?,
            "--export-csv" => export::csv(report)?,
            _ => export::markdown(report),
        };
        if is_stdout(path) {
            // As it is: what looks like colours may be part of a command.
            let mut out = std::io::stdout().lock();
            out.write_all(content.as_bytes()).and_then(|()| out.flush())?;
        } else {
            std::fs::write(path, content).map_err(CliError::writing(path))?;
        }
    }
    if command.export_json.is_some() || command.export_csv.is_some() {
        for line in export::notes(report) {
            output::note("warning", &line);
        }
        if let Some(line) = export::other_medians(report) {
            output::note("note", &line);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_several_names() {
        assert!(is_same(Path::new("o"), Path::new("./o")), "that is not there yet");
        assert!(is_same(Path::new("Cargo.toml"), Path::new("src/../Cargo.toml")));
        assert!(is_same(Path::new("-"), Path::new("-")));
        assert!(!is_same(Path::new("-"), Path::new("./-")), "a file may be called so");
        assert!(!is_same(Path::new("o"), Path::new("p")));
        assert!(!is_same(Path::new("/dev/null"), Path::new("/dev/null")), "it takes all");
    }
}
