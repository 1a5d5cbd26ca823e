//! The rule of a run: what comes before measuring, and when it stops.
//!
//! [`RuleRequest`] are what a plan or a command line asks for; [`Rule`] is what that means, with
//! nothing left open. The rule is kept with the run, so that it can be said later why there are as
//! many samples as there are.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

/// Rounds where nothing else is requested.
const ROUNDS: u32 = 10;
/// Fewest rounds before a precision counts: with fewer there is no interval.
const FEWEST: u32 = 10;
/// Most rounds where a precision is requested.
const MOST: u32 = 200;
/// Most rounds where a time budget ends it.
pub const MOST_IN_BUDGET: u32 = 10_000;
/// How durations are written.
pub(crate) const DURATIONS: &str =
    "durations are written like \"500ms\", \"60s\", \"5m\" or \"2h\"";
/// The longest duration: a year, so that no clock overflows.
const LONGEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// The warmup before measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Warmup {
    /// This many executions of each cell, recorded and never summarised; 0 means no warmup.
    Executions(u32),
    /// No warmup. The first phase of the measured executions is left out if it differs from the
    /// rest.
    Found,
    /// Executions of each cell until they have taken this long together, recorded and never
    /// summarised.
    Time(Duration),
}

impl Warmup {
    /// Whether the first of all executions of a run are in the order of the cells, the newest
    /// revision first.
    #[must_use]
    pub fn is_any(self) -> bool {
        self != Warmup::Executions(0)
    }

    /// As much for each of this many builds that are executed in turn.
    #[must_use]
    pub fn times(self, builds: u32) -> Self {
        match self {
            Warmup::Executions(number) => Warmup::Executions(number.saturating_mul(builds)),
            Warmup::Found => Warmup::Found,
            Warmup::Time(time) => Warmup::Time(time.saturating_mul(builds)),
        }
    }

    /// How many executions of each cell there are before the first round, where that is known.
    #[must_use]
    pub fn executions(self) -> Option<u32> {
        match self {
            Warmup::Executions(number) => Some(number),
            Warmup::Found => Some(0),
            Warmup::Time(_) => None,
        }
    }
}

impl From<bool> for Warmup {
    fn from(any: bool) -> Self {
        Warmup::Executions(u32::from(any))
    }
}

impl FromStr for Warmup {
    type Err = RuleError;

    /// `true`, `false`, a number of executions, a duration, or `found`.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        match text {
            "found" => return Ok(Warmup::Found),
            "true" => return Ok(true.into()),
            "false" => return Ok(false.into()),
            _ => {}
        }
        let number = text.parse().map(Warmup::Executions).ok();
        let time = || duration(text).map(Warmup::Time).ok();
        number.or_else(time).ok_or_else(|| RuleError::BadWarmup { text: text.to_owned() })
    }
}

impl fmt::Display for Warmup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warmup::Executions(0) => f.write_str("none"),
            Warmup::Executions(1) => f.write_str("1 execution"),
            Warmup::Executions(number) => write!(f, "{number} executions"),
            Warmup::Found => f.write_str("found"),
            Warmup::Time(time) => {
                write!(f, "{:#}", SignedDuration::try_from(*time).unwrap_or(LONGEST))
            }
        }
    }
}

/// How precisely the median of a metric is to be known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Precision {
    /// How far the interval may reach to either side, as a share of the median (0.01 is ± 1 %).
    pub share: f64,
    /// The metric; if absent, or if the benchmark does not have it, the benchmark's first metric.
    pub metric: Option<String>,
}

/// The warmup, and the stopping rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// The warmup.
    pub warmup: Warmup,
    /// Fewest rounds before a precision counts.
    pub min_rounds: u32,
    /// Most rounds of each cell; without a precision as many as there are, unless a budget ends it.
    pub max_rounds: u32,
    /// A cell that is known as precisely as this takes no part any more.
    pub precision: Option<Precision>,
    /// The longest time that measuring may take in one run.
    pub budget: Option<Duration>,
    /// The longest time of a cell, hooks included: it takes no part after that, once it has its
    /// fewest rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<Duration>,
    /// The longest time that all rounds together wait for a quiet host; disturbed rounds are
    /// repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_wait: Option<Duration>,
}

impl Default for Rule {
    fn default() -> Self {
        let (warmup, min_rounds, max_rounds) = (true.into(), ROUNDS, ROUNDS);
        Self {
            warmup,
            min_rounds,
            max_rounds,
            precision: None,
            budget: None,
            each: None,
            quiet_wait: None,
        }
    }
}

/// The reason why the measuring of a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// The time for its run was spent.
    Budget,
    /// There were to be no more rounds.
    MaxRounds,
    /// Its median was known as precisely as was requested.
    Precision,
}

/// The reason why the measuring of a cell ended, and the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// The reason.
    pub by: EndReason,
    /// The precision that was requested, reached or not.
    pub precision: Option<Precision>,
}

/// The request of a plan or a command line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleRequest {
    /// Exactly this many rounds, unless a budget ends it.
    pub rounds: Option<u32>,
    /// How precisely medians are to be known, as a share.
    pub precision: Option<f64>,
    /// The medians of which metric.
    pub precision_metric: Option<String>,
    /// Fewest rounds before that counts.
    pub min_rounds: Option<u32>,
    /// Most rounds.
    pub max_rounds: Option<u32>,
    /// The longest time.
    pub budget: Option<Duration>,
    /// The warmup.
    pub warmup: Option<Warmup>,
    /// How long rounds wait for a quiet host.
    pub quiet_wait: Option<Duration>,
}

impl RuleRequest {
    /// These requests, and the others where this one has none. A number of rounds and a precision
    /// replace one another.
    #[must_use]
    pub fn before(self, others: &Self) -> Self {
        let others = others.clone();
        let fixed = self.rounds.is_some();
        let open = self.precision.is_some();
        let unless = |replaced: bool, value: Option<u32>| value.filter(|_| !replaced);
        Self {
            rounds: self.rounds.or(unless(open, others.rounds)),
            precision: self.precision.or(others.precision.filter(|_| !fixed)),
            precision_metric: self.precision_metric.or(others.precision_metric.filter(|_| !fixed)),
            min_rounds: self.min_rounds.or(unless(fixed, others.min_rounds)),
            max_rounds: self.max_rounds.or(unless(fixed, others.max_rounds)),
            budget: self.budget.or(others.budget),
            warmup: self.warmup.or(others.warmup),
            quiet_wait: self.quiet_wait.or(others.quiet_wait),
        }
    }

    /// The rule of this request, unless it contradicts itself.
    pub fn rule(&self) -> Result<Rule, RuleError> {
        self.agree()?;
        let warmup = self.warmup.unwrap_or(Rule::default().warmup);
        let share = self.precision.filter(|_| self.rounds.is_none());
        let precision =
            share.map(|share| Precision { share, metric: self.precision_metric.clone() });
        let most = match (&precision, self.budget) {
            (_, Some(_)) => MOST_IN_BUDGET,
            (Some(_), None) => MOST,
            (None, None) => ROUNDS,
        };
        let max_rounds = self.rounds.or(self.max_rounds).unwrap_or(most);
        let min_rounds = match precision {
            Some(_) => self.min_rounds.unwrap_or(FEWEST.min(max_rounds)),
            None => max_rounds,
        };
        if min_rounds > max_rounds {
            return Err(RuleError::FewestAboveMost { fewest: min_rounds, most: max_rounds });
        }
        let Self { budget, quiet_wait, .. } = *self;
        Ok(Rule { warmup, min_rounds, max_rounds, precision, budget, each: None, quiet_wait })
    }

    /// Checks that keys do not contradict one another, and have the keys that they need.
    fn agree(&self) -> Result<(), RuleError> {
        let given = [
            ("precision", self.precision.is_some()),
            ("precision-metric", self.precision_metric.is_some()),
            ("min-rounds", self.min_rounds.is_some()),
            ("max-rounds", self.max_rounds.is_some()),
        ];
        if let (Some(_), Some((key, _))) = (self.rounds, given.iter().find(|(_, given)| *given)) {
            return Err(RuleError::Contradiction { key, other: "rounds" });
        }
        if self.precision.is_some() && self.warmup == Some(Warmup::Found) {
            return Err(RuleError::Contradiction { key: "precision", other: "warmup = \"found\"" });
        }
        if self.precision.is_none() {
            if let Some((key, _)) = given[1..3].iter().find(|(_, given)| *given) {
                return Err(RuleError::Pointless { key, without: "precision" });
            }
            if self.max_rounds.is_some() && self.budget.is_none() {
                return Err(RuleError::Pointless {
                    key: "max-rounds",
                    without: "precision` or `budget",
                });
            }
        }
        Ok(())
    }
}

/// The errors of a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// A duration cannot be read.
    #[error("`{text}` is not a duration{}", because(why))]
    BadDuration {
        /// The given text.
        text: String,
        /// Why not, if that is not clear.
        why: &'static str,
    },
    /// A precision cannot be read.
    #[error("`{text}` is not a precision")]
    BadPrecision {
        /// The given text.
        text: String,
    },
    /// A warmup cannot be read.
    #[error("`{text}` is not a warmup")]
    BadWarmup {
        /// The given text.
        text: String,
    },
    /// Two requests exclude one another.
    #[error("`{key}` contradicts `{other}`")]
    Contradiction {
        /// The one.
        key: &'static str,
        /// The other.
        other: &'static str,
    },
    /// There must be more rounds than there may be.
    #[error("`min-rounds` is {fewest}, and `max-rounds` is {most}")]
    FewestAboveMost {
        /// The fewest.
        fewest: u32,
        /// The most.
        most: u32,
    },
    /// A key has no meaning alone.
    #[error("`{key}` needs `{without}`")]
    Pointless {
        /// The key.
        key: &'static str,
        /// The missing key.
        without: &'static str,
    },
    /// Every execution must give the same answer, but no warmup gives the first one.
    #[error("`expect.stdout = \"same\"` contradicts `warmup = false`")]
    SameWithoutWarmup,
    /// No benchmark has the metric.
    #[error("no benchmark has a metric `{name}`")]
    UnknownMetric {
        /// Its name.
        name: String,
    },
}

impl RuleError {
    /// The key of the plan that it is about.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            RuleError::BadDuration { .. } => "budget",
            RuleError::BadPrecision { .. } => "precision",
            RuleError::BadWarmup { .. } | RuleError::SameWithoutWarmup => "warmup",
            RuleError::Contradiction { key, .. } | RuleError::Pointless { key, .. } => key,
            RuleError::FewestAboveMost { .. } => "min-rounds",
            RuleError::UnknownMetric { .. } => "precision-metric",
        }
    }

    /// The advice.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            RuleError::BadDuration { .. } => DURATIONS,
            RuleError::BadPrecision { .. } => "a precision is written like \"1%\" or \"0.5%\"",
            RuleError::BadWarmup { .. } => {
                "write a number of executions, a time like \"2s\", \"found\", true or false"
            }
            RuleError::Contradiction { other: "rounds", .. } => {
                "`rounds` is a fixed number: leave it out; `max-rounds` sets a limit"
            }
            RuleError::Contradiction { key: "precision", other: "levels" } => {
                "the precision depends on the number of layouts: raise `layouts` in `levels`; the \
                 command `tacho layouts` recommends a number"
            }
            RuleError::Contradiction { key: "order", other: "levels" } => {
                "`order` is one fixed order, and `levels` shuffles the order: remove one of the \
                 two keys"
            }
            RuleError::Contradiction { other: "levels", .. } => {
                "with `levels` each build has its own warmup: give a number of executions or a time"
            }
            RuleError::Contradiction { .. } => {
                "a precision needs to know where the warmup ends: give a number of executions or a \
                 time"
            }
            RuleError::FewestAboveMost { .. } => "raise `max-rounds` or lower `min-rounds`",
            RuleError::Pointless { key: "max-rounds", .. } => "for a fixed number give `rounds`",
            RuleError::Pointless { .. } => "give a `precision` too, like \"1%\"",
            RuleError::SameWithoutWarmup => {
                "the reference answer comes from the warmup: keep the warmup, or compare with a \
                 `file`"
            }
            RuleError::UnknownMetric { .. } => {
                "the metric must be built in, or in the `metrics` of a benchmark"
            }
        }
    }
}

/// The reason after a colon, if there is one.
fn because(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

/// A duration above zero, up to a year: `500ms`, `60s`, `5m`, `2h`.
pub fn duration(text: &str) -> Result<Duration, RuleError> {
    let why = match text.parse::<SignedDuration>() {
        Ok(duration) if duration > LONGEST => "it is longer than a year",
        Ok(duration) if duration.is_positive() => return Ok(duration.unsigned_abs()),
        Ok(_) => "it is not above zero",
        Err(_) => "",
    };
    Err(RuleError::BadDuration { text: text.to_owned(), why })
}

/// A share above 0 and below 1, written in per cent: `1%`, `0.5 %`.
pub fn percentage(text: &str) -> Result<f64, RuleError> {
    let number = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    let share = number.map(|number| number / 100.0).filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| RuleError::BadPrecision { text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> RuleRequest {
        RuleRequest::default()
    }

    #[test]
    fn what_is_left_open_has_a_meaning() {
        let rule = |request: RuleRequest| request.rule().unwrap();
        assert_eq!(rule(request()), Rule::default());
        let fixed = rule(RuleRequest { rounds: Some(3), ..request() });
        assert_eq!((fixed.min_rounds, fixed.max_rounds, fixed.precision), (3, 3, None));
        let precise = rule(RuleRequest { precision: Some(0.01), ..request() });
        assert_eq!((precise.min_rounds, precise.max_rounds), (10, 200));
        assert_eq!(precise.precision, Some(Precision { share: 0.01, metric: None }));
        let minute = Some(Duration::from_secs(60));
        let budget = rule(RuleRequest { budget: minute, ..request() });
        assert_eq!((budget.min_rounds, budget.max_rounds, budget.budget), (10_000, 10_000, minute));
        let within = rule(RuleRequest { budget: minute, rounds: Some(5), ..request() });
        assert_eq!((within.max_rounds, within.budget), (5, minute));
        let few = rule(RuleRequest { precision: Some(0.01), max_rounds: Some(4), ..request() });
        assert_eq!((few.min_rounds, few.max_rounds), (4, 4));
    }

    #[test]
    fn what_contradicts_itself_is_said() {
        let said = |request: RuleRequest| request.rule().unwrap_err().to_string();
        let (rounds, precision) = (Some(3), Some(0.01));
        assert_eq!(
            said(RuleRequest { rounds, precision, ..request() }),
            "`precision` contradicts `rounds`"
        );
        let found = Some(Warmup::Found);
        let both = RuleRequest { precision, warmup: found, ..request() };
        assert_eq!(said(both), "`precision` contradicts `warmup = \"found\"`");
        assert_eq!(
            said(RuleRequest { max_rounds: rounds, ..request() }),
            "`max-rounds` needs `precision` or `budget`"
        );
        assert_eq!(
            said(RuleRequest { min_rounds: rounds, ..request() }),
            "`min-rounds` needs `precision`"
        );
        let turned =
            RuleRequest { min_rounds: Some(30), max_rounds: Some(20), precision, ..request() };
        assert_eq!(said(turned), "`min-rounds` is 30, and `max-rounds` is 20");
    }

    #[test]
    fn what_is_typed_goes_before_the_plan() {
        let plan = RuleRequest { precision: Some(0.01), max_rounds: Some(50), ..request() };
        let typed = RuleRequest { rounds: Some(7), ..request() }.before(&plan);
        assert_eq!(typed.rule().unwrap().max_rounds, 7);
        let plan =
            RuleRequest { rounds: Some(20), budget: Some(Duration::from_secs(9)), ..request() };
        let typed = RuleRequest { precision: Some(0.02), ..request() }.before(&plan);
        assert_eq!((typed.rounds, typed.rule().unwrap().budget), (None, plan.budget));
    }

    #[test]
    fn what_is_written_is_read() {
        let share = |text: &str| percentage(text).ok();
        assert_eq!([share("1%"), share(" 0.5 % "), share("1")], [Some(0.01), Some(0.005), None]);
        assert_eq!([share("0%"), share("100%"), share("NaN%")], [None; 3]);
        let warmup = |text: &str| text.parse::<Warmup>().ok();
        assert_eq!(
            [warmup("true"), warmup("false")],
            [Some(Warmup::Executions(1)), Some(Warmup::Executions(0))]
        );
        assert_eq!(
            [warmup("3"), warmup("found")],
            [Some(Warmup::Executions(3)), Some(Warmup::Found)]
        );
        assert_eq!(warmup("1500ms"), Some(Warmup::Time(Duration::from_millis(1500))));
        assert_eq!([warmup("-1"), warmup("soon"), warmup("0s")], [None; 3]);
        assert_eq!(Warmup::Time(Duration::from_secs(90)).to_string(), "1m 30s");
    }
}
