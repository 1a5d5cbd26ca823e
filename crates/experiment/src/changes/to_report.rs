//! Which changes are reported, and which are measured again before.

use std::collections::BTreeSet;

use tacho_record::{Change, ChangeState, Plan};
use tacho_store::HostId;

use super::confirm::{is_doubtful, why_not_here};
use super::stored::StoredChanges;

impl StoredChanges {
    /// Changes of the plan that stand, to which the user has said nothing, and whose names are not
    /// among those that were reported.
    #[must_use]
    pub fn unreported(&self, reported: &BTreeSet<String>) -> Vec<&Change> {
        let is_due = |change: &&Change| {
            self.is_planned(change)
                && change.stands()
                && change.state() == ChangeState::New
                && !reported.contains(&change.name)
        };
        self.changes().filter(is_due).collect()
    }

    /// Those of the unreported changes that may be the host's: to be measured again before they are
    /// reported.
    #[must_use]
    pub fn to_confirm(&self, reported: &BTreeSet<String>) -> Vec<Change> {
        let mut all = self.unreported(reported);
        all.retain(|change| is_doubtful(change, self.sides(change).as_ref()));
        all.into_iter().cloned().collect()
    }

    /// Those of these changes that can be measured again on this host, and the others with the
    /// reason.
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
