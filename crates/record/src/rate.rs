//! The better direction that a name or a unit suggests: larger rates are better.

use crate::{Direction, Unit};

/// How certain it is that more of a metric is better, by its name and unit alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateHint {
    /// A count by time, as `requests/s`, or a word for one, as `throughput`: more is better.
    Certain,
    /// Larger values with such a name, as a `score`, are often better, but not always.
    Possible,
}

/// The units of time after `per` or `/` in a rate; shorter names of minutes and hours have other
/// meanings.
const TIMES: [&str; 7] = ["s", "sec", "secs", "second", "seconds", "minute", "hour"];
/// Words for rates.
const RATES: [&str; 15] = [
    "throughput",
    "bandwidth",
    "goodput",
    "rps",
    "qps",
    "tps",
    "iops",
    "fps",
    "kbps",
    "mbps",
    "gbps",
    "mips",
    "flops",
    "mflops",
    "gflops",
];
/// Words for what is often better if there is more of it.
const POSSIBLE: [&str; 9] =
    ["rate", "score", "speed", "speedup", "ops", "hits", "performance", "efficiency", "accuracy"];
/// Words for what is unwanted, by time too.
const UNWANTED: [&str; 20] = [
    "error",
    "errors",
    "fail",
    "failed",
    "failure",
    "failures",
    "miss",
    "misses",
    "fault",
    "faults",
    "drop",
    "drops",
    "dropped",
    "loss",
    "losses",
    "lost",
    "retries",
    "retransmits",
    "stalls",
    "timeouts",
];
/// Words for times and sizes, of which less is better.
const COSTS: [&str; 14] = [
    "ns", "us", "ms", "s", "sec", "seconds", "time", "latency", "duration", "memory", "bytes",
    "kb", "mb", "per",
];

impl RateHint {
    /// The hint of this name and unit; `None` if they do not suggest a rate.
    #[must_use]
    pub fn of(name: &str, unit: &Unit) -> Option<Self> {
        let unit = match unit {
            Unit::Nanoseconds => return None,
            Unit::Bytes => Vec::new(),
            Unit::Other(unit) if Unit::named(unit).0 == Unit::Nanoseconds => return None,
            Unit::Other(unit) => words(unit),
        };
        let name = words(name);
        let has = |words: &[String], among: &[&str]| {
            words.iter().any(|word| among.contains(&word.as_str()))
        };
        if has(&name, &UNWANTED) || has(&unit, &UNWANTED) {
            return None;
        }
        if are_of_rate(&unit) || are_of_rate(&name) {
            return Some(Self::Certain);
        }
        let is_possible = has(&name, &POSSIBLE) || has(&unit, &POSSIBLE);
        (is_possible && !has(&name, &COSTS) && !has(&unit, &COSTS)).then_some(Self::Possible)
    }

    /// The better direction if no other source gives one: higher only where that is certain.
    #[must_use]
    pub fn direction(hint: Option<Self>) -> Direction {
        if hint == Some(Self::Certain) { Direction::Higher } else { Direction::Lower }
    }
}

impl Unit {
    /// Whether the unit is of a time or a rate, which are called faster or slower; sizes and counts
    /// are called better or worse.
    #[must_use]
    pub fn is_of_time(&self) -> bool {
        match self {
            Self::Nanoseconds => true,
            Self::Bytes => false,
            Self::Other(name) => are_of_rate(&words(name)),
        }
    }
}

/// Whether something is counted by time, `requests/s` or `ops per second`, or is a word for that.
fn are_of_rate(words: &[String]) -> bool {
    let counts = |pair: &[String]| pair[0] == "per" && TIMES.contains(&pair[1].as_str());
    words.windows(2).any(counts) || words.iter().any(|word| RATES.contains(&word.as_str()))
}

/// The words of a name in small letters, `per` for `/`: `requests_per_s`, `requestsPerSecond` and
/// `requests/sec` have three.
fn words(name: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins = letter.is_uppercase() && before.is_lowercase();
        if letter == '/' {
            all.extend(["per".to_owned(), String::new()]);
        } else if !letter.is_alphanumeric() {
            all.push(String::new());
        } else if begins {
            all.push(letter.to_lowercase().to_string());
        } else if let Some(word) = all.last_mut() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    all.retain(|word| !word.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, unit: &str) -> Option<RateHint> {
        RateHint::of(name, &Unit::named(unit).0)
    }

    #[test]
    fn what_counts_by_time_is_a_rate() {
        for name in [
            "requests_per_s",
            "ops/s",
            "MB/s",
            "ops/sec",
            "copy (MiB/s)",
            "requestsPerSecond",
            "items per second",
            "throughput",
            "read-bandwidth",
            "QPS",
        ] {
            assert_eq!(of(name, ""), Some(RateHint::Certain), "{name}");
            assert_eq!(RateHint::direction(of(name, "")), Direction::Higher, "{name}");
        }
        for unit in ["1/s", "MB/s", "requests/s", "GFLOPS", "fps"] {
            assert_eq!(of("x", unit), Some(RateHint::Certain), "{unit}");
        }
    }

    #[test]
    fn times_and_rates_are_of_time() {
        let is_of_time = |name| Unit::named(name).0.is_of_time();
        assert!(["ms", "Mbit/s", "ops/sec", "GFLOPS", "fps"].into_iter().all(is_of_time));
        assert!(!["KiB", "", "steps", "%", "drops"].into_iter().any(is_of_time));
    }

    #[test]
    fn what_may_be_a_rate_keeps_the_usual_direction() {
        for name in ["score", "hit_rate", "speed", "total ops"] {
            assert_eq!(of(name, ""), Some(RateHint::Possible), "{name}");
            assert_eq!(RateHint::direction(of(name, "")), Direction::Lower, "{name}");
        }
    }

    #[test]
    fn costs_are_no_rates() {
        for name in [
            "wall",
            "time",
            "ns/op",
            "errors/s",
            "miss_rate",
            "score_ms",
            "group/min",
            "seconds",
            "generate",
            "scoreboard",
            "per",
            "",
        ] {
            assert_eq!(of(name, ""), None, "{name}");
        }
        assert_eq!(of("score", "ms"), None);
        assert_eq!(of("throughput", "ns"), None);
        assert_eq!(of("drops", "1/s"), None);
    }
}
