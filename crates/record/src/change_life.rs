//! The life of a change: whether the analyses still hold it to be true, and the user's judgement.

use serde::{Deserialize, Serialize};

/// The state that the analyses give a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "life", rename_all = "kebab-case")]
pub enum Life {
    /// Held for a fact.
    Confirmed,
    /// Seen, but not yet often enough.
    Provisional,
    /// Withdrawn, but still kept.
    Withdrawn {
        /// Why.
        why: Withdrawal,
    },
}

/// Why a change is no longer held, as that is kept; made from `stats::changes::ledger`, whose
/// `WithdrawalReason` has no form in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Withdrawal {
    /// The change was seen from a distance, over revisions without values, and a nearer change
    /// explains it.
    Nearer,
    /// The change was not seen again before it could be confirmed.
    NotConfirmed,
    /// Both sides were measured again, and do not differ.
    NotReproduced,
    /// The change was confirmed, but is not seen with the samples measured since.
    NotSeen,
    /// The change came with an edit of the build recipe that was undone.
    OtherRecipe,
}

/// The user's judgement of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeState {
    /// The change is real. An earlier version wrote `confirmed`, which is now the word for the
    /// analyses' own state.
    #[serde(alias = "confirmed")]
    Acknowledged,
    /// The change is real and intended.
    Expected,
    /// The change is a false alarm.
    FalseAlarm,
    /// The change was real and is fixed.
    Fixed,
    /// The user has not judged the change.
    New,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_was_once_another_is_still_read() {
        assert_eq!(
            serde_json::from_str::<ChangeState>(r#""confirmed""#).unwrap(),
            ChangeState::Acknowledged
        );
        assert_eq!(serde_json::to_string(&ChangeState::Acknowledged).unwrap(), r#""acknowledged""#);
    }
}
