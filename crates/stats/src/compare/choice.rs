//! Which estimator decides: by what a program differs from itself on this host today, never by A against B.

use super::Estimator;
use super::relabel::Null;
use super::sample::{Sample, Scale};

/// Another estimator must be narrower by this factor than the one by rounds.
const SHARPER: f64 = 0.8;

/// Those that may decide; the ratio of the medians is wider than that of all, whatever the noise.
const CANDIDATES: [Estimator; 5] =
    [Estimator::RoundRatios, Estimator::AllRatios, Estimator::Mean, Estimator::Minimum, Estimator::LowDecile];

/// Those of them for values of zero or below: where the lowest are all zero, what compares the low end never moves, and
/// would seem infinitely sharp.
const BY_DIFFERENCE: [Estimator; 3] = [Estimator::RoundRatios, Estimator::AllRatios, Estimator::Mean];

/// Why this estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// It was asked for.
    Asked,
    /// It was the sharpest between A and its control.
    Control,
    /// Rounds tell more than the samples on their own, or less; there was no control to ask.
    Pairing,
    /// Samples come in levels, for which there is no other.
    Levels,
    /// A side was measured in another run, where there is no other.
    Earlier,
    /// Both were executed at the same time: a pair is a round.
    Duet,
    /// Of several modes that are different ones, or that differ in their shares, the means alone tell.
    Modes,
    /// Too few samples to know.
    Few,
}

/// The estimator that decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The one.
    pub estimator: Estimator,
    /// Why.
    pub because: Because,
    /// What was compared: by how much each estimator's interval was off to either side, when nothing differed (0.02
    /// is ± 2 %); empty where values are compared by difference.
    pub widths: Vec<(Estimator, f64)>,
    /// How many times as many samples would be needed without pairing by rounds; below 1, pairing costs.
    pub pairing_gain: Option<f64>,
}

impl Choice {
    pub(super) fn plain(estimator: Estimator, because: Because) -> Self {
        Self { estimator, because, widths: Vec::new(), pairing_gain: None }
    }

    /// For levels, and for what was asked for.
    pub(super) fn given(estimator: Option<Estimator>, has_levels: bool) -> Option<Self> {
        match (estimator, has_levels) {
            (Some(estimator), _) => Some(Self::plain(estimator, Because::Asked)),
            (None, true) => Some(Self::plain(Estimator::Median, Because::Levels)),
            (None, false) => None,
        }
    }

    /// By a program against itself: all estimators with a control, else only with or without pairing.
    pub(super) fn by(scale: Scale, null: &Null, is_control: bool, level: f64) -> Self {
        let candidates = if scale == Scale::Ratio { CANDIDATES.as_slice() } else { BY_DIFFERENCE.as_slice() };
        let asked = if is_control { candidates } else { &candidates[..2] };
        let width = |&estimator: &Estimator| Some((estimator, null.width(estimator, level)?));
        let widths: Vec<(Estimator, f64)> = asked.iter().filter_map(width).collect();
        let of = |wanted: Estimator| widths.iter().find(|(e, _)| *e == wanted).map(|(_, width)| *width);
        let (rounds, all) = (of(Estimator::RoundRatios), of(Estimator::AllRatios));
        let pairing_gain =
            rounds.zip(all).map(|(rounds, all)| (all / rounds).powi(2)).filter(|g| g.is_finite());
        let usual = if rounds.is_some() { Estimator::RoundRatios } else { Estimator::AllRatios };
        // Of differences none at all is no sharpness: most values are the same, such as 0.
        let is_apt = |&(_, width): &(Estimator, f64)| scale == Scale::Ratio || width > 0.0;
        let sharpest = widths.iter().copied().filter(is_apt).min_by(|one, other| one.1.total_cmp(&other.1));
        let sharper = sharpest.filter(|&(_, width)| of(usual).is_none_or(|usual| width < SHARPER * usual));
        let because = match widths.len() {
            0 => Because::Few,
            _ if is_control => Because::Control,
            _ => Because::Pairing,
        };
        // Only those of logarithms are shares.
        let shares = widths.into_iter().filter(|_| scale == Scale::Ratio);
        let widths = shares.map(|(estimator, width)| (estimator, (width / 2.0).exp_m1())).collect();
        let estimator = sharper.map_or(usual, |(estimator, _)| estimator);
        Self { estimator, because, widths, pairing_gain }
    }
}

/// A program twice: A and its control, or where there is none A and B, their difference taken away.
pub(super) fn null(
    scale: Scale,
    a: &[Sample],
    b: &[Sample],
    control: &[Sample],
    level: f64,
    seed: u64,
) -> (Null, bool) {
    let of_control = (!control.is_empty()).then(|| Null::of(scale, a, control, seed));
    // A control too short for an interval says nothing.
    if let Some(null) = of_control.filter(|null| null.width(Estimator::AllRatios, level).is_some()) {
        return (null, true);
    }
    let both = super::estimate::Both::of(scale, a, b, seed);
    let shift = both.shift(Estimator::AllRatios).filter(|shift| shift.is_finite()).unwrap_or(0.0);
    let moved = b.iter().map(|sample| {
        let value = scale.value_of(scale.of_value(sample.value) - shift);
        Sample { value, ..*sample }
    });
    (Null::of(scale, a, &moved.collect::<Vec<_>>(), seed), false)
}
