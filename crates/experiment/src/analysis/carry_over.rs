//! Carry-over: the influence of the program executed before, such as heat or an empty cache.

use tacho_record::{Place, Sample};
use tacho_stats::compare::{Influence, after_predecessors};

/// The probability of a false report of a carry-over.
pub const CARRY_OVER: f64 = 0.01;
/// By at least this share it must be slower or faster after one program, to be reported.
const LEAST: f64 = 0.01;
/// More executions are not looked at for it.
const MOST: usize = 2000;

/// A carry-over: executions that follow a program take more or less than others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CarryOver {
    /// The number of that program.
    pub after: u32,
    /// How much more, as a share; less than 0 is less.
    pub share: f64,
}

/// Samples of a cell, by the number of the program that it executes.
#[derive(Clone, Copy, Debug)]
pub struct ProgramSamples<'a> {
    /// The number of the program; several cells may execute one.
    pub program: u32,
    /// By which metric it is judged.
    pub metric: &'a str,
    /// Its samples.
    pub samples: &'a [Sample],
}

impl CarryOver {
    /// Looks for it in the rounds that all took part in (docs/src/method).
    #[must_use]
    pub fn of(cells: &[ProgramSamples<'_>], seed: u64) -> Option<Self> {
        let last = |cell: &ProgramSamples| {
            cell.samples.iter().map(|sample| sample.place.round).max().unwrap_or(0)
        };
        let common = cells.iter().map(last).min()?;
        let mut sequence: Vec<(Place, (u32, f64))> = Vec::new();
        for cell in cells {
            let is_in = |sample: &&Sample| sample.counts() && sample.place.round <= common;
            let one = |it: &Sample| Some((it.place, (cell.program, it.value(cell.metric)?)));
            sequence.extend(cell.samples.iter().filter(is_in).filter_map(one));
        }
        sequence.sort_by_key(|(place, _)| *place);
        sequence.truncate(MOST);
        let sequence: Vec<(u32, f64)> = sequence.into_iter().map(|(_, one)| one).collect();
        let influence = Influence::of(&after_predecessors(&sequence), seed)?;
        let far = influence.strongest;
        let is_reported = influence.p <= CARRY_OVER && far.residual.abs() >= LEAST;
        // Net times below 0 have no share.
        let is_share = sequence.iter().all(|(_, value)| *value > 0.0);
        (is_reported && is_share).then(|| Self { after: far.beside, share: far.residual.exp_m1() })
    }
}
