//! The history that `studies/S4/make-history.sh` makes.
#![allow(clippy::unwrap_used)] // helpers of tests stand outside of test functions

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn make_history(folder: &Path) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../S4/make-history.sh");
    Command::new(script).arg(folder).output().unwrap()
}

fn output(folder: &Path, words: &[&str]) -> String {
    let output = Command::new(words[0]).args(&words[1..]).current_dir(folder).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn history() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history");
    assert!(make_history(&history).status.success());
    (folder, history)
}

#[test]
fn the_history_is_the_same_each_time_and_overwrites_nothing() {
    let ((_one, first), (_other, second)) = (history(), history());
    let head = |folder: &Path| output(folder, &["git", "rev-parse", "HEAD"]);
    assert_eq!(head(&first), head(&second));
    let refused = make_history(&first);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).ends_with("exists already\n"));
}

#[test]
fn the_innocent_commit_and_its_parent_pass_the_test_case() {
    let (_folder, history) = history();
    let innocent = output(&history, &["git", "log", "--format=%H", "--grep", "busy-wait"]);
    assert_eq!(
        output(&history, &["git", "show", "--format=", "--name-only", &innocent]),
        "server.c"
    );
    for revision in [format!("{innocent}^"), innocent] {
        output(&history, &["git", "checkout", "--quiet", &revision]);
        output(&history, &["make", "--silent"]);
        output(&history, &["./testcase"]);
    }
}
