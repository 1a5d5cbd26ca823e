//! criterion.rs as it prints
//! (<https://bheisler.github.io/criterion.rs/book/user_guide/command_line_output.html>): the
//! estimate between the two bounds; and the form of libtest, which `--output-format bencher` gives.

use super::number::leading;
use super::tool_reading::{ToolReading, choose};

/// The estimate for the benchmark of that name, in nanoseconds.
pub(super) fn values(text: &str, name: &str) -> Result<Vec<f64>, String> {
    choose(things(text), name)
}

/// All benchmarks.
pub(super) fn things(text: &str) -> Vec<ToolReading> {
    let mut things = Vec::new();
    // A name that is too long is on the line before.
    let mut before = "";
    for line in text.lines() {
        let estimated =
            line.split_once(" time: ").map(|(name, rest)| (name.trim(), estimate(rest)));
        if let Some((name, Some(value))) = estimated {
            things.push(thing(if name.is_empty() { before } else { name }, value));
        } else if let Some((name, value)) = bencher(line) {
            things.push(thing(name, value));
        }
        before = line.trim();
    }
    things
}

fn thing(name: &str, value: f64) -> ToolReading {
    ToolReading::new(vec![name.to_owned()], Ok(vec![value]))
}

/// The second of three times: `[2.5094 ms 2.5306 ms 2.5553 ms]`.
fn estimate(text: &str) -> Option<f64> {
    let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let words: Vec<&str> = inside.split_whitespace().collect();
    let [_, _, number, unit, _, _] = words.as_slice() else { return None };
    let factor = match *unit {
        "ps" => 1e-3,
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

/// `test NAME ... bench:  1,234 ns/iter (+/- 56)`.
fn bencher(line: &str) -> Option<(&str, f64)> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... bench:")?;
    let (number, rest) = leading(rest.trim_start())?;
    rest.trim_start().starts_with("ns/iter").then_some((name.trim(), number))
}
