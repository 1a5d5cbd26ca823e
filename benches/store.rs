//! How fast the store is, and how small: `cargo bench -p tacho-store`, with the promised limits
//! beside each number.
//!
//! Two stores of a million samples each, of five metrics with realistic noise. The wide one is the
//! harder: ten benchmarks over ten thousand revisions, ten samples of each, so that what is kept
//! once a measurement weighs most. The deep one has a thousand samples a measurement. Then one
//! store is measured as `tacho` itself does it, sample by sample. With `TACHO_BENCH_POSTGRES` set
//! to a database's URL, the same on that server.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "made-up numbers are small"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use jiff::{Timestamp, Unit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_record::{
    BenchmarkKey, Cell, Digest, Host, Outcome, Parameters, Place, Purpose, Rule, Sample,
};
use tacho_store::{HostId, Location, MeasurementId, NewRun, Store};

/// What a store of a million samples is made of.
struct Shape {
    benchmarks: usize,
    revisions: usize,
    rounds: u32,
    /// Revisions that one run measures together.
    revisions_a_run: usize,
    /// Whether all fifteen metrics of an execution and the readings of the host are kept, as
    /// `tacho` does, or time and memory alone.
    all_metrics: bool,
}

const WIDE: Shape = Shape {
    benchmarks: 10,
    revisions: 10_000,
    rounds: 10,
    revisions_a_run: 100,
    all_metrics: false,
};
const WIDE_ALL: Shape = Shape { all_metrics: true, ..WIDE };
const DEEP: Shape = Shape { revisions: 100, rounds: 1000, ..WIDE };

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is
    // nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let wide = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let location = Location::Folder(wide.path().to_owned());
    import("10,000 revisions × 10 benchmarks × 10 samples", &location, &WIDE);
    read(&location);
    drop(wide);
    let wide = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let location = Location::Folder(wide.path().to_owned());
    import(
        "the same with all fifteen metrics and fourteen readings of the host",
        &location,
        &WIDE_ALL,
    );
    read(&location);
    drop(wide);
    let deep = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    import(
        "100 revisions × 10 benchmarks × 1,000 samples",
        &Location::Folder(deep.path().to_owned()),
        &DEEP,
    );
    drop(deep);
    let live = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    measure(&Location::Folder(live.path().to_owned()));
    if let Ok(url) = std::env::var("TACHO_BENCH_POSTGRES") {
        let logs = live.path().join("logs");
        let location = Location::Postgres { url, logs };
        import("PostgreSQL, 10,000 revisions × 10 benchmarks × 10 samples", &location, &WIDE);
        read(&location);
        measure(&location);
    }
}

/// Stores a million samples, and says how long it took and how large they are.
fn import(title: &str, location: &Location, shape: &Shape) {
    println!("{title}");
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut store = Store::open(location).unwrap();
    let (mut took, mut samples) = (Duration::ZERO, 0);
    for first in (0..shape.revisions).step_by(shape.revisions_a_run) {
        let cells = cells(shape, first);
        let ((run, measurements), beginning) = timed(|| begin(&mut store, &cells));
        let batch = made_up(&mut random, &measurements, shape, run);
        samples += batch.iter().map(|(_, samples)| samples.len()).sum::<usize>();
        took += beginning + timed(|| store.import_many(&batch).unwrap()).1;
    }
    took += timed(|| drop(store)).1;
    show(
        &format!("import of {samples} samples"),
        took.as_secs_f64(),
        "s",
        promised(location, "5 s"),
    );
    if let Location::Folder(folder) = location {
        let database = rusqlite::Connection::open(folder.join("tacho.db")).unwrap();
        let size = |which: &str| -> f64 {
            let sql = format!("SELECT SUM(pgsize) FROM dbstat WHERE {which}");
            database.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap() as f64
                / samples as f64
        };
        show("on disk, the samples", size("name = 'chunk'"), "bytes a sample", "25 bytes");
        show("on disk, with cells, names and indices", size("1"), "bytes a sample", "");
    }
}

/// Reads one series of the wide store.
fn read(location: &Location) {
    let open = || {
        let mut store = Store::open_existing(location).unwrap();
        let host = store.hosts().unwrap()[0].0;
        (store, host)
    };
    let key = benchmark(3);
    let mut fresh = repeated(|| {
        let (mut store, host) = open();
        timed(|| store.values(host, &key, "wall").unwrap()).1
    });
    let (mut store, host) = open();
    let mut again = repeated(|| {
        let (found, took) = timed(|| store.values(host, &key, "wall").unwrap());
        assert_eq!(
            found.iter().map(|of_one| of_one.values.len()).sum::<usize>(),
            10 * WIDE.revisions
        );
        took
    });
    let mut whole = repeated(|| {
        let (found, took) = timed(|| store.measurements(host, &key).unwrap());
        assert!(found.iter().all(|measurement| measurement.samples.len() == 10));
        assert_eq!(found.len(), WIDE.revisions);
        took
    });
    let limit = promised(location, "20 ms");
    let mut counts = repeated(|| timed(|| store.counts(host).unwrap()).1);
    show(
        "series of 10,000 measurements, store just opened",
        milliseconds(&mut fresh, 0.5),
        "ms",
        limit,
    );
    show("series of 10,000 measurements, again", milliseconds(&mut again, 0.5), "ms", limit);
    show("10,000 measurements with all that is in them", milliseconds(&mut whole, 0.5), "ms", "");
    show("counts of 100,000 cells", milliseconds(&mut counts, 0.5), "ms", "");
}

/// The times of some repetitions.
fn repeated(once: impl FnMut() -> Duration) -> Vec<Duration> {
    std::iter::repeat_with(once).take(25).collect()
}

/// What it gives, and how long it took; giving it back is not counted.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let done = work();
    (done, begun.elapsed())
}

/// Measures as `tacho` does: a sample at a time, a sync at the end of each round.
fn measure(location: &Location) {
    let shape = Shape {
        benchmarks: 10,
        revisions: 10,
        rounds: 100,
        revisions_a_run: 10,
        all_metrics: false,
    };
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut store = Store::open(location).unwrap();
    let (run, measurements) = begin(&mut store, &cells(&shape, 0));
    let batch = made_up(&mut random, &measurements, &shape, run);
    let (mut put, mut synced) = (vec![], vec![]);
    for round in 0..shape.rounds {
        for (measurement, samples) in &batch {
            put.push(timed(|| store.put_sample(*measurement, &samples[round as usize]).unwrap()).1);
        }
        synced.push(timed(|| store.end_round(run, round + 1).unwrap()).1);
    }
    println!("measuring, {} samples in {} rounds", put.len(), synced.len());
    show("put_sample, median", milliseconds(&mut put, 0.5) * 1e3, "µs", "");
    show("put_sample, 99th percentile", milliseconds(&mut put, 0.99) * 1e3, "µs", "");
    show("put_sample, worst", milliseconds(&mut put, 1.0) * 1e3, "µs", "");
    show("end_round, median", milliseconds(&mut synced, 0.5), "ms", "");
    show("end_round, worst", milliseconds(&mut synced, 1.0), "ms", "");
    let ((), took) = timed(|| store.seal(run).unwrap());
    show("seal", took.as_secs_f64() * 1e3, "ms", "");
}

/// The quantile of some times, in milliseconds.
fn milliseconds(times: &mut [Duration], quantile: f64) -> f64 {
    times.sort_unstable();
    let index = (quantile * (times.len() - 1) as f64).round() as usize;
    times[index].as_secs_f64() * 1e3
}

/// The limit, where it holds: it is promised of a folder, not of a server somewhere.
fn promised<'a>(location: &Location, limit: &'a str) -> &'a str {
    if matches!(location, Location::Folder(_)) { limit } else { "" }
}

fn show(what: &str, value: f64, unit: &str, limit: &str) {
    let limit = if limit.is_empty() { String::new() } else { format!("(limit: {limit})") };
    println!("  {what:<52} {value:>9.2} {unit:<15} {limit}");
}

fn benchmark(number: usize) -> BenchmarkKey {
    BenchmarkKey {
        name: format!("benchmark-{number}"),
        version: 1,
        parameters: Parameters::default(),
    }
}

fn cells(shape: &Shape, first: usize) -> Vec<Cell> {
    let revisions = first..first + shape.revisions_a_run;
    revisions
        .flat_map(|revision| {
            let id = Digest::of(revision.to_le_bytes()).to_string()[..40].to_owned();
            (0..shape.benchmarks).map(move |number| Cell {
                revision: id.clone(),
                artifact: Digest::of(&id),
                benchmark: benchmark(number),
                rounds: shape.rounds,
            })
        })
        .collect()
}

fn begin(store: &mut Store, cells: &[Cell]) -> (i64, Vec<MeasurementId>) {
    let host: HostId =
        store.put_host(&Host { name: "lab".into(), facts: BTreeMap::new() }).unwrap();
    let new = NewRun {
        purpose: Purpose::Track,
        question: Digest::of("question"),
        plan: "[subject]\n".into(),
        seed: 1,
        rounds: cells[0].rounds,
        rule: Rule::default(),
        host,
        version: "0.1.0".into(),
        started: Timestamp::now(),
        conditions: BTreeMap::new(),
    };
    let (run, measurements) = store.begin_run(&new, cells).unwrap();
    (run.number, measurements)
}

/// Samples as a machine gives them: interleaved rounds, times in ns, processor times in µs, memory
/// in pages, each with about 1 % of noise around a level between 5 ms and 2 s.
fn made_up(
    random: &mut ChaCha8Rng,
    measurements: &[MeasurementId],
    shape: &Shape,
    run: i64,
) -> Vec<(MeasurementId, Vec<Sample>)> {
    let mut at = Timestamp::from_second(1_700_000_000 + run * 1_000_000).unwrap();
    let level = |index: usize| 5e6 * 400_f64.powf(index as f64 / measurements.len() as f64);
    let mut batch: Vec<_> = measurements.iter().map(|measurement| (*measurement, vec![])).collect();
    for round in 1..=shape.rounds {
        let mut order: Vec<usize> = (0..measurements.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.random_range(0..=last));
        }
        for (position, index) in order.into_iter().enumerate() {
            let place = Place { round, position: position as u32 };
            let mut sample = execution(random, level(index), place, at);
            if shape.all_metrics {
                add_the_others(random, &mut sample);
            }
            at += Duration::from_nanos(
                sample.value("wall").unwrap() as u64 + random.random_range(100_000..2_000_000),
            );
            batch[index].1.push(sample);
        }
    }
    batch
}

fn execution(random: &mut ChaCha8Rng, level: f64, place: Place, at: Timestamp) -> Sample {
    let mut noisy = |level: f64, share: f64| {
        let normal: f64 = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
        level * (1.0 + share * normal)
    };
    let user = (noisy(level * 0.8, 0.01) / 1e3).round() * 1e3;
    let sys = (noisy(level * 0.1, 0.05) / 1e3).round() * 1e3;
    let wall = (noisy(level, 0.01) / 1e3).round() * 1e3;
    let memory = noisy(3000.0, 0.005).round() * 4096.0;
    let values = [
        ("cpu", user + sys),
        ("peak-memory", memory),
        ("sys", sys),
        ("user", user),
        ("wall", wall),
    ];
    let values = values.map(|(name, value)| (name.into(), value)).to_vec();
    // As `tacho` takes it: to the millisecond.
    let at = at.round(Unit::Millisecond).unwrap();
    Sample { place, at, outcome: Outcome::Valid, values }
}

/// What else `wait4` and schedstat say of an execution, about as noisy as it is.
fn add_the_others(random: &mut ChaCha8Rng, sample: &mut Sample) {
    let read = |name: &str| sample.value(name).unwrap();
    let (wall, cpu) = (read("wall"), read("cpu"));
    let on_cpu = cpu + f64::from(random.random_range(0..2_u32)) * 1e3;
    let waiting = f64::from(random.random_range(5..200_u32)) * 1e3;
    let others = [
        ("block-input", 0.0),
        ("block-output", 0.0),
        ("blocked", wall - on_cpu - waiting),
        ("cpu-percent", (cpu / wall * 10_000.0).round() / 100.0),
        ("cpu-wait", waiting),
        ("involuntary-switches", f64::from(random.random_range(0..6_u32))),
        ("major-faults", 0.0),
        ("minor-faults", f64::from(random.random_range(220..230_u32))),
        ("on-cpu", on_cpu),
        ("voluntary-switches", f64::from(random.random_range(1..4_u32))),
    ];
    sample.values.extend(others.map(|(name, value)| (name.into(), value)));
    let readings = quiet_host(random, wall);
    sample.values.extend(readings.map(|(name, value)| (name.into(), value)));
    sample.values.sort_by(|(one, _), (other, _)| one.cmp(other));
}

/// What a quiet machine with turbo, one socket and swap says beside it, rounded as `tacho` does.
fn quiet_host(random: &mut ChaCha8Rng, wall: f64) -> [(&'static str, f64); 14] {
    let mut sometimes =
        |share: f64, value: f64| if random.random::<f64>() < share { value } else { 0.0 };
    let thousands = |each_second: f64| (wall / 1e9 * each_second / 1e3).round() * 1e3;
    [
        ("host-frequency", 2.79e9 + sometimes(0.3, 1e7)),
        ("host-interrupts", thousands(900.0)),
        ("host-memory", 22.0 * 1_073_741_824.0),
        ("host-other-cpu", sometimes(0.1, 1e7)),
        ("host-pressure-cpu", sometimes(0.05, 1e6)),
        ("host-pressure-io", 0.0),
        ("host-pressure-memory", 0.0),
        ("host-running", sometimes(0.05, 1.0)),
        ("host-softirqs", thousands(400.0)),
        ("host-steal", sometimes(0.03, 1e7)),
        ("host-swapped", 0.0),
        ("host-switches", thousands(700.0)),
        ("host-temperature", 54.0 + sometimes(0.4, 1.0)),
        ("host-throttled", 0.0),
    ]
}
