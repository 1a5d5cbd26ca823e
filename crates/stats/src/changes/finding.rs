//! The answers of the detector.

use std::ops::RangeInclusive;

/// All that was found in a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detection {
    /// The changes of the level, in order.
    pub changes: Vec<DetectedChange>,
    /// Changes of how the values scatter around it, in order: [`Kind::Spread`] and
    /// [`Kind::ModeShare`].
    pub scatter: Vec<DetectedChange>,
    /// The refused candidates, in order.
    pub refused: Vec<RefusedCandidate>,
    /// A drift: the level wandered without a single point of change.
    pub drift: Option<Drift>,
    /// The modes between which the values go to and fro.
    pub modes: Option<Modes>,
    /// Whether the series was judged at all.
    pub judged: JudgementStatus,
}

impl Detection {
    /// All changes, in order: of the level and of the scatter.
    #[must_use]
    pub fn everything(&self) -> Vec<&DetectedChange> {
        let mut all: Vec<&DetectedChange> = self.changes.iter().chain(&self.scatter).collect();
        all.sort_by_key(|change| change.index);
        all
    }
}

/// One change of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct DetectedChange {
    /// The first point at the new level.
    pub index: usize,
    /// The points that may as well be the first at the new level; holds `index`.
    pub range: RangeInclusive<usize>,
    /// The level before, in the unit of the values.
    pub before: f64,
    /// The level after.
    pub after: f64,
    /// The difference of the levels as a share of the size of the one before; infinite where that
    /// is 0 or cannot be distinguished from it. For [`Kind::Spread`] that of the spreads.
    pub effect: f64,
    /// The 95 % interval of the effect.
    pub interval: (f64, f64),
    /// How often a series of this length without any change would show one as clear as this
    /// somewhere.
    pub p: f64,
    /// `1 - p`.
    pub confidence: f64,
    /// What kind of change it is.
    pub kind: Kind,
}

/// Kinds of changes; `record::ChangeKind` is the kept form, as `stats` uses no crate of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The level changed for good, or for long.
    Step,
    /// The level changed for a few points only; [`Kind::DipEnd`] follows.
    DipStart,
    /// The level came back from a dip.
    DipEnd,
    /// Values go to and fro between levels; the share of one of them changed.
    ModeShare,
    /// The spread of the values changed, not their level.
    Spread,
    /// The level changed where the environment changed as well, and no environment that was met on
    /// both sides says that it was the program.
    Environment,
    /// One build differs, which may be its layout alone and not the commit.
    Build,
}

impl Kind {
    /// Whether the level changed, and not the spread.
    #[must_use]
    pub fn is_of_level(self) -> bool {
        !matches!(self, Self::ModeShare | Self::Spread)
    }
}

/// A place that looked like a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefusedCandidate {
    /// The first point at what looked like the new level.
    pub index: usize,
    /// Why it is no change.
    pub why: Refusal,
}

/// Why a candidate is no change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// Too few values at the end of the series: it may be one yet.
    Few,
    /// One outlier, or very few.
    Spike,
    /// A level that the series goes to now and then, and comes back from.
    Mode,
    /// The level wanders as much as this everywhere in the series.
    Drift,
    /// Too small against the noise around it.
    Small,
}

/// A level that wanders, without one point where it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The first point.
    pub first: usize,
    /// The last point.
    pub last: usize,
    /// By how much the level at the end differs from that at the start beyond all changes, as a
    /// share.
    pub effect: f64,
}

/// Levels that the series goes to and fro between.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// The levels, the most frequent one first.
    pub levels: Vec<Mode>,
}

/// One of several levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// The level as a ratio to the most frequent one.
    pub ratio: f64,
    /// The share of the points that are at it.
    pub share: f64,
}

/// Whether a series was judged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum JudgementStatus {
    /// The series was judged.
    Yes,
    /// Not: there are no points.
    #[default]
    Empty,
    /// Not: it has too few finite values.
    TooFew {
        /// The number of points.
        points: usize,
        /// The number of points needed.
        needed: usize,
    },
    /// The series was judged trivially: all finite values are equal.
    Constant,
}
