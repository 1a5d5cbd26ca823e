//! Series, their charts, and the data of these.

use super::*;

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
        stretch(41, 44, "4 of 13 revisions tried, and none of these could be built"),
        stretch(97, 97, "1 revision, could not be built"),
    ];
    assert_eq!(data["unbuilt"].as_array().unwrap(), &expected);
    for page in ["series/sift.wall.mill.html", "index.html"] {
        let page = read(page);
        assert!(
            page.contains("Not judged: ")
                && page
                    .contains("</a>, 4 of 13 revisions tried, and none of these could be built; "),
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
fn what_rose_and_fell_again_is_not_said_to_be_unreported() {
    let (mut fixture, dir) = (realistic(), tempfile::tempdir().unwrap());
    let pages_with = |text: &str| {
        let files = files(dir.path());
        files
            .iter()
            .filter(|(path, html)| path.starts_with("series") && html.contains(text))
            .count()
    };
    let overlap = "the intervals of both medians overlap";
    let has_values = |point: &&mut tacho_record::Point| !point.values.is_empty();
    for series in fixture.lab.series.iter_mut().filter(|series| !series.changes.is_empty()) {
        let mut measured = series.points.iter_mut().filter(has_values);
        let first = measured.next().unwrap().clone();
        let last = measured.next_back().unwrap();
        (last.values, last.runs) = (first.values, first.runs);
    }
    pages(&mut fixture, dir.path());
    assert_eq!([overlap, "no change reported"].map(|text| pages_with(text) > 0), [true; 2]);
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
    assert!(page.contains("The reference: the time of fixed programs"), "{page}");
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
    assert!(page.contains("the line is at the lower bound of the median"));
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
        "// Written by crates/site/tests/pages/series.rs from the real serialiser; renew with \
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
