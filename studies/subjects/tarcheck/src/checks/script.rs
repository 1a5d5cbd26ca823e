//! Checks of the line that names an interpreter.

use super::{File, Finding};
use crate::hint::printable;

/// The words after `#!`, if the file begins with it.
fn words<'a>(file: &File<'a>) -> Option<impl Iterator<Item = &'a [u8]>> {
    let end = memchr::memchr(b'\n', file.content).unwrap_or(file.content.len());
    // Rust's inner attributes, `#![…]`, begin like a script.
    let line = file.content[..end].strip_prefix(b"#!").filter(|line| !line.starts_with(b"["))?;
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    Some(line.split(is_blank).filter(|word| !word.is_empty()))
}

/// The interpreter as it stands there.
fn interpreter<'a>(file: &File<'a>) -> Option<&'a [u8]> {
    words(file)?.next()
}

fn first_line(note: &[u8]) -> Finding {
    Finding { line: Some(1), note: format!("`{}`", printable(note)) }
}

pub(super) fn no_interpreter(file: &File) -> Option<Finding> {
    words(file)?.next().is_none().then(|| Finding { line: Some(1), note: String::new() })
}

pub(super) fn relative(file: &File) -> Option<Finding> {
    let path = interpreter(file)?;
    // Templates such as `#!@PERL@` and `#!%prefix%/bin/x` get their path when they are built.
    let is_relative = !matches!(path.first(), Some(b'/' | b'@' | b'%' | b'$'));
    is_relative.then(|| first_line(path))
}

pub(super) fn carriage_return(file: &File) -> Option<Finding> {
    let path = interpreter(file)?;
    file.first_line().ends_with(b"\r").then(|| first_line(path))
}

pub(super) fn local(file: &File) -> Option<Finding> {
    let path = interpreter(file)?;
    let folders = [&b"/usr/local/"[..], b"/opt/", b"/home/"];
    folders.iter().any(|folder| path.starts_with(folder)).then(|| first_line(path))
}

pub(super) fn obsolete(file: &File) -> Option<Finding> {
    let mut words = words(file)?;
    let mut path = words.next()?;
    if path.ends_with(b"/env") {
        path = words.find(|word| !word.starts_with(b"-"))?;
    }
    let name = path.rsplit(|&byte| byte == b'/').next()?;
    (name == b"python" || name.starts_with(b"python2")).then(|| first_line(name))
}

pub(super) fn not_script(file: &File) -> Option<Finding> {
    let is_executable = file.item.mode & 0o111 != 0;
    (is_executable && !file.content.starts_with(b"#!")).then(|| Finding::note(""))
}
