use std::fmt::Write;
use std::sync::atomic::Ordering;

use tempfile::TempDir;

use super::*;
use crate::testing::{Repo, repo, revision};
use tacho_record::plan::Source;

static NEVER: AtomicBool = AtomicBool::new(false);

fn subject(build: Option<&str>, artifacts: &[&str]) -> Subject {
    Subject {
        name: None,
        source: Source::Git(".".to_owned()),
        build: build.map(str::to_owned),
        build_timeout: Duration::from_secs(600),
        paths: Vec::new(),
        artifacts: artifacts.iter().map(|&artifact| artifact.to_owned()).collect(),
        submodules: true,
        link: None,
        quirks: vec![],
        layouts: None,
        order: None,
        onto: BTreeMap::new(),
    }
}

/// A builder with a cache of its own.
struct BuildBench {
    builder: LocalBuilder,
    cache: TempDir,
}

impl BuildBench {
    fn new(repo: &Repo, subject: &Subject, limit: u64) -> Self {
        let cache = tempfile::tempdir().unwrap();
        let builder = LocalBuilder::new(subject, repo.path(), cache.path(), limit).unwrap();
        Self { builder, cache }
    }

    fn of(repo: &Repo, build: &str, artifacts: &[&str]) -> Self {
        Self::new(repo, &subject(Some(build), artifacts), u64::MAX)
    }

    /// How the build ended, and its log.
    fn build(&mut self, id: &str) -> (BuildState, String) {
        match self.builder.build(&revision(id), &NEVER).unwrap() {
            BuildOutcome::Done { build, log } => {
                assert_eq!((build.revision.as_str(), build.recipe), (id, self.builder.recipe()));
                (build.state, String::from_utf8_lossy(&fs::read(log).unwrap()).into_owned())
            }
            BuildOutcome::Interrupted => panic!("nobody interrupts"),
        }
    }

    fn artifact(&mut self, id: &str) -> Digest {
        let (state, log) = self.build(id);
        state.artifact().unwrap_or_else(|| panic!("{state:?}: {log}"))
    }

    /// Why the build failed.
    fn why(&mut self, id: &str) -> String {
        match self.build(id) {
            (BuildState::Failed { why, .. }, _) => why,
            (state, log) => panic!("{state:?}: {log}"),
        }
    }

    /// The content of a file of unpacked artifacts.
    fn read(&mut self, artifact: Digest, file: &str) -> Option<String> {
        let folder = self.builder.unpack(artifact).unwrap()?;
        Some(fs::read_to_string(folder.join(file)).unwrap())
    }
}

#[test]
fn equal_programs_have_equal_digests() {
    let repo = repo()
        .write("prog.c", "1")
        .commit("a")
        .write("README", "how")
        .commit("b")
        .write("prog.c", "2")
        .commit("c");
    let mut bench = BuildBench::of(
        &repo,
        "mkdir out && cat prog.c > out/prog && pwd >> out/prog",
        &["out/prog"],
    );
    let [one, same, other] =
        [2, 1, 0].map(|back| bench.artifact(&repo.id(&format!("HEAD~{back}"))));
    assert_eq!(one, same);
    assert_ne!(one, other);
    let tree = bench.cache.path().canonicalize().unwrap().join("tree");
    assert_eq!(bench.read(other, "out/prog").unwrap(), format!("2{}\n", tree.display()));
    assert_eq!(bench.builder.unpack(Digest::of("never")).unwrap(), None);
}

#[test]
fn a_cache_that_is_removed_during_a_build_is_no_failure_of_the_revision() {
    let repo = repo().commit("a");
    for gone in ["tree", "artifacts", "logs"] {
        let cache = tempfile::tempdir().unwrap();
        let path = cache.path().canonicalize().unwrap();
        let build = format!("rm -rf {}/{gone}; false", path.display());
        let mut builder =
            LocalBuilder::new(&subject(Some(&build), &["x"]), repo.path(), &path, u64::MAX)
                .unwrap();
        let error = builder.build(&revision(&repo.id("HEAD")), &NEVER).unwrap_err();
        assert!(matches!(error, SubjectError::CacheGone { .. }), "{gone}: {error}");
    }
}

#[test]
fn without_a_command_the_checkout_is_what_is_used() {
    let repo = repo().write("src/x", "1").commit("a");
    let mut bench = BuildBench::new(&repo, &subject(None, &["."]), u64::MAX);
    let (state, _) = bench.build(&repo.id("HEAD"));
    let BuildState::Built { artifact, size: 1, .. } = state else { panic!("{state:?}") };
    assert_eq!(bench.read(artifact, "src/x").as_deref(), Some("1"));
    assert!(!bench.builder.unpack(artifact).unwrap().unwrap().join(".git").exists());
}

#[test]
fn values_are_filled_in_and_the_log_says_what_was_executed() {
    let repo = repo().commit("a");
    let id = repo.id("HEAD");
    let mut bench = BuildBench::of(
        &repo,
        "x=5; echo {jobs} {revision} {release} ${x} {y} | tee out; echo err >&2",
        &["out"],
    );
    let (state, log) = bench.build(&id);
    let jobs = available_parallelism().unwrap();
    assert_eq!(
        bench.read(state.artifact().unwrap(), "out").unwrap(),
        format!("{jobs} {id} {id} 5 {{y}}\n")
    );
    let tree = bench.cache.path().canonicalize().unwrap().join("tree");
    let wanted = format!(
        "# executes in {}:\n# x=5; echo {jobs} {id} {id} ${{x}} {{y}} | tee out; echo err \
         >&2\n{jobs} {id} {id} 5 {{y}}\nerr\n# built ",
        tree.display()
    );
    assert!(log.starts_with(&format!("# builds {id} ")) && log.contains(&wanted), "{log}");
}

#[test]
fn shell_code_of_a_plan_is_executed_as_it_stands() {
    let repo = repo().commit("a");
    let text = r#"
        [subject]
        build = """
        # Don't lose {jobs} here.
        show() { printf '%s|' "$@"; }
        { show {jobs} ${NO_SUCH:-x} '{revision}'; echo a b | awk '{print $2}'; } > out
        cat >> out <<END
        {revision}'s {{print}} {release}
        END
        git rev-parse --verify HEAD^{commit} >> out
        """
        artifacts = ["out"]
        [[benchmark]]
        name = "a"
        command = "{build}/out"
    "#;
    // Here-documents end where a line begins.
    let text: String = text.lines().flat_map(|line| [line.trim_start(), "\n"]).collect();
    let refused = tacho_record::plan::parse(&text, "tacho.toml").unwrap_err();
    assert_eq!(
        refused.errors[0].message,
        "`{release}` in `build`, but the subject has no releases"
    );
    let plan = tacho_record::plan::parse(&text.replace(" {release}", ""), "tacho.toml").unwrap();
    let mut bench = BuildBench::new(&repo, &plan.subject, u64::MAX);
    let id = repo.id("HEAD");
    let artifact = bench.artifact(&id);
    let jobs = available_parallelism().unwrap();
    let wanted = format!("{jobs}|x|{id}|b\n{id}'s {{{{print}}}}\n{id}\n");
    assert_eq!(bench.read(artifact, "out").unwrap(), wanted);
}

#[test]
fn nobody_else_builds_in_the_same_cache() {
    let repo = repo().commit("a");
    let bench = BuildBench::of(&repo, "true", &["a"]);
    let again = || LocalBuilder::new(&subject(None, &["."]), repo.path(), bench.cache.path(), 0);
    let error = again().unwrap_err();
    let path = bench.cache.path().canonicalize().unwrap();
    assert_eq!(error.to_string(), format!("another tacho builds in `{}`", path.display()));
    assert_eq!(
        error.hint().unwrap(),
        "give each `tacho` a cache of its own with `--cache` or `TACHO_CACHE`"
    );
    drop(bench.builder);
    assert!(again().is_ok());
}

#[test]
fn a_command_sees_its_own_repository_and_no_other() {
    let repo = repo().commit("a").tag("v1").commit("b");
    let mut bench =
        BuildBench::of(&repo, "git describe --tags > out; cat >> out; env >> out", &["out"]);
    let artifact = bench.artifact(&repo.id("HEAD"));
    let out = bench.read(artifact, "out").unwrap();
    assert!(out.starts_with("v1-1-g"), "{out}");
    let releases = Subject {
        source: Source::Releases(vec!["1".to_owned()]),
        ..subject(Some("git status"), &["."])
    };
    // The cache is in a repository, where the tree of a release is not to be taken for a part of
    // it.
    let mut builder =
        LocalBuilder::new(&releases, repo.path(), &repo.path().join("cache"), 0).unwrap();
    let BuildOutcome::Done { build, .. } = builder.build(&revision("1"), &NEVER).unwrap() else {
        panic!("interrupted")
    };
    let BuildState::Failed { why, .. } = build.state else { panic!("{:?}", build.state) };
    assert!(why.contains("not a git repository"), "{why}");
}

#[test]
fn releases_are_built_from_nothing() {
    let folder = repo();
    let source = Source::Releases(vec!["1.0".to_owned(), "2.0 beta".to_owned()]);
    let subject = Subject {
        source,
        ..subject(Some("ls -A > list; echo {release} > prog"), &["prog", "list"])
    };
    let mut bench = BuildBench::new(&folder, &subject, u64::MAX);
    let [one, two] = ["1.0", "2.0 beta"].map(|release| bench.artifact(release));
    assert_eq!(bench.read(one, "prog").as_deref(), Some("1.0\n"));
    assert_eq!(bench.read(two, "prog").as_deref(), Some("2.0 beta\n"));
    assert_eq!(bench.read(two, "list").as_deref(), Some("list\n"));
}

#[test]
fn a_failed_build_says_why() {
    let repo = repo().write("x.c", "").commit("a");
    let id = repo.id("HEAD");
    let why = |build: &str, artifacts: &[&str]| BuildBench::of(&repo, build, artifacts).why(&id);
    assert_eq!(why("echo 'x.c:1: error' >&2; exit 2", &["."]), "exit status 2: x.c:1: error");
    let of_make =
        "echo 'x.c:7: error: no'; echo 'make: *** Waiting for unfinished jobs....' >&2; exit 2";
    assert_eq!(why(of_make, &["."]), "exit status 2: x.c:7: error: no");
    assert_eq!(why("exit 1", &["."]), "exit status 1");
    assert_eq!(why("kill -9 $$", &["."]), "signal: 9 (SIGKILL)");
    assert_eq!(why("true", &["x.c", "prog"]), "artifact `prog` was not made");
    assert_eq!(why("rm x.c", &["."]), "nothing was made: the artifacts hold no files");
    let gone = "0123456789012345678901234567890123456789";
    assert!(
        BuildBench::of(&repo, "true", &["."])
            .why(gone)
            .starts_with("git fetch failed with exit status 128: ")
    );
}

#[test]
fn a_build_that_takes_too_long_is_ended() {
    let repo = repo().commit("a");
    let limit = Duration::from_secs(2);
    let slow = Subject { build_timeout: limit, ..subject(Some("echo begun; sleep 1000"), &["."]) };
    let (state, log) = BuildBench::new(&repo, &slow, u64::MAX).build(&repo.id("HEAD"));
    assert_eq!(state, BuildState::TimedOut { limit });
    assert!(log.contains("\nbegun\n# timed out after "), "{log}");
}

#[test]
fn an_interrupted_build_is_none() {
    let repo = repo().commit("a");
    let mut bench = BuildBench::of(&repo, "touch ../begun; sleep 1000", &["."]);
    let begun = bench.cache.path().join("begun");
    let interrupt = AtomicBool::new(false);
    let built = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !begun.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            interrupt.store(true, Ordering::SeqCst);
        });
        bench.builder.build(&revision(&repo.id("HEAD")), &interrupt).unwrap()
    });
    assert_eq!(built, BuildOutcome::Interrupted);
    // Raised already, not even the checkout begins; and afterwards all goes on.
    assert_eq!(
        bench.builder.build(&revision(&repo.id("HEAD")), &interrupt).unwrap(),
        BuildOutcome::Interrupted
    );
    let BuildBench { builder, cache } = bench;
    drop(builder);
    let mut again =
        LocalBuilder::new(&subject(None, &["."]), repo.path(), cache.path(), 0).unwrap();
    let BuildOutcome::Done { build, .. } =
        again.build(&revision(&repo.id("HEAD")), &NEVER).unwrap()
    else {
        panic!()
    };
    assert!(build.state.artifact().is_some());
}

#[test]
fn a_build_that_prints_a_lot_has_a_log_of_bearable_length() {
    let repo = repo().commit("a");
    let build =
        "echo first; head -c 100000000 /dev/zero | tr '\\0' x | fold -w 99; echo; echo last";
    let (state, log) = BuildBench::of(&repo, build, &["a"]).build(&repo.id("HEAD"));
    assert!(state.artifact().is_some());
    assert!(log.contains("\nfirst\n") && log.contains("\nlast\n# built "));
    assert!(log.contains(" bytes are left out here") && log.len() <= (64 << 20) + 100);
}

#[test]
fn what_the_cache_let_go_is_built_again_to_the_same() {
    let repo = repo().commit("a").commit("b");
    let mut bench = BuildBench::new(&repo, &subject(Some("cat a b > out; true"), &["out"]), 1);
    let [one, two] = ["HEAD~1", "HEAD"].map(|name| bench.artifact(&repo.id(name)));
    assert_eq!(bench.read(one, "out").as_deref(), Some("a"));
    bench.builder.keep(&[two]);
    assert_eq!((bench.read(one, "out"), bench.read(two, "out").as_deref()), (None, Some("ab")));
    assert_eq!(bench.artifact(&repo.id("HEAD~1")), one);
    assert_eq!(bench.read(one, "out").as_deref(), Some("a"));
}

#[test]
fn the_recipe_is_what_decides_what_is_built() {
    let repo = repo().commit("a");
    let recipe = |subject: &Subject| BuildBench::new(&repo, subject, 0).builder.recipe();
    let base = recipe(&subject(Some("make"), &["a", "b"]));
    assert_eq!(recipe(&subject(Some("make"), &["b", "a", "b"])), base);
    let timeout = Duration::from_secs(1);
    assert_eq!(
        recipe(&Subject { build_timeout: timeout, ..subject(Some("make"), &["a", "b"]) }),
        base
    );
    for other in [
        subject(Some("make all"), &["a", "b"]),
        subject(Some("make"), &["a"]),
        subject(None, &["a", "b"]),
    ] {
        assert_ne!(recipe(&other), base);
    }
}

#[test]
fn artifacts_outside_of_the_checkout_are_refused_at_once() {
    let repo = repo().commit("a");
    let cache = tempfile::tempdir().unwrap();
    let error =
        LocalBuilder::new(&subject(None, &["../x"]), repo.path(), cache.path(), 0).unwrap_err();
    assert_eq!(error.to_string(), "artifact `../x` is not a path within the checkout");
    assert!(error.hint().is_some());
}

/// A disk of its own, as small as it gets; only the superuser can have one.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount(megabytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut size = String::new();
        write!(size, "size={megabytes}m").unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path());
        let is_mounted =
            mount.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success());
        is_mounted.then_some(Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_ends_the_run() {
    let Some(disk) = SmallDisk::mount(12) else {
        eprintln!("skipped: only the superuser can mount a small disk");
        return;
    };
    let repo = repo().commit("a");
    let build = |command: &str| {
        let mut builder =
            LocalBuilder::new(&subject(Some(command), &["."]), repo.path(), disk.0.path(), 0)
                .unwrap();
        builder.build(&revision(&repo.id("HEAD")), &NEVER)
    };
    // The command fills it up; it fills up and makes room again, as compilers do; what is kept
    // fills it up.
    let full = [
        "head -c 20000000 /dev/zero > out",
        "head -c 20000000 /dev/zero > out || { rm out; false; }",
        "head -c 7000000 /dev/urandom > out",
    ];
    for command in full {
        let error = build(command).unwrap_err();
        assert!(matches!(error, SubjectError::DiskFull { .. }), "{command}: {error}");
        assert!(error.hint().is_some());
    }
    assert!(
        matches!(build("true").unwrap(), BuildOutcome::Done { build, .. } if build.state.artifact().is_some())
    );
    assert!(
        matches!(build("false").unwrap(), BuildOutcome::Done { build, .. } if build.state.word() == "failed")
    );
}
