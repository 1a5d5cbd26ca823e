//! Words and numbers as people read them.

use std::thread::available_parallelism;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tacho_record::{Rule, is_shown, shown};
use tacho_report::busy_host_hint::HostAbilities;
pub use tacho_report::words::{count, cut, duration, interval, limited, percent, precision};

/// A day in the user's time zone: `2024-03-01`; empty if unknown.
pub fn day(date: Option<Timestamp>) -> String {
    date.map_or_else(String::new, |date| {
        date.to_zoned(TimeZone::system()).strftime("%Y-%m-%d").to_string()
    })
}

/// A moment in the user's time zone: `2024-03-01 14:02`.
pub fn moment(date: Timestamp) -> String {
    date.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// How often a rule has everything executed: `in 10 rounds and 1 warmup round`, `until …`.
pub fn rule(rule: &Rule) -> String {
    let time = rule.budget.map_or_else(String::new, |time| format!(" within {}", duration(time)));
    let warmup = match rule.warmup.executions() {
        None | Some(0) => String::new(),
        Some(rounds) => format!(" and {}", count(rounds as usize, "warmup round")),
    };
    let Some(wanted) = &rule.precision else {
        return format!("in {}{warmup}{time}", count(rule.max_rounds as usize, "round"));
    };
    let Rule { min_rounds, max_rounds, .. } = rule;
    let (share, rounds) = (precision(wanted.share), format!("{min_rounds} to {max_rounds} rounds"));
    format!("until each median is known to {share}, in {rounds}{warmup}{time}")
}

/// A text in Markdown, also as a cell of a table: on one line, and literally, whatever it has in
/// it.
pub fn markdown(text: &str) -> String {
    let letters: Vec<char> = shown(text).chars().collect();
    let is_word =
        |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|c| c.is_alphanumeric());
    let is_tilde = |at: Option<usize>| at.and_then(|at| letters.get(at)) == Some(&'~');
    let mut out = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let (before, after) = (at.checked_sub(1), Some(at + 1));
        let is_markup = match letter {
            '\\' | '`' | '*' | '[' | '<' | '&' | '|' => true,
            // Within a word the underscore is no mark-up.
            '_' => !(is_word(before) && is_word(after)),
            '~' => is_tilde(before) || is_tilde(after),
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(*letter);
    }
    out
}

/// A text as code in Markdown, on one line: between more backticks than it has itself one after the
/// other.
pub fn markdown_code(text: &str) -> String {
    let text = shown(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let (fence, pad) = ("`".repeat(longest + 1), if longest > 0 { " " } else { "" });
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The same as a cell of a table, which no `|` ends.
pub fn markdown_code_cell(text: &str) -> String {
    markdown_code(text).replace('|', "\\|")
}

/// Prose as Markdown in which these names are to be read literally; a name between backticks stays
/// code.
pub fn markdown_with(prose: &str, names: &[String]) -> String {
    let mut names: Vec<&String> =
        names.iter().filter(|name| !name.is_empty() && markdown(name) != **name).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let (mut out, mut rest) = (String::new(), prose);
    while let Some(letter) = rest.chars().next() {
        let as_code = |name: &str| rest.strip_prefix('`')?.strip_prefix(name)?.strip_prefix('`');
        let found = names.iter().find_map(|name| {
            let code = as_code(name).map(|rest| (markdown_code(name), rest));
            code.or_else(|| Some((markdown(name), rest.strip_prefix(name.as_str())?)))
        });
        let (piece, after) =
            found.unwrap_or_else(|| (letter.to_string(), &rest[letter.len_utf8()..]));
        out += &piece;
        rest = after;
    }
    out
}

/// Prose in lines no longer than that, if there is a width to keep: a longer line continues in the
/// next one, indented by two.
pub fn wrap(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    text.split_inclusive('\n').map(|line| wrapped(line, width)).collect()
}

fn wrapped(line: &str, width: usize) -> String {
    let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
    if body.chars().count() <= width {
        return line.to_owned();
    }
    let indent = body.chars().take_while(|c| *c == ' ').count();
    let mut out = " ".repeat(indent);
    let mut used = indent;
    // At single blanks: what was typed with more of them comes out as it was.
    for (place, word) in body[indent..].trim_end().split(' ').enumerate() {
        let length = word.chars().count();
        match place {
            0 => {}
            _ if used + 1 + length > width => {
                out += &format!("\n{}", " ".repeat(indent + 2));
                used = indent + 2;
            }
            _ => {
                out.push(' ');
                used += 1;
            }
        }
        out += word;
        used += length;
    }
    out + end
}

/// A line that a program printed, behind a bar: a longer line continues in the next one, since the
/// end of an error has its cause.
pub fn quoted_line(line: &str, width: Option<usize>) -> String {
    let line = cut(line, MOST_QUOTED);
    let folded = wrap(&line, width.map(|width| width.saturating_sub(BAR.len())));
    folded.split('\n').map(|part| format!("{BAR}{part}").trim_end().to_owned() + "\n").collect()
}

/// The mark before a line that a program printed.
const BAR: &str = "  | ";
/// The number of characters shown of a line that a program printed.
const MOST_QUOTED: usize = 1000;

/// A command to be copied, in lines no longer than that: each but the last ends with a backslash,
/// and none ends within quotes.
pub fn command(text: &str, width: usize) -> String {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match (c, quote) {
            (' ', None) => words.push(String::new()),
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            _ => {}
        }
        if c != ' ' || quote.is_some() {
            words.last_mut().into_iter().for_each(|word| word.push(c));
        }
    }
    let mut out = String::new();
    let mut used = 0;
    for word in words {
        let length = word.chars().count();
        // A blank and a backslash may follow.
        if used > 0 && used + 1 + length + 2 > width {
            out += " \\\n    ";
            used = 4;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        out += &word;
        used += length;
    }
    out
}

/// A text without the numbers that the system has for errors: `No such file or directory (os error
/// 2)` has the words.
pub fn without_error_numbers(text: &str) -> String {
    let mut parts = text.split(" (os error ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => out += rest,
            _ => out += &format!(" (os error {part}"),
        }
    }
    out
}

/// The last lines of a text, without the control characters that would move the terminal's cursor.
pub fn last_lines(text: &str, lines: usize) -> Vec<String> {
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let printable = |line: &&str| line.chars().filter(|c| is_shown(*c) || *c == '\t').collect();
    all[all.len().saturating_sub(lines)..].iter().map(printable).collect()
}

/// Whether instructions can be counted in software here.
pub fn has_callgrind() -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join("valgrind").is_file())
}

/// The abilities of this host.
pub fn host_abilities() -> HostAbilities {
    let several_cpus = available_parallelism().is_ok_and(|cpus| cpus.get() > 1);
    HostAbilities { callgrind: has_callgrind(), several_cpus }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tacho_record::Precision;

    use super::*;

    #[test]
    fn names_are_literal_in_markdown() {
        assert_eq!(
            markdown("sort <n> | `tr`\n*.txt [x] a\\b"),
            r"sort \<n> \| \`tr\` \*.txt \[x] a\\b"
        );
        assert_eq!(markdown("HEAD~1 a_b _c_ ~~d~~"), r"HEAD~1 a_b \_c\_ \~\~d\~\~");
        for (text, code) in
            [("sort a", "`sort a`"), ("`a` b", "`` `a` b ``"), ("a ``` b\n", "```` a ``` b  ````")]
        {
            assert_eq!(markdown_code(text), code);
        }
        assert_eq!(markdown_code_cell("a | b"), r"`a \| b`");
        let names = ["<a>", "<a>b", "plain", "x`y"].map(str::to_owned);
        assert_eq!(
            markdown_with("<a>b against <a>: `<a>` and `x`y`; `--budget` of plain, 1 < 2", &names),
            r"\<a>b against \<a>: `<a>` and `` x`y ``; `--budget` of plain, 1 < 2"
        );
    }

    #[test]
    fn prose_goes_on_in_the_next_line() {
        let reported = "a word and another\n\n  one more than fits\nshort\n";
        assert_eq!(wrap(reported, None), reported);
        assert_eq!(wrap(reported, Some(80)), reported);
        assert_eq!(
            wrap(reported, Some(12)),
            "a word and\n  another\n\n  one more\n    than\n    fits\nshort\n"
        );
        assert_eq!(
            wrap("`echo a  b` exits with 1\n", Some(12)),
            "`echo a  b`\n  exits with\n  1\n"
        );
        assert_eq!(
            wrap("of × 1.002, some\nincomprehensibilities go", Some(9)),
            "of ×\n  1.002,\n  some\nincomprehensibilities\n  go"
        );
    }

    #[test]
    fn a_long_command_goes_on_after_a_backslash() {
        let short = "tacho bisect a b";
        assert_eq!(command(short, 80), short);
        assert_eq!(
            command("tacho bisect a b --run 'sh -c \"x y\" z' --again", 26),
            "tacho bisect a b --run \\\n    'sh -c \"x y\" z' \\\n    --again"
        );
    }

    #[test]
    fn rules_read_well() {
        let precision = Some(Precision { share: 0.005, metric: None });
        let fixed = Rule { budget: Some(Duration::from_secs(600)), ..Rule::default() };
        assert_eq!(rule(&fixed), "in 10 rounds and 1 warmup round within 10 min 0 s");
        let open = Rule { precision, max_rounds: 200, ..Rule::default() };
        assert_eq!(
            rule(&open),
            "until each median is known to ± 0.5 %, in 10 to 200 rounds and 1 warmup round"
        );
    }

    #[test]
    fn errors_of_the_system_are_words() {
        let text =
            "cannot read `a`: No such file (os error 2); cannot write `b`: full (os error 28)";
        assert_eq!(
            without_error_numbers(text),
            "cannot read `a`: No such file; cannot write `b`: full"
        );
        assert_eq!(without_error_numbers("x (os error 2"), "x (os error 2");
    }

    #[test]
    fn the_end_of_a_long_line_of_a_program_is_shown() {
        let error = "prog: cannot open the file";
        assert_eq!(quoted_line(error, None), "  | prog: cannot open the file\n");
        assert_eq!(quoted_line(error, Some(22)), "  | prog: cannot open\n  |   the file\n");
        assert_eq!(quoted_line("", Some(22)), "  |\n");
    }

    #[test]
    fn a_log_cannot_move_the_cursor() {
        assert_eq!(last_lines("one\n\n\u{1b}[2Jtwo\nthree\n", 2), ["[2Jtwo", "three"]);
    }
}
