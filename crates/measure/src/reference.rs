//! The programs of the reference: carried by the library, executed from memory, known by the digest
//! of their code.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

use tacho_record::{Digest, ReferenceProgram};

use crate::process::in_memory;
use crate::{MeasureError, Request};

/// `reference/reference.c`, compiled.
const PROGRAM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/reference"));
/// A program that takes longer is broken: they take 50 ms.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The programs of the reference, ready to be executed.
#[derive(Debug)]
pub struct ReferenceFile(File);

impl ReferenceFile {
    /// The digest of the programs: of the same digest they are the same for ever.
    #[must_use]
    pub fn digest() -> Digest {
        Digest::of(PROGRAM)
    }

    /// Puts them into memory.
    ///
    /// # Errors
    ///
    /// [`MeasureError::Instrument`] where that cannot be done.
    pub fn new() -> Result<Self, MeasureError> {
        in_memory("tacho-reference", PROGRAM)
            .map(Self)
            .map_err(|source| MeasureError::Instrument { why: source.to_string() })
    }

    /// How one of them is executed, in a folder whose file system it reads from.
    #[must_use]
    pub fn request(&self, program: ReferenceProgram, folder: &Path) -> Request {
        let file = format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd());
        let letter = match program {
            ReferenceProgram::Integers => "i",
            ReferenceProgram::Bandwidth => "b",
            ReferenceProgram::Latency => "l",
            ReferenceProgram::Branches => "r",
            ReferenceProgram::System => "s",
            ReferenceProgram::Files => "f",
        };
        Request {
            directory: folder.to_owned(),
            timeout: TIMEOUT,
            ..Request::new([file.as_str(), letter])
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::{ExecutionEnd, Executor, ProcessExecutor};

    #[test]
    fn each_program_ends_well_on_the_real_machine() {
        let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
        let file = ReferenceFile::new().unwrap();
        for program in ReferenceProgram::ALL {
            let execution = executor.execute(&file.request(program, &std::env::temp_dir()));
            assert_eq!(execution.ended, ExecutionEnd::Exited(0), "{program}");
            assert!(execution.usage.user + execution.usage.sys > Duration::from_millis(2));
            assert_eq!(execution.left_behind, 0, "{program}");
        }
    }

    /// A change of the sources begins new series on all machines: that is to be meant.
    #[test]
    fn the_source_is_what_it_was() {
        let source = include_bytes!("../reference/reference.c");
        assert_eq!(Digest::of(source).short(), "6d21c8aac509");
    }
}
