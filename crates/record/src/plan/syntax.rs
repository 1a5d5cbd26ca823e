//! Which commands only a shell understands: one rule for `tacho bench` and for plans.

/// Words that a shell does itself, and that are no programs.
const OWN: [&str; 34] = [
    "!", ".", ":", "alias", "break", "case", "cd", "command", "continue", "eval", "exec", "exit",
    "export", "for", "getopts", "hash", "if", "jobs", "local", "read", "readonly", "return", "set",
    "shift", "source", "times", "trap", "type", "ulimit", "umask", "unset", "until", "wait",
    "while",
];

/// The first part of a command that only a shell understands: an expansion, an operator between
/// commands, or a built-in word. `None` means that the command is a list of words, which needs no
/// shell.
#[must_use]
pub fn shell_part(command: &str) -> Option<String> {
    let first = command.split_whitespace().next().unwrap_or_default();
    let is_name = |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let assigns = first.split_once('=').is_some_and(|(name, _)| {
        is_name(name) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    if OWN.contains(&first) || first == "{" || assigns {
        return Some(first.to_owned());
    }
    special(command, "|&;<>()$`*?[~#\n")
        .map(|letter| if letter == '\n' { "\\n".into() } else { letter.into() })
}

/// An operator that joins commands or files, outside of quotes.
#[must_use]
pub fn shell_operator(command: &str) -> Option<char> {
    special(command, "|&;<>")
}

/// The first of these letters that is not quoted; `$` and backquotes mean the same in double
/// quotes, `~` and `#` mean something only where a word begins.
fn special(command: &str, letters: &str) -> Option<char> {
    let (mut quote, mut before) = (None, ' ');
    let mut all = command.chars();
    while let Some(letter) = all.next() {
        let begins = before.is_whitespace() || !"~#".contains(letter);
        before = letter;
        match (quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => drop(all.next()),
            (None, '\'' | '"') => quote = Some(letter),
            (Some(_), '$' | '`') | (None, _) if begins && letters.contains(letter) => {
                return Some(letter);
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_shell_understands_is_named() {
        let rows = [
            ("a | b", "|"),
            ("a >out", ">"),
            ("a && b", "&"),
            ("a; b", ";"),
            ("cat *.txt", "*"),
            ("echo \"$HOME\"", "$"),
            ("cd src", "cd"),
            ("A=1 prog", "A=1"),
            ("ls ~/x", "~"),
            ("a # why", "#"),
        ];
        for (command, part) in rows {
            assert_eq!(shell_part(command).as_deref(), Some(part), "{command}");
        }
        for words in [
            "a '|' b",
            "a \\; b",
            "grep '^a$' x",
            "prog a#b x~",
            "echo '$HOME'",
            "./a=b",
            "{build}/p -n {n}",
        ] {
            assert_eq!(shell_part(words), None, "{words}");
        }
    }
}
