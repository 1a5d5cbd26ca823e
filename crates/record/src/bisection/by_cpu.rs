//! The reason why a bisection of wall time uses the CPU time of the same samples.

use serde::{Deserialize, Serialize};

/// How far samples of one revision vary, as relative standard deviations: where the wall time
/// varies much more than the CPU time, levels and effects are those of the CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ByCpu {
    /// The value for wall time.
    pub wall: f64,
    /// The value for CPU time.
    pub cpu: f64,
}

impl ByCpu {
    /// As a clause: `CPU time decided, since …`.
    #[must_use]
    pub fn line(&self) -> String {
        let [wall, cpu] = [self.wall, self.cpu].map(|share| {
            let digits = usize::from(share < 0.1) + usize::from(share < 0.001);
            format!("{:.digits$} %", 100.0 * share)
        });
        format!(
            "CPU time decided, since other work disturbs wall time: samples of one revision vary \
             by {wall} in wall time, by {cpu} in CPU time; under another load, effects may differ \
             by more than the intervals show"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spreads_have_the_digits_that_they_need() {
        let line = ByCpu { wall: 0.312, cpu: 0.0087 }.line();
        assert!(line.contains("vary by 31 % in wall time, by 0.9 % in CPU time; "), "{line}");
        let line = ByCpu { wall: 0.031, cpu: 0.0004 }.line();
        assert!(line.contains("vary by 3.1 % in wall time, by 0.04 % in CPU time; "), "{line}");
    }
}
