//! Colour for what got worse or better, where standard output is a terminal and colour is not
//! refused.

use anstyle::{AnsiColor, Style};

/// Something got worse.
const WORSE: Style = AnsiColor::Red.on_default().bold();
/// Something got better.
const BETTER: Style = AnsiColor::Green.on_default().bold();
/// A number that is looked for first.
const STRONG: Style = AnsiColor::Cyan.on_default().bold();
/// The words of verdicts, with their colours.
const WORDS: [(&str, Style); 4] =
    [("worse", WORSE), ("slower", WORSE), ("better", BETTER), ("faster", BETTER)];

/// A table with its verdicts in colour. It is as wide as before only to readers that know colours:
/// widths come first.
pub fn verdicts(table: &str) -> String {
    if anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never {
        return table.to_owned();
    }
    coloured(table)
}

/// A text that is good news.
pub fn good(text: &str) -> String {
    styled(text, BETTER)
}

/// A text that is bad news.
pub fn bad(text: &str) -> String {
    styled(text, WORSE)
}

/// A text whose first place with that number stands out.
pub fn first_strong(text: &str, number: &str) -> String {
    if number.is_empty() {
        return text.to_owned();
    }
    text.replacen(number, &styled(number, STRONG), 1)
}

fn styled(text: &str, style: Style) -> String {
    if anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never {
        return text.to_owned();
    }
    format!("{style}{text}{style:#}")
}

fn coloured(table: &str) -> String {
    let mut out = String::new();
    let mut rest = table;
    while let Some((at, word, style)) = first(rest) {
        out += &format!("{}{style}{word}{style:#}", &rest[..at]);
        rest = &rest[at + word.len()..];
    }
    out + rest
}

/// The first verdict of a text that is a word by itself.
fn first(text: &str) -> Option<(usize, &'static str, Style)> {
    let is_edge = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || c == ',' || c == ':');
    let places = WORDS.into_iter().flat_map(|(word, style)| {
        let alone = move |at: &usize| {
            is_edge(text[..*at].chars().next_back())
                && is_edge(text[at + word.len()..].chars().next())
        };
        text.match_indices(word).map(|(at, _)| at).filter(alone).map(move |at| (at, word, style))
    });
    places.min_by_key(|(at, ..)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_by_themselves_are_coloured() {
        let red = |word: &str| format!("{WORSE}{word}{WORSE:#}");
        let green = |word: &str| format!("{BETTER}{word}{BETTER:#}");
        assert_eq!(coloured("+3 % worse\nslowerish"), format!("+3 % {}\nslowerish", red("worse")));
        assert_eq!(
            coloured("a faster: slower"),
            format!("a {}: {}", green("faster"), red("slower"))
        );
        assert_eq!(coloured(""), "");
    }
}
