//! Random numbers for simulations; shared with `benches/`.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// From the standard normal distribution: Box & Muller, "A Note on the Generation of Random Normal
/// Deviates" (1958).
pub fn gaussian(rng: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}
