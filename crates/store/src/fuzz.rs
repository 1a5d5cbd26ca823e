//! Parsers of what others wrote, on any bytes: for `fuzz/`, and no part of the interface.

use crate::chunk::{Decoder, Packing};

/// A chunk of samples. A chunk that can be read is written and read again with the same result.
///
/// # Panics
///
/// If a chunk changes.
pub fn chunk(bytes: &[u8]) {
    let mut decoder = Decoder::default();
    let _ = decoder.decode_places(bytes).is_ok();
    let _ = decoder.decode_metrics(bytes, &[1, 2]).is_ok();
    let Ok(chunk) = decoder.decode(bytes) else { return };
    for packing in [Packing::Quick, Packing::Small] {
        let again = chunk.encode(packing);
        assert!(Decoder::default().decode(&again).is_ok_and(|found| found.len() == chunk.len()));
    }
}
