//! What the instrument says of itself, summarised: shown by `tacho doctor`, and kept with each run.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_measure::{Executor, MeasureError, SelfTest, self_test};
use tacho_stats::Summary;

/// The instrument's own cost and noise, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Instrument {
    /// The smallest step that the clock was seen to make.
    pub clock_step: f64,
    /// What reading the clock takes.
    pub clock_cost: f64,
    /// Equal work again and again: how much this machine differs from itself.
    pub empty_loop: Summary,
    /// The wall time of a program that ends at once; every sample has it in it.
    pub nothing: Summary,
    /// What is spent between two executions.
    pub between: Summary,
    /// The wall time of `true`.
    pub of_true: Summary,
    /// The shortest of them, without waits for a processor.
    true_least: f64,
}

/// At most this multiple of its processor time a start takes on a quiet host: on a busy one, all
/// starts may have waited.
const TRUE_MOST: f64 = 2.0;

impl Instrument {
    /// Measures it in that many turns, at least one.
    pub fn measure(executor: &mut dyn Executor, turns: u32) -> Result<Self, MeasureError> {
        Self::of(&self_test(executor, turns.max(1))?)
            .ok_or_else(|| MeasureError::Instrument { why: "there are no readings".to_owned() })
    }

    /// The summary of these readings, if there are any.
    #[must_use]
    pub fn of(test: &SelfTest) -> Option<Self> {
        let of_true = summary(&test.trues)?;
        let cpus = test.true_cpus.iter().map(nanoseconds);
        Some(Self {
            clock_step: nanoseconds(&test.clock_step),
            clock_cost: nanoseconds(&test.clock_cost),
            empty_loop: summary(&test.loops)?,
            nothing: summary(&test.nothing)?,
            between: summary(&test.between)?,
            true_least: cpus.map(|cpu| cpu * TRUE_MOST).fold(of_true.min, f64::min),
            of_true,
        })
    }

    /// What was measured in turns, each with what it is in a few words.
    #[must_use]
    pub fn parts(&self) -> [(&'static str, &Summary); 4] {
        [
            ("an empty loop", &self.empty_loop),
            ("an empty program", &self.nothing),
            ("`true`", &self.of_true),
            ("between two executions", &self.between),
        ]
    }

    /// The same for a run's record: short, as text, in whole nanoseconds and per mille.
    #[must_use]
    pub fn facts(&self) -> BTreeMap<String, String> {
        let time = |value: f64| format!("{value:.0} ns");
        let spread =
            |summary: &Summary| format!("{:.1} %", summary.spread().unwrap_or(0.0) * 100.0);
        [
            ("instrument.between", time(self.between.median)),
            ("instrument.clock-step", time(self.clock_step)),
            ("instrument.loop-spread", spread(&self.empty_loop)),
            ("instrument.nothing", time(self.nothing.median)),
            ("instrument.true", time(self.of_true.median)),
            ("instrument.true-least", time(self.true_least)),
            ("instrument.true-spread", spread(&self.of_true)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

fn nanoseconds(time: &Duration) -> f64 {
    time.as_nanos() as f64
}

fn summary(times: &[Duration]) -> Option<Summary> {
    Summary::of(&times.iter().map(nanoseconds).collect::<Vec<f64>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(of: u64) -> SelfTest {
        let times = |from: u64| (0..of).map(|n| Duration::from_nanos(from + n * 10)).collect();
        SelfTest {
            clock_step: Duration::from_nanos(20),
            clock_cost: Duration::from_nanos(25),
            loops: times(1000),
            nothing: times(400_000),
            between: times(30_000),
            trues: times(600_000),
            true_cpus: times(500_000),
        }
    }

    #[test]
    fn a_run_keeps_the_medians_and_the_spread() {
        let facts = Instrument::of(&test(5)).unwrap().facts();
        let shown: Vec<String> =
            facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
        assert_eq!(
            shown,
            [
                "instrument.between 30020 ns",
                "instrument.clock-step 20 ns",
                "instrument.loop-spread 2.0 %",
                "instrument.nothing 400020 ns",
                "instrument.true 600020 ns",
                "instrument.true-least 600000 ns",
                "instrument.true-spread 0.0 %",
            ]
        );
    }

    #[test]
    fn where_each_start_waited_its_processor_time_bounds_it() {
        let waited = SelfTest { trues: vec![Duration::from_millis(4); 5], ..test(5) };
        let facts = Instrument::of(&waited).unwrap().facts();
        assert_eq!(facts["instrument.true"], "4000000 ns");
        assert_eq!(facts["instrument.true-least"], "1000000 ns");
    }

    #[test]
    fn without_readings_there_is_no_summary() {
        assert_eq!(Instrument::of(&test(0)), None);
    }
}
