//! From samples to bytes.

use super::bytes::put_varint;
use super::{Chunk, ChunkReadings, FAILED, FINE_TIMES, Packing, VALID, VERSION, checksum, column};

/// Only this many metrics are tried as sums, and the rest is written out: there would be too many
/// pairs to try.
const MOST_ADDENDS: usize = 12;

/// Metrics that take no more bytes than this are written out: as a sum they would take about as
/// much.
const LEAST_SIZE: usize = 6;

/// A metric that is, but for little, what two others add up to, as time on a CPU is of user's and
/// system's.
struct Sum {
    /// Its index, and those of the two others.
    whole: usize,
    parts: [usize; 2],
    /// The numbers to add to the sum, as a column.
    column: Vec<u8>,
    /// How many bytes less that is than the metric written out.
    saved: usize,
}

impl Chunk {
    /// The bytes of the samples, which must [fit](Self::fits).
    pub(crate) fn encode(&self, packing: Packing) -> Vec<u8> {
        let mut out = vec![VERSION];
        put_varint(&mut out, self.len() as u64);
        let mut put = |value: &dyn Fn(usize) -> i64| {
            let values: Vec<i64> = (0..self.len()).map(value).collect();
            column::put_integers(&mut out, &values);
        };
        put(&|index| self.places[index].round.into());
        put(&|index| self.places[index].position.into());
        let fine = self.at.iter().any(|at| at.subsec_nanosecond() % 1_000_000 != 0);
        let failed = self.outcomes.iter().any(|outcome| *outcome != VALID);
        out.push(if failed { FAILED } else { 0 } | if fine { FINE_TIMES } else { 0 });
        let mut put = |value: &dyn Fn(usize) -> i64| {
            let values: Vec<i64> = (0..self.len()).map(value).collect();
            column::put_integers(&mut out, &values);
        };
        if fine {
            put(&|index| self.at[index].as_second());
            put(&|index| self.at[index].subsec_nanosecond().into());
        } else {
            put(&|index| self.at[index].as_millisecond());
        }
        if failed {
            put(&|index| self.outcomes[index].into());
        }
        self.put_metrics(&mut out, packing);
        let sum = checksum(&out);
        out.extend(sum);
        out
    }

    /// First the metrics that are written out, then those that are sums of two of them, then those
    /// that are 0.
    fn put_metrics(&self, out: &mut Vec<u8>, packing: Packing) {
        let (zeros, others): (Vec<&ChunkReadings>, Vec<&ChunkReadings>) =
            self.metrics.iter().partition(|readings| is_zero(readings, &self.metrics));
        let sums = match packing {
            Packing::Quick => Vec::new(),
            Packing::Small => sums(&others),
        };
        let is_sum = |index: usize| sums.iter().any(|sum| sum.whole == index);
        let written: Vec<usize> = (0..others.len()).filter(|index| !is_sum(*index)).collect();
        put_varint(out, written.len() as u64);
        for index in &written {
            put_varint(out, others[*index].metric.into());
            column::put_numbers(out, &others[*index].values);
        }
        put_varint(out, sums.len() as u64);
        for Sum { whole, parts, column, .. } in &sums {
            put_varint(out, others[*whole].metric.into());
            for part in parts {
                put_varint(out, written.partition_point(|index| index < part) as u64);
            }
            out.extend_from_slice(column);
        }
        put_runs(out, zeros.iter().map(|readings| readings.metric));
    }
}

/// Whether the metric is 0 in every sample; false for replicates, which keep their order.
fn is_zero(readings: &ChunkReadings, all: &[ChunkReadings]) -> bool {
    readings.values.iter().all(|value| value.is_some_and(|value| value.to_bits() == 0))
        && all.iter().filter(|other| other.metric == readings.metric).count() == 1
}

/// Appends ascending numbers as runs: how many, then of each its distance from the end of the one
/// before, and its length.
fn put_runs(out: &mut Vec<u8>, numbers: impl Iterator<Item = u32>) {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for number in numbers.map(u64::from) {
        match runs.last_mut() {
            Some((first, length)) if *first + *length == number => *length += 1,
            _ => runs.push((number, 1)),
        }
    }
    put_varint(out, runs.len() as u64);
    let mut end = 0;
    for (first, length) in runs {
        put_varint(out, first - end);
        put_varint(out, length);
        end = first + length;
    }
}

/// The metrics that are smaller as sums of two that are written out, ascending.
fn sums(metrics: &[&ChunkReadings]) -> Vec<Sum> {
    let mut found: Vec<Sum> = Vec::new();
    let mut possible = possible_sums(metrics);
    // The largest saving first; what is a sum is no part of another, and what is a part no sum.
    possible.sort_by_key(|sum| std::cmp::Reverse(sum.saved));
    for sum in possible {
        let clashes = |other: &Sum| {
            other.whole == sum.whole
                || other.parts.contains(&sum.whole)
                || sum.parts.contains(&other.whole)
        };
        if !found.iter().any(clashes) {
            found.push(sum);
        }
    }
    found.sort_by_key(|sum| sum.whole);
    found
}

/// Every metric as the sum of every two others, where that is smaller.
fn possible_sums(metrics: &[&ChunkReadings]) -> Vec<Sum> {
    // A sum cannot refer to one of several replicates.
    let repeats =
        |index: usize| metrics.iter().filter(|it| it.metric == metrics[index].metric).count() > 1;
    let sizes: Vec<usize> =
        metrics.iter().map(|readings| written(&readings.values).len()).collect();
    let mut largest: Vec<usize> = (0..metrics.len()).filter(|index| !repeats(*index)).collect();
    largest.sort_by_key(|index| std::cmp::Reverse(sizes[*index]));
    largest.truncate(MOST_ADDENDS);
    largest.sort_unstable();
    let mut possible = Vec::new();
    for &whole in largest.iter().filter(|index| sizes[**index] > LEAST_SIZE) {
        // As a sum it numbers its two parts besides, in a byte each.
        let room = sizes[whole] - 2;
        for (nth, &first) in largest.iter().enumerate() {
            for &second in
                largest[nth + 1..].iter().filter(|second| first != whole && **second != whole)
            {
                let parts = [first, second];
                let Some(rest) = rest(metrics, whole, parts).filter(|rest| may_fit(rest, room))
                else {
                    continue;
                };
                let column = written(&rest);
                if column.len() < room {
                    possible.push(Sum { whole, parts, saved: room - column.len(), column });
                }
            }
        }
    }
    possible
}

/// Whether these numbers may take less room than `room`, by their range alone. Most do not, and are
/// not worth writing.
fn may_fit(rest: &[Option<f64>], room: usize) -> bool {
    let (least, most) = rest
        .iter()
        .flatten()
        .fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(*value), most.max(*value)));
    // At the largest step that a difference of times has; finer ones take more.
    let bits = ((most - least) / 1e3 + 1.0).log2();
    bits * rest.len() as f64 / 8.0 < room as f64
}

fn written(values: &[Option<f64>]) -> Vec<u8> {
    let mut out = Vec::new();
    column::put_numbers(&mut out, values);
    out
}

/// The whole numbers to add to the sum that give the metric in every sample to the last bit.
///
/// `None` if there are none, as for NaN, whose bits differ from machine to machine.
fn rest(metrics: &[&ChunkReadings], whole: usize, parts: [usize; 2]) -> Option<Vec<Option<f64>>> {
    let [first, second] = parts.map(|part| &metrics[part].values);
    let rows = metrics[whole].values.iter().zip(first.iter().zip(second));
    rows.map(|(whole, parts)| {
        let Some(whole) = whole else { return Some(None) };
        let (Some(first), Some(second)) = parts else { return None };
        let rest = whole - (first + second);
        let back = sum(*first, *second, rest);
        let exact = rest.fract() == 0.0 && !whole.is_nan() && back.to_bits() == whole.to_bits();
        exact.then_some(Some(rest + 0.0))
    })
    .collect()
}

/// The metric whose parts and rest these are.
pub(super) fn sum(first: f64, second: f64, rest: f64) -> f64 {
    // To add 0 would make another bit pattern of −0.
    if rest == 0.0 { first + second } else { first + second + rest }
}
