//! The facts of the machine, kept with each run, and the changes since the run before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tacho_machine::{FactChange, Facts, PACKAGES, PackageList, Root};
use tacho_record::Run;
use tacho_store::{Store, StoreError};

/// The most packages that are named; updates change hundreds.
const NAMED: usize = 5;

/// The differences of the machine from an earlier run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineChanges {
    /// The number of the earlier run.
    pub since: i64,
    /// The changes: facts, then packages.
    pub what: Vec<String>,
}

/// The facts of a machine as conditions of a run. The list of its packages is kept once, among the
/// logs.
pub fn keep_facts(
    store: &mut Store,
    root: &Root,
    folder: &Path,
) -> Result<BTreeMap<String, String>, StoreError> {
    if let Ok(packages) = PackageList::read(root) {
        store.put_log(packages.to_string().as_bytes())?;
    }
    Ok(Facts::read(root, &folder.to_string_lossy()).to_conditions())
}

/// The changes since the last run on the same host that kept facts; `None` if there are none.
pub fn since_last(store: &mut Store, run: &Run) -> Result<Option<MachineChanges>, StoreError> {
    let now = Facts::of_conditions(&store.conditions(run.number)?);
    let mut earlier: Vec<i64> = store
        .runs()?
        .iter()
        .filter(|other| other.host == run.host && other.number < run.number)
        .map(|other| other.number)
        .collect();
    earlier.sort_unstable();
    while let Some(since) = earlier.pop() {
        let before = Facts::of_conditions(&store.conditions(since)?);
        if before.0.is_empty() {
            continue;
        }
        let mut what = Vec::new();
        for change in Facts::changed(&before, &now) {
            if change.name == PACKAGES {
                what.extend(packages(store, &change));
            } else {
                what.push(change.to_string());
            }
        }
        return Ok((!what.is_empty()).then_some(MachineChanges { since, what }));
    }
    Ok(None)
}

/// Which variables of the environment differ from those of the last run that was tracked on the
/// same host, and that run; `None` if none do.
pub fn other_environment(
    store: &mut Store,
    run: &Run,
) -> Result<Option<(i64, Vec<String>)>, StoreError> {
    let is_earlier = |other: &&Run| {
        other.host == run.host && other.purpose == run.purpose && other.number < run.number
    };
    let last = store.runs()?.iter().filter(is_earlier).map(|other| other.number).max();
    let Some(last) = last else { return Ok(None) };
    let variables = |conditions: BTreeMap<String, String>| -> BTreeMap<String, String> {
        let named = |(name, value): (String, String)| {
            Some((name.strip_prefix("environment.")?.to_owned(), value))
        };
        conditions.into_iter().filter_map(named).collect()
    };
    let (before, now) =
        (variables(store.conditions(last)?), variables(store.conditions(run.number)?));
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let differing: Vec<String> =
        names.into_iter().filter(|name| before.get(*name) != now.get(*name)).cloned().collect();
    // Earlier versions kept no environment.
    Ok((!before.is_empty() && !differing.is_empty()).then_some((last, differing)))
}

/// The packages that differ, the first of them by name. A list that is lost leaves the digests.
fn packages(store: &Store, change: &FactChange) -> Vec<String> {
    let list = |digest: &str| {
        let text = store.log(digest.parse().ok()?).ok()?;
        Some(PackageList::parse(&String::from_utf8_lossy(&text)))
    };
    let (Some(before), Some(now)) = (list(&change.before), list(&change.now)) else {
        return vec!["the installed packages".to_owned()];
    };
    let changes = PackageList::changes(&before, &now);
    let mut named: Vec<String> = changes.iter().take(NAMED).map(ToString::to_string).collect();
    match changes.len().saturating_sub(NAMED) {
        0 => {}
        1 => named.push("1 package more".to_owned()),
        more => named.push(format!("{more} packages more")),
    }
    named
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_record::{Digest, Host, Purpose, Rule};
    use tacho_store::{Location, NewRun};

    use super::*;

    fn write(folder: &Path, path: &str, text: &str) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn packages(versions: &[(&str, &str)]) -> String {
        let one = |(name, version): &(&str, &str)| {
            format!("Package: {name}\nStatus: install ok installed\nVersion: {version}\n\n")
        };
        versions.iter().map(one).collect()
    }

    /// A run of this host that kept these facts.
    fn run(store: &mut Store, host: &str, conditions: BTreeMap<String, String>) -> Run {
        let host = store.put_host(&Host { name: host.to_owned(), facts: BTreeMap::new() }).unwrap();
        let new = NewRun {
            purpose: Purpose::Track,
            question: Digest::of(store.runs().unwrap().len().to_le_bytes()),
            plan: String::new(),
            seed: 1,
            rounds: 1,
            rule: Rule::default(),
            host,
            version: "test".into(),
            started: Timestamp::UNIX_EPOCH,
            conditions,
        };
        store.begin_run(&new, &[]).unwrap().0
    }

    #[test]
    fn what_changed_since_the_last_run_on_the_host_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::of_folder(folder.path());
        let home = folder.path().join("store");
        let mut store = Store::open(&Location::Folder(home)).unwrap();
        let keep = |store: &mut Store, kernel: &str, list: &[(&str, &str)]| {
            write(folder.path(), "proc/sys/kernel/osrelease", kernel);
            write(folder.path(), "var/lib/dpkg/status", &packages(list));
            keep_facts(store, &root, Path::new("/")).unwrap()
        };
        let first = keep(&mut store, "6.1.0-21", &[("libc6", "2.36-9+deb12u13"), ("gcc", "12.2")]);
        let first = run(&mut store, "lab", first);
        let elsewhere = run(
            &mut store,
            "other",
            BTreeMap::from([("machine.kernel.version".into(), "5".into())]),
        );
        let old = run(&mut store, "lab", BTreeMap::new());
        let now = keep(&mut store, "6.1.0-22", &[("libc6", "2.36-9+deb12u14"), ("gcc", "12.2")]);
        let (now, same) = (run(&mut store, "lab", now.clone()), run(&mut store, "lab", now));
        assert_eq!(since_last(&mut store, &first).unwrap(), None);
        assert_eq!(since_last(&mut store, &elsewhere).unwrap(), None);
        assert_eq!(since_last(&mut store, &old).unwrap(), None, "an old run kept no facts");
        let what = vec![
            "kernel.version: 6.1.0-21 → 6.1.0-22".to_owned(),
            "libc6 2.36-9+deb12u13 → u14".to_owned(),
        ];
        assert_eq!(
            since_last(&mut store, &now).unwrap(),
            Some(MachineChanges { since: first.number, what })
        );
        assert_eq!(since_last(&mut store, &same).unwrap(), None);
    }

    #[test]
    fn variables_that_differ_from_the_run_before_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&Location::Folder(folder.path().to_owned())).unwrap();
        let mut begin = |variables: &[(&str, &str)]| {
            let named =
                |(name, value): &(&str, &str)| (format!("environment.{name}"), (*value).to_owned());
            let run = run(&mut store, "lab", variables.iter().map(named).collect());
            other_environment(&mut store, &run).unwrap().map(|(_, names)| names)
        };
        assert_eq!(begin(&[]), None, "there is no run before");
        assert_eq!(begin(&[("PATH", "/a")]), None, "the run before kept none");
        assert_eq!(begin(&[("PATH", "/a")]), None);
        let differing = begin(&[("LANG", "C"), ("PATH", "/b")]).unwrap();
        assert_eq!(differing, ["LANG", "PATH"]);
    }
}
