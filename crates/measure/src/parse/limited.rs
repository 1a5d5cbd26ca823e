//! Files of other tools, read up to a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest file of numbers that is read, in bytes. Its numbers take several times as much
/// memory.
const LARGEST: u64 = 1 << 30;

/// All bytes of a file.
///
/// # Errors
///
/// The errors of reading; [`io::ErrorKind::FileTooLarge`] above 1 GiB.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?)
}

/// All that comes, as of a pipe.
///
/// # Errors
///
/// The errors of reading; [`io::ErrorKind::FileTooLarge`] above 1 GiB.
pub fn read_all(input: impl Read) -> io::Result<Vec<u8>> {
    up_to(input, LARGEST)
}

fn up_to(input: impl Read, largest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        let why =
            format!("it is larger than {} MiB; split it, or export fewer values", largest >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_than_the_limit_is_refused() {
        let mega = 1 << 20;
        assert_eq!(up_to(io::repeat(7).take(mega), mega).unwrap().len(), 1 << 20);
        let error = up_to(io::repeat(7), mega).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().starts_with("it is larger than 1 MiB"), "{error}");
    }
}
