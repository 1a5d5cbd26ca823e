//! Samples in and out again.

use std::cell::RefCell;
use std::time::Duration;

use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tacho_record::{Failure, Limit, Outcome, Place, QuietWait, ReachedLimit, Sample};
use tacho_store::{Absence, StoreError};

use crate::common::{Ground, begin, benchmark, cell, failed, failures, limited, sample};

pub fn samples_are_the_same_before_and_after_sealing(ground: &Ground) {
    let mut store = ground.open();
    let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x"), cell("a", "y")]);
    let mut expected = [vec![], vec![]];
    for round in 0..12 {
        for (index, measurement) in measurements.iter().enumerate() {
            let mut next = sample(round, (index as u32 + round) % 2);
            // A metric that appears late, and one that is missing at times.
            if round > 5 {
                next.values.insert(0, ("bucket".into(), f64::from(round) + 0.25));
            }
            if round % 3 == 0 {
                next.values.pop();
            }
            store.put_sample(*measurement, &next).unwrap();
            expected[index].push(next);
        }
        store.end_round(run.number, round).unwrap();
    }
    for sealed in [false, true, true] {
        if sealed {
            store.seal(run.number).unwrap();
        }
        for (measurement, expected) in measurements.iter().zip(&expected) {
            assert_eq!(&store.samples(*measurement).unwrap(), expected, "sealed: {sealed}");
        }
    }
    ground.tamper("DELETE FROM chunk WHERE round > 0");
    assert_eq!(
        store.samples(measurements[0]).unwrap().len(),
        12,
        "one chunk, which starts with the warmup"
    );
}

pub fn a_failed_sample_keeps_its_last_words(ground: &Ground) {
    let mut store = ground.open();
    let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    let mut expected: Vec<Sample> = failures()
        .into_iter()
        .enumerate()
        .map(|(index, why)| failed(index as u32, 0, why))
        .collect();
    // Killed for taking too long, it was measured all the same.
    expected[4].values = sample(4, 0).values;
    expected.push(sample(expected.len() as u32, 0));
    for sample in &expected {
        store.put_sample(measurements[0], sample).unwrap();
    }
    assert_eq!(store.samples(measurements[0]).unwrap(), expected);
    store.seal(run.number).unwrap();
    assert_eq!(store.samples(measurements[0]).unwrap(), expected);
}

pub fn valid_samples_of_a_disturbed_round_are_kept_and_count_no_more(ground: &Ground) {
    let mut store = ground.open();
    let (host, run, measurements) = begin(&mut store, "q", &[cell("a", "x"), cell("a", "y")]);
    let mut expected: Vec<Vec<Sample>> = vec![Vec::new(), Vec::new()];
    for round in 0..4 {
        for (index, measurement) in (0..).zip(&measurements) {
            // One that reached a limit is none the less a result.
            let next =
                if round == 2 && index == 1 { limited(round, index) } else { sample(round, index) };
            store.put_sample(*measurement, &next).unwrap();
            expected[index as usize].push(next);
        }
    }
    assert_eq!(store.disturb(run.number, 2, "steal").unwrap(), 2, "all that it has");
    assert_eq!(store.disturb(run.number, 2, "steal").unwrap(), 2);
    assert_eq!(store.disturb(run.number, 4, "steal").unwrap(), 0, "there is none");
    expected[0][2].outcome = Outcome::Disturbed { why: "steal".into() };
    for sealed in [false, true] {
        if sealed {
            store.seal(run.number).unwrap();
        }
        for (measurement, expected) in measurements.iter().zip(&expected) {
            assert_eq!(&store.samples(*measurement).unwrap(), expected, "sealed: {sealed}");
        }
        let counts: Vec<_> =
            store.counts(host).unwrap().iter().map(|it| (it.valid, it.failed)).collect();
        assert_eq!(counts, [(2, 0), (3, 0)]);
        let values = store.values(host, &benchmark("x"), "wall").unwrap().remove(0);
        assert_eq!((values.values.len(), values.failed, values.limited.count), (2, 0, 0));
    }
    assert_eq!(store.disturbed(run.number).unwrap(), [(2, "steal".to_owned())]);
    let wait = |round, quiet| QuietWait {
        round,
        took: Duration::from_millis(1400),
        quiet,
        why: "steal".into(),
    };
    for wait in [wait(0, true), wait(1, false)] {
        store.put_wait(run.number, &wait).unwrap();
    }
    assert_eq!(store.waits(run.number).unwrap(), [wait(0, true), wait(1, false)]);
    let unread = Absence { metric: "host-frequency".into(), why: "missing".into() };
    store.put_unread(run.number, std::slice::from_ref(&unread)).unwrap();
    let own = Absence { metric: "on-cpu".into(), why: "missing too".into() };
    store.put_absence(run.number, &benchmark("x"), &own).unwrap();
    assert_eq!(store.absences(run.number, &benchmark("x")).unwrap(), [unread.clone(), own]);
    assert_eq!(store.absences(run.number, &benchmark("y")).unwrap(), [unread]);
}

pub fn the_same_sample_is_never_stored_twice(ground: &Ground) {
    let mut store = ground.open();
    let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x"), cell("a", "y")]);
    let samples: Vec<Sample> = (1..=5).map(|round| sample(round, round)).collect();
    for one in &samples {
        store.put_sample(measurements[0], one).unwrap();
    }
    for sealed in [false, true] {
        if sealed {
            store.seal(run.number).unwrap();
        }
        for place in [1, 3, 5].map(|round| Place { round, position: round }) {
            let valid = Sample { place, ..sample(9, 9) };
            let wrong = Sample { place, ..failed(9, 9, Failure::TimedOut) };
            for again in [valid, wrong] {
                let words = store.put_sample(measurements[0], &again).unwrap_err().to_string();
                let Place { round, position } = place;
                let expected =
                    format!("the sample at round {round}, position {position} is stored already");
                assert_eq!(words, expected, "sealed: {sealed}");
                let imported = store.import(measurements[0], &[sample(7, 0), again]);
                assert!(
                    matches!(imported, Err(StoreError::AlreadyStored { .. })),
                    "sealed: {sealed}"
                );
            }
        }
        assert_eq!(store.samples(measurements[0]).unwrap(), samples, "sealed: {sealed}");
    }
    let twice = store.import(measurements[1], &[sample(1, 1), sample(2, 1), sample(1, 1)]);
    assert!(matches!(twice, Err(StoreError::AlreadyStored { .. })));
    store.put_sample(measurements[1], &samples[0]).unwrap();
    assert_eq!(store.samples(measurements[1]).unwrap(), samples[..1]);

    let mut endless = sample(8, 8);
    endless.values.extend((0..1024).map(|value| ("x".into(), f64::from(value))));
    let words = store.put_sample(measurements[0], &endless).unwrap_err().to_string();
    assert_eq!(words, "the sample cannot be kept: it has more than 1024 values");
}

pub fn replicates_come_back_in_their_order(ground: &Ground) {
    let mut store = ground.open();
    let (lab, run, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    let with = |round: u32, times: &[f64]| {
        let mut sample = sample(round, 0);
        sample.values.extend(times.iter().map(|time| ("time".into(), *time)));
        sample.values.sort_by(|(one, _), (other, _)| one.cmp(other));
        sample
    };
    let samples = [with(0, &[9.0]), with(1, &[3.0, 1.0, 2.5]), with(2, &[]), with(3, &[1.0, 4.0])];
    for sample in &samples {
        store.put_sample(measurements[0], sample).unwrap();
    }
    for sealed in [false, true] {
        if sealed {
            store.seal(run.number).unwrap();
        }
        assert_eq!(store.samples(measurements[0]).unwrap(), samples, "sealed: {sealed}");
        // One value an execution, the median of its replicates.
        assert_eq!(store.values(lab, &benchmark("x"), "time").unwrap()[0].values, [2.5, 2.5]);
    }
}

pub fn a_sealed_measurement_can_grow(ground: &Ground) {
    let mut store = ground.open();
    let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    let at = |round, position| sample(round, position);
    let measurement = measurements[0];
    store.import(measurement, &[at(1, 5), at(4, 5)]).unwrap();
    // After what is merged, within it, at its last round, and before it.
    for one in [at(6, 0), at(2, 9), at(4, 1), at(4, 9), at(0, 0)] {
        store.put_sample(measurement, &one).unwrap();
    }
    let expected = [at(0, 0), at(1, 5), at(2, 9), at(4, 1), at(4, 5), at(4, 9), at(6, 0)];
    assert_eq!(store.samples(measurement).unwrap(), expected);
    store.seal(run.number).unwrap();
    assert_eq!(store.samples(measurement).unwrap(), expected);
    let failed = failed(3, 3, Failure::Exit { code: 3 });
    store.put_sample(measurement, &failed).unwrap();
    store.seal(run.number).unwrap();
    let samples = store.samples(measurement).unwrap();
    assert_eq!((samples.len(), &samples[3]), (8, &failed));
}

pub fn imports_may_come_in_any_order_and_overlap(ground: &Ground) {
    let mut store = ground.open();
    let (host, _, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    let even: Vec<Sample> = (1..=20).rev().map(|half| sample(2 * half, 1)).collect();
    let odd: Vec<Sample> = (1..=20).map(|half| sample(2 * half - 1, 1)).collect();
    store.import(measurements[0], &even).unwrap();
    store.import(measurements[0], &odd).unwrap();
    store.import(measurements[0], &[]).unwrap();
    let expected: Vec<Sample> = (1..=40).map(|round| sample(round, 1)).collect();
    assert_eq!(store.samples(measurements[0]).unwrap(), expected);
    let found = store.measurements(host, &cell("a", "x").benchmark).unwrap();
    assert_eq!(found[0].samples, expected);
}

pub fn an_import_is_kept_whole_or_not_at_all(ground: &Ground) {
    let mut store = ground.open();
    let (_, _, measurements) = begin(&mut store, "q", &[cell("a", "x"), cell("a", "y")]);
    store.put_sample(measurements[1], &sample(1, 0)).unwrap();
    let mut with_new_metric = sample(2, 0);
    with_new_metric.values.insert(0, ("instructions".into(), 7.0));
    let batch =
        [(measurements[0], vec![with_new_metric.clone()]), (measurements[1], vec![sample(1, 0)])];
    assert!(matches!(store.import_many(&batch), Err(StoreError::AlreadyStored { .. })));
    assert_eq!(store.samples(measurements[0]).unwrap(), []);
    // The metric that was undone with the rest is known again when it is needed.
    store.put_sample(measurements[0], &with_new_metric).unwrap();
    assert_eq!(store.samples(measurements[0]).unwrap(), [with_new_metric]);
}

pub fn a_large_measurement_is_split_and_comes_back(ground: &Ground) {
    let mut store = ground.open();
    let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x"), cell("a", "y")]);
    let samples: Vec<Sample> = (0..9000).map(|index| sample(index / 3, index % 3)).collect();
    store.import_many(&[(measurements[0], samples.clone()), (measurements[1], vec![])]).unwrap();
    assert_eq!(store.samples(measurements[0]).unwrap(), samples);
    store.seal(run.number).unwrap();
    assert_eq!(store.samples(measurements[0]).unwrap(), samples);
    assert_eq!(store.places(run.number).unwrap().len(), samples.len());
    assert_eq!(store.samples(measurements[1]).unwrap(), []);
}

/// All of a sample in a form that can be compared, with floating-point numbers by their bits.
type Content = (Place, Timestamp, Outcome, Vec<(String, u64)>);

fn content(samples: &[Sample]) -> Vec<Content> {
    let bits = |sample: &Sample| {
        sample.values.iter().map(|(name, value)| (name.to_string(), value.to_bits())).collect()
    };
    samples.iter().map(|it| (it.place, it.at, it.outcome.clone(), bits(it))).collect()
}

pub fn any_samples_come_back(ground: &Ground) {
    let value = prop_oneof![
        any::<f64>(),
        any::<i64>().prop_map(|value| value as f64),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(-0.0),
    ];
    let values = prop::collection::btree_map("[a-e]", value, 0..4);
    let outcome = prop_oneof![
        3 => Just(Outcome::Valid),
        1 => (prop::sample::select(failures().to_vec()), any::<String>())
            .prop_map(|(failure, output)| Outcome::Failed { failure, output }),
        1 => (any::<u64>(), any::<Option<String>>(), any::<String>()).prop_map(|(at, how, output)| {
            Outcome::LimitReached { reached: ReachedLimit { limit: Limit::CpuTime, at, how }, output }
        }),
    ];
    let seconds = Timestamp::MIN.as_second()..Timestamp::MAX.as_second();
    let at = (seconds, 0..1_000_000_000)
        .prop_map(|(second, fraction)| Timestamp::new(second, fraction).unwrap());
    let rest = (at, outcome, values);
    let samples = prop::collection::btree_map((any::<u32>(), any::<u32>()), rest, 1..12);
    let store = RefCell::new(ground.open());
    let mut runner =
        TestRunner::new(Config { cases: 30, failure_persistence: None, ..Config::default() });
    let result = runner.run(&(samples, any::<bool>()), |(samples, imported)| {
        let mut store = store.borrow_mut();
        let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
        let samples: Vec<Sample> = samples
            .into_iter()
            .map(|((round, position), (at, outcome, values))| {
                let place = Place { round, position };
                Sample {
                    place,
                    at,
                    outcome,
                    values: values.into_iter().map(|(name, value)| (name.into(), value)).collect(),
                }
            })
            .collect();
        if imported {
            store.import(measurements[0], &samples).unwrap();
        } else {
            for sample in &samples {
                store.put_sample(measurements[0], sample).unwrap();
            }
            store.seal(run.number).unwrap();
        }
        prop_assert_eq!(content(&store.samples(measurements[0]).unwrap()), content(&samples));
        Ok(())
    });
    result.unwrap();
}

pub fn places_are_what_is_executed(ground: &Ground) {
    let mut store = ground.open();
    let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x"), cell("a", "y")]);
    let (_, other, elsewhere) = begin(&mut store, "other", &[cell("a", "x")]);
    store.put_sample(measurements[0], &sample(0, 1)).unwrap();
    store.put_sample(measurements[1], &failed(0, 0, Failure::TimedOut)).unwrap();
    store.put_sample(measurements[1], &sample(1, u32::MAX)).unwrap();
    store.put_sample(elsewhere[0], &sample(5, 5)).unwrap();
    let expected =
        [(0, 0), (0, 1), (1, u32::MAX)].map(|(round, position)| Place { round, position });
    assert_eq!(store.places(run.number).unwrap(), expected.into());
    store.seal(run.number).unwrap();
    assert_eq!(store.places(run.number).unwrap(), expected.into());
    assert_eq!(store.places(other.number).unwrap(), [Place { round: 5, position: 5 }].into());
}

pub fn outputs_are_kept_once_and_found_by_their_samples(ground: &Ground) {
    let mut store = ground.open();
    let (lab, run, measurements) = begin(&mut store, "q", &[cell("a", "x"), cell("a", "y")]);
    let at = |round, position| Place { round, position };
    let answer = store.put_output(measurements[0], at(1, 1), b"answer\n").unwrap();
    assert_eq!(store.put_output(measurements[1], at(1, 0), b"answer\n").unwrap(), answer);
    store.put_output(measurements[0], at(0, 0), b"not \xff text").unwrap();
    // A sample that a kill has lost is taken again.
    let other = store.put_output(measurements[0], at(0, 0), b"").unwrap();
    store.end_round(run.number, 1).unwrap();
    drop(store);
    let mut store = ground.open();
    assert_eq!(store.outputs(measurements[0]).unwrap(), [(at(0, 0), other), (at(1, 1), answer)]);
    assert_eq!(store.outputs(measurements[1]).unwrap(), [(at(1, 0), answer)]);
    let all = store.kept_outputs(lab, &benchmark("x")).unwrap();
    let one = |place, digest| (run.number, "a".to_owned(), place, digest);
    assert_eq!(all, [one(at(0, 0), other), one(at(1, 1), answer)]);
    assert_eq!(store.kept_outputs(lab, &benchmark("never")).unwrap(), []);
    assert_eq!(store.log(answer).unwrap(), b"answer\n");
}
