//! How `--fail-on` came out, in words.

use super::ComparedRow;
use crate::words::percent;

/// How a comparison stands to what it was to fail on.
#[derive(Clone, Debug, PartialEq)]
pub struct GateRecord {
    /// What that is, as it was typed.
    pub typed: String,
    /// Whether it failed; none where not all was measured.
    pub failed: Option<bool>,
    /// What failed, so that there is nothing to judge: `sort at new (exit 1)`.
    pub broken: Vec<String>,
    /// The rows that are slower by the limit or more, each with by how much it is.
    pub slower: Vec<String>,
    /// Those that are neither slower nor not, for certain.
    pub open: Vec<String>,
    /// Whether it fails on them too.
    pub fails_on_open: bool,
    /// What only the first side has.
    pub lone: Vec<String>,
    /// Whether it fails on that too.
    pub fails_on_lone: bool,
}

/// How many rows of a gate are named.
const NAMED: usize = 10;

impl GateRecord {
    /// How it came out, and by what; `a` is what the first side is called.
    #[must_use]
    pub fn outcome(&self, a: &str) -> String {
        let gate = self;
        let Some(failed) = gate.failed else {
            return "not decided, since not all was measured".to_owned();
        };
        let lone = (!gate.lone.is_empty())
            .then(|| format!("benchmarks that only {a} has ({})", named(&gate.lone)));
        let fails_on_lone = lone.clone().filter(|_| gate.fails_on_lone);
        let mut by = gate.broken.clone();
        by.extend(gate.slower.iter().cloned());
        by.extend(gate.open.iter().filter(|_| gate.fails_on_open).cloned());
        let by: Vec<String> =
            (!by.is_empty()).then(|| named(&by)).into_iter().chain(fails_on_lone).collect();
        let is_open = !gate.open.is_empty() && !gate.fails_on_open;
        let parts = [
            Some(if failed {
                format!("failed by {}", by.join(" and by "))
            } else {
                "passed".to_owned()
            }),
            is_open.then(|| format!("it cannot decide on {}", named(&gate.open))),
            lone.filter(|_| !gate.fails_on_lone).map(|lone| format!("ignored: {lone}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// The first of them, and how many there are besides.
fn named(all: &[String]) -> String {
    let first = all.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > NAMED { format!("{first} and {} more", all.len() - NAMED) } else { first }
}

/// By how much a row is slower, at least and at most; nothing where nothing is known of that.
#[must_use]
pub fn slower_by(row: &ComparedRow) -> Option<String> {
    let (least, most) = row.worse_by()?;
    let ends = [least, most].map(percent);
    Some(match (least, most) {
        (_, f64::INFINITY) if least <= 0.0 => {
            "slower by an unknown amount, or not slower".to_owned()
        }
        (f64::INFINITY, _) => "slower: values of 0 or below have no percentage".to_owned(),
        (_, f64::INFINITY) => format!("slower by {} or more", ends[0]),
        _ if least <= 0.0 => format!("slower by {} at most", ends[1]),
        _ if ends[0] == ends[1] => format!("slower by {}", ends[0]),
        _ => format!("slower by {} to {}", ends[0], ends[1]),
    })
}
