//! libFuzzer with the target that the environment variable `TARGET` names.
#![no_main]

use std::sync::OnceLock;

mod targets;

static TARGET: OnceLock<targets::Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let target = TARGET.get_or_init(|| {
        let name = std::env::var("TARGET").expect("TARGET names a target");
        let named = targets::TARGETS.into_iter().find(|(known, _)| *known == name);
        named.expect("TARGET is one of `fuzz/targets.rs`").1
    });
    target(bytes);
});
