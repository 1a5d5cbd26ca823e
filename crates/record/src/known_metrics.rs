//! The metrics that need no plan to say what they are.

use crate::{Counter, Metric};

impl Metric {
    /// The metric of that name that needs no plan to say what it is.
    #[must_use]
    pub fn known(name: &str) -> Option<Self> {
        let counted = || Counter::named(name).map(Counter::metric);
        let share = || Self::counted_share(name);
        let own = Self::built_in(name).or_else(|| Self::beside(name));
        own.or_else(counted).or_else(share).or_else(|| Self::host(name))
    }

    /// The names of all metrics that a plan may ask for without saying what they are, the most
    /// usual first.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        let counters = Counter::ALL.map(Counter::name);
        Self::BUILT_IN.into_iter().chain(Self::BESIDE).chain(counters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_name_has_its_metric() {
        for name in Metric::BUILT_IN {
            assert_eq!(Metric::built_in(name).map(|metric| metric.name).as_deref(), Some(name));
        }
        let counters = Counter::ALL.map(Counter::name);
        let others = Metric::BESIDE
            .into_iter()
            .chain(counters)
            .chain([Metric::COUNTED_SHARE])
            .chain(Metric::HOST);
        for name in others {
            assert_eq!(Metric::known(name).map(|metric| metric.name).as_deref(), Some(name));
            assert_eq!(Metric::built_in(name), None);
        }
        assert_eq!((Metric::known("bucket"), Metric::known("host-bucket")), (None, None));
    }
}
