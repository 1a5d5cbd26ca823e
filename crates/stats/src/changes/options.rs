//! The options of the detector.

/// The options of the detector; the defaults are the rules in `docs/src/method/changes.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Beyond how many standard deviations a value is an outlier, whose distance no longer counts.
    pub outlier: f64,
    /// The price of a further level in the segmentation, in units of the logarithm of the number of
    /// points.
    pub penalty: f64,
    /// Below this many finite values a series is not judged.
    pub fewest: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { outlier: 3.0, penalty: 4.0, fewest: 6 }
    }
}
