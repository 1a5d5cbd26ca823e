//! Whether builds need a quirk.

use tacho_record::plan::{Plan, Quirk, Subject};

/// Whether builds need a quirk, by the revisions that were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuirkNeed {
    /// No revision was tried: the quirk applies to none.
    NoRevisions,
    /// The quirk skips revisions that do not build.
    Skips,
    /// A revision does not build with it.
    Fails,
    /// All build without it.
    NotNeeded,
    /// A revision builds only with it.
    Needed,
}

impl QuirkNeed {
    /// By whether each revision that was tried builds with the quirk and without it.
    #[must_use]
    pub fn of(quirk: &Quirk, tried: &[[bool; 2]]) -> Self {
        let all_build = |way: usize| tried.iter().all(|builds| builds[way]);
        let (with, without) = (all_build(0), all_build(1));
        match (tried.is_empty(), quirk.skip) {
            (true, _) => Self::NoRevisions,
            (false, true) if !without => Self::Skips,
            (false, false) if !with => Self::Fails,
            _ if without => Self::NotNeeded,
            _ => Self::Needed,
        }
    }

    /// Its name in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoRevisions => "no revisions",
            Self::Skips => "skips",
            Self::Fails => "fails",
            Self::NotNeeded => "not needed",
            Self::Needed => "needed",
        }
    }
}

/// `number` of `of` places, both ends among them, as evenly apart as can be; all where there are no
/// more.
pub fn spread(of: usize, number: usize) -> impl Iterator<Item = usize> {
    let number = number.min(of);
    (0..number).map(move |at| if number > 1 { at * (of - 1) / (number - 1) } else { at })
}

/// The plan without a quirk.
#[must_use]
pub fn lacking(plan: &Plan, quirk: &Quirk) -> Plan {
    let quirks =
        plan.subject.quirks.iter().filter(|other| other.name != quirk.name).cloned().collect();
    Plan { subject: Subject { quirks, ..plan.subject.clone() }, ..plan.clone() }
}
