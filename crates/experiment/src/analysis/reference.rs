//! The levels of the reference's fixed programs, run by run.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tacho_record::{Digest, ReferenceProgram, ReferenceSample, ReferenceSummary, Run};
use tacho_stats::Summary;
use tacho_stats::lab::ReferenceLevel;
use tacho_store::{HostId, Store, StoreError};

/// The variance of a median, as a multiple of that of a mean, for Gaussian noise.
const OF_MEDIAN: f64 = std::f64::consts::FRAC_PI_2;
/// The noise of an execution where no run has two of a program (a logarithm).
const NOISE: f64 = 0.03;

/// A fixed program over the runs of a host.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceTrack {
    /// The digest of the programs: another one is another track.
    pub digest: Digest,
    /// The program.
    pub program: ReferenceProgram,
    /// Its level in each run that executed it, in order.
    pub points: Vec<ReferencePoint>,
}

/// The level of a fixed program in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferencePoint {
    /// The number of the run.
    pub run: i64,
    /// When it was executed first.
    pub at: Timestamp,
    /// The median of its wall time, in nanoseconds.
    pub level: f64,
    /// The standard error of the level, as a share.
    pub error: f64,
    /// How often it was executed.
    pub samples: usize,
}

/// The tracks of a host.
pub fn tracks(store: &mut Store, host: HostId) -> Result<Vec<ReferenceTrack>, StoreError> {
    let mut all: BTreeMap<(Digest, ReferenceProgram), BTreeMap<i64, Vec<ReferenceSample>>> =
        BTreeMap::new();
    for (run, sample) in store.references(host)? {
        let runs = all.entry((sample.digest, sample.program)).or_default();
        runs.entry(run).or_default().push(sample);
    }
    Ok(all.into_iter().map(|((digest, program), runs)| track(digest, program, &runs)).collect())
}

fn track(
    digest: Digest,
    program: ReferenceProgram,
    runs: &BTreeMap<i64, Vec<ReferenceSample>>,
) -> ReferenceTrack {
    let walls = |samples: &[ReferenceSample]| -> Vec<f64> {
        samples.iter().map(|sample| sample.wall.as_nanos() as f64).collect()
    };
    let level = |samples: &[ReferenceSample]| {
        Summary::of(&walls(samples)).map_or(f64::NAN, |summary| summary.median)
    };
    let residuals: Vec<f64> = runs
        .values()
        .filter(|samples| samples.len() > 1)
        .flat_map(|samples| {
            let (level, count) = (level(samples), samples.len() as f64);
            let free = (count / (count - 1.0)).sqrt();
            walls(samples).into_iter().map(move |wall| free * (wall / level).ln().abs())
        })
        .collect();
    let noise = Summary::of(&residuals).map_or(NOISE, |distances| 1.4826 * distances.median);
    let point = |(run, samples): (&i64, &Vec<ReferenceSample>)| ReferencePoint {
        run: *run,
        at: samples[0].at,
        level: level(samples),
        error: noise * (OF_MEDIAN / samples.len() as f64).sqrt(),
        samples: samples.len(),
    };
    ReferenceTrack { digest, program, points: runs.iter().map(point).collect() }
}

/// The tracks as the judgement takes them; tracks are numbered in their order.
#[must_use]
pub fn levels(tracks: &[ReferenceTrack]) -> Vec<ReferenceLevel> {
    let of = |(program, track): (u32, &ReferenceTrack)| -> Vec<ReferenceLevel> {
        let level = |point: &ReferencePoint| {
            Some(ReferenceLevel {
                program,
                run: u32::try_from(point.run).ok()?,
                ln: point.level.ln(),
                variance: point.error.powi(2),
            })
        };
        track.points.iter().filter_map(level).collect()
    };
    (0..).zip(tracks).flat_map(of).collect()
}

/// The share by which the programs took longer than usual in each run: the mean of all programs, of
/// the newest digest of each.
#[must_use]
pub fn slower(tracks: &[ReferenceTrack]) -> BTreeMap<i64, f64> {
    let newest = |track: &ReferenceTrack| track.points.last().map(|point| point.run);
    let last = tracks.iter().max_by_key(|track| newest(track)).map(|track| track.digest);
    let mut all: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for track in tracks.iter().filter(|track| Some(track.digest) == last) {
        let levels: Vec<f64> = track.points.iter().map(|point| point.level).collect();
        let Some(usual) = Summary::of(&levels).map(|summary| summary.median) else { continue };
        for point in &track.points {
            all.entry(point.run).or_default().push((point.level / usual).ln());
        }
    }
    let mean = |levels: &[f64]| (levels.iter().sum::<f64>() / levels.len() as f64).exp_m1();
    all.into_iter().map(|(run, levels)| (run, mean(&levels))).collect()
}

/// The fewest executions within a run of which the spread and the level are known.
const KNOWN: usize = 3;
/// The least assumed scatter of levels of runs (a logarithm).
const SCATTER: f64 = 0.03;
/// The most earlier runs that are looked at.
const EARLIER: usize = 20;
/// The fewest earlier runs that show by how much levels scatter.
const RUNS: usize = 4;
/// The standard errors from which on a program is clearly slower.
const CLEAR: f64 = 4.0;

/// The reference's summary of a run; `None` if no fixed program was executed.
pub fn summary(store: &mut Store, run: &Run) -> Result<Option<ReferenceSummary>, StoreError> {
    let own = store.reference(run.number)?;
    let Some(digest) = own.first().map(|sample| sample.digest) else { return Ok(None) };
    let spent: f64 = own.iter().map(|sample| sample.wall.as_secs_f64()).sum();
    let mut subject = 0.0;
    for (measurement, _) in store.cells(run.number)? {
        let walls = store.samples(measurement)?;
        subject += walls.iter().filter_map(|it| it.value("wall")).sum::<f64>() / 1e9;
    }
    let runs = with_earlier(store, run, digest, own.clone())?;
    let since = runs.keys().rev().nth(1).copied();
    let tracks = tracks_of(digest, runs);
    let (compared, moved) = moved(since, run.number, &tracks);
    let (executions, share) = (own.len(), spent / (spent + subject));
    Ok(Some(ReferenceSummary { executions, share, varies: varies(own), since, compared, moved }))
}

/// The executions of these programs in this run and in earlier ones of its host.
fn with_earlier(
    store: &mut Store,
    run: &Run,
    digest: Digest,
    own: Vec<ReferenceSample>,
) -> Result<BTreeMap<i64, Vec<ReferenceSample>>, StoreError> {
    let all = store.runs()?;
    let earlier = all.iter().filter(|it| it.host == run.host && it.number < run.number);
    let mut earlier: Vec<i64> = earlier.map(|it| it.number).collect();
    earlier.sort_unstable();
    let mut runs = BTreeMap::from([(run.number, own)]);
    while let Some(number) = earlier.pop().filter(|_| runs.len() <= EARLIER) {
        let mut samples = store.reference(number)?;
        samples.retain(|sample| sample.digest == digest);
        if !samples.is_empty() {
            runs.insert(number, samples);
        }
    }
    Ok(runs)
}

/// The tracks of these runs, one a program.
fn tracks_of(digest: Digest, runs: BTreeMap<i64, Vec<ReferenceSample>>) -> Vec<ReferenceTrack> {
    let mut all: BTreeMap<ReferenceProgram, BTreeMap<i64, Vec<ReferenceSample>>> = BTreeMap::new();
    for (number, samples) in runs {
        for (program, samples) in by_program(samples) {
            all.entry(program).or_default().insert(number, samples);
        }
    }
    all.iter().map(|(program, runs)| track(digest, *program, runs)).collect()
}

/// The samples of one program and run, by program.
fn by_program(samples: Vec<ReferenceSample>) -> BTreeMap<ReferenceProgram, Vec<ReferenceSample>> {
    let mut all: BTreeMap<ReferenceProgram, Vec<ReferenceSample>> = BTreeMap::new();
    for sample in samples {
        all.entry(sample.program).or_default().push(sample);
    }
    all
}

fn varies(samples: Vec<ReferenceSample>) -> Option<(ReferenceProgram, f64)> {
    let spread = |(program, samples): (ReferenceProgram, Vec<ReferenceSample>)| {
        let walls: Vec<f64> = samples.iter().map(|it| it.wall.as_nanos() as f64).collect();
        let summary = Summary::of(&walls).filter(|summary| summary.n >= KNOWN)?;
        Some((program, 1.4826 * summary.mad / summary.median))
    };
    let spreads = by_program(samples).into_iter().filter_map(spread);
    spreads.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// How many programs can be compared between two runs, and which of them are clearly slower or
/// faster in the second one, beyond what the runs before scattered by.
fn moved(
    since: Option<i64>,
    now: i64,
    tracks: &[ReferenceTrack],
) -> (usize, Vec<(ReferenceProgram, f64)>) {
    let known = |track: &ReferenceTrack, run: i64| {
        track.points.iter().position(|point| point.run == run && point.samples >= KNOWN)
    };
    let both = |track: &ReferenceTrack| Some((known(track, since?)?, known(track, now)?));
    let one = |track: &ReferenceTrack| {
        let (old, new) = both(track)?;
        let scatter = scatter(&track.points[..=old]).max(SCATTER);
        let [old, new] = [old, new].map(|at| &track.points[at]);
        let by = (new.level / old.level).ln();
        let error = (old.error.powi(2) + new.error.powi(2) + 2.0 * scatter.powi(2)).sqrt();
        (by.abs() >= CLEAR * error).then_some((track.program, by.exp_m1()))
    };
    let compared = tracks.iter().filter(|track| both(track).is_some()).count();
    (compared, tracks.iter().filter_map(one).collect())
}

/// By how much the levels of runs scatter, as a logarithm, from each to the next; 0 of few runs.
fn scatter(points: &[ReferencePoint]) -> f64 {
    let step = |pair: &[ReferencePoint]| (pair[1].level / pair[0].level).ln().abs();
    let steps: Vec<f64> = points.windows(2).map(step).collect();
    let known = Summary::of(&steps).filter(|steps| steps.n + 1 >= RUNS);
    known.map_or(0.0, |steps| 1.4826 * steps.median / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_moved_since_the_run_before_is_said_where_it_is_clear() {
        let of = |latency: u64, files: u64| {
            let all = [(ReferenceProgram::Latency, latency), (ReferenceProgram::Files, files)];
            let samples = all.into_iter().flat_map(|(program, wall)| {
                (0..6).map(move |round| ReferenceSample {
                    digest: Digest::of(""),
                    program,
                    round,
                    at: Timestamp::UNIX_EPOCH,
                    wall: Duration::from_micros(wall + u64::from(round) * 100),
                    cpu: Duration::ZERO,
                })
            });
            samples.collect::<Vec<_>>()
        };
        let tracks = |runs: &[Vec<ReferenceSample>]| {
            tracks_of(Digest::of(""), (0..).zip(runs.iter().cloned()).collect())
        };
        let two = tracks(&[of(50_000, 50_000), of(60_000, 51_000)]);
        let (compared, moved) = super::moved(Some(0), 1, &two);
        let [(program, share)] = moved[..] else { panic!("{moved:?}") };
        assert_eq!(compared, 2);
        // Runs that scatter by as much say nothing, and neither do single executions.
        let levels = [50_000, 61_000, 49_000, 60_000, 50_000, 60_000];
        let many = tracks(&levels.map(|level| of(level, 50_000)));
        assert_eq!(super::moved(Some(4), 5, &many), (2, vec![]));
        let few = tracks(&[of(50_000, 50_000), of(90_000, 90_000)[..2].to_vec()]);
        assert_eq!(super::moved(Some(0), 1, &few), (0, vec![]));
        assert_eq!(program, ReferenceProgram::Latency);
        assert!((share - 0.2).abs() < 0.01, "{share}");
        let (program, spread) = varies(of(50_000, 100_000)).unwrap();
        assert_eq!(program, ReferenceProgram::Latency);
        assert!((0.002..0.01).contains(&spread), "{spread}");
    }

    #[test]
    fn a_run_has_the_median_and_an_error_that_falls_with_the_number() {
        let sample = |wall: u64| ReferenceSample {
            digest: Digest::of(""),
            program: ReferenceProgram::Latency,
            round: 1,
            at: Timestamp::UNIX_EPOCH,
            wall: Duration::from_millis(wall),
            cpu: Duration::ZERO,
        };
        let of = |walls: &[u64]| walls.iter().map(|wall| sample(*wall)).collect::<Vec<_>>();
        let runs = BTreeMap::from([(3, of(&[50, 49, 51, 52, 48])), (7, of(&[60]))]);
        let track = track(Digest::of(""), ReferenceProgram::Latency, &runs);
        let [many, one] = &track.points[..] else { panic!("{track:?}") };
        assert_eq!((many.run, many.level, many.samples), (3, 50e6, 5));
        assert_eq!((one.run, one.level, one.samples), (7, 60e6, 1));
        assert!((one.error / many.error - 5.0_f64.sqrt()).abs() < 1e-9);
        assert!((0.01..0.06).contains(&one.error), "{one:?}");
        let levels = levels(&[track]);
        assert_eq!((levels[1].run, levels[1].ln), (7, 60e6_f64.ln()));
    }
}
