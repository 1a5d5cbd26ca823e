//! Series out of several files, each of which is a point: reports of other tools, results of asv.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tacho_experiment::changes::{PointOrder, natural, series_of_files};
use tacho_measure::{FilePoint, read_point, read_report};
use tacho_record::numbers::Numbers;
use tacho_record::{Direction, in_backticks};

use crate::cli::FileOrder;
use crate::error::CliError;
use crate::output;

/// At most this many files that are skipped are named.
const SKIPPED: usize = 3;

/// Whether the path means several files: a folder, or a pattern that is not a file's name.
pub fn is_several(path: &Path) -> bool {
    path.is_dir() || (!path.exists() && is_pattern(path))
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

/// The series of these files, in the given order, otherwise by the times in the files, if all have
/// one, otherwise by name. Other files of a folder or a pattern are skipped with a note. `better`
/// applies to all values, whatever the files say.
pub fn gather(
    paths: &[PathBuf],
    order: Option<FileOrder>,
    better: Option<Direction>,
) -> Result<Numbers, CliError> {
    let files = files(paths)?;
    if let [only] = files.as_slice()
        && only.is_dir()
        && let Ok(report) = read_report(only)
    {
        return Err(CliError::OneExport { name: only.display().to_string(), tool: report.tool });
    }
    for file in &files {
        // A range that was typed beside a file is no path.
        std::fs::metadata(file).map_err(CliError::reading(file))?;
    }
    let (mut points, mut skipped) = (Vec::new(), Vec::new());
    for file in files {
        match point(&file) {
            Err(CliError::NoReport { name, why }) if !paths.contains(&file) => {
                skipped.push((name, why));
            }
            point => points.push((file, point?)),
        }
    }
    relabel(&mut points);
    note_skipped(&skipped);
    if points.is_empty() {
        return Err(CliError::NoReports {
            names: in_backticks(paths.iter().map(|it| it.display())),
        });
    }
    let untimed = points.iter().find(|(_, point)| point.moment.is_none());
    if let (Some(FileOrder::Time), Some((path, _))) = (order, untimed) {
        return Err(CliError::NoTime { name: path.display().to_string() });
    }
    let typed = order.map(PointOrder::from);
    let order = typed.unwrap_or_else(|| PointOrder::suggested(&points, paths));
    order.sort(&mut points);
    if points.len() > 1 {
        output::note("note", &said(order, typed.is_some()));
    }
    Ok(series_of_files(&points, better))
}

/// If points have the same label, the differing parts of their paths become the labels.
fn relabel(points: &mut [(PathBuf, FilePoint)]) {
    let labels: HashSet<&String> = points.iter().map(|(_, point)| &point.label).collect();
    if labels.len() == points.len() {
        return;
    }
    let parts: Vec<Vec<String>> = points.iter().map(|(path, _)| parts(path)).collect();
    let same = |of: &dyn Fn(&Vec<String>) -> Option<&String>| {
        parts.iter().all(|one| of(one).is_some() && of(one) == of(&parts[0]))
    };
    let shortest = parts.iter().map(Vec::len).min().unwrap_or(0);
    let first = (0..shortest).take_while(|at| same(&|one| one.get(*at))).count();
    let last =
        (0..shortest - first).take_while(|at| same(&|one| one.iter().rev().nth(*at))).count();
    for ((_, point), parts) in points.iter_mut().zip(&parts) {
        let differing = parts[first..parts.len() - last].join("/");
        if !differing.is_empty() {
            point.label = differing;
        }
    }
}

fn parts(path: &Path) -> Vec<String> {
    path.iter().map(|part| part.to_string_lossy().into_owned()).collect()
}

impl From<FileOrder> for PointOrder {
    fn from(typed: FileOrder) -> Self {
        match typed {
            FileOrder::Time => Self::Time,
            FileOrder::Name => Self::Name,
            FileOrder::Given => Self::Given,
        }
    }
}

fn said(order: PointOrder, is_typed: bool) -> String {
    let as_given = "; `--order given` keeps them as given";
    let (order, other) = match order {
        PointOrder::Time => ("order of the times in the files", as_given),
        PointOrder::Name => ("order of the names of the files, numbers by value", as_given),
        PointOrder::Given => {
            ("the order given", "; `--order name` sorts them by the names of the files")
        }
    };
    format!("points are in {order}{}", if is_typed { "" } else { other })
}

/// Says which files are no reports, and why.
fn note_skipped(skipped: &[(String, String)]) {
    for (name, why) in skipped.iter().take(SKIPPED) {
        output::note("note", &format!("skipped `{name}`, which is not a report: {why}"));
    }
    if let Some(more) = skipped.len().checked_sub(SKIPPED).filter(|more| *more > 0) {
        output::note("note", &format!("skipped {more} more files, which are no reports either"));
    }
}

/// All files that are meant: those of folders and patterns by name, numbers in it by their value.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for path in paths {
        let mut found = match path {
            path if path.is_dir() => inside(path, 0)?,
            path if !path.exists() && is_pattern(path) => matching(path)?,
            path => vec![path.clone()],
        };
        found.sort_by_key(|path| natural(&path.to_string_lossy()));
        files.extend(found);
    }
    Ok(files)
}

/// How many folders within a folder are looked into: pytest-benchmark has one for each machine.
const DEEPEST: u32 = 2;

/// The points of a folder: its files, or itself if it is one report, as criterion keeps it; if it
/// has only folders, the points of those.
fn inside(folder: &Path, depth: u32) -> Result<Vec<PathBuf>, CliError> {
    let entries = std::fs::read_dir(folder).map_err(CliError::reading(folder))?;
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_shown(path))
        .partition(|path| path.is_dir());
    let found: Vec<PathBuf> = files.into_iter().filter(|path| is_data(path)).collect();
    if is_baseline(folder) || (found.is_empty() && is_one_report(folder)) {
        return Ok(vec![folder.to_owned()]);
    }
    if !found.is_empty() {
        return Ok(found);
    }
    match machines(folder).as_slice() {
        [] if depth < DEEPEST => below(folder, folders, depth + 1),
        [] => Err(no_files(folder)),
        [machine] => inside(machine, depth),
        several => {
            let machines = several.iter().map(|machine| machine.display().to_string());
            let machines = in_backticks(machines);
            Err(CliError::SeveralMachines { name: folder.display().to_string(), machines })
        }
    }
}

/// The points of these folders, which are all that a folder has; those without any are passed over.
fn below(folder: &Path, mut folders: Vec<PathBuf>, depth: u32) -> Result<Vec<PathBuf>, CliError> {
    folders.sort_by_key(|path| natural(&path.to_string_lossy()));
    let mut points = Vec::new();
    for folder in folders {
        match inside(&folder, depth) {
            Err(CliError::NoFiles { .. }) => {}
            found => points.extend(found?),
        }
    }
    if points.is_empty() { Err(no_files(folder)) } else { Ok(points) }
}

fn no_files(folder: &Path) -> CliError {
    CliError::NoFiles { pattern: folder.join("*").display().to_string() }
}

fn is_shown(path: &Path) -> bool {
    path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'))
}

/// Whether it is a file that is not asv's of a machine or of benchmarks.
fn is_data(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.is_file() && !["machine.json", "benchmarks.json"].contains(&name.as_ref())
}

/// Whether it is a folder that criterion keeps for a benchmark at a baseline.
fn is_baseline(folder: &Path) -> bool {
    folder.join("sample.json").is_file() && read_report(folder).is_ok()
}

/// Whether it is a report that has each benchmark once: of several the names come again.
fn is_one_report(folder: &Path) -> bool {
    let Ok(report) = read_report(folder) else { return false };
    let mut names = HashSet::new();
    report.benchmarks.iter().all(|it| names.insert((&it.benchmark, &it.metric.name)))
}

/// The folders of machines in asv's folder of results, in order.
fn machines(results: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(results).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| path.join("machine.json").is_file());
    found.sort();
    found
}

fn matching(pattern: &Path) -> Result<Vec<PathBuf>, CliError> {
    let pattern = pattern.display().to_string();
    let found: Vec<PathBuf> = glob::glob(&pattern).into_iter().flatten().flatten().collect();
    if found.is_empty() { Err(CliError::NoFiles { pattern }) } else { Ok(found) }
}

/// The point of a file.
fn point(path: &Path) -> Result<FilePoint, CliError> {
    let name = path.display().to_string();
    read_point(path).map_err(|why| CliError::NoReport { name, why })
}
