//! How many discoveries to believe when many families are looked at.

/// The largest p value that is believed, of any family, so that of the discoveries that are
/// believed at most the share `q` is expected to be false; 0 if none is believed.
///
/// A family is what one series shows: its p values, each already that of the whole family (how
/// often a family without any discovery would show one as small somewhere), in any order; a family
/// without discoveries is empty and counts. Families are selected by their smallest p value after
/// Benjamini & Hochberg ("Controlling the False Discovery Rate", J. R. Statist. Soc. B 57, 1995);
/// within those selected, discoveries are believed at the level that is left after selection
/// (Benjamini & Bogomolov, "Selective inference on multiple families of hypotheses", J. R. Statist.
/// Soc. B 76, 2014). It holds for independent families, and for such as err together (Benjamini &
/// Yekutieli, Annals of Statistics 29, 2001).
#[must_use]
pub fn believed<'a>(families: impl IntoIterator<Item = &'a [f64]>, q: f64) -> f64 {
    let least = |family: &'a [f64]| family.iter().copied().reduce(f64::min).unwrap_or(1.0);
    let mut least: Vec<f64> = families.into_iter().map(least).collect();
    least.sort_unstable_by(f64::total_cmp);
    let level = |selected: usize| q * selected as f64 / least.len() as f64;
    let selected = (1..=least.len()).rev().find(|&selected| least[selected - 1] <= level(selected));
    selected.map_or(0.0, level)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn the_example_of_benjamini_and_hochberg() {
        // Their section 4.1: fifteen p values, of which the procedure at 5 % rejects the first
        // four.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0000,
        ];
        let families: Vec<[f64; 1]> = p.iter().rev().map(|&p| [p]).collect();
        let cut = believed(families.iter().map(<[f64; 1]>::as_slice), 0.05);
        assert!((cut - 0.05 * 4.0 / 15.0).abs() < 1e-12, "{cut}");
    }

    #[test]
    fn families_without_discoveries_count_and_nothing_is_believed_of_nothing() {
        assert_eq!(believed([], 0.05), 0.0);
        assert_eq!(believed([&[][..], &[]], 0.05), 0.0);
        let one: &[f64] = &[0.02];
        assert_eq!(believed([one], 0.05), 0.05);
        assert_eq!(
            believed([one, &[], &[]], 0.05),
            0.0,
            "one of three at 2 % is no discovery at 5 %"
        );
    }

    #[test]
    fn of_what_is_believed_no_more_is_false_than_said() {
        // 180 families of noise, whose smallest p value is uniform, and 20 with two real
        // discoveries each.
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut share = 0.0;
        let trials = 400;
        for _ in 0..trials {
            let noise: Vec<Vec<f64>> = (0..180).map(|_| vec![rng.random::<f64>()]).collect();
            let real: Vec<Vec<f64>> =
                (0..20).map(|_| vec![1e-5 * rng.random::<f64>(); 2]).collect();
            let cut = believed(noise.iter().chain(&real).map(Vec::as_slice), 0.05);
            let count = |families: &[Vec<f64>]| {
                families.iter().flatten().filter(|&&p| p <= cut).count() as f64
            };
            share += count(&noise) / (count(&noise) + count(&real)).max(1.0);
        }
        let share = share / f64::from(trials);
        assert!(share < 0.05, "{share} of the believed are false");
    }

    proptest! {
        #[test]
        fn the_level_is_never_beyond_the_one_requested(
            families in prop::collection::vec(prop::collection::vec(0.0..=1.0_f64, 0..4), 0..30),
        ) {
            let cut = believed(families.iter().map(Vec::as_slice), 0.05);
            prop_assert!((0.0..=0.05).contains(&cut));
            let mut more = families.clone();
            more.push(vec![1.0]);
            prop_assert!(believed(more.iter().map(Vec::as_slice), 0.05) <= cut, "more noise, less believed");
        }
    }
}
