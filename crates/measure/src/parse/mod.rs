//! Metrics from what a subject says: text in, numbers out.
//!
//! A [`Parser`] knows one metric's place in a text. The general ways to find values have a file
//! each (`pattern`, `key`, `table`, `json`, whose documents `documents` finds), and so has every
//! tool whose report is known. All are pure, take any bytes, and either find at least one finite
//! number or return the reason. `experiment` decides whether an execution may be read at all, and
//! uses the values. `exported` reads a whole file of one of the tools, `points` reads it as a point
//! of series. `record::plan` checks the patterns of a plan.

mod asv;
mod criterion;
mod documents;
mod exported;
mod file_point;
mod go_bench;
mod google_benchmark;
mod hyperfine;
mod iperf3;
mod jmh;
mod json;
mod key;
mod limited;
mod metrics;
mod number;
mod pattern;
mod points;
mod pyperf;
mod pytest_benchmark;
mod table;
mod tcpbench;
mod time;
mod tool_reading;

#[cfg(test)]
mod tests;

use regex::Regex;
use tacho_record::Unit;
use tacho_record::plan::{Pattern, Reading, Tool};

pub use exported::{Report, read_report, report};
pub use file_point::{FilePoint, FileValue};
pub use limited::{read_all, read_file};
use number::NumberScale;
pub use points::read_point;

/// Finds the values of one metric.
#[derive(Clone, Debug)]
pub struct Parser {
    pattern: Pattern,
    /// The pattern of [`Pattern::Regex`], compiled once and not between executions.
    regex: Option<Regex>,
    scale: NumberScale,
}

impl Parser {
    /// A parser for that reading of a metric with that unit.
    #[must_use]
    pub fn new(reading: &Reading, unit: &Unit) -> Self {
        let regex = match &reading.pattern {
            Pattern::Regex(text) => pattern::compile(text),
            _ => None,
        };
        let scale = NumberScale { unit: unit.clone(), factor: reading.scale };
        Self { pattern: reading.pattern.clone(), regex, scale }
    }

    /// All values in a text, in their order and in the metric's base unit; at least one, all of
    /// them finite.
    ///
    /// Invalid UTF-8 is replaced. The error names the missing value in one line.
    pub fn values(&self, output: &[u8]) -> Result<Vec<f64>, String> {
        let text = String::from_utf8_lossy(output);
        let values = self.find(&text)?;
        if values.is_empty() {
            return Err("there is no value".to_owned());
        }
        match values.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(format!("`{value}` is not a finite number")),
            None => Ok(values),
        }
    }

    fn find(&self, text: &str) -> Result<Vec<f64>, String> {
        let scale = &self.scale;
        match &self.pattern {
            Pattern::Csv(column) => table::values(text, column, scale),
            Pattern::Json(pointer) => json::values(text, pointer, scale),
            Pattern::Key(name) => key::values(text, name, scale),
            Pattern::Regex(_) => pattern::values(text, self.regex.as_ref(), scale),
            Pattern::Tool { tool, name, quantity } => match tool {
                Tool::Criterion => criterion::values(text, name),
                Tool::GoBench => go_bench::values(text, name, quantity),
                Tool::GoogleBenchmark => google_benchmark::values(text, name, quantity),
                Tool::Hyperfine => hyperfine::values(text, name),
                Tool::Iperf3 => iperf3::values(text, quantity),
                Tool::Jmh => jmh::values(text, name, &scale.unit),
                Tool::Metrics => metrics::values(text, name, scale),
                Tool::Pyperf => pyperf::values(text, name, &scale.unit),
                Tool::PytestBenchmark => pytest_benchmark::values(text, name),
                Tool::Tcpbench => tcpbench::values(text, quantity),
                Tool::Time => time::values(text, quantity),
            },
        }
    }
}
