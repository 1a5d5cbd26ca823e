//! A series, in words.

use tacho_record::{HostUnevenness, Series};

/// The host's path explains most of a run's spread from this gain on, and its gain is reported.
const MOST_OF_SPREAD: f64 = 2.0;
/// A gain above this is not a number to trust.
const MOST_GAIN: f64 = 1000.0;

/// In which runs of a series the host's speed moved, that its values are those at the usual speed,
/// and what that gained, where it is much.
#[must_use]
pub fn uneven_runs(series: &Series) -> Option<String> {
    let all: Vec<&HostUnevenness> = series.uneven.iter().collect();
    let much: Vec<&HostUnevenness> =
        all.iter().copied().filter(|one| one.gain >= MOST_OF_SPREAD).collect();
    let uneven = if much.is_empty() { all } else { much };
    let most = uneven.iter().max_by(|a, b| a.slower.total_cmp(&b.slower))?;
    let slower = 100.0 * most.slower;
    let moved = match uneven.as_slice() {
        [one] => format!("by {slower:.0} % in run {}", one.run),
        several => format!("in {} runs, by {slower:.0} % in run {}", several.len(), most.run),
    };
    let gain =
        if most.gain > MOST_GAIN { "over 1,000".to_owned() } else { format!("{:.0}", most.gain) };
    let values = format!("the host's speed moved {moved}; medians are those at its usual speed");
    Some(if most.gain < MOST_OF_SPREAD {
        values
    } else {
        format!("{values}, as precise as {gain} times as many raw samples")
    })
}

#[cfg(test)]
mod tests {
    use tacho_record::BenchmarkKey;

    use super::*;

    #[test]
    fn runs_on_an_uneven_host_are_reported_where_its_speed_is_most_of_the_spread() {
        let one = |run, slower, gain| HostUnevenness { run, slower, gain };
        let of = |uneven: &[HostUnevenness]| {
            let benchmark = BenchmarkKey {
                name: "b".into(),
                version: 1,
                parameters: tacho_record::Parameters::default(),
            };
            let metric = tacho_record::Metric::built_in("wall").unwrap();
            let key = tacho_record::SeriesKey { benchmark, host: "lab".into(), metric };
            uneven_runs(&Series { key, points: vec![], uneven: uneven.to_vec(), changes: vec![] })
        };
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&[one(3, 0.05, 1.9)]).unwrap(),
            "the host's speed moved by 5 % in run 3; medians are those at its usual speed"
        );
        assert_eq!(
            of(&[one(2, 0.1, 1.0), one(3, 0.78, 12.2)]).unwrap(),
            "the host's speed moved by 78 % in run 3; medians are those at its usual speed, as \
             precise as 12 times as many raw samples"
        );
        let several = of(&[one(2, 0.1, f64::INFINITY), one(3, 0.05, 12.2)]).unwrap();
        assert!(several.starts_with("the host's speed moved in 2 runs, by 10 % in run 2; "));
        assert!(several.ends_with("over 1,000 times as many raw samples"), "{several}");
    }
}
