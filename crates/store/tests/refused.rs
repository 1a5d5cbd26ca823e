//! When the system says no: full disks, folders that may not be written, servers that are not
//! there.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may fail")]

mod common;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::server::{Server, say};
use common::{begin, cell, host, new_run, sample};
use tacho_record::Sample;
use tacho_store::{Location, Store, StoreError};

/// A small disk, unmounted when dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(folder.path())
            .output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        say("skipped: a small disk can be mounted by root only");
        None
    }

    fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_keeps_all_before_and_goes_on_when_there_is_room() {
    let Some(disk) = SmallDisk::mount("2m") else { return };
    let reserve = disk.path().join("reserve");
    fs::write(&reserve, vec![1; 500_000]).unwrap();
    let location = Location::Folder(disk.path().join(".tacho"));
    let mut store = Store::open(&location).unwrap();
    let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    let mut kept: Vec<Sample> = vec![];
    let error = loop {
        let next = sample(kept.len() as u32, 0);
        match store.put_sample(measurements[0], &next) {
            Ok(()) => kept.push(next),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    assert!(error.to_string().contains("tacho.db`"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.ends_with("everything measured before is kept")));
    assert!(kept.len() > 50);
    assert_eq!(store.samples(measurements[0]).unwrap(), kept);
    let log = vec![7; 3_000_000]
        .into_iter()
        .enumerate()
        .map(|(index, byte): (usize, u8)| byte ^ ((index * index) >> 7) as u8);
    let error = store.put_log(&log.collect::<Vec<_>>()).unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");

    fs::remove_file(reserve).unwrap();
    let next = sample(kept.len() as u32, 0);
    store.put_sample(measurements[0], &next).unwrap();
    kept.push(next);
    store.end_round(run.number, 1).unwrap();
    drop(store);
    let mut store = Store::open_existing(&location).unwrap();
    assert_eq!(store.samples(measurements[0]).unwrap(), kept);
}

#[test]
fn what_is_no_database_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("tacho.db"),
        "this is not a database, whatever its name says\n".repeat(100),
    )
    .unwrap();
    let error = Store::open(&Location::Folder(folder.path().to_owned())).unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
}

#[test]
fn a_place_that_cannot_be_a_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = Store::open(&Location::Folder(folder.path().join("file/.tacho"))).unwrap_err();
    assert!(error.to_string().contains("file/.tacho`: "), "{error}");
}

#[test]
fn a_folder_that_may_not_be_written_is_named() {
    if is_root(Path::new("/proc/self")) {
        // Root may write everywhere but on a disk that is mounted for reading.
        let Some(disk) = SmallDisk::mount("1m") else { return };
        drop(Store::open(&Location::Folder(disk.path().join(".tacho"))).unwrap());
        let mounted =
            Command::new("mount").args(["-o", "remount,ro"]).arg(disk.path()).status().unwrap();
        assert!(mounted.success());
        refuse_writing(&disk.path());
    } else {
        let folder = tempfile::tempdir().unwrap();
        let mut permissions = folder.path().metadata().unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(folder.path(), permissions).unwrap();
        refuse_writing(folder.path());
    }
}

fn refuse_writing(folder: &Path) {
    for name in [".tacho", "other"] {
        let error = Store::open(&Location::Folder(folder.join(name))).unwrap_err();
        assert!(matches!(error, StoreError::NotWritable { .. }), "{name}: {error}");
        assert!(error.to_string().contains(&*folder.to_string_lossy()), "{error}");
    }
}

fn is_root(owned: &Path) -> bool {
    owned.metadata().unwrap().uid() == 0
}

#[test]
fn a_server_that_is_not_there_is_called_unreachable() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    let url = format!("host={} user=tacho password=secret dbname=x", folder.path().display());
    for open in [Store::open, Store::open_existing] {
        let error = open(&Location::Postgres { url: url.clone(), logs: logs.clone() }).unwrap_err();
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
        let words = format!("{error} {error:?}");
        assert!(words.contains("/x`: ") && !words.contains("secret"), "{words}");
    }
    let error = Store::open(&Location::Postgres { url: "nonsense".into(), logs }).unwrap_err();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
}

#[test]
fn a_server_that_goes_away_is_called_unreachable() {
    let Some(server) = Server::start() else { return };
    let ground = server.ground();
    let mut store = ground.open();
    let (_, _, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    store.put_sample(measurements[0], &sample(1, 0)).unwrap();
    drop(server);
    let error = store.put_sample(measurements[0], &sample(2, 0)).unwrap_err();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
}

#[test]
fn a_server_that_may_not_be_written_is_named_with_advice_for_servers() {
    let Some(server) = Server::start() else { return };
    let ground = server.ground();
    drop(ground.open());
    let Location::Postgres { url, logs } = ground.location.clone() else { unreachable!() };
    let url = format!("{url} options='-c default_transaction_read_only=on'");
    let mut store = Store::open_existing(&Location::Postgres { url, logs }).unwrap();
    let error = store.put_host(&host("lab")).unwrap_err();
    assert!(matches!(error, StoreError::NotWritable { .. }), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("replica")));
}

#[test]
fn a_server_that_was_locked_can_be_used_once_it_is_not() {
    let Some(server) = Server::start() else { return };
    let ground = server.ground();
    let mut store = ground.open();
    let lab = store.put_host(&host("lab")).unwrap();
    let Location::Postgres { url, .. } = &ground.location else { unreachable!() };
    let mut other = postgres::Client::connect(url, postgres::NoTls).unwrap();
    // Under which runs are numbered.
    let lock = format!("BEGIN; SELECT pg_advisory_xact_lock({})", 0x74_61_63_68_6f_i64);
    other.batch_execute(&lock).unwrap();
    let error = store.begin_run(&new_run(lab, "q"), &[]).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    other.batch_execute("COMMIT").unwrap();
    let (run, _) = store.begin_run(&new_run(lab, "q"), &[]).unwrap();
    assert_eq!(store.runs().unwrap(), [run]);
}

#[test]
fn a_store_that_was_deleted_or_replaced_is_seen_at_the_end_of_a_round() {
    let changes: [fn(&Path); 2] = [
        |database| fs::remove_file(database).unwrap(),
        |database| {
            fs::rename(database, database.with_extension("old")).unwrap();
            fs::copy(database.with_extension("old"), database).unwrap();
        },
    ];
    for change in changes {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&Location::Folder(folder.path().to_owned())).unwrap();
        let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
        store.put_sample(measurements[0], &sample(0, 0)).unwrap();
        store.end_round(run.number, 0).unwrap();
        change(&folder.path().join("tacho.db"));
        let _ = store.put_sample(measurements[0], &sample(1, 0));
        let error = store.end_round(run.number, 1).unwrap_err();
        assert!(matches!(error, StoreError::Replaced { .. }), "{error}");
    }
}
