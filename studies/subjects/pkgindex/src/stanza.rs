//! The stanzas of an index: fields, and the packages that fields name (Debian Policy, chapters 5
//! and 7).

/// One field of a stanza.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// The name before the colon.
    pub name: &'a [u8],
    /// The value, with lines that continue it, without spaces around it.
    pub value: &'a [u8],
}

/// The fields of a stanza, in order. Lines without a colon are left out.
pub fn fields(stanza: &[u8]) -> impl Iterator<Item = Field<'_>> {
    lines(stanza).filter_map(|lines| {
        let colon = memchr::memchr(b':', lines)?;
        Some(Field { name: &lines[..colon], value: lines[colon + 1..].trim_ascii() })
    })
}

/// The fields of a stanza as they are written, each with the ends of its lines.
pub fn lines(stanza: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = stanza;
    std::iter::from_fn(move || {
        let (lines, after) = rest.split_at(field_end(rest));
        rest = after;
        (!lines.is_empty()).then_some(lines)
    })
}

/// Where the field ends that begins here: after the first line that no blank continues.
fn field_end(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text)
        .map(|at| at + 1)
        .find(|&at| !matches!(text.get(at), Some(b' ' | b'\t')))
        .unwrap_or(text.len())
}

/// The value of a field, by its name in any case.
#[must_use]
pub fn field<'a>(stanza: &'a [u8], name: &str) -> Option<&'a [u8]> {
    fields(stanza)
        .find(|field| field.name.eq_ignore_ascii_case(name.as_bytes()))
        .map(|field| field.value)
}

/// How one package names another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Provides a name.
    Provides,
    /// Must be configured before.
    PreDepends,
    /// Must be there.
    Depends,
    /// Should be there.
    Recommends,
    /// May be there.
    Suggests,
    /// Makes the other better.
    Enhances,
    /// Cannot be unpacked beside.
    Conflicts,
    /// Cannot be configured beside.
    Breaks,
    /// Takes over files of.
    Replaces,
}

impl Relation {
    /// All, in the order of their codes in the cache, which is the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::Provides,
        Self::PreDepends,
        Self::Depends,
        Self::Recommends,
        Self::Suggests,
        Self::Enhances,
        Self::Conflicts,
        Self::Breaks,
        Self::Replaces,
    ];

    /// The name of the field.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::Provides => "Provides",
            Self::PreDepends => "Pre-Depends",
            Self::Depends => "Depends",
            Self::Recommends => "Recommends",
            Self::Suggests => "Suggests",
            Self::Enhances => "Enhances",
            Self::Conflicts => "Conflicts",
            Self::Breaks => "Breaks",
            Self::Replaces => "Replaces",
        }
    }

    /// The number that stands for it in the cache.
    #[must_use]
    pub fn code(self) -> u32 {
        self as u32
    }

    /// The relation that a field states.
    #[must_use]
    pub fn of_field(name: &[u8]) -> Option<Self> {
        // Most fields are none; their first letter says so.
        if !matches!(name.first(), Some(b'P' | b'D' | b'R' | b'S' | b'E' | b'C' | b'B')) {
            return None;
        }
        Self::ALL.into_iter().find(|relation| relation.field().as_bytes() == name)
    }
}

/// One alternative of a relation: `libc6:any (>= 2.34)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StanzaTarget<'a> {
    /// The package's name, without an architecture.
    pub name: &'a [u8],
    /// As it stands there.
    pub text: &'a [u8],
    /// Whether another alternative follows, of which one is enough.
    pub has_alternative: bool,
}

/// The packages that the value of a relation names.
pub fn targets(value: &[u8]) -> impl Iterator<Item = StanzaTarget<'_>> {
    value.split(|&byte| byte == b',').flat_map(|group| {
        let mut parts = group.split(|&byte| byte == b'|').peekable();
        std::iter::from_fn(move || {
            let text = parts.next()?.trim_ascii();
            Some(StanzaTarget { name: name(text), text, has_alternative: parts.peek().is_some() })
        })
        .filter(|target| !target.name.is_empty())
    })
}

fn name(text: &[u8]) -> &[u8] {
    let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'(' | b'[' | b'<' | b':');
    &text[..text.iter().position(is_end).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &[u8] = b"Package: hello\nDepends: libc6 (>= 2.14), a | b:any\n\
        Description: greets\n All\n .\n the day.\nTag: x\n";

    #[test]
    fn fields_go_on_at_indented_lines() {
        let names: Vec<&[u8]> = fields(HELLO).map(|field| field.name).collect();
        assert_eq!(names, [&b"Package"[..], b"Depends", b"Description", b"Tag"]);
        assert_eq!(field(HELLO, "description"), Some(&b"greets\n All\n .\n the day."[..]));
        assert_eq!(field(HELLO, "Version"), None);
        assert_eq!(fields(b"no colon\nA: b").count(), 1);
    }

    #[test]
    fn relations_name_packages() {
        let value = field(HELLO, "Depends").unwrap();
        let names: Vec<(&[u8], bool)> =
            targets(value).map(|target| (target.name, target.has_alternative)).collect();
        assert_eq!(names, [(&b"libc6"[..], false), (b"a", true), (b"b", false)]);
        assert_eq!(targets(b"").count(), 0);
        assert_eq!(targets(b" , ,").count(), 0);
    }

    #[test]
    fn codes_are_places_in_the_table() {
        for (place, relation) in (0..).zip(Relation::ALL) {
            assert_eq!(relation.code(), place);
            assert_eq!(Relation::of_field(relation.field().as_bytes()), Some(relation));
        }
        assert_eq!(Relation::of_field(b"Package"), None);
    }
}
