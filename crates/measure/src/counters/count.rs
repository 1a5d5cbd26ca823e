//! One number that was counted, and how much of the time it was counted in.

use std::time::Duration;

use tacho_record::Counter;

/// A count of one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterValue {
    /// The number, in the base unit of its metric; of energy in microjoules. Scaled, where it was
    /// not counted all the time.
    pub value: u64,
    /// How long it should have been counted.
    pub enabled: Duration,
    /// How long it was.
    pub running: Duration,
}

impl CounterValue {
    /// The count of a reading, or the reason why there is none.
    ///
    /// A processor counts few things at a time. If more are requested, the kernel lets them take
    /// turns, and a count in a part of the time is scaled to all of it: `value × enabled /
    /// running`, rounded.
    pub fn of(reading: CountReading) -> Result<Self, &'static str> {
        let CountReading { value, enabled, running } = reading;
        if enabled == 0 {
            return Err("the kernel counted nothing, as for programs that change their user");
        }
        if running == 0 {
            return Err("the processor's counters were in use by others all the time");
        }
        let scaled = (u128::from(value) * u128::from(enabled) + u128::from(running / 2))
            / u128::from(running);
        Ok(Self {
            value: if running < enabled {
                u64::try_from(scaled).unwrap_or(u64::MAX)
            } else {
                value
            },
            enabled: Duration::from_nanos(enabled),
            running: Duration::from_nanos(running),
        })
    }

    /// The value in the base unit of the counter's metric.
    #[must_use]
    pub fn value_of(&self, counter: Counter) -> f64 {
        let is_energy = matches!(counter, Counter::Energy | Counter::EnergyDram);
        let scale = if is_energy { 1e6 } else { 1.0 };
        self.value as f64 / scale
    }

    /// The share of the time that it was counted in, in per cent with two decimals; below 100 if it
    /// was not all of it.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.running >= self.enabled {
            return 100.0;
        }
        let hundredths = self.running.as_nanos() * 10_000 / self.enabled.as_nanos();
        u16::try_from(hundredths).map_or(100.0, f64::from) / 100.0
    }
}

/// The kernel's reading of an event: the count, and for how many nanoseconds it should have been
/// and was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountReading {
    pub value: u64,
    pub enabled: u64,
    pub running: u64,
}

impl CountReading {
    /// The difference from an earlier reading of the same event.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            value: self.value.saturating_sub(earlier.value),
            enabled: self.enabled.saturating_sub(earlier.enabled),
            running: self.running.saturating_sub(earlier.running),
        }
    }

    /// Both of an event that two kinds of processors count, each on its own: a program is on one of
    /// them at a time.
    pub fn and(self, other: Self) -> Self {
        let enabled = self.enabled.max(other.enabled);
        Self {
            value: self.value.saturating_add(other.value),
            enabled,
            running: self.running.saturating_add(other.running).min(enabled),
        }
    }
}

/// The reason why a resource is not available on this host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unavailable {
    /// Why, in one line: `not available here: …`.
    pub why: String,
    /// The advice, if there is any.
    pub hint: Option<String>,
}

impl Unavailable {
    /// The reason, with advice.
    #[must_use]
    pub fn new(why: impl Into<String>, hint: Option<&str>) -> Self {
        Self { why: why.into(), hint: hint.map(str::to_owned) }
    }

    /// This cause, without advice.
    pub fn because(why: impl std::fmt::Display) -> Self {
        Self { why: format!("not available here: {why}"), hint: None }
    }

    /// The same, with something to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reading(value: u64, enabled: u64, running: u64) -> CountReading {
        CountReading { value, enabled, running }
    }

    #[test]
    fn what_was_counted_all_the_time_is_not_touched() {
        let count = CounterValue::of(reading(u64::MAX, 5_000, 5_000)).unwrap();
        assert_eq!((count.value, count.share()), (u64::MAX, 100.0));
    }

    /// The example of docs/src/method.
    #[test]
    fn what_was_counted_some_of_the_time_is_scaled_and_the_share_is_known() {
        let count = CounterValue::of(reading(4_300_000, 100_000_000, 43_000_000)).unwrap();
        assert_eq!((count.value, count.share()), (10_000_000, 43.0));
        // A hair below all of the time is never called all of it.
        assert_eq!(
            CounterValue::of(reading(7, 1_000_000_000, 999_999_999)).unwrap().share(),
            99.99
        );
    }

    #[test]
    fn what_was_never_counted_is_absent_and_not_zero() {
        assert!(CounterValue::of(reading(0, 0, 0)).unwrap_err().contains("change their user"));
        assert!(CounterValue::of(reading(0, 900, 0)).unwrap_err().contains("in use by others"));
    }

    #[test]
    fn two_kinds_of_processors_make_one_count() {
        // 70 of 100 ns on the large ones, 30 on the small: all was counted.
        let both = reading(700, 100, 70).and(reading(90, 100, 30));
        assert_eq!(CounterValue::of(both).unwrap().value, 790);
        // Each counted half of its time.
        let both = reading(350, 100, 35).and(reading(45, 100, 15));
        let count = CounterValue::of(both).unwrap();
        assert_eq!((count.value, count.share()), (790, 50.0));
    }

    proptest! {
        /// A program that does the same all the time is counted right, however little of the time.
        #[test]
        fn an_even_rate_is_found_again(
            rate in 0_u64..50,
            enabled in 1_u64..1_000_000_000,
            share in 1_u64..=1000,
        ) {
            let running = (enabled * share / 1000).max(1);
            let count = CounterValue::of(reading(rate * running, enabled, running)).unwrap();
            prop_assert_eq!(count.value, rate * enabled);
            prop_assert!((0.0..=100.0).contains(&count.share()));
        }

        #[test]
        fn no_reading_panics(value: u64, enabled: u64, running: u64, earlier: (u64, u64, u64)) {
            let since = reading(value, enabled, running).since(reading(earlier.0, earlier.1, earlier.2));
            let _ = CounterValue::of(since.and(reading(value, enabled, running))).map(|count| count.share());
        }
    }
}
