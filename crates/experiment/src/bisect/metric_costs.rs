//! What a bisection by another metric is expected to take: wall time is disturbed by other work,
//! CPU time less, and a count of instructions hardly at all.

use tacho_record::bisection::BisectionRequest;

use super::expected_cost::{
    BisectForecast, SAMPLES, counted, counts_instructions, is_compared, samples_of,
};

/// How a user names the count of callgrind.
const INSTRUCTIONS: &str = "instructions=callgrind";

impl BisectForecast {
    /// Seconds that all takes by wall time, CPU time and instructions, as far as that is known, in
    /// this order; nothing where none of them is bisected, or less than two are known.
    #[must_use]
    pub fn costs(&self, asked: &BisectionRequest, has_callgrind: bool) -> Vec<(&'static str, f64)> {
        let known = self.building().zip(self.alone).filter(|_| is_compared(asked));
        let Some((building, one)) = known else { return Vec::new() };
        let step = self.step.unwrap_or(0.0);
        let by = |name: &'static str, sd: Option<f64>| {
            let samples = samples_of(asked, step, sd?)?;
            Some((name, building + one * samples))
        };
        // A bisection of wall time uses CPU times by itself, where other work disturbs it.
        let wall = by("wall", if self.is_by_cpu { self.sd } else { self.sd_of_wall });
        let cpu = by("cpu", self.sd_of_cpu.filter(|_| !self.is_by_cpu));
        let each = self.execution.filter(|_| counts_instructions(asked));
        let count = (INSTRUCTIONS, building + each.unwrap_or(counted(one)) * SAMPLES.0);
        let all = [wall, cpu, has_callgrind.then_some(count)];
        let all: Vec<_> = all.into_iter().flatten().collect();
        if all.len() > 1 { all } else { Vec::new() }
    }
}
