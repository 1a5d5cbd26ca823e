//! The least samples and builds by which one of so many revisions can be named, levels and noise
//! being known (Fano's inequality).

use std::f64::consts::{LN_2, TAU};

use crate::world::WorldScatter;

/// So sure the answer is.
const SURE: f64 = 0.95;

/// Bits that the answer holds: each build and each sample can tell one at the most.
fn bits(candidates: usize) -> f64 {
    let wrong = 1.0 - SURE;
    let doubt = -(SURE * SURE.log2() + wrong * wrong.log2());
    (candidates as f64).log2() - doubt - wrong * ((candidates - 1) as f64).log2()
}

/// Samples, and builds.
pub fn least(candidates: usize, scatter: WorldScatter, step: f64) -> (f64, f64) {
    let bits = bits(candidates);
    (bits / capacity(scatter, step.ln_1p()), bits)
}

/// How many bits of *before or after the step* a sample tells at best.
fn capacity(scatter: WorldScatter, step: f64) -> f64 {
    let width = 5e-4_f64.min(scale(scatter) / 20.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand")]
    let places = ((1.6 / width) as usize, (step / width).round() as usize);
    let density: Vec<f64> =
        (0..places.0).map(|at| density(scatter, at as f64 * width - 0.7) * width).collect();
    let at =
        |place: usize, shift: usize| place.checked_sub(shift).map_or(0.0, |place| density[place]);
    let told = |share: f64| -> f64 {
        let of = |place: usize| {
            let (before, after) = (at(place, 0), at(place, places.1));
            let both = (1.0 - share) * before + share * after;
            let part = |share: f64, one: f64| {
                if share * one > 0.0 { share * one * (one / both).ln() } else { 0.0 }
            };
            part(1.0 - share, before) + part(share, after)
        };
        (0..places.0).map(of).sum::<f64>() / LN_2
    };
    (30..=70).map(|percent| told(f64::from(percent) / 100.0)).fold(0.0, f64::max)
}

/// The smallest standard deviation of what the noise is made of.
fn scale(scatter: WorldScatter) -> f64 {
    match scatter {
        WorldScatter::Gaussian(sd) => sd,
        WorldScatter::None | WorldScatter::Failing(..) => 1e-3,
        WorldScatter::Lognormal
        | WorldScatter::Bimodal
        | WorldScatter::Drifting(_)
        | WorldScatter::TwoSpeeds(..) => 0.01,
    }
}

/// Of the logarithm of a value. Of a host that moves only what does not.
fn density(scatter: WorldScatter, value: f64) -> f64 {
    let gaussian = |value: f64, sd: f64| (-(value / sd).powi(2) / 2.0).exp() / (sd * TAU.sqrt());
    match scatter {
        WorldScatter::Gaussian(sd) => gaussian(value, sd),
        WorldScatter::None | WorldScatter::Failing(..) => gaussian(value, 1e-3),
        WorldScatter::Drifting(_) | WorldScatter::TwoSpeeds(..) => gaussian(value, 0.01),
        WorldScatter::Bimodal => {
            0.9 * gaussian(value, 0.01) + 0.1 * gaussian(value - 1.6_f64.ln(), 0.01)
        }
        WorldScatter::Lognormal => {
            // value = ln(1 + 0.03 (exp(z) - 1))
            let exp = (value.exp() - 1.0) / 0.03 + 1.0;
            if exp <= 0.0 { 0.0 } else { gaussian(exp.ln(), 1.0) * value.exp() / (0.03 * exp) }
        }
    }
}
