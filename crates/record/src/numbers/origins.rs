//! The origins of a series' samples: their rounds, runs and layouts.

use std::collections::{HashMap, HashSet};

use super::json::{JsonReading, wrong};
use super::node::Node;
use super::{GivenPoint, NumbersError, SampleOrigin};

impl JsonReading<'_> {
    /// Adds to each point where its samples are from, if the series has `rounds`.
    pub(super) fn origins(
        &self,
        samples: Option<&[Node]>,
        points: &mut [GivenPoint],
    ) -> Result<(), NumbersError> {
        let Some(samples) = samples else { return Ok(()) };
        let rounds = self.numbers("rounds", samples)?;
        let runs = self.numbers("runs", samples)?;
        let layouts = self.numbers("layouts", samples)?;
        let Some(rounds) = rounds else { return Ok(()) };
        for (index, point) in points.iter_mut().enumerate() {
            let at = |numbers: &Option<Vec<Vec<u32>>>, which: usize| {
                numbers.as_ref().map_or(0, |numbers| numbers[index][which])
            };
            let origin = |which: usize| SampleOrigin {
                round: rounds[index][which],
                run: at(&runs, which),
                layout: at(&layouts, which),
            };
            point.origins = present(&samples[index]).into_iter().map(origin).collect();
            let mut seen = HashSet::new();
            if !point.origins.iter().all(|from| seen.insert((from.run, from.layout, from.round))) {
                return Err(NumbersError::SameRound { path: self.place("rounds", index) });
            }
        }
        Ok(())
    }

    /// A number for each word of a key: one a sample, or one a point for all its samples. Words are
    /// numbered as they come.
    fn numbers(
        &self,
        key: &'static str,
        samples: &[Node],
    ) -> Result<Option<Vec<Vec<u32>>>, NumbersError> {
        let Some(list) = self.list(key)? else { return Ok(None) };
        self.same_length(key, list.len(), ("samples", samples.len()))?;
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut all = Vec::new();
        for (index, (node, samples)) in list.iter().zip(samples).enumerate() {
            let count = if let Node::List(samples) = samples { samples.len() } else { 1 };
            let mut number = |node: &Node, place: String| {
                let word = node.word().ok_or_else(|| wrong(&place, node, "a number"))?;
                let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
                Ok(*known.entry(word).or_insert(next))
            };
            let place = self.place(key, index);
            all.push(match node {
                Node::List(words) => {
                    let found = words.len();
                    if found != count {
                        let other = "samples of the point";
                        return Err(NumbersError::Length {
                            path: place,
                            found,
                            other,
                            wanted: count,
                        });
                    }
                    let words = words.iter().enumerate();
                    words
                        .map(|(at, word)| number(word, format!("{place}[{at}]")))
                        .collect::<Result<_, _>>()?
                }
                word => vec![number(word, place)?; count],
            });
        }
        Ok(Some(all))
    }
}

/// Which samples of a point are not gaps.
fn present(samples: &Node) -> Vec<usize> {
    let is_sample = |node: &Node| matches!(node, Node::Number(number) if number.is_finite());
    match samples {
        Node::List(samples) => {
            (0..samples.len()).filter(|&which| is_sample(&samples[which])).collect()
        }
        one => (0..usize::from(is_sample(one))).collect(),
    }
}
