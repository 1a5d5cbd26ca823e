//! Parameters: `-P threads 1 8`, `-L level 1,6,9`.

use crate::error::bench::BenchMistake;

/// A parameter and its values.
pub type ParameterRange = (String, Vec<String>);
/// One value for each parameter.
pub type ParameterSet = Vec<(String, String)>;

/// A range has at most this many values.
const MOST: i128 = 10_000;

/// The numbers from `from` to `to`, with as many decimals as were typed.
pub fn range(
    [name, from, to]: [&str; 3],
    step: Option<&str>,
) -> Result<ParameterRange, BenchMistake> {
    let typed = step.unwrap_or("1");
    let decimals = [from, to, typed].map(decimals).into_iter().max().unwrap_or(0);
    let number = |text: &str| {
        scaled(text, decimals).ok_or_else(|| BenchMistake::NotANumber { text: text.to_owned() })
    };
    let (first, last, step) = (number(from)?, number(to)?, number(typed)?);
    let [value, from, to] = [typed, from, to].map(str::to_owned);
    if step == 0 || first != last && (first > last) != (step < 0) {
        return Err(BenchMistake::EmptyRange { value, from, to });
    }
    if (last - first) / step > MOST {
        return Err(BenchMistake::LongRange { value, from, to });
    }
    let values = (0..=(last - first) / step).map(|index| shown(first + index * step, decimals));
    Ok((name.to_owned(), values.collect()))
}

/// The values of a list; `\,` is a comma in one of them.
pub fn list([name, values]: [&str; 2]) -> ParameterRange {
    let mut all = Vec::new();
    let mut value = String::new();
    let mut letters = values.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&',') => value.extend(letters.next()),
            ',' => all.push(std::mem::take(&mut value)),
            letter => value.push(letter),
        }
    }
    all.push(value);
    (name.to_owned(), all)
}

/// All combinations, the first parameter's value changing fastest, as hyperfine has them.
pub fn choices(parameters: &[ParameterRange]) -> Vec<ParameterSet> {
    parameters.iter().rev().fold(vec![Vec::new()], |rows, (name, values)| {
        let with = |row: &ParameterSet, value: &String| {
            let mut row = row.clone();
            row.insert(0, (name.clone(), value.clone()));
            row
        };
        rows.iter().flat_map(|row| values.iter().map(move |value| with(row, value))).collect()
    })
}

/// The text with each `{name}` replaced by its value, and no other brace touched.
pub fn fill(text: &str, choice: &ParameterSet) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = choice.iter().find_map(|(name, value)| {
            let after = rest[1..].strip_prefix(name.as_str())?.strip_prefix('}')?;
            Some((value, after))
        });
        if let Some((value, after)) = found {
            filled.push_str(value);
            rest = after;
        } else {
            filled.push('{');
            rest = &rest[1..];
        }
    }
    filled + rest
}

/// Whether the text has a place for that parameter.
pub fn has(text: &str, name: &str) -> bool {
    text.contains(&format!("{{{name}}}"))
}

/// The names in braces of these texts, as they may be places for parameters.
pub fn places<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let ends =
        |text: &'a str| text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    let is_name = |name: &&str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c))
    };
    texts.into_iter().flat_map(ends).filter(is_name).collect()
}

fn decimals(text: &str) -> usize {
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// The decimal number as a whole one of the last decimal's units.
fn scaled(text: &str, decimals: usize) -> Option<i128> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number =
        whole.chars().chain(part.chars()).all(|c| c.is_ascii_digit()) && !digits.is_empty();
    // Longer numbers are no sizes, times or counts of anything.
    let all = format!("{whole}{part:0<decimals$}");
    if is_number && all.len() <= 30 && part.len() <= decimals {
        Some(sign * all.parse::<i128>().ok()?)
    } else {
        None
    }
}

fn shown(number: i128, decimals: usize) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = decimals + 1);
    let (whole, part) = digits.split_at(digits.len() - decimals);
    if decimals == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(typed: [&str; 3], step: Option<&str>) -> Result<Vec<String>, String> {
        range(typed, step).map(|(_, values)| values).map_err(|mistake| mistake.to_string())
    }

    #[test]
    fn ranges_have_the_decimals_that_were_typed() {
        assert_eq!(values(["n", "1", "4"], None).unwrap(), ["1", "2", "3", "4"]);
        assert_eq!(values(["n", "0.3", "0.7"], Some("0.2")).unwrap(), ["0.3", "0.5", "0.7"]);
        assert_eq!(
            values(["n", "-1", "1"], Some(".5")).unwrap(),
            ["-1.0", "-0.5", "0.0", "0.5", "1.0"]
        );
        assert_eq!(values(["n", "3", "1"], Some("-1")).unwrap(), ["3", "2", "1"]);
        assert_eq!(values(["n", "5", "5"], None).unwrap(), ["5"]);
        assert_eq!(values(["n", "1", "8"], Some("x")).unwrap_err(), "`x` is not a number");
        assert_eq!(
            values(["n", "8", "1"], None).unwrap_err(),
            "8 to 1 in steps of 1 has no values"
        );
        assert_eq!(
            values(["n", "1", "8"], Some("0")).unwrap_err(),
            "1 to 8 in steps of 0 has no values"
        );
        assert_eq!(
            values(["n", "1", "1000000"], None).unwrap_err(),
            "1 to 1000000 in steps of 1 has more than 10000 values"
        );
    }

    #[test]
    fn a_comma_in_a_value_is_escaped() {
        assert_eq!(list(["l", r"a,b\,c,,d\e"]).1, ["a", "b,c", "", r"d\e"]);
    }

    #[test]
    fn all_combinations_are_made_and_other_braces_stay() {
        let parameters = [list(["a", "1,2"]), list(["b", "x,y"])];
        let all = choices(&parameters);
        let filled: Vec<String> =
            all.iter().map(|choice| fill("{a}{b} {c} {{a}} ${b} {", choice)).collect();
        assert_eq!(
            filled,
            ["1x {c} {1} $x {", "2x {c} {2} $x {", "1y {c} {1} $y {", "2y {c} {2} $y {"]
        );
        assert_eq!(choices(&[]), [ParameterSet::new()]);
        assert_eq!(places(["{a} {b c} {} {x_y}", "${z}"]), ["a", "x_y", "z"]);
    }
}
