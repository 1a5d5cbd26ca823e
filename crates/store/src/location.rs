//! The location of a store, and opening it.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::database::{self, Database, MIGRATIONS, PATIENCE, Postgres, Sqlite};
use crate::logs::{Logs, make_folder};
use crate::metrics::MetricNumbers;
use crate::{Store, StoreError};

/// The location of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A folder, usually `.tacho`: the database `tacho.db` and the logs under `logs`.
    Folder(PathBuf),
    /// Nowhere: what is kept is gone with the store. Logs and outputs have no place in it.
    Memory,
    /// A PostgreSQL server's database for all but the logs, which are in a local folder, usually
    /// `.tacho/logs`.
    ///
    /// The driver blocks, and may not be used where a tokio runtime is driven on the same thread.
    Postgres {
        /// As libpq takes it: `postgresql://user@host/database` or `host=… dbname=…`.
        url: String,
        /// The folder of the logs.
        logs: PathBuf,
    },
}

impl Store {
    /// Opens the store, making what is missing and bringing an older schema up to date.
    pub fn open(location: &Location) -> Result<Self, StoreError> {
        if let Location::Folder(folder) = location {
            has_content(folder)?;
        }
        if let Location::Folder(own) | Location::Postgres { logs: own, .. } = location {
            make_private_folder(own)?;
        }
        let mut store = Self::connect(location)?;
        database::migrate(&mut *store.database, MIGRATIONS)?;
        Ok(store)
    }

    /// Opens an existing store; [`StoreError::NoStore`] if there is none.
    pub fn open_existing(location: &Location) -> Result<Self, StoreError> {
        if let Location::Folder(folder) = location
            && !has_content(folder)?
        {
            return Err(StoreError::NoStore { place: database_file(folder).display().to_string() });
        }
        let mut store = Self::connect(location)?;
        database::ensure(&mut *store.database)?;
        database::migrate(&mut *store.database, MIGRATIONS)?;
        Ok(store)
    }

    /// Opens a store that must be there already, to read it: one that may not be written too.
    ///
    /// For such a store a copy is opened. Data written there is lost with the copy, but reads as if
    /// it had been kept.
    pub fn open_to_read(location: &Location) -> Result<Self, StoreError> {
        match (Self::open_existing(location), location) {
            (Err(StoreError::NotWritable { .. }), Location::Folder(folder)) => {
                let database = Box::new(Sqlite::open_copy(&database_file(folder))?);
                let logs = Logs::new(folder.join("logs"));
                let mut store =
                    Self { database, logs, metrics: MetricNumbers::default(), outlives_us: false };
                database::ensure(&mut *store.database)?;
                database::migrate(&mut *store.database, MIGRATIONS)?;
                Ok(store)
            }
            (opened, _) => opened,
        }
    }

    fn connect(location: &Location) -> Result<Self, StoreError> {
        let (database, logs): (Box<dyn Database>, _) = match location {
            Location::Folder(folder) => {
                (Box::new(Sqlite::open(&database_file(folder), PATIENCE)?), folder.join("logs"))
            }
            // A file below what is no folder cannot be made: an attempt reports it.
            Location::Memory => (Box::new(Sqlite::in_memory()?), PathBuf::from("/dev/null/logs")),
            Location::Postgres { url, logs } => (Box::new(Postgres::open(url)?), logs.clone()),
        };
        let outlives_us = *location != Location::Memory;
        Ok(Self { database, logs: Logs::new(logs), metrics: MetricNumbers::default(), outlives_us })
    }

    /// Whether others can read it after this process ends. A store in memory gains nothing from
    /// writing at once.
    #[must_use]
    pub fn outlives_us(&self) -> bool {
        self.outlives_us
    }
}

/// Whether the database of that folder exists, and is not what a kill left of making one.
///
/// An empty file with logs beside it was a whole store: opening it would begin a new one.
fn has_content(folder: &Path) -> Result<bool, StoreError> {
    let file = database_file(folder);
    let size = |path: &Path| fs::metadata(path).ok().map(|it| it.len());
    if size(&file) != Some(0) {
        return Ok(file.exists());
    }
    let ahead = size(&folder.join("tacho.db-wal")).unwrap_or(0);
    let has_logs = fs::read_dir(folder.join("logs")).is_ok_and(|mut logs| logs.next().is_some());
    if ahead > 0 || has_logs {
        return Err(StoreError::Emptied { place: file.display().to_string() });
    }
    Ok(false)
}

pub(crate) fn database_file(folder: &Path) -> PathBuf {
    folder.join("tacho.db")
}

/// Makes the folder with a `.gitignore` that keeps all of it out of the subject's own repository.
pub(crate) fn make_private_folder(folder: &Path) -> Result<(), StoreError> {
    make_folder(folder)?;
    let ignore = folder.join(".gitignore");
    // An empty file is the rest of ours after a kill or with a full disk.
    if fs::metadata(&ignore).is_ok_and(|file| file.len() > 0) {
        return Ok(());
    }
    let written = File::create(&ignore).and_then(|mut file| {
        file.write_all(b"*\n")?;
        file.sync_all()
    });
    written.map_err(|source| StoreError::of_file(&ignore, source))
}
