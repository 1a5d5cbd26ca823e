//! The other revisions that a culprit may represent: those right before it that gave no result.

use super::{Bisection, Candidate, Culprit};

/// The commits right before a culprit of which each may be the cause as well: together they are a
/// set, and the set is verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CulpritSet {
    /// The number of revisions that could not be measured.
    pub unmeasured: usize,
    /// The number of revisions that were left out, since they touch none of the plan's paths.
    pub left_out: usize,
}

impl Bisection {
    /// The other revisions that this culprit may represent.
    #[must_use]
    pub fn others(&self, culprit: &Culprit) -> CulpritSet {
        let &Culprit { place, parent_place, .. } = culprit;
        let candidates = self.candidates.get(parent_place + 1..=place).unwrap_or_default();
        CulpritSet {
            unmeasured: place.saturating_sub(parent_place + 1),
            left_out: candidates.iter().map(|it| it.left_out).sum(),
        }
    }
}

impl Candidate {
    /// Why the commit is a surprise: `although it touches none of the plan's paths`.
    #[must_use]
    pub fn surprise(&self) -> Option<&'static str> {
        self.taken_up.then_some("although it touches none of the plan's paths")
    }
}

impl CulpritSet {
    /// How many they are.
    #[must_use]
    pub fn number(self) -> usize {
        self.unmeasured + self.left_out
    }

    /// In words, if there are any: `one of the 3 commits before it that could not be measured`.
    #[must_use]
    pub fn words(self) -> Option<String> {
        let touch = if self.left_out == 1 { "touches" } else { "touch" };
        let before = match self.number() {
            0 => return None,
            1 => "the commit before it".to_owned(),
            more => format!("one of the {more} commits before it"),
        };
        Some(match (self.unmeasured, self.left_out) {
            (_, 0) => format!("{before} that could not be measured"),
            (0, _) => format!("{before} that {touch} none of the plan's paths"),
            (unmeasured, left_out) => format!(
                "{before} ({unmeasured} could not be measured, {left_out} {touch} none of the \
                 plan's paths)"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_it_may_be_is_said_in_words() {
        let words =
            |unmeasured, left_out| CulpritSet { unmeasured, left_out }.words().unwrap_or_default();
        assert_eq!(words(0, 0), "");
        assert_eq!(words(1, 0), "the commit before it that could not be measured");
        assert_eq!(words(0, 1), "the commit before it that touches none of the plan's paths");
        assert_eq!(
            words(0, 3),
            "one of the 3 commits before it that touch none of the plan's paths"
        );
        assert_eq!(
            words(2, 1),
            "one of the 3 commits before it (2 could not be measured, 1 touches none of the \
             plan's paths)"
        );
    }
}
