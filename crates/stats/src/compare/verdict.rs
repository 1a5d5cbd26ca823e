//! The verdict in one word, and its rule.

use super::Estimate;

/// The better direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Lower values, as of time.
    Lower,
    /// Higher values, as of throughput.
    Higher,
}

/// The word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// B is better than A.
    Faster,
    /// B is worse than A.
    Slower,
    /// B is within the margin around A.
    Same,
    /// Neither can be reported.
    Unclear,
}

/// The size of the difference, independent of its significance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The whole interval is within the margin.
    Within,
    /// The whole interval is beyond the margin.
    Beyond,
    /// The interval reaches from within the margin to beyond, or there is no interval.
    Open,
}

impl Verdict {
    /// By one estimate, with a margin on the ratio (0.01: between 1/1.01 and 1.01).
    ///
    /// *Same* by two one-sided tests (Schuirmann, "A Comparison of the Two One-Sided Tests
    /// Procedure and the Power Approach", Journal of Pharmacokinetics and Biopharmaceutics 15
    /// (1987)): the repeated interval is within the margin.
    #[must_use]
    pub fn of(estimate: &Estimate, better: Better, margin: f64) -> Self {
        let higher = match better {
            Better::Lower => Self::Slower,
            Better::Higher => Self::Faster,
        };
        let size = Size::between(estimate.repeated, estimate.repeated_difference, margin);
        match (size, estimate.sign()) {
            (Size::Within, _) => Self::Same,
            (_, 0) => Self::Unclear,
            (_, 1) => higher,
            _ => higher.opposite(),
        }
    }

    /// Faster for slower.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Faster => Self::Slower,
            Self::Slower => Self::Faster,
            other => other,
        }
    }

    /// Whether the verdict is a difference.
    #[must_use]
    pub fn differs(self) -> bool {
        matches!(self, Self::Faster | Self::Slower)
    }
}

impl Size {
    /// The size from the displayed interval, against the margin.
    #[must_use]
    pub fn of(estimate: &Estimate, margin: f64) -> Self {
        Self::between(estimate.interval, estimate.difference_interval, margin)
    }

    fn between(ratio: Option<(f64, f64)>, difference: Option<(f64, f64)>, margin: f64) -> Self {
        let Some((low, high)) = ratio else {
            // No ratio, since A's centre is zero: only what differs nowhere is the same.
            let nothing = difference == Some((0.0, 0.0));
            return if nothing { Self::Within } else { Self::Open };
        };
        let (least, most) = (1.0 / (1.0 + margin), 1.0 + margin);
        match () {
            () if low >= least && high <= most => Self::Within,
            () if low > most || high < least => Self::Beyond,
            () => Self::Open,
        }
    }
}

impl Estimate {
    /// 1 where B is above A for certain, -1 where below, else 0.
    #[must_use]
    pub fn sign(&self) -> i8 {
        match self.repeated_difference {
            Some((low, _)) if low > 0.0 => 1,
            Some((_, high)) if high < 0.0 => -1,
            _ => 0,
        }
    }

    /// How far the repeated interval reaches to its farther side, as a share of the ratio; `None`
    /// where a side has no end.
    #[must_use]
    pub fn reach(&self) -> Option<f64> {
        let ((low, high), ratio) = self.repeated.zip(self.ratio)?;
        Some((high / ratio - 1.0).max(ratio / low - 1.0)).filter(|reach| reach.is_finite())
    }

    /// Whether the displayed interval excludes no difference.
    #[must_use]
    pub fn is_significant(&self) -> bool {
        self.difference_interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }
}
