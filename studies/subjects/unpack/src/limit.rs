//! What stops a decompression bomb, and the counters by which it is recognised.

use std::fmt;
use std::io::{Error, Read, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Limits of one stream.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes that may come out.
    pub total: u64,
    /// The most bytes that may come out for each byte that went in.
    pub ratio: u64,
    /// The ratio is judged once this many bytes came out: a small file of zeros is harmless.
    pub grace: u64,
    /// The most memory in bytes that xz and lzma may take for their dictionary.
    pub memory: u64,
}

impl Default for Limits {
    /// 16 GiB, 300 to 1 after 100 MiB, a dictionary of 128 MiB (`xz -9` needs 65 MiB).
    fn default() -> Self {
        Self { total: 16 << 30, ratio: 300, grace: 100 << 20, memory: 128 << 20 }
    }
}

/// The limit that a stream went beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bomb {
    /// More than [`Limits::total`] bytes came out.
    Total(u64),
    /// More than [`Limits::ratio`] bytes came out for each that went in.
    Ratio(u64),
}

impl fmt::Display for Bomb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Total(bytes) => write!(f, "more than {bytes} bytes unpacked"),
            Self::Ratio(ratio) => {
                write!(f, "more than {ratio} bytes unpacked for each packed byte")
            }
        }
    }
}

impl std::error::Error for Bomb {}

#[derive(Default)]
struct Counters {
    packed: AtomicU64,
    unpacked: AtomicU64,
    bomb: OnceLock<Bomb>,
}

/// Counters of a stream; clones show the same stream.
#[derive(Clone, Default)]
pub struct Meter(Arc<Counters>);

impl Meter {
    /// Bytes read from the file so far, in whole buffers.
    #[must_use]
    pub fn packed(&self) -> u64 {
        self.0.packed.load(Ordering::Relaxed)
    }

    /// Bytes that came out so far.
    #[must_use]
    pub fn unpacked(&self) -> u64 {
        self.0.unpacked.load(Ordering::Relaxed)
    }

    /// The limit that was reached.
    #[must_use]
    pub fn bomb(&self) -> Option<Bomb> {
        self.0.bomb.get().copied()
    }

    /// Keeps the bomb, and makes the error that ends the stream.
    pub(crate) fn stop(&self, bomb: Bomb) -> Error {
        Error::other(*self.0.bomb.get_or_init(|| bomb))
    }
}

/// Counts what is read of the file.
pub(crate) struct Counted<R> {
    inner: R,
    meter: Meter,
}

impl<R> Counted<R> {
    pub(crate) fn new(inner: R, meter: Meter) -> Self {
        Self { inner, meter }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.inner.read(buffer)?;
        self.meter.0.packed.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Counts what comes out, and ends the stream where it goes beyond a limit.
pub(crate) struct Watched<R> {
    inner: R,
    limits: Limits,
    meter: Meter,
}

impl<R> Watched<R> {
    pub(crate) fn new(inner: R, limits: Limits, meter: Meter) -> Self {
        Self { inner, limits, meter }
    }
}

impl Limits {
    /// The limit that `unpacked` bytes out of `packed` go beyond.
    pub(crate) fn exceeded(&self, packed: u64, unpacked: u64) -> Option<Bomb> {
        if unpacked > self.total {
            return Some(Bomb::Total(self.total));
        }
        let is_too_dense = unpacked > self.grace && unpacked > packed.saturating_mul(self.ratio);
        is_too_dense.then_some(Bomb::Ratio(self.ratio))
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.inner.read(buffer)?;
        let before = self.meter.0.unpacked.fetch_add(count as u64, Ordering::Relaxed);
        match self.limits.exceeded(self.meter.packed(), before + count as u64) {
            Some(bomb) => Err(self.meter.stop(bomb)),
            None => Ok(count),
        }
    }
}
