//! A column: the same reading of all samples of a chunk, written as small as is simple.
//!
//! Readings are noise around a level: neither repetition nor order is left for a general compressor
//! to find. But they are whole numbers of some step (microseconds, pages, decimals) in a narrow
//! range, so a column holds the least one once and, for each, only the bits above it. If neighbours
//! are nearer to each other than to the least (rounds, times), the differences are written in this
//! way instead.

use super::ChunkError;
use super::bytes::{ByteReader, pack, packed_size, put_varint, unpack, varint_size, zigzag};

/// The possible steps of a column's numbers, ascending: µs, KiB, pages of two sizes, ms, ticks, s.
const STEPS: [i64; 8] = [1, 1_000, 1_024, 4_096, 65_536, 1_000_000, 10_000_000, 1_000_000_000];
/// The factors that make fractions whole, by their number of decimals.
const SCALES: [f64; 7] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];
/// The most decimals that a column of fractions is tried with.
const MOST_DECIMALS: u8 = SCALES.len() as u8 - 1;
/// The form of a column that holds the bits of the floating-point numbers themselves.
const RAW_BITS: u8 = 15;

/// In the head's lower half: the differences are packed, not the numbers.
const DIFFERENCES: u8 = 0b1000;
/// In the width's highest bit: which samples have a number follows as a bitmap.
const GAPS: u8 = 0x80;
/// A width above [`WIDEST`] is that much above the true one, and says that the least is 0 and not
/// written.
const LEAST_IS_ZERO: u8 = WIDEST + 1;
const WIDEST: u8 = 64;

/// Appends whole numbers, one a sample; there must be one at least.
pub(super) fn put_integers(out: &mut Vec<u8>, values: &[i64]) {
    put_column(out, 0, values, None);
}

/// Appends numbers, one a sample where it was read; there must be one at least that was.
pub(super) fn put_numbers(out: &mut Vec<u8>, values: &[Option<f64>]) {
    let present: Vec<f64> = values.iter().flatten().copied().collect();
    let (form, integers) = (0..=MOST_DECIMALS)
        .find_map(|decimals| Some((decimals, as_decimals(&present, decimals)?)))
        .unwrap_or_else(|| {
            (RAW_BITS, present.iter().map(|value| value.to_bits().cast_signed()).collect())
        });
    let gaps = (present.len() < values.len()).then(|| bitmap(values));
    put_column(out, form, &integers, gaps.as_deref());
}

/// Reads what [`put_integers`] wrote for `count` samples, in place of what `values` held.
pub(super) fn integers(
    reader: &mut ByteReader,
    count: usize,
    values: &mut Vec<i64>,
) -> Result<(), ChunkError> {
    let head = Head::read(reader)?;
    if head.form != 0 || head.gaps {
        return Err(ChunkError::Form);
    }
    values.clear();
    head.values(reader, count, |value| values.push(value))
}

/// Reads what [`put_numbers`] wrote for `count` samples, in place of what `values` held.
pub(super) fn numbers(
    reader: &mut ByteReader,
    count: usize,
    values: &mut Vec<Option<f64>>,
) -> Result<(), ChunkError> {
    let head = Head::read(reader)?;
    let bitmap = head.bitmap(reader, count)?;
    let number = |value: i64| match head.form {
        0 => value as f64,
        RAW_BITS => f64::from_bits(value.cast_unsigned()),
        decimals => value as f64 / SCALES[usize::from(decimals)],
    };
    values.clear();
    let Some(bitmap) = bitmap else {
        return head.values(reader, count, |value| values.push(Some(number(value))));
    };
    values.resize(count, None);
    let mut present = (0..count).filter(|index| has(bitmap, *index));
    head.values(reader, (0..count).filter(|index| has(bitmap, *index)).count(), |value| {
        if let Some(index) = present.next() {
            values[index] = Some(number(value));
        }
    })
}

/// Reads past a column of `count` samples, of either kind.
pub(super) fn skip(reader: &mut ByteReader, count: usize) -> Result<(), ChunkError> {
    let head = Head::read(reader)?;
    let bitmap = head.bitmap(reader, count)?;
    let present =
        bitmap.map_or(count, |bitmap| (0..count).filter(|index| has(bitmap, *index)).count());
    head.packed(reader, present).map(drop)
}

/// Whether the sample with this index has a value.
fn has(bitmap: &[u8], index: usize) -> bool {
    bitmap[index / 8] >> (index % 8) & 1 == 1
}

/// The two bytes that say how a column is written.
#[derive(Clone, Copy)]
struct Head {
    form: u8,
    step: i64,
    differences: bool,
    gaps: bool,
    width: u32,
    least_is_zero: bool,
}

/// A column's numbers as they are written.
struct PackedNumbers<'a> {
    /// The first number where differences are packed, else the least.
    first: i64,
    /// The least difference.
    least: i64,
    bytes: &'a [u8],
}

impl Head {
    fn read(reader: &mut ByteReader) -> Result<Self, ChunkError> {
        let (how, wide) = (reader.byte()?, reader.byte()?);
        let width = wide & !GAPS;
        let least_is_zero = width > WIDEST;
        let head = Self {
            form: how >> 4,
            step: STEPS[usize::from(how & 0b111)],
            differences: how & DIFFERENCES != 0,
            gaps: wide & GAPS != 0,
            width: u32::from(if least_is_zero { width - LEAST_IS_ZERO } else { width }),
            least_is_zero,
        };
        let known = head.form <= MOST_DECIMALS || head.form == RAW_BITS;
        if known { Ok(head) } else { Err(ChunkError::Form) }
    }

    /// The bitmap of the samples with a value, out of `count`, unless all have one.
    fn bitmap<'a>(
        self,
        reader: &mut ByteReader<'a>,
        count: usize,
    ) -> Result<Option<&'a [u8]>, ChunkError> {
        if self.gaps { reader.take(count.div_ceil(8)).map(Some) } else { Ok(None) }
    }

    fn packed<'a>(
        self,
        reader: &mut ByteReader<'a>,
        count: usize,
    ) -> Result<PackedNumbers<'a>, ChunkError> {
        if count == 0 {
            return Err(ChunkError::Form);
        }
        let number = |reader: &mut ByteReader<'a>, written: bool| {
            if written { reader.signed() } else { Ok(0) }
        };
        let first = number(reader, self.differences || !self.least_is_zero)?;
        let least = number(reader, self.differences && !self.least_is_zero)?;
        let bytes = reader.take(packed_size(self.width, count - usize::from(self.differences)))?;
        Ok(PackedNumbers { first, least, bytes })
    }

    /// Gives the numbers, whole and in the column's form. Sums wrap: impossible input gives wrong
    /// numbers, no panic.
    fn values(
        self,
        reader: &mut ByteReader,
        count: usize,
        mut each: impl FnMut(i64),
    ) -> Result<(), ChunkError> {
        let PackedNumbers { first, least, bytes } = self.packed(reader, count)?;
        if self.differences {
            let mut value = first;
            each(value.wrapping_mul(self.step));
            unpack(bytes, self.width, count - 1, |above| {
                value = value.wrapping_add(least).wrapping_add(above.cast_signed());
                each(value.wrapping_mul(self.step));
            });
        } else {
            unpack(bytes, self.width, count, |above| {
                each(first.wrapping_add(above.cast_signed()).wrapping_mul(self.step));
            });
        }
        Ok(())
    }
}

/// Writes the numbers, or their differences where that is shorter.
fn put_column(out: &mut Vec<u8>, form: u8, values: &[i64], gaps: Option<&[u8]>) {
    let step = (0..STEPS.len()).rev().find(|step| suits(*step, values)).unwrap_or(0);
    let values: Vec<i64> = values.iter().map(|value| value / STEPS[step]).collect();
    let plain = ColumnRange::of(&values);
    let differences: Option<Vec<i64>> =
        values.windows(2).map(|pair| pair[1].checked_sub(pair[0])).collect::<Option<_>>();
    let narrow = differences.filter(|it| !it.is_empty()).map(|it| (ColumnRange::of(&it), it));
    let first = zigzag(values[0]);
    let chosen = narrow.filter(|(range, it)| {
        8 * varint_size(first) + range.bits(it.len()) < plain.bits(values.len())
    });
    let difference_bit = if chosen.is_some() { DIFFERENCES } else { 0 };
    let range = chosen.as_ref().map_or(&plain, |(range, _)| range);
    let zero = if range.has_silent_least() { LEAST_IS_ZERO } else { 0 };
    out.push(form << 4 | difference_bit | step as u8);
    out.push((range.width as u8 + zero) | if gaps.is_some() { GAPS } else { 0 });
    out.extend_from_slice(gaps.unwrap_or_default());
    if let Some((range, differences)) = chosen {
        put_varint(out, first);
        range.put(out, &differences);
    } else {
        plain.put(out, &values);
    }
}

/// The least of some numbers, and the bits that the widest distance from it takes.
struct ColumnRange {
    least: i64,
    width: u32,
}

impl ColumnRange {
    fn of(values: &[i64]) -> Self {
        let (least, most) = values.iter().fold((i64::MAX, i64::MIN), |(least, most), value| {
            (least.min(*value), most.max(*value))
        });
        // The distance of two `i64` always fits a `u64`, wrapped or not.
        let width = 64 - most.wrapping_sub(least).cast_unsigned().leading_zeros();
        Self { least, width }
    }

    /// Whether the width alone says that the least is 0.
    fn has_silent_least(&self) -> bool {
        self.least == 0 && self.width < u32::from(GAPS - LEAST_IS_ZERO)
    }

    /// The bits that [`Self::put`] takes for this many values.
    fn bits(&self, count: usize) -> u32 {
        let least = if self.has_silent_least() { 0 } else { varint_size(zigzag(self.least)) };
        8 * least + self.width * count as u32
    }

    fn put(&self, out: &mut Vec<u8>, values: &[i64]) {
        if !self.has_silent_least() {
            put_varint(out, zigzag(self.least));
        }
        let above = |value: &i64| value.wrapping_sub(self.least).cast_unsigned();
        pack(out, self.width, values.iter().map(above));
    }
}

/// Whether all values are multiples of that step; zeros alone leave it at 1.
fn suits(step: usize, values: &[i64]) -> bool {
    values.iter().all(|value| value % STEPS[step] == 0)
        && (step == 0 || values.iter().any(|value| *value != 0))
}

/// The values as whole numbers of that decimal, if every one comes back from it bit by bit.
fn as_decimals(values: &[f64], decimals: u8) -> Option<Vec<i64>> {
    let scale = SCALES[usize::from(decimals)];
    values
        .iter()
        .map(|value| {
            let whole = (value * scale).round() as i64;
            let back = if decimals == 0 { whole as f64 } else { whole as f64 / scale };
            (back.to_bits() == value.to_bits()).then_some(whole)
        })
        .collect()
}

/// One bit a sample, the first in the lowest bit of the first byte, set where there is a value.
fn bitmap(values: &[Option<f64>]) -> Vec<u8> {
    let mut bytes = vec![0; values.len().div_ceil(8)];
    for (index, _) in values.iter().enumerate().filter(|(_, value)| value.is_some()) {
        bytes[index / 8] |= 1 << (index % 8);
    }
    bytes
}
