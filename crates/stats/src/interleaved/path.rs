//! The host's path as spells of one speed, to be drawn and described in a line.

use crate::summary::median;

/// Executions on either side that a point of the path is the median of.
const AROUND: usize = 2;
/// A speed is another one where it differs by this much: 5 %.
const APART: f64 = 0.05;

/// A stretch in which the host ran at one speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Spell {
    /// The executions in it, in order of time.
    pub executions: std::ops::Range<usize>,
    /// How much slower than usual the host was, as a logarithm: 0.7 is half of the usual speed.
    pub slower: f64,
}

/// The spells of a path, from what is left beside the programs' effects.
#[must_use]
pub fn spells(rest: &[f64]) -> Vec<Spell> {
    let mut spells: Vec<Spell> = Vec::new();
    for (at, slower) in above_usual(rest).into_iter().enumerate() {
        match spells.last_mut().filter(|spell| (spell.slower - slower).abs() < APART) {
            Some(spell) => {
                let size = spell.executions.len() as f64;
                spell.slower = (spell.slower * size + slower) / (size + 1.0);
                spell.executions.end = at + 1;
            }
            None => spells.push(Spell { executions: at..at + 1, slower }),
        }
    }
    spells
}

/// The path above its usual level, without the noise of single executions.
pub(super) fn above_usual(rest: &[f64]) -> Vec<f64> {
    let usual = median(rest).unwrap_or(0.0);
    smooth(rest).into_iter().map(|level| level - usual).collect()
}

/// What is left beside the programs, without the noise of single executions.
pub(super) fn smooth(rest: &[f64]) -> Vec<f64> {
    let around = |at: usize| &rest[at.saturating_sub(AROUND)..(at + AROUND + 1).min(rest.len())];
    (0..rest.len()).map(|at| median(around(at)).unwrap_or(0.0)).collect()
}
