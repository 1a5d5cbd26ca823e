//! The limits of the host's readings beyond which a measurement counts as disturbed.

use std::fmt;
use std::time::Duration;

use tacho_measure::Readings;
use tacho_record::Sample;

/// The most CPUs that others may use.
pub const OTHER_CPUS: f64 = 0.25;

/// The most CPUs that a hypervisor may give to others while this host wants them.
pub const STEAL: f64 = 0.05;

/// The largest share of a look in which some task may wait for a CPU or a device.
pub const PRESSURE: f64 = 0.25;

/// The largest share in which some task may wait for memory.
pub const MEMORY_PRESSURE: f64 = 0.1;

/// The kernel's rounding at both ends of a time: two ticks.
pub(super) const TICKS: f64 = 20e6;

/// Readings of shorter samples are of longer times, since several share them.
pub(super) const SHORTEST: f64 = 100e6;

/// How many CPUs that reading of a sample is, beyond the kernel's rounding.
pub(crate) fn cpus(sample: &Sample, reading: &str) -> Option<f64> {
    let span = sample.value("wall")?.max(SHORTEST);
    Some((sample.value(reading)? - TICKS).max(0.0) / span)
}

/// The kinds of disturbance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Some task waits for a CPU, in this share of the time.
    Cpu(f64),
    /// Some task waits for a device, likewise.
    Device(f64),
    /// Some task waits for memory, likewise.
    Memory(f64),
    /// Others use this many CPUs.
    OtherCpu(f64),
    /// A hypervisor gives this many CPUs to others.
    Steal(f64),
    /// Processors slowed down this many times for being too warm.
    Throttled(f64),
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cpu(share) => {
                write!(f, "tasks waited for a CPU {:.0} % of the time", share * 100.0)
            }
            Self::Device(share) => {
                write!(f, "tasks waited for a device {:.0} % of the time", share * 100.0)
            }
            Self::Memory(share) => {
                write!(f, "tasks waited for memory {:.0} % of the time", share * 100.0)
            }
            Self::OtherCpu(cpus) => write!(f, "other processes used {cpus:.1} CPU"),
            Self::Steal(cpus) => write!(f, "{cpus:.2} CPU of steal"),
            Self::Throttled(times) => f.write_str(&throttled(times)),
        }
    }
}

/// How often the CPUs were slowed down.
pub(crate) fn throttled(times: f64) -> String {
    format!("throttled {times} times for being too warm")
}

impl Noise {
    /// How many times the limit it is.
    fn excess(self) -> f64 {
        match self {
            Self::Cpu(share) | Self::Device(share) => share / PRESSURE,
            Self::Memory(share) => share / MEMORY_PRESSURE,
            Self::OtherCpu(cpus) => cpus / OTHER_CPUS,
            Self::Steal(cpus) => cpus / STEAL,
            Self::Throttled(_) => f64::INFINITY,
        }
    }

    /// The one that is farthest above its limit, if any is above.
    pub fn loudest(all: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        let loud = all.into_iter().flatten().filter(|noise| noise.excess() > 1.0);
        loud.max_by(|one, other| one.excess().total_cmp(&other.excess()))
    }

    /// The disturbance in a look at the host while nothing is executed.
    pub fn of_look(readings: &Readings) -> Option<Self> {
        let span = readings.span.as_nanos() as f64;
        if span <= 0.0 {
            return None;
        }
        let nanoseconds = |time: Option<Duration>| time.map(|time| time.as_nanos() as f64);
        let cpus = |time| Some((nanoseconds(time)? - TICKS).max(0.0) / span);
        let share = |time| Some(nanoseconds(time)? / span);
        Self::loudest([
            cpus(readings.other_cpu).map(Self::OtherCpu),
            cpus(readings.steal).map(Self::Steal),
            share(readings.pressure_cpu).map(Self::Cpu),
            share(readings.pressure_io).map(Self::Device),
            share(readings.pressure_memory).map(Self::Memory),
            Self::throttled(readings.throttled.map(|times| times as f64)),
        ])
    }

    /// The disturbance of an execution. The program itself may cause pressure, which does not
    /// count.
    pub fn of_sample(sample: &Sample) -> Option<Self> {
        sample.value("wall")?;
        Self::loudest([
            cpus(sample, "host-other-cpu").map(Self::OtherCpu),
            cpus(sample, "host-steal").map(Self::Steal),
            Self::throttled(sample.value("host-throttled")),
        ])
    }

    fn throttled(times: Option<f64>) -> Option<Self> {
        times.filter(|times| *times > 0.0).map(Self::Throttled)
    }
}

/// From this spread of the time of an empty program on, times are not steady.
const UNSTEADY: f64 = 0.1;

/// Whether times measured on this host now are reliable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HostTrust {
    /// Something else disturbs the host.
    Busy(Noise),
    /// No other program is busy, but times of an empty program vary.
    Unsteady,
    /// They can.
    Quiet,
}

impl HostTrust {
    /// The trust from the disturbance of a look, and the spread of the time of an empty program, as
    /// a share.
    #[must_use]
    pub fn of(noise: Option<Noise>, spread: f64) -> Self {
        match noise {
            Some(noise) => Self::Busy(noise),
            None if spread >= UNSTEADY => Self::Unsteady,
            None => Self::Quiet,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_record::{Outcome, Place};

    use super::*;
    use crate::run::quiet::LOOK;

    fn sample(values: &[(&str, f64)]) -> Sample {
        let place = Place { round: 1, position: 0 };
        let mut sample = Sample {
            place,
            at: Timestamp::UNIX_EPOCH,
            outcome: Outcome::Valid,
            values: Vec::new(),
        };
        for (name, value) in values {
            sample.add(name, *value);
        }
        sample
    }

    fn reported(values: &[(&str, f64)]) -> Option<String> {
        Noise::of_sample(&sample(values)).map(|noise| noise.to_string())
    }

    #[test]
    fn a_sample_is_disturbed_above_the_limits_and_two_ticks() {
        let second = ("wall", 1e9);
        assert_eq!(reported(&[second, ("host-other-cpu", 270e6)]), None);
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(
            reported(&[second, ("host-other-cpu", 290e6)]),
            said("other processes used 0.3 CPU")
        );
        assert_eq!(reported(&[second, ("host-steal", 70e6)]), None);
        assert_eq!(reported(&[second, ("host-steal", 120e6)]), said("0.10 CPU of steal"));
        // The louder one is told.
        let both = [second, ("host-other-cpu", 320e6), ("host-steal", 320e6)];
        assert_eq!(reported(&both), said("0.30 CPU of steal"));
        assert_eq!(
            reported(&[second, ("host-throttled", 2.0)]),
            said("throttled 2 times for being too warm")
        );
        assert_eq!(reported(&[second, ("host-pressure-cpu", 9e8)]), None, "that may be its own");
    }

    #[test]
    fn a_short_sample_shares_its_readings_and_one_without_tells_nothing() {
        assert_eq!(reported(&[("wall", 1e6), ("host-other-cpu", 40e6)]), None);
        assert!(reported(&[("wall", 1e6), ("host-other-cpu", 60e6)]).is_some());
        assert_eq!(
            (reported(&[("wall", 1e9)]), reported(&[("host-other-cpu", 1e9)])),
            (None, None)
        );
    }

    #[test]
    fn a_look_tells_pressure_too() {
        let time = |milliseconds| Some(Duration::from_millis(milliseconds));
        let look = |readings: Readings| Noise::of_look(&Readings { span: LOOK, ..readings });
        assert_eq!(look(Readings::default()), None);
        assert_eq!(
            look(Readings { other_cpu: time(70), pressure_io: time(50), ..Readings::default() }),
            None
        );
        let noise =
            look(Readings { other_cpu: time(220), pressure_cpu: time(60), ..Readings::default() });
        assert_eq!(noise, Some(Noise::OtherCpu(1.0)));
        let noise = look(Readings { pressure_memory: time(40), ..Readings::default() }).unwrap();
        assert_eq!(noise.to_string(), "tasks waited for memory 20 % of the time");
        assert_eq!(
            Noise::of_look(&Readings { other_cpu: time(900), ..Readings::default() }),
            None,
            "no span"
        );
    }
}
