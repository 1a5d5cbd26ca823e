//! Verifying files on several processors, in several ways.

mod external;
mod in_process;
mod queue;
mod single;

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::database::InstalledPackages;
use crate::{Discrepancy, Fault, ListedFile, Package, RootFolder, VerifyError};
use queue::{Task, TaskQueue};
use single::Examiner;

/// How checksums are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By `md5sum` or `sha256sum`, which get so many files at once. 1 is a process for each file.
    Batch(usize),
    /// Here, of several files at once on each processor.
    InProcess,
}

/// What a checksum program gets in the place of a symlink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// `/dev/null`, whose sum is never the recorded one, so that the symlink is examined singly.
    DevNull,
    /// The symlink, so that the file that it points to is read in vain.
    Follow,
}

/// How to verify.
#[derive(Clone, Copy, Debug)]
pub struct VerifyOptions {
    /// How checksums are computed.
    pub way: Way,
    /// What a checksum program gets for a symlink.
    pub links: Links,
    /// Threads at work.
    pub jobs: usize,
    /// Whether a symlink that leads nowhere is reported although it is as recorded.
    pub reports_dead_links: bool,
}

/// What happens during a verification, in the order of packages.
#[derive(Debug)]
pub enum Notice {
    /// A file is not as recorded.
    Found(Discrepancy),
    /// All paths of the package with this index are verified.
    Verified(usize),
}

/// What a thread found out of some files.
type Verdicts = Vec<(Task, Option<Fault>)>;

/// What all threads share.
struct Shared<'a> {
    packages: &'a [Package],
    examiner: Examiner<'a>,
    queue: TaskQueue,
    options: VerifyOptions,
}

impl<'a> Shared<'a> {
    fn file(&self, task: Task) -> &'a ListedFile {
        &self.packages[task.package].files[task.file]
    }

    fn examine(&self, task: Task) -> (Task, Option<Fault>) {
        (task, self.examiner.examine(self.file(task)))
    }
}

/// Verifies all files of the packages and reports to `notify`, package by package. Returns the
/// number of paths.
pub fn verify(
    installed: &InstalledPackages,
    root: &RootFolder,
    options: VerifyOptions,
    mut notify: impl FnMut(Notice),
) -> Result<usize, VerifyError> {
    let packages = installed.packages.as_slice();
    let examiner = Examiner::new(root, &installed.left_out, options.reports_dead_links);
    let shared = Shared { packages, examiner, queue: TaskQueue::new(packages), options };
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs.max(1))
            .map(|_| {
                let (shared, sender) = (&shared, sender.clone());
                scope.spawn(move || work(shared, &sender))
            })
            .collect();
        drop(sender);
        let paths = report(packages, &receiver, &mut notify);
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(paths)
    })
}

fn work(shared: &Shared, sender: &Sender<Verdicts>) -> Result<(), VerifyError> {
    match shared.options.way {
        Way::Batch(size) => external::work(shared, size.max(1), sender),
        Way::InProcess => {
            in_process::work(shared, sender);
            Ok(())
        }
    }
}

/// Puts what the threads found in the order of packages and paths. Returns the number of paths.
fn report(
    packages: &[Package],
    verdicts: &Receiver<Verdicts>,
    notify: &mut impl FnMut(Notice),
) -> usize {
    let mut paths = 0;
    let mut left: Vec<usize> = packages.iter().map(|package| package.files.len()).collect();
    let mut found: Vec<Vec<Discrepancy>> = vec![Vec::new(); packages.len()];
    let mut next = 0;
    let mut finish = |left: &[usize], found: &mut [Vec<Discrepancy>]| {
        while left.get(next) == Some(&0) {
            found[next].sort_by(|a, b| a.path.cmp(&b.path));
            found[next].drain(..).map(Notice::Found).for_each(&mut *notify);
            notify(Notice::Verified(next));
            next += 1;
        }
    };
    finish(&left, &mut found);
    for (task, fault) in verdicts.iter().flatten() {
        paths += 1;
        left[task.package] -= 1;
        let file = &packages[task.package].files[task.file];
        found[task.package].extend(fault.map(|fault| Discrepancy {
            package: task.package,
            path: file.path.clone(),
            is_conffile: file.is_conffile,
            fault,
        }));
        finish(&left, &mut found);
    }
    paths
}
