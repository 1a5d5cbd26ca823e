//! The chunk: samples of one measurement as bytes, small and quick to read.
//! `docs/src/formats/chunk.md` describes them.
//!
//! Column after column: rounds, positions, times, outcomes, then each metric by its number. The
//! form of a column is in [`mod@column`], bits are in [`bytes`]. The module above resolves numbers
//! of names, and the details of failures; nothing here knows of a database. A chunk that was read
//! from a hostile file gives an error, or wrong values of bounded size, and never a panic.

#![allow(
    clippy::cast_possible_truncation,
    reason = "bytes are cut from numbers on purpose, counts are small"
)]

mod bytes;
mod column;
mod decode;
mod encode;

use jiff::Timestamp;
use tacho_record::Place;

pub(crate) use decode::Decoder;

/// The format's version: the first byte of every chunk.
const VERSION: u8 = 2;
/// The version before, which was the same without the checksum at its end.
const UNCHECKED: u8 = 1;
/// How long the checksum is, in bytes.
const CHECKSUM: usize = 4;
/// The most samples in a chunk, so that a few hostile bytes cannot ask for all memory.
const MOST_SAMPLES: usize = 4096;
/// The most metrics in a chunk, likewise.
pub(crate) const MOST_METRICS: usize = 1024;

/// In the byte before the times: some samples are not valid, so a column of outcomes follows the
/// times.
const FAILED: u8 = 1;
/// There too: times are finer than milliseconds, and take two columns.
const FINE_TIMES: u8 = 2;

/// The outcome of a valid sample; any other but the next is the number of its kind of failure.
pub(crate) const VALID: u8 = 0;
/// The outcome of a sample that reached a limit.
pub(crate) const LIMIT_REACHED: u8 = 8;
/// The outcome of a sample of a round that was disturbed and repeated.
pub(crate) const DISTURBED: u8 = 10;

/// The purpose for which a chunk is written. Both forms are read in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// For a store that is read once, soon, and only by this process: every metric is written out.
    Quick,
    /// For a kept store: metrics that are sums of others are detected.
    Small,
}

/// Why bytes are not a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ChunkError {
    /// A column asks for more bytes than there are.
    #[error("it ends in the middle of a column")]
    Ended,
    /// Its bytes are not those that were written.
    #[error("its checksum does not match: its bytes were changed since they were written")]
    Checksum,
    /// A column is written in a way that this version does not know.
    #[error("a column has an unknown form")]
    Form,
    /// The metrics do not ascend by number, are too many, or are given and a sum at once.
    #[error("its metrics are out of order or too many")]
    Metrics,
    /// A varint is longer than 64 bits, or a number outside its range.
    #[error("a number is out of range")]
    Number,
    /// There must be 1 to [`MOST_SAMPLES`].
    #[error("it claims {found} samples where 1 to {MOST_SAMPLES} may be")]
    Samples {
        /// How many it claims.
        found: u64,
    },
    /// Something follows the last column.
    #[error("{bytes} bytes follow its end")]
    Surplus {
        /// How many bytes.
        bytes: usize,
    },
    /// A later version wrote the chunk.
    #[error("it is of format {found}, and this program knows format {VERSION}")]
    Version {
        /// The version that it claims.
        found: u8,
    },
}

/// Samples of one measurement, in columns of equal length.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    /// The place of each in the schedule.
    pub places: Vec<Place>,
    /// When each was started.
    pub at: Vec<Timestamp>,
    /// How each ended: [`VALID`], [`LIMIT_REACHED`] or the number of its kind of failure.
    pub outcomes: Vec<u8>,
    /// The readings, ascending by the metric's number; each has at least one value.
    ///
    /// A number that repeats holds the replicates within one execution: the first of each sample,
    /// then the second …
    pub metrics: Vec<ChunkReadings>,
}

/// The readings of one metric.
#[derive(Clone, Debug)]
pub(crate) struct ChunkReadings {
    /// The metric's number in the database.
    pub metric: u32,
    /// One a sample, in the metric's base unit; `None` where it was not read.
    pub values: Vec<Option<f64>>,
}

/// The checksum of a chunk's bytes.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let digest = blake3::hash(bytes);
    *digest.as_bytes().first_chunk().expect("a digest has 32 bytes")
}

/// The bytes of a chunk without its checksum, which must match.
fn checked(bytes: &[u8]) -> Result<&[u8], ChunkError> {
    match bytes.first() {
        Some(&UNCHECKED) => return Ok(bytes),
        Some(&VERSION) => {}
        Some(&found) => return Err(ChunkError::Version { found }),
        None => return Err(ChunkError::Ended),
    }
    let (content, sum) = bytes.split_last_chunk().ok_or(ChunkError::Ended)?;
    if checksum(content) == *sum { Ok(content) } else { Err(ChunkError::Checksum) }
}

impl Chunk {
    /// How many samples there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether these samples can be one chunk.
    pub(crate) fn fits(&self) -> bool {
        (1..=MOST_SAMPLES).contains(&self.len()) && self.metrics.len() <= MOST_METRICS
    }

    /// Adds a sample without its values, which [`Self::put_value`] adds.
    pub(crate) fn push(&mut self, place: Place, at: Timestamp, outcome: u8) {
        self.places.push(place);
        self.at.push(at);
        self.outcomes.push(outcome);
        for readings in &mut self.metrics {
            readings.values.push(None);
        }
    }

    /// Adds a value of the last sample that was pushed: after those that it has of the same metric.
    pub(crate) fn put_value(&mut self, metric: u32, value: f64) {
        let count = self.len();
        let mut index = self.metrics.partition_point(|readings| readings.metric < metric);
        let taken = |readings: &ChunkReadings| {
            readings.metric == metric && readings.values.last() != Some(&None)
        };
        while self.metrics.get(index).is_some_and(taken) {
            index += 1;
        }
        if self.metrics.get(index).is_none_or(|readings| readings.metric != metric) {
            self.metrics.insert(index, ChunkReadings { metric, values: vec![None; count] });
        }
        if let Some(last) = self.metrics[index].values.last_mut() {
            *last = Some(value);
        }
    }

    /// Adds all samples of another.
    pub(crate) fn append(&mut self, other: &Self) {
        for index in 0..other.len() {
            self.push(other.places[index], other.at[index], other.outcomes[index]);
            for readings in &other.metrics {
                if let Some(value) = readings.values[index] {
                    self.put_value(readings.metric, value);
                }
            }
        }
    }

    /// The samples with these indices, in this order.
    pub(crate) fn select(&self, indices: &[usize]) -> Self {
        let pick = |readings: &ChunkReadings| {
            let values: Vec<_> = indices.iter().map(|index| readings.values[*index]).collect();
            let read = values.iter().any(Option::is_some);
            read.then_some(ChunkReadings { metric: readings.metric, values })
        };
        Self {
            places: indices.iter().map(|index| self.places[*index]).collect(),
            at: indices.iter().map(|index| self.at[*index]).collect(),
            outcomes: indices.iter().map(|index| self.outcomes[*index]).collect(),
            metrics: self.metrics.iter().filter_map(pick).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
