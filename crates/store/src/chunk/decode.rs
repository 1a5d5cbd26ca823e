//! From bytes to samples.

use jiff::Timestamp;
use tacho_record::Place;

use super::bytes::ByteReader;
use super::encode::sum;
use super::{
    Chunk, ChunkError, ChunkReadings, FAILED, FINE_TIMES, MOST_METRICS, MOST_SAMPLES, VALID,
    checked, column,
};

/// Reads chunks one after the other, in the same memory.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    chunk: Chunk,
    /// Two columns while they are made into one.
    pair: [Vec<i64>; 2],
    /// Memory of readings that are not needed at present.
    spare: Vec<Vec<Option<f64>>>,
}

impl Chunk {
    /// The samples in these bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, ChunkError> {
        let mut decoder = Decoder::default();
        decoder.decode(bytes)?;
        Ok(decoder.chunk)
    }
}

impl Decoder {
    /// The samples in these bytes.
    pub(crate) fn decode(&mut self, bytes: &[u8]) -> Result<&Chunk, ChunkError> {
        let reader = &mut ByteReader::new(checked(bytes)?);
        let count = self.read_places(reader)?;
        let flags = read_flags(reader)?;
        self.read_times(reader, count, flags)?;
        self.read_outcomes(reader, count, flags)?;
        self.forget_metrics();
        each_number(reader, |reader, metric| {
            let mut values = self.spare.pop().unwrap_or_default();
            column::numbers(reader, count, &mut values)?;
            self.chunk.metrics.push(ChunkReadings { metric, values });
            Ok(())
        })?;
        self.read_sums(reader, count)?;
        each_zero(reader, |metric| self.push_zeros(metric, count))?;
        // Stable: replicates stay in order.
        self.chunk.metrics.sort_by_key(|readings| readings.metric);
        reader.end()?;
        Ok(&self.chunk)
    }

    /// The places of the samples in the schedule and their ends, with the readings of these
    /// metrics, if they have any; replicates give several. The rest is not read.
    pub(crate) fn decode_metrics(
        &mut self,
        bytes: &[u8],
        metrics: &[u32],
    ) -> Result<&Chunk, ChunkError> {
        let reader = &mut ByteReader::new(checked(bytes)?);
        let count = self.read_places(reader)?;
        let flags = read_flags(reader)?;
        for _ in 0..if flags & FINE_TIMES == 0 { 1 } else { 2 } {
            column::skip(reader, count)?;
        }
        self.read_outcomes(reader, count, flags)?;
        self.forget_metrics();
        each_number(reader, |reader, number| {
            if !metrics.contains(&number) {
                return column::skip(reader, count);
            }
            let mut values = self.spare.pop().unwrap_or_default();
            column::numbers(reader, count, &mut values)?;
            self.chunk.metrics.push(ChunkReadings { metric: number, values });
            Ok(())
        })?;
        let mut is_sum = false;
        each_number(reader, |reader, number| {
            is_sum |= metrics.contains(&number);
            reader.varint().and(reader.varint())?;
            column::skip(reader, count)
        })?;
        each_zero(reader, |number| {
            if metrics.contains(&number) { self.push_zeros(number, count) } else { Ok(()) }
        })?;
        reader.end()?;
        if is_sum {
            self.decode(bytes)?;
            self.chunk.metrics.retain(|readings| metrics.contains(&readings.metric));
        }
        Ok(&self.chunk)
    }

    /// The places of the samples in the schedule. The rest is not read.
    pub(crate) fn decode_places(&mut self, bytes: &[u8]) -> Result<&[Place], ChunkError> {
        self.read_places(&mut ByteReader::new(checked(bytes)?))?;
        Ok(&self.chunk.places)
    }

    fn read_places(&mut self, reader: &mut ByteReader) -> Result<usize, ChunkError> {
        reader.byte()?; // The version, which is one that we know.
        let found = reader.varint()?;
        let count = usize::try_from(found)
            .ok()
            .filter(|count| (1..=MOST_SAMPLES).contains(count))
            .ok_or(ChunkError::Samples { found })?;
        self.chunk.places.clear();
        self.each_pair(reader, count, |chunk, round, position| {
            chunk.places.push(Place { round: narrow(round)?, position: narrow(position)? });
            Ok(())
        })?;
        Ok(count)
    }

    fn read_times(
        &mut self,
        reader: &mut ByteReader,
        count: usize,
        flags: u8,
    ) -> Result<(), ChunkError> {
        self.chunk.at.clear();
        if flags & FINE_TIMES == 0 {
            column::integers(reader, count, &mut self.pair[0])?;
            for time in &self.pair[0] {
                let at = Timestamp::from_millisecond(*time).map_err(|_| ChunkError::Number)?;
                self.chunk.at.push(at);
            }
            return Ok(());
        }
        self.each_pair(reader, count, |chunk, second, nanosecond| {
            let at = Timestamp::new(second, narrow(nanosecond)?).map_err(|_| ChunkError::Number)?;
            chunk.at.push(at);
            Ok(())
        })
    }

    fn read_outcomes(
        &mut self,
        reader: &mut ByteReader,
        count: usize,
        flags: u8,
    ) -> Result<(), ChunkError> {
        self.chunk.outcomes.clear();
        if flags & FAILED == 0 {
            self.chunk.outcomes.resize(count, VALID);
            return Ok(());
        }
        column::integers(reader, count, &mut self.pair[0])?;
        for outcome in &self.pair[0] {
            self.chunk.outcomes.push(narrow(*outcome)?);
        }
        Ok(())
    }

    /// Reads which metrics are the sum of two that were written, and puts them in their places.
    fn read_sums(&mut self, reader: &mut ByteReader, count: usize) -> Result<(), ChunkError> {
        let metrics = &mut self.chunk.metrics;
        let written = metrics.len();
        each_number(reader, |reader, metric| {
            let part = |reader: &mut ByteReader| {
                usize::try_from(reader.varint()?).map_err(|_| ChunkError::Number)
            };
            let (first, second) = (part(reader)?, part(reader)?);
            let known = metrics.iter().any(|readings| readings.metric == metric);
            if first.max(second) >= written || metrics.len() == MOST_METRICS || known {
                return Err(ChunkError::Metrics);
            }
            let mut values = self.spare.pop().unwrap_or_default();
            column::numbers(reader, count, &mut values)?;
            let parts = metrics[first].values.iter().zip(&metrics[second].values);
            for (value, (first, second)) in values.iter_mut().zip(parts) {
                *value = value
                    .zip(first.zip(*second))
                    .map(|(rest, (first, second))| sum(first, second, rest));
            }
            metrics.push(ChunkReadings { metric, values });
            Ok(())
        })
    }

    /// A metric that was 0 in every sample.
    fn push_zeros(&mut self, metric: u32, count: usize) -> Result<(), ChunkError> {
        if self.chunk.metrics.len() >= MOST_METRICS {
            return Err(ChunkError::Metrics);
        }
        let mut values = self.spare.pop().unwrap_or_default();
        values.clear();
        values.resize(count, Some(0.0));
        self.chunk.metrics.push(ChunkReadings { metric, values });
        Ok(())
    }

    fn forget_metrics(&mut self) {
        self.spare.extend(self.chunk.metrics.drain(..).map(|readings| readings.values));
    }

    /// Reads two columns and gives them as pairs.
    fn each_pair(
        &mut self,
        reader: &mut ByteReader,
        count: usize,
        mut each: impl FnMut(&mut Chunk, i64, i64) -> Result<(), ChunkError>,
    ) -> Result<(), ChunkError> {
        let [firsts, seconds] = &mut self.pair;
        column::integers(reader, count, firsts)?;
        column::integers(reader, count, seconds)?;
        firsts
            .iter()
            .zip(seconds)
            .try_for_each(|(first, second)| each(&mut self.chunk, *first, *second))
    }
}

/// The byte before the times.
fn read_flags(reader: &mut ByteReader) -> Result<u8, ChunkError> {
    let flags = reader.byte()?;
    if flags & !(FAILED | FINE_TIMES) == 0 { Ok(flags) } else { Err(ChunkError::Form) }
}

/// Gives the number of each metric that was 0 in every sample to `each`: they are written as runs
/// of numbers.
fn each_zero(
    reader: &mut ByteReader,
    mut each: impl FnMut(u32) -> Result<(), ChunkError>,
) -> Result<(), ChunkError> {
    let (runs, mut next, mut seen) = (reader.varint()?, 0_u64, 0);
    for _ in 0..runs {
        let (gap, length) = (reader.varint()?, reader.varint()?);
        next = next.checked_add(gap).ok_or(ChunkError::Number)?;
        seen = length.saturating_add(seen);
        if length == 0 || seen > MOST_METRICS as u64 {
            return Err(ChunkError::Metrics);
        }
        for number in next..next.saturating_add(length) {
            each(u32::try_from(number).map_err(|_| ChunkError::Number)?)?;
        }
        next = next.saturating_add(length);
    }
    Ok(())
}

/// Gives the number of each metric of a list to `read`, which must read what follows it. Replicates
/// repeat a number.
fn each_number(
    reader: &mut ByteReader,
    mut read: impl FnMut(&mut ByteReader, u32) -> Result<(), ChunkError>,
) -> Result<(), ChunkError> {
    let many = reader.varint()?;
    if many > MOST_METRICS as u64 {
        return Err(ChunkError::Metrics);
    }
    let mut before = None;
    for _ in 0..many {
        let metric = u32::try_from(reader.varint()?).map_err(|_| ChunkError::Number)?;
        if before.replace(metric).is_some_and(|before| before > metric) {
            return Err(ChunkError::Metrics);
        }
        read(reader, metric)?;
    }
    Ok(())
}

fn narrow<T: TryFrom<i64>>(value: i64) -> Result<T, ChunkError> {
    T::try_from(value).map_err(|_| ChunkError::Number)
}
