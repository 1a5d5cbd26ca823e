//! Two processors for two programs at the same time.

use std::collections::BTreeSet;
use std::path::Path;

use rustix::thread::{CpuSet, sched_getaffinity};
use tacho_record::Cpus;

use super::files::{CPUS, HostFiles};
use crate::Unavailable;

/// Two processors, one for each of two programs that are executed at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoCpus {
    /// Their numbers.
    pub cpus: [u32; 2],
    /// Whether they share a core, and so slow each other.
    pub share_core: bool,
}

/// The first two of the processors that programs may use, of different cores if possible; out of
/// the processors that this process may use, if none are requested.
pub fn two_cpus(requested: Option<&Cpus>) -> Result<TwoCpus, Unavailable> {
    let files = HostFiles::below(Path::new("/"));
    let may = match requested {
        Some(Cpus::List(list)) => list.clone(),
        Some(Cpus::Isolated) => files
            .read(&format!("{CPUS}/isolated"))
            .ok()
            .and_then(|text| Cpus::list(&text))
            .unwrap_or_default(),
        None => ours(),
    };
    choose(&files, &may).ok_or_else(|| {
        let number = if may.is_empty() { "none" } else { "one" };
        let hint = "`taskset -cp $$` shows those that may be used here; without `--duet`, the \
                    sides are measured in rounds, never at the same time";
        Unavailable::new(format!("two processors are needed, and {number} may be used"), Some(hint))
    })
}

/// The processors that this process may use.
fn ours() -> BTreeSet<u32> {
    let Ok(set) = sched_getaffinity(None) else { return BTreeSet::new() };
    (0_u32..)
        .zip(0..CpuSet::MAX_CPU)
        .filter(|(_, place)| set.is_set(*place))
        .map(|(cpu, _)| cpu)
        .collect()
}

fn choose(files: &HostFiles, may: &BTreeSet<u32>) -> Option<TwoCpus> {
    let mut all = may.iter().copied();
    let first = all.next()?;
    let others: Vec<u32> = all.collect();
    let list = files.read(&format!("{CPUS}/cpu{first}/topology/thread_siblings_list"));
    let core = list.ok().and_then(|list| Cpus::list(&list)).unwrap_or_default();
    let apart = others.iter().copied().find(|cpu| !core.contains(cpu));
    let second = apart.or_else(|| others.first().copied())?;
    Some(TwoCpus { cpus: [first, second], share_core: apart.is_none() })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// What is chosen of these processors on a host with these cores.
    fn chosen(cores: &[&str], may: &[u32]) -> Option<TwoCpus> {
        let root = tempfile::tempdir().unwrap();
        for list in cores {
            for cpu in Cpus::list(list).unwrap() {
                let folder = root.path().join(format!("sys/devices/system/cpu/cpu{cpu}/topology"));
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join("thread_siblings_list"), format!("{list}\n")).unwrap();
            }
        }
        choose(&HostFiles::below(root.path()), &may.iter().copied().collect())
    }

    #[test]
    fn two_of_one_core_are_taken_only_where_there_are_no_others() {
        let two = |cpus, share_core| Some(TwoCpus { cpus, share_core });
        assert_eq!(chosen(&["0-1", "2-3"], &[0, 1, 2, 3]), two([0, 2], false));
        assert_eq!(chosen(&["0,4", "1,5"], &[0, 1, 4, 5]), two([0, 1], false));
        assert_eq!(chosen(&["0-1", "2-3"], &[2, 3]), two([2, 3], true));
        assert_eq!(chosen(&["0-1", "2-3"], &[1]), None);
        assert_eq!(chosen(&[], &[6, 9]), two([6, 9], false), "a host that does not tell");
        assert_eq!(chosen(&[], &[]), None);
    }

    #[test]
    fn what_is_wished_is_kept_to() {
        let list = |cpus: &[u32]| Cpus::List(cpus.iter().copied().collect());
        assert_eq!(two_cpus(Some(&list(&[3, 5]))).map(|two| two.cpus).ok(), Some([3, 5]));
        let one = two_cpus(Some(&list(&[3]))).unwrap_err();
        assert_eq!(one.why, "two processors are needed, and one may be used");
    }
}
