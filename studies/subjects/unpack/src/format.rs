//! The compressions that are known, and their first bytes.

use std::fmt;

/// A compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// None of the others: bytes as they are.
    Plain,
    /// gzip (RFC 1952).
    Gzip,
    /// xz.
    Xz,
    /// The older `.lzma`.
    Lzma,
    /// Zstandard (RFC 8878).
    Zstd,
    /// bzip2.
    Bzip2,
    /// LZ4 frames, in which apt keeps its lists.
    Lz4,
}

impl Format {
    /// How many first bytes [`Format::detect`] needs.
    pub const HEAD: u64 = 13;

    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Plain, Self::Gzip, Self::Xz, Self::Lzma, Self::Zstd, Self::Bzip2, Self::Lz4];

    /// The format by the first bytes of a file; [`Format::HEAD`] of them tell all of them apart.
    #[must_use]
    pub fn detect(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            [0x04, 0x22, 0x4d, 0x18, ..] => Self::Lz4,
            _ if is_lzma(head) => Self::Lzma,
            _ => Self::Plain,
        }
    }
}

/// `.lzma` has no magic number: properties, a power of two as dictionary size, and a size that is
/// unknown or small.
fn is_lzma(head: &[u8]) -> bool {
    let Some((header, _)) = head.split_first_chunk::<13>() else { return false };
    let dictionary = u32::from_le_bytes([header[1], header[2], header[3], header[4]]);
    header[0] == 0x5d
        && dictionary.is_power_of_two()
        && dictionary >= 4096
        && (header[5..13] == [0xff; 8] || header[10..13] == [0; 3])
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Lzma => "lzma",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
            Self::Lz4 => "lz4",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_short_files_are_plain() {
        for head in [&b""[..], b"\x1f", b"BZhello", b"]]]]]]]]]]]]]]", b"Package: x\n"] {
            assert_eq!(Format::detect(head), Format::Plain, "{head:?}");
        }
    }
}
