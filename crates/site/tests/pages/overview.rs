//! What stands on the first page.

use tacho_record::{Failure, Life};
use tacho_report::series::UNPLANNED;

use super::*;

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
            point.failure = Some(Failure::TimedOut);
        }
    }
    let dir = tempfile::tempdir().unwrap();
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join("index.html")).unwrap();
    let reported = r#"<span class="failure">2 executions failed (timed out)</span>"#;
    assert!(html.contains(reported) && !html.contains("not measured<"), "{html}");
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
    // What the last analyses did not see is only linked.
    for one in fixture.lab.events.iter_mut().flat_map(|event| &mut event.changes) {
        if one.change.is_active() {
            (one.change.life, one.change.finding.missed) = (Life::Provisional, 2);
        }
    }
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join("index.html")).unwrap();
    assert!(html.contains("No change is seen now in 11 series."), "{html}");
    assert!(!html.contains("\"change/") && html.contains("All changes, at "), "{html}");
    let list = fs::read_to_string(dir.path().join("changes.html")).unwrap();
    assert!(list.contains("provisional, not seen now"), "{list}");
    fixture.lab.events.clear();
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join("index.html")).unwrap();
    assert!(html.contains("No changes in 11 series."), "{html}");
}

#[test]
fn a_benchmark_that_the_plan_has_no_more_is_folded_and_marked() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    let first = fixture.lab.series[0].key.benchmark.clone();
    fixture.lab.unplanned.push(first.clone());
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join("index.html")).unwrap();
    // Executions, failures and series are those of the plan alike.
    let measured = fixture.kept.measurements.values().flatten();
    let planned = measured.filter(|one| one.benchmark != first);
    let executions: usize = planned.map(|one| one.measurement.samples.len()).sum();
    let (_, number) = html.split_once("Executions</dt><dd>").unwrap();
    let number: String =
        number.chars().take_while(|c| *c != '<').filter(char::is_ascii_digit).collect();
    assert_eq!(number, executions.to_string());
    let series = html.split_once("Benchmarks</dt>").unwrap().1.split("</div>").next().unwrap();
    let of_plan = fixture.lab.series.iter().filter(|one| one.key.benchmark != first).count();
    assert!(series.contains(&format!("{of_plan} series")), "{series}");
    let (_, table) = html.split_once("Benchmarks on mill").unwrap();
    let (present, removed) = table.split_once("</table>").unwrap();
    assert!(!present.contains(UNPLANNED), "{present}");
    let (_, removed) = removed.split_once("<summary>1 benchmark that the plan no longer").unwrap();
    let removed = removed.split("</table>").next().unwrap();
    assert!(removed.contains(&first.to_string()) && removed.contains(UNPLANNED), "{removed}");
}

#[test]
fn of_revisions_measured_for_each_other_one_is_not_the_same_as_another() {
    let mut fixture = realistic();
    let series = &mut fixture.lab.series;
    let at = series[0].points.iter().position(|point| point.equal_to.is_some()).unwrap();
    let [of, other] = [at - 1, at].map(|place| series[0].points[place].revision.id.clone());
    assert_eq!(series[0].points[at].equal_to.as_ref(), Some(&of));
    let dir = tempfile::tempdir().unwrap();
    let equal = |file: &str, said: &str| {
        fs::read_to_string(dir.path().join(file)).unwrap().matches(said).count()
    };
    pages(&mut fixture, dir.path());
    let before = equal("revisions.html", "same build as");
    let last = fixture.lab.series.last_mut().unwrap();
    (last.points[at].equal_to, last.points[at - 1].equal_to) = (None, Some(other.clone()));
    pages(&mut fixture, dir.path());
    assert_eq!(equal("revisions.html", "same build as"), before);
    assert_eq!(equal("revisions.html", &format!("same build as {}", &other[..8])), 0);
    let callout = "It builds to the same program as";
    assert_eq!(equal(&format!("revision/{of}.html"), callout), 0);
    assert_eq!(equal(&format!("revision/{other}.html"), callout), 1);
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
