//! A seed for the random order of executions.

/// A seed at random: small enough to be typed again, and exact in JSON.
pub(crate) fn random_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) >> 32
}
