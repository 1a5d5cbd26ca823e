//! How values are compared: what was typed, and what is known of a metric, as statistics have it.

use tacho_record::{Counter, Direction, Metric, RequestedEstimator, Unit};
use tacho_stats::compare::{Better, COUNTED, ComparisonRules, Estimator as Ratio, SampleValue};

/// The ratio that was requested.
pub(crate) fn by(asked: RequestedEstimator) -> Ratio {
    match asked {
        RequestedEstimator::Mean => Ratio::Mean,
        RequestedEstimator::Median => Ratio::Median,
        RequestedEstimator::Minimum => Ratio::Minimum,
    }
}

/// The rules by which values of a metric are compared: those given, with its direction and whether
/// it is counted.
pub(crate) fn ruled(
    metric: &Metric,
    sides: [&[SampleValue]; 2],
    rules: &ComparisonRules,
) -> ComparisonRules {
    let better = if metric.better == Direction::Lower { Better::Lower } else { Better::Higher };
    // Callgrind counts once for each cell, however many rounds there are.
    let is_once = metric.name == Counter::CallgrindInstructions.name();
    ComparisonRules {
        better,
        resolution: resolution(metric, sides),
        once: is_once.then_some(COUNTED),
        ..*rules
    }
}

/// Bytes are counted, and so are bare numbers that are whole on both sides: no clock rounds them.
/// For other values the step is estimated, if there is one.
pub(crate) fn resolution(metric: &Metric, sides: [&[SampleValue]; 2]) -> Option<f64> {
    let is_counted = match &metric.unit {
        Unit::Bytes => true,
        Unit::Other(name) => {
            name.is_empty() && sides.concat().iter().all(|it| it.value.fract() == 0.0)
        }
        Unit::Nanoseconds => false,
    };
    is_counted.then_some(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_whole_bare_numbers_are_counted() {
        let of = |unit: Unit, values: [f64; 2]| {
            let metric = Metric { name: "it".to_owned(), unit, better: Direction::Lower };
            let [a, b] = values.map(|value| [SampleValue::new(value)]);
            resolution(&metric, [&a, &b])
        };
        assert_eq!(of(Unit::Bytes, [28.0, 34.5]), Some(0.0));
        assert_eq!(of(Unit::Other(String::new()), [0.0, 100.0]), Some(0.0));
        assert_eq!(of(Unit::Other(String::new()), [0.5, 100.0]), None, "it may be rounded");
        assert_eq!(of(Unit::Other("°C".to_owned()), [40.0, 41.0]), None);
        assert_eq!(of(Unit::Nanoseconds, [4e6, 8e6]), None);
    }
}
