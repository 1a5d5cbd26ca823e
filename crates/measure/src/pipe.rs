//! Named pipes, where files are wanted.

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Checks that a path can be opened without waiting for a process at its other end: an error for a
/// named pipe, also by another name (`/dev/fd/63`). A missing path is no error.
pub fn check_no_pipe(path: &Path) -> io::Result<()> {
    match path.metadata() {
        Ok(data) if data.file_type().is_fifo() => Err(io::Error::other("it is a named pipe")),
        _ => Ok(()),
    }
}
