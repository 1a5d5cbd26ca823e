//! The next builds and measurements, for all metrics together.

use std::collections::BTreeSet;

use super::Survey;

/// The next builds and measurements, in the same rounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Candidates to be built and measured, in order of history.
    pub build: Vec<usize>,
    /// Candidates that are measured already, and are measured again beside them, in order of
    /// history.
    pub again: Vec<usize>,
}

impl Batch {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.build.is_empty() && self.again.is_empty()
    }
}

/// The requests of these surveys, with at most this many further builds, the most informative
/// first.
#[must_use]
pub fn batch(surveys: &[Survey], builds: usize) -> Batch {
    let mut asks: Vec<_> = surveys.iter().flat_map(|survey| &survey.asks).collect();
    asks.sort_by(|a, b| b.score.total_cmp(&a.score));
    let (mut build, mut again) = (BTreeSet::new(), BTreeSet::new());
    for ask in asks {
        if ask.again {
            again.insert(ask.at);
        } else if build.contains(&ask.at) || build.len() < builds {
            build.insert(ask.at);
        } else {
            continue;
        }
        again.extend(ask.beside);
    }
    again.retain(|at| !build.contains(at));
    Batch { build: build.into_iter().collect(), again: again.into_iter().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::Ask;

    #[test]
    fn the_most_telling_come_first_and_bring_their_sides() {
        let ask = |at: usize, again: bool, beside: [usize; 2], score: f64| Ask {
            at,
            again,
            beside,
            score,
        };
        let of = |asks: &[Ask]| Survey { asks: asks.to_vec(), ..Survey::default() };
        let surveys = [
            of(&[ask(5, false, [0, 10], 3.0), ask(25, false, [20, 30], 1.0)]),
            of(&[ask(5, false, [0, 10], 2.0), ask(40, true, [30, 50], 0.5)]),
        ];
        let chosen = batch(&surveys, 1);
        assert_eq!((chosen.build, chosen.again), (vec![5], vec![0, 10, 30, 40, 50]));
        assert_eq!(batch(&surveys, 9).build, [5, 25]);
        assert!(batch(&[], 9).is_empty());
    }
}
