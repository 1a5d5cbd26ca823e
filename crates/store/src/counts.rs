//! How much was measured: numbers of samples, without the samples.

use std::collections::HashMap;

use tacho_record::BenchmarkKey;

use crate::database::{Begin, Value};
use crate::{HostId, Store, StoreError};

impl Store {
    /// How many samples count, and how many failed, the warm-up left out: of each benchmark at each revision,
    /// by benchmark, then in order of history.
    pub fn counts(&mut self, host: HostId) -> Result<Vec<(BenchmarkKey, String, u32, u32)>, StoreError> {
        // Chunks carry their counts beside them, so none is decoded. Names are joined here and not there:
        // that takes half the time.
        let sql =
            "SELECT m.benchmark, m.revision, CAST(SUM(c.valid) AS BIGINT), CAST(SUM(c.failed) AS BIGINT)
            FROM measurement m JOIN chunk c ON c.run = m.run AND c.cell = m.cell
            WHERE m.host = $1 GROUP BY m.benchmark, m.revision";
        self.database.transaction(Begin::Read, |database| {
            let mut sums = database.all(sql, &[Value::Integer(host.0)], |row| {
                Ok((row.integer(0)?, row.integer(1)?, row.number(2)?, row.number(3)?))
            })?;
            let benchmarks =
                database.all("SELECT number, name, version, parameters FROM benchmark", &[], |row| {
                    Ok((row.integer(0)?, row.benchmark(1)?))
                })?;
            let revisions = database.all(
                "SELECT number, COALESCE(ordinal, 9223372036854775807), id FROM revision",
                &[],
                |row| Ok((row.integer(0)?, (row.integer(1)?, row.text(2)?.to_owned()))),
            )?;
            let benchmarks: HashMap<i64, BenchmarkKey> = benchmarks.into_iter().collect();
            let revisions: HashMap<i64, (i64, String)> = revisions.into_iter().collect();
            sums.sort_by_cached_key(|(benchmark, revision, ..)| {
                (*benchmark, revisions.get(revision).map(|(ordinal, _)| *ordinal), *revision)
            });
            // Foreign keys see to it that every number has its name.
            let named = |(benchmark, revision, valid, failed)| {
                Some((
                    benchmarks.get(&benchmark)?.clone(),
                    revisions.get(&revision)?.1.clone(),
                    valid,
                    failed,
                ))
            };
            Ok(sums.into_iter().filter_map(named).collect())
        })
    }
}
