//! A number, and what is known by it.

/// How a number bounds the true value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// The true value.
    #[default]
    Exact,
    /// A lower bound: a limit was reached, such as a limit of time.
    AtLeast,
    /// An upper bound.
    AtMost,
    /// No bound: the true value may be larger or smaller.
    Unknown,
}

impl Bound {
    /// The bound of the ratio of one side to another, with these numbers of samples that reached a
    /// limit.
    #[must_use]
    pub fn of_sides([before, after]: [u32; 2]) -> Self {
        match (before > 0, after > 0) {
            (false, false) => Self::Exact,
            (false, true) => Self::AtLeast,
            (true, false) => Self::AtMost,
            (true, true) => Self::Unknown,
        }
    }
}

/// A number that is something, or only what that is at least or at most. Code prints one by
/// [`shown`](Self::shown), so that a bound never passes for the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundedValue {
    /// The number.
    pub value: f64,
    /// How the number bounds the true value.
    pub bound: Bound,
}

impl BoundedValue {
    /// A value as it is.
    #[must_use]
    pub fn exact(value: f64) -> Self {
        Self { value, bound: Bound::Exact }
    }

    /// A value that is this, or known to be at least this.
    #[must_use]
    pub fn least(value: f64, is_bound: bool) -> Self {
        Self { value, bound: if is_bound { Bound::AtLeast } else { Bound::Exact } }
    }

    /// The mark before the number: `> `, `< `, or nothing.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self.bound {
            Bound::Exact | Bound::Unknown => "",
            Bound::AtLeast => "> ",
            Bound::AtMost => "< ",
        }
    }

    /// As it is to be read: `12.34 ms`, `> 10.00 s`, `< × 0.5`; of what nothing is known of,
    /// nothing.
    #[must_use]
    pub fn shown(self, number: impl FnOnce(f64) -> String) -> String {
        match self.bound {
            Bound::Unknown => String::new(),
            _ => format!("{}{}", self.mark(), number(self.value)),
        }
    }

    /// The same of a number that rises with this one.
    #[must_use]
    pub fn map(self, rising: impl FnOnce(f64) -> f64) -> Self {
        Self { value: rising(self.value), ..self }
    }

    /// The number, if that is the value.
    #[must_use]
    pub fn if_exact(self) -> Option<f64> {
        Some(self.value).filter(|_| self.bound == Bound::Exact)
    }

    /// The number, if it says anything.
    #[must_use]
    pub fn if_known(self) -> Option<f64> {
        Some(self.value).filter(|_| self.bound != Bound::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_marked_and_nothing_is_nothing() {
        let shown = |bound| BoundedValue { value: 2.0, bound }.shown(|it| format!("{it} s"));
        let all = [Bound::Exact, Bound::AtLeast, Bound::AtMost, Bound::Unknown];
        assert_eq!(all.map(shown), ["2 s", "> 2 s", "< 2 s", ""]);
        let known = all.map(|bound| BoundedValue { value: 2.0, bound });
        assert_eq!(known.map(BoundedValue::if_exact), [Some(2.0), None, None, None]);
        assert_eq!(known.map(BoundedValue::if_known), [Some(2.0), Some(2.0), Some(2.0), None]);
        assert_eq!(
            BoundedValue::least(1.0, true).map(|it| 2.0 * it),
            BoundedValue::least(2.0, true)
        );
    }
}
