//! The conditions of each point, as numbers that the detector compares, and as words.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The conditions of a point: host, kernel, compiler and others, each in a few words.
pub type Tags = BTreeMap<String, String>;

/// The tags of all points of a series, what is not said of one being as it was before. Only what
/// changes from point to point is kept: a long series may have many names.
#[derive(Clone, Debug, PartialEq)]
pub struct Environments {
    /// The first value of each tag.
    first: Tags,
    /// The changes of tags: at which point, which tag, to which value.
    changes: Vec<(usize, String, String)>,
    /// A number for each point.
    numbers: Vec<u32>,
}

/// A tag that differs between two points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name.
    pub tag: String,
    /// The value before.
    pub before: String,
    /// The value after.
    pub after: String,
}

impl Environments {
    /// The environments with these tags of each point, in order. An unknown value is no sign of a
    /// change: it is assumed to be that of the nearest earlier point with a value, otherwise that
    /// of the first point with one.
    #[must_use]
    pub fn new(tags: Vec<Tags>) -> Self {
        let mut first = Tags::new();
        for (name, value) in tags.iter().flatten() {
            first.entry(name.clone()).or_insert_with(|| value.clone());
        }
        let (mut now, mut changes, mut numbers) = (first.clone(), Vec::new(), Vec::new());
        // The tags of a point as one number: what changes is taken out and put in.
        let mut digest = first.iter().fold(0, |digest, (name, value)| digest ^ hash(name, value));
        let mut known: HashMap<u64, u32> = HashMap::new();
        for (at, tags) in tags.into_iter().enumerate() {
            for (name, value) in tags {
                let before = now.insert(name.clone(), value.clone()).unwrap_or_default();
                if before != value {
                    digest ^= hash(&name, &before) ^ hash(&name, &value);
                    changes.push((at, name, value));
                }
            }
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            numbers.push(*known.entry(digest).or_insert(next));
        }
        Self { first, changes, numbers }
    }

    /// A number for each point; equal numbers mean equal tags.
    #[must_use]
    pub fn numbers(&self) -> Vec<u32> {
        self.numbers.clone()
    }

    /// The differences between two points, in order of the names.
    #[must_use]
    pub fn differences(&self, before: usize, after: usize) -> Vec<Difference> {
        let (Some(old), Some(new)) = (self.at(before), self.at(after)) else {
            return Vec::new();
        };
        let pairs = old.into_iter().zip(new).filter(|((_, before), (_, after))| before != after);
        let difference = |((tag, before), (_, after)): ((&str, &str), (&str, &str))| Difference {
            tag: tag.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        };
        pairs.map(difference).collect()
    }

    /// All tags of a point.
    fn at(&self, point: usize) -> Option<BTreeMap<&str, &str>> {
        let mut tags: BTreeMap<&str, &str> =
            self.first.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let changed = self.changes.iter().take_while(|(at, ..)| *at <= point);
        tags.extend(changed.map(|(_, name, value)| (name.as_str(), value.as_str())));
        (point < self.numbers.len()).then_some(tags)
    }
}

fn hash(name: &str, value: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (name, value).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(pairs: &[(&str, &str)]) -> Tags {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn what_is_not_said_is_no_change() {
        let all = vec![tags(&[]), tags(&[("kernel", "6.1"), ("cc", "13")]), tags(&[("cc", "13")])];
        assert_eq!(Environments::new(all).numbers(), [0, 0, 0]);
        assert_eq!(Environments::new(vec![tags(&[]); 2]).numbers(), [0, 0]);
    }

    #[test]
    fn what_is_said_otherwise_is_one_and_is_named() {
        let all = vec![
            tags(&[("cc", "13"), ("kernel", "6.1")]),
            tags(&[("kernel", "6.2")]),
            tags(&[("kernel", "6.1")]),
        ];
        let environments = Environments::new(all);
        assert_eq!(environments.numbers(), [0, 1, 0]);
        let difference =
            Difference { tag: "kernel".into(), before: "6.1".into(), after: "6.2".into() };
        assert_eq!(environments.differences(0, 1), [difference]);
        assert_eq!(environments.differences(0, 2), []);
    }
}
