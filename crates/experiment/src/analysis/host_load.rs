//! How busy the host was with other things, from all samples together. The rule is in
//! docs/src/method.

use tacho_record::Sample;
use tacho_report::host::HostLoad;
use tacho_stats::summary::median;

/// From this number of CPUs used by others on, over all executions, the load is reported.
pub const LOADED: f64 = 0.25;
/// From this share of the time on, kept from the host by a hypervisor, the loss is reported.
pub const STOLEN: f64 = 0.01;

/// From this share of their time on, that commands waited for a CPU is reported.
const WAITED: f64 = 0.3;
/// A program of one thread computes or waits for at most its wall time; clocks differ a little.
const ALONE: f64 = 1.05;

/// Shorter executions have no readings of their own, in nanoseconds: ticks are as long.
const SHORT: f64 = 20e6;
/// In less time the host is judged only where others used a whole CPU and more than a few ticks, in
/// nanoseconds.
const LEAST: f64 = 200e6;
/// Less time has too few ticks, in nanoseconds.
const TICKS: f64 = 50e6;
/// Longer nothing was executed, in nanoseconds: no reading is of that.
const PAUSE: f64 = 60e9;

/// The use of the host by others while all these samples were taken; each element has the samples
/// of one program.
#[must_use]
pub fn host_load(programs: &[&[Sample]]) -> HostLoad {
    let mut all: Vec<&Sample> = programs.iter().copied().flatten().collect();
    all.sort_by_key(|sample| sample.at);
    let time = seen(programs, &all);
    let sum = |metric: &str| all.iter().filter_map(|sample| sample.value(metric)).sum::<f64>();
    let share = |metric: &str| sum(metric) / time;
    if time < LEAST {
        let others = Some(share("host-other-cpu")).filter(|cpus| *cpus >= 1.0);
        let others = others.filter(|_| sum("host-other-cpu") >= TICKS);
        return HostLoad { waited: waited(&all), others, ..HostLoad::default() };
    }
    HostLoad {
        others: Some(share("host-other-cpu")).filter(|cpus| *cpus >= LOADED),
        stolen: Some(share("host-steal")).filter(|share| *share >= STOLEN),
        waited: None,
    }
}

/// The share of their time that these samples waited for a CPU, if it is large. Several threads may
/// wait for one another.
fn waited(all: &[&Sample]) -> Option<f64> {
    let sum = |metric: &str| all.iter().filter_map(|sample| sample.value(metric)).sum::<f64>();
    let (waited, cpu, wall) = (sum("cpu-wait"), sum("cpu"), sum("wall"));
    let is_alone = waited + cpu <= ALONE * wall;
    Some(waited / wall).filter(|share| is_alone && *share >= WAITED)
}

/// The time covered by readings of the host, in nanoseconds. Readings cover executions. If an
/// execution is too short for readings of its own, they also cover the time between two executions,
/// and so they do after one that reached a limit, whose end takes a while.
fn seen(programs: &[&[Sample]], in_order: &[&Sample]) -> f64 {
    let wall = |sample: &Sample| sample.value("wall");
    let executed: f64 = in_order.iter().filter_map(|sample| wall(sample)).sum();
    let is_short = |own: &&[Sample]| {
        median(&own.iter().filter_map(wall).collect::<Vec<_>>()).is_some_and(|it| it < SHORT)
    };
    let is_any_short = programs.iter().any(is_short);
    let between = |pair: &[&Sample]| {
        let apart = pair[1].at.duration_since(pair[0].at).as_secs_f64() * 1e9;
        (apart - wall(pair[0]).unwrap_or_default()).max(0.0)
    };
    let looked_at = in_order.windows(2).filter(|pair| is_any_short || pair[0].is_limited());
    executed + looked_at.map(between).filter(|between| *between < PAUSE).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use tacho_record::{Limit, Outcome, Place, ReachedLimit};

    use super::*;

    /// Executions of 10 ms, one every 20 ms, during each of which and up to the next others used 10
    /// ms.
    fn short(begin: SignedDuration, count: u32) -> Vec<Sample> {
        let sample = |round: u32| {
            let at =
                Timestamp::UNIX_EPOCH + begin + SignedDuration::from_millis(20 * i64::from(round));
            let mut sample = Sample {
                place: Place { round, position: 0 },
                at,
                outcome: Outcome::Valid,
                values: Vec::new(),
            };
            sample.add("wall", 10e6);
            sample.add("host-other-cpu", 10e6);
            sample
        };
        (1..=count).map(sample).collect()
    }

    fn others(programs: &[&[Sample]]) -> Option<f64> {
        host_load(programs).others.map(|cpus| (cpus * 100.0).round() / 100.0)
    }

    #[test]
    fn others_that_take_a_whole_cpu_are_seen_at_once() {
        let busy = |cpus: f64, count: u32| {
            let mut samples = short(SignedDuration::ZERO, count);
            for sample in &mut samples {
                sample.values.retain(|it| it.0 != "host-other-cpu");
                sample.add("host-other-cpu", cpus * 20e6);
            }
            others(&[&samples])
        };
        assert_eq!((busy(0.8, 5), busy(2.0, 1)), (None, None), "too little, and too few ticks");
        assert!(busy(2.0, 5).is_some_and(|cpus| cpus > 1.8));
    }

    #[test]
    fn a_few_short_commands_show_that_they_waited() {
        let waiting = |share: f64| -> Vec<Sample> {
            let mut samples = short(SignedDuration::ZERO, 5);
            for sample in &mut samples {
                sample.add("cpu-wait", share * 10e6);
                sample.add("cpu", (1.0 - share) * 10e6);
            }
            samples
        };
        let found = |share: f64| host_load(&[&waiting(share)]).waited;
        assert_eq!((found(0.1), found(0.84)), (None, Some(0.84)));
        let mut threads = waiting(0.5);
        for sample in &mut threads {
            sample.add("cpu", 10e6);
        }
        assert_eq!(host_load(&[&threads]).waited, None, "threads may wait for one another");
        let long: Vec<Sample> = short(SignedDuration::ZERO, 100);
        assert_eq!(host_load(&[&long]).waited, None, "the host's readings say more");
    }

    #[test]
    fn short_executions_share_readings_of_the_time_between() {
        assert_eq!(others(&[&short(SignedDuration::ZERO, 100)]), Some(0.5));
        assert_eq!(others(&[&short(SignedDuration::ZERO, 5)]), None, "too little to tell");
        assert_eq!(others(&[]), None);
    }

    #[test]
    fn what_reached_a_limit_is_looked_at_until_it_is_ended() {
        let limited = |mut sample: Sample| {
            let reached = ReachedLimit { limit: Limit::CpuTime, at: 30_000_000, how: None };
            sample.outcome = Outcome::LimitReached { reached, output: String::new() };
            sample.values.clear();
            sample.add("wall", 40e6);
            sample.add("host-other-cpu", 60e6);
            sample
        };
        let mut samples: Vec<Sample> =
            short(SignedDuration::ZERO, 100).into_iter().map(limited).collect();
        for sample in &mut samples {
            sample.at = Timestamp::UNIX_EPOCH
                + SignedDuration::from_millis(80 * i64::from(sample.place.round));
        }
        assert_eq!(others(&[&samples]), Some(0.75), "of 80 ms, not of 40");
    }

    #[test]
    fn a_pause_is_no_time_in_which_the_host_was_idle() {
        let [one, two] = [0, 24].map(|hours| short(SignedDuration::from_hours(hours), 100));
        assert_eq!(others(&[&[one, two].concat()]), Some(0.5));
    }
}
