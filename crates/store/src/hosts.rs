//! Hosts as they are kept: once each, whatever changes by itself left out.

use std::collections::{BTreeMap, HashMap};

use tacho_record::Host;

use crate::columns::{digest_value, intern, json};
use crate::database::{SqlValue, TransactionKind};
use crate::{Store, StoreError};

/// A host in this store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostId(pub(crate) i64);

impl Store {
    /// Keeps a host, or finds it again by [`Host::key`]. Facts under `now.` belong to a run and are
    /// not kept here.
    pub fn put_host(&mut self, host: &Host) -> Result<HostId, StoreError> {
        let lasting: BTreeMap<_, _> =
            host.facts.iter().filter(|(key, _)| !key.starts_with("now.")).collect();
        let facts = json("the host", &lasting)?;
        let identity = host.key();
        self.database.transaction(TransactionKind::Write, |database| {
            let sql = (
                "SELECT number FROM host WHERE identity = $1",
                "INSERT INTO host (identity, name, facts) VALUES ($1, $2, $3) ON CONFLICT DO \
                 NOTHING",
            );
            let rest = [SqlValue::Text(&host.name), SqlValue::Text(&facts)];
            intern(database, sql, &[digest_value(&identity)], &rest).map(HostId)
        })
    }

    /// All hosts, in the order in which they were first seen.
    pub fn hosts(&mut self) -> Result<Vec<(HostId, Host)>, StoreError> {
        self.database.all("SELECT number, name, facts FROM host ORDER BY number", &[], |row| {
            let host = Host { name: row.text(1)?.to_owned(), facts: row.json(2)? };
            Ok((HostId(row.integer(0)?), host))
        })
    }

    /// The same, each with a name of its own: two machines may call themselves the same.
    pub fn named_hosts(&mut self) -> Result<Vec<(HostId, Host)>, StoreError> {
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut hosts = self.hosts()?;
        for (_, host) in &mut hosts {
            let times = seen.entry(host.name.clone()).or_default();
            *times += 1;
            if *times > 1 {
                host.name = format!("{} ({times})", host.name);
            }
        }
        Ok(hosts)
    }
}
