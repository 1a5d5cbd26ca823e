//! The cost of a bisection.

use std::time::Duration;

use tacho_record::Bisection;
use tacho_record::bisection::BisectionState;

use crate::words::{count, duration};

/// The cost of its builds and its samples: `18 builds in 3 min 5 s`, `421 samples in 12.3 s`.
#[must_use]
pub fn cost(bisection: &Bisection) -> [String; 2] {
    let BisectionState { builds, samples, building, executing, .. } = bisection.standing;
    let built = match builds {
        0 if building > 0.0 => format!("no finished build in {}", time(building)),
        0 => "no builds".to_owned(),
        builds => format!("{} in {}", count(builds, "build"), time(building)),
    };
    // Executions that fail are kept as samples too, and not counted as ones.
    let sampled = match samples {
        0 if executing > 0.0 => "no usable samples".to_owned(),
        samples => count(samples, "sample"),
    };
    [built, format!("{sampled} in {}", time(executing))]
}

/// The cost of all bisections of the same call, if there are several.
#[must_use]
pub fn whole_cost(bisection: &Bisection) -> Option<String> {
    let all = bisection.asked.spent?.and(&bisection.standing);
    let (builds, samples) = (count(all.builds, "build"), count(all.samples, "sample"));
    let took = time(all.building + all.executing);
    Some(format!("the whole search: {builds} and {samples} in {took}"))
}

fn time(seconds: f64) -> String {
    duration(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use tacho_record::bisection::BisectionCost;

    use super::super::example::bisection;
    use super::*;

    #[test]
    fn builds_samples_and_their_times_are_said_together() {
        let mut one = bisection("finished");
        assert_eq!(cost(&one).join(", "), "18 builds in 1.00 s, 4,321 samples in 1.00 s");
        assert_eq!(whole_cost(&one), None);
        one.asked.spent =
            Some(BisectionCost { builds: 2, samples: 9, building: 3.0, executing: 1.0 });
        let all = whole_cost(&one).unwrap();
        assert_eq!(all, "the whole search: 20 builds and 4,330 samples in 6.00 s");
        (one.standing.builds, one.standing.samples) = (0, 0);
        assert_eq!(cost(&one)[0], "no finished build in 1.00 s");
        one.standing.building = 0.0;
        assert_eq!(cost(&one), ["no builds", "no usable samples in 1.00 s"]);
    }
}
