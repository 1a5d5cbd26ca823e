//! Filling values into a build command.
//!
//! Shell code has braces of its own, so only the known names are replaced, and `${name}` never: that is the
//! shell's. Each value is quoted for the place where it stands, so that it is always one word or part of one,
//! and never code.

/// How the shell reads a place in its code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Double,
    None,
    Single,
}

/// The command with each `{name}` replaced by its value.
pub(crate) fn fill(command: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(command.len());
    let mut quotes = Quotes::None;
    let mut rest = command;
    while let Some(first) = rest.chars().next() {
        if let Some((value, after)) = reference(rest, values).filter(|_| !filled.ends_with('$')) {
            filled.push_str(&quoted(value, quotes));
            rest = after;
            continue;
        }
        let length = match (first, quotes) {
            // The backslash and what it takes the meaning from.
            ('\\', Quotes::None | Quotes::Double) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => first.len_utf8(),
        };
        quotes = match (first, quotes) {
            ('\'', Quotes::None) => Quotes::Single,
            ('"', Quotes::None) => Quotes::Double,
            ('\'', Quotes::Single) | ('"', Quotes::Double) => Quotes::None,
            _ => quotes,
        };
        filled.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    filled
}

/// The value of the reference that the text begins with, and what follows it.
fn reference<'a>(text: &'a str, values: &[(&str, &'a str)]) -> Option<(&'a str, &'a str)> {
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value, after))
}

fn quoted(value: &str, quotes: Quotes) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "%+,-./:=@_".contains(c);
    match quotes {
        _ if !value.is_empty() && value.chars().all(is_plain) => value.to_owned(),
        Quotes::None => format!("'{}'", value.replace('\'', r"'\''")),
        Quotes::Single => value.replace('\'', r"'\''"),
        Quotes::Double => {
            let escape = |c: char| if "\"$`\\".contains(c) { format!("\\{c}") } else { c.to_string() };
            value.chars().map(escape).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_known_names_are_filled_in() {
        let values = [("jobs", "4"), ("release", "1.0-rc.1")];
        assert_eq!(fill("make -j{jobs} V={release}", &values), "make -j4 V=1.0-rc.1");
        assert_eq!(fill("f() { x; }; echo ${jobs} {a,b} {}", &values), "f() { x; }; echo ${jobs} {a,b} {}");
        assert_eq!(fill("{ {jobs} } {jobs", &values), "{ 4 } {jobs");
        assert_eq!(fill("awk '{print $1}' ü{jobs}", &values), "awk '{print $1}' ü4");
    }

    fn printed(script: &str) -> String {
        let output = Command::new("sh").args(["-c", script]).output().unwrap();
        assert!(output.status.success(), "{script}");
        String::from_utf8(output.stdout).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn to_a_shell_every_value_is_one_word(value in "[ -~ü\n]{0,12}") {
            let values = [("release", value.as_str())];
            let script = r#"printf '%s|' {release} "{release}" '{release}' x{release}y "\"{release}" \'{release}"#;
            let wanted = format!("{value}|{value}|{value}|x{value}y|\"{value}|'{value}|");
            prop_assert_eq!(printed(&fill(script, &values)), wanted);
        }

        #[test]
        fn without_references_nothing_changes(text in r#"[a-c{}$'"\\ ü]{0,30}"#) {
            prop_assert_eq!(fill(&text, &[("jobs", "4")]), text);
        }
    }
}
