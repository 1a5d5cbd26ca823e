//! Samples of several values as executions in order of time, as statistics have them.

use tacho_record::{Direction, Metric, Sample};
use tacho_stats::interleaved::InterleavedExecution;

/// The executions that count, in order of time; the program is the place among `samples`, and the
/// value is a logarithm of which less is better. `Err` has the first value of which there is no
/// logarithm.
pub(super) fn executions(
    samples: &[&[Sample]],
    metrics: &[Metric],
) -> Result<Vec<InterleavedExecution>, f64> {
    let mut all = Vec::new();
    for (program, (samples, metric)) in samples.iter().zip(metrics).enumerate() {
        let counted = samples.iter().filter(|sample| sample.counts());
        for sample in counted {
            let Some(value) = sample.value(&metric.name) else { continue };
            if value <= 0.0 || !value.is_finite() {
                return Err(value);
            }
            let sign = if metric.better == Direction::Lower { 1.0 } else { -1.0 };
            let round = sample.place.round;
            let execution = InterleavedExecution { program, round, value: sign * value.ln() };
            all.push(((round, sample.place.position), execution));
        }
    }
    all.sort_by_key(|(place, _)| *place);
    Ok(all.into_iter().map(|(_, execution)| execution).collect())
}
