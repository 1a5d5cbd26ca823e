//! Checks of text, each in one fast pass over the content.

use memchr::memmem;

use super::{File, Finding};

/// Lines longer than this are not written by people.
const LONGEST_LINE: usize = 2000;

pub(super) fn invalid_utf8(file: &File) -> Option<Finding> {
    if file.is_ascii || declares_encoding(file.content) {
        return None;
    }
    let error = std::str::from_utf8(file.content).err()?;
    // Where only the beginning was kept, a character may be cut.
    if error.error_len().is_none() && !file.is_whole {
        return None;
    }
    let at = error.valid_up_to();
    Some(Finding::at(file, at, format!("byte 0x{:02x}", file.content[at])))
}

/// Whether the first lines name an encoding: `# -*- coding: latin-1 -*-`, `encoding="koi8-r"`,
/// `charset=big5`. Text that also names UTF-8 there must be UTF-8.
fn declares_encoding(content: &[u8]) -> bool {
    let head = content[..content.len().min(2 << 10)].to_ascii_lowercase();
    let names = [&b"coding:"[..], b"coding=", b"charset="]
        .iter()
        .any(|word| memmem::find(&head, word).is_some());
    names && memmem::find(&head, b"utf-8").is_none() && memmem::find(&head, b"utf8").is_none()
}

pub(super) fn byte_order_mark(file: &File) -> Option<Finding> {
    file.content
        .starts_with(b"\xef\xbb\xbf")
        .then(|| Finding { line: Some(1), note: String::new() })
}

/// U+202A to U+202E and U+2066 to U+2069: `e2 80 aa` to `e2 80 ae`, `e2 81 a6` to `e2 81 a9`.
pub(super) fn bidirectional(file: &File) -> Option<Finding> {
    if file.is_ascii {
        return None;
    }
    let is_control = |at: &usize| {
        matches!(file.content[*at..], [_, 0x80, 0xaa..=0xae, ..] | [_, 0x81, 0xa6..=0xa9, ..])
    };
    let at = memchr::memchr_iter(0xe2, file.content).find(is_control)?;
    let code = match file.content[at..] {
        [_, 0x80, low, ..] => 0x2000 + u32::from(low - 0x80),
        [_, _, low, ..] => 0x2040 + u32::from(low - 0x80),
        _ => return None,
    };
    Some(Finding::at(file, at, format!("U+{code:04X}")))
}

/// Looks back from where the line would be too long, so that most bytes are never looked at.
pub(super) fn long_line(file: &File) -> Option<Finding> {
    let mut begin = 0;
    while let Some(window) = file.content.get(begin..=begin + LONGEST_LINE) {
        let Some(end) = memchr::memrchr(b'\n', window) else {
            let rest = &file.content[begin..];
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            return Some(Finding::at(file, begin, format!("{length} bytes")));
        };
        begin += end + 1;
    }
    None
}

pub(super) fn mixed_endings(file: &File) -> Option<Finding> {
    // Most files have no CR at all, others end their first line with it.
    let first_return = memchr::memchr(b'\r', file.content)?;
    let content = file.content;
    if content.get(first_return + 1) != Some(&b'\n') {
        return None;
    }
    let is_bare = |at: &usize| *at == 0 || content[at - 1] != b'\r';
    let bare = memchr::memchr_iter(b'\n', content).find(is_bare)?;
    Some(Finding::at(file, first_return.max(bare), ""))
}

pub(super) fn conflict(file: &File) -> Option<Finding> {
    let begin = line_with(file.content, b"<<<<<<< ")?;
    // Text about conflicts shows one mark; a conflict has both.
    line_with(&file.content[begin..], b">>>>>>> ")?;
    Some(Finding::at(file, begin, ""))
}

/// Where the first line begins that starts with `start`.
fn line_with(content: &[u8], start: &[u8]) -> Option<usize> {
    memmem::find_iter(content, start).find(|&at| at == 0 || content[at - 1] == b'\n')
}

pub(super) fn private_key(file: &File) -> Option<Finding> {
    let is_key = |at: &usize| {
        let rest = &file.content[*at..];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // A line of source that mentions the marker goes on after it.
        line.ends_with(b"PRIVATE KEY-----") && (*at == 0 || file.content[at - 1] == b'\n')
    };
    let at = memmem::find_iter(file.content, b"-----BEGIN ").find(is_key)?;
    Some(Finding::at(file, at, ""))
}
