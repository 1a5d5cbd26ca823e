//! What a small effect amid noise will take, said as soon as the noise is known.

use std::time::Duration;

use tacho_experiment::bisect::samples_of;
use tacho_record::Bisection;
use tacho_record::bisection::{BisectionState, Stage, ValueSource};
use tacho_report::bisection::{least, noise, varying};

use crate::output::text::duration;

/// From this many on it is worth a word before they are taken.
const MANY: f64 = 500.0;
/// Values that vary by this many times as much as expected make the expectation wrong: the samples
/// that are needed grow with the square.
const MORE: f64 = 1.5;
/// This many samples of each end are the least by which it is said how long it will take: of fewer,
/// one outlier makes hours of seconds.
const BASIS: usize = 12;

/// Whether both ends have enough samples, and these do not show a change yet: one that they show is
/// soon found, however small a one is looked for.
fn has_basis(bisection: &Bisection) -> bool {
    let BisectionState { ends, ladder, change, .. } = &bisection.standing;
    let has_enough = |place: usize| {
        let rung = ladder.iter().find(|it| it.is_of(place));
        rung.is_some_and(|rung| rung.samples >= BASIS)
    };
    let is_open = |(low, high): (f64, f64)| low <= 0.0 && 0.0 <= high;
    has_enough(ends.0)
        && has_enough(ends.1)
        && change.as_ref().is_none_or(|change| is_open(change.interval))
}

/// That it will take long, while it is not known whether anything changed; `expected` is how values
/// were expected to vary, where that was said before.
pub fn forecast(bisection: &Bisection, expected: Option<f64>) -> Option<String> {
    let standing = &bisection.standing;
    let proving =
        standing.found.is_none() && standing.stage == Stage::Proving && has_basis(bisection);
    let sd = noise(bisection).filter(|_| proving)?;
    let samples = samples_of(&bisection.asked, 0.0, sd).filter(|samples| *samples >= MANY)?;
    if expected.is_some_and(|expected| sd > MORE * expected) {
        return Some(format!(
            "values vary more now than in earlier runs: {} (standard deviation); the expectation \
             does not hold",
            varying(&bisection.asked, sd)
        ));
    }
    let spent = if bisection.asked.of == ValueSource::Build {
        standing.building
    } else {
        standing.executing
    };
    let seconds = samples * spent / standing.samples.max(1) as f64;
    let more = bisection.asked.own_budget().is_some_and(|budget| seconds > budget);
    Some(format!(
        "values vary by {} (standard deviation): a change of {} may need up to about {} samples \
         ({}{}); a larger `--min-effect` needs fewer",
        varying(&bisection.asked, sd),
        least(bisection),
        about(samples),
        duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
        if more { ", more than the budget" } else { "" },
    ))
}

/// With two digits, since it is no more than about that many.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of samples")]
pub fn about(samples: f64) -> String {
    let unit = 10_f64.powf((samples.max(1.0).log10().floor() - 1.0).max(0.0));
    tacho_report::words::grouped(((samples / unit).round() * unit) as usize)
}

#[cfg(test)]
mod tests {
    use tacho_record::bisection::BisectionRequest;

    use super::super::example::bisection;
    use super::*;

    #[test]
    fn what_lies_within_noise_is_told_to_take_long() {
        let of = |sd: f64, taken: usize, stage: &str, expected: Option<f64>| {
            let rung = |place: usize| {
                serde_json::json!({
                    "place": place, "revision": "r", "same_to": place, "samples": taken, "level": 1e9,
                    "error": sd / (taken as f64).sqrt()
                })
            };
            let mut bisection = bisection(stage);
            bisection.standing.ladder =
                serde_json::from_value([rung(0), rung(9999)].into()).unwrap();
            bisection.standing.executing = bisection.standing.samples as f64 * 2.0;
            forecast(&bisection, expected)
        };
        assert_eq!(
            of(0.1, 12, "proving", Some(0.09)).as_deref(),
            Some(
                "values vary by 10.0 % (standard deviation): a change of 2 % may need up to about \
                 5,100 samples (2 h 51 min); a larger `--min-effect` needs fewer"
            )
        );
        assert_eq!(
            of(0.1, 12, "proving", Some(0.01)).as_deref(),
            Some(
                "values vary more now than in earlier runs: 10.0 % (standard deviation); the \
                 expectation does not hold"
            )
        );
        assert_eq!(of(0.1, 11, "proving", None), None, "nobody knows yet");
        assert_eq!(of(0.02, 12, "proving", None), None, "that is soon done");
        assert_eq!(of(0.1, 12, "searching", None), None, "it is larger than was asked for");
    }

    #[test]
    fn a_change_that_is_seen_already_is_not_told_to_take_long() {
        let rung = |place: usize| {
            serde_json::json!({
                "place": place, "revision": "r", "same_to": place, "samples": 12, "level": 1e9,
                "error": 0.1
            })
        };
        let mut bisection = bisection("proving");
        bisection.standing.ladder = serde_json::from_value([rung(0), rung(9999)].into()).unwrap();
        let mut with = |interval: (f64, f64)| {
            let change = serde_json::json!({ "estimate": 0.9, "interval": interval });
            bisection.standing.change = serde_json::from_value(change).unwrap();
            forecast(&bisection, None).is_some()
        };
        assert!(with((-0.2, 2.0)) && !with((0.3, 1.5)));
    }

    #[test]
    fn it_agrees_with_what_was_simulated() {
        // Standard deviation, step, and samples as in `docs/src/method`.
        for (sd, step, simulated) in
            [(0.01, 0.02, 89.0), (0.01, 0.05, 32.0), (0.03, 0.05, 113.0), (0.1, 0.2, 99.0)]
        {
            let asked = BisectionRequest { least: step, ..bisection("proving").asked };
            let said = samples_of(&asked, 0.0, sd).unwrap();
            assert!((said / simulated - 1.0_f64).abs() < 0.25, "{said} {simulated}");
        }
    }
}
