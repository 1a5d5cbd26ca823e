//! `tacho changes --from`: judges numbers from files, without a plan or a store.

use std::path::{Path, PathBuf};

use tacho_experiment::changes::judge_given;
use tacho_measure::{read_all, read_file, read_report};
use tacho_record::numbers::{self, GivenSeries, MergedRows, Numbers};
use tacho_record::{Direction, in_backticks};

use super::{filter, gathered};
use crate::cli::ChangeQueryArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::changes::GivenChanges;
use crate::output::{self, directions};

pub fn execute(paths: &[PathBuf], command: &ChangeQueryArgs) -> Result<Exit, CliError> {
    let better: Option<Direction> = command.better.map(Into::into);
    let numbers = match paths {
        [path] if !gathered::is_several(path) => one(path, better)?,
        several => gathered::gather(several, command.order, better)?,
    };
    named(&numbers, &command.list.benchmark)?;
    note_descending(&numbers);
    note_named_by(&numbers);
    note_directions(&numbers);
    let found = GivenChanges {
        shape: numbers.shape,
        series: judge_given(&numbers.series),
        filter: filter::of(&command.list, (0, u64::MAX)),
    };
    if command.list.form.json {
        output::print_json(&found.answer())?;
    } else if command.list.form.markdown {
        output::print(&found.markdown())?;
    } else {
        output::print(&found.text(Some(output::table_width())))?;
        note_left_out(&numbers);
        note_together(&numbers);
    }
    Ok(if found.has_regression() { Exit::Worse } else { Exit::Success })
}

/// How the CSV begins that hyperfine exports: a row is a command, and rows are no history.
const HYPERFINE: &[u8] = b"command,mean,stddev,median,user,system,min,max";

/// The series of one file.
fn one(path: &Path, better: Option<Direction>) -> Result<Numbers, CliError> {
    let bytes = read(path)?;
    if bytes.starts_with(HYPERFINE) {
        return Err(CliError::HyperfineTable { name: name(path) });
    }
    numbers::parse(&bytes, better).map_err(|source| match read_report(path) {
        Ok(report) => CliError::OneExport { name: name(path), tool: report.tool },
        Err(_) => CliError::Numbers { name: name(path), source },
    })
}

/// Checks that the file has each requested series.
fn named(numbers: &Numbers, asked: &[String]) -> Result<(), CliError> {
    let known: Vec<&str> =
        numbers.series.iter().filter_map(|series| series.name.as_deref()).collect();
    let Some(name) = asked.iter().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    Err(CliError::UnknownSeries { name: name.clone(), known: in_backticks(known) })
}

fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    if path != Path::new("-") {
        return read_file(path).map_err(CliError::reading(path));
    }
    read_all(std::io::stdin().lock()).map_err(CliError::reading("standard input"))
}

fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Points are judged in the order of the file. If their times have the opposite order, changes are
/// reversed.
fn note_descending(numbers: &Numbers) {
    let mut descending =
        numbers.series.iter().filter_map(|series| Some((series, series.descends()?)));
    let Some((series, index)) = descending.next() else { return };
    let name = series.name.as_deref().map_or_else(String::new, |name| format!(" of `{name}`"));
    let more = match descending.count() {
        0 => String::new(),
        more => format!(", and those of {more} more"),
    };
    let time = |index: usize| series.points[index].time.as_deref().unwrap_or_default();
    let before = (0..index).rev().find(|&before| !time(before).is_empty()).unwrap_or(0);
    let (before, after) = (time(before), time(index));
    let what = format!("the times{name}{more} are not in order: `{after}` comes after `{before}`");
    output::note("warning", &format!("{what}; points are judged in the order of the file"));
}

/// Columns that are no series are named, so that the user does not expect a verdict on them.
fn note_left_out(numbers: &Numbers) {
    if !numbers.left_out.is_empty() {
        let what = "ignored columns (no values to judge)";
        output::note("note", &format!("{what}: {}", in_backticks(&numbers.left_out)));
    }
}

/// Notes that the texts of a column were used as names of series.
fn note_named_by(numbers: &Numbers) {
    if numbers.named_by.is_empty() {
        return;
    }
    let (columns, series) =
        (in_backticks(&numbers.named_by), output::text::count(numbers.series.len(), "series"));
    let what = if numbers.named_by.len() == 1 { "column" } else { "columns" };
    let name = if numbers.named_by.len() == 1 { "names" } else { "name" };
    output::note("note", &format!("{what} {columns} {name} the series of each row: {series}"));
}

/// Notes the better directions that only names and units suggest.
fn note_directions(numbers: &Numbers) {
    let name = |series: &GivenSeries| series.name.clone().unwrap_or_else(|| "values".to_owned());
    let guessed = numbers.series.iter().filter_map(|it| Some((name(it), it.rate?)));
    directions::announce(guessed, directions::DirectionSetting::Option);
}

/// Notes that rows of one release count as its samples: if they are consecutive revisions, changes
/// between them are not seen.
fn note_together(numbers: &Numbers) {
    let Some(MergedRows { column, rows, points }) = &numbers.together else { return };
    let points = output::text::count(*points, "point");
    output::note(
        "note",
        &format!(
            "rows with the same `{column}` are samples of one point: {rows} rows make \
                  {points}"
        ),
    );
    output::note("hint", "a column `commit` or `date` distinguishes revisions of one release");
}
