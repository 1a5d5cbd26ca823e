//! The environment of a subject: little of ours, and what the plan gives it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;

use tacho_record::{Conditions, Inherit};

/// The variables that these conditions give whatever is executed under them.
#[must_use]
pub fn environment(conditions: &Conditions) -> BTreeMap<OsString, OsString> {
    let inherited = env::vars_os().filter(|(name, _)| takes(&conditions.inherit, name));
    let given = conditions.environment.iter().map(|(name, value)| (name.into(), value.into()));
    inherited.chain(given).collect()
}

/// Variables that are not UTF-8 are inherited only if all are.
fn takes(inherit: &Inherit, name: &OsString) -> bool {
    name.to_str().map_or(*inherit == Inherit::All, |name| inherit.takes(name))
}
