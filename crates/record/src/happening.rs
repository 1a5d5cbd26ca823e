//! The history of a change since it was found.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{ChangeState, Finding, RepeatMeasurement, Withdrawal};

/// Something that happened to a change.
///
/// A [moved](HappeningKind::Moved) change keeps the finding that was replaced. The finding after it
/// is in the next such event, or is the present finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Happening {
    /// When.
    pub at: Timestamp,
    /// The event.
    #[serde(flatten)]
    pub what: HappeningKind,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "happened", rename_all = "kebab-case")]
pub enum HappeningKind {
    /// The analyses still found the change after points were added.
    Confirmed {
        /// In how many analyses in a row it was seen; absent when it was measured again instead.
        seen: Option<u32>,
    },
    /// The level came back.
    Fixed {
        /// The change with which it did.
        by: String,
    },
    /// The change was found.
    Found {
        /// Its first revision.
        revision: String,
    },
    /// Both sides were measured again.
    Measured(RepeatMeasurement),
    /// Later samples changed the finding: the likeliest first revision, the range, the kind or the
    /// size.
    Moved {
        /// The finding until then.
        from: Box<Finding>,
    },
    /// The user gave his word.
    Said {
        /// The word until then.
        from: ChangeState,
        /// The word.
        to: ChangeState,
        /// The user's note; empty if there is no note.
        note: String,
    },
    /// The level did not come back after all.
    Unfixed,
    /// The change was withdrawn.
    Withdrawn {
        /// Why.
        why: Withdrawal,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_written_flat() {
        let at = Timestamp::UNIX_EPOCH;
        let happening =
            Happening { at, what: HappeningKind::Withdrawn { why: Withdrawal::NotSeen } };
        let text = serde_json::to_string(&happening).unwrap();
        assert_eq!(
            text,
            r#"{"at":"1970-01-01T00:00:00Z","happened":"withdrawn","why":"not-seen"}"#
        );
        assert_eq!(serde_json::from_str::<Happening>(&text).unwrap(), happening);
    }
}
