//! Hash functions of package names, kept side by side to be compared.

/// A hash function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hash {
    /// The sum of all bytes: a bad one, to see what that costs.
    Sum,
    /// Multiplies by 5, adds the byte.
    Times5,
    /// Bernstein's: begins with 5381, multiplies by 33, adds the byte. APT's since 1.1.10.
    #[default]
    Djb,
    /// Fowler, Noll and Vo's, 1a, 32 bits.
    Fnv,
}

impl Hash {
    /// All, in the order of their codes in the cache.
    pub const ALL: [Self; 4] = [Self::Sum, Self::Times5, Self::Djb, Self::Fnv];

    /// The number that stands for it in the cache.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The hash of a name. Names are in lower case by policy; no case is folded.
    #[must_use]
    pub fn of(self, name: &[u8]) -> u32 {
        let times = |begin: u32, factor: u32| {
            name.iter()
                .fold(begin, |hash, &byte| hash.wrapping_mul(factor).wrapping_add(byte.into()))
        };
        match self {
            Self::Sum => times(0, 1),
            Self::Times5 => times(0, 5),
            Self::Djb => times(5381, 33),
            Self::Fnv => name.iter().fold(0x811c_9dc5, |hash: u32, &byte| {
                (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(Hash::Sum.of(b"ab"), 195);
        assert_eq!(Hash::Times5.of(b"ab"), 97 * 5 + 98);
        assert_eq!(Hash::Djb.of(b""), 5381);
        assert_eq!(Hash::Djb.of(b"a"), 177_670);
        assert_eq!(Hash::Fnv.of(b"a"), 0xe40c_292c);
        assert_eq!(Hash::Fnv.of(b"foobar"), 0xbf9c_f968);
    }

    #[test]
    fn codes_are_places_in_the_table() {
        for (place, hash) in (0..).zip(Hash::ALL) {
            assert_eq!(hash.code(), place);
        }
    }
}
