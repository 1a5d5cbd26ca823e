//! The compression function of MD5 (RFC 1321), for one file or for eight at once.

/// MD5 takes its input in blocks.
pub(crate) const BLOCK: usize = 64;
/// Files beside each other where the processor has AVX2.
pub(crate) const LANES: usize = 8;

/// The state of one sum.
pub(crate) type State = [u32; 4];

/// The state that each sum begins with (RFC 1321, 3.3).
pub(crate) const START: State = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// `floor(2^32 × |sin(i + 1)|)` (RFC 1321, 3.4).
const SINES: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];

/// A word of each lane.
trait Word: Copy {
    /// The sum, without overflow.
    fn plus(self, other: Self) -> Self;
    /// The same word in each lane.
    fn splat(word: u32) -> Self;
    /// Turned left by `LEFT` bits; `RIGHT` is the rest of 32.
    fn turned<const LEFT: i32, const RIGHT: i32>(self) -> Self;
    /// The functions F, G, H and I of RFC 1321, 3.4.
    fn mix<const ROUND: u8>(b: Self, c: Self, d: Self) -> Self;
}

impl Word for u32 {
    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline]
    fn splat(word: u32) -> Self {
        word
    }
    #[inline]
    fn turned<const LEFT: i32, const RIGHT: i32>(self) -> Self {
        (self << LEFT) | (self >> RIGHT)
    }
    #[inline]
    fn mix<const ROUND: u8>(b: Self, c: Self, d: Self) -> Self {
        match ROUND {
            0 => d ^ (b & (c ^ d)),
            1 => c ^ (d & (b ^ c)),
            2 => b ^ c ^ d,
            _ => c ^ (b | !d),
        }
    }
}

/// One step: `$a = $b + turned($a + mix + word + sine)`.
macro_rules! step {
    ($round:literal, $a:ident, $b:ident, $c:ident, $d:ident, $word:expr, $sine:expr, $left:literal) => {
        $a = $a.plus(W::mix::<$round>($b, $c, $d)).plus($word.plus(W::splat($sine)));
        $a = $a.turned::<$left, { 32 - $left }>().plus($b);
    };
}

/// Sixteen steps, whose words are taken from `$first` on, each `$stride` further.
macro_rules! round {
    ($round:literal, $words:ident, ($a:ident, $b:ident, $c:ident, $d:ident), $first:literal, $stride:literal,
     [$s0:literal, $s1:literal, $s2:literal, $s3:literal]) => {
        round!($round, $words, ($a, $b, $c, $d), $first, $stride, [$s0, $s1, $s2, $s3], 0, 4, 8, 12)
    };
    ($round:literal, $words:ident, $state:tt, $first:literal, $stride:literal, $turns:tt, $($at:literal),*) => {
        $(round!(@ $round, $words, $state, $first, $stride, $turns, $at);)*
    };
    (@ $round:literal, $words:ident, ($a:ident, $b:ident, $c:ident, $d:ident), $first:literal, $stride:literal,
     [$s0:literal, $s1:literal, $s2:literal, $s3:literal], $at:literal) => {
        step!($round, $a, $b, $c, $d, $words[($first + $at * $stride) % 16], SINES[$round * 16 + $at], $s0);
        step!($round, $d, $a, $b, $c, $words[($first + ($at + 1) * $stride) % 16], SINES[$round * 16 + $at + 1], $s1);
        step!($round, $c, $d, $a, $b, $words[($first + ($at + 2) * $stride) % 16], SINES[$round * 16 + $at + 2], $s2);
        step!($round, $b, $c, $d, $a, $words[($first + ($at + 3) * $stride) % 16], SINES[$round * 16 + $at + 3], $s3);
    };
}

/// Takes one block of each lane into the state.
#[allow(clippy::inline_always)] // so that it may use the instructions of its caller
#[inline(always)]
fn compress<W: Word>(state: &mut [W; 4], words: &[W; 16]) {
    let [mut a, mut b, mut c, mut d] = *state;
    round!(0, words, (a, b, c, d), 0, 1, [7, 12, 17, 22]);
    round!(1, words, (a, b, c, d), 1, 5, [5, 9, 14, 20]);
    round!(2, words, (a, b, c, d), 5, 3, [4, 11, 16, 23]);
    round!(3, words, (a, b, c, d), 0, 7, [6, 10, 15, 21]);
    *state = [state[0].plus(a), state[1].plus(b), state[2].plus(c), state[3].plus(d)];
}

/// Takes `blocks` blocks of one file into its state.
pub(crate) fn one(state: &mut State, data: &[u8], blocks: usize) {
    for block in data[..blocks * BLOCK].chunks_exact(BLOCK) {
        let mut words = [0; 16];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        compress(state, &words);
    }
}

/// Whether this processor can take [`LANES`] files at once.
pub(crate) fn has_lanes() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}

/// Takes `blocks` blocks of each file into its state.
pub(crate) fn many(states: &mut [State; LANES], data: &[&[u8]; LANES], blocks: usize) {
    #[cfg(target_arch = "x86_64")]
    if has_lanes() {
        // SAFETY: the processor has AVX2.
        unsafe { avx2::many(states, data, blocks) };
        return;
    }
    for (state, data) in states.iter_mut().zip(data) {
        one(state, data, blocks);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! Eight files in the eight elements of vectors.

    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_or_si256, _mm256_set1_epi32,
        _mm256_slli_epi32, _mm256_srli_epi32, _mm256_xor_si256,
    };
    use std::mem::transmute;

    use super::{BLOCK, LANES, State, Word, compress};

    // The methods must become part of `many`, which alone may use these instructions.
    #[allow(clippy::inline_always)]
    impl Word for __m256i {
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            // SAFETY: only `many` uses these vectors, where the processor has AVX2.
            unsafe { _mm256_add_epi32(self, other) }
        }

        #[inline(always)]
        fn splat(word: u32) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_set1_epi32(word.cast_signed()) }
        }

        #[inline(always)]
        fn turned<const LEFT: i32, const RIGHT: i32>(self) -> Self {
            // SAFETY: as above.
            unsafe {
                _mm256_or_si256(_mm256_slli_epi32::<LEFT>(self), _mm256_srli_epi32::<RIGHT>(self))
            }
        }

        #[inline(always)]
        fn mix<const ROUND: u8>(b: Self, c: Self, d: Self) -> Self {
            // SAFETY: as above.
            unsafe {
                match ROUND {
                    0 => _mm256_xor_si256(d, _mm256_and_si256(b, _mm256_xor_si256(c, d))),
                    1 => _mm256_xor_si256(c, _mm256_and_si256(d, _mm256_xor_si256(b, c))),
                    2 => _mm256_xor_si256(_mm256_xor_si256(b, c), d),
                    _ => {
                        let not_d = _mm256_xor_si256(d, _mm256_set1_epi32(-1));
                        _mm256_xor_si256(c, _mm256_or_si256(b, not_d))
                    }
                }
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn many(states: &mut [State; LANES], data: &[&[u8]; LANES], blocks: usize) {
        let lanes: [[u32; LANES]; 4] = std::array::from_fn(|word| states.map(|state| state[word]));
        // SAFETY: a vector is eight words, of any value.
        let mut state = unsafe { transmute::<[[u32; LANES]; 4], [__m256i; 4]>(lanes) };
        for block in 0..blocks {
            let words = transposed(data, block * BLOCK);
            // SAFETY: as above.
            compress(&mut state, &unsafe { transmute::<[[u32; LANES]; 16], [__m256i; 16]>(words) });
        }
        // SAFETY: as above.
        let lanes = unsafe { transmute::<[__m256i; 4], [[u32; LANES]; 4]>(state) };
        *states = std::array::from_fn(|lane| lanes.map(|words| words[lane]));
    }

    /// The sixteen words of the block at `at`, each of all files.
    #[allow(clippy::inline_always)] // as the methods above
    #[inline(always)]
    fn transposed(data: &[&[u8]; LANES], at: usize) -> [[u32; LANES]; 16] {
        let mut words = [[0; LANES]; 16];
        for (lane, data) in data.iter().enumerate() {
            for (word, bytes) in words.iter_mut().zip(data[at..at + BLOCK].chunks_exact(4)) {
                word[lane] = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
        }
        words
    }
}
