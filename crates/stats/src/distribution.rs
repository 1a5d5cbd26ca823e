//! The few probability distributions that tests and intervals stand on: normal, Student's t,
//! Fisher's F, binomial, hypergeometric.

use std::f64::consts::{PI, TAU};

/// The chance that a standard normal number is at most `z`.
///
/// Hart's approximation as given by West, "Better Approximations to Cumulative Normal Functions",
/// Wilmott (2005): an error below 1e-15 up to a distance of 7, and 7 right digits beyond.
#[must_use]
pub fn normal_below(z: f64) -> f64 {
    const NUMERATOR: [f64; 7] = [
        3.526_249_659_989_11e-2,
        0.700_383_064_443_688,
        6.373_962_203_531_65,
        33.912_866_078_383,
        112.079_291_497_871,
        221.213_596_169_931,
        220.206_867_912_376,
    ];
    const DENOMINATOR: [f64; 8] = [
        8.838_834_764_831_84e-2,
        1.755_667_163_182_64,
        16.064_177_579_207,
        86.780_732_202_946_1,
        296.564_248_779_674,
        637.333_633_378_831,
        793.826_512_519_948,
        440.413_735_824_752,
    ];
    let distance = z.abs();
    let bell = (-distance * distance / 2.0).exp();
    let tail = if distance < 7.071_067_811_865_47 {
        bell * polynomial(&NUMERATOR, distance) / polynomial(&DENOMINATOR, distance)
    } else {
        let fraction =
            [4.0, 3.0, 2.0, 1.0].iter().fold(distance + 0.65, |below, k| distance + k / below);
        bell / (fraction * TAU.sqrt())
    };
    if z > 0.0 { 1.0 - tail } else { tail }
}

/// The value that a standard normal number is below with probability `p`; infinite at 0 and 1.
///
/// Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied
/// Statistics 37 (1988): about 16 digits.
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    const CENTRE: ([f64; 8], [f64; 8]) = (
        [
            2_509.080_928_730_122_6,
            33_430.575_583_588_13,
            67_265.770_927_008_7,
            45_921.953_931_549_87,
            13_731.693_765_509_46,
            1_971.590_950_306_551_3,
            133.141_667_891_784_38,
            3.387_132_872_796_366_5,
        ],
        [
            5_226.495_278_852_854,
            28_729.085_735_721_943,
            39_307.895_800_092_71,
            21_213.794_301_586_597,
            5_394.196_021_424_751,
            687.187_007_492_057_9,
            42.313_330_701_600_91,
            1.0,
        ],
    );
    const TAIL: ([f64; 8], [f64; 8]) = (
        [
            7.745_450_142_783_414e-4,
            2.272_384_498_926_918_4e-2,
            0.241_780_725_177_450_6,
            1.270_458_252_452_368_4,
            3.647_848_324_763_204_5,
            5.769_497_221_460_691,
            4.630_337_846_156_546,
            1.423_437_110_749_683_5,
        ],
        [
            1.050_750_071_644_416_9e-9,
            5.475_938_084_995_345e-4,
            1.519_866_656_361_645_7e-2,
            0.148_103_976_427_480_08,
            0.689_767_334_985_1,
            1.676_384_830_183_803_8,
            2.053_191_626_637_759,
            1.0,
        ],
    );
    const FAR: ([f64; 8], [f64; 8]) = (
        [
            2.010_334_399_292_288_1e-7,
            2.711_555_568_743_487_6e-5,
            1.242_660_947_388_078_4e-3,
            2.653_218_952_657_612_4e-2,
            0.296_560_571_828_504_87,
            1.784_826_539_917_291_3,
            5.463_784_911_164_114,
            6.657_904_643_501_103,
        ],
        [
            2.044_263_103_389_939_8e-15,
            1.421_511_758_316_446e-7,
            1.846_318_317_510_054_8e-5,
            7.868_691_311_456_133e-4,
            1.487_536_129_085_061_5e-2,
            0.136_929_880_922_735_8,
            0.599_832_206_555_887_9,
            1.0,
        ],
    );
    let from_half = p - 0.5;
    let ratio =
        |(above, below): &([f64; 8], [f64; 8]), x: f64| polynomial(above, x) / polynomial(below, x);
    if from_half.abs() <= 0.425 {
        return from_half * ratio(&CENTRE, 0.180_625 - from_half * from_half);
    }
    let depth = (-p.min(1.0 - p).ln()).sqrt();
    let distance = match depth {
        _ if depth.is_infinite() => f64::INFINITY,
        ..=5.0 => ratio(&TAIL, depth - 1.6),
        _ => ratio(&FAR, depth - 5.0),
    };
    distance.copysign(from_half)
}

/// The coefficients come highest power first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// The chance that a number of Student's t distribution is at most `t`; `freedom` is any number
/// above 0.
#[must_use]
pub fn student_below(t: f64, freedom: f64) -> f64 {
    let tail = beta_below(freedom / (freedom + t * t), freedom / 2.0, 0.5) / 2.0;
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The value that a number of Student's t distribution is below with probability `p`; infinite at 0
/// and 1.
#[must_use]
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return f64::INFINITY.copysign(p - 0.5);
    }
    let tail = p.min(1.0 - p);
    if tail == 0.5 {
        return 0.0;
    }
    // Newton's steps between the logarithms of the value and of its tail, which nearly follow a
    // straight line.
    let scale = ln_gamma(f64::midpoint(freedom, 1.0))
        - ln_gamma(freedom / 2.0)
        - (freedom * PI).sqrt().ln();
    let mut log = (-normal_quantile(tail)).ln();
    for _ in 0..60 {
        let t = log.exp();
        let below = student_below(-t, freedom);
        let density = (scale - f64::midpoint(freedom, 1.0) * (t * t / freedom).ln_1p()).exp();
        let step = (below / tail).ln() * below / (t * density);
        log += step.clamp(-2.0, 20.0);
        if step.abs() < 1e-13 {
            break;
        }
    }
    log.exp().copysign(p - 0.5)
}

/// The value that a number of Fisher's F distribution is below with probability `p`, which is
/// neither 0 nor 1; `above` and `below` are the degrees of freedom of what is divided and of what
/// it is divided by.
#[must_use]
pub fn fisher_quantile(p: f64, above: f64, below: f64) -> f64 {
    // By halves, of the share that has a beta distribution.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if beta_below(middle, above / 2.0, below / 2.0) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    let share = f64::midpoint(low, high);
    below * share / (above * (1.0 - share))
}

/// The chance that a number of the beta distribution with these parameters is at most `x`.
///
/// By its continued fraction: Press et al., "Numerical Recipes" (2007), 6.4.
#[must_use]
pub fn beta_below(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return f64::from(u8::from(x >= 1.0));
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_below(1.0 - x, b, a);
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln();
    front.exp() * beta_fraction(x, a, b) / a
}

/// Lentz's way to work out the continued fraction.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    let apart = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut above, mut below) = (1.0, 1.0 / apart(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = below;
    for step in 1..1000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            below = 1.0 / apart(1.0 + term * below);
            above = apart(1.0 + term / above);
            fraction *= above * below;
        }
        if (fraction - before).abs() < 1e-15 * fraction.abs() {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function, for `x` above 0.
///
/// Lanczos, "A Precision Approximation of the Gamma Function" (1964), with Godfrey's coefficients:
/// 15 digits.
#[must_use]
pub fn ln_gamma(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 14] = [
        57.156_235_665_862_92,
        -59.597_960_355_475_49,
        14.136_097_974_741_746,
        -0.491_913_816_097_620_2,
        0.339_946_499_848_118_9e-4,
        0.465_236_289_270_485_8e-4,
        -0.983_744_753_048_795_6e-4,
        0.158_088_703_224_912_5e-3,
        -0.210_264_441_724_104_9e-3,
        0.217_439_618_115_212_6e-3,
        -0.164_318_106_536_763_9e-3,
        0.844_182_239_838_527_4e-4,
        -0.261_908_384_015_814_1e-4,
        0.368_991_826_595_316_2e-5,
    ];
    let base = x + 671.0 / 128.0;
    let mut series = 0.999_999_999_999_997_1;
    for (index, coefficient) in COEFFICIENTS.iter().enumerate() {
        series += coefficient / (x + 1.0 + index as f64);
    }
    (x + 0.5) * base.ln() - base + (TAU.sqrt() * series / x).ln()
}

/// The logarithm of the number of ways to choose `k` of `n`; minus infinity where there is none.
#[must_use]
pub fn ln_choose(n: usize, k: usize) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    let factorial = |n: usize| ln_gamma(n as f64 + 1.0);
    factorial(n) - factorial(k) - factorial(n - k)
}

/// The chance of exactly `k` among `drawn` without putting back, from `all` of which `marked` are
/// marked.
#[must_use]
pub fn hypergeometric(k: usize, drawn: usize, marked: usize, all: usize) -> f64 {
    if k > marked || k > drawn || drawn - k > all - marked {
        return 0.0;
    }
    (ln_choose(marked, k) + ln_choose(all - marked, drawn - k) - ln_choose(all, drawn)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(value: f64, expected: f64, relative: f64) {
        assert!((value - expected).abs() <= relative * expected.abs(), "{value} is not {expected}");
    }

    #[test]
    fn tabulated_normal() {
        // SciPy: norm.cdf.
        for (z, below) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-1.959_963_984_540_054, 0.025),
            (-5.0, 2.866_515_718_791_94e-7),
        ] {
            assert_close(normal_below(z), below, 1e-10);
        }
        assert_close(normal_below(-10.0), 7.619_853_024_160_53e-24, 1e-7);
        assert_eq!((normal_below(-60.0), normal_below(60.0)), (0.0, 1.0));
    }

    #[test]
    fn normal_quantiles_are_the_inverse() {
        for p in [1e-300, 1e-12, 1e-4, 0.025, 0.3, 0.5, 0.7, 0.999] {
            assert_close(normal_below(normal_quantile(p)), p, 1e-6);
        }
        assert_close(normal_quantile(0.975), 1.959_963_984_540_054, 1e-14);
        assert_close(normal_quantile(1e-20), -9.262_340_089_798_408, 1e-13);
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
    }

    #[test]
    fn tabulated_student() {
        // SciPy: t.ppf(0.975, freedom).
        for (freedom, quantile) in [
            (1.0, 12.706_204_736_174_7),
            (2.0, 4.302_652_729_749_46),
            (4.5, 2.658_912_347_204_4),
            (29.0, 2.045_229_642_132_7),
            (1e7, 1.959_964_221_767_2),
        ] {
            assert_close(student_quantile(0.975, freedom), quantile, 1e-7);
            assert_close(student_quantile(0.025, freedom), -quantile, 1e-7);
            assert_close(student_below(quantile, freedom), 0.975, 1e-9);
        }
        // SciPy: t.ppf.
        assert_close(student_quantile(1e-9, 1.0), -318_309_886.183_79, 1e-9);
        assert_close(student_quantile(1e-6, 3.0), -103.299_467_780_4, 1e-9);
        assert_close(student_quantile(0.4, 0.5), -0.397_975_426_8, 1e-9);
        assert_eq!(student_quantile(0.5, 3.0), 0.0);
        // Of one degree of freedom it is the square of Student's t; the others are of printed
        // tables.
        assert_close(fisher_quantile(0.05, 1.0, 10.0), student_quantile(0.525, 10.0).powi(2), 1e-9);
        assert_close(fisher_quantile(0.95, 4.0, 40.0), 2.606, 2e-4);
        assert_close(1.0 / fisher_quantile(0.05, 10.0, 5.0), 3.326, 2e-4);
        assert_eq!(student_quantile(1.0, 3.0), f64::INFINITY);
    }

    #[test]
    fn counts_and_shares() {
        assert_close(ln_choose(60, 30).exp(), 118_264_581_564_861_424.0, 1e-12);
        assert_eq!(ln_choose(3, 4), f64::NEG_INFINITY);
        assert_close(hypergeometric(2, 5, 5, 10), 100.0 / 252.0, 1e-12);
        assert_eq!(hypergeometric(0, 6, 5, 10), 0.0);
        let all: f64 = (0..=5).map(|k| hypergeometric(k, 7, 5, 12)).sum();
        assert_close(all, 1.0, 1e-12);
    }
}
