//! Metrics that follow from others, and so need not be kept.
//!
//! Only this module defines the derivation, for all code that takes, keeps or reads samples.

use crate::MetricName;

/// The metrics that follow from others, in the order of their names.
pub const DERIVED: [&str; 3] = ["blocked", "cpu", "cpu-percent"];

/// What that metric may be made of, in order of the names; empty if the metric is not derived.
#[must_use]
pub fn parts(metric: &str) -> &'static [&'static str] {
    match metric {
        "blocked" => &["cpu-wait", "on-cpu", "wall"],
        "cpu" => &["sys", "user"],
        "cpu-percent" => &["cpu", "left-behind", "sys", "user", "wall"],
        _ => &[],
    }
}

/// The value of a derived metric, if enough of its parts, requested by name, are there.
#[must_use]
pub fn derive(metric: &str, value: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    match metric {
        // The values come from two clocks, so a program that never blocks may have a difference
        // slightly below zero.
        "blocked" => Some(value("wall")? - value("on-cpu")? - value("cpu-wait")?),
        "cpu" => Some(value("user")? + value("sys")?),
        // Processes that were left behind used CPU time after the wall time, until they were
        // killed, so there is no share to compute.
        "cpu-percent" if value("left-behind").is_some_and(|left| left > 0.0) => None,
        // No more decimals than mean something.
        "cpu-percent" => {
            let wall = value("wall")?;
            let cpu = value("cpu").or_else(|| derive("cpu", value))?;
            (wall > 0.0).then(|| (cpu / wall * 10_000.0).round() / 100.0)
        }
        _ => None,
    }
}

/// Adds what follows from the values of a sample, which are in order of their names, and stay so.
///
/// Existing values stay, and metrics with replicates take no part.
pub fn complete(values: &mut Vec<(MetricName, f64)>) {
    for metric in DERIVED {
        let place = values.partition_point(|(name, _)| &**name < metric);
        if values.get(place).is_some_and(|(name, _)| name == metric) {
            continue;
        }
        if let Some(value) = derive(metric, &|part| only(values, part)) {
            values.insert(place, (metric.into(), value));
        }
    }
}

/// Whether this value of a sample follows exactly from the other values.
#[must_use]
pub fn follows(values: &[(MetricName, f64)], metric: &str, value: f64) -> bool {
    let derived = derive(metric, &|part| only(values, part));
    derived.is_some_and(|derived| derived.to_bits() == value.to_bits())
        && only(values, metric).is_some()
}

/// The value of a metric that has one value.
fn only(values: &[(MetricName, f64)], metric: &str) -> Option<f64> {
    let begin = values.partition_point(|(name, _)| &**name < metric);
    let mut found = values[begin..].iter().take_while(|(name, _)| name == metric);
    found.next().map(|(_, value)| *value).filter(|_| found.next().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(of: &[(&str, f64)]) -> Vec<(MetricName, f64)> {
        of.iter().map(|(name, value)| ((*name).to_owned().into(), *value)).collect()
    }

    #[test]
    fn what_follows_is_added_in_its_place() {
        let mut some = values(&[
            ("cpu-wait", 100.0),
            ("on-cpu", 1900.0),
            ("sys", 500.0),
            ("user", 1500.0),
            ("wall", 3000.0),
        ]);
        complete(&mut some);
        let all = [
            ("blocked", 1000.0),
            ("cpu", 2000.0),
            ("cpu-percent", 66.67),
            ("cpu-wait", 100.0),
            ("on-cpu", 1900.0),
            ("sys", 500.0),
            ("user", 1500.0),
            ("wall", 3000.0),
        ];
        assert_eq!(some, values(&all));
        assert!(DERIVED.iter().all(|metric| follows(&some, metric, only(&some, metric).unwrap())));
        assert!(!follows(&some, "wall", 3000.0));
    }

    #[test]
    fn what_was_measured_otherwise_stays() {
        let mut some = values(&[("cpu", 2100.0), ("sys", 500.0), ("user", 1500.0), ("wall", 0.0)]);
        let before = some.clone();
        complete(&mut some);
        assert_eq!(some, before);
        assert!(!follows(&some, "cpu", 2100.0));
        let mut replicates = values(&[("sys", 1.0), ("sys", 2.0), ("user", 3.0)]);
        complete(&mut replicates);
        assert_eq!(replicates.len(), 3);
    }

    #[test]
    fn each_needs_its_parts_and_nothing_else() {
        for metric in DERIVED {
            let one = |part: &str| Some(if part == "left-behind" { 0.0 } else { 1.0 });
            assert!(
                derive(metric, &|part| one(part).filter(|_| parts(metric).contains(&part)))
                    .is_some()
            );
            for missing in
                parts(metric).iter().filter(|part| !["cpu", "left-behind"].contains(part))
            {
                let of_the_rest =
                    derive(metric, &|part| one(part).filter(|_| part != *missing && part != "cpu"));
                assert_eq!(of_the_rest, None, "{metric} without {missing}");
            }
        }
        let percent = |value: &dyn Fn(&str) -> Option<f64>| derive("cpu-percent", value);
        assert_eq!(percent(&|part| ["cpu", "wall"].contains(&part).then_some(2.0)), Some(100.0));
        assert_eq!(percent(&|_| Some(2.0)), None);
    }

    proptest! {
        #[test]
        fn nothing_else_changes(
            present in prop::collection::btree_map("(blocked|cpu|cpu-percent|cpu-wait|on-cpu|sys|user|wall|x)", any::<f64>(), 0..9)
        ) {
            let before: Vec<(MetricName, f64)> = present.clone().into_iter().map(|(name, value)| (name.into(), value)).collect();
            let mut all = before.clone();
            complete(&mut all);
            prop_assert!(all.is_sorted_by(|one, other| one.0 < other.0));
            let bits = |value: f64| value.to_bits();
            for (name, value) in before {
                prop_assert!(all.iter().any(|(other, same)| *other == name && bits(*same) == bits(value)));
            }
            all.retain(|(name, _)| !present.contains_key(&**name));
            prop_assert!(all.iter().all(|(name, _)| DERIVED.contains(&&**name)));
        }
    }
}
