//! Pages of a fictitious lab, read back as files: what is on them, what is harmless, what is left
//! alone.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used)]

// The tests do not need all of it.
#[allow(dead_code)]
#[path = "../examples/fixture/lab.rs"]
mod lab;

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
fn what_got_worse_and_what_got_better_stand_together() {
    let dir = tempfile::tempdir().unwrap();
    pages(&mut realistic(), dir.path());
    let files = files(dir.path());
    let all = &files[Path::new("changes.html")];
    let expected =
        all.split("<tbody>").find(|event| event.contains("show wall") && event.contains("+67"));
    let event = expected.unwrap();
    let place = |text: &str| event.find(text).unwrap_or_else(|| panic!("{text} is not in {event}"));
    assert!(
        place("show wall") < place("peak-memory")
            && place("peak-memory") < place("grind[batch=64] wall")
    );
    assert!(all.contains("1 series is not judged"), "what was not judged is said");
    let page =
        attributes(event, "href").into_iter().find(|link| link.starts_with("change/")).unwrap();
    let change = &files[Path::new(page)];
    for part in [
        "Before and after",
        "What else changed there",
        "commits between",
        "memory for time, as agreed",
    ] {
        assert!(change.contains(part), "{part} is not on {page}");
    }
    let gone = all.split("No longer held").nth(1).unwrap();
    assert!(gone.contains("measured again, both sides do not differ"));
}

/// How many samples a change's page shows on both sides.
fn sides(page: &str) -> (usize, usize) {
    let told =
        page.split("at these levels: ").nth(1).unwrap().split("</figcaption>").next().unwrap();
    let numbers: Vec<usize> = told
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    (numbers[0], numbers[1])
}

#[test]
fn a_side_ends_where_the_level_changes_again() {
    let (mut fixture, dir) = (realistic(), tempfile::tempdir().unwrap());
    let is_asked = |event: &EventRecord| {
        let series = &event.changes[0].change.series;
        series.benchmark.name == "show"
            && series.metric.name == "wall"
            && event.changes[0].change.stands()
    };
    let event = fixture.lab.events.iter().find(|event| is_asked(event)).unwrap().clone();
    let page = format!("change/{}.html", event.changes[0].change.name);
    pages(&mut fixture, dir.path());
    let (before, after) = sides(&fs::read_to_string(dir.path().join(&page)).unwrap());
    let mut next = event.changes[0].clone();
    let revisions = &fixture.lab.revisions;
    let first = revisions.iter().position(|one| one.id == next.change.finding.revision).unwrap();
    "later".clone_into(&mut next.change.name);
    next.change.finding.good.clone_from(&revisions[first + 1].id);
    next.change.finding.bad.clone_from(&revisions[first + 2].id);
    next.change.finding.revision.clone_from(&revisions[first + 2].id);
    let Finding { good, revision, bad, .. } = next.change.finding.clone();
    fixture.lab.events.push(EventRecord { good, revision, bad, changes: vec![next] });
    pages(&mut fixture, dir.path());
    let now = sides(&fs::read_to_string(dir.path().join(&page)).unwrap());
    assert!(now.0 == before && 0 < now.1 && now.1 < after, "{before} and {after}, then {now:?}");
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
fn where_quirks_begin_and_end_stands_at_the_chart() {
    let dir = tempfile::tempdir().unwrap();
    pages(&mut realistic(), dir.path());
    let read = |path: &str| std::fs::read_to_string(dir.path().join(path)).unwrap();
    let data: serde_json::Value = serde_json::from_str(&read("data/sift.wall.mill.json")).unwrap();
    let edges = data["quirks"].as_array().unwrap();
    let texts: Vec<&str> = edges.iter().map(|edge| edge["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["from here with barley-header", "no longer with barley-header"]);
    let at = usize::try_from(edges[0]["at"].as_u64().unwrap()).unwrap();
    let page = read("series/sift.wall.mill.html");
    let begins = format!(
        "{}</a> from here with barley-header; ",
        data["points"][at]["short"].as_str().unwrap()
    );
    assert!(page.contains(&begins), "no {begins}");
}

#[test]
fn what_could_not_be_built_is_said_not_to_be_judged() {
    let dir = tempfile::tempdir().unwrap();
    pages(&mut realistic(), dir.path());
    let read = |path: &str| std::fs::read_to_string(dir.path().join(path)).unwrap();
    let data: serde_json::Value = serde_json::from_str(&read("data/sift.wall.mill.json")).unwrap();
    let stretch = |from: usize, to: usize, text: &str| -> serde_json::Value {
        serde_json::json!({ "from": from, "to": to, "text": text })
    };
    let expected = [
        stretch(41, 44, "4 of 13 revisions tried, none of these could be built"),
        stretch(97, 97, "1 revision, could not be built"),
    ];
    assert_eq!(data["unbuilt"].as_array().unwrap(), &expected);
    for page in ["series/sift.wall.mill.html", "index.html"] {
        let page = read(page);
        assert!(
            page.contains("Not judged: ")
                && page.contains("</a>, 4 of 13 revisions tried, none of these could be built; "),
            "{page}"
        );
    }
    assert_eq!(read("series/sift.wall.mill.html").matches("<rect").count(), 2, "a stripe each");
    let mut whole = realistic();
    for point in whole.lab.series.iter_mut().flat_map(|series| &mut series.points) {
        point.build = None;
    }
    pages(&mut whole, dir.path());
    assert!(
        !std::fs::read_to_string(dir.path().join("series/sift.wall.mill.html"))
            .unwrap()
            .contains("Not judged")
    );
}

#[test]
fn the_csv_has_every_sample() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    pages(&mut fixture, dir.path());
    let mut reader = csv::Reader::from_path(dir.path().join("data/sift.wall.mill.csv")).unwrap();
    let head = [
        "series", "revision", "date", "run", "round", "position", "at", "outcome", "value", "unit",
        "better",
    ];
    assert_eq!(reader.headers().unwrap(), &csv::StringRecord::from(head.to_vec()));
    let written: Vec<(String, String, f64)> = reader
        .records()
        .map(Result::unwrap)
        .map(|row| (row[1].to_owned(), row[7].to_owned(), row[8].parse().unwrap()))
        .collect();
    let mut expected = Vec::new();
    for revision in &fixture.lab.revisions {
        for measured in fixture.kept.measurements(&revision.id).unwrap() {
            let is_series = measured.benchmark.name == "sift" && measured.host == "mill";
            for sample in measured.measurement.samples.iter().filter(|_| is_series) {
                let is_valid = sample.outcome == tacho_record::Outcome::Valid;
                let outcome = if is_valid { "valid" } else { "exit 134" };
                expected.push((
                    revision.id.clone(),
                    outcome.to_owned(),
                    sample.value("wall").unwrap(),
                ));
            }
        }
    }
    assert_eq!(written, expected);
}

#[test]
fn the_reference_of_the_host_is_below_the_chart() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    pages(&mut fixture, dir.path());
    let path = dir.path().join("series/sift.wall.kiln.html");
    assert!(!fs::read_to_string(&path).unwrap().contains("The reference: "));
    let numbers = fixture.lab.runs.iter().map(|it| it.run.number);
    let slower = numbers.map(|run| (run, if run > 1 { 0.05 } else { -0.02 })).collect();
    fixture.lab.references = vec![HostReference { host: "kiln".into(), slower }];
    pages(&mut fixture, dir.path());
    let page = fs::read_to_string(&path).unwrap();
    assert!(page.contains("The reference: what fixed programs took"), "{page}");
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
    let mut told = Vec::new();
    let mut progress = |done, total| told.push((done, total));
    write(&fixture.lab, &mut fixture.kept, dir.path(), &mut progress).unwrap();
    assert!(told.is_sorted(), "{told:?}");
    let (done, total) = *told.last().unwrap();
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
        format!("cannot read what was measured at `{first}`: the disk is full of flour")
    );
}

/// A metric that was never read has no line anywhere; one that is always zero has.
#[test]
fn what_was_never_read_takes_no_room() {
    let mut fixture = realistic();
    let mut never = fixture.lab.series[0].clone();
    never.key.metric = Metric::built_in("block-output").unwrap();
    never.points.iter_mut().for_each(|point| point.values.clear());
    let mut zero = fixture.lab.series[0].clone();
    zero.key.metric = Metric::built_in("sys").unwrap();
    zero.points.iter_mut().for_each(|point| point.values.fill(0.0));
    fixture.lab.series.extend([never, zero]);
    let dir = tempfile::tempdir().unwrap();
    pages(&mut fixture, dir.path());
    let files = files(dir.path());
    let shown = |metric: &str| {
        let names =
            files.iter().filter(|(path, html)| is_kind(path, "html") && html.contains(metric));
        names.map(|(path, _)| path.to_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown(">block-output<"), Vec::<String>::new());
    assert!(files.contains_key(Path::new("series/grind,batch=64.block-output.mill.html")));
    assert!(shown(">sys<").contains(&"index.html".to_owned()) && shown(">0 ns<").len() > 100);
}

#[test]
fn the_overview_counts_failed_executions() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    pages(&mut fixture, dir.path());
    let samples =
        fixture.kept.measurements.values().flatten().flat_map(|one| &one.measurement.samples);
    let failed = samples.filter(|sample| sample.outcome != tacho_record::Outcome::Valid).count();
    let html = fs::read_to_string(dir.path().join("index.html")).unwrap();
    let (_, rest) = html.split_once("Failed executions").unwrap();
    assert!(rest.split("</div>").next().unwrap().contains(&format!(">{failed}</a>")));
    assert!(
        failed > 0
            && rest.contains(&format!(
                "the first at <a class=\"rev\" href=\"revision/{}",
                &fixture.lab.revisions[120].id[..8]
            ))
    );
}

#[test]
fn why_there_is_no_median_stands_on_the_overview() {
    let mut fixture = realistic();
    for series in fixture.lab.series.iter_mut().filter(|it| it.key.benchmark.name == "sift") {
        for point in &mut series.points {
            (point.values, point.equal_to, point.failed) = (Vec::new(), None, 2);
            point.failure = Some("timed out after 1.000 s".into());
        }
    }
    let dir = tempfile::tempdir().unwrap();
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join("index.html")).unwrap();
    let told = r#"<span class="failure">2 executions failed (timed out after 1.000 s)</span>"#;
    assert!(html.contains(told) && !html.contains("not measured<"), "{html}");
}

#[test]
fn a_lower_bound_is_a_bound_wherever_it_is_shown() {
    let mut fixture = realistic();
    let is_asked = |it: &&mut tacho_record::Series| {
        it.key.benchmark.name == "sift" && it.key.metric.name == "wall" && it.key.host == "mill"
    };
    let series = fixture.lab.series.iter_mut().find(is_asked).unwrap();
    let last = series.points.iter_mut().max_by_key(|point| point.revision.order).unwrap();
    (last.values, last.equal_to, last.failed) = (Vec::new(), None, 0);
    let why = Some("limit reached: 64.00 MiB of address space".to_owned());
    last.limited = LimitedExecutions { count: 6, bounds: vec![538.5e6; 6], why };
    let revision = last.revision.id.clone();
    let dir = tempfile::tempdir().unwrap();
    pages(&mut fixture, dir.path());
    let read = |path: &Path| fs::read_to_string(dir.path().join(path)).unwrap();
    let page = read(Path::new("series/sift.wall.mill.html"));
    assert!(page.contains("<dt>Latest median</dt><dd>&gt; 538.5 ms</dd>"), "{page}");
    assert!(page.contains("the line is at the least that the median may be"));
    assert!(page.contains(
        r#"<span class="limited">limit reached: 64.00 MiB of address space (6 executions)</span>"#
    ));
    assert!(read(Path::new("index.html")).contains("&gt; 538.5 ms"));
    let of_revision = page_of(dir.path(), &revision);
    assert!(read(&of_revision).contains("&gt; 538.5 ms"));
    let data: serde_json::Value =
        serde_json::from_str(&read(Path::new("data/sift.wall.mill.json"))).unwrap();
    let point = data["points"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&point["state"], &point["summary"]["is_bound"]),
        (&"limit-reached".into(), &true.into())
    );
}

#[test]
fn a_revision_shows_its_warm_up_and_what_could_not_be_read() {
    let mut fixture = realistic();
    let (id, measured) = fixture.kept.measurements.iter_mut().next().unwrap();
    let (id, first) = (id.clone(), measured.first_mut().unwrap());
    let phase = |first, last, level| Phase { first, last, level };
    first.measurement.steadiness = Some(Steadiness {
        course: Course::Slowdown,
        metric: "wall".into(),
        phases: vec![phase(1, 2, 4e8), phase(3, 10, 4.2e8)],
        counts_from: 3,
    });
    let dir = tempfile::tempdir().unwrap();
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(page_of(dir.path(), &id)).unwrap();
    let figure = html.split("<figure>").nth(1).unwrap().split("</figure>").next().unwrap();
    assert_eq!(
        (figure.matches("<rect").count(), figure.matches("<line").count()),
        (1, 2),
        "{figure}"
    );
    assert!(figure.contains(
        "A slowdown: it begins better than it ends. Rounds 1 to 2 are warm-up and left out: shaded."
    ));
    assert!(
        html.contains(
            "<dt>Not read: cycles, instructions</dt><dd class=\"note\">not available here: "
        ),
        "{html}"
    );
}

/// The page of a revision, whatever its name was shortened to.
fn page_of(pages: &Path, id: &str) -> PathBuf {
    let mut names =
        fs::read_dir(pages.join("revision")).unwrap().map(|entry| entry.unwrap().path());
    names.find(|path| id.starts_with(path.file_stem().unwrap().to_str().unwrap())).unwrap()
}

#[test]
fn a_bisection_tells_what_it_named_and_by_what() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    pages(&mut fixture, dir.path());
    let read = |file: &str| fs::read_to_string(dir.path().join(file)).unwrap();
    let html = read("bisection/b3.html");
    let culprit = &fixture.lab.bisections[1].bisection.candidates[19].revision;
    for text in [
        culprit.short(),
        " by +9.0 % (",
        "98.0 %",
        "5 fresh pairs",
        "cannot find &lt;vector&gt;",
        "tacho bisect log b3",
        "0.1 CPU by others, 2.9 GHz",
        "14 samples",
        "<th class=\"num\" scope=\"col\">host-other-cpu</th>",
    ] {
        assert!(html.contains(text), "{text}");
    }
    // Complete without a script: a bar for each stretch of the belief, a dot for each measured
    // commit.
    assert!(!html.contains("<script"));
    let picture = |label: &str| html.split(label).nth(1).unwrap().split("</svg>").next().unwrap();
    assert_eq!(picture("how likely each stretch").matches("<rect").count(), 4 + 1);
    assert_eq!(picture("levels of measured commits").matches("<circle").count(), 7);
    let other = read("bisection/b2.html");
    assert!(other.contains("Not reproduced: "));
    let around = "as the bisection <a href=\"../bisection/b3.html\">b3</a> has found";
    assert!(other.contains("bring &lt;b&gt;all&lt;/b&gt;") && other.contains(around), "{other}");
    let by = "which changes it by &gt; +12.0 % (a limit was reached), ";
    assert!(other.contains(by), "{other}");
    let left = "From v2 to v1 &amp; &lt;old&gt; in all: ";
    assert!(
        other.contains(left) && other.contains("is left over: something else changed too"),
        "{other}"
    );
    let back =
        "it goes on in the bisection <a href=\"../bisection/b2.html\">b2</a>: Not reproduced: ";
    assert!(html.contains(back), "{html}");
    let [good, bad] = fixture.lab.bisections[1].bisection.end_names();
    assert!(
        html.contains(&format!("39 commits after <code>{good}</code>, up to <code>{bad}</code>"))
    );
    assert!(
        html.contains(&format!("tacho bisect {good} {bad} "))
            && html.contains(" --min-effect 2% --again")
    );
    let place = page_of(dir.path(), &culprit.id);
    assert!(fs::read_to_string(place).unwrap().contains("../bisection/b3.html"));
    let change = fixture.lab.bisections[1].bisection.asked.change.clone().unwrap();
    assert!(read(&format!("change/{change}.html")).contains("../bisection/b3.html"));
    let overview = read("bisections.html");
    assert!(overview.find("b3").unwrap() < overview.find("bisection/b2.html").unwrap());
    // The commit that is named is marked in the chart, and the first page says what was found.
    let chart = picture("levels of measured commits");
    assert!(chart.contains(&format!(">{}</text>", culprit.short())), "{chart}");
    assert!(html.contains("A line marks each commit that is named."));
    let first = read("index.html");
    assert!(first.contains("bisections.html"));
    let section = first.split("<h2>Bisections</h2>").nth(1).unwrap().split("</section>").next();
    let section = section.unwrap();
    assert!(
        section.contains("bisection/b3.html") && section.contains(culprit.short()),
        "{section}"
    );
}

#[test]
fn a_commit_that_stands_for_others_is_named_with_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    fixture.lab.bisections[1].bisection.standing.culprits[0].parent_place = 16;
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join("bisection/b3.html")).unwrap();
    assert!(
        html.contains(" or one of the 2 commits before it that could not be measured changed ")
    );
}

#[test]
fn a_lab_without_bisections_has_no_page_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    fixture.lab.bisections.clear();
    pages(&mut fixture, dir.path());
    assert!(!dir.path().join("bisections.html").exists());
    assert!(
        !fs::read_to_string(dir.path().join("index.html")).unwrap().contains("bisections.html")
    );
}

#[test]
fn a_run_over_layouts_shows_keep_restart_and_relink_side_by_side() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    pages(&mut fixture, dir.path());
    let read = |file: &str| fs::read_to_string(dir.path().join(file)).unwrap();
    let html = read("layouts/3.html");
    assert!(!html.contains("<script"), "complete without a script");
    let pictures: Vec<&str> = html
        .split("keep, restart and relink side by side")
        .skip(1)
        .map(|rest| rest.split("</svg>").next().unwrap())
        .collect();
    assert_eq!(pictures.len(), 2, "none of what only failed");
    let parts = |picture: &str, part: &str| picture.matches(part).count();
    // 10 layouts of 12 executions of 5 values, or of 1: that has no band of keep.
    assert_eq!((parts(pictures[0], "<rect"), parts(pictures[0], "<circle")), (3, 600 + 120 + 10));
    assert_eq!((parts(pictures[1], "<rect"), parts(pictures[1], "<circle")), (2, 120 + 10));
    for text in [
        "by 10 layouts",
        "moves it more than starting again",
        "± 1.0 %",
        "tacho layouts",
        "no execution counted",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert!(!html.contains("NaN") && !html.contains("inf"));
    assert!(read("layouts.html").contains("layouts/3.html"));
    assert!(read("index.html").contains("layouts.html"));
    assert!(read("runs.html").contains("layouts/3.html"));
    let revision = page_of(dir.path(), &fixture.lab.layouts[0].revision);
    assert!(fs::read_to_string(revision).unwrap().contains("../layouts/3.html"));
    fixture.lab.layouts.clear();
    pages(&mut fixture, dir.path());
    assert!(
        !dir.path().join("layouts.html").exists() && !read("index.html").contains("layouts.html")
    );
}

#[test]
fn comparisons_and_diffs_that_were_tried_have_pages() {
    let dir = tempfile::tempdir().unwrap();
    pages(&mut realistic(), dir.path());
    let page = |run: u32| {
        std::fs::read_to_string(dir.path().join(format!("comparison/{run}.html"))).unwrap()
    };
    let titles = ["against", "with and without hopper.diff", "with barley-header against"];
    for (run, title) in (1..).zip(titles) {
        let page = page(run);
        assert!(page.contains(title) && page.contains("grind"), "{page}");
    }
    assert!(page(1).contains("faster") && page(2).contains("slower"), "in a word");
    let two = page(1);
    let place = |text: &str| two.find(text).unwrap_or_else(|| panic!("{text}: {two}"));
    assert!(place("scope=\"row\">pour") < place("scope=\"row\">grind"), "what is slower first");
    assert!(place("scope=\"row\">grind") < place("scope=\"row\">sift"), "then what is faster");
    for text in [
        "A trade-off: 2 slower, 1 faster, 1 same, 1 unclear; a difference of ",
        "5 rows judged together: false discovery rate at most 5 %.",
        "would have been detected with a chance of 80 %",
        "What is executed after ",
        "Two modes, around 402.",
        "; the shares differ, so it is compared by the means.",
        "more rounds (",
    ] {
        place(text);
    }
    assert!(
        two.contains("<td>all pairs</td>") && two.contains(" of medians</td>"),
        "what each ratio is of: {two}"
    );
    assert!(page(2).contains("again 3"), "each layout of each side is shown");
    let tries = page(4);
    for text in [
        "Diffs tried on HEAD",
        "bags.diff + chute.diff",
        "id=\"run-5\"",
        "tacho show run:6",
        ">faster<",
    ] {
        assert!(tries.contains(text), "{text}: {tries}");
    }
    assert!(!dir.path().join("comparison/5.html").exists(), "one page for all");
    let runs = std::fs::read_to_string(dir.path().join("runs.html")).unwrap();
    assert!(runs.contains("comparison/4.html#run-5"), "{runs}");
    let all = std::fs::read_to_string(dir.path().join("comparisons.html")).unwrap();
    assert!(titles.iter().all(|title| all.contains(title)), "{all}");
}

#[test]
fn a_run_has_a_page_with_its_schedule_and_the_speed_of_its_host() {
    let dir = tempfile::tempdir().unwrap();
    let fixture = &mut realistic();
    pages(fixture, dir.path());
    let read = |file: &str| fs::read_to_string(dir.path().join(file)).unwrap();
    let html = read("runs/1.html");
    assert!(!html.contains("<script"), "complete without a script");
    let pictures: Vec<&str> =
        html.split("<svg").skip(1).map(|rest| rest.split("</svg>").next().unwrap()).collect();
    assert_eq!(pictures.len(), 3, "one a benchmark, and the host's speed");
    let executed = &fixture.kept.runs[&1];
    for (picture, one) in pictures.iter().zip(&executed.benchmarks) {
        let drawn = picture.matches("<title>").count();
        assert_eq!(drawn, one.executions.len(), "each execution, with what it is");
        let colours: std::collections::BTreeSet<&str> =
            picture.split("fill:#").skip(1).map(|rest| &rest[..6]).collect();
        assert_eq!(colours.len(), executed.programs.len());
    }
    assert_eq!(pictures[1].matches("<path").count(), 1, "a failed execution is a cross");
    assert!(pictures[2].contains("<polyline"));
    for text in
        ["of its usual speed from ", "A line: a pause", "Hollow: not summarised", "governor"]
    {
        assert!(html.contains(text), "{text}: {html}");
    }
    let share = html.split("This host ran at ").nth(1).unwrap().split(' ').next().unwrap();
    assert!((share.parse::<f64>().unwrap() - 57.0).abs() <= 2.0, "{share} %");
    assert!(read("runs/3.html").contains("It has no executions"));
    assert!(read("runs.html").contains("href=\"runs/1.html\""));
    assert!(!html.contains("NaN") && !html.contains("inf"));
}

#[test]
fn the_overview_begins_with_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join("index.html")).unwrap();
    let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("What changed") < place("<dl class=\"numbers\">"));
    assert!(place("+67") < place("Benchmarks on mill"));
    fixture.lab.events.clear();
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join("index.html")).unwrap();
    assert!(html.contains("No change in 11 series that were judged."), "{html}");
}

#[test]
fn a_change_has_the_chart_of_its_series() {
    let dir = tempfile::tempdir().unwrap();
    pages(&mut realistic(), dir.path());
    let files = files(dir.path());
    let with_chart = files.iter().filter(|(path, html)| {
        path.starts_with("change")
            && html.contains("data-chart=\"../\"")
            && html.contains("../data/")
    });
    assert!(with_chart.count() > 3);
}

#[test]
fn borders_of_runs_are_in_the_data_of_charts() {
    let dir = tempfile::tempdir().unwrap();
    pages(&mut realistic(), dir.path());
    let json = fs::read_to_string(dir.path().join("data/sift.wall.mill.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&json).unwrap();
    let points = file["points"].as_array().unwrap();
    let borders: Vec<(usize, i64)> = (0..)
        .zip(points)
        .filter_map(|(at, point)| Some((at, point["begins_run"].as_i64()?)))
        .collect();
    assert_eq!(borders, [(60, 2), (121, 3)], "the first measured ones of each run");
}

#[test]
fn an_empty_lab_has_an_overview() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    let lab = &mut fixture.lab;
    (lab.revisions, lab.series, lab.builds, lab.runs) = Default::default();
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join("index.html")).unwrap();
    assert!(html.contains("Nothing is measured yet"));
}

/// What stands in `web/test/fixtures` is what the serialiser writes: the type checker holds it
/// against `web/src/data.ts`. Renewed by `TACHO_BLESS=1 cargo test -p tacho-site`.
#[test]
fn the_front_end_is_tested_with_what_is_written() {
    const SHOWN: [usize; 10] = [0, 1, 2, 12, 40, 41, 97, 119, 120, 123];
    let mut fixture = realistic();
    fixture
        .lab
        .series
        .retain(|series| series.key.benchmark.name == "sift" && series.key.host == "mill");
    for series in &mut fixture.lab.series {
        let mut place = 0..;
        series.points.retain(|_| place.next().is_some_and(|place| SHOWN.contains(&place)));
    }
    let dir = tempfile::tempdir().unwrap();
    pages(&mut fixture, dir.path());
    let json = fs::read_to_string(dir.path().join("data/sift.wall.mill.json")).unwrap();
    let script = fs::read_to_string(dir.path().join("data/sift.wall.mill.js")).unwrap();
    assert_eq!(script, format!("window.TACHO = {json};\n"));

    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let module = format!(
        "// Written by crates/site/tests/pages.rs from the real serialiser; renew with \
         TACHO_BLESS=1.\nimport type {{ SeriesFile }} from \"../../src/data.ts\";\n\nexport const \
         series: SeriesFile = {pretty};\n"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/test/fixtures/series.ts");
    if std::env::var_os("TACHO_BLESS").is_some() {
        fs::write(&path, &module).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap_or_default(),
        module,
        "renew it with TACHO_BLESS=1"
    );
}
