//! The builds before a survey of a long history, from which its own builds are counted.

use tacho_record::Digest;

use crate::columns::{digest_value, json};
use crate::database::{SqlValue, TransactionKind};
use crate::{HostId, Store, StoreError};

impl Store {
    /// The full names of the revisions that were built before that question was first asked on that
    /// host.
    ///
    /// The first time these are `built`, which is kept and synced: an interrupted session continues
    /// counting from there.
    pub fn begin_survey(
        &mut self,
        question: Digest,
        host: HostId,
        built: &[&str],
    ) -> Result<Vec<String>, StoreError> {
        let built = json("what was built before", &built)?;
        let values = [digest_value(&question), SqlValue::Integer(host.0), SqlValue::Text(&built)];
        let kept = "SELECT earlier FROM survey WHERE question = $1 AND host = $2";
        if let Some(earlier) = self.database.one(kept, &values[..2], |row| row.json(0))? {
            return Ok(earlier);
        }
        let sql = "INSERT INTO survey (question, host, earlier) VALUES ($1, $2, $3)
            ON CONFLICT (question, host) DO NOTHING";
        self.database.transaction(TransactionKind::Durable, |database| {
            database.execute(sql, &values)?;
            database.must(kept, &values[..2], |row| row.json(0))
        })
    }
}

#[cfg(test)]
mod tests {
    use tacho_record::Host;

    use super::*;

    #[test]
    fn what_was_built_first_is_kept_by_question_and_host() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&crate::Location::Folder(folder.path().to_owned())).unwrap();
        let mut host =
            |name: &str| store.put_host(&Host { name: name.into(), facts: [].into() }).unwrap();
        let (lab, other) = (host("lab"), host("other"));
        let asked = Digest::of("a");
        assert_eq!(store.begin_survey(asked, lab, &["r1", "r2"]).unwrap(), ["r1", "r2"]);
        assert_eq!(store.begin_survey(asked, lab, &["r1", "r2", "r3"]).unwrap(), ["r1", "r2"]);
        assert!(store.begin_survey(asked, other, &[]).unwrap().is_empty());
        assert_eq!(store.begin_survey(Digest::of("b"), lab, &["r3"]).unwrap(), ["r3"]);
    }
}
