//! What experiments work with.

use std::sync::atomic::AtomicBool;

use tacho_measure::Executor;
use tacho_store::{HostId, Store};
use tacho_subject::Builder;

use crate::Observer;

/// Everything an experiment works with.
pub struct Bench<'a> {
    /// Where what was measured is kept.
    pub store: &'a mut Store,
    /// Who makes builds.
    pub builder: &'a mut dyn Builder,
    /// Who executes.
    pub executor: &'a mut dyn Executor,
    /// Who is told.
    pub observer: &'a mut dyn Observer,
    /// Raised when the user wants to stop.
    pub interrupt: &'a AtomicBool,
    /// The host, as the store knows it.
    pub host: HostId,
}
