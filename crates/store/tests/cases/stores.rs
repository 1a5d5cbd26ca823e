//! Opening, and several stores at one place.

use std::fs;
use std::thread;

use tacho_record::{Digest, Sample};
use tacho_store::{Location, Store, StoreError};

use crate::common::{Ground, begin, benchmark, cell, host, revision, sample, time};

pub fn a_newer_schema_is_refused_in_words(ground: &Ground) {
    drop(ground.open());
    ground.tamper("INSERT INTO migration (number, name, applied) VALUES (999, 'later', '')");
    for error in [
        Store::open(&ground.location).unwrap_err(),
        Store::open_existing(&ground.location).unwrap_err(),
    ] {
        let words = error.to_string();
        assert!(
            words.ends_with("has schema 999, and this `tacho` knows schemas up to 6")
                && error.hint().is_some(),
            "{words}"
        );
    }
}

pub fn a_store_that_is_not_there_is_not_made_by_reading(ground: &Ground) {
    for _ in 0..2 {
        let error = Store::open_existing(&ground.location).unwrap_err();
        assert!(matches!(error, StoreError::NoStore { .. }), "{error}");
        assert!(error.hint() == Some("`tacho track` measures and creates the store"), "{error}");
    }
    drop(ground.open());
    Store::open_existing(&ground.location).unwrap();
    // What is kept must not enter the subject's own repository; what its owner decided stays.
    let (Location::Folder(own) | Location::Postgres { logs: own, .. }) = &ground.location else {
        unreachable!("no ground is in memory")
    };
    assert_eq!(fs::read_to_string(own.join(".gitignore")).unwrap(), "*\n");
    fs::write(own.join(".gitignore"), "own\n").unwrap();
    drop(ground.open());
    assert_eq!(fs::read_to_string(own.join(".gitignore")).unwrap(), "own\n");
}

/// A server of pages keeps the store in another thread than the one that opened it.
const fn may_change_threads<T: Send>() {}
const _: () = may_change_threads::<Store>();

pub fn all_is_there_when_opened_again(ground: &Ground) {
    let mut store = ground.open();
    store.put_revisions(&[revision("a", 1)]).unwrap();
    let (lab, run, measurements) = begin(&mut store, "q", &[cell("a", "x"), cell("a", "y")]);
    store.put_sample(measurements[0], &sample(1, 0)).unwrap();
    drop(store);
    let mut store = Store::open_existing(&ground.location).unwrap();
    assert_eq!(store.put_host(&host("lab")).unwrap(), lab);
    assert_eq!(store.unfinished_run(Digest::of("q"), lab).unwrap().unwrap().number, run.number);
    let ids: Vec<_> = store.cells(run.number).unwrap().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, measurements);
    assert_eq!(store.places(run.number).unwrap(), [sample(1, 0).place].into());
    store.put_sample(measurements[1], &sample(1, 1)).unwrap();
    store.end_round(run.number, 1).unwrap();
    store.finish_run(run.number, time(100)).unwrap();
    drop(store);
    let mut store = ground.open();
    assert_eq!(store.samples(measurements[0]).unwrap(), [sample(1, 0)]);
    assert_eq!(store.samples(measurements[1]).unwrap(), [sample(1, 1)]);
    assert_eq!(store.revisions().unwrap(), [revision("a", 1)]);
}

pub fn two_stores_see_each_other(ground: &Ground) {
    let (mut one, mut two) = (ground.open(), ground.open());
    let (lab, run, measurements) = begin(&mut one, "q", &[cell("a", "x")]);
    one.put_sample(measurements[0], &sample(1, 0)).unwrap();
    assert_eq!(two.samples(measurements[0]).unwrap(), [sample(1, 0)]);
    // A metric that the other has never heard of, in both directions.
    let mut with_more = sample(2, 0);
    with_more.values.insert(0, ("cycles".into(), 1.5));
    two.put_sample(measurements[0], &with_more).unwrap();
    assert_eq!(one.samples(measurements[0]).unwrap(), [sample(1, 0), with_more.clone()]);
    let again = Sample { place: sample(3, 0).place, ..with_more.clone() };
    one.put_sample(measurements[0], &again).unwrap();
    one.seal(run.number).unwrap();
    // What the other has sealed is still never stored twice.
    let error = two.put_sample(measurements[0], &again).unwrap_err();
    assert!(matches!(error, StoreError::AlreadyStored { .. }), "{error}");
    let found = two.measurements(lab, &benchmark("x")).unwrap();
    assert_eq!(found[0].samples, [sample(1, 0), with_more, again]);
}

pub fn many_stores_write_at_once(ground: &Ground) {
    let cells: Vec<_> = ["a", "b", "c", "d"].iter().map(|revision| cell(revision, "x")).collect();
    let writer = |index: u32| {
        let mut store = Store::open(&ground.location).unwrap();
        let (_, run, measurements) = begin(&mut store, &index.to_string(), &cells);
        for round in 1..=25 {
            for measurement in &measurements {
                store.put_sample(*measurement, &sample(round, index)).unwrap();
            }
            store.end_round(run.number, round).unwrap();
        }
        store.seal(run.number).unwrap();
        run.number
    };
    let writer = &writer;
    let mut runs: Vec<i64> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|index| scope.spawn(move || writer(index))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    runs.sort_unstable();
    assert_eq!(runs, [1, 2, 3, 4]);
    let mut store = ground.open();
    let lab = store.hosts().unwrap()[0].0;
    assert_eq!(store.hosts().unwrap().len(), 1);
    assert_eq!(store.benchmarks(lab).unwrap(), [benchmark("x")]);
    let counts = store.counts(lab).unwrap();
    assert!(counts.len() == 4 && counts.iter().all(|count| count.valid == 100), "{counts:?}");
}

pub fn a_store_belongs_to_one_subject(ground: &Ground) {
    let mut store = ground.open();
    store.claim("one").unwrap();
    store.claim("one").unwrap();
    drop(store);
    let mut store = ground.open();
    let error = store.claim("two").unwrap_err();
    assert!(error.to_string().ends_with("` holds measurements of `one`, not of `two`"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("`--store`")));
    store.claim("one").unwrap();
}

pub fn the_first_of_many_subjects_has_the_store(ground: &Ground) {
    drop(ground.open());
    let claim = |index: u32| ground.open().claim(&index.to_string());
    let claim = &claim;
    let claims: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|index| scope.spawn(move || claim(index))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(claims.iter().filter(|claim| claim.is_ok()).count(), 1, "{claims:?}");
    let refused = |claim: &Result<_, _>| matches!(claim, Err(StoreError::OtherSubject { .. }));
    assert_eq!(claims.iter().filter(|claim| refused(claim)).count(), 3, "{claims:?}");
}
