//! What subjects inherit of the environment, for the record.

use std::collections::BTreeMap;

use tacho_record::{Conditions, Digest, Inherit};

/// The variables that are inherited under these conditions, each as `environment.NAME`.
///
/// Those that are always kept with their values. Of others, which may be secrets, only a short
/// digest is kept: it says whether they were the same.
pub fn inherited<'a>(all: impl Iterator<Item = &'a Conditions>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    // Many benchmarks inherit the same.
    let mut seen: Vec<&Inherit> = Vec::new();
    for Conditions { inherit, .. } in all {
        if seen.contains(&inherit) {
            continue;
        }
        seen.push(inherit);
        let conditions = Conditions { inherit: inherit.clone(), ..Conditions::default() };
        for (name, value) in tacho_measure::environment(&conditions) {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            let is_kept = Inherit::default().takes(&name);
            let shown = if is_kept {
                value.into_owned()
            } else {
                format!("digest {}", Digest::of(&*value).short())
            };
            found.insert(format!("environment.{name}"), shown);
        }
    }
    found
}
