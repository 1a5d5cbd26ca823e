//! The meaning of metrics whose names do not show it.

use tacho_record::Sample;

/// The meaning of the peak of memory.
pub const PEAK_MEMORY: &str = "the peak of the largest process, not of all together";

/// The meaning of `user` and `sys` if [`is_split_by_ticks`].
pub const SPLIT: &str = "sampled at timer ticks (such as every 4 ms): only the sum is exact";

/// From this much processor time on, in nanoseconds, it means something how the kernel splits user
/// from sys.
const EXACT: f64 = 1e9;

/// Whether any execution used so little that it matters how the kernel splits user from sys.
#[must_use]
pub fn is_split_by_ticks<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> bool {
    let is_short = |sample: &Sample| {
        sample.value("user").is_some() && sample.value("cpu").is_some_and(|cpu| cpu < EXACT)
    };
    let mut shown = samples.into_iter().filter(|sample| sample.counts() || sample.is_limited());
    shown.any(is_short)
}
