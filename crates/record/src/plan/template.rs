//! Commands with places to fill in: `{build}/prog -b {batch}`.
//!
//! A reference is a name in braces; `{{` and `}}` are braces that mean themselves. Templates have
//! no formats, no defaults and no nesting. Which names a command may use is decided in `check`.

/// One piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// `{{` or `}}`, which means one such brace.
    Brace(char),
    /// A brace without its partner.
    Lone(char),
    /// `{name}`, without the braces.
    Reference(&'a str),
    /// Literal text.
    Text(&'a str),
}

/// The pieces of a template in order, each with its place in bytes.
pub(super) fn pieces(template: &str) -> Vec<(usize, Piece<'_>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < template.len() {
        let (piece, length) = first_piece(&template[at..]);
        found.push((at, piece));
        at += length;
    }
    found
}

/// The first piece of some text that is not empty, and how many bytes it takes.
fn first_piece(rest: &str) -> (Piece<'_>, usize) {
    let text = rest.find(['{', '}']).unwrap_or(rest.len());
    if text > 0 {
        return (Piece::Text(&rest[..text]), text);
    }
    if rest.starts_with("{{") {
        return (Piece::Brace('{'), 2);
    }
    if rest.starts_with("}}") {
        return (Piece::Brace('}'), 2);
    }
    if rest.starts_with('}') {
        return (Piece::Lone('}'), 1);
    }
    match rest[1..].find(['{', '}']) {
        Some(end) if rest[1 + end..].starts_with('}') => {
            (Piece::Reference(&rest[1..=end]), end + 2)
        }
        _ => (Piece::Lone('{'), 1),
    }
}

/// The template with each `{name}` replaced by its value, and `{{` and `}}` by single braces.
///
/// Values are inserted literally, including their braces. A reference without a value does not
/// change; a plan that [`parse`](super::parse()) accepted has no such reference.
#[must_use]
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    for (_, piece) in pieces(template) {
        match piece {
            Piece::Brace(brace) | Piece::Lone(brace) => filled.push(brace),
            Piece::Text(text) => filled.push_str(text),
            Piece::Reference(name) => match values.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => filled.push_str(value),
                None => filled.extend(["{", name, "}"]),
            },
        }
    }
    filled
}

/// The text with each `{name}` replaced that is among the values. All other braces stay as they
/// are, doubled ones too: a variable of the environment may hold JSON.
#[must_use]
pub fn fill_known(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    for (_, piece) in pieces(text) {
        match piece {
            Piece::Brace(brace) => filled.extend([brace, brace]),
            Piece::Lone(brace) => filled.push(brace),
            Piece::Text(text) => filled.push_str(text),
            Piece::Reference(name) => filled.push_str(&fill(&format!("{{{name}}}"), values)),
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_variable_keeps_braces_that_name_nothing() {
        let filled = |text: &str| fill_known(text, &[("build", "/b")]);
        assert_eq!(filled("{build}/lib:{build}/site"), "/b/lib:/b/site");
        for json in [r#"{"a": {"b": 1}}"#, "{other}", "{{build}}", "{", "}"] {
            assert_eq!(filled(json), json);
        }
    }

    #[test]
    fn references_are_filled_in_and_double_braces_become_single_ones() {
        let values = [("build", "/b"), ("batch", "64")];
        assert_eq!(fill("{build}/prog -b {batch}", &values), "/b/prog -b 64");
        assert_eq!(fill("awk '{{print $1}}' {{{batch}}}", &values), "awk '{print $1}' {64}");
    }

    #[test]
    fn what_is_not_known_stays_as_it_stands() {
        assert_eq!(fill("{other} { } {", &[("build", "/b")]), "{other} { } {");
        assert_eq!(
            pieces("}a{b{c}"),
            [
                (0, Piece::Lone('}')),
                (1, Piece::Text("a")),
                (2, Piece::Lone('{')),
                (3, Piece::Text("b")),
                (4, Piece::Reference("c")),
            ]
        );
    }

    /// A template made of known parts, beside what it must become.
    fn part() -> impl Strategy<Value = (String, String)> {
        prop_oneof![
            "[^{}]{0,8}".prop_map(|text| (text.clone(), text)),
            Just(("{{".to_owned(), "{".to_owned())),
            Just(("}}".to_owned(), "}".to_owned())),
            Just(("{batch}".to_owned(), "{{64} x".to_owned())),
            Just(("{build}".to_owned(), "/a b".to_owned())),
        ]
    }

    proptest! {
        #[test]
        fn a_template_becomes_its_parts_one_after_the_other(
            parts in prop::collection::vec(part(), 0..12),
        ) {
            let template: String = parts.iter().map(|(part, _)| part.as_str()).collect();
            let wanted: String = parts.iter().map(|(_, wanted)| wanted.as_str()).collect();
            prop_assert_eq!(fill(&template, &[("batch", "{{64} x"), ("build", "/a b")]), wanted);
        }

        #[test]
        fn any_text_with_its_braces_doubled_means_itself(text in ".*") {
            let doubled = text.replace('{', "{{").replace('}', "}}");
            prop_assert_eq!(fill(&doubled, &[("build", "/b")]), text);
        }

        #[test]
        fn the_pieces_cover_any_text_without_a_gap(text in "[a{}ü]{0,20}") {
            let mut end = 0;
            for (at, piece) in pieces(&text) {
                prop_assert_eq!(at, end);
                end += match piece {
                    Piece::Brace(_) => 2,
                    Piece::Lone(_) => 1,
                    Piece::Reference(name) => name.len() + 2,
                    Piece::Text(text) => text.len(),
                };
            }
            prop_assert_eq!(end, text.len());
        }
    }
}
