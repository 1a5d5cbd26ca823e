//! Lists of CPUs as the kernel writes them: `0-3,8`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use tacho_record::{Cpus, cpu_ranges};

/// A set of CPUs by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CpuList(pub BTreeSet<u32>);

impl CpuList {
    /// The CPUs of this list that are not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self(self.0.difference(&other.0).copied().collect())
    }

    /// How many CPUs it names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it names no CPU.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all of these CPUs are in the other list.
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }

    /// The same as a mask in hexadecimal, in groups of 32 CPUs, for a machine with that many CPUs.
    #[must_use]
    pub fn mask(&self, cpus: u32) -> String {
        let groups = cpus.div_ceil(32).max(1);
        let group = |group: u32| {
            let bits = self.0.range(group * 32..(group + 1) * 32);
            bits.fold(0_u32, |mask, cpu| mask | 1 << (cpu % 32))
        };
        (0..groups).rev().map(|index| format!("{:08x}", group(index))).collect::<Vec<_>>().join(",")
    }
}

/// A text that is no list of CPUs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a list of CPUs such as `2-3` or `0,4-7`")]
pub struct CpuListError {
    text: String,
}

impl FromStr for CpuList {
    type Err = CpuListError;

    fn from_str(text: &str) -> Result<Self, CpuListError> {
        let wrong = || CpuListError { text: text.to_owned() };
        match text.trim() {
            "" => Ok(Self::default()),
            list => Cpus::list(list).map(Self).ok_or_else(wrong),
        }
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&cpu_ranges(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lists_and_masks_are_the_kernels() {
        let list: CpuList = "0-3,8\n".parse().unwrap();
        assert_eq!((list.to_string().as_str(), list.len()), ("0-3,8", 5));
        assert_eq!(list.mask(16), "0000010f");
        assert_eq!("33".parse::<CpuList>().unwrap().mask(64), "00000002,00000000");
        assert!("".parse::<CpuList>().unwrap().is_empty());
        for wrong in ["3-1", "a", "1-", "0-99999999"] {
            assert!(wrong.parse::<CpuList>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(cpus in prop::collection::btree_set(0_u32..300, 0..40)) {
            let list = CpuList(cpus);
            prop_assert_eq!(list.to_string().parse::<CpuList>().unwrap(), list);
        }
    }
}
