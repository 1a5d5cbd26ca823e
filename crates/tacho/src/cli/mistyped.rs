//! What is said of a mistyped option.

use clap::error::{ContextKind, ContextValue};

/// The error without the tip that an unknown option may be given as a value, after `--`: where a
/// revision or a file is expected, that only leads to the next error.
pub fn without_wrong_tip(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().contains(" as a value, use "));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Arguments;

    #[test]
    fn an_option_of_another_command_is_not_to_be_given_as_a_value() {
        for typed in [["tacho", "track", "--fail-on"], ["tacho", "changes", "--fail-on"]] {
            let error = without_wrong_tip(Arguments::try_parse_from(typed).err().unwrap());
            let text = error.to_string();
            assert!(text.contains("unexpected argument '--fail-on' found"), "{text}");
            assert!(!text.contains("use '--"), "{text}");
        }
    }
}
