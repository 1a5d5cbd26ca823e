//! Many measurements at once.

use tacho_record::{
    Course, Failure, LimitedExecutions, Measurement, Outcome, Phase, Purpose, Sample, Steadiness,
    derived,
};
use tacho_store::{Location, NewRun, SampleCounts, StoreError, Values};

use crate::common::{
    Ground, begin, benchmark, cell, failed, host, limited, new_run, revision, sample,
};

pub fn measurements_come_in_order_of_history_then_by_run(ground: &Ground) {
    let mut store = ground.open();
    store.put_revisions(&[revision("new", 20), revision("old", 10)]).unwrap();
    let cells = [cell("new", "x"), cell("unborn", "x"), cell("old", "x"), cell("old", "y")];
    let (lab, first, one) = begin(&mut store, "one", &cells);
    let (_, second, two) = begin(&mut store, "two", &cells[1..3]);
    let elsewhere = store.put_host(&host("elsewhere")).unwrap();
    let (third, three) = store.begin_run(&new_run(elsewhere, "one"), &cells[..1]).unwrap();

    let failed = failed(1, 0, Failure::Signal { number: 9 });
    store.put_sample(two[1], &sample(1, 3)).unwrap();
    store.put_sample(one[0], &sample(1, 0)).unwrap();
    store.put_sample(one[0], &sample(2, 0)).unwrap();
    store.put_sample(one[2], &failed).unwrap();
    store.put_sample(one[3], &sample(1, 2)).unwrap();
    store.put_sample(two[0], &sample(1, 1)).unwrap();
    store.put_sample(three[0], &sample(1, 9)).unwrap();
    store.seal(first.number).unwrap();

    let measurement = |run, revision: &str, samples: &[_]| Measurement {
        run,
        revision: revision.into(),
        artifact: cell(revision, "x").artifact,
        samples: samples.to_vec(),
        steadiness: None,
    };
    let expected = [
        measurement(first.number, "old", &[failed]),
        measurement(second.number, "old", &[sample(1, 3)]),
        measurement(first.number, "new", &[sample(1, 0), sample(2, 0)]),
        measurement(second.number, "unborn", &[sample(1, 1)]),
    ];
    assert_eq!(store.measurements(lab, &benchmark("x")).unwrap(), expected);
    let there = store.measurements(elsewhere, &benchmark("x")).unwrap();
    assert_eq!(there, [measurement(third.number, "new", &[sample(1, 9)])]);
    assert_eq!(store.measurements(lab, &benchmark("never")).unwrap(), []);
}

pub fn what_was_measured_again_is_no_part_of_a_series(ground: &Ground) {
    let mut store = ground.open();
    store.put_revisions(&[revision("new", 20)]).unwrap();
    let cells = [cell("new", "x")];
    let (lab, first, one) = begin(&mut store, "one", &cells);
    store.put_sample(one[0], &sample(1, 0)).unwrap();
    let again = NewRun { purpose: Purpose::Confirm, ..new_run(lab, "again") };
    let (second, two) = store.begin_run(&again, &cells).unwrap();
    store.put_sample(two[0], &sample(2, 0)).unwrap();
    assert_eq!((first.purpose, second.purpose), (Purpose::Track, Purpose::Confirm));
    let runs = |all: Vec<Measurement>| all.iter().map(|it| it.run).collect::<Vec<_>>();
    assert_eq!(runs(store.measurements(lab, &benchmark("x")).unwrap()), [first.number]);
    assert_eq!(store.values(lab, &benchmark("x"), "wall").unwrap().len(), 1);
    assert_eq!(store.counts(lab).unwrap()[0].valid, 1);
    assert_eq!(store.samples(two[0]).unwrap(), [sample(2, 0)], "it is kept all the same");
}

pub fn values_are_one_metric_of_the_measurements(ground: &Ground) {
    let mut store = ground.open();
    store.put_revisions(&[revision("new", 20), revision("old", 10)]).unwrap();
    let (lab, run, ids) =
        begin(&mut store, "one", &[cell("new", "x"), cell("old", "x"), cell("old", "y")]);
    let timed_out = failed(2, 0, Failure::TimedOut);
    // Out of order, so that chunks overlap.
    store
        .import(
            ids[0],
            &[sample(0, 0), sample(1, 0), sample(5, 0), failed(6, 0, Failure::Exit { code: 2 })],
        )
        .unwrap();
    store.import(ids[0], &[timed_out, sample(3, 0), sample(7, 0)]).unwrap();
    let mut without_wall = sample(2, 1);
    without_wall.values.retain(|(name, _)| name != "wall");
    store.import(ids[1], &[sample(1, 1), without_wall, failed(0, 1, Failure::TimedOut)]).unwrap();
    store.put_sample(ids[2], &sample(1, 2)).unwrap();
    let of = |run, revision: &str, samples: &[Sample], failed, failure: Option<Failure>| Values {
        run,
        revision: revision.into(),
        artifact: cell(revision, "x").artifact,
        values: samples.iter().map(|sample| sample.value("wall").unwrap()).collect(),
        rounds: samples.iter().map(|sample| sample.place.round).collect(),
        positions: samples.iter().map(|sample| sample.place.position).collect(),
        limited: LimitedExecutions::default(),
        bound_rounds: vec![],
        failed,
        failure_said: failure.as_ref().map(Failure::line),
        failure,
        steadiness: None,
    };
    let counted = [1, 3, 5, 7].map(|round| sample(round, 0));
    for sealed in [false, true] {
        if sealed {
            store.seal(run.number).unwrap();
        }
        let expected = [
            of(run.number, "old", &[sample(1, 1)], 1, Some(Failure::TimedOut)),
            of(run.number, "new", &counted, 2, Some(Failure::TimedOut)),
        ];
        assert_eq!(
            store.values(lab, &benchmark("x"), "wall").unwrap(),
            expected,
            "sealed: {sealed}"
        );
    }
    let never_read = store.values(lab, &benchmark("x"), "cycles").unwrap();
    let expected = [1, 2].map(|failed| {
        let revision = if failed == 1 { "old" } else { "new" };
        of(run.number, revision, &[], failed, Some(Failure::TimedOut))
    });
    assert_eq!(never_read, expected);
    assert_eq!(store.values(lab, &benchmark("never"), "wall").unwrap(), []);
}

pub fn what_reached_a_limit_counts_and_stands_apart(ground: &Ground) {
    let mut store = ground.open();
    let (lab, run, ids) = begin(&mut store, "q", &[cell("a", "x")]);
    let samples = [
        sample(1, 0),
        limited(2, 0),
        failed(3, 0, Failure::TimedOut),
        limited(4, 0),
        limited(0, 0),
    ];
    store.import(ids[0], &samples[..2]).unwrap();
    samples[2..].iter().for_each(|sample| store.put_sample(ids[0], sample).unwrap());
    for sealed in [false, true] {
        if sealed {
            store.seal(run.number).unwrap();
        }
        let count = &store.counts(lab).unwrap()[0];
        assert_eq!((count.valid, count.failed), (3, 1), "sealed: {sealed}");
        let values = &store.values(lab, &benchmark("x"), "wall").unwrap()[0];
        let bounds = [2, 4].map(|round| sample(round, 0).value("wall").unwrap()).to_vec();
        let why = Some("limit reached: 512.0 MiB of memory".to_owned());
        assert_eq!(values.limited, LimitedExecutions { count: 2, bounds, why });
        assert_eq!((values.values.len(), values.failed), (1, 1));
        let never_read = &store.values(lab, &benchmark("x"), "cycles").unwrap()[0].limited;
        assert_eq!((never_read.count, never_read.bounds.len()), (2, 0));
        let back = store.samples(ids[0]).unwrap();
        assert_eq!(back[2], samples[1]);
    }
}

pub fn what_follows_is_read_as_if_it_had_been_kept(ground: &Ground) {
    let mut store = ground.open();
    let (lab, run, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    let mut samples: Vec<Sample> = (1..=5).map(|round| sample(round, 0)).collect();
    for sample in &mut samples {
        let others = [("cpu-wait", 7e3), ("on-cpu", 41e6), ("sys", 3e6)];
        sample.values.extend(others.map(|(name, value)| (name.into(), value)));
        sample.values.sort_by(|(one, _), (other, _)| one.cmp(other));
        derived::complete(&mut sample.values);
    }
    // Measured otherwise, so it stays as it is; what follows from it too.
    let cpu = samples[2].values.iter_mut().find(|(name, _)| name == "cpu").unwrap();
    cpu.1 += 1e6;
    samples[3].values.retain(|(name, _)| !["user", "cpu", "cpu-percent"].contains(&&**name));
    for sample in &samples {
        store.put_sample(measurements[0], sample).unwrap();
    }
    let metrics = store.metrics().unwrap();
    assert!(!metrics.iter().any(|metric| metric.name == "blocked"), "it was never written");
    for sealed in [false, true] {
        if sealed {
            store.seal(run.number).unwrap();
        }
        assert_eq!(store.samples(measurements[0]).unwrap(), samples);
        for metric in derived::DERIVED {
            let expected: Vec<f64> =
                samples.iter().filter_map(|sample| sample.value(metric)).collect();
            let values = store.values(lab, &benchmark("x"), metric).unwrap();
            assert_eq!(values[0].values, expected, "{metric}");
        }
    }
}

pub fn counts_leave_the_warm_up_out(ground: &Ground) {
    let mut store = ground.open();
    store.put_revisions(&[revision("new", 20), revision("old", 10)]).unwrap();
    let cells = [cell("new", "x"), cell("old", "x"), cell("old", "y")];
    let (lab, run, measurements) = begin(&mut store, "one", &cells);
    let (_, _, again) = begin(&mut store, "two", &cells[..1]);
    for round in 0..6 {
        store.put_sample(measurements[0], &sample(round, 0)).unwrap();
        store.put_sample(measurements[2], &failed(round, 2, Failure::TimedOut)).unwrap();
    }
    store.import(again[0], &[sample(0, 0), sample(1, 0), failed(2, 0, Failure::TimedOut)]).unwrap();
    store.put_sample(measurements[1], &sample(1, 1)).unwrap();
    let count = |name: &str, revision: &str, valid, failed| SampleCounts {
        benchmark: benchmark(name),
        revision: revision.to_owned(),
        artifact: cell(revision, name).artifact,
        valid,
        failed,
    };
    let expected = [count("x", "old", 1, 0), count("x", "new", 6, 1), count("y", "old", 0, 5)];
    assert_eq!(store.counts(lab).unwrap(), expected);
    store.seal(run.number).unwrap();
    assert_eq!(store.counts(lab).unwrap(), expected);
    let elsewhere = store.put_host(&host("elsewhere")).unwrap();
    assert_eq!(store.counts(elsewhere).unwrap(), []);
}

pub fn a_tampered_chunk_is_called_damaged(ground: &Ground) {
    let mut store = ground.open();
    let (lab, run, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    store.put_sample(measurements[0], &sample(1, 0)).unwrap();
    store.put_sample(measurements[0], &sample(2, 0)).unwrap();
    ground.tamper("UPDATE chunk SET samples = {garbage} WHERE round = 2");
    let error = store.samples(measurements[0]).unwrap_err();
    let words = error.to_string();
    assert!(
        words.ends_with("is damaged: it is of format 9, and this program knows format 2"),
        "{words}"
    );
    let of_sqlite = error.hint().unwrap().contains("`tacho fsck`");
    assert_eq!(of_sqlite, matches!(ground.location, Location::Folder(_)), "{:?}", error.hint());
    assert!(matches!(store.measurements(lab, &benchmark("x")), Err(StoreError::Corrupt { .. })));
    assert!(matches!(store.places(run.number), Err(StoreError::Corrupt { .. })));
    assert!(matches!(store.seal(run.number), Err(StoreError::Corrupt { .. })));
    ground.tamper("DELETE FROM chunk WHERE round = 2; DELETE FROM metric WHERE name = 'wall'");
    let words = store.samples(measurements[0]).unwrap_err().to_string();
    assert!(words.contains("is damaged: there is no metric "), "{words}");
}

pub fn a_missing_failure_is_called_damaged(ground: &Ground) {
    let mut store = ground.open();
    let (lab, _, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    store.put_sample(measurements[0], &failed(1, 0, Failure::TimedOut)).unwrap();
    ground.tamper("DELETE FROM failure");
    assert!(matches!(store.samples(measurements[0]), Err(StoreError::Corrupt { .. })));
    assert!(matches!(store.measurements(lab, &benchmark("x")), Err(StoreError::Corrupt { .. })));
}

pub fn what_was_found_to_be_warm_up_is_kept_and_left_out(ground: &Ground) {
    let mut store = ground.open();
    let (lab, run, ids) = begin(&mut store, "q", &[cell("a", "x"), cell("b", "x")]);
    let samples = [sample(1, 0), failed(2, 0, Failure::TimedOut), sample(3, 0), sample(4, 0)];
    for sample in &samples {
        store.put_sample(ids[0], sample).unwrap();
    }
    store.put_sample(ids[1], &sample(1, 1)).unwrap();
    let phase = |first, last| Phase { first, last, level: 0.1 };
    let found = Steadiness {
        course: Course::Slowdown,
        metric: "wall".into(),
        phases: vec![phase(1, 3), phase(4, 4)],
        counts_from: 4,
    };
    // Looked at again, it replaces what was found before.
    store.put_steadiness(&[(ids[0], Steadiness { counts_from: 2, ..found.clone() })]).unwrap();
    store.put_steadiness(&[(ids[0], found.clone())]).unwrap();
    for sealed in [false, true] {
        if sealed {
            store.seal(run.number).unwrap();
        }
        let back = store.samples(ids[0]).unwrap();
        let outcomes: Vec<bool> =
            back.iter().map(|sample| sample.outcome == Outcome::WarmUp).collect();
        assert_eq!(outcomes, [true, false, true, false], "sealed: {sealed}");
        assert_eq!(back[1], samples[1], "a failure stays one");
        assert_eq!(back[0].values, samples[0].values);
        let measurements = store.measurements(lab, &benchmark("x")).unwrap();
        assert_eq!(
            (&measurements[0].samples, &measurements[0].steadiness),
            (&back, &Some(found.clone()))
        );
        assert_eq!(measurements[1].steadiness, None);
        let values = store.values(lab, &benchmark("x"), "wall").unwrap();
        assert_eq!(values[0].values, [sample(4, 0).value("wall").unwrap()]);
        assert_eq!((values[0].failed, &values[0].steadiness), (1, &Some(found.clone())));
        assert_eq!(values[1].values.len(), 1);
        // It was executed, so that it is not executed again.
        assert_eq!(store.counts(lab).unwrap()[0].valid, 3);
    }
}
