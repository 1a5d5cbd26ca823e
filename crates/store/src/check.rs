//! Verifying a whole store, and copying what is whole in it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;

use tacho_record::Digest;

use crate::chunk::Decoder;
use crate::database::{Database, DatabaseRow, SqlValue, Sqlite};
use crate::location::{database_file, make_private_folder};
use crate::logs::Logs;
use crate::samples::counted;
use crate::{Location, Store, StoreError};

/// The result of a check of a store.
#[derive(Clone, Debug, Default)]
pub struct StoreCheck {
    /// How many samples can be read.
    pub samples: u64,
    /// How many logs are what their names say.
    pub logs: u64,
    /// The damaged or missing parts.
    pub damage: Vec<Damage>,
}

/// Something in a store that is damaged or missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The part.
    pub what: String,
    /// The fault.
    pub why: String,
    /// How many samples are lost with it, as far as that is known.
    pub samples: u64,
}

/// The place of a chunk in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ChunkPlace {
    run: i64,
    cell: i64,
    round: i64,
    position: i64,
}

const CHUNKS: &str =
    "SELECT c.run, c.cell, c.round, c.position, c.valid, c.failed, c.samples, b.name, r.id
    FROM chunk c LEFT JOIN measurement m ON m.run = c.run AND m.cell = c.cell
    LEFT JOIN benchmark b ON b.number = m.benchmark LEFT JOIN revision r ON r.number = m.revision
    ORDER BY c.run, c.cell, c.round, c.position";

impl Store {
    /// Reads everything that is stored and verifies all that has a checksum.
    pub fn check(&mut self) -> Result<StoreCheck, StoreError> {
        let mut check = StoreCheck::default();
        let structure = self.database.quick_check()?;
        check.damage.extend(structure.into_iter().map(|why| Damage {
            what: self.database.place().to_owned(),
            why,
            samples: 0,
        }));
        check_chunks(&mut *self.database, &mut check)?;
        self.check_logs(&mut check)?;
        Ok(check)
    }

    /// Writes a new store with all that is whole in this one, logs included; the folder must not
    /// hold a store yet.
    ///
    /// The database gets its name last, whole and synced: what an interrupted copy leaves is no
    /// store, and the same copy can be made again.
    pub fn copy_whole(&mut self, folder: &Path) -> Result<(), StoreError> {
        let target = database_file(folder);
        if target.exists() {
            let why = format!("`{}` exists already", target.display());
            return Err(StoreError::Unkeepable { what: "the copy".to_owned(), why });
        }
        make_private_folder(folder)?;
        let failed = |source| StoreError::of_file(folder, source);
        let unfinished =
            tempfile::Builder::new().prefix(".unfinished-").tempdir_in(folder).map_err(failed)?;
        drop(Self::open(&Location::Folder(unfinished.path().to_owned()))?);
        let database = database_file(unfinished.path());
        self.database.copy_into(&database, "chunk", &mut |row| is_whole(row))?;
        Sqlite::make_one_file(&database)?;
        let mut logs = Logs::new(folder.join("logs"));
        for digest in self.logs.all()? {
            if let Ok(content) = self.logs.get(digest) {
                logs.put(&content[..])?;
            }
        }
        fs::rename(&database, &target).map_err(failed)?;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|source| {
            // A copy that may not be on the disk must not prevent the next attempt.
            let _ = fs::remove_file(&target);
            failed(source)
        })
    }

    fn check_logs(&mut self, check: &mut StoreCheck) -> Result<(), StoreError> {
        let named = self.named_logs()?;
        let mut all: BTreeSet<Digest> = self.logs.all()?.into_iter().collect();
        all.extend(&named);
        for digest in all {
            match self.logs.get(digest) {
                Ok(_) => check.logs += 1,
                // A power cut empties outputs of the round that it loses.
                Err(_) if !named.contains(&digest) && self.logs.is_empty(digest) => {}
                Err(error) => {
                    let what = format!("the log {}", digest.short());
                    check.damage.push(Damage { what, why: error.to_string(), samples: 0 });
                }
            }
        }
        Ok(())
    }

    /// The logs of builds and the outputs of executions that must be here.
    fn named_logs(&mut self) -> Result<BTreeSet<Digest>, StoreError> {
        // On a shared store logs may be on another machine.
        if self.database.is_shared() {
            return Ok(BTreeSet::new());
        }
        let sql = "SELECT log FROM build WHERE log IS NOT NULL UNION SELECT digest FROM output";
        Ok(self.database.all(sql, &[], |row| row.digest(0))?.into_iter().collect())
    }
}

/// Decodes all chunks. A page that cannot be read ends the check: the pages after it are unknown.
fn check_chunks(database: &mut dyn Database, check: &mut StoreCheck) -> Result<(), StoreError> {
    let mut decoder = Decoder::default();
    let read = database.query(CHUNKS, &[], &mut |row| {
        let stored = u64::try_from(row.integer(4)? + row.integer(5)?).unwrap_or_default();
        let place = ChunkPlace {
            run: row.integer(0)?,
            cell: row.integer(1)?,
            round: row.integer(2)?,
            position: row.integer(3)?,
        };
        match state(row, place, &mut decoder) {
            Ok(samples) => check.samples += samples,
            Err(why) => {
                check.damage.push(Damage { what: describe(row, place), why, samples: stored });
            }
        }
        Ok(())
    });
    match read {
        Err(StoreError::Corrupt { place, why }) => {
            check.damage.push(Damage {
                what: format!("the samples in `{place}`"),
                why,
                samples: 0,
            });
            Ok(())
        }
        read => read,
    }
}

/// How many samples a chunk has, or what is wrong with it.
fn state(row: &dyn DatabaseRow, place: ChunkPlace, decoder: &mut Decoder) -> Result<u64, String> {
    let bytes = row.bytes(6).map_err(|error| error.to_string())?;
    let chunk = decoder.decode(bytes).map_err(|error| error.to_string())?;
    let first =
        chunk.places.first().map(|first| (i64::from(first.round), i64::from(first.position)));
    if first != Some((place.round, place.position)) {
        return Err("its first sample is of another round than the table says".to_owned());
    }
    let counts = [row.integer(4), row.integer(5)].map(Result::ok);
    // Samples of a disturbed round are counted when the round is marked.
    if counts != counted(chunk).map(Some) {
        return Err("it holds other numbers of samples than the table says".to_owned());
    }
    Ok(chunk.len() as u64)
}

/// Whether a row of the table of chunks, in the order of its columns, can be read.
fn is_whole(row: &dyn DatabaseRow) -> bool {
    let number = |column| row.integer(column).ok();
    let (Some(run), Some(cell), Some(round), Some(position)) =
        (number(0), number(1), number(2), number(3))
    else {
        return false;
    };
    state(row, ChunkPlace { run, cell, round, position }, &mut Decoder::default()).is_ok()
}

fn describe(row: &dyn DatabaseRow, place: ChunkPlace) -> String {
    let ChunkPlace { run, cell, round, .. } = place;
    let name = |column| match row.value(column) {
        Ok(SqlValue::Text(name)) => name.to_owned(),
        _ => "?".to_owned(),
    };
    let revision: String = name(8).chars().take(10).collect();
    format!("samples of `{}` at {revision}, run {run}, cell {cell}, from round {round} on", name(7))
}
