//! Levels and effects of a bisection, in the unit of what was measured.

use tacho_record::Bisection;
use tacho_record::bisection::{BisectedEffect, TestedRevision, ValueComparison, excluded_rate};
use tacho_stats::{Bound, BoundedValue};

use crate::words::{as_written, change, effect_interval, percent};

/// How much an effect is: `+5.1 % (+4.2 % … +6.0 %)`.
#[must_use]
pub fn effect(bisection: &Bisection, effect: &BisectedEffect) -> String {
    let [estimate, interval] = parts(bisection, effect);
    let of = if bisection.asked.by == ValueComparison::Failure { " of executions" } else { "" };
    let interval = if interval.is_empty() { interval } else { format!(" ({interval})") };
    format!("{estimate}{interval}{of}")
}

/// By how much the CPU time of the samples differs between the ends, if that is known.
#[must_use]
pub fn cpu_change(bisection: &Bisection) -> Option<String> {
    let by = effect(bisection, bisection.standing.cpu.as_ref()?);
    Some(format!("between the ends, the CPU time of the same samples changes by {by}"))
}

/// How much an effect is, and its interval; that is empty where there is no noise.
#[must_use]
pub fn parts(bisection: &Bisection, effect: &BisectedEffect) -> [String; 2] {
    let show = |value: f64| match bisection.asked.by {
        ValueComparison::Ratio => change(1.0 + value),
        ValueComparison::Difference => {
            let sign = if value < 0.0 { '−' } else { '+' };
            format!("{sign}{}", bisection.asked.metric.unit.show(value.abs()))
        }
        ValueComparison::Failure => {
            let sign = if value < 0.0 { '−' } else { '+' };
            format!("{sign}{:.0} %", value.abs() * 100.0)
        }
    };
    let (low, high) = effect.interval;
    let interval = match bisection.asked.by {
        _ if effect.is_exact() => String::new(),
        ValueComparison::Ratio => effect_interval(effect.interval),
        _ => format!("{} … {}", show(low), show(high)),
    };
    [show(effect.estimate), interval]
}

/// How much the later one of two candidates differs: `> +5.1 %` where samples reached a limit.
#[must_use]
pub fn effect_between(bisection: &Bisection, places: [usize; 2], shown: &BisectedEffect) -> String {
    let shown = observed(bisection, places, shown);
    bounded(bisection, places.map(|place| bisection.limited(place)), &shown)
}

/// The observed difference of rates of failure: the estimate leans towards 50 % where executions
/// are few, so that from never to always would be said as +87 %.
fn observed(bisection: &Bisection, places: [usize; 2], &effect: &BisectedEffect) -> BisectedEffect {
    let is_of = |rung: &&TestedRevision, place| rung.is_of(place);
    let level = |place| bisection.standing.ladder.iter().find(|rung| is_of(rung, place));
    let [before, after] = places.map(level);
    match (bisection.asked.by, before, after) {
        (ValueComparison::Failure, Some(before), Some(after)) => {
            let (estimate, (low, high)) = (after.level - before.level, effect.interval);
            BisectedEffect { estimate, interval: (low.min(estimate), high.max(estimate)) }
        }
        _ => effect,
    }
}

/// A side that was ended by a limit had not used all that it needs.
const NOT_KNOWN: &str = "an unknown amount, as one side reached a limit";

/// How much one side differs from the other. `limited` is the number of samples of each that
/// reached a limit.
#[must_use]
pub fn bounded(bisection: &Bisection, limited: [u32; 2], shown: &BisectedEffect) -> String {
    match Bound::of_sides(limited) {
        Bound::Exact => effect(bisection, shown),
        Bound::Unknown => "an unknown amount, as both sides reached a limit".to_owned(),
        // At least a fall, or at most a rise: it may be either.
        Bound::AtLeast if shown.estimate < 0.0 => NOT_KNOWN.to_owned(),
        Bound::AtMost if shown.estimate > 0.0 => NOT_KNOWN.to_owned(),
        bound => {
            let estimate = BisectedEffect {
                estimate: shown.estimate,
                interval: (shown.estimate, shown.estimate),
            };
            let known = BoundedValue { value: shown.estimate, bound };
            format!("{} (a limit was reached)", known.shown(|_| effect(bisection, &estimate)))
        }
    }
}

/// The level of a revision, which may be no more than a bound.
#[must_use]
pub fn level_of(bisection: &Bisection, rung: &TestedRevision) -> String {
    BoundedValue::least(rung.level, rung.is_bound).shown(|value| level(bisection, value))
}

/// A level of the metric.
#[must_use]
pub fn level(bisection: &Bisection, level: f64) -> String {
    match bisection.asked.by {
        ValueComparison::Failure => format!("{:.0} % fail", level * 100.0),
        _ => bisection.asked.metric.unit.show(level),
    }
}

/// The 95 % interval of a revision's level; a share of 0 or 1 has one bound.
#[must_use]
pub fn level_interval(bisection: &Bisection, rung: &TestedRevision) -> (f64, f64) {
    let far = 1.96 * rung.error;
    match bisection.asked.by {
        ValueComparison::Failure if rung.level <= 0.0 => (0.0, excluded_rate(rung.samples)),
        ValueComparison::Failure if rung.level >= 1.0 => (1.0 - excluded_rate(rung.samples), 1.0),
        ValueComparison::Failure => ((rung.level - far).max(0.0), (rung.level + far).min(1.0)),
        ValueComparison::Ratio => (rung.level * (1.0 - far), rung.level * (1.0 + far)),
        ValueComparison::Difference => (rung.level - far, rung.level + far),
    }
}

/// How far the level of a revision may be off, with 95 %: `± 1.2 %`, `at most 14 %`; `None` if it
/// is exact, or a bound itself.
pub(super) fn margin(bisection: &Bisection, rung: &TestedRevision) -> Option<String> {
    let within = within(bisection, rung.error).filter(|_| !rung.is_bound)?;
    let (low, high) = level_interval(bisection, rung);
    Some(match bisection.asked.by {
        ValueComparison::Failure if rung.level <= 0.0 => format!("at most {}", percent(high)),
        ValueComparison::Failure if rung.level >= 1.0 => format!("at least {}", percent(low)),
        _ => format!("± {within}"),
    })
}

/// How far a level may be off, with 95 %; `None` if it is exact.
fn within(bisection: &Bisection, error: f64) -> Option<String> {
    (error > 0.0).then(|| match bisection.asked.by {
        ValueComparison::Ratio | ValueComparison::Failure => percent(1.96 * error),
        ValueComparison::Difference => bisection.asked.metric.unit.show(1.96 * error),
    })
}

/// How large something is on the scale of the effects.
#[must_use]
pub fn size(bisection: &Bisection, size: f64) -> String {
    match bisection.asked.by {
        ValueComparison::Difference => bisection.asked.metric.unit.show(size),
        ValueComparison::Ratio | ValueComparison::Failure => percent(size),
    }
}

/// The least effect that was requested.
#[must_use]
pub fn least(bisection: &Bisection) -> String {
    match bisection.asked.by {
        ValueComparison::Difference => bisection.asked.metric.unit.show(bisection.asked.least),
        ValueComparison::Ratio | ValueComparison::Failure => as_written(bisection.asked.least),
    }
}

/// The short name of a candidate.
#[must_use]
pub fn name(bisection: &Bisection, place: usize) -> String {
    bisection.candidates.get(place).map_or_else(String::new, |it| it.revision.short().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::words::level_heading;
    use super::super::{changed_subject, example, not_reproduced, subject, then as of_ends};
    use super::*;

    #[test]
    fn from_never_to_always_is_no_smaller_change_than_that() {
        let mut bisection = example::bisection("finished");
        bisection.asked.by = ValueComparison::Failure;
        let rung = |place: usize, level: f64| {
            let (revision, samples, error) = ("r", 3, 0.1);
            let rung = json!({
                "place": place, "revision": revision, "same_to": place, "samples": samples,
                "level": level, "error": error
            });
            serde_json::from_value(rung).unwrap()
        };
        bisection.standing.ladder = vec![rung(4, 0.0), rung(5, 1.0)];
        let leaning = BisectedEffect { estimate: 0.87, interval: (0.61, 0.99) };
        let shown = effect_between(&bisection, [4, 5], &leaning);
        assert_eq!(shown, "+100 % (+61 % … +100 %) of executions");
        // Of times, what was estimated is what is said.
        bisection.asked.by = ValueComparison::Ratio;
        assert!(effect_between(&bisection, [4, 5], &leaning).starts_with("+87.0 %"));
    }

    #[test]
    fn what_a_commit_changed_is_that_whose_effect_is_shown() {
        let mut bisection = example::bisection("finished");
        assert_eq!(changed_subject(&bisection), "wall time of `b`");
        assert_eq!(level_heading(&bisection), "wall time");
        bisection.standing.by_cpu =
            serde_json::from_value(json!({ "wall": 0.3, "cpu": 0.01 })).ok();
        assert_eq!(changed_subject(&bisection), "CPU time of `b`");
        assert_eq!(level_heading(&bisection), "CPU time");
        bisection.asked.before = Some((2e6, 5e6));
        let (good, bad) = bisection.standing.ends;
        let rung = |place: usize, level: f64| {
            let rung = json!({
                "place": place, "revision": "r", "same_to": place, "samples": 9, "level": level,
                "error": 0.0
            });
            serde_json::from_value(rung).unwrap()
        };
        bisection.standing.ladder = vec![rung(good, 1e6), rung(bad, 4e6)];
        assert_eq!(
            of_ends(&bisection).unwrap(),
            "were 2.000 ms and 5.000 ms (wall time), and are now 1.000 ms and 4.000 ms (CPU time)"
        );
        assert_eq!(subject(&bisection.asked), "wall time of `b`", "that was asked");
        assert!(not_reproduced(&bisection).ends_with(" (in place of wall time)"));
        bisection.asked.test = Some("make test".to_owned());
        assert_eq!(level_heading(&bisection), "failures");
    }
}
