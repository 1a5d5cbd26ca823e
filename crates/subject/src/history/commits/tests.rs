mod random;

use std::path::Path;

use super::*;
use crate::testing::{Repo, repo};

fn select(folder: &Path, selection: &Selection) -> Result<SelectedRevisions, SubjectError> {
    Commits::new(Repository::open(folder)?).select(selection)
}

fn range(repo: &Repo, range: &str) -> SelectedRevisions {
    select(repo.path(), &Selection::parse_range(range)).unwrap()
}

fn all(repo: &Repo, range: &str) -> SelectedRevisions {
    select(repo.path(), &Selection { all_parents: true, ..Selection::parse_range(range) }).unwrap()
}

fn list(repo: &Repo, names: &[&str]) -> SelectedRevisions {
    let what = RevisionQuery::List(names.iter().map(|&name| name.to_owned()).collect());
    select(repo.path(), &Selection { what, ..Selection::parse_range("") }).unwrap()
}

/// `1:a 2:b`: the order and subject of each.
fn shown(selected: &SelectedRevisions) -> String {
    let show =
        |revision: &Revision| format!("{}:{}", revision.order, revision.subject.replace(' ', "-"));
    selected.revisions.iter().map(show).collect::<Vec<_>>().join(" ")
}

fn between(selected: &SelectedRevisions) -> String {
    let show = |commit: &Commit| format!("{}:{}", commit.order, commit.subject.replace(' ', "-"));
    selected.commits.iter().map(show).collect::<Vec<_>>().join(" ")
}

/// What is said about a question that has no answer, with the hint.
fn said(folder: &Path, range: &str) -> String {
    let error = select(folder, &Selection::parse_range(range)).unwrap_err();
    let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{error}{hint}").replace(folder.canonicalize().unwrap().to_str().unwrap(), "FOLDER")
}

/// Two commits on a side branch, one on the main line beside it, merged between `b` and `d`.
fn merged() -> Repo {
    repo()
        .commits("a b")
        .branch("side")
        .commits("s t")
        .on("main")
        .commit("c")
        .merge("side")
        .commit("d")
}

#[test]
fn a_range_has_both_its_ends() {
    let repo = repo().commits("a b c d");
    assert_eq!(shown(&range(&repo, "HEAD~2..HEAD")), "2:b 3:c 4:d");
    assert_eq!(between(&range(&repo, "HEAD~2..HEAD")), "3:c 4:d");
    assert_eq!(shown(&range(&repo, "HEAD~2..")), "2:b 3:c 4:d");
    assert_eq!(shown(&range(&repo, "HEAD~3..HEAD~1")), "1:a 2:b 3:c");
    assert_eq!(shown(&range(&repo, "..HEAD~2")), "1:a 2:b");
    assert_eq!(between(&range(&repo, "..HEAD~2")), "1:a 2:b");
}

#[test]
fn what_git_knows_of_a_commit_is_there() {
    let repo =
        repo().commit("a").write("src/x", "1").write("y z", "2").commit("b: add x").tag("v1");
    let repo = repo
        .git(&["tag", "-a", "-m", "annotated", "v1.0"])
        .git(&["tag", "-a", "-m", "nested", "again", "v1.0"]);
    let SelectedRevisions { revisions, known, commits, note } = range(&repo, "..");
    assert_eq!(known, revisions);
    assert_eq!(
        (revisions[1].id.as_str(), revisions[1].author.as_str()),
        (repo.id("HEAD").as_str(), "A. Author")
    );
    assert_eq!(revisions[1].date.unwrap().to_string(), "2024-01-02T12:00:00Z");
    assert_eq!(revisions[1].subject, "b: add x");
    assert_eq!(revisions[1].tags, ["again", "v1", "v1.0"]);
    assert_eq!(revisions[0].tags, [""; 0]);
    assert_eq!(commits[1].files, ["src/x", "y z"]);
    assert_eq!(note, None);
}

#[test]
fn the_main_line_follows_first_parents_and_merges_have_what_they_brought() {
    let repo = merged();
    let selected = range(&repo, "HEAD~3..");
    assert_eq!(shown(&selected), "2:b 3:c 6:merge-side 7:d");
    assert_eq!(between(&selected), "3:c 4:s 5:t 6:merge-side 7:d");
    assert_eq!(selected.commits[3].files, ["s", "t"]);
    assert_eq!(shown(&all(&repo, "HEAD~3..")), "2:b 3:c 4:s 5:t 6:merge-side 7:d");
    assert_eq!(between(&all(&repo, "HEAD~3..")), between(&selected));
}

#[test]
fn no_place_depends_on_where_a_range_starts() {
    let repo = merged();
    assert_eq!(shown(&range(&repo, "..")), "1:a 2:b 3:c 6:merge-side 7:d");
    assert_eq!(shown(&all(&repo, "HEAD^1..")), "6:merge-side 7:d");
    assert_eq!(shown(&all(&repo, "HEAD~2..HEAD~1")), "3:c 4:s 5:t 6:merge-side");
}

#[test]
fn a_start_on_a_side_branch_is_replaced_by_where_it_left_the_main_line() {
    let repo = merged();
    let selected = range(&repo, "side..");
    assert_eq!(shown(&selected), "2:b 3:c 6:merge-side 7:d");
    assert_eq!(between(&selected), "3:c 6:merge-side 7:d");
    let b = &repo.id("main~3")[..10];
    assert_eq!(
        selected.note.unwrap(),
        format!(
            "`side` is not on the main line of `HEAD`: the range starts at {b}, the fork \
             point"
        )
    );
    let selected = all(&repo, "side..");
    assert_eq!((shown(&selected).as_str(), selected.note), ("3:c 5:t 6:merge-side 7:d", None));
}

#[test]
fn a_start_that_the_end_does_not_have_is_replaced_by_where_they_parted() {
    let repo = repo().commits("a b").branch("release").commits("r s").on("main").commits("c d");
    for selected in [range(&repo, "release..main"), all(&repo, "release..main")] {
        assert_eq!(shown(&selected), "2:b 3:c 4:d");
        assert!(selected.note.unwrap().starts_with("`release` is not on the main line of "));
    }
    assert_eq!(shown(&range(&repo, "main..release")), "2:b 3:r 4:s");
}

#[test]
fn a_branch_that_took_in_the_main_line_starts_where_it_left_it() {
    let repo = repo().commits("a b").branch("topic").commits("s t").on("main").commits("c d");
    let repo = repo.on("topic").merge("main").commit("u");
    assert_eq!(shown(&range(&repo, "main..topic")), "2:b 3:s 4:t 7:merge-main 8:u");
    assert_eq!(between(&range(&repo, "main..topic")), "3:s 4:t 7:merge-main 8:u");
    assert_eq!(shown(&all(&repo, "main..topic")), "3:s 4:t 6:d 7:merge-main 8:u");
}

#[test]
fn histories_that_share_nothing_start_at_the_first_commit() {
    let repo =
        repo().commits("a b").git(&["checkout", "--quiet", "--orphan", "other"]).commits("x y");
    let selected = range(&repo, "main..other");
    assert_eq!(shown(&selected), "1:x 2:y");
    assert_eq!(
        selected.note.unwrap(),
        "`main` and `other` share no history: all of `other` is taken"
    );
    assert_eq!(shown(&list(&repo, &["main", "other~1"])), "1:x 2:b");
    let repo = repo.merge("main");
    assert_eq!(shown(&all(&repo, "..")), "1:x 2:y 3:a 4:b 5:merge-main");
}

#[test]
fn dates_that_run_backwards_change_no_order() {
    let repo = repo()
        .at("2024-03-01")
        .commit("a")
        .at("2020-01-01")
        .commit("b")
        .at("2024-03-09")
        .commit("c");
    let repo = repo.at("2021-01-01").commit("d");
    assert_eq!(shown(&range(&repo, "..")), "1:a 2:b 3:c 4:d");
    let weekly = Selection { every: "1w".parse().unwrap(), ..Selection::parse_range("..") };
    assert_eq!(shown(&select(repo.path(), &weekly).unwrap()), "2:b 4:d");
}

#[test]
fn steps_and_tags_keep_both_ends() {
    let repo = repo()
        .commit("a")
        .tag("v1.0")
        .commits("b c")
        .tag("release/v1.1")
        .commit("d")
        .tag("x")
        .commit("e");
    let chosen = |every: &str, tags: Option<&str>, range: &str| {
        let tags = tags.map(str::to_owned);
        let selection =
            Selection { every: every.parse().unwrap(), tags, ..Selection::parse_range(range) };
        shown(&select(repo.path(), &selection).unwrap())
    };
    assert_eq!(chosen("3commits", None, ".."), "1:a 4:d 5:e");
    assert_eq!(chosen("commit", Some("*v*"), ".."), "1:a 3:c 5:e");
    assert_eq!(chosen("commit", Some("v*"), "HEAD~3.."), "2:b 5:e");
    assert_eq!(chosen("1y", None, "HEAD~3.."), "2:b 5:e");
}

#[test]
fn tags_on_side_branches_and_patterns_without_any_are_said() {
    let repo =
        repo().commit("a").tag("v1").branch("side").commit("s").tag("v2").on("main").commit("b");
    let repo = repo.merge("side").branch("other").commit("o").tag("v9").on("main").commit("c");
    let ask = |tags: &str, range: &str, all_parents| {
        let tags = Some(tags.to_owned());
        select(repo.path(), &Selection { tags, all_parents, ..Selection::parse_range(range) })
            .unwrap()
    };
    let one = "1 more tag matches but is on a side branch: `--all-parents` takes it";
    let selected = ask("v*", "..", false);
    assert_eq!((shown(&selected).as_str(), selected.note.as_deref()), ("1:a 5:c", Some(one)));
    assert_eq!(ask("v*", "HEAD~3..", false).note.as_deref(), Some(one));
    assert_eq!(ask("v*", "HEAD~1..", false).note, None);
    assert_eq!(ask("v1", "..", false).note, None);
    let selected = ask("v*", "..", true);
    assert_eq!((shown(&selected).as_str(), selected.note), ("1:a 3:s 5:c", None));
    assert_eq!(
        ask("w*", "..", false).note.unwrap(),
        "no tag matches `w*`: only the newest revision is taken"
    );
    let note = ask("v*", "side..", false).note.unwrap();
    assert!(note.starts_with("`side` is not on the main line of `HEAD`"), "{note}");
    let repo = repo.git(&["tag", "v2.1", "side"]);
    let tags = Some("v*".to_owned());
    let selected =
        select(repo.path(), &Selection { tags, ..Selection::parse_range("..") }).unwrap();
    let two = "2 more tags match but are on side branches: `--all-parents` takes them";
    assert_eq!(selected.note.as_deref(), Some(two));
}

#[test]
fn a_list_is_put_in_order_and_named_twice_is_once() {
    let repo = merged().tag("v1");
    let selected = list(&repo, &["main", "side", "HEAD~3", "v1", "main~1"]);
    assert_eq!(shown(&selected), "2:b 5:t 6:merge-side 7:d");
    assert_eq!(between(&selected), "3:c 4:s 5:t 6:merge-side 7:d");
    let selected = list(&repo, &["main~1"]);
    assert_eq!((shown(&selected).as_str(), between(&selected).as_str()), ("6:merge-side", ""));
    let selected = list(&repo, &["main~4"]);
    assert_eq!(shown(&selected), "1:a");
}

#[test]
fn a_list_of_branches_has_between_it_what_not_all_of_them_have() {
    let repo = repo()
        .commits("a b")
        .branch("one")
        .commits("o p")
        .on("main")
        .branch("two")
        .commits("q r s");
    let repo = repo.on("main").commit("c");
    let selected = list(&repo, &["two", "one", "main"]);
    assert_eq!(shown(&selected).split(' ').max(), Some("5:s"));
    let mut names: Vec<_> = selected.commits.iter().map(|commit| commit.subject.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["c", "o", "p", "q", "r", "s"]);
}

#[test]
fn a_list_of_branches_that_took_in_each_other_has_the_places_of_its_own_lines() {
    let repo = repo().commits("a b").branch("topic").commits("s t").on("main").commits("c d");
    let repo = repo.on("topic").merge("main").on("main").commit("e");
    let selected = list(&repo, &["main", "topic"]);
    let places: Vec<_> = selected.revisions.iter().map(|r| (r.subject.as_str(), r.order)).collect();
    assert_eq!(places, [("e", 5), ("merge main", 7)]);
}

#[test]
fn a_list_never_has_a_commit_before_one_that_it_consists_of() {
    // On the main line `s` comes after `c` and `d`; on its own branch only after `a`.
    let repo = repo().commit("a").branch("topic").commits("s t").on("main").commits("c d");
    let repo = repo.git(&["merge", "--quiet", "--no-ff", "-m", "merge s", "topic~1"]);
    assert_eq!(shown(&list(&repo, &["topic", "topic~1", "main"])), "2:s 3:t 5:merge-s");
}

#[test]
fn names_may_look_like_anything() {
    let repo = repo().commits("a b c").tag("v1.0").commit("d").git(&[
        "update-ref",
        "refs/heads/-x",
        "HEAD",
    ]);
    let shown = |name: &str| shown(&list(&repo, &[name]));
    assert_eq!(shown("v1.0^{}"), "3:c");
    assert_eq!(shown("HEAD~3"), "1:a");
    assert_eq!(shown("heads/-x"), "4:d");
    assert_eq!(shown("-x"), "4:d");
    assert_eq!(shown(":/b"), "2:b");
    assert_eq!(shown("HEAD^{/a}"), "1:a");
    assert_eq!(shown(&repo.id("v1.0")[..7]), "3:c");
}

#[test]
fn unknown_names_are_said_with_the_nearest_known() {
    let repo = repo().commits("a b").tag("v1.0");
    let said = |range| said(repo.path(), range);
    assert_eq!(said("v1.1.."), "unknown revision `v1.1`; did you mean `v1.0`?");
    assert_eq!(said("..mian~3"), "unknown revision `mian~3`; did you mean `main`?");
    assert_eq!(said("main~9"), "unknown revision `main~9`; did you mean `main~1`?");
    assert_eq!(said("main^9"), "unknown revision `main^9`");
    assert_eq!(
        said("/"),
        "`/` is a folder, not a revision; what is not committed yet is measured as a patch: `git \
         diff HEAD | tacho try -`"
    );
    assert_eq!(said(".hidden"), "unknown revision `.hidden`");
    assert_eq!(said("with space"), "unknown revision `with space`");
    assert_eq!(said("--output=x"), "unknown revision `--output=x`");
    assert_eq!(said("line\nfeed"), "unknown revision `line\nfeed`");
    assert_eq!(said(""), "unknown revision ``");
    assert_eq!(
        said("a...b"),
        "`a...b` has three dots; write `a..b`, which begins at the fork point"
    );
    assert_eq!(said("HEAD:a"), "`HEAD:a` is a blob, not a commit");
}

#[test]
fn an_empty_range_says_why() {
    let repo = repo().commits("a b").tag("v1");
    assert_eq!(
        said(repo.path(), "main..main~1"),
        "the range `main..main~1` is empty: `main~1` is an ancestor of `main`; did you mean \
         `main~1..main`?"
    );
    assert_eq!(
        said(repo.path(), "main..v1"),
        "the range `main..v1` is empty: both are the same revision; to measure one revision, name \
         only that \
         one"
    );
}

#[test]
fn places_without_history_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    assert!(matches!(Repository::open(&gone), Err(SubjectError::NotARepository { .. })));
    assert_eq!(said(repo().path(), ".."), "`FOLDER` has no commits yet");
    assert!(said(folder.path(), "..").contains("is not in a git repository"));
}

#[test]
fn a_shallow_clone_answers_as_far_as_it_goes() {
    let repo = repo().commits("a b c d e");
    let (_folder, clone) = repo.cloned(&["--depth=3"]);
    let selected = select(&clone, &Selection::parse_range("HEAD~2..")).unwrap();
    assert_eq!(selected.revisions.len(), 3);
    assert!(selected.note.unwrap().contains("shallow"));
    assert_eq!(
        said(&clone, ".."),
        "the range begins before the history of the shallow clone `FOLDER`; `git fetch \
         --unshallow` gets the rest"
    );
    assert_eq!(
        said(&clone, "HEAD~3.."),
        "unknown revision `HEAD~3`; this is a shallow clone; `git fetch --unshallow` gets all of \
         history"
    );
}

#[test]
fn nothing_in_a_configuration_changes_what_is_read() {
    let mut repo = repo().commit("a").write("ü\n\"q\" z", "").commit("b").tag("v1");
    for (key, value) in [
        ("color.ui", "always"),
        ("color.diff", "always"),
        ("core.quotePath", "true"),
        ("diff.noprefix", "true"),
        ("diff.relative", "true"),
        ("diff.renames", "copies"),
        ("format.pretty", "full"),
        ("log.abbrevCommit", "true"),
        ("log.date", "relative"),
        ("log.decorate", "full"),
        ("log.diffMerges", "separate"),
        ("log.showRoot", "false"),
        ("log.showSignature", "true"),
        ("core.pager", "false"),
        ("versionsort.suffix", "-"),
    ] {
        repo = repo.git(&["config", key, value]);
    }
    let repo = repo.branch("side").commit("s").on("main").merge("side");
    let selected = range(&repo, "..");
    assert_eq!(shown(&selected), "1:a 2:b 4:merge-side");
    assert_eq!(selected.commits[0].files, ["a"]);
    assert_eq!(selected.commits[1].files, ["ü\n\"q\" z"]);
    assert_eq!(selected.revisions[1].date.unwrap().to_string(), "2024-01-02T12:00:00Z");
}

#[test]
fn paths_that_are_not_utf_8_are_replaced() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let repo = repo().write(OsStr::from_bytes(b"caf\xe9"), "").commit("a");
    assert_eq!(range(&repo, "..").commits[0].files, ["caf\u{fffd}"]);
}

#[test]
fn a_folder_within_the_work_tree_is_in_the_repository() {
    let repo = repo().write("deep/er/x", "").commit("a").commit("b");
    let selected = select(&repo.path().join("deep/er"), &Selection::parse_range("..")).unwrap();
    assert_eq!(shown(&selected), "1:a 2:b");
    assert_eq!(selected.commits[1].files, ["b"]);
}

#[test]
fn what_a_commit_brought_is_against_its_first_parent() {
    let repo = merged();
    let brought = |name: &str| {
        let diff =
            Commits::new(Repository::open(repo.path()).unwrap()).brought(name).unwrap().unwrap();
        let diff = String::from_utf8(diff).unwrap();
        let files = diff.lines().filter_map(|line| line.strip_prefix("+++ b/"));
        files.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        (brought("HEAD"), brought("HEAD~1"), brought("side")),
        ("d".into(), "s t".into(), "t".into())
    );
    assert_eq!(brought("HEAD~4"), "a", "the first has no parent");
}

#[test]
fn of_a_line_only_what_the_others_lack_is_requested() {
    // The branch takes up `c`, which the main line made meanwhile, before it is merged.
    let repo = repo()
        .commits("a b")
        .branch("side")
        .commits("s")
        .on("main")
        .commit("c")
        .on("side")
        .merge("main");
    let repo = repo.commits("t u").on("main").commit("d").merge("side");
    let commits = Commits::new(Repository::open(repo.path()).unwrap());
    let [first, second] = [repo.id("HEAD^1"), repo.id("HEAD^2")];
    assert_eq!(commits.parents("HEAD").unwrap(), [first.clone(), second.clone()]);
    assert_eq!(commits.parents("HEAD~3").unwrap().len(), 1);
    let line = commits.line(&second, &[first]).unwrap();
    let subjects: Vec<&str> = line.revisions.iter().map(|it| it.subject.as_str()).collect();
    assert_eq!(subjects, ["s", "merge main", "t", "u"]);
    let line = commits.line(&second, &[repo.id("side~2"), repo.id("HEAD^1")]).unwrap();
    assert_eq!(line.revisions.iter().map(|it| it.subject.as_str()).collect::<Vec<_>>(), ["t", "u"]);
    assert_eq!(commits.line(&repo.id("side~2"), &[second]).unwrap().revisions, []);
}
