//! What is still to be done, for all threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Package;

/// A file of a package, by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub package: usize,
    pub file: usize,
}

/// All tasks, of which threads take the next ones.
#[derive(Debug)]
pub(super) struct TaskQueue {
    tasks: Vec<Task>,
    next: AtomicUsize,
}

impl TaskQueue {
    /// All files of all packages, in their order.
    pub fn new(packages: &[Package]) -> Self {
        let of = |(package, content): (usize, &Package)| {
            (0..content.files.len()).map(move |file| Task { package, file })
        };
        Self {
            tasks: packages.iter().enumerate().flat_map(of).collect(),
            next: AtomicUsize::new(0),
        }
    }

    /// The next tasks, at most `most`; none at the end.
    pub fn take(&self, most: usize) -> &[Task] {
        let start = self.next.fetch_add(most, Ordering::Relaxed).min(self.tasks.len());
        &self.tasks[start..(start + most).min(self.tasks.len())]
    }
}
