//! Logs of a store.

use std::fs::File;
use std::path::Path;

use tacho_record::Digest;

use crate::{Store, StoreError};

impl Store {
    /// Keeps a log, and names it by the digest of its content.
    pub fn put_log(&mut self, content: &[u8]) -> Result<Digest, StoreError> {
        self.logs.put(content)
    }

    /// Keeps the content of a file as a log, piece by piece, however large it is.
    pub fn put_log_file(&mut self, path: &Path) -> Result<Digest, StoreError> {
        let file = File::open(path)
            .map_err(|source| StoreError::File { path: path.to_owned(), source })?;
        self.logs.put(file)
    }

    /// The content of that log.
    pub fn log(&self, digest: Digest) -> Result<Vec<u8>, StoreError> {
        self.logs.get(digest)
    }
}
