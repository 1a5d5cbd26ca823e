//! Values of a parameter, as they are typed: lists, steps, factors, ranges.

use std::collections::BTreeSet;

use super::mistake::SweepMistake;
use crate::commands::bench::parameters::{ParameterRange, list, range};
use crate::error::CliError;
use crate::error::bench::BenchMistake;
use crate::output;

/// A list has at most this many values.
const MOST: usize = 10_000;
/// All values of a range of loads are tried where there are at most this many.
const ALL_LOADS: usize = 2000;
/// Neighbouring loads of longer ranges differ by this share.
const LOAD_STEP: f64 = 0.005;

/// The values of `NAME=VALUES`; numbers in rising order.
pub fn parameter(text: &str) -> Result<ParameterRange, CliError> {
    let wrong = || SweepMistake::NoValues { text: text.to_owned() };
    let (name, values) = text.split_once('=').ok_or_else(wrong)?;
    if name.is_empty() || values.is_empty() {
        return Err(wrong().into());
    }
    let mut all: Vec<String> = Vec::new();
    for item in list([name, values]).1 {
        if item.is_empty() {
            return Err(SweepMistake::EmptyValue { text: text.to_owned() }.into());
        }
        match item.split_once("..") {
            Some((from, to)) => all.extend(steps(name, from, to, &all, text)?),
            None => all.push(item),
        }
    }
    let (typed, values) = (all.len(), in_order(all));
    if values.len() < typed {
        output::note("note", &format!("`{text}` repeats a value: each is measured once"));
    }
    Ok((name.to_owned(), values))
}

/// Numbers in rising order, words as they are; each once.
pub fn in_order(mut all: Vec<String>) -> Vec<String> {
    let Some(mut numbers) = numbers(&all) else {
        let mut seen = BTreeSet::new();
        all.retain(|word| seen.insert(word.clone()));
        return all;
    };
    numbers.sort_by(|one, other| one.0.total_cmp(&other.0));
    numbers.dedup_by(|one, other| one.0 == other.0);
    numbers.into_iter().map(|(_, value)| value).collect()
}

/// The values as numbers, each with its typed text; `None` if one is not a number.
pub fn numbers(values: &[String]) -> Option<Vec<(f64, String)>> {
    let number = |value: &String| {
        Some((value.parse::<f64>().ok().filter(|it| it.is_finite())?, value.clone()))
    };
    values.iter().map(number).collect()
}

/// `4..64` after `1, 2`; `10..100:10`; `1..1024*2`.
fn steps(
    name: &str,
    from: &str,
    to: &str,
    before: &[String],
    text: &str,
) -> Result<Vec<String>, CliError> {
    if let Some((to, step)) = to.split_once(':') {
        return counted(name, [from, to], Some(step), text);
    }
    if let Some((to, factor)) = to.split_once('*') {
        return by_factor(from, to, factor.parse().unwrap_or(0.0), text);
    }
    let wrong = || SweepMistake::Unsteady { text: text.to_owned() };
    let begun = [before, &[from.to_owned()]].concat();
    if let Some(word) = begun.iter().find(|it| numbers(std::slice::from_ref(it)).is_none()) {
        return Err(BenchMistake::NotANumber { text: word.clone() }.into());
    }
    let begun = numbers(&begun).ok_or_else(wrong)?;
    match begun.as_slice() {
        [.., a, b, c] if is_near(b.0 * b.0, a.0 * c.0) && !is_near(b.0 - a.0, c.0 - b.0) => {
            by_factor(from, to, c.0 / b.0, text)
        }
        // Three numbers without a progression do not determine the next ones.
        [.., z, a, b] if !is_near(a.0 - z.0, b.0 - a.0) => Err(wrong().into()),
        [.., a, b] if b.0 > a.0 => counted(name, [from, to], Some(&trimmed(b.0 - a.0, 9)), text),
        [_] => counted(name, [from, to], None, text),
        _ => Err(wrong().into()),
    }
}

/// The numbers between two by steps.
fn counted(
    name: &str,
    [from, to]: [&str; 2],
    step: Option<&str>,
    text: &str,
) -> Result<Vec<String>, CliError> {
    if ends(from, to).is_some_and(|(first, last)| first > last) {
        return Err(SweepMistake::BadRange { text: text.to_owned() }.into());
    }
    match range([name, from, to], step) {
        Ok((_, values)) => Ok(values),
        Err(BenchMistake::EmptyRange { .. } | BenchMistake::LongRange { .. }) => {
            Err(SweepMistake::BadSteps { text: text.to_owned() }.into())
        }
        Err(other) => Err(other.into()),
    }
}

fn by_factor(from: &str, to: &str, factor: f64, text: &str) -> Result<Vec<String>, CliError> {
    let wrong = || SweepMistake::Unsteady { text: text.to_owned() };
    let (first, last) = ends(from, to).ok_or_else(wrong)?;
    if factor <= 1.0 || first <= 0.0 || last < first {
        return Err(wrong().into());
    }
    let is_in = |value: &f64| *value <= last * (1.0 + 1e-9);
    let values = std::iter::successors(Some(first), |value| Some(value * factor)).take_while(is_in);
    Ok(values.take(MOST).map(|value| trimmed(value, 6)).collect())
}

/// The values of a search: `NAME=FROM..TO` in this many steps.
pub fn searched(text: &str, steps: usize, is_log: bool) -> Result<ParameterRange, CliError> {
    let (name, from, to) = named_range(text)?;
    let (first, last) =
        ends(from, to).ok_or_else(|| SweepMistake::BadRange { text: text.to_owned() })?;
    check(text, from, (first, last), is_log)?;
    Ok((name.to_owned(), spaced((first, last), steps, decimals(from).max(decimals(to)), is_log)))
}

/// The values of a load: all of them where they are few, else by steps of half a percent.
pub fn loads(text: &str, is_log: bool) -> Result<ParameterRange, CliError> {
    let (name, from, to) = named_range(text)?;
    let (first, last) =
        ends(from, to).ok_or_else(|| SweepMistake::BadRange { text: text.to_owned() })?;
    check(text, from, (first, last), is_log)?;
    let decimals = decimals(from).max(decimals(to));
    let all = (last - first) * 10_f64.powf(decimals as f64);
    if all <= ALL_LOADS as f64 && !is_log {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most that many
        let steps = all.round() as usize;
        return Ok((name.to_owned(), spaced((first, last), steps, decimals, false)));
    }
    let is_log = first > 0.0;
    let steps = if is_log { (last / first).ln() / LOAD_STEP.ln_1p() } else { ALL_LOADS as f64 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // a range of numbers that were typed
    let steps = (steps.ceil() as usize).min(MOST);
    Ok((name.to_owned(), spaced((first, last), steps, decimals, is_log)))
}

fn named_range(text: &str) -> Result<(&str, &str, &str), SweepMistake> {
    let wrong = || SweepMistake::BadRange { text: text.to_owned() };
    let (name, range) = text.split_once('=').ok_or_else(wrong)?;
    let (from, to) = range.split_once("..").ok_or_else(wrong)?;
    if name.is_empty() { Err(wrong()) } else { Ok((name, from, to)) }
}

fn check(
    text: &str,
    from: &str,
    (first, last): (f64, f64),
    is_log: bool,
) -> Result<(), SweepMistake> {
    if first >= last {
        return Err(SweepMistake::BadRange { text: text.to_owned() });
    }
    if is_log && first <= 0.0 {
        return Err(SweepMistake::NotPositive { text: text.to_owned(), from: from.to_owned() });
    }
    Ok(())
}

/// A number of steps between two numbers, rounded to this many decimals, without duplicates.
fn spaced((first, last): (f64, f64), steps: usize, decimals: usize, is_log: bool) -> Vec<String> {
    let at = |step: usize| {
        let share = step as f64 / steps.max(1) as f64;
        if is_log { first * (last / first).powf(share) } else { first + share * (last - first) }
    };
    let mut values: Vec<String> =
        (0..=steps).map(|step| format!("{:.decimals$}", at(step))).collect();
    values.dedup();
    values
}

fn ends(from: &str, to: &str) -> Option<(f64, f64)> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|it| it.is_finite());
    Some((number(from)?, number(to)?))
}

fn decimals(text: &str) -> usize {
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// A number with at most this many decimals, and none that are 0.
fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Result<String, String> {
        parameter(text).map(|(_, values)| values.join(" ")).map_err(|error| error.to_string())
    }

    #[test]
    fn lists_go_on_as_they_begin() {
        assert_eq!(values("n=1,64,1024").unwrap(), "1 64 1024");
        assert_eq!(values("n=1,2,4..64").unwrap(), "1 2 4 8 16 32 64");
        assert_eq!(values("n=1,2,4..100").unwrap(), "1 2 4 8 16 32 64");
        assert_eq!(values("n=10,20..50").unwrap(), "10 20 30 40 50");
        assert_eq!(values("n=10..50:20").unwrap(), "10 30 50");
        assert_eq!(values("n=0.5..4*2").unwrap(), "0.5 1 2 4");
        assert_eq!(values("n=1..4").unwrap(), "1 2 3 4");
        assert_eq!(values("n=64,1,8").unwrap(), "1 8 64", "numbers rise");
        assert_eq!(values("mode=safe,fast,safe").unwrap(), "safe fast", "each once");
    }

    #[test]
    fn what_does_not_go_on_is_a_mistake() {
        assert_eq!(values("n=").unwrap_err(), "`n=` is not a parameter with values");
        assert_eq!(values("n").unwrap_err(), "`n` is not a parameter with values");
        for text in ["n=1,2,", "n=,1", "n=1,,2"] {
            assert_eq!(values(text).unwrap_err(), format!("`{text}` has an empty value"));
        }
        for text in ["x=a..3", "x=1,a..3"] {
            assert_eq!(values(text).unwrap_err(), "`a` is not a number");
        }
        for text in ["n=1,2,5..100", "n=1,64,100..8192"] {
            let unsteady = format!("the values of `{text}` rise neither by steps nor by a factor");
            assert_eq!(values(text).unwrap_err(), unsteady);
        }
        assert_eq!(values("n=5..1").unwrap_err(), "`n=5..1` is not a range");
        assert!(values("n=1..100000").unwrap_err().contains("more than 10000 values"));
        let unsteady = "the values of `n=8,4..64` rise neither by steps nor by a factor";
        assert_eq!(values("n=8,4..64").unwrap_err(), unsteady);
        assert_eq!(
            values("n=1..8*1").unwrap_err(),
            "the values of `n=1..8*1` rise neither by steps nor by a factor"
        );
    }

    #[test]
    fn a_search_spaces_its_values() {
        let of =
            |text, steps, is_log| searched(text, steps, is_log).map(|(_, values)| values.join(" "));
        assert_eq!(of("n=1..16", 4, true).unwrap(), "1 2 4 8 16");
        assert_eq!(of("n=1..4", 64, true).unwrap(), "1 2 3 4", "equal ones are one");
        assert_eq!(of("n=0.0..1.0", 4, false).unwrap(), "0.0 0.2 0.5 0.8 1.0");
        assert!(of("n=0..16", 4, true).is_err() && of("n=16..1", 4, false).is_err());
    }

    #[test]
    fn loads_are_all_values_or_half_a_percent_apart() {
        assert_eq!(loads("rate=1..1000", false).unwrap().1.len(), 1000);
        let long = loads("rate=1000..1000000", false).unwrap().1;
        assert_eq!(
            (long.first().unwrap().as_str(), long.last().unwrap().as_str()),
            ("1000", "1000000")
        );
        assert!((1300..1450).contains(&long.len()), "{}", long.len());
    }
}
