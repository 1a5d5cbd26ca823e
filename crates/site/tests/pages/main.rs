//! Pages of a fictitious lab, read back as files: what is on them, what is harmless, what is left
//! alone.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used)]

// The tests do not need all of it.
#[allow(dead_code)]
#[path = "../../examples/fixture/lab.rs"]
mod lab;

mod bisections;
mod changes;
mod overview;
mod runs;
mod series;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lab::{Fixture, realistic};
use tacho_record::{Course, Digest, Finding, LimitedExecutions, Metric, Phase, Steadiness, Unit};
use tacho_site::{
    EventRecord, HostMeasurement, HostReference, LabSource, RunExecutions, SourceError,
    WrittenSite, write,
};

fn pages(fixture: &mut Fixture, dir: &Path) -> WrittenSite {
    write(&fixture.lab, &mut fixture.kept, dir, &mut |_, _| {}).unwrap()
}

/// All files by their path from the folder.
fn files(dir: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                found.insert(path.strip_prefix(dir).unwrap().to_owned(), text);
            }
        }
    }
    found
}

fn is_kind(path: &Path, kind: &str) -> bool {
    path.extension().is_some_and(|extension| extension == kind)
}

/// The values of an attribute, in order.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    html.split(&format!(" {name}=\"")).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let dir = tempfile::tempdir().unwrap();
    pages(&mut realistic(), dir.path());
    let files = files(dir.path());
    let mut links = 0;
    for (path, html) in files.iter().filter(|(path, _)| is_kind(path, "html")) {
        let base = path.parent().unwrap();
        let targets = attributes(html, "href").into_iter().chain(attributes(html, "src"));
        for target in targets.filter(|target| {
            !target.starts_with("https://example.org/") && !target.starts_with("data:")
        }) {
            let (file, fragment) =
                target.split_once('#').map_or((target, None), |(file, id)| (file, Some(id)));
            let file = if file.is_empty() { path.clone() } else { resolved(base, file) };
            let found = files
                .get(&file)
                .unwrap_or_else(|| panic!("{path:?} links to {target}, which is not there"));
            if let Some(id) = fragment {
                assert!(attributes(found, "id").contains(&id), "{path:?} links to {target}");
            }
            links += 1;
        }
    }
    assert!(links > 5000, "only {links} links were checked");
}

fn resolved(base: &Path, relative: &str) -> PathBuf {
    match relative.strip_prefix("../") {
        Some(rest) => base.parent().unwrap().join(rest),
        None => base.join(relative),
    }
}

#[test]
fn whatever_a_name_holds_it_is_harmless() {
    const EVIL: &str = "=</script><zz onload=\"x()\">'&\u{2028}../..";
    let mut fixture = realistic();
    let lab = &mut fixture.lab;
    lab.subject = EVIL.into();
    lab.link = Some("javascript:alert('{commit}')".into());
    for host in &mut lab.hosts {
        host.facts.insert(EVIL.into(), EVIL.into());
    }
    for record in &mut lab.runs {
        record.run.plan = EVIL.into();
        record.conditions.insert(EVIL.into(), EVIL.into());
    }
    for commit in &mut lab.commits {
        commit.subject = EVIL.into();
        commit.author = EVIL.into();
        commit.files = vec![EVIL.into()];
    }
    for revision in &mut lab.revisions {
        revision.subject = EVIL.into();
        revision.tags = vec![EVIL.into()];
    }
    for series in &mut lab.series {
        series.key.benchmark.name = EVIL.into();
        series.key.host = EVIL.into();
        series.key.metric = Metric {
            name: EVIL.into(),
            unit: Unit::Other(EVIL.into()),
            ..series.key.metric.clone()
        };
    }
    for record in lab.events.iter_mut().flat_map(|event| &mut event.changes) {
        record.change.name = EVIL.into();
        record.change.note = EVIL.into();
        record.change.series.benchmark.name = EVIL.into();
        record.change.finding.good = EVIL.into();
    }
    for (key, why) in lab.unjudged.iter_mut().chain(&mut lab.remarks) {
        (key.benchmark.name, *why) = (EVIL.into(), EVIL.into());
    }
    lab.unbuilt = vec![EVIL.into()];
    for measured in fixture.kept.measurements.values_mut().flatten() {
        measured.benchmark.name = EVIL.into();
        measured.host = EVIL.into();
    }
    let dir = tempfile::tempdir().unwrap();
    pages(&mut fixture, dir.path());
    let files = files(dir.path());
    for (path, text) in &files {
        let name = path.to_str().unwrap();
        assert!(!name.contains(['<', ' ', '\'', '&']) && name.is_ascii(), "{name}");
        if !is_kind(path, "csv") && !is_kind(path, "txt") {
            assert!(
                !text.contains("<zz") && !text.contains("javascript:"),
                "{name} lets markup through"
            );
        }
        if name.starts_with("data/") && !is_kind(path, "csv") {
            assert!(!text.contains(['<', '\u{2028}']), "{name} could end its script");
        }
    }
    let csv = files.iter().find(|(path, _)| is_kind(path, "csv")).unwrap().1;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let first = reader.records().next().unwrap().unwrap();
    assert!(first[0].starts_with("'=</script>"), "a spreadsheet would execute {}", &first[0]);
}

#[test]
fn writing_again_changes_nothing_but_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    let first = pages(&mut fixture, dir.path());
    assert_eq!((first.changed, first.removed), (first.files, 0));
    assert_eq!(pages(&mut fixture, dir.path()), WrittenSite { changed: 0, ..first.clone() });

    fixture.lab.made += jiff::SignedDuration::from_hours(1);
    assert_eq!(
        pages(&mut fixture, dir.path()).changed,
        1,
        "only the overview says when it was made"
    );

    let gone = fixture.lab.series.pop().unwrap();
    assert_eq!(
        (gone.key.benchmark.name.as_str(), gone.key.metric.name.as_str()),
        ("sift", "peak-memory")
    );
    let third = pages(&mut fixture, dir.path());
    assert_eq!((third.removed, third.files), (4, first.files - 4));
    assert!(!dir.path().join("series/sift.peak-memory.kiln.html").exists());
}

#[test]
fn progress_ends_with_all() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    let mut reported = Vec::new();
    let mut progress = |done, total| reported.push((done, total));
    write(&fixture.lab, &mut fixture.kept, dir.path(), &mut progress).unwrap();
    assert!(reported.is_sorted(), "{reported:?}");
    let (done, total) = *reported.last().unwrap();
    assert_eq!((done, total), (160 + 12 + 6 + 4, 160 + 12 + 6 + 4));
}

#[test]
fn what_cannot_be_read_is_named() {
    struct Broken;
    impl LabSource for Broken {
        fn measurements(&mut self, _: &str) -> Result<Vec<HostMeasurement>, SourceError> {
            Err("the disk is full of flour".into())
        }
        fn run(&mut self, _: i64) -> Result<RunExecutions, SourceError> {
            Ok(RunExecutions::default())
        }
        fn log(&mut self, _: Digest) -> Result<Option<Vec<u8>>, SourceError> {
            Ok(None)
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let fixture = realistic();
    let error = write(&fixture.lab, &mut Broken, dir.path(), &mut |_, _| {}).unwrap_err();
    let first = &fixture.lab.revisions[0].id;
    assert_eq!(
        error.to_string(),
        format!("cannot read measurements at `{first}`: the disk is full of flour")
    );
}

/// The page of a revision, whatever its name was shortened to.
fn page_of(pages: &Path, id: &str) -> PathBuf {
    let mut names =
        fs::read_dir(pages.join("revision")).unwrap().map(|entry| entry.unwrap().path());
    names.find(|path| id.starts_with(path.file_stem().unwrap().to_str().unwrap())).unwrap()
}
