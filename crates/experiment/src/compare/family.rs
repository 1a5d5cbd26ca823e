//! The rows of a comparison that are judged together.
//!
//! A metric that follows from others is no further question, and one that never varies leaves
//! nothing to chance. Neither makes the other rows harder to believe: a derived metric is judged as
//! if it came to them alone, a constant one by itself.

use tacho_record::{Metric, Sample, derived};
use tacho_stats::compare::{Comparison, Verdict, judge_together};

use crate::compare::row::FALSE_DISCOVERIES;
use tacho_report::comparison::ComparedRow;

/// The role of a row among those that are judged together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FamilyRole {
    /// The values never varied, on either side.
    Constant,
    /// The metric is computed from others.
    Derived,
    /// The row is judged with the others.
    Member,
}

impl FamilyRole {
    fn of(metric: &Metric, is_constant: bool) -> Self {
        match is_constant {
            true => Self::Constant,
            false if derived::DERIVED.contains(&metric.name.as_str()) => Self::Derived,
            false => Self::Member,
        }
    }

    /// The role of a row of a metric with these samples of each side.
    pub(super) fn of_samples(metric: &Metric, sides: [&[Vec<Sample>]; 2]) -> Self {
        let is_constant = |builds: &[Vec<Sample>]| {
            let counted = builds.iter().flatten().filter(|sample| sample.counts());
            let mut values = counted.filter_map(|sample| sample.value(&metric.name));
            values
                .next()
                .is_some_and(|first| values.all(|value| value.to_bits() == first.to_bits()))
        };
        Self::of(metric, sides.into_iter().all(is_constant))
    }

    fn of_row(row: &ComparedRow) -> Self {
        Self::of(&row.metric, row.is_constant())
    }
}

/// The verdicts of all rows.
pub(super) fn verdicts(rows: &[(&Comparison, FamilyRole)]) -> Vec<Verdict> {
    let members = || {
        rows.iter().filter(|(_, part)| *part == FamilyRole::Member).map(|(row, _)| (*row).clone())
    };
    let family: Vec<Comparison> = members().collect();
    let mut judged = judge_together(&family, FALSE_DISCOVERIES).into_iter();
    let mut verdict = |row: &Comparison, part: FamilyRole| match part {
        FamilyRole::Member => judged.next(),
        FamilyRole::Derived => {
            judge_together(&[&family[..], std::slice::from_ref(row)].concat(), FALSE_DISCOVERIES)
                .pop()
        }
        FamilyRole::Constant => None,
    };
    rows.iter().map(|(row, part)| verdict(row, *part).unwrap_or(row.verdict)).collect()
}

/// The parts of rows as they were judged.
pub(super) fn parts(rows: &[ComparedRow]) -> Vec<FamilyRole> {
    rows.iter().map(FamilyRole::of_row).collect()
}

/// How many rows are judged together.
#[must_use]
pub fn judged_together(rows: &[ComparedRow]) -> usize {
    parts(rows).into_iter().filter(|part| *part == FamilyRole::Member).count()
}
