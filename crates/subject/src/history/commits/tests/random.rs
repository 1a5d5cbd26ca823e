//! Any history at all, made by `git fast-import`, against a model that counts ancestors.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

/// For each commit its parents, which come before it.
type Parents = Vec<Vec<usize>>;

/// A history with its model: commit 7 has the branch and the message `c7`.
struct Any {
    repo: Repo,
    parents: Parents,
    /// For each commit which commits it has in its history, itself included.
    has: Vec<Vec<bool>>,
}

impl Any {
    fn new(parents: Parents) -> Self {
        let mut has: Vec<Vec<bool>> = Vec::new();
        for (place, of) in parents.iter().enumerate() {
            let inherited =
                |commit: usize| commit == place || of.iter().any(|&parent| has[parent][commit]);
            has.push((0..parents.len()).map(inherited).collect());
        }
        let repo = repo();
        let mut import =
            repo.command().args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
        let stream: String =
            parents.iter().enumerate().map(|(place, of)| commit(place, of)).collect();
        import.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
        assert!(import.wait().unwrap().success());
        Self { repo, parents, has }
    }

    fn select(&self, range: &str, all_parents: bool) -> Option<SelectedRevisions> {
        let selection = Selection { all_parents, ..Selection::parse_range(range) };
        match select(self.repo.path(), &selection) {
            Err(SubjectError::EmptyRange { .. }) => None,
            selected => Some(selected.unwrap()),
        }
    }

    /// How many commits that one has in its history.
    fn count(&self, commit: usize) -> u64 {
        self.has[commit].iter().filter(|has| **has).count() as u64
    }

    /// The first parents of that commit, newest first, itself included.
    fn line(&self, commit: usize) -> Vec<usize> {
        std::iter::successors(Some(commit), |&commit| self.parents[commit].first().copied())
            .collect()
    }
}

fn commit(place: usize, parents: &[usize]) -> String {
    // Dates run forwards and backwards: nothing may depend on them.
    let date = 1_700_000_000 + place * 7919 % 13 * 100_000;
    let links = parents.iter().enumerate().map(|(nth, parent)| {
        let word = if nth == 0 { "from" } else { "merge" };
        format!("{word} :{}\n", parent + 1)
    });
    let message = format!("c{place}");
    format!(
        "commit refs/heads/c{place}\nmark :{}\ncommitter A <a@b> {date} +0000\ndata \
         {}\n{message}\n{}M 644 inline f{place}\ndata 0\n\n",
        place + 1,
        message.len(),
        links.collect::<String>(),
    )
}

fn number(name: &str) -> usize {
    name[1..].parse().unwrap()
}

/// The orders by commit.
fn orders(commits: &[Commit]) -> BTreeMap<usize, u64> {
    commits.iter().map(|commit| (number(&commit.subject), commit.order)).collect()
}

fn any_parents() -> impl Strategy<Value = Parents> {
    let parents = prop::collection::vec(any::<Index>(), 0..4);
    prop::collection::vec((parents, 0..20), 2..16).prop_map(|commits| {
        let parents = |(place, (parents, root)): (usize, &(Vec<Index>, i32))| {
            // The newest commits are the likeliest parents, and only few commits besides the first
            // have none.
            let mut of = Vec::new();
            for index in parents.iter().filter(|_| place > 0 && *root > 0) {
                of.push(place - 1 - index.index(place.min(4)));
            }
            if of.is_empty() && place > 0 && *root > 0 {
                of.push(place - 1);
            }
            let mut seen = Vec::new();
            of.retain(|parent| {
                !seen.contains(parent) && {
                    seen.push(*parent);
                    true
                }
            });
            of
        };
        commits.iter().enumerate().map(parents).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_range_has_what_its_end_has_and_its_start_has_not(
        parents in any_parents(), end in any::<Index>(), start in any::<Index>(),
    ) {
        let any = Any::new(parents);
        let (end, start) = (end.index(any.parents.len()), start.index(any.parents.len()));
        let whole = orders(&any.select(&format!("..c{end}"), true).unwrap().commits);
        prop_assert_eq!(whole.len() as u64, any.count(end));
        for (&commit, order) in &whole {
            for parent in &any.parents[commit] {
                prop_assert!(whole[parent] < *order);
            }
        }
        let mut dense: Vec<u64> = whole.values().copied().collect();
        dense.sort_unstable();
        prop_assert_eq!(dense, (1..=any.count(end)).collect::<Vec<_>>());

        let range = format!("c{start}..c{end}");
        let Some(main) = any.select(&range, false) else {
            prop_assert!(any.has[start][end]);
            return Ok(());
        };
        let inside = |commit: &usize| any.has[end][*commit] && !any.has[start][*commit];
        let commits: BTreeMap<_, _> = whole.iter().filter(|(commit, _)| inside(commit)).map(|(c, o)| (*c, *o)).collect();
        prop_assert_eq!(&orders(&main.commits), &commits);

        let mut line = any.line(end);
        let outside = line.iter().position(|commit| !inside(commit));
        line.truncate(outside.map_or(line.len(), |outside| outside + 1));
        line.reverse();
        let taken: Vec<_> = main.revisions.iter().map(|r| (number(&r.subject), r.order)).collect();
        prop_assert_eq!(taken, line.iter().map(|&commit| (commit, any.count(commit))).collect::<Vec<_>>());
        prop_assert_eq!(main.note.is_none(), line.contains(&start));

        let all = any.select(&range, true).unwrap();
        prop_assert_eq!(orders(&all.commits), commits.clone());
        let first = if any.has[end][start] { Some(start) } else { line.first().copied().filter(|c| !inside(c)) };
        let mut taken: Vec<_> = commits.keys().copied().chain(first).map(|commit| (whole[&commit], commit)).collect();
        taken.sort_unstable();
        prop_assert_eq!(all.revisions.iter().map(|r| (r.order, number(&r.subject))).collect::<Vec<_>>(), taken);
    }

    #[test]
    fn no_place_depends_on_which_commit_of_a_line_is_the_end(
        parents in any_parents(), end in any::<Index>(), earlier in any::<Index>(),
    ) {
        let any = Any::new(parents);
        let end = end.index(any.parents.len());
        let line = any.line(end);
        let earlier = line[earlier.index(line.len())];
        let whole = orders(&any.select(&format!("..c{end}"), true).unwrap().commits);
        for (commit, order) in orders(&any.select(&format!("..c{earlier}"), true).unwrap().commits) {
            prop_assert_eq!(order, whole[&commit]);
        }
    }

    #[test]
    fn a_list_has_between_it_what_some_have_and_others_have_not(
        parents in any_parents(), list_of in prop::collection::vec(any::<Index>(), 1..5),
    ) {
        let any = Any::new(parents);
        let mut wanted: Vec<usize> = list_of.iter().map(|index| index.index(any.parents.len())).collect();
        let names: Vec<String> = wanted.iter().map(|commit| format!("c{commit}")).collect();
        let selected = list(&any.repo, &names.iter().map(String::as_str).collect::<Vec<_>>());
        let order: BTreeMap<_, _> = selected.revisions.iter().map(|r| (number(&r.subject), r.order)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        prop_assert_eq!(order.keys().copied().collect::<Vec<_>>(), wanted.clone());
        prop_assert_eq!(selected.revisions.len(), wanted.len());
        prop_assert!(selected.revisions.is_sorted_by_key(|revision| revision.order));
        for (one, two) in wanted.iter().flat_map(|one| wanted.iter().map(move |two| (one, two))) {
            prop_assert!(one == two || !any.has[*two][*one] || order[one] < order[two]);
        }
        let some = |commit: &usize| wanted.iter().any(|of| any.has[*of][*commit]);
        let all = |commit: &usize| wanted.iter().all(|of| any.has[*of][*commit]);
        let between: Vec<usize> = (0..any.parents.len()).filter(|c| some(c) && !all(c)).collect();
        prop_assert_eq!(orders(&selected.commits).keys().copied().collect::<Vec<_>>(), between);
        if let [alone] = *wanted {
            prop_assert_eq!(order[&alone], any.count(alone));
        }
    }
}
