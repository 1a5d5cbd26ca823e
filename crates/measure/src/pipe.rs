//! Named pipes, where files are wanted.

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Whether that can be opened without waiting for somebody at its other end: an error of a named
/// pipe, and of what is one by another name (`/dev/fd/63`). What is not there is none.
pub fn check_no_pipe(path: &Path) -> io::Result<()> {
    match path.metadata() {
        Ok(data) if data.file_type().is_fifo() => Err(io::Error::other("it is a named pipe")),
        _ => Ok(()),
    }
}
