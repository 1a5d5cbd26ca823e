//! Kept metrics: chunks have numbers in place of their names.

use std::collections::HashMap;

use tacho_record::Metric;

use crate::StoreError;
use crate::columns::{intern, json, maybe_text, unkeepable};
use crate::database::{Database, SqlValue};

/// The numbers of metrics in chunks, by name.
#[derive(Debug, Default)]
pub(crate) struct MetricNumbers(HashMap<String, u32>);

impl MetricNumbers {
    /// The number of that metric; a new one gets the next, and the meaning of the known one of its
    /// name.
    pub(crate) fn of(
        &mut self,
        database: &mut dyn Database,
        name: &str,
    ) -> Result<u32, StoreError> {
        if let Some(number) = self.0.get(name) {
            return Ok(*number);
        }
        let sql = (
            "SELECT number FROM metric WHERE name = $1",
            "INSERT INTO metric (name, unit, better) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        );
        let known = Metric::known(name);
        let unit =
            known.as_ref().map(|metric| json("the metric's unit", &metric.unit)).transpose()?;
        let better = known.map(|metric| metric.better.word());
        let rest = [maybe_text(unit.as_deref()), maybe_text(better)];
        let number = intern(database, sql, &[SqlValue::Text(name)], &rest)?;
        let number =
            u32::try_from(number).map_err(|_| unkeepable("the metric", &"there are too many"))?;
        self.0.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Forgets all: numbers given in a transaction that failed were never given.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}

/// The names of the numbers in chunks.
pub(crate) fn metric_names(
    database: &mut dyn Database,
) -> Result<HashMap<u32, String>, StoreError> {
    let names = database.all("SELECT number, name FROM metric", &[], |row| {
        Ok((row.number(0)?, row.text(1)?.to_owned()))
    })?;
    Ok(names.into_iter().collect())
}
