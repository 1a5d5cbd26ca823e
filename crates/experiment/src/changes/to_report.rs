//! The choice of changes to report, and of those to measure again before.

use std::collections::BTreeSet;

use tacho_record::{Change, ChangeState, Plan};
use tacho_store::HostId;

use super::confirm::{is_doubtful, why_not_here};
use super::stored::StoredChanges;

impl StoredChanges {
    /// The changes of the plan that are not withdrawn, that the user has not judged, and that were
    /// not reported before.
    #[must_use]
    pub fn unreported(&self, reported: &BTreeSet<String>) -> Vec<&Change> {
        let is_due = |change: &&Change| {
            self.is_planned(change)
                && change.is_active()
                && change.state() == ChangeState::New
                && !reported.contains(&change.name)
        };
        self.changes().filter(is_due).collect()
    }

    /// The unreported changes that may be the host's. They are measured again before they are
    /// reported.
    #[must_use]
    pub fn to_confirm(&self, reported: &BTreeSet<String>) -> Vec<Change> {
        let mut all = self.unreported(reported);
        all.retain(|change| is_doubtful(change, self.sides(change).as_ref()));
        all.into_iter().cloned().collect()
    }

    /// The changes that can be measured again on this host, and the others with the reason.
    #[must_use]
    pub fn divided(
        &self,
        changes: Vec<Change>,
        host: HostId,
        plan: &Plan,
    ) -> (Vec<Change>, Vec<(Change, String)>) {
        let of_host = self.hosts.iter().filter(|(id, _)| *id == host);
        let changes_here = of_host.flat_map(|(_, found)| &found.changes);
        let here: BTreeSet<&str> = changes_here.map(|known| known.name.as_str()).collect();
        let (mut wanted, mut left_out) = (Vec::new(), Vec::new());
        for change in changes {
            match why_not_here(&change, &here, plan) {
                Some(why) => left_out.push((change, why)),
                None => wanted.push(change),
            }
        }
        (wanted, left_out)
    }
}
