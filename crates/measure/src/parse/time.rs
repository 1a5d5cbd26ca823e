//! `time`, in its four forms: GNU's default and `-v` (time.c of GNU time 1.9), POSIX's `-p`, and
//! the word of bash.

use super::number::leading;

const KIBIBYTE: f64 = 1024.0;
const SECOND: f64 = 1e9;

/// `real`, `user`, `sys` in nanoseconds or `max-rss` in bytes, of each report.
pub(super) fn values(text: &str, quantity: &str) -> Result<Vec<f64>, String> {
    let (long, word, mark, factor) = match quantity {
        "real" => ("Elapsed (wall clock) time (h:mm:ss or m:ss):", "real", "elapsed", SECOND),
        "user" => ("User time (seconds):", "user", "user", SECOND),
        "sys" => ("System time (seconds):", "sys", "system", SECOND),
        _ => ("Maximum resident set size (kbytes):", "", "maxresident)k", KIBIBYTE),
    };
    let value = |line: &str| {
        let line = line.trim();
        let labelled = line.strip_prefix(long).or_else(|| {
            let rest = line.strip_prefix(word).filter(|_| !word.is_empty())?;
            rest.starts_with([' ', '\t']).then_some(rest)
        });
        labelled.map_or_else(|| marked(line, mark), |text| clock(text.trim()))
    };
    let values: Vec<f64> = text.lines().filter_map(value).map(|number| number * factor).collect();
    if values.is_empty() { Err(format!("`time` reports no `{quantity}`")) } else { Ok(values) }
}

/// The number right before a mark, among words: `0:00.02elapsed`.
fn marked(line: &str, mark: &str) -> Option<f64> {
    line.split_whitespace().find_map(|word| clock(word.strip_suffix(mark)?))
}

/// `1:02:03.4`, `2:03.4`, `0m3.4s` or `3.4`, in seconds.
fn clock(text: &str) -> Option<f64> {
    let text = text.strip_suffix('s').unwrap_or(text);
    let mut total = 0.0;
    for part in text.split([':', 'm']) {
        let (number, "") = leading(part)? else { return None };
        total = total * 60.0 + number;
    }
    Some(total)
}
