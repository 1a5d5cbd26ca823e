//! What the store's tests share: places to open stores at, and things to keep.

#![allow(dead_code, reason = "each test file uses its own part of this")]

pub mod server;

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{Timestamp, ToSpan};
use tacho_record::{
    AnswerDifference, BenchmarkKey, Cell, Digest, Failure, Host, Limit, Outcome, Parameter,
    Parameters, Place, Purpose, ReachedLimit, Revision, Rule, Run, Sample,
};
use tacho_store::{HostId, Location, MeasurementId, NewRun, Store};
use tempfile::TempDir;

/// A place for one store, which goes away with it.
pub struct Ground {
    pub location: Location,
    pub folder: TempDir,
}

impl Ground {
    /// A folder that is not there yet.
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { location: Location::Folder(folder.path().join(".tacho")), folder }
    }

    pub fn open(&self) -> Store {
        Store::open(&self.location).unwrap()
    }

    /// Writes what the store itself never would; `{garbage}` stands for bytes that are no chunk.
    pub fn tamper(&self, sql: &str) {
        match &self.location {
            Location::Folder(folder) => {
                let database = rusqlite::Connection::open(folder.join("tacho.db")).unwrap();
                database.execute_batch(&sql.replace("{garbage}", "x'0909'")).unwrap();
            }
            Location::Memory => unreachable!("what is in memory is nobody else's"),
            Location::Postgres { url, .. } => {
                let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
                client.batch_execute(&sql.replace("{garbage}", "'\\x0909'::bytea")).unwrap();
            }
        }
    }
}

/// That second after the start of all tests.
pub fn time(second: i64) -> Timestamp {
    "2026-01-02T03:04:05Z".parse::<Timestamp>().unwrap() + second.seconds()
}

pub fn host(name: &str) -> Host {
    let facts = [("cpu", "Z80"), ("memory", "64 KiB"), ("now.load", "0.5")];
    Host {
        name: name.into(),
        facts: facts.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
    }
}

pub fn revision(id: &str, order: u64) -> Revision {
    Revision {
        id: id.into(),
        order,
        author: "A. U. Thor".into(),
        date: Some(time(order.cast_signed())),
        subject: format!("change {order}"),
        tags: vec![],
    }
}

pub fn benchmark(name: &str) -> BenchmarkKey {
    let parameters = BTreeMap::from([
        ("batch".into(), Parameter::Integer(64)),
        ("level".into(), Parameter::Number(0.1 + 0.2)),
        ("mode".into(), Parameter::Text("fast".into())),
    ]);
    BenchmarkKey { name: name.into(), version: 1, parameters: Parameters(parameters) }
}

pub fn cell(revision: &str, name: &str) -> Cell {
    Cell {
        revision: revision.into(),
        artifact: Digest::of(revision),
        benchmark: benchmark(name),
        rounds: 10,
    }
}

pub fn new_run(host: HostId, question: &str) -> NewRun {
    NewRun {
        purpose: Purpose::Track,
        question: Digest::of(question),
        plan: "[subject]\n".into(),
        seed: u64::MAX - 7,
        rounds: 10,
        rule: Rule::default(),
        host,
        version: "0.1.0".into(),
        started: time(0),
        conditions: BTreeMap::from([("now.load".into(), "0.5".into())]),
    }
}

pub fn sample(round: u32, position: u32) -> Sample {
    let noise = f64::from(
        round.wrapping_mul(7919).wrapping_add(position.wrapping_mul(104_729)) % 1_000_003,
    );
    Sample {
        place: Place { round, position },
        at: time(i64::from(round) * 60 + i64::from(position)),
        outcome: Outcome::Valid,
        values: vec![
            ("peak-memory".into(), 4096.0 * (1000.0 + noise % 50.0)),
            ("user".into(), 1000.0 * (40_000.0 + noise % 900.0)),
            ("wall".into(), 50_000_000.0 + noise),
        ],
    }
}

pub fn failed(round: u32, position: u32, failure: Failure) -> Sample {
    let output = format!("last words of {round}: \u{0}\u{fffd} \u{1f980}\n");
    Sample {
        outcome: Outcome::Failed { failure, output },
        values: vec![],
        ..sample(round, position)
    }
}

/// One that had as much memory as it may.
pub fn limited(round: u32, position: u32) -> Sample {
    let reached = ReachedLimit { limit: Limit::Memory, at: 512 << 20, how: None };
    Sample {
        outcome: Outcome::LimitReached { reached, output: "killed\n".to_owned() },
        ..sample(round, position)
    }
}

/// One of each kind.
pub fn failures() -> [Failure; 9] {
    [
        Failure::Exit { code: -1 },
        Failure::Hook { why: "`prepare` ended with exit 1".into() },
        Failure::NotStarted { why: "no such file".into(), missing: Some("x".into()) },
        Failure::Signal { number: 11 },
        Failure::TimedOut,
        Failure::Stopped { number: 19 },
        Failure::WrongAnswer {
            why: "another digest".into(),
            shown: Some(AnswerDifference::Digest),
        },
        Failure::Unreadable { why: "`bucket`: nothing matches".into() },
        Failure::Companion { why: "`companion`: it ended with exit 1".into() },
    ]
}

/// A run on a host, with measurements of these cells.
pub fn begin(
    store: &mut Store,
    question: &str,
    cells: &[Cell],
) -> (HostId, Run, Vec<MeasurementId>) {
    let host = store.put_host(&host("lab")).unwrap();
    let (run, measurements) = store.begin_run(&new_run(host, question), cells).unwrap();
    (host, run, measurements)
}

/// How many files there are under a folder, with names that end like this.
pub fn files(folder: &Path, end: &str) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            if path.is_dir() {
                files(&path, end)
            } else {
                path.to_string_lossy().ends_with(end).into()
            }
        })
        .sum()
}
