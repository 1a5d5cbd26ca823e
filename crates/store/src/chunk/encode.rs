//! From samples to bytes.

use super::bytes::put_varint;
use super::{Chunk, Readings, VALID, VERSION, column};

/// With more metrics than this, sums are not looked for: there would be too many pairs to try.
const MOST_ADDENDS: usize = 12;

/// A metric that is in every sample, to the last bit, what two others add up to, as processor time is of
/// user's and system's.
struct Sum {
    /// Its index, and those of the two others.
    whole: usize,
    parts: [usize; 2],
}

impl Chunk {
    /// The bytes that stand for the samples, which must [fit](Self::fits).
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        put_varint(&mut out, self.len() as u64);
        let mut put = |value: &dyn Fn(usize) -> i64| {
            let values: Vec<i64> = (0..self.len()).map(value).collect();
            column::put_integers(&mut out, &values);
        };
        put(&|index| self.places[index].round.into());
        put(&|index| self.places[index].position.into());
        let milliseconds = self.at.iter().all(|at| at.subsec_nanosecond() % 1_000_000 == 0);
        out.push((!milliseconds).into());
        let mut put = |value: &dyn Fn(usize) -> i64| {
            let values: Vec<i64> = (0..self.len()).map(value).collect();
            column::put_integers(&mut out, &values);
        };
        if milliseconds {
            put(&|index| self.at[index].as_millisecond());
        } else {
            put(&|index| self.at[index].as_second());
            put(&|index| self.at[index].subsec_nanosecond().into());
        }
        let failed = self.outcomes.iter().any(|outcome| *outcome != VALID);
        out.push(failed.into());
        if failed {
            let outcomes: Vec<i64> = self.outcomes.iter().map(|outcome| i64::from(*outcome)).collect();
            column::put_integers(&mut out, &outcomes);
        }
        self.put_metrics(&mut out);
        out
    }

    /// First the metrics that are written out, then those that are sums of two of them, then those that are 0.
    fn put_metrics(&self, out: &mut Vec<u8>) {
        let (zeros, others): (Vec<&Readings>, Vec<&Readings>) =
            self.metrics.iter().partition(|readings| is_zero(readings, &self.metrics));
        let sums = sums(&others);
        let is_sum = |index: usize| sums.iter().any(|sum| sum.whole == index);
        let written: Vec<usize> = (0..others.len()).filter(|index| !is_sum(*index)).collect();
        put_varint(out, written.len() as u64);
        for index in &written {
            put_varint(out, others[*index].metric.into());
            column::put_numbers(out, &others[*index].values);
        }
        put_varint(out, sums.len() as u64);
        for Sum { whole, parts } in &sums {
            put_varint(out, others[*whole].metric.into());
            for part in parts {
                put_varint(out, written.partition_point(|index| index < part) as u64);
            }
        }
        put_runs(out, zeros.iter().map(|readings| readings.metric));
    }
}

/// Whether the metric is 0 in every sample; of replicates, which stay in their order, none is said to be.
fn is_zero(readings: &Readings, all: &[Readings]) -> bool {
    readings.values.iter().all(|value| value.is_some_and(|value| value.to_bits() == 0))
        && all.iter().filter(|other| other.metric == readings.metric).count() == 1
}

/// Appends ascending numbers as runs: how many, then of each its distance from the end of the one before, and its
/// length.
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

/// The metrics that need not be written, because they are sums of two that are.
fn sums(metrics: &[&Readings]) -> Vec<Sum> {
    let count = metrics.len();
    let mut sums: Vec<Sum> = Vec::new();
    if count > MOST_ADDENDS {
        return sums;
    }
    for whole in 0..count {
        let is_part = sums.iter().any(|sum| sum.parts.contains(&whole));
        // Which of several replicates a sum is could not be told.
        let repeats = metrics.iter().filter(|readings| readings.metric == metrics[whole].metric).count() > 1;
        let may_be_part = |part: usize| part != whole && sums.iter().all(|sum| sum.whole != part);
        let pairs = (0..count).flat_map(|first| (first + 1..count).map(move |second| [first, second]));
        let mut candidates = pairs.filter(|[first, second]| may_be_part(*first) && may_be_part(*second));
        let parts =
            if is_part || repeats { None } else { candidates.find(|parts| adds_up(metrics, whole, *parts)) };
        sums.extend(parts.map(|parts| Sum { whole, parts }));
    }
    sums
}

/// Whether that is the sum in every sample. What is not a number is not: its bits differ from machine to
/// machine.
fn adds_up(metrics: &[&Readings], whole: usize, parts: [usize; 2]) -> bool {
    let [first, second] = parts.map(|part| &metrics[part].values);
    metrics[whole].values.iter().zip(first.iter().zip(second)).all(|row| match row {
        (Some(whole), (Some(first), Some(second))) => {
            !whole.is_nan() && (first + second).to_bits() == whole.to_bits()
        }
        (None, (None, None)) => true,
        _ => false,
    })
}
