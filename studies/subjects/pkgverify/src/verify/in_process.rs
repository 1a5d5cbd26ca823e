//! Hashing here: no process is started, and several files are hashed at once.

use std::fs::File;
use std::sync::mpsc::Sender;

use super::queue::Task;
use super::{Shared, Verdicts};
use crate::lanes::LaneHasher;
use crate::{Checksum, Requirement};

/// So many verdicts are sent at once.
const SENT: usize = 64;

/// Takes tasks until there are no more.
pub(super) fn work(shared: &Shared, sender: &Sender<Verdicts>) {
    let mut worker = Hashing { shared, lanes: LaneHasher::new(), verdicts: Vec::new() };
    loop {
        worker.fill();
        let is_done = worker.lanes.is_empty();
        worker.step();
        // Nobody listens any more if the verification was ended.
        let is_full = is_done || worker.verdicts.len() >= SENT;
        if is_full && sender.send(std::mem::take(&mut worker.verdicts)).is_err() || is_done {
            return;
        }
    }
}

struct Hashing<'a, 'b> {
    shared: &'a Shared<'b>,
    lanes: LaneHasher<Task, File>,
    verdicts: Verdicts,
}

impl Hashing<'_, '_> {
    /// Gives each free lane a file. What needs no MD5 is verified at once.
    fn fill(&mut self) {
        while self.lanes.has_room() {
            let [task] = *self.shared.queue.take(1) else { return };
            let file = self.shared.file(task);
            let is_md5 = matches!(file.requirement, Requirement::Content(Checksum::Md5(_)));
            match is_md5.then(|| self.shared.examiner.open_regular(&file.path)).flatten() {
                Some(open) => self.lanes.add(task, open),
                None => self.verdicts.push(self.shared.examine(task)),
            }
        }
    }

    /// Hashes on. What does not match is examined singly, which finds the reason.
    fn step(&mut self) {
        let (shared, verdicts) = (self.shared, &mut self.verdicts);
        self.lanes.step(|task, sum| {
            let is_right = match (&shared.file(task).requirement, sum) {
                (Requirement::Content(Checksum::Md5(expected)), Ok(sum)) => *expected == sum,
                _ => false,
            };
            verdicts.push(if is_right { (task, None) } else { shared.examine(task) });
        });
    }
}
