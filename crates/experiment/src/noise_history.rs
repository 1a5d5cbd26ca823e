//! The history of a host's noise, kept as lines of a file. It can be drawn over time, shows good
//! and bad hours, and forecasts are checked against later measurements.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tacho_record::{KeptNoise, KeptProgramNoise};

use crate::self_comparison::NoiseOfLength;

/// The load average of the last minute, if the system has one.
#[must_use]
pub fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// The kept form of a new finding, with the duration of its measurement in seconds and the load
/// average right before.
#[must_use]
pub fn kept(
    at: Timestamp,
    host: String,
    (seconds, load): (f64, Option<f64>),
    found: &[NoiseOfLength],
) -> KeptNoise {
    let program = |found: &NoiseOfLength| KeptProgramNoise {
        program: found.program.clone(),
        round: found.round,
        of_one_round: found.forecast.map(|forecast| forecast.of_one_round),
        in_ten_minutes: found.detectable(10),
        uneven: found.uneven,
        additions: found.additions,
    };
    KeptNoise { at, host, seconds, load, programs: found.iter().map(program).collect() }
}

/// Adds a line to the file, which is made with its folder if need be.
pub fn keep(path: &Path, noise: &KeptNoise) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(format!("{}\n", serde_json::to_string(noise)?).as_bytes())
}

/// The kept noise of a host, oldest first. Lines that cannot be read are left out, such as one that
/// was cut by a full disk.
pub fn read(path: &Path, host: &str) -> io::Result<Vec<KeptNoise>> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let lines = text.lines().filter_map(|line| serde_json::from_str::<KeptNoise>(line).ok());
    let mut all: Vec<KeptNoise> = lines.filter(|noise| noise.host == host).collect();
    all.sort_by_key(|noise| noise.at);
    Ok(all)
}

/// The smallest change that ten minutes find, by the hour of the day in which it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct HourNoise {
    /// The hour, from 0 to 23.
    pub hour: i8,
    /// How often it was measured then.
    pub measured: usize,
    /// The median of what ten minutes find, as a share.
    pub detectable: f64,
}

/// An hour is known from this many measurements on.
const MEASURED: usize = 3;

/// The noise of a program, by hours in a time zone, the quietest first. Only measurements of the
/// same work at about the same load as the newest one count; hours with fewer than three are left
/// out.
#[must_use]
pub fn hours(all: &[KeptNoise], program: &str, zone: &TimeZone) -> Vec<HourNoise> {
    let Some(newest) = all.iter().rev().find_map(|noise| known(noise, program)) else {
        return Vec::new();
    };
    let mut hours: BTreeMap<i8, Vec<f64>> = BTreeMap::new();
    let is_like = |noise: &&KeptNoise| known(noise, program).is_some_and(|it| it.is_like(&newest));
    for noise in all.iter().filter(is_like) {
        let found = noise.of_program(program).and_then(|program| program.in_ten_minutes);
        let hour = noise.at.to_zoned(zone.clone()).hour();
        hours.entry(hour).or_default().extend(found);
    }
    let known = hours.into_iter().filter(|(_, found)| found.len() >= MEASURED);
    let known = known.filter_map(|(hour, found)| {
        let detectable = tacho_stats::summary::median(&found)?;
        Some(HourNoise { hour, measured: found.len(), detectable })
    });
    let mut known: Vec<HourNoise> = known.collect();
    known.sort_by(|a, b| a.detectable.total_cmp(&b.detectable));
    known
}

/// When ten minutes with a program found what, over time. Measurements that were too short for a
/// forecast are left out.
#[must_use]
pub fn over_time(all: &[KeptNoise], program: &str) -> Vec<(Timestamp, f64)> {
    let found = |noise: &KeptNoise| Some((noise.at, noise.of_program(program)?.in_ten_minutes?));
    all.iter().filter_map(found).collect()
}

/// A measurement beside other work forecasts nothing for a quiet host: loads that differ by more
/// are not compared.
const LOAD: f64 = 0.5;
/// A forecast comes from at most this many measurements: an older one may be of another kernel.
const POOLED: usize = 20;

/// The forecast that the newest of these measurements gives for a program, together with the
/// earlier ones of the same work at about the same load. A host is noisier in one minute than in
/// the next, so that one minute says little of the next: the forecast is the middle of all, each
/// counted by how long it took. Answers with the standard error of a comparison of one round, of
/// the logarithm of the ratio, and from how many measurements it is; `None` where the newest had
/// too few rounds.
fn forecast(all: &[KeptNoise], program: &str) -> Option<(f64, usize)> {
    let newest = known(all.last()?, program)?;
    let known = all.iter().rev().filter_map(|noise| known(noise, program));
    let like = known.filter(|noise| noise.is_like(&newest)).take(POOLED);
    let (mut sum, mut weight, mut measurements) = (0.0, 0.0, 0);
    for noise in like {
        sum += noise.seconds * noise.error.ln();
        weight += noise.seconds;
        measurements += 1;
    }
    Some(((sum / weight).exp(), measurements))
}

/// The new finding for a program, with earlier measurements added to its forecast. `all` ends with
/// the new one.
#[must_use]
pub fn pooled(mut found: NoiseOfLength, all: &[KeptNoise]) -> NoiseOfLength {
    let pooled = forecast(all, &found.program);
    if let (Some(of_now), Some((of_one_round, measurements))) = (&mut found.forecast, pooled) {
        of_now.of_one_round = of_one_round;
        found.measurements = measurements;
    }
    found
}

/// The noise of a program from one measurement.
struct KnownNoise {
    error: f64,
    additions: Option<f64>,
    load: f64,
    seconds: f64,
}

/// `None` where it had too few rounds.
fn known(noise: &KeptNoise, program: &str) -> Option<KnownNoise> {
    let found = noise.of_program(program)?;
    Some(KnownNoise {
        error: found.of_one_round.filter(|error| *error > 0.0)?,
        additions: found.additions,
        load: noise.load.unwrap_or(0.0),
        seconds: noise.seconds.max(f64::MIN_POSITIVE),
    })
}

impl KnownNoise {
    /// Whether both are of the same work at about the same load.
    fn is_like(&self, other: &Self) -> bool {
        self.additions == other.additions && (self.load - other.load).abs() <= LOAD
    }
}

/// By how much more comparisons scattered than was forecast before, as a share: one for each
/// measurement that a like one precedes. Negative: less.
#[must_use]
pub fn missed(all: &[KeptNoise], program: &str) -> Vec<f64> {
    let missed = |at: usize| {
        let (before, now) = (known(&all[at - 1], program)?, known(&all[at], program)?);
        let (forecast, _) = forecast(&all[..at], program).filter(|_| now.is_like(&before))?;
        Some(now.error / forecast - 1.0)
    };
    (1..all.len()).filter_map(missed).collect()
}

/// The number of additions a millisecond for which the newest measurement made its loops; `None` if
/// unknown.
#[must_use]
pub fn additions_a_millisecond(all: &[KeptNoise]) -> Option<f64> {
    let found = all.iter().rev().find_map(|noise| noise.of_program(LOOP)?.additions)?;
    Some(found / LOOP_MILLISECONDS)
}

/// The loop whose past is known, and for how long it was made.
pub const LOOP: &str = "20 ms of work";
const LOOP_MILLISECONDS: f64 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(at: &str, host: &str, error: f64) -> KeptNoise {
        let program = KeptProgramNoise {
            program: "20 ms of work".into(),
            round: 0.05,
            of_one_round: Some(error),
            in_ten_minutes: Some(error / 10.0),
            uneven: 0.0,
            additions: Some(14_000.0),
        };
        KeptNoise {
            at: at.parse().unwrap(),
            host: host.into(),
            seconds: 60.0,
            load: Some(0.1),
            programs: vec![program],
        }
    }

    #[test]
    fn what_is_kept_is_read_back_for_the_host_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/noise.jsonl");
        assert_eq!(read(&path, "kiln").unwrap(), []);
        let all = [
            noise("2026-03-02T12:00:00Z", "kiln", 0.04),
            noise("2026-03-01T03:00:00Z", "kiln", 0.02),
            noise("2026-03-01T03:00:00Z", "anvil", 0.9),
        ];
        for noise in &all {
            keep(&path, noise).unwrap();
        }
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(b"{\"at\":\"2026")
            .unwrap();
        assert_eq!(read(&path, "kiln").unwrap(), [all[1].clone(), all[0].clone()]);
    }

    #[test]
    fn a_forecast_is_the_middle_of_like_measurements() {
        let mut all = vec![
            noise("2026-03-01T03:10:00Z", "kiln", 0.02),
            noise("2026-03-01T12:00:00Z", "kiln", 0.08),
        ];
        let of = |all: &[KeptNoise]| forecast(all, "20 ms of work");
        let near = |found: Option<(f64, usize)>, error: f64, measurements| {
            let (of_one_round, of) = found.unwrap();
            assert!((of_one_round - error).abs() < 1e-12 && of == measurements, "{found:?}");
        };
        near(of(&all[..1]), 0.02, 1);
        near(of(&all), 0.04, 2);
        // Three minutes count for three.
        all[1].seconds = 180.0;
        near(of(&all), 0.02_f64.powf(0.25) * 0.08_f64.powf(0.75), 2);
        // Beside other work, or of other work, nothing before is like it.
        all[1].load = Some(3.0);
        near(of(&all), 0.08, 1);
        all[1].load = Some(0.1);
        all[1].programs[0].additions = Some(6_000.0);
        near(of(&all), 0.08, 1);
        all[1].programs[0].of_one_round = None;
        assert_eq!((of(&all), of(&[])), (None, None));
    }

    #[test]
    fn good_hours_come_first_and_forecasts_are_checked() {
        let all = [
            noise("2026-03-01T03:10:00Z", "kiln", 0.02),
            noise("2026-03-01T12:00:00Z", "kiln", 0.05),
            noise("2026-03-02T03:50:00Z", "kiln", 0.03),
        ];
        let day = |day: u32, hour: u32, error: f64| {
            noise(&format!("2026-03-{day:02}T{hour:02}:10:00Z"), "kiln", error)
        };
        let mut often: Vec<KeptNoise> = (1..=4).map(|at| day(at, 3, 0.02)).collect();
        often.extend((1..=3).map(|at| day(at, 12, 0.05)));
        often.extend((1..=2).map(|at| day(at, 17, 0.01)));
        let hours = hours(&often, "20 ms of work", &TimeZone::UTC);
        let found: Vec<(i8, usize)> = hours.iter().map(|it| (it.hour, it.measured)).collect();
        assert_eq!(found, [(3, 4), (12, 3)]);
        assert!((hours[0].detectable - 0.002).abs() < 1e-12);
        // Another load is another host.
        often[0].load = Some(4.0);
        often[1].load = Some(4.0);
        assert_eq!(super::hours(&often, "20 ms of work", &TimeZone::UTC).len(), 1);
        // 0.05 where 0.02 was forecast, then 0.03 where the middle of both was.
        let missed = missed(&all, "20 ms of work");
        let second = 0.03 / 0.001_f64.sqrt() - 1.0;
        assert!((missed[0] - 1.5).abs() < 1e-12 && (missed[1] - second).abs() < 1e-12);
        let mut busy = noise("2026-03-02T04:00:00Z", "kiln", 0.9);
        busy.load = Some(4.0);
        let mut longer = noise("2026-03-02T04:10:00Z", "kiln", 0.9);
        longer.programs[0].additions = Some(20_000.0);
        let unlike = [all[2].clone(), busy, all[0].clone(), longer.clone()];
        assert_eq!(super::missed(&unlike, "20 ms of work"), [0.0; 0]);
        assert_eq!(additions_a_millisecond(&[all[0].clone(), longer]), Some(1000.0));
        assert_eq!(over_time(&all, "`true`"), []);
        let mut short = all.clone();
        short[0].programs[0].in_ten_minutes = None;
        let known: Vec<Timestamp> =
            over_time(&short, "20 ms of work").into_iter().map(|it| it.0).collect();
        assert_eq!(known, [all[1].at, all[2].at]);
        assert!(super::hours(&all, "`true`", &TimeZone::UTC).is_empty());
    }
}
