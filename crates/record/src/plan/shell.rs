//! Shell code with places to fill in: `make -j{jobs}`, the grammar of `build`, `prepare` and
//! `conclude`.
//!
//! Braces are the shell's. A reference is a name in braces that follows no `$` and no backslash;
//! only those whose names are known are replaced, and nothing is ever doubled. So the code is read
//! as a shell reads it, as far as that is needed to distinguish code from quotes, comments and
//! here-documents. Command substitution by backticks is read like the text around it. Which names
//! are known, and which are mistakes, is decided in `check`.

/// How the shell reads a place in its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShellPlace {
    Code,
    Double,
    /// A here-document in which the shell replaces variables.
    Here,
    /// A here-document, the end of which was written in quotes.
    HereAsIs,
    Single,
}

/// A name in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reference<'a> {
    /// The position of its opening brace, in bytes.
    pub at: usize,
    pub name: &'a str,
    place: ShellPlace,
    /// Whether it touches a text that would absorb an unquoted value: `$variable` before it, `>`
    /// behind it.
    exposed: bool,
}

/// All names in braces that may be references, known or not, in order.
pub(super) fn references(script: &str) -> Vec<Reference<'_>> {
    let mut reader = ShellReader {
        script,
        at: 0,
        places: vec![ShellPlace::Code],
        word_begins: true,
        documents: Vec::new(),
        found: Vec::new(),
    };
    while reader.at < script.len() {
        reader.step();
    }
    reader.found
}

/// The shell code with each `{name}` replaced by its value, in code and quotes and here-documents
/// alike.
///
/// Each value is quoted for its place, so that it is always one word or part of one, and never
/// code. All other braces belong to the shell and do not change.
#[must_use]
pub fn fill_shell(script: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(script.len());
    let mut done = 0;
    for reference in references(script) {
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == reference.name) {
            filled.push_str(&script[done..reference.at]);
            filled.push_str(&quoted(value, reference));
            done = reference.at + reference.name.len() + 2;
        }
    }
    filled + &script[done..]
}

fn quoted(value: &str, reference: Reference<'_>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "%+,-./:@_".contains(c);
    let escaped = |special: &str| -> String {
        let escape = |c: char| if special.contains(c) { format!("\\{c}") } else { c.to_string() };
        value.chars().map(escape).collect()
    };
    match reference.place {
        _ if !reference.exposed && !value.is_empty() && value.chars().all(is_plain) => {
            value.to_owned()
        }
        ShellPlace::Code => format!("'{}'", value.replace('\'', r"'\''")),
        ShellPlace::Double if reference.exposed => format!("\"\"{}", escaped("\"$`\\")),
        ShellPlace::Double => escaped("\"$`\\"),
        ShellPlace::Here => escaped("$`\\"),
        ShellPlace::HereAsIs => value.to_owned(),
        ShellPlace::Single => value.replace('\'', r"'\''"),
    }
}

/// A here-document whose beginning was read, and whose text comes after the end of the line.
struct Document {
    end: String,
    place: ShellPlace,
    /// Whether tabs may precede its end.
    indented: bool,
}

/// Reads shell code from its beginning to its end.
struct ShellReader<'a> {
    script: &'a str,
    at: usize,
    /// The enclosing places, the innermost last; never empty.
    places: Vec<ShellPlace>,
    /// Whether a `#` here would begin a comment.
    word_begins: bool,
    documents: Vec<Document>,
    found: Vec<Reference<'a>>,
}

impl<'a> ShellReader<'a> {
    fn rest(&self) -> &'a str {
        &self.script[self.at..]
    }

    fn place(&self) -> ShellPlace {
        self.places.last().copied().unwrap_or(ShellPlace::Code)
    }

    /// Reads whatever comes next: a reference, a comment, a character with what belongs to it.
    fn step(&mut self) {
        let (place, rest) = (self.place(), self.rest());
        let first = rest.chars().next().unwrap_or_default();
        let word_begins = std::mem::replace(&mut self.word_begins, false);
        if self.reference(place) {
            return;
        }
        self.at += first.len_utf8();
        match (place, first) {
            // The backslash takes the meaning from what follows it.
            (ShellPlace::Code | ShellPlace::Double, '\\') => {
                self.at += self.rest().chars().next().map_or(0, char::len_utf8);
            }
            (ShellPlace::Code, '#') if word_begins => {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            }
            (ShellPlace::Code, '\n') => {
                self.word_begins = true;
                for document in std::mem::take(&mut self.documents) {
                    self.read_document(&document);
                }
            }
            (ShellPlace::Code, '<') if rest.starts_with("<<<") => self.at += 2,
            (ShellPlace::Code, '<') if rest.starts_with("<<") => self.announce_document(),
            (ShellPlace::Code, '\'') => self.places.push(ShellPlace::Single),
            (ShellPlace::Code, '"') => self.places.push(ShellPlace::Double),
            (ShellPlace::Double, '$') if rest.starts_with("$(") => {
                self.at += 1;
                self.places.push(ShellPlace::Code);
            }
            (ShellPlace::Code, '(') => self.places.push(ShellPlace::Code),
            // One that nothing opened belongs to a pattern of `case`.
            (ShellPlace::Code, ')') if self.places.len() == 1 => {}
            (ShellPlace::Code, ')') | (ShellPlace::Double, '"') | (ShellPlace::Single, '\'') => {
                self.places.pop();
            }
            _ => {}
        }
        self.word_begins |= self.place() == ShellPlace::Code && " \t;&|()<>".contains(first);
    }

    /// Reads a name in braces, if that is what comes next.
    fn reference(&mut self, place: ShellPlace) -> bool {
        let (before, rest) = self.script.split_at(self.at);
        let Some((name, after)) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'))
        else {
            return false;
        };
        if before.ends_with('$') || !is_name(name) {
            return false;
        }
        let variable = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let exposed = match place {
            ShellPlace::Code => variable.ends_with('$') || after.starts_with(['<', '>']),
            ShellPlace::Double => variable.ends_with('$'),
            ShellPlace::Here | ShellPlace::HereAsIs | ShellPlace::Single => false,
        };
        self.found.push(Reference { at: self.at, name, place, exposed });
        self.at += name.len() + 2;
        true
    }

    /// Reads the text after the first `<` of `<< END`.
    fn announce_document(&mut self) {
        self.at += 1;
        let indented = self.rest().starts_with('-');
        let rest = self.rest()[usize::from(indented)..].trim_start_matches([' ', '\t']);
        let length =
            rest.find(|c: char| c.is_whitespace() || ";&|<>()".contains(c)).unwrap_or(rest.len());
        let end = rest[..length].replace(['\'', '"', '\\'], "");
        let place = if end.len() < length { ShellPlace::HereAsIs } else { ShellPlace::Here };
        self.at = self.script.len() - rest.len() + length;
        if length > 0 {
            self.documents.push(Document { end, place, indented });
        }
    }

    /// Reads the text of a here-document and its end; where that is missing, `<<` was something
    /// else.
    fn read_document(&mut self, document: &Document) {
        let mut end = self.at;
        let last = self.rest().split_inclusive('\n').find(|line| {
            let text = line.strip_suffix('\n').unwrap_or(line);
            let is_last = document.end
                == if document.indented { text.trim_start_matches('\t') } else { text };
            end += if is_last { 0 } else { line.len() };
            is_last
        });
        let Some(last) = last else { return };
        while self.at < end {
            if self.reference(document.place) {
                continue;
            }
            let mut rest = self.rest().chars();
            let escapes = rest.next() == Some('\\') && document.place == ShellPlace::Here;
            self.at = self.script.len() - rest.as_str().len();
            if escapes {
                self.at += rest.next().map_or(0, char::len_utf8);
            }
        }
        self.at = end + last.len();
    }
}

/// Whether it can be the name of anything that is filled in.
fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_known_names_are_filled_in() {
        let values = [("jobs", "4"), ("release", "1.0-rc.1")];
        assert_eq!(fill_shell("make -j{jobs} V={release}", &values), "make -j4 V=1.0-rc.1");
        assert_eq!(fill_shell("{ {jobs} } {jobs", &values), "{ 4 } {jobs");
        assert_eq!(fill_shell("awk '{print $1}' ü{jobs}", &values), "awk '{print $1}' ü4");
        assert_eq!(fill_shell("{{jobs}} {a,{jobs}}", &values), "{4} {a,4}");
        assert_eq!(fill_shell("${x:-{jobs}}", &values), "${x:-4}");
        for shell in
            ["f() { x; }; echo ${jobs} {a,b} {}", "\\{jobs} \"\\{jobs}\"", "# {jobs}", "{job}"]
        {
            assert_eq!(fill_shell(shell, &values), shell);
        }
    }

    fn printed(script: &str) -> String {
        let output = Command::new("sh").args(["-c", script]).output().unwrap();
        assert!(output.status.success(), "{script}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn a_shell_reads_its_code_alike() {
        let value = "it's a \"$5\" `x` \\";
        for (script, wanted) in [
            ("# don't\nprintf %s {n}", "V"),
            ("echo a#\"b\" >&2; printf %s {n} # it's", "V"),
            ("printf %s \"$(printf %s {n})\"", "V"),
            ("printf %s \"$(printf %s \"<{n}>\")\" '{n}'", "<V>V"),
            ("x=$((1 << 2)); printf %s \"$x\" {n}", "4V"),
            ("case a in a) printf %s {n};; esac; printf %s \"{n}\"", "VV"),
            ("x=y; printf '%s|' $x{n} \"$x{n}\" \"${x}{n}\"", "yV|yV|yV|"),
            (
                "cat <<E; printf %s {n}\nisn't {n}\n#{n} \\{n}\nE\nprintf '|%s' {n}",
                "isn't V\n#V \\{n}\nV|V",
            ),
            ("cat <<'E' <<-F\n{n} lost\nE\n\tisn't {n}\n\tF\nprintf %s {n}", "isn't V\nV"),
            ("cat <<\\E\n{n}$x\nE\nprintf %s {n}", "V$x\nV"),
        ] {
            let output = printed(&fill_shell(script, &[("n", value)]));
            assert_eq!(output, wanted.replace('V', value), "{script}");
        }
    }

    #[test]
    fn a_number_before_a_redirection_stays_an_argument() {
        assert_eq!(printed(&fill_shell("printf %s {n}>/dev/stdout", &[("n", "2")])), "2");
        assert_eq!(fill_shell("x > {n}", &[("n", "2")]), "x > 2");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn to_a_shell_every_value_is_one_word(value in "[ -~ü\n]{0,12}") {
            let values = [("release", value.as_str())];
            let script = r#"printf '%s|' {release} "{release}" '{release}' x{release}y "\"{release}" \'{release}"#;
            let wanted = format!("{value}|{value}|{value}|x{value}y|\"{value}|'{value}|");
            prop_assert_eq!(printed(&fill_shell(script, &values)), wanted);
        }

        #[test]
        fn without_references_nothing_changes(text in r#"[a-c{}$'"\\ ü#<()\n]{0,30}"#) {
            prop_assert_eq!(fill_shell(&text, &[("jobs", "4")]), text);
        }
    }
}
