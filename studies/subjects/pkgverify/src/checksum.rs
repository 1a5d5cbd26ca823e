//! Recorded checksums.

/// A checksum as a package database records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// MD5, in the databases of Debian.
    Md5([u8; 16]),
    /// SHA-256, in those of FreeBSD.
    Sha256([u8; 32]),
    /// One that cannot be verified here; what it is, as far as can be seen.
    Unsupported(String),
}

impl Checksum {
    /// Reads an MD5 sum of Debian: 32 hexadecimal digits.
    #[must_use]
    pub fn from_debian(text: &[u8]) -> Self {
        from_hex(text).map_or_else(|| Self::Unsupported("unknown".to_owned()), Self::Md5)
    }

    /// Reads a sum of FreeBSD: its type, `$`, and the sum. Type 1 is SHA-256 in hexadecimal digits.
    #[must_use]
    pub fn from_freebsd(text: &str) -> Self {
        // The other types, by the numbers that `pkg` gives them.
        let name = match text.split_once('$') {
            Some(("1", sum)) => match from_hex(sum.as_bytes()) {
                Some(sum) => return Self::Sha256(sum),
                None => "malformed SHA-256",
            },
            Some(("0", _)) => "SHA-256 (base 32)",
            Some(("2" | "5", _)) => "BLAKE2 (base 32)",
            Some(("3", _)) => "SHA-256 (raw)",
            Some(("4" | "6", _)) => "BLAKE2 (raw)",
            _ => "unknown",
        };
        Self::Unsupported(name.to_owned())
    }
}

/// The bytes that exactly `N` pairs of hexadecimal digits stand for.
pub(crate) fn from_hex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let digit = |character: u8| char::from(character).to_digit(16);
        *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_are_read_in_both_cases_and_nothing_else() {
        assert_eq!(from_hex(b"00fF"), Some([0, 255]));
        assert_eq!(from_hex::<2>(b"00f"), None);
        assert_eq!(from_hex::<2>(b"00fg"), None);
        assert_eq!(from_hex::<2>(b"+0+f"), None);
    }

    #[test]
    fn only_type_one_of_freebsd_can_be_verified() {
        let sum = "1$e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert!(matches!(Checksum::from_freebsd(sum), Checksum::Sha256([0xe3, ..])));
        assert_eq!(
            Checksum::from_freebsd("2$ybndrfg8"),
            Checksum::Unsupported("BLAKE2 (base 32)".to_owned())
        );
        assert_eq!(
            Checksum::from_freebsd("1$abc"),
            Checksum::Unsupported("malformed SHA-256".to_owned())
        );
    }
}
