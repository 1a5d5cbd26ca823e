//! Commits and their parents, and the place that each has in history.

use std::collections::HashMap;

use jiff::Timestamp;

/// A commit as git prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DagEntry {
    pub id: String,
    pub parents: Vec<String>,
    pub author: String,
    pub date: Option<Timestamp>,
    pub subject: String,
    pub files: Vec<String>,
}

/// The place of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DagStanding {
    /// Its place in history.
    pub order: u64,
    /// The commit of the main line that brought it: itself, or the merge of its side branch.
    pub brought_by: usize,
}

/// A part of history, without the commits below it: each commit is known by its index.
#[derive(Debug)]
pub(super) struct Dag {
    pub entries: Vec<DagEntry>,
    places: HashMap<String, usize>,
    /// The parents that are in this part, in git's order.
    parents: Vec<Vec<usize>>,
}

impl Dag {
    pub fn new(entries: Vec<DagEntry>) -> Self {
        let places: HashMap<String, usize> =
            entries.iter().enumerate().map(|(place, entry)| (entry.id.clone(), place)).collect();
        let inside = |entry: &DagEntry| {
            entry.parents.iter().filter_map(|id| places.get(id).copied()).collect()
        };
        let parents = entries.iter().map(inside).collect();
        Self { entries, places, parents }
    }

    /// The index of the commit, if it is in this part.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// The main line up to this commit, oldest first: its first parent, the first parent of that,
    /// and so on.
    pub fn line(&self, tip: usize) -> Vec<usize> {
        let first_parent = |place: &usize| self.place(self.entries[*place].parents.first()?);
        let mut line: Vec<usize> = std::iter::successors(Some(tip), first_parent).collect();
        line.reverse();
        line
    }

    /// For each commit whether one of these has it in its history, or is it.
    pub fn reached<'a>(&self, from: impl IntoIterator<Item = &'a String>) -> Vec<bool> {
        let mut reached = vec![false; self.entries.len()];
        let mut open: Vec<usize> = from.into_iter().filter_map(|id| self.place(id)).collect();
        while let Some(place) = open.pop() {
            if !std::mem::replace(&mut reached[place], true) {
                open.extend(&self.parents[place]);
            }
        }
        reached
    }

    /// The standing of each commit in the history of the tip, with `below` commits below this part.
    ///
    /// Along the main line, each commit comes after those of the side branches that it brought,
    /// parents before children, the first parent's side first. So a commit of the main line has as
    /// its order the number of commits in its history, itself included, and no order depends on
    /// where a range starts or ends on it.
    pub fn standings(&self, tip: usize, below: u64) -> Vec<Option<DagStanding>> {
        let mut standings = vec![None; self.entries.len()];
        let mut order = below;
        for main in self.line(tip) {
            let mut path = vec![(main, 0)];
            while let Some((place, next)) = path.last_mut() {
                if let Some(&parent) = self.parents[*place].get(*next) {
                    *next += 1;
                    if standings[parent].is_none() {
                        path.push((parent, 0));
                    }
                } else {
                    order += 1;
                    standings[*place] = Some(DagStanding { order, brought_by: main });
                    path.pop();
                }
            }
        }
        standings
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Commits as `child: parents`, in any order.
    fn dag(lines: &[&str]) -> Dag {
        let entry = |line: &&str| {
            let (id, parents) = line.split_once(':').unwrap();
            DagEntry {
                id: id.to_owned(),
                parents: parents.split_whitespace().map(str::to_owned).collect(),
                author: String::new(),
                date: None,
                subject: String::new(),
                files: vec![],
            }
        };
        Dag::new(lines.iter().map(entry).collect())
    }

    fn orders(dag: &Dag, tip: &str, below: u64) -> String {
        let standings = dag.standings(dag.place(tip).unwrap(), below);
        let mut orders: Vec<_> = dag.entries.iter().zip(standings).collect();
        orders.sort_by_key(|(_, standing)| standing.map(|standing| standing.order));
        let show = |(entry, standing): (&DagEntry, Option<DagStanding>)| match standing {
            Some(DagStanding { order, brought_by }) => {
                format!("{}{order}{}", entry.id, dag.entries[brought_by].id)
            }
            None => format!("{}-", entry.id),
        };
        orders.into_iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_merge_comes_after_what_it_brought() {
        let dag = dag(&["m: b y", "y: x", "b: a", "x: a", "a:", "z: a"]);
        assert_eq!(orders(&dag, "m", 0), "z- a1a b2b x3m y4m m5m");
        assert_eq!(orders(&dag, "y", 10), "m- b- z- a11a x12x y13y");
    }

    #[test]
    fn what_lies_below_is_only_counted() {
        let dag = dag(&["m: b y", "y: x", "b: a", "x: a"]);
        assert_eq!(orders(&dag, "m", 1), "b2b x3m y4m m5m");
    }

    #[test]
    fn a_line_ends_where_the_part_ends() {
        let dag = dag(&["m: b y", "y: x", "b: a", "x: a"]);
        let ids: Vec<&str> =
            dag.line(0).into_iter().map(|place| dag.entries[place].id.as_str()).collect();
        assert_eq!(ids, ["b", "m"]);
        assert_eq!(dag.reached([&"y".to_owned(), &"gone".to_owned()]), [false, true, false, true]);
    }

    proptest! {
        #[test]
        fn orders_are_dense_and_parents_come_first(
            parents in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..40),
        ) {
            let entry = |(place, parents): (usize, &Vec<prop::sample::Index>)| {
                let mut ids: Vec<String> = Vec::new();
                for parent in parents.iter().filter(|_| place > 0).map(|parent| parent.index(place).to_string()) {
                    if !ids.contains(&parent) {
                        ids.push(parent);
                    }
                }
                DagEntry { id: place.to_string(), parents: ids, author: String::new(), date: None, subject: String::new(), files: vec![] }
            };
            let dag = Dag::new(parents.iter().enumerate().map(entry).collect());
            let tip = dag.entries.len() - 1;
            let standings = dag.standings(tip, 7);
            let reached = dag.reached([&dag.entries[tip].id]);
            let mut orders = Vec::new();
            for (place, standing) in standings.iter().enumerate() {
                prop_assert_eq!(standing.is_some(), reached[place]);
                let Some(standing) = standing else { continue };
                orders.push(standing.order);
                for &parent in &dag.parents[place] {
                    prop_assert!(standings[parent].unwrap().order < standing.order);
                }
            }
            orders.sort_unstable();
            let dense: Vec<u64> = (8..8 + orders.len() as u64).collect();
            prop_assert_eq!(orders, dense);
            for main in dag.line(tip) {
                let history = dag.reached([&dag.entries[main].id]).into_iter().filter(|reached| *reached).count();
                prop_assert_eq!(standings[main].unwrap().order, 7 + history as u64);
            }
        }
    }
}
