//! A limit that a metric is to keep: `peak-memory<512MiB`, `loss<=1%`.

use std::fmt;

use tacho_record::{Metric, Sample, Unit};
use tacho_stats::Summary;

/// How a metric keeps its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitRelation {
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `<=`
    AtMost,
    /// `<`
    Below,
}

/// A limit that a metric is to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricLimit {
    /// The metric.
    pub metric: Metric,
    /// How it keeps the limit.
    pub relation: LimitRelation,
    /// The limit, in the metric's base unit.
    pub value: f64,
}

/// The errors of a limit as it was typed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitMistake {
    /// The text is not a metric, a sign and a number.
    #[error("`{text}` is not a limit")]
    NotALimit {
        /// As it was typed.
        text: String,
    },
    /// No execution has that metric.
    #[error("unknown metric `{name}`")]
    UnknownMetric {
        /// As it was typed.
        name: String,
    },
    /// The number has a unit that the metric has not.
    #[error("`{name}` is not measured in `{unit}`")]
    WrongUnit {
        /// The metric.
        name: String,
        /// The unit, as it was typed.
        unit: String,
    },
}

impl LimitMistake {
    /// The advice.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NotALimit { .. } => {
                "limits are written like `peak-memory<512MiB` or `loss<=1%`".to_owned()
            }
            Self::UnknownMetric { name } => {
                format!(
                    "`-m '{name}=FROM'` reads it from the output; built-in metrics are in the \
                     glossary"
                )
            }
            Self::WrongUnit { .. } => {
                "times are in ns, us, ms, s; sizes in B, KiB, MiB, GiB".to_owned()
            }
        }
    }
}

impl MetricLimit {
    /// Reads a limit; `known` are the metrics that are read from the output.
    pub fn parse(text: &str, known: &[Metric]) -> Result<Self, LimitMistake> {
        let wrong = || LimitMistake::NotALimit { text: text.to_owned() };
        let at = text.find(['<', '>']).ok_or_else(wrong)?;
        let (name, rest) = (text[..at].trim(), &text[at..]);
        let signs = [
            ("<=", LimitRelation::AtMost),
            (">=", LimitRelation::AtLeast),
            ("<", LimitRelation::Below),
            (">", LimitRelation::Above),
        ];
        let (rest, relation) = signs
            .into_iter()
            .find_map(|(sign, relation)| Some((rest.strip_prefix(sign)?.trim(), relation)))
            .ok_or_else(wrong)?;
        let named = known.iter().find(|metric| metric.name == name).cloned();
        let metric = named
            .or_else(|| Metric::known(name))
            .ok_or_else(|| LimitMistake::UnknownMetric { name: name.to_owned() })?;
        let split =
            rest.find(|c: char| !(c.is_ascii_digit() || ".-+".contains(c))).unwrap_or(rest.len());
        let number: f64 = rest[..split].parse().map_err(|_| wrong())?;
        let scale = scale(&metric, rest[split..].trim())?;
        Ok(Self { metric, relation, value: number * scale })
    }

    /// Whether a value keeps the limit.
    #[must_use]
    pub fn keeps(&self, value: f64) -> bool {
        match self.relation {
            LimitRelation::Above => value > self.value,
            LimitRelation::AtLeast => value >= self.value,
            LimitRelation::AtMost => value <= self.value,
            LimitRelation::Below => value < self.value,
        }
    }

    /// Whether an execution keeps the limit. An execution that reached a limit of memory or time
    /// does not; `None` for one without the metric.
    #[must_use]
    pub fn is_kept_by(&self, sample: &Sample) -> Option<bool> {
        if sample.is_limited() {
            return Some(false);
        }
        sample.value(&self.metric.name).filter(|_| sample.counts()).map(|value| self.keeps(value))
    }

    /// Whether the median of these executions keeps the limit, and whether this is certain: its 95
    /// % interval is on one side.
    #[must_use]
    pub fn median_keeps(&self, samples: &[Sample]) -> Option<(bool, bool)> {
        if samples.iter().any(Sample::is_limited) {
            return Some((false, true));
        }
        let counted = samples.iter().filter(|sample| sample.counts());
        let values: Vec<f64> =
            counted.filter_map(|sample| sample.value(&self.metric.name)).collect();
        let summary = Summary::of(&values)?;
        let keeps = self.keeps(summary.median);
        let is_certain = summary
            .interval
            .is_some_and(|(low, high)| self.keeps(low) == keeps && self.keeps(high) == keeps);
        Some((keeps, is_certain))
    }
}

/// The factor of a number in this unit; without a unit the number is in the metric's own.
fn scale(metric: &Metric, unit: &str) -> Result<f64, LimitMistake> {
    let (kind, scale) = Unit::named(unit);
    let is_own = match &metric.unit {
        // Percent may follow any bare number.
        Unit::Other(own) => unit.is_empty() || unit == own || (own.is_empty() && unit == "%"),
        own => unit.is_empty() || kind == *own,
    };
    let wrong = || LimitMistake::WrongUnit { name: metric.name.clone(), unit: unit.to_owned() };
    if is_own { Ok(if unit.is_empty() { 1.0 } else { scale }) } else { Err(wrong()) }
}

impl fmt::Display for MetricLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.relation {
            LimitRelation::Above => ">",
            LimitRelation::AtLeast => ">=",
            LimitRelation::AtMost => "<=",
            LimitRelation::Below => "<",
        };
        write!(f, "{} {sign} {}", self.metric.name, self.metric.unit.show(self.value))
    }
}

#[cfg(test)]
mod tests {
    use tacho_record::Direction;

    use super::*;

    fn loss() -> Metric {
        Metric { name: "loss".into(), unit: Unit::Other(String::new()), better: Direction::Lower }
    }

    #[test]
    fn limits_are_a_metric_a_sign_and_a_number() {
        let read = |text: &str| {
            MetricLimit::parse(text, &[loss()]).map(|limit| (limit.relation, limit.value))
        };
        assert_eq!(read("peak-memory<512MiB"), Ok((LimitRelation::Below, 536_870_912.0)));
        assert_eq!(read("wall <= 1.5 s"), Ok((LimitRelation::AtMost, 1.5e9)));
        assert_eq!(read("loss<1%"), Ok((LimitRelation::Below, 1.0)));
        assert_eq!(read("loss>=0.5"), Ok((LimitRelation::AtLeast, 0.5)));
        let wrong = |text: &str| MetricLimit::parse(text, &[loss()]).unwrap_err().to_string();
        assert_eq!(wrong("wall<1MiB"), "`wall` is not measured in `MiB`");
        assert_eq!(wrong("memory<1MiB"), "unknown metric `memory`");
        assert_eq!(wrong("wall=3"), "`wall=3` is not a limit");
        assert_eq!(wrong("wall<"), "`wall<` is not a limit");
    }

    #[test]
    fn a_limit_reads_as_it_is_written() {
        let limit = MetricLimit::parse("peak-memory<512MiB", &[]).unwrap();
        assert_eq!(limit.to_string(), "peak-memory < 512.0 MiB");
    }
}
