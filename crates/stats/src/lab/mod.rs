//! The program or the machine: whose the changes of a lab's series are.
//!
//! A lab measures series on one or more hosts, run after run. [`causes`] takes the changes that the
//! detector found in each series and finds for each whether the program or the machine is the
//! cause. Evidence is of two kinds: fixed programs that were executed in each run (`reference`),
//! and other series, those of the same host at the same time and the same ones on other hosts
//! (`group`). Nothing is corrected. The rules are in `docs/src/method/reference.md`.

mod data;
mod group;
mod judging;
mod reference;
#[cfg(test)]
mod tests;
mod window;

pub use data::{
    LabCause, LabChange, LabNumbers, LabSeries, LabValue, MachineEvidence, ReferenceLevel,
    ReferenceMove, SlowResponse,
};
pub use judging::causes;
