//! Words and numbers as people read them, in every medium.

use std::time::Duration;

use tacho_record::{LimitedExecutions, Unit, factor, shown};
use tacho_stats::Summary;
use tacho_stats::levels::Repetition;

/// A share that a user writes has at most this many digits.
const WRITTEN: usize = 5;
/// A larger factor is not given as a number.
const MOST_TIMES: f64 = 100.0;

/// A duration with the precision that its size deserves: `1.000 ms`, `0.35 s`, `12.3 s`, `3 min 5
/// s`, `2 h 10 min`.
#[must_use]
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let whole = time.as_secs();
    match seconds {
        s if s > 0.0 && s < 0.01 => Unit::Nanoseconds.show(s * 1e9),
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 60.0 => format!("{s:.1} s"),
        s if s < 3600.0 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A median: `12.34 ms`, `> 10.00 s` where only that much is known of it.
#[must_use]
pub fn median(unit: &Unit, summary: &Summary) -> String {
    summary.known_median().shown(|median| unit.show(median))
}

/// An interval, whose ends may not be known: `12.30 ms … 12.41 ms`, `12.30 ms … ∞`.
#[must_use]
pub fn interval(unit: &Unit, (low, high): (f64, f64)) -> String {
    format!("{} … {}", end(low, |it| unit.show(it)), end(high, |it| unit.show(it)))
}

/// An end of an interval, which there may not be.
#[must_use]
pub fn end(value: f64, number: impl FnOnce(f64) -> String) -> String {
    match value {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "−∞".to_owned(),
        value => number(value),
    }
}

/// A share that a user wrote, in percent, as it was written: `0.5 %`.
#[must_use]
pub fn as_written(share: f64) -> String {
    format!("{} %", (share * 1e8).round() / 1e6)
}

/// A share that a user wrote, in percent, as it was written: `± 0.5 %`; one that was calculated has
/// three digits.
#[must_use]
pub fn precision(share: f64) -> String {
    let percent = (share * 1e8).round() / 1e6;
    let written = percent.to_string();
    if written.chars().filter(char::is_ascii_digit).count() <= WRITTEN {
        return format!("± {written} %");
    }
    let unit = 10_f64.powf(2.0 - percent.abs().log10().floor());
    format!("± {} %", (percent * unit).round() / unit)
}

/// By how much executions took longer while the host was slow: `by 78 %`; from twice as long on
/// `by a factor of 9.6`.
#[must_use]
pub fn moved(slower: f64) -> String {
    if slower < 0.005 {
        return "by less than 1 %".to_owned();
    }
    if slower < 1.0 {
        return format!("by {:.0} %", 100.0 * slower);
    }
    let factor = 1.0 + slower;
    let digits = usize::from(factor < 10.0);
    format!("by a factor of {factor:.digits$}")
}

/// The number of samples that would be needed without a correction for the host's speed; `gain` is
/// how many times as many.
#[must_use]
pub(crate) fn uncorrected_cost(gain: f64) -> String {
    let times = match gain {
        gain if gain > MOST_TIMES => format!("over {MOST_TIMES} times"),
        gain if gain < 2.5 => "twice".to_owned(),
        gain => format!("{gain:.0} times"),
    };
    format!("without that, {times} as many samples would be needed")
}

/// How many executions of each layout: `20 executions`, or `1,000 or more executions` where that is
/// all that is requested.
#[must_use]
pub fn executions(repetition: Repetition) -> String {
    if repetition.is_cut_off() {
        return "1,000 or more executions".to_owned();
    }
    count(repetition.processes as usize, "execution")
}

/// Executions that reached a limit: `limit reached: 512.0 MiB of memory (3 executions)`.
#[must_use]
pub fn limited(limited: &LimitedExecutions) -> String {
    let why = limited.why.as_deref().unwrap_or("limit reached");
    format!("{why} ({})", count(limited.count as usize, "execution"))
}

/// `1 build`, `2 builds`, `1,207 analyses`.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {}", grouped(number), plural(noun)) }
}

fn plural(noun: &str) -> String {
    match noun.strip_suffix("is") {
        Some(stem) => format!("{stem}es"),
        None if noun.ends_with("series") => noun.to_owned(),
        None if noun.ends_with("ch") => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}

/// A whole number with its thousands set apart.
#[must_use]
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A relative difference in percent with its sign: `+12.3 %`, `−0.4 %`.
#[must_use]
pub fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    let sign = if percent <= -0.05 { '−' } else { '+' };
    if percent.abs() >= 1000.0 {
        return format!("× {}", factor(ratio));
    }
    format!("{sign}{:.*} %", tenths(percent), percent.abs())
}

/// The number of decimals of a percentage: one, or none for a large number.
fn tenths(percent: f64) -> usize {
    usize::from(percent.abs() < 100.0)
}

/// A share in percent: `1.2 %`; from ten times on as a factor: `× 18.3`.
#[must_use]
pub fn percent(share: f64) -> String {
    // No share is shown as `-0.0 %`.
    let percent = share * 100.0;
    let percent = if percent.abs() < 0.05 { 0.0 } else { percent };
    match percent.abs() {
        1e3.. => times(share),
        _ => format!("{percent:.*} %", tenths(percent)),
    }
}

/// At most `width` characters, the cut marked; on one line, whatever the text has in it.
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    let text = shown(text);
    if text.chars().count() <= width {
        return text;
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Both names, cut to `width` so that they still differ where they do; names that are the same have
/// the letter of their side.
#[must_use]
pub(crate) fn cut_apart(names: &[String; 2], width: usize) -> [String; 2] {
    let short = names.each_ref().map(|name| cut(name, width));
    if short[0] != short[1] {
        return short;
    }
    let [a, b] = apart(names.clone());
    let alike = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    // A few characters before the difference show where it is.
    let from = (alike + width / 2).saturating_sub(width);
    [a, b].map(|name| {
        let rest: String = name.chars().skip(from).collect();
        cut(&if from > 0 { format!("…{rest}") } else { rest }, width)
    })
}

/// The names of two sides; those that are the same have the letter of their side.
#[must_use]
pub fn apart([a, b]: [String; 2]) -> [String; 2] {
    if a == b { [format!("A: {a}"), format!("B: {b}")] } else { [a, b] }
}

/// A ratio: `× 1.052`.
#[must_use]
pub fn times(ratio: f64) -> String {
    format!("× {}", factor(ratio))
}

/// An effect in per cent: `+12.3 %`; a factor when it is huge, two digits when one would be 0, and
/// words where there was nothing before.
#[must_use]
pub fn effect(effect: f64) -> String {
    effect_to(effect, decimals(effect))
}

/// The ends of an effect's interval, with as many decimals: as the one nearer to zero needs, but no
/// more than one beyond those of the other, which say how little is known: `+10.1 % … +14.2 %`.
/// Both are factors where one must be.
#[must_use]
pub fn effect_interval((low, high): (f64, f64)) -> String {
    if !low.is_finite() || !high.is_finite() {
        return String::new();
    }
    if [low, high].iter().any(|end| is_factor(*end)) {
        return format!("× {} … × {}", factor(1.0 + low), factor(1.0 + high));
    }
    let (near, far) = if low.abs() < high.abs() { (low, high) } else { (high, low) };
    let fine = decimals(near).clamp(decimals(far), decimals(far) + 1);
    format!("{} … {}", effect_to(low, fine), effect_to(high, fine))
}

/// Whether an effect is too large for per cent.
fn is_factor(effect: f64) -> bool {
    effect.abs() >= 10.0
}

/// With how many decimals an effect is shown in per cent: one, or as many as two digits take once
/// they are rounded.
fn decimals(effect: f64) -> usize {
    let percent = effect.abs() * 100.0;
    let rounded = format!("{percent:.1e}");
    let exponent =
        rounded.split_once("e-").and_then(|(_, exponent)| exponent.parse::<usize>().ok());
    if (1e-8..0.05).contains(&percent) { 1 + exponent.unwrap_or(0) } else { 1 }
}

fn effect_to(effect: f64, decimals: usize) -> String {
    let percent = effect.abs() * 100.0;
    if !effect.is_finite() {
        return "from zero".to_owned();
    }
    // The larger ones are said in words of their own.
    if decimals == 1 || percent >= 1000.0 {
        return change(1.0 + effect);
    }
    format!("{}{percent:.decimals$} %", if effect < 0.0 { '−' } else { '+' })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let shown = |ms| duration(Duration::from_millis(ms));
        assert_eq!(
            [shown(350), shown(12_340), shown(185_000), shown(7_800_000)],
            ["0.35 s", "12.3 s", "3 min 5 s", "2 h 10 min"]
        );
        assert_eq!(
            [shown(0), shown(1), shown(9), shown(10)],
            ["0.00 s", "1.000 ms", "9.000 ms", "0.01 s"]
        );
        assert_eq!(duration(Duration::from_nanos(1500)), "1.500 µs");
    }

    #[test]
    fn a_share_has_no_more_digits_than_people_write() {
        let shares = [0.01, 0.005, 0.001_25, 0.152_769_62, 1.0 / 3.0, 0.000_123_456_7, 2.0];
        assert_eq!(
            shares.map(precision),
            ["± 1 %", "± 0.5 %", "± 0.125 %", "± 15.3 %", "± 33.3 %", "± 0.0123 %", "± 200 %"]
        );
    }

    #[test]
    fn a_change_has_a_sign_and_a_huge_one_is_a_factor() {
        assert_eq!(
            [change(1.123), change(0.5), change(0.9996), change(80.0)],
            ["+12.3 %", "−50.0 %", "+0.0 %", "× 80.0"]
        );
        assert_eq!([change(3.73), percent(5.39), percent(0.999)], ["+273 %", "539 %", "99.9 %"]);
        assert_eq!([change(3.57e18), percent(3.57e18)], ["× 3.57e18", "× 3.57e18"]);
        assert_eq!([percent(126.866), percent(0.1234)], ["× 127", "12.3 %"]);
    }

    #[test]
    fn counts_have_plurals_and_thousands() {
        assert_eq!(
            [count(1, "build"), count(2, "build"), count(1_207_000, "package")],
            ["1 build", "2 builds", "1,207,000 packages"]
        );
        let nouns = ["analysis", "stretch", "search", "series", "fresh pair"];
        assert_eq!(
            nouns.map(|noun| count(2, noun)),
            ["2 analyses", "2 stretches", "2 searches", "2 series", "2 fresh pairs"]
        );
    }

    #[test]
    fn two_sides_are_told_apart() {
        let both = |a: &str, b: &str| cut_apart(&[a.to_owned(), b.to_owned()], 12);
        assert_eq!(both("sleep 1", "sleep 2"), ["sleep 1", "sleep 2"]);
        assert_eq!(both("sleep 1", "sleep 1"), ["A: sleep 1", "B: sleep 1"]);
        let long = both("convert --fast --size 1 in", "convert --fast --size 2 in");
        assert_eq!(long, ["…-size 1 in", "…-size 2 in"]);
    }

    #[test]
    fn long_text_is_cut_visibly() {
        assert_eq!(cut("batch packets", 6), "batch…");
        assert_eq!(cut("short", 6), "short");
    }

    #[test]
    fn no_effect_is_nothing_that_is_something() {
        let effects = [0.123, 0.0004, -0.000_012, 1e-13, 0.0, f64::INFINITY].map(effect);
        assert_eq!(effects, ["+12.3 %", "+0.040 %", "−0.0012 %", "+0.0 %", "+0.0 %", "from zero"]);
    }

    #[test]
    fn both_ends_of_an_interval_are_as_fine() {
        let intervals =
            [(9.9999e-6, 1.0001e-5), (0.101, 0.142), (-3e-6, 0.021), (0.0003, 0.0031), (0.5, 12.0)];
        assert_eq!(
            intervals.map(effect_interval),
            [
                "+0.0010 % … +0.0010 %",
                "+10.1 % … +14.2 %",
                "−0.00 % … +2.10 %",
                "+0.03 % … +0.31 %",
                "× 1.500 … × 13.0"
            ]
        );
        assert_eq!(effect_interval((f64::NEG_INFINITY, 0.1)), "");
    }
}
