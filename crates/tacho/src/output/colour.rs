//! Colour for what got worse or better, where standard output is a terminal and colour is not
//! refused.

use anstyle::{AnsiColor, Style};
use tacho_report::block::Tone;

/// Something got worse.
const WORSE: Style = AnsiColor::Red.on_default().bold();
/// Something got better.
const BETTER: Style = AnsiColor::Green.on_default().bold();
/// A number that is looked for first.
const STRONG: Style = AnsiColor::Cyan.on_default().bold();

/// A table with these verdicts, which it has in this order, in the colours of their tones. It is as
/// wide as before only to readers that know colours: widths come first.
pub fn verdicts<'a>(table: &str, verdicts: impl IntoIterator<Item = (&'a str, Tone)>) -> String {
    if anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never {
        return table.to_owned();
    }
    coloured(table, verdicts)
}

/// A text in the colour of its tone.
pub fn toned(text: &str, tone: Tone) -> String {
    style(tone).map_or_else(|| text.to_owned(), |style| styled(text, style))
}

/// A text whose first occurrence of this number is emphasised.
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

fn style(tone: Tone) -> Option<Style> {
    match tone {
        Tone::Better => Some(BETTER),
        Tone::Worse => Some(WORSE),
        Tone::Plain => None,
    }
}

fn coloured<'a>(table: &str, verdicts: impl IntoIterator<Item = (&'a str, Tone)>) -> String {
    let (mut out, mut rest) = (String::new(), table);
    for (verdict, tone) in verdicts {
        let Some((at, style)) = place(rest, verdict).zip(style(tone)) else { continue };
        out += &format!("{}{style}{verdict}{style:#}", &rest[..at]);
        rest = &rest[at + verdict.len()..];
    }
    out + rest
}

/// Where a text has a verdict as a word by itself.
fn place(text: &str, verdict: &str) -> Option<usize> {
    let is_edge = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || c == ',' || c == ':');
    let is_alone = |at: &usize| {
        is_edge(text[..*at].chars().next_back())
            && is_edge(text[at + verdict.len()..].chars().next())
    };
    text.match_indices(verdict).map(|(at, _)| at).find(is_alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_coloured_by_their_tones() {
        let text = "a slowerish: slower\nb faster: faster";
        let verdicts = [("slower", Tone::Worse), ("same", Tone::Plain), ("faster", Tone::Plain)];
        let expected = format!("a slowerish: {WORSE}slower{WORSE:#}\nb faster: faster");
        assert_eq!(coloured(text, verdicts), expected);
        let better = format!("a {BETTER}faster{BETTER:#}");
        assert_eq!(coloured("a faster", [("faster", Tone::Better)]), better);
        assert_eq!(coloured("", [("faster", Tone::Better)]), "");
    }
}
