//! How much of its time a program is busy, as it uses CPUs or waits for one: what sleeps or waits
//! for anything else shows nothing in its CPU time.

use crate::Sample;

/// From this part of its wall time on, the CPU time of a program shows what its wall time does.
const GOOD_PART: f64 = 0.5;

/// CPU time, and time of waiting for a CPU where that is read, by wall time of these samples, all
/// together; nothing where none has both. More than 1 where several CPUs are used at once.
#[must_use]
pub fn busy_share<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Option<f64> {
    let both = |sample: &Sample| {
        let waited = sample.value("cpu-wait").unwrap_or(0.0);
        Some((sample.value("cpu")? + waited, sample.value("wall")?))
    };
    let times = samples.into_iter().filter(|sample| sample.counts()).filter_map(both);
    let (busy, wall) = times.fold((0.0, 0.0), |(busy, wall), of| (busy + of.0, wall + of.1));
    (wall > 0.0).then(|| busy / wall)
}

/// Whether that is a good part of the wall time, so that the CPU time is worth a look.
#[must_use]
pub fn is_mostly_busy(share: Option<f64>) -> bool {
    share.is_some_and(|share| share >= GOOD_PART)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::{Outcome, Place};

    #[test]
    fn a_program_that_sleeps_shows_little_in_its_cpu_time() {
        let sample = |cpu: f64, waited: f64| Sample {
            place: Place { round: 1, position: 0 },
            at: Timestamp::UNIX_EPOCH,
            outcome: Outcome::Valid,
            values: vec![("cpu".into(), cpu), ("cpu-wait".into(), waited), ("wall".into(), 1e8)],
        };
        let share = busy_share(&[sample(1e6, 0.0), sample(2e6, 1e6)]);
        assert!(!is_mostly_busy(share) && (share.unwrap() - 0.02).abs() < 1e-12);
        let starved = busy_share(&[sample(2e7, 7.5e7)]);
        assert!(is_mostly_busy(starved), "others have the CPUs: {starved:?}");
        assert_eq!(busy_share(&[]), None);
        assert!(!is_mostly_busy(None), "not known");
    }
}
