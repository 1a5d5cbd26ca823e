//! What is to be said beside tables.

use tacho_record::Series;

use super::*;

/// The series of the wall times.
fn walls(found: &StoredChanges) -> Vec<Series> {
    let all = found.series().map(|it| it.material.series.clone());
    all.filter(|series| series.key.metric.name == "wall").collect()
}

#[test]
fn a_short_history_has_no_verdict_and_a_single_revision_needs_none() {
    let names = |revisions: u64| {
        let mut lab = ChangeLab::new();
        lab.measure(1..revisions + 1, step);
        let found = lab.look();
        let shown = walls(&found);
        let all = found.unjudged(&shown);
        let names: Vec<_> =
            all.iter().map(|it| it.material.series.key.benchmark.name.clone()).collect();
        let ends = ends_of_few(&shown[0]).map(|ends| ends.map(|it| it.id.clone()));
        (names, ends)
    };
    let both = || ["b", "flat"].map(str::to_owned).to_vec();
    let ends = |last: &str| Some(["r1".to_owned(), last.to_owned()]);
    assert_eq!(names(1), (vec![], None));
    assert_eq!(names(2), (both(), ends("r2")));
    assert_eq!(names(3), (vec![], ends("r3")), "one run measured 3 in 3 rounds");
    assert_eq!(names(4), (vec![], None));
}

#[test]
fn a_metric_that_has_no_table_and_changed_is_named() {
    let mut lab = ChangeLab::new();
    lab.plan = plan(
        "[[benchmark]]\nname = 'b'\ncommand = 'b'\nmetrics = ['wall', 'cpu']\n\
         [[benchmark]]\nname = 'flat'\ncommand = 'flat'\n",
    );
    lab.store.put_metrics(&[Metric::built_in("cpu").unwrap()]).unwrap();
    lab.beside = |_, wall| vec![("cpu", wall)];
    lab.measure(1..41, step).judge();
    let found = lab.look();
    let shown = walls(&found);
    let others = |shown: &[Series]| found.other_metrics(shown).into_iter().collect::<Vec<_>>();
    assert_eq!(others(&shown), ["cpu"]);
    let all: Vec<Series> = found.series().map(|it| it.material.series.clone()).collect();
    assert!(others(&all).is_empty(), "each has a table");
    let flat: Vec<Series> =
        shown.into_iter().filter(|it| it.key.benchmark.name == "flat").collect();
    assert!(others(&flat).is_empty(), "another benchmark");
}
