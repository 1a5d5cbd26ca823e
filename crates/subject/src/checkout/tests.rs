use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tacho_record::BuildFailure;
use tempfile::TempDir;

use super::*;
use crate::build::{BuildLimits, BuildLog};
use crate::testing::{Repo, repo, revision};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A checkout in a cache of its own.
struct GitBench {
    checkout: Checkout,
    cache: TempDir,
}

impl GitBench {
    fn of(repository: &Path) -> Self {
        let cache = tempfile::tempdir().unwrap();
        let checkout =
            Checkout::new(CheckoutOrigin::Git(Repository::open(repository).unwrap()), cache.path());
        Self { checkout, cache }
    }

    fn take(&mut self, id: &str) -> Result<(), WorkStop> {
        let mut log = BuildLog::create(self.cache.path().join("log")).unwrap();
        let limits = BuildLimits { time: Duration::from_secs(600), interrupt: &NEVER };
        self.checkout.take(&revision(id), &mut CheckoutWork { log: &mut log, limits })
    }

    /// All that is in the tree after taking this: files with their content, empty folders, links.
    fn shown(&mut self, id: &str) -> String {
        self.take(id).unwrap();
        let mut found = Vec::new();
        collect(self.checkout.tree(), self.checkout.tree(), &mut found);
        found.sort_unstable();
        found.join(" ")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.cache.path().join("log")).unwrap()
    }
}

/// What would only be in the way of what tests want to see.
const HIDDEN: [&str; 2] = [".git", ".gitmodules"];

fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
    let before = found.len();
    for entry in fs::read_dir(folder)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| !HIDDEN.iter().any(|name| entry.file_name() == *name))
    {
        let path = entry.path();
        let shown = path.strip_prefix(root).unwrap().display().to_string();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect(root, &path, found);
        } else if kind.is_symlink() {
            found.push(format!("{shown}->"));
        } else {
            found.push(format!("{shown}={}", fs::read_to_string(&path).unwrap()));
        }
    }
    if found.len() == before && folder != root {
        found.push(format!("{}/", folder.strip_prefix(root).unwrap().display()));
    }
}

#[test]
fn the_tree_holds_the_revision_and_nothing_else() {
    let repo = repo()
        .write("src/x", "1")
        .write(".gitignore", "*.o\n")
        .commit("a")
        .write("src/x", "2")
        .commit("b");
    let repo = repo.git(&["rm", "-rq", "src"]).write("src", "a file now").commit("c");
    let mut bench = GitBench::of(repo.path());
    assert_eq!(bench.shown(&repo.id("HEAD~2")), ".gitignore=*.o\n src/x=1");
    let tree = bench.checkout.tree().to_owned();
    fs::write(tree.join("src/x"), "changed").unwrap();
    fs::write(tree.join("x.o"), "ignored").unwrap();
    fs::create_dir_all(tree.join("build/deep")).unwrap();
    fs::create_dir(tree.join("empty")).unwrap();
    symlink("/etc", tree.join("link")).unwrap();
    Git::new(&tree).read(&["init", "--quiet", "nested"]).unwrap();
    Git::new(&tree).read(&["add", "build", "x.o", "--force"]).unwrap();
    assert_eq!(bench.shown(&repo.id("HEAD~1")), ".gitignore=*.o\n src/x=2");
    fs::write(tree.join("src/y"), "in the way of a file").unwrap();
    assert_eq!(bench.shown(&repo.id("HEAD")), ".gitignore=*.o\n src=a file now");
    fs::remove_file(tree.join("src")).unwrap();
    fs::create_dir(tree.join("src")).unwrap();
    fs::write(tree.join("src/y"), "in the way too").unwrap();
    assert_eq!(bench.shown(&repo.id("HEAD")), ".gitignore=*.o\n src=a file now");
    assert_eq!(bench.shown(&repo.id("HEAD~2")), ".gitignore=*.o\n src/x=1");
}

#[test]
fn sockets_and_pipes_do_not_stay() {
    let repo = repo().write("x", "1").commit("a").write("out/y", "2").write("z", "3").commit("b");
    let mut bench = GitBench::of(repo.path());
    assert_eq!(bench.shown(&repo.id("HEAD~1")), "x=1");
    let tree = bench.checkout.tree().to_owned();
    let pipe = |name: &str| {
        rustix::fs::mkfifoat(rustix::fs::CWD, tree.join(name), rustix::fs::Mode::RWXU).unwrap();
    };
    fs::create_dir_all(tree.join("z/deep")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(tree.join("z/deep/socket")).unwrap();
    fs::create_dir(tree.join("only")).unwrap();
    ["out", "only/pipe", "pipe"].into_iter().for_each(pipe);
    assert_eq!(bench.shown(&repo.id("HEAD")), "out/y=2 x=1 z=3");
    assert_eq!(bench.log().matches("clones").count(), 0, "there was no need for another clone");
    pipe("pipe");
    assert_eq!(bench.shown(&repo.id("HEAD~1")), "x=1");
}

#[test]
fn the_users_work_tree_is_left_as_it_is() {
    let repo =
        repo().commits("a b").write("a", "changed").write("new", "untracked").write("staged", "1");
    let repo = repo.git(&["add", "staged"]);
    let state = |repo: &Repo| {
        let index = fs::read(repo.path().join(".git/index")).unwrap();
        let asked = [
            "status --porcelain",
            "rev-parse HEAD",
            "for-each-ref",
            "config --list --local",
            "stash list",
        ];
        let answers = asked.map(|question| repo.ask(&question.split(' ').collect::<Vec<_>>()));
        (
            index,
            answers,
            fs::read(repo.path().join(".git/HEAD")).unwrap(),
            fs::read_dir(repo.path()).unwrap().count(),
        )
    };
    let before = state(&repo);
    let mut bench = GitBench::of(repo.path());
    assert_eq!(bench.shown(&repo.id("HEAD~1")), "a=a");
    assert_eq!(bench.shown(&repo.id("HEAD")), "a=a b=b");
    assert_eq!(state(&repo), before);
}

#[test]
fn commits_that_come_later_are_found() {
    let repo = repo().commit("a");
    let mut bench = GitBench::of(repo.path());
    assert_eq!(bench.shown(&repo.id("HEAD")), "a=a");
    let repo = repo.commit("b").git(&["checkout", "--quiet", "--detach"]).commit("c");
    assert_eq!(bench.shown(&repo.id("HEAD")), "a=a b=b c=c");
}

#[test]
fn tags_that_come_later_are_found_by_the_next_session() {
    let repo = repo().commit("a").tag("v1");
    let mut bench = GitBench::of(repo.path());
    bench.take(&repo.id("HEAD")).unwrap();
    let repo = repo.commit("b").tag("v2").git(&["tag", "--delete", "v1"]);
    bench.checkout = Checkout::new(
        CheckoutOrigin::Git(Repository::open(repo.path()).unwrap()),
        bench.cache.path(),
    );
    bench.take(&repo.id("HEAD")).unwrap();
    assert_eq!(bench.checkout.git().lines(&["tag"]).unwrap(), ["v2"]);
    assert!(!bench.log().contains("# clones "));
}

#[test]
fn paths_that_are_not_utf_8_are_checked_out() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let repo = repo().write(OsStr::from_bytes(b"caf\xe9/x"), "1").commit("a");
    let mut bench = GitBench::of(repo.path());
    bench.take(&repo.id("HEAD")).unwrap();
    assert!(bench.checkout.tree().join(OsStr::from_bytes(b"caf\xe9/x")).exists());
}

#[test]
fn a_clone_that_was_not_finished_is_made_anew() {
    let repo = repo().commits("a b");
    let mut bench = GitBench::of(repo.path());
    let tree = bench.checkout.tree().to_owned();
    let made_anew = |bench: &mut GitBench| {
        let shown = bench.shown(&repo.id("HEAD"));
        assert_eq!(shown, "a=a b=b");
        bench.log().contains("# clones ")
    };
    // As git leaves it when it is killed early; and something that is no repository at all.
    fs::create_dir_all(tree.join(".git/objects")).unwrap();
    fs::write(tree.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    assert!(made_anew(&mut bench));
    assert!(!made_anew(&mut bench));
    // Killed while it was checking out.
    fs::write(tree.join(".git/index.lock"), "").unwrap();
    fs::write(bench.checkout.busy(), "").unwrap();
    assert!(made_anew(&mut bench));
    assert!(!tree.join(".git/index.lock").exists());
    // Damaged in ways that only show when it is used.
    fs::write(tree.join(".git/index"), "nonsense").unwrap();
    assert!(made_anew(&mut bench));
    fs::remove_dir_all(tree.join(".git")).unwrap();
    assert!(made_anew(&mut bench));
    fs::remove_dir_all(&tree).unwrap();
    assert!(made_anew(&mut bench));
    assert!(!made_anew(&mut bench));
}

#[test]
fn read_only_folders_are_no_obstacle() {
    let repo = repo().commit("a");
    let mut bench = GitBench::of(repo.path());
    bench.take(&repo.id("HEAD")).unwrap();
    let folder = bench.checkout.tree().join("modules/cache");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("x"), "").unwrap();
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o500)).unwrap();
    assert_eq!(bench.shown(&repo.id("HEAD")), "a=a");
}

#[test]
fn hooks_are_not_executed() {
    let repo = repo().commits("a b");
    let mut bench = GitBench::of(repo.path());
    bench.take(&repo.id("HEAD~1")).unwrap();
    let mark = bench.cache.path().join("mark");
    for folder in [repo.path(), bench.checkout.tree()] {
        let hook = folder.join(".git/hooks/post-checkout");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
        fs::set_permissions(&hook, PermissionsExt::from_mode(0o755)).unwrap();
    }
    bench.take(&repo.id("HEAD")).unwrap();
    assert!(!mark.exists());
}

#[test]
fn any_kind_of_repository_will_do() {
    let repo = repo().commit("a").write("deep/x", "1").commit("b");
    let (_one, bare) = repo.cloned(&["--bare"]);
    let (_two, shallow) = repo.cloned(&["--depth=1"]);
    let linked = repo.path().join("linked");
    let repo = repo.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    for folder in [&bare, &shallow, &linked, &repo.path().join("deep")] {
        assert_eq!(
            GitBench::of(folder).shown(&repo.id("HEAD")),
            "a=a deep/x=1",
            "{}",
            folder.display()
        );
    }
}

#[test]
fn a_shallow_clone_has_commits_that_no_branch_has() {
    let repo = repo().commits("a b").git(&["checkout", "--quiet", "--detach"]).commit("c");
    let (_folder, shallow) = repo.cloned(&["--depth=1", "--branch=main"]);
    let id = repo.id("HEAD");
    let source = format!("file://{}", repo.path().display());
    Git::new(&shallow).read(&["fetch", "--quiet", "--depth=1", &source, &id]).unwrap();
    let mut bench = GitBench::of(&shallow);
    assert_eq!(bench.shown(&repo.id("main")), "a=a b=b");
    assert_eq!(bench.shown(&id), "a=a b=b c=c");
}

#[test]
fn a_partial_clone_gets_what_it_left_out() {
    let repo = repo().commit("a").write("a", "2").commit("b").git(&[
        "config",
        "uploadpack.allowFilter",
        "true",
    ]);
    let repo = repo.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let (_folder, partial) = repo.cloned(&["--filter=blob:none"]);
    assert_eq!(GitBench::of(&partial).shown(&repo.id("HEAD~1")), "a=a");
}

#[test]
fn a_revision_that_is_not_there_fails_alone() {
    let repo = repo().commit("a");
    let mut bench = GitBench::of(repo.path());
    let gone = "0123456789012345678901234567890123456789";
    let Err(WorkStop::Failed(why, cause)) = bench.take(gone) else { panic!("it is there") };
    assert!(why.starts_with("git fetch failed with exit status 128: fatal: "), "{why}");
    assert_eq!(cause, Some(BuildFailure::Fetch));
    assert_eq!(bench.shown(&repo.id("HEAD")), "a=a");
}

#[test]
fn a_release_starts_with_an_empty_folder() {
    let cache = tempfile::tempdir().unwrap();
    let mut bench =
        GitBench { checkout: Checkout::new(CheckoutOrigin::Nowhere, cache.path()), cache };
    assert_eq!(bench.shown("1.0"), "");
    fs::create_dir_all(bench.checkout.tree().join("left/over")).unwrap();
    assert_eq!(bench.shown("1.1"), "");
}

/// A library, and a program that has it as a submodule at `lib` from its second commit on.
fn with_submodule() -> (Repo, Repo) {
    let library = repo().commits("one two three");
    let program = repo().commit("a");
    let url = library.path().to_str().unwrap();
    let program = program.git(&["submodule", "--quiet", "add", url, "lib"]).commit("add lib");
    (library, program)
}

fn at(repo: Repo, folder: &str, id: &str) -> Repo {
    repo.git(&["-C", folder, "checkout", "--quiet", id])
}

#[test]
fn submodules_come_and_go_without_a_network() {
    let (library, program) = with_submodule();
    let program = at(program, "lib", "HEAD~1")
        .commit("older lib")
        .git(&["rm", "-q", "lib"])
        .commit("drop lib");
    let program = program.write("lib/own", "now ours").commit("own lib");
    let id = |back: usize| program.id(&format!("HEAD~{back}"));
    // From here on only the user's copy is left.
    drop(library);
    let mut bench = GitBench::of(program.path());
    assert_eq!(bench.shown(&id(3)), "a=a lib/one=one lib/three=three lib/two=two");
    fs::write(bench.checkout.tree().join("lib/left"), "over").unwrap();
    fs::write(bench.checkout.tree().join("lib/one"), "changed").unwrap();
    assert_eq!(bench.shown(&id(2)), "a=a lib/one=one lib/two=two");
    assert_eq!(bench.shown(&id(1)), "a=a");
    assert_eq!(bench.shown(&id(0)), "a=a lib/own=now ours");
    assert!(!bench.checkout.tree().join("lib/.git").exists());
    assert_eq!(bench.shown(&id(3)), "a=a lib/one=one lib/three=three lib/two=two");
    assert_eq!(bench.shown(&id(4)), "a=a");
}

#[test]
fn submodules_are_left_out_where_the_plan_says_so() {
    let (library, program) = with_submodule();
    drop(library);
    let GitBench { checkout, cache } = GitBench::of(program.path());
    let mut bench = GitBench { checkout: checkout.with_submodules(false), cache };
    assert_eq!(bench.shown(&program.id("HEAD")), "a=a lib/");
    assert_eq!(bench.shown(&program.id("HEAD~1")), "a=a");
}

#[test]
fn submodules_of_submodules_come_too() {
    let (library, program) = with_submodule();
    let outer = repo().commit("o");
    let outer = outer
        .git(&["submodule", "--quiet", "add", program.path().to_str().unwrap(), "in/ner"])
        .commit("p");
    let outer = outer.git(&["submodule", "--quiet", "update", "--init", "--recursive"]);
    drop((library, program));
    let mut bench = GitBench::of(outer.path());
    assert!(bench.shown(&outer.id("HEAD")).contains(" in/ner/lib/one=one "));
    assert_eq!(bench.shown(&outer.id("HEAD~1")), "o=o");
}

#[test]
fn submodules_that_the_user_does_not_have_come_from_where_they_are() {
    let (library, program) = with_submodule();
    // Its location is relative to that of the program, and the user has it not.
    let name = library.path().file_name().unwrap().to_str().unwrap();
    let program = program.git(&[
        "config",
        "--file",
        ".gitmodules",
        "submodule.lib.url",
        &format!("../{name}"),
    ]);
    let program = program.commit("relative");
    let (_folder, clone) = program.cloned(&[]);
    let mut bench = GitBench::of(&clone);
    let ids = [program.id("HEAD"), program.id("HEAD~1")];
    // The clone's remote has a folder beside it with that name.
    Git::new(&clone)
        .read(&["config", "remote.origin.url", program.path().to_str().unwrap()])
        .unwrap();
    for id in &ids {
        assert!(bench.shown(id).contains(" lib/one=one "));
    }
    // What the library gets later is fetched when a revision has it.
    let library = library.commit("four");
    let program = at(
        program.git(&["-C", "lib", "pull", "--quiet", "origin", "main"]),
        "lib",
        &library.id("HEAD"),
    );
    let program = program.commit("newer");
    Git::new(&clone).read(&["fetch", "--quiet", "origin"]).unwrap();
    assert!(bench.shown(&program.id("HEAD")).contains(" lib/four=four "));
}

#[test]
fn a_submodule_that_cannot_be_had_is_a_reason_to_fail() {
    let (library, program) = with_submodule();
    let (_folder, clone) = program.cloned(&[]);
    drop(library);
    let mut bench = GitBench::of(&clone);
    let Err(WorkStop::Failed(why, _)) = bench.take(&program.id("HEAD")) else {
        panic!("it could be had")
    };
    assert!(why.starts_with("git submodule update failed with exit status "), "{why}");
    assert_eq!(bench.shown(&program.id("HEAD~1")), "a=a");
}

#[test]
fn a_submodule_with_a_name_that_leads_away_is_refused() {
    let (_library, program) = with_submodule();
    let program = program.git(&[
        "config",
        "--file",
        ".gitmodules",
        "--rename-section",
        "submodule.lib",
        "submodule.../../x",
    ]);
    let program = program.commit("evil");
    let mut bench = GitBench::of(program.path());
    let Err(WorkStop::Failed(why, _)) = bench.take(&program.id("HEAD")) else {
        panic!("it was taken")
    };
    assert!(why.contains("../../x"), "{why}");
}

/// After a fork at `a`: `m` on the main line, `s`, `t` and `u` on a branch, of which `t` is in the
/// way of `m`; `v` on another.
fn forked() -> Repo {
    let repo = repo().write("x", "1\n").commit("a").branch("side").write("y", "s\n").commit("s");
    let repo = repo.write("x", "2\n").commit("t").write("x", "1\n").commit("u").tag("u");
    let repo =
        repo.git(&["checkout", "-q", "main", "-b", "other"]).write("z", "v\n").commit("v").tag("v");
    repo.on("main").write("x", "3\n").commit("m").tag("m")
}

#[test]
fn a_revision_is_merged_into_others() {
    let repo = forked();
    let mut bench = GitBench::of(repo.path());
    let [base, other, s, t, u] = ["m", "v", "u~2", "u~1", "u"].map(|name| repo.id(name));
    let merged = |bench: &mut GitBench, id: &str, onto: &[&String]| {
        let mut log = BuildLog::create(bench.cache.path().join("log")).unwrap();
        let limits = BuildLimits { time: Duration::from_secs(600), interrupt: &NEVER };
        let onto: Vec<String> = onto.iter().map(|&id| id.clone()).collect();
        match bench.checkout.merge(
            &revision(id),
            &onto,
            &mut CheckoutWork { log: &mut log, limits },
        ) {
            Ok(()) => {
                let mut found = Vec::new();
                collect(bench.checkout.tree(), bench.checkout.tree(), &mut found);
                found.sort_unstable();
                found.join(" ").replace('\n', "")
            }
            Err(stop) => format!("{stop:?}"),
        }
    };
    assert_eq!(merged(&mut bench, &s, &[&base]), "x=3 y=s");
    let conflict = "Failed(\"it does not merge without conflicts\", Some(Conflict))";
    assert_eq!(merged(&mut bench, &t, &[&base]), conflict);
    assert_eq!(merged(&mut bench, &u, &[&base]), "x=3 y=s", "after a conflict");
    assert_eq!(merged(&mut bench, &u, &[&base, &other]), "x=3 y=s z=v", "as an octopus does");
    assert_eq!(merged(&mut bench, &repo.id("m~1"), &[&base]), "x=3", "what is there already");
    let first = bench.checkout.git().lines(&["rev-parse", "HEAD"]).unwrap();
    merged(&mut bench, &s, &[&base]);
    let again = merged(&mut bench, &s, &[&base]);
    assert_eq!(again, "x=3 y=s");
    assert_eq!(first, [base]);
    assert_eq!(bench.shown(&other), "x=1\n z=v\n", "and nothing of it is left");
    assert!(!bench.checkout.busy().exists());
}
