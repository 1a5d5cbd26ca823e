//! The default number of rounds of `compare`, `try` and `quirk`, and what several commands are
//! given alike: shares and budgets. The default of `track` is `tacho_record::Rule`'s.

use tacho_record::{RuleError, RuleRequest, percentage};

use crate::error::compare::CompareMistake;

/// At most this many rounds, and so long.
pub fn rule(rounds: Option<u32>, budget: Option<&str>) -> Result<RuleRequest, RuleError> {
    let budget = budget.map(tacho_record::duration).transpose()?;
    // The plan's own number is for tracking: it must not end what has time left.
    let usual = if budget.is_some() { tacho_record::MOST_IN_BUDGET } else { ROUNDS };
    Ok(RuleRequest { rounds: rounds.or(Some(usual)), budget, ..RuleRequest::default() })
}

/// The value of an option that takes a share.
pub fn share(option: &'static str, text: &str) -> Result<f64, CompareMistake> {
    percentage(text).map_err(|_| {
        let is_nothing = text.trim().trim_end_matches('%').trim().parse() == Ok(0.0);
        let text = text.to_owned();
        if is_nothing {
            CompareMistake::ShareOfNothing { option, text }
        } else {
            CompareMistake::NoShare { option, text }
        }
    })
}

/// What is no difference, where nothing else is requested.
pub(crate) const MARGIN: f64 = 0.01;

/// Rounds where nothing else is requested: as many as an answer takes at the most, since it stops
/// as soon as it has one.
pub(crate) const ROUNDS: u32 = 30;
