//! From where on a bisection saw wrong answers.

use tacho_record::Bisection;
use tacho_record::bisection::{BisectionState, UnusableKind};

use super::sizes::name;

/// From which commit on, or up to which, answers are known to be wrong, or at which where that is
/// an end of the range: it is news long before the rest is decided.
#[derive(Debug, PartialEq, Eq)]
pub struct WrongAnswers {
    /// The finding, in a line.
    pub line: String,
    /// What differs at the wrong one that it names, and which revision printed the expected answer.
    pub why: String,
    /// Whether the commit is known.
    pub is_exact: bool,
    /// Whether the wrong one is an end alone: beyond it nothing is known.
    pub is_end: bool,
}

impl WrongAnswers {
    /// The line, where the commit is known.
    #[must_use]
    pub fn exactly(bisection: &Bisection) -> Option<String> {
        Self::of(bisection).filter(|wrong| wrong.is_exact).map(|wrong| wrong.line)
    }

    /// The wrong answers so far; `None` if answers are right on both sides of wrong ones.
    #[must_use]
    pub fn of(bisection: &Bisection) -> Option<Self> {
        let BisectionState { unusable, ladder, .. } = &bisection.standing;
        let wrong = unusable.iter().filter(|it| it.lack.kind == UnusableKind::WrongAnswer);
        let wrong: Vec<usize> = wrong.map(|it| it.place).collect();
        let right: Vec<usize> = ladder.iter().map(|rung| rung.place).collect();
        let [first, last] = [*wrong.iter().min()?, *wrong.iter().max()?];
        let [first_right, last_right] = [*right.iter().min()?, *right.iter().max()?];
        let name = |place: usize| name(bisection, place);
        let is_exact = last_right + 1 == first || last + 1 == first_right;
        // Beyond the ends of the range nothing is known.
        let is_end = (first, last) == (0, 0) || first + 1 == bisection.candidates.len();
        let line = match (last_right < first, last < first_right) {
            _ if is_exact && is_end => format!("at {} the answer is wrong", name(first)),
            (true, _) if is_exact => format!("from {} on the answer is wrong", name(first)),
            (_, true) if is_exact => format!("up to {} the answer is wrong", name(last)),
            (true, _) => {
                format!("the answer is wrong at {}, and right at {}", name(first), name(last_right))
            }
            (_, true) => {
                format!("the answer is wrong at {}, and right at {}", name(last), name(first_right))
            }
            (false, false) => return None,
        };
        let named = if last_right < first { first } else { last };
        let why = unusable.iter().find(|it| it.place == named).map_or("", |it| &it.lack.why);
        let why = why.strip_prefix("wrong answer: ").unwrap_or(why).to_owned();
        Some(Self { line, why, is_exact, is_end })
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::bisection;
    use super::*;

    #[test]
    fn wrong_answers_are_said_as_soon_as_they_are_seen() {
        let of = |right: &[usize], wrong: &[usize]| {
            let mut bisection = bisection("searching");
            let rungs: Vec<_> = right
                .iter()
                .map(|place| {
                    serde_json::json!({
                        "place": place, "revision": "r", "same_to": place, "samples": 6,
                        "level": 1e9, "error": 0.0
                    })
                })
                .collect();
            let unusable: Vec<_> = wrong
                .iter()
                .map(|place| {
                    serde_json::json!({
                        "place": place, "revision": "r", "kind": "wrong-answer", "why": "other"
                    })
                })
                .collect();
            for (place, candidate) in bisection.candidates.iter_mut().enumerate() {
                candidate.revision.id = format!("{place:07}");
            }
            bisection.standing.ladder = serde_json::from_value(rungs.into()).unwrap();
            bisection.standing.unusable = serde_json::from_value(unusable.into()).unwrap();
            WrongAnswers::of(&bisection).map(|it| it.line)
        };
        assert_eq!(of(&[0, 9999], &[]), None);
        assert_eq!(
            of(&[0, 5], &[9999]).as_deref(),
            Some("the answer is wrong at 0009999, and right at 0000005")
        );
        assert_eq!(of(&[0, 5], &[6, 9999]).as_deref(), Some("from 0000006 on the answer is wrong"));
        assert_eq!(of(&[0, 9998], &[9999]).as_deref(), Some("at 0009999 the answer is wrong"));
        assert_eq!(of(&[1, 9999], &[0]).as_deref(), Some("at 0000000 the answer is wrong"));
        assert_eq!(
            of(&[9999], &[0, 3]).as_deref(),
            Some("the answer is wrong at 0000003, and right at 0009999")
        );
        assert_eq!(of(&[4], &[0, 3]).as_deref(), Some("up to 0000003 the answer is wrong"));
        assert_eq!(of(&[0, 9999], &[3]), None, "it came and went");
    }
}
