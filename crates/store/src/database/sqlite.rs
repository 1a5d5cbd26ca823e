//! SQLite: one file, written ahead (WAL), for one user.
//!
//! The promises depend on three settings. `synchronous = NORMAL`: a commit hands its pages to the
//! operating system, which keeps them whatever happens to this process, and does not wait for a
//! disk. `wal_autocheckpoint = 0`: no commit moves pages into the database by itself, which would
//! sync, between two samples of all times. `synchronous = FULL`, around
//! [`TransactionKind::Durable`] and [`TransactionKind::Exclusive`] transactions alone: such a
//! commit syncs the log, and with it every commit before it. A checkpoint would not suffice: an
//! open reader may make it skip the sync silently.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, ffi};
use tempfile::TempDir;

use super::{Database, DatabaseRow, RowCallback, SqlValue, SqlWords, TransactionKind};
use crate::StoreError;

/// How large the write-ahead log may grow before [`Database::tidy`] moves it into the database, in
/// bytes: as much as SQLite itself would let it.
const LOG_BYTES: u64 = 4096 * 1000;

/// How long to wait before trying again where SQLite does not wait for others by itself.
const RETRY: Duration = Duration::from_millis(5);

/// Device and inode of a file.
type FileIdentity = (u64, u64);

/// The file at that path, links followed; `None` if there is no file.
fn identity(path: &Path) -> Option<FileIdentity> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// The file beside a database that SQLite names so.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The number of attempts to copy while another process writes.
const ATTEMPTS: u32 = 10;

/// Copies a database and its write-ahead log, which need not exist, as they were at one moment.
fn copy_unchanged(from: [&Path; 2], to: [&Path; 2]) -> io::Result<()> {
    let state = || {
        from.map(|path| fs::metadata(path).ok().map(|it| (it.len(), it.mtime(), it.mtime_nsec())))
    };
    for _ in 0..ATTEMPTS {
        let before = state();
        fs::copy(from[0], to[0])?;
        match fs::copy(from[1], to[1]) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if state() == before {
            return to.into_iter().filter(|path| path.exists()).try_for_each(make_writable);
        }
        to.into_iter().filter(|path| path.exists()).try_for_each(fs::remove_file)?;
        thread::sleep(RETRY);
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process keeps writing to it"))
}

/// A copy has the permissions of what it was made from.
fn make_writable(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

/// A SQLite database.
pub(crate) struct Sqlite {
    connection: Connection,
    place: String,
    /// The write-ahead log.
    log: PathBuf,
    /// The database's file when it was opened; `None` in memory.
    file: Option<(PathBuf, FileIdentity)>,
    /// The folder of a copy, which goes with it.
    #[expect(dead_code, reason = "held to be removed when this is dropped")]
    folder: Option<TempDir>,
    /// The transaction under way waits for the disk when it is committed.
    durable: bool,
}

impl Sqlite {
    /// Opens the file, creating it if there is none; `patience` is the time limit of waiting for
    /// other processes.
    pub(crate) fn open(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        let place = path.display().to_string();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connect = || {
            let connection = Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(patience)?;
            write_ahead(&connection, patience)?;
            set_up(&connection)?;
            Ok(connection)
        };
        let connection = connect().map_err(|error| match explain(&place, error) {
            StoreError::Corrupt { place, .. } => StoreError::NotADatabase { place },
            error => error,
        })?;
        // SQLite opens a file that may only be read without a word, and refuses the first write.
        if connection.is_readonly("main").unwrap_or(false) {
            let source = io::Error::from(io::ErrorKind::PermissionDenied).into();
            return Err(StoreError::NotWritable { place, source });
        }
        let file = identity(path).map(|identity| (path.to_owned(), identity));
        Ok(Self {
            connection,
            place,
            log: beside(path, "-wal"),
            file,
            folder: None,
            durable: false,
        })
    }

    /// Opens a copy of the file, for a database that may be read and not written; what is written
    /// into the copy goes with it.
    ///
    /// SQLite itself cannot read a database that is written ahead where it may not write beside it.
    pub(crate) fn open_copy(path: &Path) -> Result<Self, StoreError> {
        let failed = |source| StoreError::of_file(path, source);
        let folder = tempfile::Builder::new().prefix("tacho-").tempdir().map_err(failed)?;
        let target = folder.path().join("tacho.db");
        copy_unchanged([path, &beside(path, "-wal")], [&target, &beside(&target, "-wal")])
            .map_err(failed)?;
        let copy = Self::open(&target, Duration::ZERO)?;
        Ok(Self { place: path.display().to_string(), file: None, folder: Some(folder), ..copy })
    }

    /// Has a database that nothing else uses be one file, synced, without a log beside it.
    pub(crate) fn make_one_file(path: &Path) -> Result<(), StoreError> {
        let database = Self::open(path, Duration::ZERO)?;
        let mode =
            database.connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| {
                row.get::<_, String>(0)
            });
        let mode = database.explained(mode)?;
        if mode == "delete" {
            Ok(())
        } else {
            Err(StoreError::Locked { place: database.place.clone(), source: mode.into() })
        }
    }

    /// A database that is gone when it is dropped.
    pub(crate) fn in_memory() -> Result<Self, StoreError> {
        let place = "memory".to_owned();
        let connect = || {
            let connection = Connection::open_in_memory()?;
            set_up(&connection)?;
            Ok(connection)
        };
        let connection = connect().map_err(|error| explain(&place, error))?;
        Ok(Self {
            connection,
            place,
            log: PathBuf::new(),
            file: None,
            folder: None,
            durable: false,
        })
    }

    fn explained<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|error| explain(&self.place, error))
    }

    /// The names of all tables.
    fn tables(&self) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
        let names = |connection: &Connection| -> rusqlite::Result<Vec<String>> {
            connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
        };
        self.explained(names(&self.connection))
    }

    /// Copies the rows of a table as far as they can be read.
    fn copy_table(
        &self,
        target: &Self,
        table: &str,
        is_wanted: &mut dyn FnMut(&dyn DatabaseRow) -> bool,
    ) -> Result<(), StoreError> {
        // The names are those of our own schema.
        let mut read =
            self.explained(self.connection.prepare(&format!("SELECT * FROM {table}")))?;
        let places = vec!["?"; read.column_count()].join(", ");
        let write = format!("INSERT OR REPLACE INTO {table} VALUES ({places})");
        let mut write = target.explained(target.connection.prepare(&write))?;
        let columns = read.column_count();
        let mut rows = self.explained(read.query([]))?;
        // The first page that cannot be read ends a table.
        while let Ok(Some(row)) = rows.next() {
            if is_wanted(&SqliteRow { row, place: &self.place }) {
                let values: rusqlite::Result<Vec<ValueRef>> =
                    (0..columns).map(|it| row.get_ref(it)).collect();
                let values = self.explained(values)?.into_iter().map(ToSqlOutput::Borrowed);
                target.explained(write.execute(rusqlite::params_from_iter(values)))?;
            }
        }
        Ok(())
    }

    /// After a transaction, however it ended: commits wait for no disk again.
    fn relax(&mut self) -> Result<(), StoreError> {
        if std::mem::take(&mut self.durable) {
            self.batch("PRAGMA synchronous = NORMAL")
        } else {
            Ok(())
        }
    }
}

impl Database for Sqlite {
    fn place(&self) -> &str {
        &self.place
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn words(&self) -> SqlWords {
        SqlWords { blob: "BLOB", clustered: "WITHOUT ROWID", number: "INTEGER PRIMARY KEY" }
    }

    fn has_table(&mut self, name: &str) -> Result<bool, StoreError> {
        self.explained(self.connection.table_exists(None, name))
    }

    fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        self.explained(self.connection.execute_batch(sql))
    }

    fn execute(&mut self, sql: &'static str, values: &[SqlValue]) -> Result<u64, StoreError> {
        let connection = &self.connection;
        let written = connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(values)));
        self.explained(written).map(|rows| rows as u64)
    }

    fn query(
        &mut self,
        sql: &'static str,
        values: &[SqlValue],
        each: &mut RowCallback,
    ) -> Result<(), StoreError> {
        let mut statement = self.explained(self.connection.prepare_cached(sql))?;
        let mut rows = self.explained(statement.query(rusqlite::params_from_iter(values)))?;
        while let Some(row) = self.explained(rows.next())? {
            each(&SqliteRow { row, place: &self.place })?;
        }
        Ok(())
    }

    fn begin(&mut self, how: TransactionKind) -> Result<(), StoreError> {
        if matches!(how, TransactionKind::Durable | TransactionKind::Exclusive) {
            self.batch("PRAGMA synchronous = FULL")?;
            self.durable = true;
        }
        // A writer takes its lock at once: one that began by reading could not wait for another.
        self.batch(if how == TransactionKind::Read { "BEGIN" } else { "BEGIN IMMEDIATE" })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.batch("COMMIT")?;
        self.relax()
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        let rolled_back =
            if self.connection.is_autocommit() { Ok(()) } else { self.batch("ROLLBACK") };
        self.relax().and(rolled_back)
    }

    fn check_place(&self) -> Result<(), StoreError> {
        match &self.file {
            Some((path, opened)) if identity(path) != Some(*opened) => {
                Err(StoreError::Replaced { place: self.place.clone() })
            }
            _ => Ok(()),
        }
    }

    fn quick_check(&mut self) -> Result<Vec<String>, StoreError> {
        let lines = |connection: &Connection| -> rusqlite::Result<Vec<String>> {
            let mut statement = connection.prepare("PRAGMA quick_check")?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        let lines = match self.explained(lines(&self.connection)) {
            Err(StoreError::Corrupt { why, .. }) => vec![why],
            lines => lines?,
        };
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    fn copy_into(
        &mut self,
        file: &Path,
        picked: &str,
        is_wanted: &mut dyn FnMut(&dyn DatabaseRow) -> bool,
    ) -> Result<(), StoreError> {
        let target = Self::open(file, Duration::ZERO)?;
        // Rows come table by table, whatever they refer to.
        target.explained(target.connection.execute_batch("PRAGMA foreign_keys = OFF; BEGIN"))?;
        for table in target.tables()? {
            let all = &mut |_: &dyn DatabaseRow| true;
            self.copy_table(&target, &table, if table == picked { &mut *is_wanted } else { all })?;
        }
        target.explained(target.connection.execute_batch("COMMIT"))
    }

    fn tidy(&mut self) -> Result<(), StoreError> {
        if fs::metadata(&self.log).is_ok_and(|log| log.len() > LOG_BYTES) {
            // Passive: what a reader still needs stays in the log until the next time.
            self.batch("PRAGMA wal_checkpoint(PASSIVE)")?;
        }
        Ok(())
    }
}

/// Sets what each new connection needs.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(&format!(
        "PRAGMA journal_size_limit = {LOG_BYTES};
         PRAGMA synchronous = NORMAL;
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA foreign_keys = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA cache_size = -32768;"
    ))
}

/// Has the database written ahead. SQLite does not wait for others at this one step, which is taken
/// once in a database's life, so we do.
fn write_ahead(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        match connection.execute_batch("PRAGMA journal_mode = WAL") {
            Err(error) if is_busy(&error) && begun.elapsed() < patience => thread::sleep(RETRY),
            done => return done,
        }
    }
}

struct SqliteRow<'a> {
    row: &'a rusqlite::Row<'a>,
    place: &'a str,
}

impl DatabaseRow for SqliteRow<'_> {
    fn value(&self, column: usize) -> Result<SqlValue<'_>, StoreError> {
        let this: &dyn DatabaseRow = self;
        match self.row.get_ref(column).map_err(|error| explain(self.place, error))? {
            ValueRef::Null => Ok(SqlValue::Null),
            ValueRef::Integer(value) => Ok(SqlValue::Integer(value)),
            ValueRef::Real(_) => Err(this.corrupt(&format!("column {column} holds a fraction"))),
            ValueRef::Text(text) => str::from_utf8(text).map(SqlValue::Text).map_err(|_| {
                this.corrupt(&format!("column {column} holds text that is not UTF-8"))
            }),
            ValueRef::Blob(bytes) => Ok(SqlValue::Bytes(bytes)),
        }
    }

    fn place(&self) -> &str {
        self.place
    }
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            SqlValue::Null => ValueRef::Null,
            SqlValue::Integer(value) => ValueRef::Integer(*value),
            SqlValue::Text(text) => ValueRef::Text(text.as_bytes()),
            SqlValue::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// Whether another connection holds a lock.
fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// The variant that suits what SQLite said.
fn explain(place: &str, error: rusqlite::Error) -> StoreError {
    let place = place.to_owned();
    let Some(failed) = error.sqlite_error().copied() else {
        return StoreError::Database { place, source: error.into() };
    };
    // Full disks are seen in two ways: a write that fails, and the shared memory file that cannot
    // grow.
    let full =
        failed.code == ErrorCode::DiskFull || failed.extended_code == ffi::SQLITE_IOERR_SHMSIZE;
    match failed.code {
        _ if full => StoreError::DiskFull { place, source: error.into() },
        _ if is_busy(&error) => StoreError::Locked { place, source: error.into() },
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            StoreError::Corrupt { place, why: error.to_string() }
        }
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly => {
            StoreError::NotWritable { place, source: error.into() }
        }
        ErrorCode::ConstraintViolation
            if matches!(
                failed.extended_code,
                ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE
            ) =>
        {
            StoreError::AlreadyStored { what: error.to_string() }
        }
        _ => StoreError::Database { place, source: error.into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that SQLite has for the two.
    const NORMAL: i64 = 1;
    const FULL: i64 = 2;

    #[test]
    fn a_database_that_another_holds_is_called_locked_and_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Sqlite::open(&folder.path().join("x.db"), Duration::ZERO).unwrap();
        let (mut one, mut two) = (open(), open());
        one.batch("CREATE TABLE thing (number BIGINT)").unwrap();
        one.begin(TransactionKind::Write).unwrap();
        one.batch("INSERT INTO thing VALUES (1)").unwrap();
        let error = two.begin(TransactionKind::Durable).unwrap_err();
        assert!(matches!(error, StoreError::Locked { .. }), "{error}");
        assert!(
            error.hint().is_some_and(|hint| hint.ends_with("wait until it is done, or stop it"))
        );
        two.rollback().unwrap();
        let count = |database: &mut dyn Database| {
            database.must("SELECT COUNT(*) FROM thing", &[], |row| row.integer(0)).unwrap()
        };
        assert_eq!(count(&mut open()), 0, "opening and reading wait for nobody");
        one.commit().unwrap();
        assert_eq!(count(&mut two), 1);
    }

    fn level(database: &mut dyn Database) -> i64 {
        database.must("PRAGMA synchronous", &[], |row| row.integer(0)).unwrap()
    }

    #[test]
    fn a_durable_transaction_that_cannot_begin_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Sqlite::open(&folder.path().join("x.db"), Duration::ZERO).unwrap();
        let (mut one, mut two) = (open(), open());
        one.begin(TransactionKind::Write).unwrap();
        let two: &mut dyn Database = &mut two;
        let error = two.transaction(TransactionKind::Durable, |_| Ok(())).unwrap_err();
        assert!(matches!(error, StoreError::Locked { .. }), "{error}");
        assert_eq!(level(two), NORMAL);
    }

    #[test]
    fn only_a_durable_transaction_waits_for_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let mut database = Sqlite::open(&folder.path().join("x.db"), Duration::ZERO).unwrap();
        assert_eq!(level(&mut database), NORMAL);
        let levels = [
            (TransactionKind::Write, NORMAL),
            (TransactionKind::Read, NORMAL),
            (TransactionKind::Durable, FULL),
            (TransactionKind::Exclusive, FULL),
        ];
        for (how, expected) in levels {
            database.begin(how).unwrap();
            assert_eq!(level(&mut database), expected, "{how:?}");
            database.commit().unwrap();
            assert_eq!(level(&mut database), NORMAL, "after {how:?}");
        }
        database.begin(TransactionKind::Durable).unwrap();
        database.rollback().unwrap();
        assert_eq!(level(&mut database), NORMAL);
    }

    #[test]
    fn the_log_is_moved_into_the_database_when_it_is_large() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let mut database = Sqlite::open(&path, Duration::ZERO).unwrap();
        database.batch("CREATE TABLE thing (content BLOB)").unwrap();
        let size = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
        let content = vec![7; 1_000_000];
        for _ in 0..20 {
            database
                .execute("INSERT INTO thing VALUES ($1)", &[SqlValue::Bytes(&content)])
                .unwrap();
            database.tidy().unwrap();
            assert!(size("x.db-wal") < 2 * LOG_BYTES, "{} bytes", size("x.db-wal"));
        }
        assert!(size("x.db") > 10_000_000, "{} bytes", size("x.db"));
    }
}
