//! How much of its time a program is busy, as it uses CPUs or waits for one: what sleeps or waits
//! for anything else shows nothing in its CPU time.

/// From this part of its wall time on, the CPU time of a program shows what its wall time does.
const GOOD_PART: f64 = 0.5;

/// Whether the CPU time is a large part of the wall time, so that it is worth a comparison.
#[must_use]
pub fn is_mostly_busy(share: Option<f64>) -> bool {
    share.is_some_and(|share| share >= GOOD_PART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_sleeps_shows_little_in_its_cpu_time() {
        let shares = [Some(0.02), Some(0.95), None];
        assert_eq!(shares.map(is_mostly_busy), [false, true, false]);
    }
}
