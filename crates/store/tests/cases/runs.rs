//! Runs and their cells.

use std::time::Duration;

use tacho_record::{Digest, Precision, Rule, RunState, Warmup};
use tacho_store::{NewRun, StoreError};

use crate::common::{Ground, begin, cell, host, new_run, sample, time};

pub fn runs_are_numbered_and_resumed_by_their_question(ground: &Ground) {
    let mut store = ground.open();
    let lab = store.put_host(&host("lab")).unwrap();
    let elsewhere = store.put_host(&host("elsewhere")).unwrap();
    let (one, _) = store.begin_run(&new_run(lab, "one"), &[]).unwrap();
    let (two, _) = store.begin_run(&new_run(elsewhere, "one"), &[]).unwrap();
    assert_eq!((one.number, two.number, &*two.host), (1, 2, "elsewhere"));
    assert_eq!(
        (one.seed, one.rounds, one.state, one.ended),
        (u64::MAX - 7, 10, RunState::Unfinished, None)
    );
    assert_eq!((&*one.plan, &*one.version, one.started), ("[subject]\n", "0.1.0", time(0)));
    assert_eq!(one.question, Digest::of("one"));

    assert_eq!(store.unfinished_run(Digest::of("one"), lab).unwrap(), Some(one.clone()));
    assert_eq!(store.unfinished_run(Digest::of("two"), lab).unwrap(), None);
    store.end_round(1, 3).unwrap();
    store.finish_run(1, time(99)).unwrap();
    assert_eq!(store.unfinished_run(Digest::of("one"), lab).unwrap(), None);
    let finished = store.run(1).unwrap().unwrap();
    assert_eq!((finished.state, finished.ended), (RunState::Finished, Some(time(99))));

    let (three, _) = store.begin_run(&new_run(lab, "one"), &[]).unwrap();
    let (four, _) = store.begin_run(&new_run(lab, "one"), &[]).unwrap();
    assert_eq!(
        store.unfinished_run(Digest::of("one"), lab).unwrap().as_ref(),
        Some(&four),
        "the newest"
    );
    assert_eq!(store.runs().unwrap(), [finished, two, three, four]);
    assert_eq!(store.conditions(1).unwrap(), new_run(lab, "one").conditions);
}

pub fn a_run_keeps_its_rule_and_its_sessions(ground: &Ground) {
    let mut store = ground.open();
    let lab = store.put_host(&host("lab")).unwrap();
    let elsewhere = store.put_host(&host("elsewhere")).unwrap();
    let precision = Some(Precision { share: 0.1 + 0.2, metric: Some("cpu".into()) });
    let budget = Some(Duration::from_millis(1500));
    for warmup in [Warmup::Executions(3), Warmup::Found, Warmup::Time(Duration::from_nanos(1))] {
        let rule = Rule {
            warmup,
            min_rounds: 10,
            max_rounds: 200,
            precision: precision.clone(),
            budget,
            each: budget,
            quiet_wait: budget,
        };
        let (run, _) = store.begin_run(&NewRun { rule, ..new_run(lab, "q") }, &[]).unwrap();
        assert_eq!(store.run(run.number).unwrap().unwrap(), run);
        assert_eq!(store.sessions(run.number).unwrap(), []);
        store.begin_session(run.number, time(1)).unwrap();
        store.begin_session(run.number, time(77)).unwrap();
        assert_eq!(store.sessions(run.number).unwrap(), [time(1), time(77)]);
        assert!(!store.finished_runs(lab).unwrap().contains(&run));
        store.finish_run(run.number, time(99)).unwrap();
        assert_eq!(
            store.finished_runs(lab).unwrap().last(),
            store.run(run.number).unwrap().as_ref()
        );
    }
    assert_eq!(store.finished_runs(elsewhere).unwrap(), []);
}

pub fn an_abandoned_run_is_not_continued(ground: &Ground) {
    let mut store = ground.open();
    let (lab, older, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    let (_, newer, _) = begin(&mut store, "q", &[cell("a", "x")]);
    store.put_sample(measurements[0], &sample(1, 0)).unwrap();
    store.abandon_run(newer.number, time(98)).unwrap();
    assert_eq!(store.unfinished_run(Digest::of("q"), lab).unwrap(), Some(older.clone()));
    store.abandon_run(older.number, time(99)).unwrap();
    assert_eq!(store.unfinished_run(Digest::of("q"), lab).unwrap(), None);
    let abandoned = store.run(older.number).unwrap().unwrap();
    assert_eq!((abandoned.state, abandoned.ended), (RunState::Abandoned, Some(time(99))));
    assert_eq!(store.samples(measurements[0]).unwrap(), [sample(1, 0)], "what it measured stays");
    assert_eq!(store.counts(lab).unwrap()[0].valid, 1, "and counts");
}

pub fn cells_keep_their_order_and_their_measurement(ground: &Ground) {
    let mut store = ground.open();
    let mut relinked = cell("a", "x");
    relinked.artifact = Digest::of("linked in another order");
    relinked.rounds = 25;
    // One named twice is there twice: the schedule is drawn from how many there are.
    let cells = [cell("b", "x"), cell("a", "x"), cell("a", "y"), relinked, cell("b", "x")];
    let (_, run, measurements) = begin(&mut store, "q", &cells);
    let listed = store.cells(run.number).unwrap();
    assert_eq!(listed.iter().map(|(_, cell)| cell.clone()).collect::<Vec<_>>(), cells);
    assert_eq!(listed.iter().map(|(id, _)| *id).collect::<Vec<_>>(), measurements);

    let (_, other, elsewhere) = begin(&mut store, "q", &cells);
    assert!(elsewhere.iter().all(|id| !listed.iter().any(|(known, _)| known == id)));
    assert_eq!(store.cells(other.number).unwrap().len(), 5);
}

pub fn what_belongs_to_no_run_is_refused(ground: &Ground) {
    let mut store = ground.open();
    assert!(matches!(store.end_round(7, 1), Err(StoreError::Unknown { .. })));
    assert!(matches!(store.finish_run(7, time(0)), Err(StoreError::Unknown { .. })));
    assert!(matches!(store.abandon_run(7, time(0)), Err(StoreError::Unknown { .. })));
    let words = store.conditions(7).unwrap_err().to_string();
    assert!(words.starts_with("there is no run 7 in `"), "{words}");
    assert_eq!(store.run(7).unwrap(), None);
    assert_eq!(store.cells(7).unwrap(), []);
    assert!(store.places(7).unwrap().is_empty());
    store.seal(7).unwrap();
}
