//! The way from a lab to a folder of pages.
//!
//! Samples and logs are read a few revisions at a time, in order of history, and the pages of those
//! written on all CPUs; what the raw data needs is kept in the ledger. Then come the series, then
//! the overview.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use rayon::prelude::*;
use tacho_record::Digest;

use crate::ledger::Ledger;
use crate::output::{OutputFolder, WrittenSite};
use crate::page::revision::{LogExcerpt, RevisionMaterial, log_file};
use crate::view::{ChangeView, SeriesView, View};
use crate::{Lab, LabSource, RunRecord, SiteError, assets, data, page};

/// The number of revisions that are in memory at a time.
const BATCH: usize = 32;

/// Called with how many pages are done, and of how many.
pub type PageProgress<'a> = dyn FnMut(usize, usize) + 'a;

/// Writes all pages of a lab into a folder, which is made if need be.
///
/// Files that are already as they should be are not touched. Files that an earlier call wrote and
/// this one does not are removed; files of others are neither replaced nor removed, and a
/// folder that holds nothing but those is refused.
pub fn write(
    lab: &Lab,
    source: &mut dyn LabSource,
    dir: &Path,
    progress: &mut PageProgress,
) -> Result<WrittenSite, SiteError> {
    let view = View::of(lab);
    let output = OutputFolder::open(dir, planned(&view))?;
    let total = view.revisions.len() + view.series.len() + lab.runs.len() + MAIN_PAGES;
    output.put("app.css", assets::STYLE.as_bytes())?;
    output.put("app.js", assets::SCRIPT.as_bytes())?;
    let ledger = write_revisions(&view, source, &output, &mut |done| progress(done, total))?;
    let before = view.revisions.len();
    for (number, batch) in view.series.chunks(BATCH).enumerate() {
        batch.par_iter().try_for_each(|series| write_series(&view, series, &ledger, &output))?;
        progress(before + number * BATCH + batch.len(), total);
    }
    let before = before + view.series.len();
    for (number, record) in lab.runs.iter().enumerate() {
        write_run(&view, record, source, &output)?;
        progress(before + number + 1, total);
    }
    for event in &view.events {
        for change in &event.changes {
            output.put(&change_file(change), &page::change::page(&view, event, change))?;
        }
    }
    for one in &lab.bisections {
        output.put(&page::bisection_file(&one.bisection), &page::bisection::page(&view, one))?;
    }
    if !lab.bisections.is_empty() {
        output.put("bisections.html", &page::bisections::page(&view))?;
    }
    for all in page::comparison::pages(&view) {
        output.put(&page::comparison::file(all), &page::comparison::page(&view, all))?;
    }
    if !lab.comparisons.is_empty() {
        output.put("comparisons.html", &page::comparison::list(&view))?;
    }
    for one in &view.layouts {
        output.put(&page::layouts::file(one.record.run), &page::layouts::page(&view, one))?;
    }
    if !view.layouts.is_empty() {
        output.put("layouts.html", &page::layouts::list(&view))?;
    }
    output.put("changes.html", &page::changes::page(&view))?;
    output.put("revisions.html", &page::revisions::page(&view))?;
    output.put("runs.html", &page::runs::page(&view))?;
    output.put("index.html", &page::overview::page(&view, &ledger))?;
    let written = output.close()?;
    progress(total, total);
    Ok(written)
}

/// The page of a run, whose executions are read for it alone.
fn write_run(
    view: &View,
    record: &RunRecord,
    source: &mut dyn LabSource,
    output: &OutputFolder,
) -> Result<(), SiteError> {
    let number = record.run.number;
    let failed = |source| SiteError::Read { what: format!("in run {number}"), source };
    let executed = source.run(number).map_err(failed)?;
    output.put(&page::run_file(number), &page::run::page(view, record, &executed))
}

const MAIN_PAGES: usize = 4;

fn change_file(change: &ChangeView) -> String {
    format!("change/{}.html", change.slug)
}

/// The names of all files.
fn planned(view: &View) -> BTreeSet<String> {
    let main = ["app.css", "app.js", "changes.html", "index.html", "revisions.html", "runs.html"]
        .map(str::to_owned);
    let runs = view.lab.runs.iter().map(|record| page::run_file(record.run.number));
    let series = view.series.iter().flat_map(|one| files(one).map(|(name, _)| name));
    let revisions = view.revisions.iter().map(|one| format!("revision/{}.html", one.slug));
    let logs = view.lab.builds.iter().filter_map(|build| build.build.log.map(log_file));
    let changes = view.events.iter().flat_map(|event| &event.changes).map(change_file);
    let bisections = view.lab.bisections.iter().map(|one| page::bisection_file(&one.bisection));
    let all_of_them = (!view.lab.bisections.is_empty()).then(|| "bisections.html".to_owned());
    let comparisons = page::comparison::pages(view).map(page::comparison::file);
    let all_comparisons = (!view.lab.comparisons.is_empty()).then(|| "comparisons.html".to_owned());
    let layouts = view.layouts.iter().map(|one| page::layouts::file(one.record.run));
    let all_layouts = (!view.layouts.is_empty()).then(|| "layouts.html".to_owned());
    let pages = series.chain(revisions).chain(changes).chain(bisections).chain(all_of_them);
    let pages = pages.chain(comparisons).chain(all_comparisons).chain(layouts).chain(all_layouts);
    main.into_iter().chain(runs).chain(pages).chain(logs).collect()
}

#[derive(Clone, Copy)]
enum PageKind {
    Csv,
    Json,
    Page,
    Script,
}

fn files(series: &SeriesView) -> [(String, PageKind); 4] {
    let slug = &series.slug;
    [
        (format!("data/{slug}.csv"), PageKind::Csv),
        (format!("data/{slug}.json"), PageKind::Json),
        (format!("data/{slug}.js"), PageKind::Script),
        (format!("series/{slug}.html"), PageKind::Page),
    ]
}

fn write_series(
    view: &View,
    series: &SeriesView,
    ledger: &Ledger,
    output: &OutputFolder,
) -> Result<(), SiteError> {
    let json = data::json(view, series)?;
    for (name, kind) in files(series) {
        match kind {
            PageKind::Csv => output.put(&name, &ledger.csv(view, series)?)?,
            PageKind::Json => output.put(&name, &json)?,
            PageKind::Page => output.put(&name, &page::series::page(view, series))?,
            PageKind::Script => output.put(&name, &data::script(&json))?,
        }
    }
    Ok(())
}

fn write_revisions(
    view: &View,
    source: &mut dyn LabSource,
    output: &OutputFolder,
    done: &mut dyn FnMut(usize),
) -> Result<Ledger, SiteError> {
    let mut ledger = Ledger::default();
    let mut seen = HashSet::new();
    let places: Vec<usize> = (0..view.revisions.len()).collect();
    for batch in places.chunks(BATCH) {
        let mut materials = Vec::with_capacity(batch.len());
        for &place in batch {
            let material = read(view, place, source, &mut seen)?;
            material.measured.iter().for_each(|measured| ledger.add(place, measured));
            materials.push((place, material));
        }
        materials
            .par_iter()
            .try_for_each(|(place, material)| write_revision(view, *place, material, output))?;
        done(batch.last().map_or(0, |last| last + 1));
    }
    Ok(ledger)
}

fn read(
    view: &View,
    place: usize,
    source: &mut dyn LabSource,
    seen: &mut HashSet<Digest>,
) -> Result<RevisionMaterial, SiteError> {
    let revision = &view.revisions[place];
    let failed =
        |source| SiteError::Read { what: format!("at `{}`", revision.revision.id), source };
    let measured = source.measurements(&revision.revision.id).map_err(failed)?;
    let digests: BTreeSet<Digest> =
        revision.builds.iter().filter_map(|build| build.build.log).collect();
    let mut logs = Vec::new();
    for digest in digests {
        if let Some(bytes) = source.log(digest).map_err(failed)? {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            logs.push(LogExcerpt { digest, text, is_new: seen.insert(digest) });
        }
    }
    Ok(RevisionMaterial { measured, logs })
}

fn write_revision(
    view: &View,
    place: usize,
    material: &RevisionMaterial,
    output: &OutputFolder,
) -> Result<(), SiteError> {
    for log in material.logs.iter().filter(|log| log.is_new) {
        output.put(&log_file(log.digest), log.text.as_bytes())?;
    }
    let name = format!("revision/{}.html", view.revisions[place].slug);
    output.put(&name, &page::revision::page(view, place, material))
}
