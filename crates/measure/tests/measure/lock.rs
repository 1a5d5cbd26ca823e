//! The host's lock between processes.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tacho_measure::{
    Capture, Executor, LockWait, MeasureError, OutputRequest, ProcessExecutor, lock_host,
};

use super::subject::beside;
use super::{content, script, until};

#[test]
fn it_says_who_holds_it_and_goes_with_a_killed_holder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lock");
    let mut holder = beside("lock holder", &file).spawn().unwrap();
    until("the lock", || content(&file).ends_with("measuring proj\n"));

    let error = lock_host(&file, "other", LockWait::No).unwrap_err();
    let words = error.to_string();
    assert!(words.starts_with(&format!("another tacho (pid {}, since ", holder.id())), "{words}");
    assert!(words.ends_with(", in `proj`) is measuring on this host"), "{words}");
    assert_eq!(error.hint(), Some("`--wait` waits until it has ended"));

    let raised = AtomicBool::new(true);
    let error = lock_host(&file, "other", LockWait::Unless(&raised)).unwrap_err();
    assert!(matches!(error, MeasureError::Interrupted));

    holder.kill().unwrap();
    holder.wait().unwrap();
    lock_host(&file, "other", LockWait::No).unwrap();
}

#[test]
fn whoever_waits_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lock");
    let mut holder = beside("lock holder", &file).spawn().unwrap();
    until("the lock", || content(&file).ends_with("measuring proj\n"));
    fs::write(file.with_extension("enough"), "yes").unwrap();
    let lock = lock_host(&file, "mine", LockWait::Unless(&AtomicBool::new(false))).unwrap();
    assert!(content(&file).ends_with("measuring mine\n"));
    drop(lock);
    assert_eq!(content(&file), "");
    assert!(holder.wait().unwrap().success());
}

#[test]
fn a_subject_never_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lock");
    let _lock = lock_host(&file, "mine", LockWait::No).unwrap();
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let mut request = script("for file in /proc/$$/fd/*; do readlink $file; done");
    request.stdout = Capture::Read(OutputRequest::search(file.to_str().unwrap()));
    assert_eq!(executor.execute(&request).stdout.unwrap().found, Some(false));
}
