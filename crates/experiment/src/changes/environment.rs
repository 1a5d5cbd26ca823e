//! With what each point was measured, as numbers that the detector compares, and as words for
//! people.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a point was measured with: host, kernel, compiler and others, each in a few words.
pub type Tags = BTreeMap<String, String>;

/// The tags of all points of a series, what is not said of one being as it was before.
#[derive(Clone, Debug, PartialEq)]
pub struct Environments(Vec<Tags>);

/// A tag that differs between two points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its name.
    pub tag: String,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
}

impl Environments {
    /// Of the tags of each point, in order. That something is not known of a point is no sign that
    /// it changed there: it is taken to be as at the nearest point before that says it, else at the
    /// first that does.
    #[must_use]
    pub fn new(mut tags: Vec<Tags>) -> Self {
        let names: BTreeSet<String> = tags.iter().flat_map(BTreeMap::keys).cloned().collect();
        for name in names {
            let mut known =
                tags.iter().find_map(|tags| tags.get(&name)).cloned().unwrap_or_default();
            for tags in &mut tags {
                match tags.get(&name) {
                    Some(said) => known.clone_from(said),
                    None => drop(tags.insert(name.clone(), known.clone())),
                }
            }
        }
        Self(tags)
    }

    /// A number for each point; equal numbers stand for equal tags.
    #[must_use]
    pub fn numbers(&self) -> Vec<u32> {
        let mut known: HashMap<&Tags, u32> = HashMap::new();
        let number = |tags| {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(tags).or_insert(next)
        };
        self.0.iter().map(number).collect()
    }

    /// What differs between two points, in order of the names.
    #[must_use]
    pub fn differences(&self, before: usize, after: usize) -> Vec<Difference> {
        let (Some(old), Some(new)) = (self.0.get(before), self.0.get(after)) else {
            return Vec::new();
        };
        let pairs = old.iter().zip(new).filter(|((_, before), (_, after))| before != after);
        let difference = |((tag, before), (_, after)): ((&String, &String), (&String, &String))| {
            Difference { tag: tag.clone(), before: before.clone(), after: after.clone() }
        };
        pairs.map(difference).collect()
    }
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
