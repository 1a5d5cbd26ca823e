//! The rules of a bisection.

/// How values are to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Positive numbers, compared by ratio: times, sizes, counts.
    Ratios,
    /// Any numbers, compared by difference, in the metric's unit.
    Differences,
    /// Whether a command failed, with a rate of its own on either side of the change.
    Failures,
}

/// How far two builds of the same program are apart for no reason of the source: layout, order of
/// linking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BuildVariation {
    /// The values do not differ, or too little to matter.
    Alike,
    /// By a known standard deviation, on the scale of the effect.
    Vary(f64),
    /// Unknown: revisions beside a verified culprit are built too and show it.
    Unknown,
}

/// The rules of a bisection; the defaults are those in `docs/src/method/bisect.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BisectionRules {
    /// How values are to be taken.
    pub values: ValueKind,
    /// The least effect that is worth finding: of ratios their logarithm (0.02 is 2 %, nearly); of
    /// differences in the unit, of failures a difference of rates.
    pub least: f64,
    /// How far builds of the same program are apart.
    pub builds: BuildVariation,
    /// The cost of a new build, in samples, until the first one was observed.
    pub build_cost: f64,
    /// Seconds that may be spent on builds and samples.
    pub budget: Option<f64>,
    /// Go on after the first culprit, on both sides of it.
    pub all: bool,
    /// Whether the host's speed can move the values: only then is its path removed.
    pub of_speed: bool,
}

impl Default for BisectionRules {
    fn default() -> Self {
        Self {
            values: ValueKind::Ratios,
            least: 0.02,
            builds: BuildVariation::Unknown,
            build_cost: 10.0,
            budget: None,
            all: false,
            of_speed: true,
        }
    }
}

impl BisectionRules {
    /// Whether values include the host's path, which is then removed.
    pub(super) fn has_path(&self) -> bool {
        self.values == ValueKind::Ratios && self.of_speed
    }

    /// For a command that passes or fails, flaky or not: no rate is known, a difference of 20 % is
    /// worth finding, and builds of the same source behave alike.
    #[must_use]
    pub fn failures() -> Self {
        Self {
            values: ValueKind::Failures,
            least: 0.2,
            builds: BuildVariation::Alike,
            ..Self::default()
        }
    }
}

/// Builds of a bisection of some tens of commits.
const USUAL_BUILDS: usize = 9;

/// About how many samples a bisection takes where one has this standard deviation, both on the
/// scale of the effect: as simulated (`docs/src/method/bisect-test.md`, "Cost"). Of this many
/// builds, or of a usual one where that is not known.
#[must_use]
pub fn expected_samples(builds: Option<usize>, least: f64, sd: f64) -> f64 {
    let builds = builds.unwrap_or(USUAL_BUILDS) as f64;
    (16.5 + 1.5 * builds) + (56.0 + 16.0 * builds) * (sd / least).powi(2)
}

/// About how many samples a bisection with this many builds takes where all samples of a build are
/// alike: one of each build, one of an end after each four, and one more of both ends, the culprit
/// and its parent.
#[must_use]
pub fn expected_exact_samples(builds: usize) -> f64 {
    (builds + builds / SENTINEL + 4) as f64
}

/// Up to this number of samples of both ends, a bisection does not give up, however little noise
/// there is.
pub(super) const FEW_ENOUGH: f64 = 500.0;

/// Before anything is measured: as likely as not, nothing changed.
pub(super) const NOTHING: f64 = 0.5;

/// Both ends are measured until *no change* is less likely than this: what is found is verified in
/// fresh samples anyway.
pub(super) const PROVED: f64 = 0.03;

/// The same of a command that passes or fails, whose rates are less sure than levels.
pub(super) const PROVED_OF_FAILURES: f64 = 0.01;

/// The search ends when one revision is as likely as this; verification makes it certain.
pub(super) const FOUND: f64 = 0.9;

/// The probability of a named culprit, or of the smallest set that holds it.
pub(super) const SURE: f64 = 0.95;

/// The logarithm of the odds at which a verification ends, either way: 99 to 1.
pub(super) const ODDS: f64 = 4.595;

/// The same of a command that passes or fails, whose rates are less sure than levels: 499 to 1.
pub(super) const ODDS_OF_FAILURES: f64 = 6.213;

/// Standard errors within which an effect may still be: 99 %.
pub(super) const WITHIN: f64 = 2.6;

/// Standard errors to either side of an effect that its interval has: 95 %.
pub(super) const INTERVAL: f64 = 1.96;

/// *No change* is likelier than this, and an effect as large as requested is farther off than that
/// many standard errors (of looks as often as there are samples each may mislead): then the ends do
/// not differ.
pub(super) const NOTHING_CHANGED: f64 = 0.9;
pub(super) const EXCLUDED: f64 = 3.3;

/// A side of a culprit is not searched if the requested effect is this many standard errors above
/// the residual on that side: 97 %.
pub(super) const LESS: f64 = 2.0;

/// The number of samples of each end at the start. Outliers move their medians little.
pub(super) const START: usize = 6;

/// The number of samples of the search for one sample of an end; for two if the host's speed moves.
pub(super) const SENTINEL: usize = 4;

/// The number of culprits that may fail their verification.
pub(super) const ROUNDS: usize = 4;

/// Effects from which on no layout explains them; below, neighbours are asked.
pub(super) const LAYOUT: f64 = 0.1;

/// The number of revisions on each side of the culprit's border, itself and its parent included.
pub(super) const NEIGHBOURS: usize = 3;
