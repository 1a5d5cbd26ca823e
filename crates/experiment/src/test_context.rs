//! What tests of experiments share.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use tacho_measure::Executor;
use tacho_record::Host;
use tacho_store::Store;
use tacho_subject::Builder;

use crate::{Context, SilentObserver};

/// Everything an experiment works with, on a host named `lab`, with nothing observed and nothing
/// interrupted.
pub(crate) fn lab_context<'a>(
    store: &'a mut Store,
    builder: &'a mut dyn Builder,
    executor: &'a mut dyn Executor,
) -> Context<'a> {
    static INTERRUPT: AtomicBool = AtomicBool::new(false);
    let host = store.put_host(&Host { name: "lab".into(), facts: BTreeMap::new() }).unwrap();
    let observer = Box::leak(Box::new(SilentObserver));
    Context { store, builder, executor, observer, interrupt: &INTERRUPT, host }
}
