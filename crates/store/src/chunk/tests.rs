//! Whatever is encoded comes back bit by bit; whatever is not a chunk is refused.

use proptest::prelude::*;

use super::bytes::put_varint;
use super::*;

/// A sample as the tests make it up.
type Made = (Place, Timestamp, u8, Vec<(u32, f64)>);

fn chunk(samples: &[Made]) -> Chunk {
    let mut chunk = Chunk::default();
    for (place, at, outcome, values) in samples {
        chunk.push(*place, *at, *outcome);
        for (metric, value) in values {
            chunk.put_value(*metric, *value);
        }
    }
    chunk
}

/// A sample in a form that can be compared.
type ChunkContent = (Place, Timestamp, u8, Vec<(u32, u64)>);

/// All that a chunk holds in a form that can be compared, with floating-point numbers by their
/// bits.
fn content(chunk: &Chunk) -> Vec<ChunkContent> {
    let values = |index: usize| {
        let value =
            |readings: &ChunkReadings| Some((readings.metric, readings.values[index]?.to_bits()));
        chunk.metrics.iter().filter_map(value).collect()
    };
    (0..chunk.len())
        .map(|index| (chunk.places[index], chunk.at[index], chunk.outcomes[index], values(index)))
        .collect()
}

fn read_all_ways(bytes: &[u8]) {
    let mut decoder = Decoder::default();
    let _ = decoder.decode(bytes);
    let _ = decoder.decode_metrics(bytes, &[3, 4]);
    let _ = decoder.decode_places(bytes);
}

fn place() -> impl Strategy<Value = Place> {
    let near = (0_u32..50, 0_u32..1000);
    prop_oneof![near, any::<(u32, u32)>()].prop_map(|(round, position)| Place { round, position })
}

fn time() -> impl Strategy<Value = Timestamp> {
    let seconds = Timestamp::MIN.as_second()..Timestamp::MAX.as_second();
    let near = 1_700_000_000_i64..1_700_100_000;
    (prop_oneof![near, seconds], 0..1_000_000_000)
        .prop_map(|(second, nanosecond)| Timestamp::new(second, nanosecond).unwrap())
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (1_000_000_i64..2_000_000).prop_map(|value| value as f64),
        2 => (-1_000_i64..1_000).prop_map(|value| (value * 4096) as f64),
        2 => (0_i64..100_000, 0..8).prop_map(|(value, decimals)| value as f64 / 10_f64.powi(decimals)),
        1 => any::<i64>().prop_map(|value| value as f64),
        1 => any::<f64>(),
        1 => any::<u64>().prop_map(f64::from_bits),
        1 => prop::sample::select(vec![
            f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, f64::MIN_POSITIVE, 5e-324,
            i64::MAX as f64, i64::MIN as f64, f64::MAX, f64::MIN, 0.1 + 0.2,
        ]),
    ]
}

/// Adds metrics that are sums of two others in every sample but perhaps one.
fn add_sums(samples: &mut [Made], off: usize) {
    for (index, (_, _, _, values)) in samples.iter_mut().enumerate() {
        let value =
            |metric| values.iter().find(|(number, _)| *number == metric).map(|(_, value)| *value);
        if let (Some(one), Some(two)) = (value(1), value(3)) {
            let slip = f64::from(u8::from(index == off));
            values.retain(|(number, _)| ![0, 2, 9].contains(number));
            values.extend([(0, one + two), (2, one + one), (9, one + two + slip)]);
            values.sort_by_key(|(number, _)| *number);
        }
    }
}

fn sample() -> impl Strategy<Value = Made> {
    let replicates = prop_oneof![4 => prop::collection::vec(value(), 1), 1 => prop::collection::vec(value(), 2..5)];
    let values = prop::collection::btree_map(prop_oneof![1_u32..5, any::<u32>()], replicates, 0..6);
    (place(), time(), prop_oneof![4 => Just(VALID), 1 => 1_u8..8], values).prop_map(
        |(place, at, outcome, values)| {
            let each = |(metric, values): (u32, Vec<f64>)| {
                values.into_iter().map(move |value| (metric, value))
            };
            (place, at, outcome, values.into_iter().flat_map(each).collect())
        },
    )
}

proptest! {
    #[test]
    fn any_samples_come_back_bit_by_bit(
        mut samples in prop::collection::vec(sample(), 1..40),
        sums: bool,
        off in 0_usize..80,
        zeros in prop::collection::btree_set(5_u32..12, 0..7),
    ) {
        if sums {
            add_sums(&mut samples, off);
        }
        for (_, _, _, values) in &mut samples {
            values.retain(|(metric, _)| !zeros.contains(metric));
            values.extend(zeros.iter().map(|metric| (*metric, 0.0)));
            values.sort_by_key(|(metric, _)| *metric);
        }
        let chunk = chunk(&samples);
        for packing in [Packing::Quick, Packing::Small] {
            let bytes = chunk.encode(packing);
            prop_assert_eq!(content(&Chunk::decode(&bytes).unwrap()), content(&chunk));
            let mut decoder = Decoder::default();
            prop_assert_eq!(&decoder.decode_places(&bytes).unwrap(), &chunk.places);
        }
    }

    #[test]
    fn one_metric_alike_in_all_samples_comes_back(
        values in prop::collection::vec(value(), 1..100),
        same_kind in prop::collection::vec(any::<i64>(), 1..100),
    ) {
        let at = Timestamp::UNIX_EPOCH;
        let samples: Vec<Made> = values
            .into_iter()
            .chain(same_kind.into_iter().map(|value| value as f64))
            .enumerate()
            .map(|(index, value)| (Place { round: 1, position: index as u32 }, at, VALID, vec![(7, value)]))
            .collect();
        let chunk = chunk(&samples);
        prop_assert_eq!(content(&Chunk::decode(&chunk.encode(Packing::Small)).unwrap()), content(&chunk));
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        mut bytes in prop::collection::vec(any::<u8>(), 0..200),
        valid_start: bool,
    ) {
        if valid_start && !bytes.is_empty() {
            // Without a checksum, which would hide all else from arbitrary bytes.
            bytes[0] = UNCHECKED;
        }
        read_all_ways(&bytes);
    }

    #[test]
    fn damaged_chunks_never_panic(
        samples in prop::collection::vec(sample(), 1..10),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        kept in any::<prop::sample::Index>(),
    ) {
        let mut bytes = chunk(&samples).encode(Packing::Small);
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        bytes[0] = UNCHECKED;
        read_all_ways(&bytes);
        read_all_ways(&bytes[..kept.index(bytes.len())]);
    }

    #[test]
    fn a_decoder_forgets_the_chunk_before(
        mut one in prop::collection::vec(sample(), 1..10),
        two in prop::collection::vec(sample(), 1..10),
        metric in 0_u32..10,
    ) {
        add_sums(&mut one, usize::MAX);
        let mut decoder = Decoder::default();
        for samples in [one, two] {
            let chunk = chunk(&samples);
            let bytes = chunk.encode(Packing::Small);
            prop_assert_eq!(content(decoder.decode(&bytes).unwrap()), content(&chunk));
            let single = decoder.decode_metrics(&bytes, &[metric]).unwrap();
            let bits = |metrics: &[ChunkReadings]| -> Vec<Vec<Option<u64>>> {
                let of_it = metrics.iter().filter(|readings| readings.metric == metric);
                of_it.map(|it| it.values.iter().map(|value| value.map(f64::to_bits)).collect()).collect()
            };
            prop_assert_eq!(bits(&single.metrics), bits(&chunk.metrics));
            prop_assert!(single.metrics.iter().all(|readings| readings.metric == metric));
            prop_assert_eq!((&single.places, &single.outcomes), (&chunk.places, &chunk.outcomes));
        }
    }

    #[test]
    fn a_part_of_a_chunk_is_never_taken_for_the_whole(
        samples in prop::collection::vec(sample(), 1..10),
    ) {
        let bytes = chunk(&samples).encode(Packing::Small);
        for length in 0..bytes.len() {
            prop_assert!(Chunk::decode(&bytes[..length]).is_err());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn no_flipped_bit_goes_unseen(samples in prop::collection::vec(sample(), 1..10)) {
        let mut bytes = chunk(&samples).encode(Packing::Small);
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(Chunk::decode(&bytes).is_err(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn chunks_without_a_checksum_are_read(samples in prop::collection::vec(sample(), 1..10)) {
        let chunk = chunk(&samples);
        let mut bytes = chunk.encode(Packing::Small);
        bytes.truncate(bytes.len() - CHECKSUM);
        bytes[0] = UNCHECKED;
        prop_assert_eq!(content(&Chunk::decode(&bytes).unwrap()), content(&chunk));
    }
}

#[test]
fn few_bytes_cannot_ask_for_all_memory() {
    let mut bytes = vec![UNCHECKED];
    put_varint(&mut bytes, u64::MAX);
    bytes.extend([0; 40]);
    assert_eq!(Chunk::decode(&bytes).unwrap_err(), ChunkError::Samples { found: u64::MAX });
    assert_eq!(Chunk::decode(&[UNCHECKED, 0]).unwrap_err(), ChunkError::Samples { found: 0 });
}

#[test]
fn a_sum_of_two_metrics_takes_five_bytes() {
    let at = Timestamp::UNIX_EPOCH;
    let values =
        |index: u32| vec![(1, f64::from(index) + 0.1), (3, 0.2), (5, f64::from(index) + 0.1 + 0.2)];
    let samples = |metrics: usize| -> Vec<Made> {
        let values = |index| values(index).into_iter().take(metrics).collect();
        (1..50)
            .map(|index| (Place { round: index, position: 0 }, at, VALID, values(index)))
            .collect()
    };
    assert_eq!(
        chunk(&samples(3)).encode(Packing::Small).len(),
        chunk(&samples(2)).encode(Packing::Small).len() + 5
    );
}

#[test]
fn what_two_metrics_nearly_add_up_to_takes_little() {
    let at = Timestamp::UNIX_EPOCH;
    let noise = |round: u32, prime: u32| f64::from(round.wrapping_mul(prime) % 10_007) * 1e3;
    let samples = |near: bool| -> Vec<Made> {
        let values = |round: u32| {
            let (user, sys) = (noise(round, 7919), noise(round, 104_729));
            let cpu = user + sys + f64::from(round % 2) * 1e3;
            let values = vec![(1, user), (2, sys), (3, cpu)];
            values.into_iter().take(if near { 3 } else { 2 }).collect::<Vec<_>>()
        };
        (1..80).map(|round| (Place { round, position: 0 }, at, VALID, values(round))).collect()
    };
    let (both, near) = (chunk(&samples(false)), chunk(&samples(true)));
    // One bit a sample, and the heads: of the sum, and of its rest.
    assert_eq!(
        near.encode(Packing::Small).len(),
        both.encode(Packing::Small).len() + 5 + 79_usize.div_ceil(8)
    );
    assert_eq!(content(&Chunk::decode(&near.encode(Packing::Small)).unwrap()), content(&near));
}

#[test]
fn metrics_that_are_zero_take_two_bytes_a_run() {
    let at = Timestamp::UNIX_EPOCH;
    let with = |zeros: &[u32]| {
        let values: Vec<(u32, f64)> = zeros.iter().map(|metric| (*metric, 0.0)).collect();
        let samples: Vec<Made> = (1..50)
            .map(|round| (Place { round, position: 0 }, at, VALID, values.clone()))
            .collect();
        chunk(&samples).encode(Packing::Small).len()
    };
    assert_eq!(with(&[3, 4, 5, 6, 9]), with(&[]) + 4);
}

#[test]
fn replicates_are_never_written_as_sums() {
    let at = Timestamp::UNIX_EPOCH;
    let values = vec![(1, 1.0), (2, 2.0), (5, 3.0), (5, 1.0), (5, 4.0), (6, 3.0)];
    let samples: Vec<Made> =
        (1..9).map(|round| (Place { round, position: 0 }, at, VALID, values.clone())).collect();
    let chunk = chunk(&samples);
    assert_eq!(content(&Chunk::decode(&chunk.encode(Packing::Small)).unwrap()), content(&chunk));
}

#[test]
fn a_later_format_is_named() {
    let words = Chunk::decode(&[9, 1, 2]).unwrap_err().to_string();
    assert_eq!(words, "it is of format 9, and this program knows format 2");
}

#[test]
fn appended_and_selected_samples_keep_their_values() {
    let at = Timestamp::UNIX_EPOCH;
    let place = |position| Place { round: 1, position };
    let one = chunk(&[(place(0), at, VALID, vec![(2, 5.0)])]);
    let two = chunk(&[
        (place(1), at, 3, vec![(1, 7.0)]),
        (place(2), at, VALID, vec![(2, 6.5), (9, 1.0)]),
    ]);
    let mut both = one.clone();
    both.append(&two);
    assert_eq!(both.len(), 3);
    assert_eq!(content(&both.select(&[0])), content(&one));
    assert_eq!(content(&both.select(&[1, 2])), content(&two));
    assert_eq!(both.select(&[0]).metrics.len(), 1);
}

#[test]
fn ten_usual_samples_take_few_bytes() {
    // Wall time in ns around 50 ms, processor times in µs, memory in pages, started about once a
    // minute.
    let noise = |index: u64, range: u64| ((index * 2_654_435_761) >> 7) % range;
    let samples: Vec<Made> = (1_u64..=10)
        .map(|index| {
            let second = 1_700_000_000 + 60 * index.cast_signed() + noise(index, 20).cast_signed();
            let at = Timestamp::new(second, noise(index, 999_999_937) as i32).unwrap();
            let user = 40_000 + noise(index + 10, 1_500);
            let sys = 9_000 + noise(index + 20, 700);
            let values = vec![
                (1, (50_000_000 + noise(index, 1_500_000)) as f64),
                (2, (1_000 * (user + sys)) as f64),
                (3, (1_000 * user) as f64),
                (4, (1_000 * sys) as f64),
                (5, (4_096 * (2_500 + noise(index + 30, 50))) as f64),
            ];
            (Place { round: index as u32, position: noise(index, 300) as u32 }, at, VALID, values)
        })
        .collect();
    let bytes = chunk(&samples).encode(Packing::Small);
    assert!(bytes.len() <= 130 + CHECKSUM, "{} bytes", bytes.len());
}

/// The bytes of the example in the documentation: what stands before two spaces in each line of its
/// block.
fn documented() -> Vec<u8> {
    let text = include_str!("../../../../docs/src/formats/chunk.md");
    let block = text.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let bytes =
        block.lines().filter_map(|line| line.split("  ").next()).flat_map(str::split_whitespace);
    bytes.map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

#[test]
fn the_documented_bytes_are_written_and_read() {
    let at = |second: i64| Timestamp::new(1_760_000_000 + second, 250_000_000).unwrap();
    let samples = [
        (
            Place { round: 1, position: 4 },
            at(0),
            VALID,
            vec![(1, 52_123_457.0), (3, 50e6), (4, 2_123_456.0), (7, 6.5), (8, 0.0), (9, 0.0)],
        ),
        (
            Place { round: 2, position: 0 },
            at(61),
            VALID,
            vec![(1, 53_000_002.0), (3, 50e6), (4, 3_000_002.0), (8, 0.0), (9, 0.0)],
        ),
        (Place { round: 3, position: 2 }, at(120), 5, vec![(8, 0.0), (9, 0.0)]),
    ];
    let chunk = chunk(&samples);
    assert_eq!(chunk.encode(Packing::Small), documented());
    assert_eq!(content(&Chunk::decode(&documented()).unwrap()), content(&chunk));
}
