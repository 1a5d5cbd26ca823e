//! Files that stay open and are read again and again: opening one takes longer than reading it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::host::files::HostFiles;

/// More than any of these files is, except on a machine that we want nothing of.
const MOST: usize = 1 << 22;

/// A small file of `/proc` or `/sys` that is open.
#[derive(Debug)]
pub struct HeldReadings(File);

impl HeldReadings {
    /// The file, if it can be opened and read; else why not.
    pub fn open(files: &HostFiles, path: &str) -> Result<Self, String> {
        let held = Self(files.open(path)?);
        held.read(&mut Vec::new()).map_err(|error| match error {
            // A kernel that keeps no account of pressure gives this error.
            Some(error) => format!("not available here: {path} cannot be read: {error}"),
            None => format!("not available here: {path} is too long"),
        })?;
        Ok(held)
    }

    /// Its present content, in `buffer`, which grows if it is too small; or the system's error.
    ///
    /// All of it in one call: the kernel makes up the whole file for each.
    pub fn read<'a>(&self, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], Option<io::Error>> {
        loop {
            let length = self.0.read_at(buffer, 0)?;
            if length < buffer.len() {
                return Ok(&buffer[..length]);
            }
            if buffer.len() >= MOST {
                return Err(None);
            }
            buffer.resize((2 * buffer.len()).max(4096), 0);
        }
    }

    /// The function's result for the present content; `None` if it cannot be read.
    pub fn ask<T>(
        &self,
        buffer: &mut Vec<u8>,
        understand: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Option<T> {
        understand(self.read(buffer).ok()?)
    }
}

/// The number that the text begins with.
pub fn number(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

/// The number of the only line.
pub fn only_number(text: &[u8]) -> Option<u64> {
    number(text.trim_ascii()).filter(|_| text.trim_ascii().iter().all(u8::is_ascii_digit))
}
