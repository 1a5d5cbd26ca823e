//! Handing files to a checksum program, one process for each batch.
//!
//! What the program says is compared with the database; a file whose sum is another, or that is
//! left out, is examined singly, which finds the reason.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;

use super::queue::Task;
use super::{Links, Shared, Verdicts};
use crate::checksum::from_hex;
use crate::{Checksum, ListedFile, Requirement, VerifyError};

/// The system takes about 2 MiB of arguments; a pointer to each belongs to them.
const MOST_BYTES: usize = 1 << 20;

/// Tasks that a thread takes at once, to fill its batches.
const MOST_TAKEN: usize = 64;

/// Takes tasks until there are no more. Each program gets `size` files, the last one the rest.
pub(super) fn work(
    shared: &Shared,
    size: usize,
    sender: &Sender<Verdicts>,
) -> Result<(), VerifyError> {
    let mut batches = [ChecksumBatch::new("md5sum", size), ChecksumBatch::new("sha256sum", size)];
    loop {
        let tasks = shared.queue.take(size.min(MOST_TAKEN));
        let mut verdicts = Vec::with_capacity(tasks.len());
        for &task in tasks {
            match checksum(shared.file(task)) {
                Some(Checksum::Md5(_)) => batches[0].add(shared, task, &mut verdicts)?,
                Some(Checksum::Sha256(_)) => batches[1].add(shared, task, &mut verdicts)?,
                Some(Checksum::Unsupported(_)) | None => verdicts.push(shared.examine(task)),
            }
        }
        if tasks.is_empty() {
            for batch in &mut batches {
                batch.execute(shared, &mut verdicts)?;
            }
        }
        // Nobody listens any more if the verification was ended.
        if sender.send(verdicts).is_err() || tasks.is_empty() {
            return Ok(());
        }
    }
}

fn checksum(file: &ListedFile) -> Option<&Checksum> {
    match &file.requirement {
        Requirement::Content(sum) | Requirement::ContentOrTarget(sum) => Some(sum),
        Requirement::Exists | Requirement::Target(_) => None,
    }
}

/// The path that the program gets: `/dev/null` for what it could not or should not read.
fn given(shared: &Shared, task: Task) -> PathBuf {
    let null = || PathBuf::from("/dev/null");
    let file = shared.file(task);
    let follows = matches!(file.requirement, Requirement::Content(_))
        || shared.options.links == Links::Follow;
    let Ok(path) = shared.examiner.root().locate(&file.path, follows) else { return null() };
    // A named pipe would keep the program waiting for ever. What is missing fails fast enough by
    // itself.
    let kind = if follows { path.metadata() } else { path.symlink_metadata() };
    if kind.is_ok_and(|kind| !kind.is_file()) { null() } else { path }
}

/// Files for one process.
struct ChecksumBatch {
    program: &'static str,
    size: usize,
    files: Vec<(Task, PathBuf)>,
    bytes: usize,
}

impl ChecksumBatch {
    fn new(program: &'static str, size: usize) -> Self {
        Self { program, size, files: Vec::new(), bytes: 0 }
    }

    /// Adds a file. A full batch is executed.
    fn add(
        &mut self,
        shared: &Shared,
        task: Task,
        verdicts: &mut Verdicts,
    ) -> Result<(), VerifyError> {
        let path = given(shared, task);
        let bytes = path.as_os_str().len();
        if self.bytes + bytes > MOST_BYTES {
            self.execute(shared, verdicts)?;
        }
        self.bytes += bytes;
        self.files.push((task, path));
        if self.files.len() == self.size { self.execute(shared, verdicts) } else { Ok(()) }
    }

    /// Has the files summed and empties the batch.
    fn execute(&mut self, shared: &Shared, verdicts: &mut Verdicts) -> Result<(), VerifyError> {
        let files = std::mem::take(&mut self.files);
        self.bytes = 0;
        if files.is_empty() {
            return Ok(());
        }
        // Names between NUL bytes are not escaped. Files that cannot be read are left out.
        let output = Command::new(self.program)
            .args(["--zero", "--"])
            .args(files.iter().map(|(_, path)| path))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .map_err(|source| VerifyError::ChecksumProgram { program: self.program, source })?;
        let mut lines = output.stdout.split(|&byte| byte == 0).filter_map(summed).peekable();
        for (task, path) in files {
            let line = lines.next_if(|(_, name)| *name == path);
            let is_right = line.is_some_and(|(sum, _)| is_sum(shared.file(task), sum));
            verdicts.push(if is_right { (task, None) } else { shared.examine(task) });
        }
        Ok(())
    }
}

/// A line `sum  name`.
fn summed(line: &[u8]) -> Option<(&[u8], &Path)> {
    let space = line.iter().position(|&byte| byte == b' ')?;
    Some((&line[..space], Path::new(OsStr::from_bytes(line.get(space + 2..)?))))
}

fn is_sum(file: &ListedFile, text: &[u8]) -> bool {
    match checksum(file) {
        Some(Checksum::Md5(sum)) => from_hex(text) == Some(*sum),
        Some(Checksum::Sha256(sum)) => from_hex(text) == Some(*sum),
        Some(Checksum::Unsupported(_)) | None => false,
    }
}
