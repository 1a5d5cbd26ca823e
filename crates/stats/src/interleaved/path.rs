//! The host's path as spells of one speed, to be drawn and described in a line.

use crate::summary::median;

/// Executions on either side that a point of the path is the median of.
const AROUND: usize = 2;
/// The same of a path that programs' own modes do not move.
const FAR_AROUND: usize = 4;
/// A speed is another one where it differs by this much: 5 %, …
const APART: f64 = 0.05;
/// … or by this share of what both differ by from the usual one.
const ALIKE: f64 = 0.25;

/// A stretch in which the host ran at one speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Spell {
    /// The executions in it, in order of time.
    pub executions: std::ops::Range<usize>,
    /// How much slower than usual the host was, as a logarithm: 0.7 is half of the usual speed.
    pub slower: f64,
}

/// The spells of a host's path, from what is left beside the programs' effects, and from what is
/// left at the usual speed. A spell shorter than `shortest` is part of the one beside it whose
/// speed is nearer.
#[must_use]
pub fn spells(rest: &[f64], usual: f64, shortest: usize) -> Vec<Spell> {
    let steps = smooth(rest).into_iter().enumerate();
    let one = |(at, level)| Spell { executions: at..at + 1, slower: level - usual };
    let mut spells = joined(steps.map(one));
    for length in 1..shortest {
        spells = joined(absorbed(spells, length).into_iter());
    }
    spells
}

/// Spells without those of at most this many executions: each goes to the one beside it whose speed
/// is nearer.
fn absorbed(mut spells: Vec<Spell>, length: usize) -> Vec<Spell> {
    let mut kept: Vec<Spell> = Vec::new();
    for at in 0..spells.len() {
        let spell = spells[at].clone();
        let off = |other: &Spell| (other.slower - spell.slower).abs();
        let before = kept.last().map_or(f64::INFINITY, off);
        let after = spells.get(at + 1).map_or(f64::INFINITY, off);
        match kept.last_mut().filter(|_| before <= after) {
            _ if spell.executions.len() > length => kept.push(spell),
            // What interrupts a spell does not change its speed.
            Some(last) if last.executions.len() > length => {
                last.executions.end = spell.executions.end;
            }
            Some(last) => *last = last.with(&spell),
            None if after.is_finite() => spells[at + 1] = spell.with(&spells[at + 1]),
            None => kept.push(spell),
        }
    }
    kept
}

/// Spells that follow each other at one speed as one, at their mean speed.
fn joined(spells: impl Iterator<Item = Spell>) -> Vec<Spell> {
    let mut joined: Vec<Spell> = Vec::new();
    for spell in spells {
        match joined.last_mut().filter(|last| last.is_at_speed_of(&spell)) {
            Some(last) => *last = last.with(&spell),
            None => joined.push(spell),
        }
    }
    joined
}

impl Spell {
    /// Both as one, at their mean speed.
    fn with(&self, next: &Self) -> Self {
        let [one, other] = [self, next].map(|it| it.executions.len() as f64);
        Self {
            executions: self.executions.start..next.executions.end,
            slower: (self.slower * one + next.slower * other) / (one + other),
        }
    }

    /// Whether both have about one speed: far from the usual one, less alike than near it.
    fn is_at_speed_of(&self, other: &Self) -> bool {
        let off = if self.slower * other.slower > 0.0 {
            self.slower.abs().min(other.slower.abs())
        } else {
            0.0
        };
        (self.slower - other.slower).abs() < APART.max(ALIKE * off)
    }
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
