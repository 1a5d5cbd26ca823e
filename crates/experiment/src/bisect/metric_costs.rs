//! The expected cost of a bisection by another metric: wall time is disturbed by other work, CPU
//! time less, and a count of instructions hardly at all.

use tacho_record::bisection::BisectionRequest;

use super::expected_cost::{BisectForecast, MetricNoise, is_compared};

/// How a user names the count of callgrind.
const INSTRUCTIONS: &str = "instructions=callgrind";

impl BisectForecast {
    /// Seconds that all takes by wall time, CPU time and instructions, as far as that is known, in
    /// this order; empty if none of them is bisected, or less than two are known. Whichever is
    /// bisected, they are the same.
    #[must_use]
    pub fn costs(&self, asked: &BisectionRequest, has_callgrind: bool) -> Vec<(&'static str, f64)> {
        let known = self.building().zip(self.alone).filter(|_| is_compared(asked));
        let Some((building, one)) = known else { return Vec::new() };
        let by = |name: &'static str, noise: Option<MetricNoise>| {
            Some((name, building + one * self.samples_by(asked, noise?)?))
        };
        let (wall, cpu) = (by("wall", self.of_wall), by("cpu", self.of_cpu));
        let count = self.counted.map(|one| (INSTRUCTIONS, building + one * self.exact_samples()));
        let all = [wall, cpu, count.filter(|_| has_callgrind)];
        let all: Vec<_> = all.into_iter().flatten().collect();
        if all.len() > 1 { all } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use tacho_record::Digest;
    use tacho_record::bisection::Candidate;
    use tacho_store::Values;

    use super::super::Inquiry;
    use super::super::tests::asked;
    use super::*;
    use crate::build::builds::tests::revision;

    /// Twelve values of both ends, which differ by 5 %, as logarithms vary by this standard
    /// deviation; of a program that takes 0.2 s and is busy.
    fn values(sd: f64) -> Vec<Values> {
        let of = |end: u64| {
            let place = |at: i32| (f64::from(at) - 5.5) / 4.0;
            let level = if end == 1 { 2e8 } else { 2.1e8 };
            let values: Vec<f64> = (0..12).map(|at| level * (sd * place(at)).exp()).collect();
            Values {
                run: 1,
                revision: revision(end).id,
                artifact: Digest::of("a"),
                rounds: (0..12).collect(),
                positions: vec![0; values.len()],
                values,
                limited: tacho_record::LimitedExecutions::default(),
                bound_rounds: Vec::new(),
                failed: 0,
                failure: None,
                failure_said: None,
                steadiness: None,
            }
        };
        vec![of(1), of(9)]
    }

    /// What is expected where wall times and CPU times vary so.
    fn forecast(metric: &str, wall: f64, cpu: f64) -> (BisectForecast, BisectionRequest) {
        let candidate = |order| Candidate {
            revision: revision(order),
            left_out: 0,
            before: Vec::new(),
            taken_up: false,
        };
        let inquiry = Inquiry {
            asked: asked(metric),
            candidates: (1..=9).map(candidate).collect(),
            aside: None,
            again: false,
            layouts: Vec::new(),
        };
        let mut expected = BisectForecast::unknown(&inquiry);
        expected.learn_times(&inquiry, &values(wall), &values(cpu), 0.0);
        expected.build = Some(3.0);
        (expected.alone, expected.execution) = (Some(0.2), Some(0.2));
        expected.counted = Some(10.0);
        (expected, inquiry.asked)
    }

    #[test]
    fn what_a_metric_takes_does_not_depend_on_which_is_requested() {
        // Both vary alike and show the step; wall times do not show it; other work disturbs them.
        for (of_wall, of_cpu) in [(0.005, 0.004), (0.09, 0.06), (0.2, 0.004)] {
            let [wall, cpu] = ["wall", "cpu"].map(|metric| forecast(metric, of_wall, of_cpu));
            let costs = |(expected, asked): &(BisectForecast, BisectionRequest)| {
                expected.costs(asked, true)
            };
            assert_eq!(costs(&wall), costs(&cpu), "{of_wall} {of_cpu}");
            assert_eq!(costs(&wall).len(), 3);
            // What is said first is what is said of that metric.
            for (place, (expected, asked)) in [&wall, &cpu].into_iter().enumerate() {
                let takes = expected.takes(asked).unwrap().1;
                assert!(
                    (takes - costs(&wall)[place].1).abs() < 1e-9,
                    "{of_wall} {of_cpu}: {takes}"
                );
            }
        }
    }

    #[test]
    fn all_changes_take_more_than_what_the_ends_show() {
        let (mut expected, mut asked) = forecast("wall", 0.01, 0.01);
        let (_, one) = expected.samples(&asked);
        asked.all = true;
        let (_, same_builds) = expected.samples(&asked);
        assert!(same_builds > 2.0 * one, "the step of the ends is no guide: {one} {same_builds}");
        (expected.programs, expected.builds) = (65, 22);
        let (_, of_all) = expected.samples(&asked);
        assert_eq!(expected.costs(&asked, false)[0].1, expected.takes(&asked).unwrap().1);
        (asked.all, expected.step) = (false, None);
        let (_, of_one) = expected.samples(&asked);
        assert!((of_all / of_one - 2.0).abs() < 0.01, "twice the builds: {of_all} {of_one}");
    }

    #[test]
    fn a_step_that_cpu_times_show_is_known_of_wall_times_too() {
        let (expected, _) = forecast("wall", 0.2, 0.004);
        assert!(expected.is_by_cpu && (expected.step.unwrap() - 0.0488).abs() < 0.001);
        let (expected, _) = forecast("cpu", 0.2, 0.004);
        assert!(!expected.is_by_cpu && expected.of_wall == expected.of_cpu);
        // Alone they would not show it.
        let (expected, _) = forecast("wall", 0.06, 0.04);
        assert!(!expected.is_by_cpu && expected.of_cpu.unwrap().step == expected.step);
    }
}
