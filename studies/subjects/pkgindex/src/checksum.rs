//! Checksums of the blocks of a cache.

/// A checksum function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checksum {
    /// None: the writer synced instead.
    None,
    /// Adler-32, which APT 1.1.10 took.
    Adler32,
    /// CRC-32, by the CPU's instructions where it has them.
    #[default]
    Crc32,
    /// The first 64 bits of BLAKE3.
    Blake3,
}

impl Checksum {
    /// All, in the order of their codes in the cache.
    pub const ALL: [Self; 4] = [Self::None, Self::Adler32, Self::Crc32, Self::Blake3];

    /// The number that stands for it in the cache.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The sum of some bytes.
    #[must_use]
    pub fn of(self, bytes: &[u8]) -> u64 {
        match self {
            Self::None => 0,
            Self::Adler32 => simd_adler32::adler32(&bytes).into(),
            Self::Crc32 => crc32fast::hash(bytes).into(),
            Self::Blake3 => {
                let hash = blake3::hash(bytes);
                let first = hash.as_bytes().first_chunk::<8>();
                first.map_or(0, |first| u64::from_le_bytes(*first))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(Checksum::Adler32.of(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(Checksum::Crc32.of(b"123456789"), 0xcbf4_3926);
        // BLAKE3 of nothing begins with af 13 49 b9 f5 f9 a1 a6.
        assert_eq!(
            Checksum::Blake3.of(b""),
            u64::from_le_bytes([0xaf, 0x13, 0x49, 0xb9, 0xf5, 0xf9, 0xa1, 0xa6])
        );
        assert_eq!(Checksum::None.of(b"a"), 0);
    }

    #[test]
    fn codes_are_places_in_the_table() {
        for (place, checksum) in (0..).zip(Checksum::ALL) {
            assert_eq!(checksum.code(), place);
        }
    }
}
