//! Runs as they are kept: what was asked, how far it came.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tacho_record::{Cell, Digest, Purpose, Rule, Run, RunState};

use crate::cells::add_cells;
use crate::columns::{digest_value, json};
use crate::database::{DatabaseRow, SqlValue, TransactionKind};
use crate::{HostId, MeasurementId, Store, StoreError};

/// Runs with their host's name; what follows chooses among them.
macro_rules! select_run {
    ($which:literal) => {
        concat!(
            "SELECT r.number, r.started, r.ended, r.seed, r.question, r.plan, r.version, h.name, \
             r.rounds, ",
            "r.state, r.rule, r.purpose ",
            "FROM run r JOIN host h ON h.number = r.host ",
            $which
        )
    };
}

/// The data of a new run.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// The purpose.
    pub purpose: Purpose,
    /// The digest of the request: the same question resumes the same run.
    pub question: Digest,
    /// The text of the plan.
    pub plan: String,
    /// The seed of its random order.
    pub seed: u64,
    /// Rounds that it sets out to do, at the most.
    pub rounds: u32,
    /// The warmup and the stopping rule.
    pub rule: Rule,
    /// The host.
    pub host: HostId,
    /// The version of the tool.
    pub version: String,
    /// When it begins.
    pub started: Timestamp,
    /// The host's facts under `now.`: those that may differ from run to run.
    pub conditions: BTreeMap<String, String>,
}

impl Store {
    /// Begins a run with the next number, and syncs; the measurement of each cell, in the same
    /// order.
    ///
    /// The run has all its cells from the start, so that an interrupted run is resumed with the
    /// same schedule.
    pub fn begin_run(
        &mut self,
        new: &NewRun,
        cells: &[Cell],
    ) -> Result<(Run, Vec<MeasurementId>), StoreError> {
        let started = new.started.to_string();
        let conditions = json("the run's conditions", &new.conditions)?;
        let rule = json("the run's rule", &new.rule)?;
        self.database.transaction(TransactionKind::Exclusive, |database| {
            let next = "SELECT COALESCE(MAX(number), 0) + 1 FROM run";
            let number = database.must(next, &[], |row| row.integer(0))?;
            let values = [
                SqlValue::Integer(number),
                digest_value(&new.question),
                SqlValue::Text(&new.plan),
                SqlValue::Integer(new.seed.cast_signed()),
                SqlValue::Integer(new.rounds.into()),
                SqlValue::Text(&rule),
                SqlValue::Integer(new.host.0),
                SqlValue::Text(&new.version),
                SqlValue::Text(&started),
                SqlValue::Text(&conditions),
                SqlValue::Text(RunState::Unfinished.word()),
                SqlValue::Text(new.purpose.word()),
            ];
            database.execute(
                "INSERT INTO run (number, question, plan, seed, rounds, rule, host, version, \
                 started, conditions, state, purpose, round)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0)",
                &values,
            )?;
            let measurements = add_cells(database, number, new.host, (0, cells))?;
            let run = database.must(select_run!("WHERE r.number = $1"), &values[..1], read)?;
            Ok((run, measurements))
        })
    }

    /// The newest run of this question on this host that can be continued, if there is one.
    pub fn unfinished_run(
        &mut self,
        question: Digest,
        host: HostId,
    ) -> Result<Option<Run>, StoreError> {
        let sql =
            select_run!("WHERE r.question = $1 AND r.host = $2 AND r.state = $3 ORDER BY r.number");
        let state = SqlValue::Text(RunState::Unfinished.word());
        self.database.one(sql, &[digest_value(&question), SqlValue::Integer(host.0), state], read)
    }

    /// The runs on this host that are finished, oldest first.
    pub fn finished_runs(&mut self, host: HostId) -> Result<Vec<Run>, StoreError> {
        let sql = select_run!("WHERE r.host = $1 AND r.state = $2 ORDER BY r.number");
        self.database.all(
            sql,
            &[SqlValue::Integer(host.0), SqlValue::Text(RunState::Finished.word())],
            read,
        )
    }

    /// Takes note that a session of the run begins to measure.
    pub fn begin_session(&mut self, run: i64, at: Timestamp) -> Result<(), StoreError> {
        let at = at.to_string();
        self.database.transaction(TransactionKind::Write, |database| {
            let next = "SELECT COALESCE(MAX(number), 0) + 1 FROM session WHERE run = $1";
            let number = database.must(next, &[SqlValue::Integer(run)], |row| row.integer(0))?;
            let values = [SqlValue::Integer(run), SqlValue::Integer(number), SqlValue::Text(&at)];
            database
                .execute("INSERT INTO session (run, number, started) VALUES ($1, $2, $3)", &values)
        })?;
        Ok(())
    }

    /// When each session of the run began to measure, oldest first.
    pub fn sessions(&mut self, run: i64) -> Result<Vec<Timestamp>, StoreError> {
        let sql = "SELECT started FROM session WHERE run = $1 ORDER BY number";
        self.database.all(sql, &[SqlValue::Integer(run)], |row| row.time(0))
    }

    /// Marks a run as finished, and syncs.
    pub fn finish_run(&mut self, number: i64, at: Timestamp) -> Result<(), StoreError> {
        self.close_run(number, RunState::Finished, at)
    }

    /// Closes a run that can no longer be continued, and syncs; what it measured stays and counts.
    pub fn abandon_run(&mut self, number: i64, at: Timestamp) -> Result<(), StoreError> {
        self.close_run(number, RunState::Abandoned, at)
    }

    /// Syncs all samples so far: from here on a power cut does not lose them.
    pub fn end_round(&mut self, run: i64, round: u32) -> Result<(), StoreError> {
        self.logs.sync()?;
        // The round is not only written for the record: a transaction without a write syncs
        // nothing.
        let sql = "UPDATE run SET round = $1 WHERE number = $2";
        self.update_run(sql, &[SqlValue::Integer(round.into()), SqlValue::Integer(run)], run)
    }

    /// The run of that number, if there is one.
    pub fn run(&mut self, number: i64) -> Result<Option<Run>, StoreError> {
        self.database.one(select_run!("WHERE r.number = $1"), &[SqlValue::Integer(number)], read)
    }

    /// All runs, by number.
    pub fn runs(&mut self) -> Result<Vec<Run>, StoreError> {
        self.database.all(select_run!("ORDER BY r.number"), &[], read)
    }

    /// The facts about the host that held during that run.
    pub fn conditions(&mut self, number: i64) -> Result<BTreeMap<String, String>, StoreError> {
        let sql = "SELECT conditions FROM run WHERE number = $1";
        let conditions = self.database.one(sql, &[SqlValue::Integer(number)], |row| row.json(0))?;
        conditions.ok_or_else(|| self.database.unknown(format!("run {number}")))
    }

    /// Adds facts about the host to those that are kept of the run.
    pub fn add_conditions(
        &mut self,
        number: i64,
        facts: BTreeMap<String, String>,
    ) -> Result<(), StoreError> {
        let mut all = self.conditions(number)?;
        all.extend(facts);
        let all = json("the run's conditions", &all)?;
        let sql = "UPDATE run SET conditions = $1 WHERE number = $2";
        let values = [SqlValue::Text(&all), SqlValue::Integer(number)];
        self.database
            .transaction(TransactionKind::Write, |database| database.execute(sql, &values))
            .map(drop)
    }

    fn close_run(&mut self, number: i64, state: RunState, at: Timestamp) -> Result<(), StoreError> {
        let sql = "UPDATE run SET state = $1, ended = $2 WHERE number = $3";
        let at = at.to_string();
        let values = [SqlValue::Text(state.word()), SqlValue::Text(&at), SqlValue::Integer(number)];
        self.update_run(sql, &values, number)
    }

    fn update_run(
        &mut self,
        sql: &'static str,
        values: &[SqlValue],
        number: i64,
    ) -> Result<(), StoreError> {
        // First, because what is written next after it waits for the disk once more: not the next
        // sample then.
        self.database.tidy()?;
        let updated = self
            .database
            .transaction(TransactionKind::Durable, |database| database.execute(sql, values));
        // Before any error of the database, which would only be a consequence.
        self.database.check_place()?;
        let updated = updated?;
        if updated == 0 { Err(self.database.unknown(format!("run {number}"))) } else { Ok(()) }
    }
}

fn read(row: &dyn DatabaseRow) -> Result<Run, StoreError> {
    Ok(Run {
        number: row.integer(0)?,
        started: row.time(1)?,
        ended: row.time_if_any(2)?,
        state: row.word(9)?,
        purpose: row.word(11)?,
        seed: row.integer(3)?.cast_unsigned(),
        question: row.digest(4)?,
        plan: row.text(5)?.to_owned(),
        version: row.text(6)?.to_owned(),
        host: row.text(7)?.to_owned(),
        rounds: row.number(8)?,
        rule: row.json(10)?,
    })
}
