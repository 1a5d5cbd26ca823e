//! Options that several commands share.

use clap::{Args, ValueEnum};
use tacho_record::{Plan, ReferenceMode, RequestedEstimator};

/// By what two programs are compared, and when that ends.
#[derive(Clone, Debug, Args)]
pub struct ComparisonArgs {
    /// Only these benchmarks of the plan: `name`, or `name[batch=64]` with its parameters
    #[arg(long, short = 'b', value_name = "NAME")]
    pub benchmark: Vec<String>,
    /// Compare these metrics (`a,b`, or `all`) [default: the first one of each benchmark; with
    /// `--fail-on` all of the plan]
    #[arg(long, short, value_name = "NAME", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// Also count and compare this, such as instructions or instructions=callgrind
    #[arg(long, value_name = "NAME")]
    pub counter: Vec<String>,
    /// Measure at most N rounds [default: 30; with `--budget` no limit; with `--layouts` 10 per
    /// layout]
    #[arg(
        long, short = 'r', value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub rounds: Option<u32>,
    /// Measure each comparison for at most TIME, such as 10m. Builds do not count
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// The largest difference that counts as the same, such as 2%
    #[arg(long, value_name = "PERCENT", default_value = "1%")]
    pub margin: String,
    /// The statistic to compare [default: auto, which depends on the samples]
    #[arg(long, value_name = "NAME", value_enum)]
    pub estimator: Option<EstimatorName>,
    /// Link each program in N orders, and compare over all orders [default: `levels` of the plan,
    /// else one order]
    #[arg(
        long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub layouts: Option<u32>,
    /// Link both sides in one fixed order: sorted (functions by name, linked by GNU ld) or aligned
    /// (functions at multiples of 64 bytes, linked by the build's own linker)
    #[arg(
        long, value_name = "ORDER", value_parser = ["sorted", "aligned"], conflicts_with = "layouts"
    )]
    pub order: Option<String>,
    /// The linker for `--layouts`: mold or lld [default: the first that is installed]
    #[arg(long, value_name = "NAME")]
    pub linker: Option<String>,
    /// Exit with 1 if a row is certainly slower by PERCENT or more, such as slower:5%. `,unclear`
    /// adds undecided rows, `,missing` adds benchmarks of A that B lacks
    #[arg(long, value_name = "slower[:PERCENT],...", value_delimiter = ',')]
    pub fail_on: Vec<String>,
    #[command(flatten)]
    pub reference: ReferenceArgs,
}

impl ComparisonArgs {
    /// How the ratio is taken, where that was typed.
    pub fn estimator(&self) -> Option<RequestedEstimator> {
        self.estimator.and_then(EstimatorName::asked)
    }

    /// Whether an option sets how both are linked.
    pub fn wants_layouts(&self) -> bool {
        self.layouts.is_some() || self.order.is_some()
    }
}

/// How a ratio is taken, as it is typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum EstimatorName {
    Auto,
    Median,
    Mean,
    Min,
}

impl EstimatorName {
    /// The requested estimator; `None` with `auto`.
    pub fn asked(self) -> Option<RequestedEstimator> {
        match self {
            EstimatorName::Auto => None,
            EstimatorName::Median => Some(RequestedEstimator::Median),
            EstimatorName::Mean => Some(RequestedEstimator::Mean),
            EstimatorName::Min => Some(RequestedEstimator::Minimum),
        }
    }
}

/// How much of the time goes to fixed programs.
#[derive(Clone, Debug, Default, Args)]
pub struct ReferenceArgs {
    /// Also execute fixed programs, to see changes of the machine: off, cheap (at most 5 % of the
    /// time) or full (in each round) [default: the plan's, else cheap in `tacho track` and off
    /// elsewhere]
    #[arg(long, value_name = "MODE")]
    pub reference: Option<ReferenceMode>,
}

impl ReferenceArgs {
    /// The plan with what was typed.
    pub fn applied(&self, mut plan: Plan) -> Plan {
        let planned = &mut plan.measure.reference.programs;
        *planned = self.reference.or(*planned);
        plan
    }
}

/// How a run begins.
#[derive(Clone, Debug, Args)]
pub struct StartArgs {
    /// The seed of the random order of a new run [default: random, and recorded]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Wait until no other measurement is active on this host
    #[arg(long)]
    pub wait: bool,
}

/// How the answer is written, other than as text.
#[derive(Clone, Debug, Default, Args)]
pub struct FormatArgs {
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print the answer as Markdown, for a mail or an issue
    #[arg(long)]
    pub markdown: bool,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum DirectionName {
    /// Time, memory and the like
    Lower,
    /// Throughput and the like
    Higher,
}

impl From<DirectionName> for tacho_record::Direction {
    fn from(name: DirectionName) -> Self {
        match name {
            DirectionName::Higher => Self::Higher,
            DirectionName::Lower => Self::Lower,
        }
    }
}

/// A number of per cent, with or without the sign.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    number
        .ok()
        .filter(|number| number.is_finite() && *number >= 0.0)
        .ok_or_else(|| "not a number of per cent".to_owned())
}

/// Which metrics are shown, and how.
#[derive(Clone, Debug, Args)]
pub struct ShownMetricArgs {
    /// Show these metrics (`a,b`); `all` for all [default: the first one of each benchmark]
    #[arg(long, short, value_name = "NAME", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long)]
    pub json: bool,
}
