//! The cost of a small effect in noise, reported as soon as the noise is known.

use std::time::Duration;

use tacho_experiment::bisect::RemainingCost;
use tacho_record::Bisection;
use tacho_report::bisection::{least, varying};

use crate::output::text::duration;

/// Says that a bisection will take long, while it is unknown whether anything changed; `expected`
/// is the expected variation of values, if it was reported before.
pub fn forecast(bisection: &Bisection, expected: Option<f64>) -> Option<String> {
    let varying = |sd: f64| varying(&bisection.asked, sd);
    Some(match RemainingCost::of(bisection, expected)? {
        RemainingCost::NoisierThanExpected { sd } => format!(
            "values vary more now than in earlier runs: {} (standard deviation); the expectation \
             does not hold",
            varying(sd)
        ),
        RemainingCost::Many { sd, samples, seconds, is_over_budget } => format!(
            "values vary by {} (standard deviation): a change of {} may need up to about {} \
             samples ({}{}); a larger `--min-effect` needs fewer",
            varying(sd),
            least(bisection),
            about(samples),
            duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
            if is_over_budget { ", more than the budget" } else { "" },
        ),
    })
}

/// With two digits, since it is no more than about that many.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of samples")]
pub fn about(samples: f64) -> String {
    let unit = 10_f64.powf((samples.max(1.0).log10().floor() - 1.0).max(0.0));
    tacho_report::words::grouped(((samples / unit).round() * unit) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::example::bisection;
    use super::*;

    #[test]
    fn a_forecast_names_the_noise_and_what_it_costs() {
        let of = |expected: Option<f64>| {
            let rung = |place: usize| {
                serde_json::json!({
                    "place": place, "revision": "r", "same_to": place, "samples": 12, "level": 1e9,
                    "error": 0.1 / 12_f64.sqrt()
                })
            };
            let mut bisection = bisection("proving");
            bisection.standing.ladder =
                serde_json::from_value([rung(0), rung(9999)].into()).unwrap();
            bisection.standing.executing = bisection.standing.samples as f64 * 2.0;
            forecast(&bisection, expected)
        };
        assert_eq!(
            of(Some(0.09)).as_deref(),
            Some(
                "values vary by 10.0 % (standard deviation): a change of 2 % may need up to about \
                 5,100 samples (2 h 51 min); a larger `--min-effect` needs fewer"
            )
        );
        assert_eq!(
            of(Some(0.01)).as_deref(),
            Some(
                "values vary more now than in earlier runs: 10.0 % (standard deviation); the \
                 expectation does not hold"
            )
        );
    }
}
