//! `kill -9` in the middle of measuring loses at most the sample in flight.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "a test may fail")]

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use common::{begin, cell, sample};
use tacho_record::Sample;
use tacho_store::{Location, Store};

/// Tells this program, executed again, to be the one that is killed, and where its store is.
const VICTIM: &str = "TACHO_STORE_TEST_VICTIM";

/// Measures without end and says which round is kept, once it is.
fn measure(folder: PathBuf) {
    let mut store = Store::open(&Location::Folder(folder)).unwrap();
    let (_, run, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    let mut said = std::io::stdout();
    for round in 0.. {
        store.put_sample(measurements[0], &sample(round, 7)).unwrap();
        // Past the harness, which would keep it.
        writeln!(said, "kept {round}").unwrap();
        if round % 100 == 99 {
            store.end_round(run.number, round).unwrap();
        }
    }
}

#[test]
fn a_killed_measurement_keeps_every_sample_before() {
    if let Some(folder) = std::env::var_os(VICTIM) {
        return measure(folder.into());
    }
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Folder(folder.path().join(".tacho"));
    for attempt in 1..=3_u32 {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_killed_measurement_keeps_every_sample_before", "--nocapture"])
            .env(VICTIM, folder.path().join(".tacho"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines();
        let kept =
            |line: &str| line.rsplit_once("kept ").and_then(|(_, round)| round.parse::<u32>().ok());
        let mut last = lines
            .by_ref()
            .find_map(|line| kept(&line.unwrap()).filter(|round| *round >= 250))
            .unwrap();
        victim.kill().unwrap();
        victim.wait().unwrap();
        // What it said before it died; the last line may be half of one.
        let rest: Vec<String> =
            lines.map_while(Result::ok).filter(|line| line.starts_with("kept ")).collect();
        if let Some(before_last) = rest.len().checked_sub(2) {
            last = kept(&rest[before_last]).unwrap();
        }

        let mut store = Store::open_existing(&location).unwrap();
        let run = store.runs().unwrap().pop().unwrap();
        assert_eq!(run.number, i64::from(attempt));
        let (measurement, _) = store.cells(run.number).unwrap().remove(0);
        let samples = store.samples(measurement).unwrap();
        assert!(
            samples.len() > last as usize,
            "{} samples, and it said that it kept {last}",
            samples.len()
        );
        let expected: Vec<Sample> =
            (0..).take(samples.len()).map(|round| sample(round, 7)).collect();
        assert_eq!(samples, expected);
        assert_eq!(store.places(run.number).unwrap().len(), samples.len());
    }
}
