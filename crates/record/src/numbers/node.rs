//! JSON as a tree that keeps the order of its keys, refuses one key twice, and takes the `NaN` of
//! Python.

use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::NumbersError;
use super::error::short;

/// A place in JSON.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// Reads a whole document.
    pub fn read(text: &str) -> Result<Self, NumbersError> {
        let text = without_specials(text);
        serde_json::from_str(&text).map_err(|error| NumbersError::Json { why: error.to_string() })
    }

    /// The kind of value, for messages.
    pub fn describe(&self) -> String {
        match self {
            Node::Null => "null".to_owned(),
            Node::Flag(flag) => flag.to_string(),
            Node::Number(number) => format!("the number {number}"),
            Node::Text(text) => format!("the text `{}`", short(text)),
            Node::List(_) => "an array".to_owned(),
            Node::Map(_) => "an object".to_owned(),
        }
    }

    /// Text, a number or a flag as text; `None` for anything else.
    pub fn word(&self) -> Option<String> {
        match self {
            Node::Flag(flag) => Some(flag.to_string()),
            Node::Number(number) => Some(number.to_string()),
            Node::Text(text) => Some(text.clone()),
            Node::Null | Node::List(_) | Node::Map(_) => None,
        }
    }
}

/// JSON has no `NaN` and no `Infinity`, and many programs write them nevertheless; `1e400` is
/// another way to write the latter. They become empty texts of the same length, which mean gaps, so
/// that positions in messages stay right.
fn without_specials(text: &str) -> String {
    const SPECIALS: [(&str, &str); 3] =
        [("NaN", "\"\" "), ("-Infinity", "\"\"       "), ("Infinity", "\"\"      ")];
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped, mut rest) = (false, false, text);
    while let Some(c) = rest.chars().next() {
        let special = SPECIALS.iter().find(|(name, _)| !quoted && rest.starts_with(name));
        let taken = match special {
            Some((name, put)) => {
                out += put;
                name
            }
            None if !quoted => {
                let taken = number(rest).unwrap_or(&rest[..c.len_utf8()]);
                let huge = taken.parse::<f64>().is_ok_and(f64::is_infinite);
                if huge {
                    // Not by a width of `format!`, which must be below 65,536.
                    out += "\"\"";
                    out.extend(std::iter::repeat_n(' ', taken.len() - 2));
                } else {
                    out += taken;
                }
                taken
            }
            None => {
                out.push(c);
                &rest[..c.len_utf8()]
            }
        };
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
        rest = &rest[taken.len()..];
    }
    out
}

/// The number with which a text begins, as far as its letters go.
fn number(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        .then(|| &text[..end])
        .filter(|it| !it.is_empty())
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeReader)
    }
}

struct NodeReader;

impl<'de> Visitor<'de> for NodeReader {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Flag(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Number(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut map: Vec<(String, Node)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("the key `{}` is there twice", short(&key))));
            }
            map.push((key, entries.next_value()?));
        }
        Ok(Node::Map(map))
    }
}
