//! Counters: what the kernel, the processor or callgrind counts of an execution when asked to.
//!
//! Not every execution is counted: many counters are not available everywhere, disturb the subject,
//! or take long. [`Events`] has the counters of an ordinary execution: `event` is one counter of
//! the kernel (`perf_event_open`), `energy` the energy that processors and memory report.
//! [`under_callgrind`] is an execution of its own. `count` has the arithmetic. Other crates decide
//! what to count, and how often.

mod callgrind;
mod callgrind_files;
mod count;
mod energy;
mod event;
mod events;
mod processors;

use std::path::Path;

use tacho_record::Counter;

pub use callgrind::{CallgrindExecution, under_callgrind};
pub use count::{CounterValue, Unavailable};
pub use events::Events;

/// Why executions on this host cannot have that counter, if they cannot.
pub fn lacks(counter: Counter) -> Option<Unavailable> {
    if counter == Counter::CallgrindInstructions {
        return callgrind::lacks();
    }
    Events::open(std::process::id(), &[counter], Path::new("/")).refusal(counter).cloned()
}
