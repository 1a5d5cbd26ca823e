//! What a store says of bytes that changed on its disk, and what it saves of the rest.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;

use std::fs;
use std::path::Path;

use common::{begin, cell, sample};
use tacho_store::{Location, Store, StoreError};

/// A store with two cells of ten samples each.
fn store(folder: &Path) -> Location {
    let location = Location::Folder(folder.join(".tacho"));
    let mut store = Store::open(&location).unwrap();
    let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x"), cell("b", "x")]);
    for round in 1..=10 {
        for measurement in &measurements {
            store.put_sample(*measurement, &sample(round, 7)).unwrap();
        }
    }
    store.put_log(b"built").unwrap();
    store.end_round(run.number, 10).unwrap();
    location
}

/// Flips a bit in a chunk of the first cell, as a disk may do.
fn damage(folder: &Path) {
    let database = rusqlite::Connection::open(folder.join(".tacho/tacho.db")).unwrap();
    let place = "WHERE cell = (SELECT MIN(cell) FROM chunk) AND round = 4";
    let sql = format!("SELECT samples FROM chunk {place}");
    let mut samples: Vec<u8> = database.query_row(&sql, [], |row| row.get(0)).unwrap();
    samples[9] ^= 4;
    assert_eq!(
        database.execute(&format!("UPDATE chunk SET samples = ?1 {place}"), [samples]).unwrap(),
        1
    );
}

#[test]
fn a_whole_store_has_nothing_to_report() {
    let folder = tempfile::tempdir().unwrap();
    let check = Store::open(&store(folder.path())).unwrap().check().unwrap();
    assert_eq!((check.samples, check.logs, check.damage), (20, 1, vec![]));
}

#[test]
fn damage_is_named_and_the_rest_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let location = store(folder.path());
    damage(folder.path());
    let mut store = Store::open(&location).unwrap();
    let check = store.check().unwrap();
    assert_eq!((check.samples, check.damage.len()), (19, 1), "{:?}", check.damage);
    assert_eq!(check.damage[0].samples, 1);
    assert!(check.damage[0].what.ends_with("from round 4 on"), "{:?}", check.damage);

    let saved = folder.path().join("saved");
    store.copy_whole(&saved).unwrap();
    let mut copy = Store::open(&Location::Folder(saved.clone())).unwrap();
    let check = copy.check().unwrap();
    assert_eq!((check.samples, check.logs, check.damage), (19, 1, vec![]));
    assert_eq!(copy.runs().unwrap(), store.runs().unwrap());
    assert!(store.copy_whole(&saved).is_err(), "a store is never overwritten");
}

#[test]
fn a_copy_is_one_file_and_its_logs_and_an_interrupted_one_is_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&store(folder.path())).unwrap();
    let saved = folder.path().join("saved");
    // The logs cannot be copied, as on a full disk.
    fs::create_dir(&saved).unwrap();
    fs::write(saved.join("logs"), "in the way").unwrap();
    store.copy_whole(&saved).unwrap_err();
    let names = || {
        let mut names: Vec<_> =
            fs::read_dir(&saved).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names(), [".gitignore", "logs"]);
    fs::remove_file(saved.join("logs")).unwrap();
    store.copy_whole(&saved).unwrap();
    assert_eq!(names(), [".gitignore", "logs", "tacho.db"]);
}

#[test]
fn an_empty_gitignore_is_what_a_kill_left_and_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let location = store(folder.path());
    let ignore = folder.path().join(".tacho/.gitignore");
    fs::write(&ignore, "").unwrap();
    Store::open(&location).unwrap();
    assert_eq!(fs::read_to_string(ignore).unwrap(), "*\n");
}

#[test]
fn a_store_that_lost_its_database_is_not_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    let location = store(folder.path());
    let database = folder.path().join(".tacho/tacho.db");
    fs::File::create(&database).unwrap();
    for opened in [Store::open(&location), Store::open_to_read(&location)] {
        assert!(matches!(opened.err(), Some(StoreError::Emptied { .. })));
    }
    assert_eq!(fs::metadata(&database).unwrap().len(), 0);
    // A kill left it before anything was kept.
    let begun = folder.path().join("begun");
    fs::create_dir(&begun).unwrap();
    fs::write(begun.join("tacho.db"), "").unwrap();
    let begun = Location::Folder(begun);
    assert!(matches!(Store::open_to_read(&begun).err(), Some(StoreError::NoStore { .. })));
    Store::open(&begun).unwrap();
}

#[test]
fn a_damaged_log_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let location = store(folder.path());
    let group =
        fs::read_dir(folder.path().join(".tacho/logs")).unwrap().next().unwrap().unwrap().path();
    let log = fs::read_dir(group).unwrap().next().unwrap().unwrap().path();
    fs::write(log, "no log").unwrap();
    let check = Store::open(&location).unwrap().check().unwrap();
    assert_eq!((check.logs, check.damage.len()), (0, 1));
}

/// Empties the only log of a store, as a power cut may do.
fn empty_log(folder: &Path) {
    let logs = fs::read_dir(folder.join(".tacho/logs")).unwrap().map(|it| it.unwrap().path());
    let groups: Vec<_> = logs.filter(|path| path.is_dir()).collect();
    assert_eq!(groups.len(), 1);
    fs::File::create(fs::read_dir(&groups[0]).unwrap().next().unwrap().unwrap().path()).unwrap();
}

#[test]
fn an_empty_log_is_damage_only_where_something_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let location = store(folder.path());
    empty_log(folder.path());
    let check = Store::open(&location).unwrap().check().unwrap();
    assert_eq!((check.logs, check.damage), (0, vec![]));

    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&Location::Folder(folder.path().join(".tacho"))).unwrap();
    let (_, _, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    store.put_output(measurements[0], sample(1, 7).place, b"answer").unwrap();
    empty_log(folder.path());
    let check = store.check().unwrap();
    assert_eq!((check.logs, check.damage.len()), (0, 1));
}
