//! Values of a parameter: their numbers, what their curve says, and where a search ended.

mod curve;
mod load;
mod optimum;
mod settle;
mod table;
mod variants;

use tacho_record::{Direction, Metric, ReachedLimit};
use tacho_stats::Summary;
use tacho_stats::sweep::{ExtraCost, SweepCurve};

use crate::block::{AnswerNote, Block};
use crate::run::INTERRUPTED;

pub use load::LoadFindings;
pub use optimum::OptimumFindings;
pub use table::{INTERVAL, TIMES_INTERVAL};
pub use variants::{VariantFindings, VariantRow};

/// Times of the best and of its median may differ by this share without a word.
const ALIKE: f64 = 0.02;

/// The names of values, and which of them have a special role.
#[derive(Clone, Debug)]
pub struct ValueNames {
    /// One a command.
    pub labels: Vec<String>,
    /// The command with the values that are used today.
    pub default: Option<usize>,
    /// The command that does only what cannot be left out.
    pub floor: Option<usize>,
    /// Whether several commands are compared, and not the values of one alone.
    pub has_variants: bool,
}

impl ValueNames {
    /// The name of a command.
    #[must_use]
    pub fn label(&self, command: usize) -> String {
        self.labels[command].clone()
    }
}

/// How one value did.
#[derive(Clone, Debug)]
pub struct SweepRow {
    /// The objective.
    pub summary: Option<Summary>,
    /// Its place in the curve, if it has one: it gave values, and keeps all limits.
    pub place: Option<usize>,
    /// Whether each limit is kept, and whether this is certain; `None` if unknown.
    pub limits: Vec<Option<(bool, bool)>>,
    /// Busy time by wall time of its executions; `None` if one of them is not read.
    pub busy_share: Option<f64>,
    /// How many executions failed, and how the first of them did.
    pub failed: (usize, Option<String>),
    /// How many executions reached a limit, and which the first of them did.
    pub limited: (usize, Option<ReachedLimit>),
}

/// The role of a value in its curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepMark {
    /// The value looks best.
    Best,
    /// The value is not distinguishable from the best.
    Plateau,
    /// From there to the best value, further steps gain less.
    Knee,
    /// The value is in use today.
    Default,
}

impl SweepMark {
    /// In a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Plateau => "plateau",
            Self::Knee => "knee",
            Self::Default => "default",
        }
    }
}

/// A limit that values are to keep.
#[derive(Clone, Debug)]
pub struct SweepLimit<'a> {
    /// As it is written: `peak-memory<512MiB`.
    pub text: String,
    /// The name of its metric.
    pub metric: &'a str,
}

/// The results of all values.
#[derive(Clone, Debug)]
pub struct SweepFindings<'a> {
    /// The names of the values.
    pub names: &'a ValueNames,
    /// The metric whose best value is looked for.
    pub metric: Metric,
    /// Up to this share two values are called the same.
    pub margin: f64,
    /// The limits, in the order of [`SweepRow::limits`].
    pub limits: Vec<SweepLimit<'a>>,
    /// One a value, in order of the commands.
    pub rows: &'a [SweepRow],
    /// The curve over the values that have a place in it, or the reason why there is no curve.
    pub curve: Result<&'a SweepCurve, String>,
    /// The commands in the curve, by their place in it.
    pub places: &'a [usize],
    /// Whether instructions can be counted in software here.
    pub has_callgrind: bool,
    /// Whether the user stopped the sweep.
    pub is_interrupted: bool,
}

impl SweepFindings<'_> {
    /// The rows and what the curve says.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let lines = self.lines().into_iter().map(Block::Note);
        [Block::Table(self.table())].into_iter().chain(lines).collect()
    }

    /// The remarks on all values, one a line.
    #[must_use]
    pub fn lines(&self) -> Vec<AnswerNote> {
        let stopped = self.is_interrupted.then(|| AnswerNote::plain(INTERRUPTED));
        stopped.into_iter().chain(self.about_curve()).collect()
    }

    /// The values that were executed, with their places among the commands.
    pub fn executed(&self) -> impl Iterator<Item = (usize, &SweepRow)> {
        let all = self.rows.iter().enumerate();
        all.filter(|(_, row)| row.summary.is_some() || row.failed.0 + row.limited.0 > 0)
    }

    /// The roles of a value in the curve.
    #[must_use]
    pub fn marks(&self, at: usize, row: &SweepRow) -> Vec<SweepMark> {
        let mut marks = Vec::new();
        if let (Ok(curve), Some(place)) = (&self.curve, row.place) {
            let is_varied = curve.plateau.len() < self.places.len();
            let is_alike = is_varied && curve.plateau.contains(&place);
            let shape = if place == curve.best {
                Some(SweepMark::Best)
            } else {
                is_alike.then_some(SweepMark::Plateau)
            };
            marks.extend(shape);
            marks.extend((curve.knee == Some(place)).then_some(SweepMark::Knee));
        }
        marks.extend((self.names.default == Some(at)).then_some(SweepMark::Default));
        marks
    }

    /// The words for the curve, or the reason why there is no curve.
    fn about_curve(&self) -> Vec<AnswerNote> {
        let curve = match &self.curve {
            Ok(curve) => curve,
            Err(missing) => return vec![AnswerNote::about("no curve", missing.as_str())],
        };
        let median = |at: &usize| self.rows[*at].summary.map_or(f64::NAN, |it| it.median);
        let medians: Vec<f64> = self.places.iter().map(median).collect();
        let mut lines = self.sentences(curve, &medians);
        if differ(curve, &medians, self.metric.better) {
            lines.push(AnswerNote::plain(DIFFERS));
        }
        lines
    }
}

/// Why some value is another multiple of the best one than by the medians beside it.
const DIFFERS: &str = "`× best` compares levels that are fitted to all executions, so it differs \
                       here from the ratio of the medians";

/// Whether a value's multiple of the best one differs between medians and levels.
fn differ(curve: &SweepCurve, medians: &[f64], better: Direction) -> bool {
    let sign = if better == Direction::Lower { 1.0 } else { -1.0 };
    let best = medians[curve.best];
    let apart = |(cost, median): (&ExtraCost, &f64)| {
        (cost.estimate - sign * (median / best).ln()).abs() > ALIKE
    };
    curve.costs.iter().zip(medians).any(apart)
}
