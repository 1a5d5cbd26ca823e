//! Checks the files that executions write: no other file may be among them.
//!
//! A file with a metric is removed before each execution, and the output's file is emptied. So
//! before any build, each existing file must have been written by executions of that benchmark: a
//! run measured the benchmark with that file in its plan, and the file is no older than that run.

use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use tacho_record::Plan;
use tacho_record::plan::{self, Benchmark, ExpectOutput, Output, OutputPlace};

use crate::{Context, ExperimentError};

/// Checks that executions of that benchmark may overwrite all the files that they write.
pub fn check(
    context: &mut Context<'_>,
    benchmark: &Benchmark,
    folder: &Path,
) -> Result<(), ExperimentError> {
    for file in files(benchmark) {
        let path = folder.join(file);
        if let Some(what) = not_its_own(context, benchmark, folder, file)? {
            return Err(ExperimentError::WouldOverwrite {
                benchmark: benchmark.name.clone(),
                path,
                what,
            });
        }
    }
    Ok(())
}

/// The files that executions of that benchmark write, as the plan names them.
fn files(benchmark: &Benchmark) -> impl Iterator<Item = &str> {
    let read =
        benchmark.metrics.iter().filter_map(|planned| match &planned.reading.as_ref()?.place {
            OutputPlace::File(file) => Some(file.as_str()),
            OutputPlace::Stderr | OutputPlace::Stdout => None,
        });
    let output = match &benchmark.output {
        Output::File(file) => Some(file.as_str()),
        _ => None,
    };
    read.chain(output)
}

/// The kind of a file that executions of that benchmark must not overwrite.
fn not_its_own(
    context: &mut Context<'_>,
    benchmark: &Benchmark,
    folder: &Path,
    file: &str,
) -> Result<Option<&'static str>, ExperimentError> {
    let path = folder.join(file);
    let same = |other: &str| place(&folder.join(other)) == place(&path);
    if benchmark.stdin.as_deref().is_some_and(same) {
        return Ok(Some("its standard input"));
    }
    if let ExpectOutput::File(right) = &benchmark.expect.stdout
        && same(right)
    {
        return Ok(Some("which holds the right answer"));
    }
    // A link is what would be removed, wherever it leads.
    let Ok(found) = path.symlink_metadata() else { return Ok(None) };
    if found.is_dir() {
        return Ok(Some("which is a folder"));
    }
    // Devices and pipes have no content to lose.
    if !found.is_file()
        && !found.is_symlink()
        && matches!(&benchmark.output, Output::File(it) if it == file)
    {
        return Ok(None);
    }
    let written = found.modified().ok();
    Ok((!was_written(context, benchmark, file, written)?)
        .then_some("which no earlier execution wrote"))
}

/// Whether a run of this host measured the benchmark with that file to write, and the file has been
/// written since.
fn was_written(
    context: &mut Context<'_>,
    benchmark: &Benchmark,
    file: &str,
    written: Option<SystemTime>,
) -> Result<bool, ExperimentError> {
    let Some(written) = written else { return Ok(false) };
    for run in context.store.runs()? {
        let is_later = SystemTime::from(run.started) <= written;
        let named = |plan: Plan| {
            let mut same = plan.benchmarks.iter().filter(|other| other.name == benchmark.name);
            same.any(|other| files(other).any(|it| it == file))
        };
        if is_later && plan::parse(&run.plan, "tacho.toml").is_ok_and(named) {
            let cells = context.store.cells(run.number)?;
            if cells.iter().any(|(_, cell)| cell.benchmark.name == benchmark.name) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The resolved path: the existing part without links, and the rest without `.` and `..`.
fn place(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.components().next_back()) {
        (Some(parent), Some(Component::Normal(name))) => place(parent).join(name),
        (Some(parent), Some(Component::ParentDir)) => {
            let mut above = place(parent);
            above.pop();
            above
        }
        (Some(parent), Some(Component::CurDir)) => place(parent),
        _ => path.to_owned(),
    }
}
