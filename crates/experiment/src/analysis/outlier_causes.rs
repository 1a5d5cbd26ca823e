//! The causes of outliers: differences of their readings from those of the cell's other samples.
//!
//! A pure function of samples. The function names causes that were *read*: a neighbour that no
//! reading shows leaves no cause. The rule is in docs/src/method.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use tacho_record::{Direction, Metric, Place, Sample, Unit};
use tacho_stats::outlier::{self, Outlier};
use tacho_stats::summary::SortedSamples;

use crate::run::quiet_limits::{cpus, throttled};

/// A cause must explain at least this share of the deviation.
pub const LEAST_SHARE: f64 = 0.2;
/// Others used this many CPUs more (or less) than usual: that is seen as a cause.
pub const OTHER_CPUS: f64 = 0.25;

/// An outlier with its causes.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlierExplanation {
    /// The place in its run's schedule.
    pub place: Place,
    /// Its modified z-score.
    pub score: f64,
    /// Its value by the median of the cell's.
    pub ratio: f64,
    /// The possible causes, the likeliest first; empty if no reading explains the outlier.
    pub causes: Vec<OutlierCause>,
}

/// A possible cause of an outlier, compared with the cell's other samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutlierCause {
    /// The execution waited this many nanoseconds longer for a CPU that others used; shorter if
    /// negative.
    CpuWait(f64),
    /// The execution was blocked this many nanoseconds longer while devices were waited for;
    /// shorter if negative.
    Device(f64),
    /// Its CPU was at this frequency instead of that, in Hz.
    Frequency(f64, f64),
    /// Tasks of the host waited this many nanoseconds more for memory.
    Memory(f64),
    /// The execution ended on the first node of memory, the others on the second.
    Node(f64, f64),
    /// Other processes used this many CPUs more; less, where that is below 0.
    OtherCpu(f64),
    /// The execution ended on the first socket, the others on the second.
    Socket(f64, f64),
    /// A hypervisor kept this many nanoseconds more from the host.
    Steal(f64),
    /// This much more memory was swapped out meanwhile, in bytes.
    Swapped(f64),
    /// Processors slowed down this many times for being too warm.
    Throttled(f64),
}

impl OutlierCause {
    /// The kind of cause, without its size: `while waiting for a CPU`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match *self {
            Self::CpuWait(more) if more < 0.0 => "faster than the others: less waiting for a CPU",
            Self::CpuWait(_) => "while waiting for a CPU",
            Self::Device(more) if more < 0.0 => "faster than the others: less waiting for a device",
            Self::Device(_) => "while waiting for a device",
            Self::Frequency(..) => "at another frequency",
            Self::Memory(_) => "while memory was short",
            Self::Node(..) => "on another memory node",
            Self::OtherCpu(more) if more < 0.0 => {
                "faster than the others: fewer other active processes"
            }
            Self::OtherCpu(_) => "beside other active processes",
            Self::Socket(..) => "on another socket",
            Self::Steal(more) if more < 0.0 => "faster than the others: less steal",
            Self::Steal(_) => "while a hypervisor kept the CPU",
            Self::Swapped(_) => "while memory was swapped out",
            Self::Throttled(_) => "while the processor was too warm",
        }
    }
}

impl fmt::Display for OutlierCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |nanoseconds: f64| short(&Unit::Nanoseconds, nanoseconds.abs());
        let less = |value: f64| if value < 0.0 { " less" } else { "" };
        match *self {
            Self::CpuWait(more) => write!(f, "waited {}{} for a CPU", time(more), less(more)),
            Self::Device(more) => write!(f, "waited {}{} for a device", time(more), less(more)),
            Self::Frequency(was, usual) => {
                write!(f, "frequency {:.1} instead of {:.1} GHz", was / 1e9, usual / 1e9)
            }
            Self::Memory(more) => write!(f, "memory was short: waited {} for it", time(more)),
            Self::Node(was, usual) => write!(f, "moved to node {was} of memory, from {usual}"),
            Self::OtherCpu(more) => {
                write!(f, "other processes used {:.1} CPU{}", more.abs(), less(more))
            }
            Self::Socket(was, usual) => write!(f, "moved to socket {was}, from {usual}"),
            Self::Steal(more) => write!(f, "{} of steal{}", time(more), less(more)),
            Self::Swapped(bytes) => write!(f, "{} were swapped out", short(&Unit::Bytes, bytes)),
            Self::Throttled(times) => f.write_str(&throttled(times)),
        }
    }
}

/// The causes in one line; `no cause seen in the readings` if there are none.
#[must_use]
pub fn line(causes: &[OutlierCause]) -> String {
    if causes.is_empty() {
        return "no cause seen in the readings".to_owned();
    }
    causes.iter().map(OutlierCause::to_string).collect::<Vec<_>>().join(", ")
}

/// Two significant digits: more would pretend to know.
fn short(unit: &Unit, value: f64) -> String {
    let (scaled, symbol) = unit.scale(value);
    let decimals = usize::from(scaled < 9.95);
    format!("{scaled:.decimals$} {symbol}")
}

/// The outliers of that metric among the samples of one measurement that count, in their order,
/// with their causes.
///
/// A metric that is no time or rate (memory, counts) has outliers without causes: no reading bears
/// on it.
#[must_use]
pub fn explain<'a>(
    samples: impl IntoIterator<Item = &'a Sample>,
    metric: &Metric,
) -> Vec<OutlierExplanation> {
    let counted = samples.into_iter().filter(|sample| sample.counts());
    let read: Vec<(&Sample, f64)> =
        counted.filter_map(|sample| Some((sample, sample.value(&metric.name)?))).collect();
    let values: Vec<f64> = read.iter().map(|(_, value)| *value).collect();
    let cell = OutlierCell {
        samples: read.iter().map(|(sample, _)| *sample).collect(),
        ordered: RefCell::default(),
    };
    let explained = |Outlier { index, score, ratio }: Outlier| {
        let slower = if metric.better == Direction::Lower { ratio } else { 1.0 / ratio };
        let causes = if metric.unit.is_of_time() {
            causes(read[index].0, &cell, slower)
        } else {
            Vec::new()
        };
        OutlierExplanation { place: read[index].0.place, score, ratio, causes }
    };
    outlier::outliers(&values).into_iter().map(explained).collect()
}

/// The possible causes why this sample took `slower` times as long as the others.
fn causes(sample: &Sample, cell: &OutlierCell, slower: f64) -> Vec<OutlierCause> {
    let compared = CauseComparison { sample, cell };
    let Some(wall) = compared.usual("wall").filter(|wall| *wall > 0.0) else { return Vec::new() };
    // The deviation to explain, in nanoseconds; negative if the sample was faster.
    let deviation = wall * (slower - 1.0);
    let share = |part: f64| part / deviation;
    let mut measured: Vec<(f64, OutlierCause)> =
        compared.measured().into_iter().map(|(part, cause)| (share(part), cause)).collect();
    measured.retain(|(share, _)| *share >= LEAST_SHARE);
    measured.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut causes: Vec<OutlierCause> = measured.into_iter().map(|(_, cause)| cause).collect();
    causes.extend(compared.circumstances(deviation));
    causes.truncate(2);
    causes
}

/// How a reading of a sample is taken.
type CauseReading = fn(&Sample, &str) -> Option<f64>;

/// The samples of a cell. Each of many outliers is compared with all others, which are sorted once.
struct OutlierCell<'a> {
    samples: Vec<&'a Sample>,
    ordered: RefCell<BTreeMap<&'static str, SortedSamples>>,
}

impl OutlierCell<'_> {
    /// The median of a reading of all samples but one, which has this one; each name has one
    /// reading.
    fn median_without(
        &self,
        own: Option<f64>,
        metric: &'static str,
        reading: CauseReading,
    ) -> Option<f64> {
        let mut ordered = self.ordered.borrow_mut();
        let read = || {
            self.samples.iter().filter_map(|sample| reading(sample, metric)).collect::<Vec<f64>>()
        };
        ordered.entry(metric).or_insert_with(|| SortedSamples::of(&read())).median_without(own)
    }
}

/// A sample beside the others of its cell.
struct CauseComparison<'a> {
    sample: &'a Sample,
    cell: &'a OutlierCell<'a>,
}

impl CauseComparison<'_> {
    /// The usual value of the other samples.
    fn usual(&self, metric: &'static str) -> Option<f64> {
        self.cell.median_without(self.sample.value(metric), metric, Sample::value)
    }

    /// How much more it has than the others, and what they have; 0 where either is not known.
    fn more(&self, metric: &'static str) -> f64 {
        self.both(metric).map_or(0.0, |(own, usual)| own - usual)
    }

    fn both(&self, metric: &'static str) -> Option<(f64, f64)> {
        Some((self.sample.value(metric)?, self.usual(metric)?))
    }

    /// Causes that are times: each with the nanoseconds that it took.
    fn measured(&self) -> Vec<(f64, OutlierCause)> {
        let [waited, steal, memory] =
            ["cpu-wait", "host-steal", "host-pressure-memory"].map(|it| self.more(it));
        let mut found =
            vec![(waited, OutlierCause::CpuWait(waited)), (steal, OutlierCause::Steal(steal))];
        if memory > 0.0 {
            found.push((memory, OutlierCause::Memory(memory)));
        }
        let device = self.waited_for_devices();
        if device != 0.0 {
            found.push((device, OutlierCause::Device(device)));
        }
        if let (Some((was, usual)), Some(cpu)) = (self.both("host-frequency"), self.usual("cpu"))
            && was > 0.0
        {
            found.push((cpu * (usual / was - 1.0), OutlierCause::Frequency(was, usual)));
        }
        found
    }

    /// The largest additional time that devices blocked the execution. A program may be blocked for
    /// any reason, but not longer by devices than some task of the host waited for one. If the host
    /// does not report that time, more data read is the evidence for devices.
    fn waited_for_devices(&self) -> f64 {
        let blocked = self.more("blocked");
        let reads = self.more("block-input") + self.more("major-faults");
        let device = match self.both("host-pressure-io") {
            Some((own, usual)) => own - usual,
            None if blocked * reads > 0.0 => blocked,
            None => 0.0,
        };
        if blocked * device > 0.0 { blocked.abs().min(device.abs()).copysign(blocked) } else { 0.0 }
    }

    /// Causes whose effect is unknown: they were present, and might explain such a deviation.
    fn circumstances(&self, deviation: f64) -> Vec<OutlierCause> {
        let mut found = Vec::new();
        let throttled = self.more("host-throttled");
        if throttled > 0.0 && deviation > 0.0 {
            found.push(OutlierCause::Throttled(throttled));
        }
        for (metric, cause) in [
            ("host-socket", OutlierCause::Socket as fn(f64, f64) -> OutlierCause),
            ("host-node", OutlierCause::Node),
        ] {
            found.extend(
                self.both(metric)
                    .filter(|(was, usual)| was != usual)
                    .map(|(was, usual)| cause(was, usual)),
            );
        }
        let cpus = self.more_other_cpus();
        if cpus.abs() >= OTHER_CPUS && cpus * deviation > 0.0 {
            found.push(OutlierCause::OtherCpu(cpus));
        }
        let swapped = self.more("host-swapped");
        if swapped > 0.0 && deviation > 0.0 {
            found.push(OutlierCause::Swapped(swapped));
        }
        found
    }

    /// How many CPUs more other processes used during it than during the others.
    fn more_other_cpus(&self) -> f64 {
        let own = cpus(self.sample, "host-other-cpu");
        let usual = self.cell.median_without(own, "host-other-cpu", cpus);
        own.zip(usual).map_or(0.0, |(own, usual)| own - usual)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use proptest::prelude::*;
    use tacho_record::{MetricName, Outcome, derived};

    use super::*;

    /// A sample of 100 ms on a quiet machine, with other values in their place.
    fn sample(round: u32, other: &[(&str, f64)]) -> Sample {
        let usual = [
            ("cpu-wait", 1e5),
            ("host-frequency", 2.8e9),
            ("host-node", 0.0),
            ("host-other-cpu", 0.0),
            ("host-pressure-io", 0.0),
            ("host-pressure-memory", 0.0),
            ("host-socket", 0.0),
            ("host-steal", 0.0),
            ("host-swapped", 0.0),
            ("host-throttled", 0.0),
            ("on-cpu", 95e6),
            ("sys", 5e6),
            ("user", 90e6),
            ("wall", 100e6 + f64::from(round) * 1e5),
        ];
        let value = |name: &str, usual: f64| {
            other.iter().find(|(it, _)| *it == name).map_or(usual, |(_, value)| *value)
        };
        let mut values: Vec<(MetricName, f64)> =
            usual.into_iter().map(|(name, usual)| (name.into(), value(name, usual))).collect();
        derived::complete(&mut values);
        Sample {
            place: Place { round, position: 0 },
            at: Timestamp::UNIX_EPOCH,
            outcome: Outcome::Valid,
            values,
        }
    }

    /// What is said of a sample with these values among nine usual ones.
    fn said(other: &[(&str, f64)]) -> String {
        let mut samples: Vec<Sample> = (1..10).map(|round| sample(round, &[])).collect();
        samples.push(sample(10, other));
        let found = explain(&samples, &Metric::built_in("wall").unwrap());
        let [one] = found.as_slice() else { return format!("{} outliers", found.len()) };
        assert_eq!(one.place.round, 10);
        line(&one.causes)
    }

    #[test]
    fn each_cause_is_named() {
        let slow = |more: &[(&str, f64)]| said(&[&[("wall", 400e6)], more].concat());
        assert_eq!(slow(&[("cpu-wait", 300.1e6)]), "waited 300 ms for a CPU");
        assert_eq!(
            slow(&[("cpu-wait", 300.1e6), ("host-other-cpu", 380e6)]),
            "waited 300 ms for a CPU, other processes used 0.9 CPU"
        );
        assert_eq!(
            slow(&[("host-other-cpu", 380e6), ("on-cpu", 395e6)]),
            "other processes used 0.9 CPU"
        );
        assert_eq!(slow(&[("host-steal", 280e6), ("on-cpu", 395e6)]), "280 ms of steal");
        assert_eq!(
            slow(&[("host-frequency", 1.2e9), ("on-cpu", 395e6)]),
            "frequency 1.2 instead of 2.8 GHz"
        );
        assert_eq!(slow(&[("host-pressure-io", 250e6)]), "waited 250 ms for a device");
        assert_eq!(
            slow(&[("host-pressure-memory", 90e6), ("on-cpu", 395e6)]),
            "memory was short: waited 90 ms for it"
        );
        assert_eq!(
            slow(&[("host-throttled", 3.0), ("on-cpu", 395e6)]),
            "throttled 3 times for being too warm"
        );
        assert_eq!(
            slow(&[("host-socket", 1.0), ("host-node", 1.0)]),
            "moved to socket 1, from 0, moved to node 1 of memory, from 0"
        );
        assert_eq!(slow(&[("host-swapped", 104_857_600.0)]), "100 MiB were swapped out");
        assert_eq!(slow(&[]), "no cause seen in the readings");
    }

    #[test]
    fn devices_are_to_blame_for_no_longer_than_anybody_waited_for_one() {
        // It slept, and somebody else read a little.
        assert_eq!(
            said(&[("wall", 617e6), ("host-pressure-io", 28e6)]),
            "no cause seen in the readings"
        );
        assert_eq!(
            said(&[("wall", 400e6), ("host-pressure-io", 900e6)]),
            "waited 300 ms for a device"
        );
        // A kernel that keeps no account of that.
        let mut samples: Vec<Sample> = (1..10).map(|round| sample(round, &[])).collect();
        samples.push(sample(10, &[("wall", 400e6)]));
        let cause = |samples: &[Sample]| {
            line(&explain(samples, &Metric::built_in("wall").unwrap())[0].causes)
        };
        for sample in &mut samples {
            sample.values.retain(|(name, _)| name != "host-pressure-io");
        }
        assert_eq!(cause(&samples), "no cause seen in the readings");
        for (round, sample) in (1..).zip(&mut samples) {
            sample.add("block-input", if round == 10 { 8e6 } else { 0.0 });
        }
        assert_eq!(cause(&samples), "waited 300 ms for a device");
    }

    #[test]
    fn what_explains_little_is_no_cause() {
        assert_eq!(said(&[("wall", 400e6), ("cpu-wait", 50e6)]), "no cause seen in the readings");
        assert_eq!(
            said(&[("wall", 400e6), ("host-other-cpu", 100e6)]),
            "no cause seen in the readings"
        );
        assert_eq!(
            said(&[("wall", 400e6), ("host-frequency", 3.9e9)]),
            "no cause seen in the readings",
            "it was faster"
        );
    }

    #[test]
    fn a_reading_that_short_ones_share_is_of_all_their_time() {
        // 110 ms of two processors, read once after many executions of 5 ms.
        let short = |round: u32, wall: f64| {
            let other = if round == 10 { 220e6 } else { 0.0 };
            sample(round, &[("wall", wall), ("host-other-cpu", other)])
        };
        let mut samples: Vec<Sample> =
            (1..10).map(|round| short(round, 5e6 + f64::from(round) * 1e4)).collect();
        samples.push(short(10, 50e6));
        let found = explain(&samples, &Metric::built_in("wall").unwrap());
        assert_eq!(line(&found[0].causes), "other processes used 2.0 CPU");
    }

    #[test]
    fn a_fast_one_has_causes_too() {
        assert_eq!(
            said(&[("wall", 72e6), ("host-frequency", 3.9e9)]),
            "frequency 3.9 instead of 2.8 GHz"
        );
        let mut samples: Vec<Sample> = (1..10)
            .map(|round| {
                sample(
                    round,
                    &[
                        ("cpu-wait", 50e6),
                        ("host-other-cpu", 80e6),
                        ("wall", 150e6 + f64::from(round) * 1e5),
                    ],
                )
            })
            .collect();
        samples.push(sample(10, &[]));
        let found = explain(&samples, &Metric::built_in("wall").unwrap());
        assert_eq!(
            line(&found[0].causes),
            "waited 50 ms less for a CPU, other processes used 0.4 CPU less"
        );
    }

    #[test]
    fn a_rate_is_slow_where_it_is_low_and_memory_has_no_cause() {
        let of = |unit: &str, better, value| {
            let metric = Metric { name: "flow".into(), unit: Unit::Other(unit.into()), better };
            let mut samples: Vec<Sample> = (1..10).map(|round| sample(round, &[])).collect();
            samples.push(sample(10, &[("cpu-wait", 80e6)]));
            for (round, sample) in (0..).zip(&mut samples) {
                let steady = 50.0 + f64::from(round) / 10.0;
                sample.add("flow", if round == 9 { value } else { steady });
            }
            line(&explain(&samples, &metric)[0].causes)
        };
        assert_eq!(of("requests/s", Direction::Higher, 25.0), "waited 80 ms for a CPU");
        assert_eq!(of("requests/s", Direction::Higher, 100.0), "no cause seen in the readings");
        assert_eq!(of("buckets", Direction::Lower, 100.0), "no cause seen in the readings");
    }

    #[test]
    fn failed_samples_and_the_warm_up_are_no_outliers() {
        let mut samples: Vec<Sample> = (0..10).map(|round| sample(round, &[])).collect();
        samples[0].values.last_mut().unwrap().1 = 9e9;
        assert_eq!(explain(&samples, &Metric::built_in("wall").unwrap()), []);
    }

    proptest! {
        #[test]
        fn any_readings_are_survived(
            values in prop::collection::vec(any::<f64>(), 14),
            wall in 1e3_f64..1e12,
        ) {
            let one = sample(1, &[]);
            let names: Vec<MetricName> = one.values.into_iter().map(|(name, _)| name).collect();
            let mut odd: Vec<(&str, f64)> = names.iter().map(|name| &**name).zip(values).collect();
            odd.push(("wall", wall));
            odd.reverse();
            let _ = said(&odd);
        }
    }
}
