//! What becomes of a change: whether it is held to be true, and what users say of it.

use serde::{Deserialize, Serialize};

/// Where a change stands by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "life", rename_all = "kebab-case")]
pub enum Life {
    /// Held for a fact.
    Confirmed,
    /// Seen, but not yet often enough.
    Provisional,
    /// No longer held; it is kept all the same.
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
    /// It was seen from farther away, over revisions without values, and a change nearer by
    /// explains it.
    Nearer,
    /// It was not seen again before it could be confirmed.
    NotConfirmed,
    /// Both sides were measured again, and do not differ.
    NotReproduced,
    /// It was confirmed, and with what was measured since it is not seen.
    NotSeen,
    /// It came with an edit of the build recipe that was taken back.
    OtherRecipe,
}

/// What a user says of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeState {
    /// It is one. Written `confirmed` once, which is the word for what analyses say of themselves.
    #[serde(alias = "confirmed")]
    Acknowledged,
    /// It is one, and meant to be.
    Expected,
    /// It is none.
    FalseAlarm,
    /// It was one, and is over.
    Fixed,
    /// Nothing yet.
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
