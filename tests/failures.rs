//! Failing machines and hostile programs: what is lost comes back, or one clear error says what
//! happened.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::harness::{Answer, Project, SCRIPT_PLAN, done};

impl Project {
    /// The folders that builds are unpacked to.
    fn unpacked(&self) -> Vec<PathBuf> {
        let project = fs::read_dir(self.cache()).unwrap().map(|it| it.unwrap().path());
        let builds = project.map(|it| it.join("builds")).find(|it| it.is_dir()).unwrap();
        fs::read_dir(builds).unwrap().map(|it| it.unwrap().path()).collect()
    }

    /// Whether each sample of a revision is valid.
    fn validity(&self, revision: &str) -> Vec<bool> {
        let shown = self.tacho(&format!("show {revision} --json")).json();
        let samples = shown["hosts"][0]["benchmarks"][0]["samples"].as_array().unwrap().clone();
        samples.iter().map(|sample| sample["valid"] == true).collect()
    }
}

#[test]
fn a_build_that_lost_a_file_is_unpacked_again() {
    let project = Project::scripts(2);
    project.tacho("track ..HEAD --rounds 1").exits(0);
    for folder in project.unpacked() {
        fs::remove_file(folder.join("prog")).unwrap();
    }
    project.tacho("track ..HEAD --rounds 3").exits(0);
    assert_eq!(project.validity("HEAD"), [true; 5]);
}

#[test]
fn a_program_that_writes_into_its_build_is_reported_and_the_build_is_unpacked_again() {
    // Without the right to write the program has to take it first.
    let write = "d=$(dirname $0); chmod u+w $d; echo more >> $d/count; echo answer\n";
    let plan = SCRIPT_PLAN.replace("rounds = 3", "rounds = 1\nwarmup = false");
    let project = Project::repository().file("prog", write).commit("one").plan(&plan);
    let answer = project.tacho("track HEAD").exits(0);
    let warning = "changed `count` in its own build: later executions may measure something else\n";
    assert!(answer.stderr.contains(warning), "{}", answer.stderr);
    project.tacho("track HEAD --rounds 2").exits(0);
    let count = project.unpacked()[0].join("count");
    assert_eq!(
        fs::read_to_string(count).unwrap(),
        "more\n",
        "the second session began with the build as it was"
    );
}

#[test]
fn a_submodule_that_cannot_be_fetched_is_no_failure_of_the_revision() {
    let library = Project::repository().file("lib", "echo answer\n").commit("library");
    let away = library.path().join("away");
    let project = Project::scripts(1);
    let url = library.path().join(".git");
    project.git([
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        url.to_str().unwrap(),
        "sub",
    ]);
    let project = project.commit("with a submodule");
    // The user has it nowhere either.
    fs::remove_dir_all(project.path().join(".git/modules")).unwrap();
    fs::rename(&url, &away).unwrap();
    let offline = project.tacho("track ..HEAD");
    assert!(offline.stderr.contains("1 of 2 builds failed"), "{}", offline.stderr);
    let hint = "hint: what could not be fetched is not stored as a failure: the same command \
        tries again\n";
    assert!(offline.stderr.contains(hint), "{}", offline.stderr);
    fs::rename(&away, &url).unwrap();
    project.tacho("track ..HEAD").succeeds();
    assert_eq!(project.validity("HEAD"), [true; 4]);
}

#[test]
fn a_partial_clone_whose_remote_is_away_says_nothing_of_the_revision() {
    let origin = Project::scripts(3);
    let away = origin.path().join("away");
    let url = origin.path().join(".git");
    origin.git(["config", "uploadpack.allowFilter", "true"]);
    let project = Project::empty();
    let from = format!("file://{}", url.display());
    project.git(["clone", "--quiet", "--filter=blob:none", &from, "."]);
    let project = project.plan(SCRIPT_PLAN);
    fs::rename(&url, &away).unwrap();
    let offline = project.tacho("track ..HEAD");
    assert!(offline.stderr.contains("2 of 3 builds failed"), "{}", offline.stderr);
    fs::rename(&away, &url).unwrap();
    project.tacho("track ..HEAD").succeeds();
    assert_eq!(project.validity("HEAD~2"), [true; 4]);
}

/// `tacho` without the right to write here: as another user where these tests are executed by root.
fn reader(project: &Project, arguments: &str) -> Answer {
    let mut command = project.command(arguments.split_whitespace());
    // SAFETY: only asks who we are.
    if unsafe { libc::geteuid() } == 0 {
        command.uid(65534).gid(65534).env("HOME", "/nonexistent").env("GIT_CONFIG_COUNT", "1");
        command.env("GIT_CONFIG_KEY_0", "safe.directory").env("GIT_CONFIG_VALUE_0", "*");
    }
    Answer::of(&command.output().unwrap())
}

#[test]
fn a_store_is_read_without_the_right_to_write() {
    let project = Project::scripts(3);
    project.tacho("track ..HEAD").exits(0);
    // Whether the host made a change of three revisions is of no matter here.
    let own = ["log", "show HEAD --json", "changes"].map(|command| project.tacho(command).stdout);
    done(Command::new("chmod").args(["-R", "a=rX"]).arg(project.path()));
    let others =
        ["log", "show HEAD --json", "changes"].map(|command| reader(&project, command).stdout);
    assert_eq!(own, others);
    let pages = tempfile::tempdir().unwrap();
    fs::set_permissions(pages.path(), fs::Permissions::from_mode(0o777)).unwrap();
    reader(&project, &format!("site {}", pages.path().join("pages").display())).succeeds();
    assert!(pages.path().join("pages/index.html").exists());
    let refused = reader(&project, "changes set any expected").exits(2);
    assert!(refused.stderr.contains("cannot be written"), "{}", refused.stderr);
    done(Command::new("chmod").args(["-R", "u+w"]).arg(project.path()));
}

#[test]
fn a_store_is_verified() {
    let project = Project::scripts(2);
    project.tacho("track ..HEAD").succeeds();
    let whole = project.tacho("fsck").succeeds().stdout;
    assert!(
        whole.starts_with("8 samples and ") && whole.ends_with(" are intact; nothing is damaged\n"),
        "{whole}"
    );
    let database = project.path().join(".tacho/tacho.db");
    let mut bytes = fs::read(&database).unwrap();
    let length = bytes.len();
    bytes[length - 8192..].fill(0xff);
    fs::write(&database, bytes).unwrap();
    let damaged = project.tacho("fsck").exits(2);
    assert!(damaged.stdout.ends_with(" damaged or missing\n"), "{}", damaged.stdout);
    fs::write(&database, "no database\n".repeat(100)).unwrap();
    let place = database.display();
    for command in ["fsck", "fsck --copy-whole saved"] {
        assert_eq!(
            project.tacho(command).exits(2).stderr,
            format!(
                "error: `{place}` is not a database: nothing in it can be read\nhint: move it away \
                 and restore a backup, or measure again with `tacho track`\n"
            )
        );
    }
}

#[test]
fn where_no_build_succeeded_show_says_so() {
    let plan = SCRIPT_PLAN.replace("artifacts", "build = \"false\"\nartifacts");
    let project = Project::scripts(2).plan(&plan);
    project.tacho("track").exits(2);
    let [old, new] = ["HEAD~1", "HEAD"].map(|it| project.git(["rev-parse", it])[..10].to_owned());
    let shown = project.tacho("show").succeeds().stdout;
    let expected = format!(
        "nothing is measured: 2 revisions could not be built: {old}, {new}\n  `tacho show {new} \
         --build-log` shows the build log\n"
    );
    assert_eq!(shown, expected);
}
