//! Executes one command and accounts for it; lets one measurement at a time onto the host.
//!
//! This crate has the [`Executor`] with its real and its scripted form, readings of the host, its
//! lock and the handling of Ctrl-C. Elsewhere are: what to execute, how often and in which order
//! (`experiment`), facts of the host (`machine`), statistics (`stats`), and the store (`store`).
//! This crate writes no file but the lock.
//!
//! Linux only: pidfds, subreapers and `/proc` have no counterpart that gives the same readings
//! elsewhere. Commands are started by a small program of its own (`launcher/launcher.c`), which the
//! library carries.

mod companion;
mod counters;
mod error;
mod execution;
mod execution_end;
#[doc(hidden)]
pub mod fuzz;
mod holder;
mod host;
mod instrument;
mod interrupt;
mod lock;
mod parse;
mod pipe;
mod process;
mod reference;
mod request;
mod scripted;

pub use companion::{
    CompanionEnd, CompanionRequest, CompanionUsage, NotReady, Readiness, ReadyCompanion,
};
pub use counters::{CallgrindExecution, CounterValue, Unavailable, under_callgrind};
pub use error::MeasureError;
pub use execution::{Blocks, CapturedOutput, Execution, Executor, SchedulerTimes, Usage};
pub use execution_end::{ExecutionEnd, MissingMetric};
pub use holder::Holder;
pub use host::{CpuPlacement, HostReader, Readings, TwoCpus, two_cpus};
pub use instrument::{SelfTest, self_test};
pub use interrupt::install_interrupt;
pub use lock::{HostLock, LockWait, lock_host, lock_path};
pub use parse::{
    FilePoint, FileValue, Parser, Report, read_all, read_file, read_point, read_report, report,
};
pub use pipe::check_no_pipe;
pub use process::{ProcessExecutor, environment, missing_program, nearest_program};
pub use reference::ReferenceFile;
pub use request::{Capture, OutputRequest, Request};
pub use scripted::ScriptedExecutor;
