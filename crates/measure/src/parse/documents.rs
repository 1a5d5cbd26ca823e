//! JSON documents in a text (RFC 8259): alone, one after the other, or among other lines.
//!
//! Among other lines a document is an object or an array that begins a line and has the line it
//! ends on to its end. A text that only looks like a document is an error: otherwise some of the
//! values would be taken for all of them. Other lines are skipped, such as `starting up`, `[info]
//! 5`, or a number.

use serde_json::{Deserializer, Value};

/// All documents of a text, in their order; at least one.
pub(super) fn documents(text: &str) -> Result<Vec<Value>, String> {
    let whole: Result<Vec<Value>, _> = Deserializer::from_str(text).into_iter::<Value>().collect();
    match whole {
        Ok(documents) if documents.is_empty() => {
            Err("it is empty, and JSON was expected".to_owned())
        }
        Ok(documents) => Ok(documents),
        Err(error) => match among(text)? {
            documents if documents.is_empty() => Err(format!("it is not JSON: {error}")),
            documents => Ok(documents),
        },
    }
}

/// The documents among other lines.
fn among(text: &str) -> Result<Vec<Value>, String> {
    let mut documents = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let begun = begun(rest).map_err(|why| {
            let line = text[..text.len() - rest.len()].matches('\n').count() + 1;
            format!("it is not JSON: the document that begins on line {line}: {why}")
        })?;
        rest = match begun {
            Some((document, end)) => {
                documents.push(document);
                &rest[end..]
            }
            None => rest.split_once('\n').map_or("", |(_, rest)| rest),
        };
        rest = rest.trim_start();
    }
    Ok(documents)
}

/// The document that begins here and where it ends; `None` if none does.
fn begun(text: &str) -> Result<Option<(Value, usize)>, String> {
    if !text.starts_with(['{', '[']) {
        return Ok(None);
    }
    let mut stream = Deserializer::from_str(text).into_iter::<Value>();
    let next = stream.next();
    let end = stream.byte_offset();
    match next {
        Some(Ok(document)) if is_alone(&text[end..]) => Ok(Some((document, end))),
        Some(Ok(_)) if is_meant(text) || text[..end].contains('\n') => {
            Err("other text follows on its last line".to_owned())
        }
        Some(Err(error)) if is_meant(text) || error.line() > 1 || error.is_eof() => {
            let why = error.to_string();
            Err(why.split(" at line ").next().unwrap_or(&why).to_owned())
        }
        _ => Ok(None),
    }
}

/// Whether the text after a document is the end of its line, or another document.
fn is_alone(after: &str) -> bool {
    let after = after.trim_start_matches([' ', '\t', '\r']);
    after.is_empty() || after.starts_with(['\n', '{'])
}

/// Whether only a document begins like this: `{"`, `[{`, and a brace or bracket with its line to
/// itself.
fn is_meant(text: &str) -> bool {
    let inner = text[1..].trim_start_matches([' ', '\t', '\r']);
    inner.is_empty() || inner.starts_with(['\n', if text.starts_with('{') { '"' } else { '{' }])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn fails(text: &str, part: &str) {
        let why = documents(text).unwrap_err();
        assert!(why.contains(part), "{why}");
    }

    #[test]
    fn lines_that_are_documents_are_found_among_others() {
        let rates = |text: &str| documents(text).unwrap();
        let two = [json!({"rate": 5}), json!({"rate": 7})];
        assert_eq!(rates("starting up\n{\"rate\": 5}\n{\"rate\": 7}\n"), two);
        assert_eq!(rates("{\"rate\": 5}\r\n[info] at work\r\n  {\"rate\": 7}  \r\ndone"), two);
        assert_eq!(rates("[1]+  Done\n[1] 4242\n{ gcc }\n{\"rate\": 5} {\"rate\": 7}\n7\n"), two);
        assert_eq!(
            rates(
                "Run on (2 X 2400 MHz CPU s)\n***WARNING***\n{\n  \"rate\": 5\n}\n{\n\"rate\": 7}"
            ),
            two
        );
        assert_eq!(rates("no\n[\n 1,\n 2\n]\n[3]\n"), [json!([1, 2]), json!([3])]);
    }

    #[test]
    fn what_begins_a_document_and_is_none_is_named_by_its_line() {
        fails(
            "starting\n{\"rate\": 5}\n{\"rate\": NaN}\n",
            "it is not JSON: the document that begins on line 3: expected value",
        );
        fails(
            "starting\n{\n \"runs\": [\n  {\"rate\": 5},\n  {\"rate\": 7}\n",
            "the document that begins on line 2: EOF",
        );
        fails("starting\n[{\"rate\": NaN}]\n{\"rate\": 7}\n", "the document that begins on line 2");
        fails(
            "starting\n{\"rate\": 5} and so on\n{\"rate\": 7}\n",
            "other text follows on its last line",
        );
        fails(
            "starting\n[\n1\n] and so on\n{\"rate\": 7}\n",
            "other text follows on its last line",
        );
        fails("starting\n[1, 2", "EOF");
        fails("starting up\n5\n", "it is not JSON: expected value at line 1");
    }

    /// An object with whatever text, over one line or several.
    fn written(number: i32, text: &str, is_pretty: bool) -> (Value, String) {
        let value = json!({"rate": number, "text": text, "list": [{"rate": number}, [], {}]});
        let line = if is_pretty {
            serde_json::to_string_pretty(&value)
        } else {
            serde_json::to_string(&value)
        };
        (value, line.unwrap())
    }

    proptest! {
        #[test]
        fn every_document_is_found_and_nothing_else(
            parts in prop::collection::vec((any::<i32>(), ".{0,9}", any::<bool>(), "[a-z0-9 ]{0,9}|\\[i[a-z]{1,4}\\] [a-z{}]{0,9}"), 1..9),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut text = "starting up\n".to_owned();
            let mut wanted = Vec::new();
            for (number, inside, is_pretty, line) in &parts {
                let (value, document) = written(*number, inside, *is_pretty);
                text += &format!("{line}\n{document}\n");
                wanted.push(value);
            }
            prop_assert_eq!(documents(&text), Ok(wanted.clone()));
            // Cut off anywhere: what is whole, or an error.
            let mut end = cut.index(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            if let Ok(found) = documents(&text[..end]) {
                prop_assert!(found.len() <= wanted.len() && found == wanted[..found.len()], "{}", &text[..end]);
            }
        }

        #[test]
        fn any_text_is_answered(text in "[\\[\\]{}\",:0-9a \n]{0,60}") {
            let _ = documents(&text);
        }
    }
}
