//! The result of a comparison of two programs, in words.
//!
//! ```text
//! row      the data of a row          notes        what limits or explains the numbers
//! table    the rows as a table        clauses      the words of each of these
//! summary  all rows together          gate_record  how `--fail-on` came out
//! side     what a side is             way_out      what other work on the host disturbs less
//! ```

pub mod clauses;
pub mod gate_record;
mod notes;
mod row;
mod side;
mod summary;
mod table;
mod way_out;

pub use clauses::{SideNames, sentence};
pub use gate_record::GateRecord;
pub use notes::{between_runs, places};
pub(crate) use notes::{far_from_medians, ratio_of};
pub use row::{ComparedRow, has_trade_off, in_order};
pub use side::{described, program_of};
pub use summary::{counts, judged_together};
pub use table::{rounds_take, shown};

use std::time::Duration;

use tacho_record::{BenchmarkKey, Comparing, Rule};

use crate::block::Block;
use crate::host::HostLoad;

/// A carry-over: executions that follow one side of a benchmark take more or less than others.
#[derive(Clone, Debug, PartialEq)]
pub struct CarriedOver {
    /// The benchmark, without the parameters that the sides fix.
    pub benchmark: BenchmarkKey,
    /// The side: 0 or 1.
    pub side: usize,
    /// How much more, as a share; less than 0 is less.
    pub share: f64,
}

/// A comparison, as it is worded.
#[derive(Clone, Debug)]
pub struct ComparisonReport<'a> {
    /// On which terms.
    pub terms: &'a Comparing,
    /// Short names of both sides.
    pub names: [String; 2],
    /// One a benchmark and metric, in the plan's order.
    pub rows: &'a [ComparedRow],
    /// How many rows were judged together: more than these where only some are shown.
    pub together: usize,
    /// The largest expected share of false ones among the reported differences.
    pub false_discovery: f64,
    /// After which program what is executed differs, if that is seen.
    pub carried: Option<&'a CarriedOver>,
    /// How busy the host was with other things, by run, where that is reported.
    pub loads: &'a [(i64, HostLoad)],
    /// The number of the run that executed what was executed.
    pub run: Option<i64>,
    /// The stopping rule of that run, unless the user stopped it.
    pub rule: Option<&'a Rule>,
    /// How long a build took, where there are several of a side.
    pub build: Option<Duration>,
}

impl ComparisonReport<'_> {
    /// The limits and explanations of the numbers, of each row and of all.
    #[must_use]
    pub fn notes(&self) -> Vec<Block> {
        let rows = in_order(self.rows);
        let of_rows = rows.into_iter().flat_map(|row| self.of_row(row));
        of_rows.chain(self.of_all()).map(Block::Note).collect()
    }

    fn short_names(&self) -> SideNames<'_> {
        self.names.each_ref().map(String::as_str)
    }
}
