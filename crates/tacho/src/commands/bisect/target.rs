//! The subject of a bisection, from the options: one benchmark with one choice of parameters, one
//! metric, and the size of the change.

use crate::error::bisect::{BisectMistake, LEAST, LEAST_RATE};

use tacho_experiment::probe::disturbances_of_culprit;
use tacho_record::bisection::{BisectionRequest, ValueComparison, ValueSource};
use tacho_record::plan::{Benchmark, PlannedMetric};
use tacho_record::{BenchmarkKey, Counter, Direction, Metric, Plan, Unit, duration, in_backticks};
use tacho_subject::Layout;

use super::typed_subject;
use crate::cli::BisectArgs;
use crate::commands::bisect::typed_subject::OF_BUILDS;
use crate::error::CliError;
use crate::output;

/// The subject to measure.
pub struct BisectTarget {
    /// The plan with this benchmark alone, which reads the metric.
    pub plan: Plan,
    key: BenchmarkKey,
    metric: Metric,
    /// The source of its values.
    pub of: ValueSource,
    /// The command that passes or fails, if that is it.
    test: Option<String>,
}

/// The command's request for this plan.
pub fn requested(plan: &Plan, command: &BisectArgs) -> Result<BisectTarget, CliError> {
    if let Some(command) = &command.test {
        if let Some((word, nearest)) = typed_subject::mistyped(command) {
            let what = format!("`--test` executes `{word}`, which is not in `PATH`");
            output::note("warning", &what);
            output::note("hint", &format!("did you mean `{nearest}`?"));
        }
        return test(plan, command);
    }
    let of_build = OF_BUILDS.iter().find(|(name, _)| command.metric.as_deref() == Some(name));
    if let Some(&(name, of)) = of_build {
        let unit = if of == ValueSource::Build { Unit::Nanoseconds } else { Unit::Bytes };
        let metric = Metric { name: name.to_owned(), unit, better: Direction::Lower };
        let key = BenchmarkKey::plain("build");
        return Ok(BisectTarget { plan: plan.clone(), key, metric, of, test: None });
    }
    let (mut benchmark, key) = chosen(plan, command.benchmark.as_deref())?;
    let metric = metric(&mut benchmark, command.metric.as_deref())?;
    let plan = Plan { benchmarks: vec![benchmark], ..plan.clone() };
    Ok(BisectTarget { plan, key, metric, of: ValueSource::Execution, test: None })
}

/// How often a command fails, built as this plan says.
pub(crate) fn test(plan: &Plan, command: &str) -> Result<BisectTarget, CliError> {
    let benchmark = typed_subject::test(command)?;
    let key = BenchmarkKey::plain(benchmark.name.clone());
    let unit = Unit::Other(String::new());
    let metric = Metric { name: "failed".to_owned(), unit, better: Direction::Lower };
    let plan = Plan { benchmarks: vec![benchmark], ..plan.clone() };
    Ok(BisectTarget {
        plan,
        key,
        metric,
        of: ValueSource::Execution,
        test: Some(command.to_owned()),
    })
}

/// The benchmark of that name, with its parameters where it has several; else the only one.
fn chosen(plan: &Plan, name: Option<&str>) -> Result<(Benchmark, BenchmarkKey), CliError> {
    let all = plan.keyed_benchmarks();
    let of = |wanted: &str| -> Vec<_> {
        all.iter().filter(|(it, key)| it.name == wanted || key.to_string() == wanted).collect()
    };
    let chosen = name.map_or_else(|| all.iter().collect(), of);
    let known = || in_backticks(all.iter().map(|(_, key)| key));
    match (chosen.as_slice(), name) {
        ([(benchmark, key)], _) => Ok((benchmark.at(&key.parameters), key.clone())),
        ([], Some(name)) => {
            Err(CliError::UnknownBenchmark { name: name.to_owned(), known: known() })
        }
        _ => Err(BisectMistake::WhichBenchmark { known: known() }.into()),
    }
}

/// The metric of that name, which the benchmark reads from now on; else its first.
pub(crate) fn metric(benchmark: &mut Benchmark, name: Option<&str>) -> Result<Metric, CliError> {
    let own = |name: &str| {
        benchmark.metrics.iter().find(|it| it.metric.name == name).map(|it| it.metric.clone())
    };
    let Some(name) = name else {
        let first = benchmark.metrics.first().map(|planned| planned.metric.clone());
        return Ok(first.or_else(|| Metric::built_in("wall")).unwrap_or_else(wall));
    };
    if let Some(metric) = own(name) {
        return Ok(metric);
    }
    if let Some(counter) = Counter::named(name) {
        let planned = PlannedMetric::counted(counter, false);
        let metric = planned.metric.clone();
        benchmark.metrics.push(planned);
        return Ok(metric);
    }
    Metric::known(name).ok_or_else(|| {
        let names = benchmark.metrics.iter().map(|it| it.metric.name.as_str());
        let built_in = Metric::BUILT_IN.into_iter().filter(|name| own(name).is_none());
        let of_builds = OF_BUILDS.map(|(name, _)| name);
        let counters =
            Counter::ALL.map(Counter::name).into_iter().filter(|name| own(name).is_none());
        let known = names.chain(built_in).chain(of_builds).chain(counters);
        CliError::UnknownMetric { name: name.to_owned(), known: in_backticks(known) }
    })
}

fn wall() -> Metric {
    Metric { name: "wall".to_owned(), unit: Unit::Nanoseconds, better: Direction::Lower }
}

/// The counters that this metric needs.
pub fn counted(benchmark: &Benchmark, metric: &Metric) -> Vec<Counter> {
    let has = benchmark.metrics.iter().any(|planned| planned.metric == *metric);
    Counter::named(&metric.name).filter(|_| has).into_iter().collect()
}

impl BisectTarget {
    /// The question in words that are kept.
    pub fn asked(
        &self,
        command: &BisectArgs,
        (good, bad): (&str, &str),
        exchanged: bool,
        layouts: &[Layout],
    ) -> Result<BisectionRequest, CliError> {
        let benchmark = self.plan.benchmarks.first().filter(|_| self.of == ValueSource::Execution);
        let probe = match benchmark {
            _ if !command.probe => Vec::new(),
            Some(benchmark) => disturbances_of_culprit(benchmark, layouts),
            None => return Err(BisectMistake::NothingToProbe.into()),
        };
        let (by, least) = self.least(command.min_effect.as_deref())?;
        let layout = command.layout.as_deref().map(|text| self.layout(text, by)).transpose()?;
        let before =
            command.before.as_deref().map(|text| before(text, &self.metric.unit)).transpose()?;
        let budget = command.budget.as_deref().map(duration).transpose()?;
        Ok(BisectionRequest {
            good: good.to_owned(),
            bad: bad.to_owned(),
            exchanged,
            benchmark: self.key.clone(),
            metric: self.metric.clone(),
            of: self.of,
            by,
            test: self.test.clone(),
            least,
            budget: budget.map(|budget| budget.as_secs_f64()),
            most_builds: command.max_builds,
            all: command.all,
            into_merges: command.into_merges,
            revert: command.revert,
            change: command.change.clone(),
            before,
            typed: None,
            probe,
            layout,
            aside: None,
            prior: Vec::new(),
            within: Vec::new(),
            spent: None,
        })
    }
}

impl BisectTarget {
    /// How far builds differ, on the scale of changes.
    fn layout(&self, text: &str, scale: ValueComparison) -> Result<f64, CliError> {
        let bad = || BisectMistake::BadLayout { text: text.to_owned() };
        let (by, sd) = effect(text, &self.metric.unit).map_err(|_| bad())?;
        let too_much = by == ValueComparison::Ratio && sd >= 1.0;
        if by == scale && !too_much { Ok(sd) } else { Err(bad().into()) }
    }

    /// How large a change must be.
    fn least(&self, typed: Option<&str>) -> Result<(ValueComparison, f64), CliError> {
        if self.test.is_none() {
            return effect(typed.unwrap_or(LEAST), &self.metric.unit);
        }
        let text = typed.unwrap_or(LEAST_RATE);
        let bad = || BisectMistake::BadRate { text: text.to_owned() };
        let (by, least) = effect(text, &self.metric.unit).map_err(|_| bad())?;
        if by != ValueComparison::Ratio || least <= 0.0 || least > 1.0 {
            return Err(bad().into());
        }
        Ok((ValueComparison::Failure, least))
    }
}

/// How large a change must be: a share, or a difference in the metric's base unit.
pub(crate) fn effect(text: &str, unit: &Unit) -> Result<(ValueComparison, f64), CliError> {
    let (by, size) = match text.trim_end().strip_suffix('%') {
        // Not as a precision is: a value may become three times what it was.
        Some(number) => {
            (ValueComparison::Ratio, number.trim().parse().ok().map(|number: f64| number / 100.0))
        }
        None => (ValueComparison::Difference, value(text, unit)),
    };
    let bad = || BisectMistake::BadEffect { text: text.to_owned() };
    let size = size.filter(|size| *size > 0.0 && size.is_finite()).ok_or_else(bad)?;
    let typed = text.trim();
    match named(unit) {
        Some((what, name)) if is_bare(typed) => {
            let hint = format!("`{typed}%` is a share of the value, `{typed}{name}` a difference");
            Err(BisectMistake::NoUnit { text: typed.to_owned(), what, hint }.into())
        }
        _ => Ok((by, size)),
    }
}

/// The earlier values of both ends.
pub(crate) fn before(text: &str, unit: &Unit) -> Result<(f64, f64), CliError> {
    let values =
        text.split_once(',').and_then(|(good, bad)| Some((value(good, unit)?, value(bad, unit)?)));
    let values = values.ok_or_else(|| BisectMistake::BadBefore { text: text.to_owned() })?;
    match (named(unit), text.split(',').map(str::trim).find(|text| is_bare(text))) {
        (Some((what, name)), Some(typed)) => {
            let hint = format!("write it as `{typed}{name}`");
            Err(BisectMistake::NoUnit { text: typed.to_owned(), what, hint }.into())
        }
        _ => Ok(values),
    }
}

/// The kind of a metric whose numbers are never shown in their kept unit, and a common unit for it:
/// a bare number would mean nanoseconds.
fn named(unit: &Unit) -> Option<(&'static str, &'static str)> {
    match unit {
        Unit::Bytes => Some(("a size", "MiB")),
        Unit::Nanoseconds => Some(("a time", "ms")),
        Unit::Other(_) => None,
    }
}

/// Whether a number has no unit; for 0 the unit does not matter.
fn is_bare(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(|number| number != 0.0)
}

/// A number with or without its unit, in the base unit.
fn value(text: &str, unit: &Unit) -> Option<f64> {
    let text = text.trim();
    let digits =
        text.find(|c: char| !(c.is_ascii_digit() || ".-+".contains(c))).unwrap_or(text.len());
    let (number, name) = text.split_at(digits);
    let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite())?;
    let (known, scale) = Unit::named(name.trim());
    match name.trim() {
        "" => Some(number),
        _ if known == *unit => Some(number * scale),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_a_share_or_a_difference() {
        let read = |text: &str, unit: &Unit| effect(text, unit).ok();
        let bare = Unit::Other(String::new());
        assert_eq!(read("2%", &bare), Some((ValueComparison::Ratio, 0.02)));
        assert_eq!(read("5ms", &Unit::Nanoseconds), Some((ValueComparison::Difference, 5e6)));
        assert_eq!(read("1.5 MiB", &Unit::Bytes), Some((ValueComparison::Difference, 1_572_864.0)));
        assert_eq!(read("200%", &bare), Some((ValueComparison::Ratio, 2.0)));
        assert_eq!(read("3", &bare), Some((ValueComparison::Difference, 3.0)));
        for (text, unit) in
            [("5ms", &bare), ("-1", &bare), ("0", &bare), ("", &bare), ("0%", &bare), ("x%", &bare)]
        {
            assert_eq!(read(text, unit), None, "{text}");
        }
        for (text, unit) in
            [("5", &Unit::Nanoseconds), (" 5 ", &Unit::Bytes), ("1e6", &Unit::Bytes)]
        {
            assert_eq!(read(text, unit), None, "{text}");
        }
        assert_eq!(before("21s,44s", &Unit::Nanoseconds).ok(), Some((21e9, 44e9)));
        assert_eq!(before("0,44s", &Unit::Nanoseconds).ok(), Some((0.0, 44e9)));
        assert!(before("21s, 44", &Unit::Nanoseconds).is_err());
        assert!(before("21s", &Unit::Nanoseconds).is_err());
    }
}
