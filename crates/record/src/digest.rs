//! A digest: the name of content by what it holds.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The BLAKE3 digest of some content; equal digests mean equal content.
///
/// Written as 64 hexadecimal digits, in JSON too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(*blake3::hash(bytes.as_ref()).as_bytes())
    }

    /// The digest of what a value is as JSON.
    #[must_use]
    pub fn of_json(value: &(impl Serialize + fmt::Debug)) -> Self {
        // Only a number that JSON cannot write has no text, and plans refuse those.
        Self::of(serde_json::to_string(value).unwrap_or_else(|_| format!("{value:?}")))
    }

    /// A digest computed elsewhere, piece by piece.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes themselves.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 12 hexadecimal digits: enough for people, not for identity.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl From<blake3::Hash> for Digest {
    fn from(hash: blake3::Hash) -> Self {
        Self(*hash.as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

/// Text that should have been 64 hexadecimal digits was not.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not a digest of 64 hexadecimal digits")]
pub struct ParseDigestError {
    /// The text that is not a digest.
    pub text: String,
}

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        blake3::Hash::from_hex(text)
            .map(Self::from)
            .map_err(|_| ParseDigestError { text: text.to_owned() })
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_and_read_back_it_is_the_same() {
        let digest = Digest::of("hello");
        assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
        assert_eq!(digest.short(), "ea8f163db386");
    }

    #[test]
    fn other_text_is_refused_with_its_words() {
        let error = "zz".parse::<Digest>().unwrap_err();
        assert_eq!(error.to_string(), "`zz` is not a digest of 64 hexadecimal digits");
    }
}
