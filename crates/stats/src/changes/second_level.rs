//! A level beside that of most values.

/// A second level, relative to the level of most values.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecondLevel {
    /// Its distance from the level.
    pub offset: f64,
    /// The price of a value at the second level: the evidence against this level, since it is the
    /// rarer one.
    pub price: f64,
}

impl SecondLevel {
    /// A level at which this share of the values is.
    pub fn of(offset: f64, share: f64) -> Self {
        Self { offset, price: (2.0 * ((1.0 - share) / share).ln()).clamp(2.0, 8.0) }
    }
}
