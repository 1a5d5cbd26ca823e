//! How `--fail-on` came out, in words.

use tacho_record::{Comparing, Direction, factor, first_of, short_name, shown as in_one_line};

use super::{ComparedRow, clauses};
use crate::words::{percent, times};

/// The result of a comparison with conditions of failure.
#[derive(Clone, Debug, PartialEq)]
pub struct GateRecord {
    /// The conditions as typed.
    pub typed: String,
    /// Whether the comparison failed; `None` if not all rows were measured.
    pub failed: Option<bool>,
    /// The failures that leave nothing to judge: ``sort` failed at new (exit 1)``.
    pub broken: Vec<String>,
    /// The rows that are slower by the limit or more, each with by how much it is.
    pub slower: Vec<String>,
    /// The rows that are neither surely slower nor surely not.
    pub open: Vec<String>,
    /// The first of these, each with what is known of it and what would decide.
    pub deciding: Vec<String>,
    /// Whether open rows fail the comparison too.
    pub fails_on_open: bool,
    /// The benchmarks that only the first side has.
    pub lone: Vec<String>,
    /// Whether such benchmarks fail the comparison too.
    pub fails_on_lone: bool,
}

/// How many rows of a gate are named.
const NAMED: usize = 10;
/// From this share on a row has a factor in place of a percentage.
const FACTOR: f64 = 10.0;

impl GateRecord {
    /// The undecided rows: several as their number, since they are listed beside the outcome.
    fn open(&self) -> Vec<String> {
        let what = if self.fails_on_open { "undecided rows" } else { "rows" };
        match self.open.len() {
            0 | 1 => self.open.clone(),
            several => vec![format!("{several} {what}")],
        }
    }

    fn not_judged(&self) -> Option<String> {
        (!self.broken.is_empty()).then(|| format!("not judged: {}", named(&self.broken)))
    }

    fn only(&self, a: &str) -> Option<String> {
        let names = || named(&self.lone);
        (!self.lone.is_empty()).then(|| format!("benchmarks that only `{a}` has ({})", names()))
    }

    /// The reasons of a failure beside slower rows, to be added to these; `a` is as in
    /// [`GateRecord::outcome`].
    #[must_use]
    pub fn beside_rows(&self, a: &str) -> String {
        let lone = self.only(a).filter(|_| self.fails_on_lone).map(|it| format!(" and {it}"));
        let broken = self.not_judged().map(|it| format!("; {it}"));
        lone.into_iter().chain(broken).collect()
    }

    /// How it came out, and by what; `a` is what the first side is called.
    #[must_use]
    pub fn outcome(&self, a: &str) -> String {
        let gate = self;
        let Some(failed) = gate.failed else {
            return "undecided: not everything was measured".to_owned();
        };
        let lone = gate.only(a);
        let fails_on_lone = lone.clone().filter(|_| gate.fails_on_lone);
        let mut by = gate.slower.clone();
        by.extend(gate.open().into_iter().filter(|_| gate.fails_on_open));
        let by: Vec<String> =
            (!by.is_empty()).then(|| named(&by)).into_iter().chain(fails_on_lone).collect();
        let is_open = !gate.open.is_empty() && !gate.fails_on_open;
        let parts = [
            gate.not_judged(),
            match (failed, by.is_empty()) {
                (true, true) => None,
                (true, false) => Some(format!("failed because of {}", by.join(" and "))),
                (false, _) => Some("passed".to_owned()),
            },
            is_open.then(|| format!("undecided: {}", named(&gate.open()))),
            lone.filter(|_| !gate.fails_on_lone).map(|lone| format!("ignored: {lone}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// The first of them, and how many there are besides.
fn named(all: &[String]) -> String {
    first_of(all, NAMED)
}

/// The failures of a side, each benchmark once.
#[must_use]
pub fn broken(terms: &Comparing, rows: &[ComparedRow]) -> Vec<String> {
    let worded = |row: &ComparedRow| {
        let (why, side) = row.failure.as_ref().filter(|_| row.is_failed())?;
        let name = in_one_line(short_name(&terms.sides[*side].name));
        Some(format!("`{}` failed at {name} ({why})", row.benchmark))
    };
    let mut all: Vec<String> = rows.iter().filter_map(worded).collect();
    all.dedup();
    all
}

/// By how much a row is slower, at least and at most; `None` if nothing is known of that.
#[must_use]
pub fn slower_by(row: &ComparedRow) -> Option<String> {
    let (least, most) = row.worse_by()?;
    let ends = [least, most].map(more);
    let slower = clauses::slower(&row.metric.unit);
    Some(match (least, most) {
        (_, f64::INFINITY) if least <= 0.0 => {
            format!("{slower} by an unknown amount, if at all")
        }
        (f64::INFINITY, _) => format!("{slower}: values of 0 or below have no percentage"),
        (_, f64::INFINITY) => format!("{slower} by {} or more", ends[0]),
        _ if least <= 0.0 => format!("{slower} by at most {}, if at all", ends[1]),
        _ if ends[0] == ends[1] => format!("{slower} by {}", ends[0]),
        _ => {
            let is_lower = row.metric.better == Direction::Lower;
            let share = row.ratio().map(|it| if is_lower { it - 1.0 } else { 1.0 / it - 1.0 });
            format!("{slower} by {}", between(least, share, most))
        }
    })
}

/// How much more a share is: `7.7 %`, or the factor that the row has: `× 11.2`.
fn more(share: f64) -> String {
    if share < FACTOR { percent(share) } else { times(1.0 + share) }
}

/// A share with the ends of its interval: `7.7 % (7.1 to 8.3 %)`, factors of ten and more as
/// `× 30.4 (28.3 to 31.2)`.
fn between(least: f64, share: Option<f64>, most: f64) -> String {
    let share =
        share.filter(|it| (least..=most).contains(it)).unwrap_or(f64::midpoint(least, most));
    if most >= FACTOR {
        let [least, share, most] = [least, share, most].map(|it| factor(1.0 + it));
        return format!("× {share} ({least} to {most})");
    }
    let reach = (most - share).max(share - least);
    let tenths = |share: f64| usize::from(reach < 0.1 || share < 0.1);
    let [least, share, most] =
        [least, share, most].map(|it| format!("{:.*}", tenths(it), 100.0 * it));
    format!("{share} % ({least} to {most} %)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_one_number_and_how_far_it_is_known() {
        assert_eq!(between(5.688, Some(5.9), 6.121), "590 % (569 to 612 %)");
        assert_eq!(between(0.071, None, 0.083), "7.7 % (7.1 to 8.3 %)");
        assert_eq!(between(9.9, Some(10.2), 10.5), "× 11.2 (10.9 to 11.5)");
        assert_eq!(between(10.0, Some(10.2), 10.5), "× 11.2 (11.0 to 11.5)");
        assert_eq!(between(5.688, Some(6.02), 6.121), "602 % (569 to 612 %)");
        assert_eq!(between(0.01, Some(0.02), 0.05), "2.0 % (1.0 to 5.0 %)");
        assert_eq!(between(0.086, Some(0.202), 0.391), "20 % (8.6 to 39 %)");
        assert_eq!(between(27.3, Some(29.4), 30.2), "× 30.4 (28.3 to 31.2)");
        assert_eq!([0.077, 29.4].map(more), ["7.7 %", "× 30.4"]);
    }
}
