//! The host's path as spells of one speed, to be drawn and described in a line.

use crate::summary::median;

/// Executions on either side that a point of the path is the median of.
const AROUND: usize = 2;
/// The same of a path that programs' own modes do not move.
const FAR_AROUND: usize = 4;
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

/// The spells of a path, from what is left beside the programs' effects. Shorter ones than
/// `shortest` are noise of single executions, and part of what they interrupt.
#[must_use]
pub fn spells(rest: &[f64], shortest: usize) -> Vec<Spell> {
    let steps = above_usual(rest).into_iter().enumerate();
    let all = joined(steps.map(|(at, slower)| Spell { executions: at..at + 1, slower }));
    joined(all.into_iter().filter(|it| it.executions.len() >= shortest))
}

/// Spells that follow each other at one speed as one, at their mean speed.
fn joined(spells: impl Iterator<Item = Spell>) -> Vec<Spell> {
    let mut joined: Vec<Spell> = Vec::new();
    for spell in spells {
        match joined.last_mut().filter(|last| (last.slower - spell.slower).abs() < APART) {
            Some(last) => {
                let [one, other] = [&*last, &spell].map(|it| it.executions.len() as f64);
                last.slower = (last.slower * one + spell.slower * other) / (one + other);
                last.executions.end = spell.executions.end;
            }
            None => joined.push(spell),
        }
    }
    joined
}

/// The path above its usual level, without the noise of single executions.
pub(super) fn above_usual(rest: &[f64]) -> Vec<f64> {
    let usual = median(rest).unwrap_or(0.0);
    smooth(rest).into_iter().map(|level| level - usual).collect()
}

/// The residuals without the noise of single executions.
pub(super) fn smooth(rest: &[f64]) -> Vec<f64> {
    medians(rest, AROUND)
}

/// The residual of each execution without the median of those around it.
pub(super) fn without_slow(rest: &[f64]) -> Vec<f64> {
    rest.iter().zip(medians(rest, FAR_AROUND)).map(|(value, path)| value - path).collect()
}

/// The median of each execution and of this many on either side.
fn medians(rest: &[f64], far: usize) -> Vec<f64> {
    let around = |at: usize| &rest[at.saturating_sub(far)..(at + far + 1).min(rest.len())];
    (0..rest.len()).map(|at| median(around(at)).unwrap_or(0.0)).collect()
}
