//! Kept changes: the finding, the state, the user's judgement, and the history of each.
//!
//! Analyses and users write different columns with different functions, so that no analysis can
//! lose a user's word. Nothing is ever deleted; each step is kept too.

use jiff::Timestamp;
use tacho_record::{
    BenchmarkKey, Change, ChangeState, Digest, Direction, Finding, Happening, HappeningKind, Life,
    Metric, RepeatMeasurement, SeriesKey, Unit,
};

use crate::benchmarks::benchmark_number;
use crate::columns::{digest_value, json, maybe_text};
use crate::database::{Database, DatabaseRow, SqlValue, TransactionKind};
use crate::{HostId, Store, StoreError};

/// Changes with their series; what follows chooses among them.
macro_rules! select_change {
    ($which:literal) => {
        concat!(
            "SELECT c.name, b.name, b.version, b.parameters, h.name, m.name, m.unit, m.better, \
             c.found, ",
            "c.finding, c.life, c.word, c.note, c.fixed, c.again ",
            "FROM change c JOIN host h ON h.number = c.host JOIN benchmark b ON b.number = \
             c.benchmark ",
            "JOIN metric m ON m.number = c.metric ",
            $which
        )
    };
}

/// The state of a series when it was last judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The digest of all that was judged: the same digest means no news.
    pub judged: Digest,
    /// The full name of its last revision with values.
    pub newest: String,
    /// When.
    pub at: Timestamp,
}

/// The result of judging a series again.
#[derive(Clone, Copy, Debug)]
pub struct NewAnalysis<'a> {
    /// The series.
    pub series: &'a SeriesKey,
    /// The analysis on which it is based, if there was one.
    pub before: Option<&'a Analysis>,
    /// The present analysis.
    pub now: &'a Analysis,
    /// The changes that are new or differ from the kept ones.
    pub changes: &'a [Change],
    /// The events, each with the name of its change, in order.
    pub happenings: &'a [(String, Happening)],
}

/// The result of measuring a change again.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredAgain<'a> {
    /// The change's name.
    pub name: &'a str,
    /// Its present state.
    pub life: Life,
    /// The measurement.
    pub again: &'a RepeatMeasurement,
    /// The new finding, if its kind differs.
    pub finding: Option<&'a Finding>,
    /// Its events, in order.
    pub happenings: &'a [Happening],
}

impl Store {
    /// All changes on that host, withdrawn ones too, in the order in which they were found.
    pub fn changes(&mut self, host: HostId) -> Result<Vec<Change>, StoreError> {
        let sql = select_change!("WHERE c.host = $1 ORDER BY c.number");
        self.database.all(sql, &[SqlValue::Integer(host.0)], read)
    }

    /// The change of that name, on whichever host.
    pub fn change(&mut self, name: &str) -> Result<Option<(HostId, Change)>, StoreError> {
        let sql = select_change!("WHERE c.name = $1");
        let Some(change) = self.database.one(sql, &[SqlValue::Text(name)], read)? else {
            return Ok(None);
        };
        let sql = "SELECT host FROM change WHERE name = $1";
        let host = self.database.must(sql, &[SqlValue::Text(name)], |row| row.integer(0))?;
        Ok(Some((HostId(host), change)))
    }

    /// All that happened to a change, in order.
    pub fn happenings(&mut self, name: &str) -> Result<Vec<Happening>, StoreError> {
        let sql = "SELECT e.at, e.happened FROM happening e JOIN change c ON c.number = e.change
            WHERE c.name = $1 ORDER BY e.position";
        self.database.all(sql, &[SqlValue::Text(name)], |row| {
            Ok(Happening { at: row.time(0)?, what: row.json(1)? })
        })
    }

    /// The last analysis of each series on that host: of which benchmark and metric (by name), and
    /// what was judged.
    pub fn analyses(
        &mut self,
        host: HostId,
    ) -> Result<Vec<(BenchmarkKey, String, Analysis)>, StoreError> {
        let sql = "SELECT b.name, b.version, b.parameters, m.name, a.judged, a.newest, a.at
            FROM analysis a JOIN benchmark b ON b.number = a.benchmark
                JOIN metric m ON m.number = a.metric
            WHERE a.host = $1";
        self.database.all(sql, &[SqlValue::Integer(host.0)], |row| {
            let analysis = Analysis {
                judged: row.digest(4)?,
                newest: row.text(5)?.to_owned(),
                at: row.time(6)?,
            };
            Ok((row.benchmark(0)?, row.text(3)?.to_owned(), analysis))
        })
    }

    /// Keeps the result of judging a series again, and syncs; `false`, and nothing kept, when
    /// another process has judged it since.
    ///
    /// New changes are added; of those that are known the finding, the life and what fixed them are
    /// replaced, and never the user's word.
    pub fn keep_analysis(
        &mut self,
        host: HostId,
        new: &NewAnalysis<'_>,
    ) -> Result<bool, StoreError> {
        self.database.transaction(TransactionKind::Exclusive, |database| {
            let series = series_number(database, host, new.series)?;
            let sql =
                "SELECT judged FROM analysis WHERE host = $1 AND benchmark = $2 AND metric = $3";
            let found = database.one(sql, &series, |row| row.digest(0))?;
            if found != new.before.map(|before| before.judged) {
                return Ok(false);
            }
            put_analysis(database, &series, new.now)?;
            new.changes.iter().try_for_each(|change| put_change(database, &series, change))?;
            new.happenings.iter().try_for_each(|(name, it)| put_happening(database, name, it))?;
            Ok(true)
        })
    }

    /// Keeps what measuring changes again said, of all of them or of none, and syncs: a run whose
    /// changes are judged in part would be measured again.
    pub fn put_again(&mut self, judged: &[MeasuredAgain<'_>]) -> Result<(), StoreError> {
        self.database.transaction(TransactionKind::Exclusive, |database| {
            judged.iter().try_for_each(|change| put_measured_again(database, change))
        })
    }

    /// Keeps the user's word, and syncs.
    pub fn say(
        &mut self,
        name: &str,
        word: ChangeState,
        note: &str,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = select_change!("WHERE c.name = $1");
        self.database.transaction(TransactionKind::Exclusive, |database| {
            let known = database.one(sql, &[SqlValue::Text(name)], read)?;
            let known = known.ok_or_else(|| database.unknown(format!("change `{name}`")))?;
            let text = json("the user's word", &word)?;
            let sql = "UPDATE change SET word = $1, note = $2 WHERE name = $3";
            database.execute(
                sql,
                &[SqlValue::Text(&text), SqlValue::Text(note), SqlValue::Text(name)],
            )?;
            let what = HappeningKind::Said { from: known.word, to: word, note: note.to_owned() };
            put_happening(database, name, &Happening { at, what })
        })
    }
}

fn put_measured_again(
    database: &mut dyn Database,
    change: &MeasuredAgain<'_>,
) -> Result<(), StoreError> {
    let life = json("the change's life", &change.life)?;
    let again = json("what measuring it again said", change.again)?;
    let sql = "UPDATE change SET life = $1, again = $2 WHERE name = $3";
    let values = [SqlValue::Text(&life), SqlValue::Text(&again), SqlValue::Text(change.name)];
    if database.execute(sql, &values)? == 0 {
        return Err(database.unknown(format!("change `{}`", change.name)));
    }
    if let Some(finding) = change.finding {
        let finding = json("what was found", finding)?;
        let sql = "UPDATE change SET finding = $1 WHERE name = $2";
        database.execute(sql, &[SqlValue::Text(&finding), SqlValue::Text(change.name)])?;
    }
    change.happenings.iter().try_for_each(|it| put_happening(database, change.name, it))
}

/// Host, benchmark and metric by their numbers.
fn series_number(
    database: &mut dyn Database,
    host: HostId,
    series: &SeriesKey,
) -> Result<[SqlValue<'static>; 3], StoreError> {
    let benchmark = benchmark_number(database, &series.benchmark)?;
    let sql = "SELECT number FROM metric WHERE name = $1";
    let metric = database.one(sql, &[SqlValue::Text(&series.metric.name)], |row| row.integer(0))?;
    let metric =
        metric.ok_or_else(|| database.unknown(format!("metric `{}`", series.metric.name)))?;
    Ok([host.0, benchmark, metric].map(SqlValue::Integer))
}

fn put_analysis(
    database: &mut dyn Database,
    series: &[SqlValue<'_>; 3],
    now: &Analysis,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO analysis (host, benchmark, metric, judged, newest, at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (host, benchmark, metric) DO UPDATE SET judged = excluded.judged,
            newest = excluded.newest, at = excluded.at";
    let at = now.at.to_string();
    let rest = [digest_value(&now.judged), SqlValue::Text(&now.newest), SqlValue::Text(&at)];
    database.execute(sql, &[series.as_slice(), &rest].concat()).map(drop)
}

fn put_change(
    database: &mut dyn Database,
    series: &[SqlValue<'_>; 3],
    change: &Change,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO change (name, host, benchmark, metric, found, finding, life, word, \
        note, fixed)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (name) DO UPDATE SET finding = excluded.finding, life = excluded.life,
            fixed = excluded.fixed
        WHERE change.host = excluded.host AND change.benchmark = excluded.benchmark
            AND change.metric = excluded.metric";
    let found = change.found.to_string();
    let finding = json("what was found", &change.finding)?;
    let life = json("the change's life", &change.life)?;
    let word = json("the user's word", &change.word)?;
    let rest = [
        SqlValue::Text(&found),
        SqlValue::Text(&finding),
        SqlValue::Text(&life),
        SqlValue::Text(&word),
        SqlValue::Text(&change.note),
        maybe_text(change.fixed_by.as_deref()),
    ];
    match database
        .execute(sql, &[&[SqlValue::Text(&change.name)], series.as_slice(), &rest].concat())?
    {
        0 => Err(StoreError::AlreadyStored {
            what: format!("a change `{}` of another series", change.name),
        }),
        _ => Ok(()),
    }
}

fn put_happening(
    database: &mut dyn Database,
    name: &str,
    happening: &Happening,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO happening (change, position, at, happened)
        SELECT c.number, 1 + (SELECT COUNT(*) FROM happening e WHERE e.change = c.number), $1, $2
        FROM change c WHERE c.name = $3";
    let (at, what) = (happening.at.to_string(), json("what happened", &happening.what)?);
    let values = [SqlValue::Text(&at), SqlValue::Text(&what), SqlValue::Text(name)];
    match database.execute(sql, &values)? {
        0 => Err(database.unknown(format!("change `{name}`"))),
        _ => Ok(()),
    }
}

fn read(row: &dyn DatabaseRow) -> Result<Change, StoreError> {
    let unit =
        if row.value(6)? == SqlValue::Null { Unit::Other(String::new()) } else { row.json(6)? };
    let better = if row.value(7)? == SqlValue::Null { Direction::Lower } else { row.word(7)? };
    let metric = Metric { name: row.text(5)?.to_owned(), unit, better };
    let fixed =
        if row.value(13)? == SqlValue::Null { None } else { Some(row.text(13)?.to_owned()) };
    let again = if row.value(14)? == SqlValue::Null { None } else { Some(row.json(14)?) };
    Ok(Change {
        name: row.text(0)?.to_owned(),
        series: SeriesKey { benchmark: row.benchmark(1)?, host: row.text(4)?.to_owned(), metric },
        found: row.time(8)?,
        finding: row.json(9)?,
        life: row.json(10)?,
        word: row.json(11)?,
        note: row.text(12)?.to_owned(),
        fixed_by: fixed,
        again,
        named_by: None,
        of_merge: None,
        same_program: Vec::new(),
        left: None,
    })
}
