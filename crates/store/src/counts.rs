//! How much was measured: numbers of samples, without the samples.

use std::collections::HashMap;

use tacho_record::{BenchmarkKey, Digest};

use crate::database::{SqlValue, TransactionKind};
use crate::{HostId, Store, StoreError};

/// How much was measured of a benchmark at a build, the warmup left out.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleCounts {
    /// The benchmark with its parameters.
    pub benchmark: BenchmarkKey,
    /// The revision's full name.
    pub revision: String,
    /// Its artifact.
    pub artifact: Digest,
    /// How many samples count.
    pub valid: u32,
    /// How many failed.
    pub failed: u32,
}

impl Store {
    /// How much was measured of each benchmark at each build, for series: by benchmark, then in
    /// order of history.
    pub fn counts(&mut self, host: HostId) -> Result<Vec<SampleCounts>, StoreError> {
        // Chunks carry their counts beside them, so none is decoded. Names are joined here and not
        // in SQL, which takes half the time.
        let sql = "SELECT m.benchmark, m.revision, m.artifact, CAST(SUM(c.valid) AS BIGINT), \
             CAST(SUM(c.failed) AS BIGINT)
            FROM measurement m JOIN chunk c ON c.run = m.run AND c.cell = m.cell
            WHERE m.host = $1 AND m.run NOT IN (SELECT number FROM run WHERE purpose <> 'track')
            GROUP BY m.benchmark, m.revision, m.artifact";
        self.database.transaction(TransactionKind::Read, |database| {
            let mut sums = database.all(sql, &[SqlValue::Integer(host.0)], |row| {
                Ok((
                    row.integer(0)?,
                    row.integer(1)?,
                    row.integer(2)?,
                    row.number(3)?,
                    row.number(4)?,
                ))
            })?;
            let benchmarks = database.all(
                "SELECT number, name, version, parameters FROM benchmark",
                &[],
                |row| Ok((row.integer(0)?, row.benchmark(1)?)),
            )?;
            let revisions = database.all(
                "SELECT number, COALESCE(ordinal, 9223372036854775807), id FROM revision",
                &[],
                |row| Ok((row.integer(0)?, (row.integer(1)?, row.text(2)?.to_owned()))),
            )?;
            let artifacts = database.all("SELECT number, digest FROM artifact", &[], |row| {
                Ok((row.integer(0)?, row.digest(1)?))
            })?;
            let artifacts: HashMap<i64, Digest> = artifacts.into_iter().collect();
            let benchmarks: HashMap<i64, BenchmarkKey> = benchmarks.into_iter().collect();
            let revisions: HashMap<i64, (i64, String)> = revisions.into_iter().collect();
            sums.sort_by_cached_key(|(benchmark, revision, artifact, ..)| {
                (
                    *benchmark,
                    revisions.get(revision).map(|(ordinal, _)| *ordinal),
                    *revision,
                    *artifact,
                )
            });
            // Foreign keys see to it that every number has its name.
            let named = |(benchmark, revision, artifact, valid, failed)| {
                Some(SampleCounts {
                    benchmark: benchmarks.get(&benchmark)?.clone(),
                    revision: revisions.get(&revision)?.1.clone(),
                    artifact: *artifacts.get(&artifact)?,
                    valid,
                    failed,
                })
            };
            Ok(sums.into_iter().filter_map(named).collect())
        })
    }
}
