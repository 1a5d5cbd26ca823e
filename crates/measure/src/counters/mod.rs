//! Counters: what the kernel, the processor or callgrind counts of an execution when asked to.
//!
//! Not of every execution, since much of it is not to be had everywhere, takes something from the
//! subject, or takes long. [`Events`] holds what is counted beside an ordinary execution: `event`
//! is one counter of the kernel's (`perf_event_open`), `energy` what processors and memory say that
//! they took up. [`under_callgrind`] is an execution of its own. `count` has the arithmetic. What
//! is worth counting, and how often, is decided elsewhere.

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
