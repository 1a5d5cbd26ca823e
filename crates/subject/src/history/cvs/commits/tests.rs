use proptest::prelude::*;

use super::*;

/// A file with revisions of the trunk, each `NUMBER SECONDS AUTHOR MESSAGE`, or `-` before it if it
/// removes the file.
fn file(path: &str, deltas: &[&str]) -> File {
    let deltas = deltas.iter().map(|text| delta(text)).collect();
    File { path: path.to_owned(), default: None, symbols: Vec::new(), deltas, doubtful: false }
}

fn delta(text: &str) -> Delta {
    let (dead, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let words: Vec<&str> = text.splitn(4, ' ').collect();
    let commit = words[3].strip_prefix('#').map(str::to_owned);
    Delta {
        number: words[0].parse().unwrap(),
        time: words[1].parse().unwrap(),
        author: words[2].to_owned(),
        dead,
        commit,
        message: words[3].to_owned(),
    }
}

const TRUNK: CvsLine = CvsLine { branch: None };

/// The commits as `BEGIN-END message: files`, with a `!` where no point in time holds them whole.
fn shown(files: &[File], line: CvsLine) -> Vec<String> {
    commits(files, line)
        .iter()
        .map(|commit| {
            let cut = if commit.whole { "" } else { "!" };
            let CvsCommit { begin, end, message, files, .. } = commit;
            format!("{cut}{begin}-{end} {message}: {}", files.join(" "))
        })
        .collect()
}

#[test]
fn files_of_one_commit_come_together_although_clocks_differ() {
    let files = [
        file("a", &["1.2 1250 ann fix", "1.1 0 ann start"]),
        file("b", &["1.2 1000 ann fix", "1.1 3 ann start"]),
        file("c", &["1.1 1550 ann fix"]),
        file("d", &["1.1 1851 ann fix"]),
        file("e", &["1.1 9000 bob start"]),
    ];
    assert_eq!(
        shown(&files, TRUNK),
        ["0-3 start: a b", "1000-1550 fix: a b c", "1851-1851 fix: d", "9000-9000 start: e"]
    );
}

#[test]
fn no_file_is_twice_in_a_commit() {
    let files = [file("a", &["1.3 20 ann same", "1.2 10 ann same", "1.1 0 ann same"])];
    assert_eq!(shown(&files, TRUNK), ["0-0 same: a", "10-10 same: a", "20-20 same: a"]);
}

#[test]
fn names_of_commits_tell_better_than_messages() {
    let files = [
        file("a", &["1.1 0 ann #one"]),
        file("b", &["1.1 1 ann #two"]),
        file("c", &["1.1 2 ann #one"]),
    ];
    assert_eq!(shown(&files, TRUNK), ["!1-1 #two: b", "0-2 #one: a c"]);
}

#[test]
fn a_point_in_time_cuts_no_commit_in_two() {
    let files = [
        file("a", &["1.1 0 ann long"]),
        file("b", &["1.1 50 bob short"]),
        file("c", &["1.1 90 ann long"]),
        file("d", &["1.1 90 cid at the same second"]),
        file("e", &["1.1 91 dan next"]),
    ];
    assert_eq!(
        shown(&files, TRUNK),
        ["!50-50 short: b", "!0-90 long: a c", "90-90 at the same second: d", "91-91 next: e"]
    );
}

#[test]
fn what_is_not_there_before_and_after_is_no_commit() {
    let files =
        [file("a", &["1.3 30 ann again", "-1.2 20 ann gone", "-1.1 10 ann added on a branch"])];
    assert_eq!(shown(&files, TRUNK), ["30-30 again: a"]);
    let gone =
        [file("a", &["-1.2 20 ann gone", "1.1 10 ann here"]), file("b", &["1.1 10 ann here"])];
    assert_eq!(shown(&gone, TRUNK), ["10-10 here: a b", "20-20 gone: a"]);
}

#[test]
fn an_import_shows_until_the_file_is_changed() {
    let mut imported = file(
        "a",
        &[
            "1.2 300 ann ours",
            "1.1 100 v Initial",
            "1.1.1.1 100 v import 1",
            "1.1.1.2 400 v import 2",
        ],
    );
    assert_eq!(shown(&[imported.clone()], TRUNK), ["100-100 import 1: a", "300-300 ours: a"]);
    imported.deltas.remove(0);
    imported.default = Some("1.1.1".parse().unwrap());
    assert_eq!(shown(&[imported], TRUNK), ["100-100 import 1: a", "400-400 import 2: a"]);
    let added = file("a", &["1.1 100 ann added", "1.1.1.1 400 v import"]);
    assert_eq!(shown(&[added], TRUNK), ["100-100 added: a"]);
}

#[test]
fn a_branch_has_its_own_commits_and_only_its_files() {
    let mut a = file("a", &["1.2 200 ann trunk", "1.1 100 ann start", "1.1.2.1 300 bob backport"]);
    a.symbols.push(("REL".into(), "1.1.0.2".parse().unwrap()));
    let files = [a, file("b", &["1.1 150 ann not on it"])];
    let branch = CvsLine { branch: Some("REL") };
    assert_eq!(shown(&files, branch), ["100-100 start: a", "300-300 backport: a"]);
}

#[test]
fn names_say_what_a_checkout_holds() {
    let one = [file("a", &["1.1 0 ann x"]), file("b", &["1.1 60 bob y"])];
    let mut other = one.clone();
    other[0].deltas[0].number = "1.7".parse().unwrap();
    let ids = |files: &[File]| {
        commits(files, TRUNK).into_iter().map(|commit| commit.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&one)[0].split_at(21).0, "1970-01-01T00:00:00Z-");
    assert!(ids(&one).iter().zip(ids(&other)).all(|(one, other)| *one != other));
    // Whatever comes later changes no name.
    let mut later = one.to_vec();
    later.push(file("c", &["1.1 9999 cid z"]));
    assert_eq!(ids(&later)[..2], ids(&one));
}

proptest! {
    #[test]
    fn each_revision_that_shows_is_in_one_commit(
        times in prop::collection::vec(prop::collection::vec(0..2000_i64, 1..6), 1..6),
    ) {
        let files: Vec<File> = times.iter().enumerate().map(|(name, times)| {
            let deltas: Vec<String> =
                times.iter().enumerate().map(|(n, time)| format!("1.{} {time} ann m{}", n + 1, time % 3)).collect();
            file(&name.to_string(), &deltas.iter().map(String::as_str).collect::<Vec<_>>())
        }).collect();
        let commits = commits(&files, TRUNK);
        let steps: usize = files.iter().map(|file| TRUNK.history(file).len()).sum();
        prop_assert_eq!(commits.iter().map(|commit| commit.files.len()).sum::<usize>(), steps);
        prop_assert!(commits.is_sorted_by_key(|commit| commit.end));
        for (at, commit) in commits.iter().enumerate() {
            prop_assert_eq!(commit.whole, commits[at + 1..].iter().all(|later| later.begin > commit.end));
        }
        prop_assert!(commits.last().is_some_and(|commit| commit.whole));
    }
}
