//! A series, in words.

use tacho_record::{Series, Uneven};

/// The host's path explains most of a run's spread from this gain on.
const MOST_OF_SPREAD: f64 = 2.0;
/// A gain above this is not a number to trust.
const MOST_GAIN: f64 = 1000.0;

/// In which runs of a series the host's speed moved, and what taking it off gained, where that is
/// much.
#[must_use]
pub fn uneven_runs(series: &Series) -> Option<String> {
    let uneven: Vec<&Uneven> =
        series.uneven.iter().filter(|one| one.gain >= MOST_OF_SPREAD).collect();
    let most = uneven.iter().max_by(|a, b| a.slower.total_cmp(&b.slower))?;
    let slower = 100.0 * most.slower;
    let moved = match uneven.as_slice() {
        [one] => format!("by {slower:.0} % in run {}", one.run),
        several => format!("in {} runs, by {slower:.0} % in run {}", several.len(), most.run),
    };
    let gain =
        if most.gain > MOST_GAIN { "over 1,000".to_owned() } else { format!("{:.0}", most.gain) };
    Some(format!(
        "the host's speed moved {moved}; values are those at its usual speed, \
         as precise as {gain} times as many raw ones"
    ))
}

#[cfg(test)]
mod tests {
    use tacho_record::BenchmarkKey;

    use super::*;

    #[test]
    fn runs_on_an_uneven_host_are_reported_where_its_speed_is_most_of_the_spread() {
        let one = |run, slower, gain| Uneven { run, slower, gain };
        let of = |uneven: &[Uneven]| {
            let benchmark = BenchmarkKey {
                name: "b".into(),
                version: 1,
                parameters: tacho_record::Parameters::default(),
            };
            let metric = tacho_record::Metric::built_in("wall").unwrap();
            let key = tacho_record::SeriesKey { benchmark, host: "lab".into(), metric };
            uneven_runs(&Series { key, points: vec![], uneven: uneven.to_vec(), changes: vec![] })
        };
        assert_eq!(of(&[one(3, 0.78, 1.9)]), None);
        assert_eq!(
            of(&[one(2, 0.1, 1.0), one(3, 0.78, 12.2)]).unwrap(),
            "the host's speed moved by 78 % in run 3; values are those at its usual speed, as \
             precise as 12 times as many raw ones"
        );
        let several = of(&[one(2, 0.1, f64::INFINITY), one(3, 0.05, 12.2)]).unwrap();
        assert!(several.starts_with("the host's speed moved in 2 runs, by 10 % in run 2; "));
        assert!(several.ends_with("over 1,000 times as many raw ones"), "{several}");
    }
}
