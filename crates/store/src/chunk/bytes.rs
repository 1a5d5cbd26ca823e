//! Bytes and bits: what columns are written with and read from.
//!
//! Numbers of any size as varints (seven bits a byte, least first), numbers of one width packed
//! without gaps. Reading never trusts its input: whatever is missing or impossible is a
//! [`ChunkError`], never a panic.

use super::ChunkError;

/// Appends a whole number, seven bits a byte, least significant first.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The number of bytes that [`put_varint`] takes for it.
pub(super) fn varint_size(value: u64) -> u32 {
    (64 - (value | 1).leading_zeros()).div_ceil(7)
}

/// Signed to unsigned, so that what is near zero stays small: 0, -1, 1, -2 … become 0, 1, 2, 3 …
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// The inverse of [`zigzag`].
fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// Appends the lowest `width` bits of each value, the first value in the lowest bits, padded to a
/// whole byte.
pub(super) fn pack(out: &mut Vec<u8>, width: u32, values: impl Iterator<Item = u64>) {
    let (mut gathered, mut filled) = (0_u128, 0);
    for value in values {
        gathered |= u128::from(value) << filled;
        filled += width;
        while filled >= 8 {
            out.push(gathered as u8);
            gathered >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        out.push(gathered as u8);
    }
}

/// Gives each of `count` values of `width` bits (at most 64) that [`pack`] wrote.
///
/// The bytes must be as many as [`packed_size`] says; missing ones would be read as zeros.
pub(super) fn unpack(bytes: &[u8], width: u32, count: usize, mut each: impl FnMut(u64)) {
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let (mut gathered, mut filled, mut rest) = (0_u128, 0, bytes);
    for _ in 0..count {
        while filled < width {
            if let Some((eight, tail)) = rest.split_first_chunk::<8>() {
                gathered |= u128::from(u64::from_le_bytes(*eight)) << filled;
                (rest, filled) = (tail, filled + 64);
            } else {
                let (one, tail) = rest.split_first().unwrap_or((&0, &[]));
                gathered |= u128::from(*one) << filled;
                (rest, filled) = (tail, filled + 8);
            }
        }
        each(gathered as u64 & mask);
        gathered >>= width;
        filled -= width;
    }
}

/// The bytes that `count` values of `width` bits take.
pub(super) fn packed_size(width: u32, count: usize) -> usize {
    (width as usize * count).div_ceil(8)
}

/// The rest of a chunk to read.
pub(super) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, ChunkError> {
        let (first, rest) = self.0.split_first().ok_or(ChunkError::Ended)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], ChunkError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(ChunkError::Ended)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn varint(&mut self) -> Result<u64, ChunkError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(ChunkError::Number);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ChunkError::Number)
    }

    pub(super) fn signed(&mut self) -> Result<i64, ChunkError> {
        self.varint().map(unzigzag)
    }

    /// All is read, or what is left over is an error.
    pub(super) fn end(&self) -> Result<(), ChunkError> {
        if self.0.is_empty() { Ok(()) } else { Err(ChunkError::Surplus { bytes: self.0.len() }) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_varint_comes_back_and_is_as_long_as_said(value: u64, signed: i64) {
            let mut out = vec![];
            put_varint(&mut out, value);
            prop_assert_eq!(out.len(), varint_size(value) as usize);
            put_varint(&mut out, zigzag(signed));
            let mut reader = ByteReader::new(&out);
            prop_assert_eq!(reader.varint().unwrap(), value);
            prop_assert_eq!(reader.signed().unwrap(), signed);
            reader.end().unwrap();
        }

        #[test]
        fn packed_values_come_back(
            width in 0_u32..=64,
            values in prop::collection::vec(any::<u64>(), 0..50),
        ) {
            let values: Vec<u64> =
                values.into_iter().map(|value| if width == 0 { 0 } else { value >> (64 - width) }).collect();
            let mut out = vec![];
            pack(&mut out, width, values.iter().copied());
            prop_assert_eq!(out.len(), packed_size(width, values.len()));
            let mut back = vec![];
            unpack(&out, width, values.len(), |value| back.push(value));
            prop_assert_eq!(back, values);
        }
    }

    #[test]
    fn a_varint_without_end_is_refused() {
        assert_eq!(ByteReader::new(&[0xff; 11]).varint(), Err(ChunkError::Number));
        assert_eq!(ByteReader::new(&[0xff; 3]).varint(), Err(ChunkError::Ended));
    }
}
