//! The checks: one table, one function each.
//!
//! A check of a file gets a [`File`] and says at most one thing: the first line and what stands
//! there. So the size of a report is bounded by the number of files. Checks of all files together
//! are in `names`.

mod binary;
mod entry;
mod name;
mod script;
mod text;

use crate::archive::{Batch, Item, Kind};
use crate::hint::{Hint, Severity, printable};
use crate::source::Ending;
use crate::{Options, Selection};

/// A file that is checked.
pub struct File<'a> {
    /// The entry.
    pub item: &'a Item,
    /// Its content, or the beginning of it.
    pub content: &'a [u8],
    /// Whether all content is there.
    pub is_whole: bool,
    /// Whether it is taken for text: no NUL byte near the beginning.
    pub is_text: bool,
    /// Whether all bytes are ASCII; saves the dearer checks of encodings.
    pub is_ascii: bool,
    /// The time after which dates lie in the future, in seconds since 1970.
    pub now: u64,
}

/// What a check found in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// The first line that it is about, from 1.
    pub line: Option<usize>,
    /// What stands there; may be empty.
    pub note: String,
}

impl Finding {
    fn note(note: impl Into<String>) -> Self {
        Self { line: None, note: note.into() }
    }

    fn at(file: &File, offset: usize, note: impl Into<String>) -> Self {
        let line = memchr::memchr_iter(b'\n', &file.content[..offset]).count() + 1;
        Self { line: Some(line), note: note.into() }
    }
}

/// What a check is about.
#[derive(Clone, Copy, Debug)]
pub enum Scope {
    /// One entry; returns what is wrong with it.
    Entry(fn(&File) -> Option<Finding>),
    /// The content of one file; not called for entries without content.
    Content(fn(&File) -> Option<Finding>),
    /// The content of one text file.
    Text(fn(&File) -> Option<Finding>),
    /// All entries together.
    Archive,
}

/// A check.
#[derive(Debug)]
pub struct Check {
    /// Its name.
    pub tag: &'static str,
    /// How bad its hints are.
    pub severity: Severity,
    /// What it finds.
    pub about: &'static str,
    /// How it is made.
    pub scope: Scope,
}

const fn check(tag: &'static str, severity: Severity, about: &'static str, scope: Scope) -> Check {
    Check { tag, severity, about, scope }
}

use Scope::{Archive, Content, Entry, Text};
use Severity::{Error, Info, Warning};

/// All checks.
pub static ALL: [Check; 44] = [
    check(
        "path-traversal",
        Error,
        "a name with `..` leads out of the folder it is unpacked in",
        Entry(name::traversal),
    ),
    check("absolute-path", Error, "a name begins with `/`", Entry(name::absolute)),
    check(
        "control-character-in-name",
        Error,
        "a name has a control character",
        Entry(name::control),
    ),
    check(
        "name-too-long",
        Error,
        "a part of a name has more than 255 bytes; no usual file system takes it",
        Entry(name::too_long),
    ),
    check("name-not-utf8", Warning, "a name is not UTF-8", Entry(name::not_utf8)),
    check("name-not-portable", Info, "Windows cannot create the name", Entry(name::not_portable)),
    check("device-file", Error, "a device or named pipe", Entry(entry::device)),
    check(
        "setuid-or-setgid",
        Error,
        "a file would be executed with its owner's rights",
        Entry(entry::setuid),
    ),
    check("world-writable", Warning, "everybody may write to it", Entry(entry::world_writable)),
    check(
        "absolute-symlink",
        Warning,
        "a symlink to an absolute path",
        Entry(entry::absolute_symlink),
    ),
    check(
        "symlink-out-of-tree",
        Error,
        "a relative symlink leads out of the archive",
        Entry(entry::symlink_out),
    ),
    check("date-in-future", Warning, "modified more than a day after now", Entry(entry::future)),
    check(
        "date-missing",
        Info,
        "modified at the beginning of 1970, as if the date was lost",
        Entry(entry::no_date),
    ),
    check(
        "version-control-leftover",
        Warning,
        "a folder or file of a version control system",
        Entry(name::version_control),
    ),
    check("backup-file", Warning, "a backup or swap file of an editor", Entry(name::backup)),
    check(
        "patch-leftover",
        Warning,
        "a file that `patch` left behind",
        Entry(name::patch_leftover),
    ),
    check(
        "system-metadata",
        Warning,
        "a file that an operating system adds to folders",
        Entry(name::system_metadata),
    ),
    check("build-leftover", Warning, "a file that a build made", Entry(name::build_leftover)),
    check(
        "content-partly-checked",
        Info,
        "only the beginning was checked: see `--max-content`",
        Entry(entry::partly),
    ),
    check(
        "prebuilt-binary",
        Warning,
        "a program or library without its source",
        Content(binary::prebuilt),
    ),
    check("embedded-archive", Info, "an archive in the archive", Content(binary::archive)),
    check(
        "nul-in-text",
        Warning,
        "a NUL byte in a file that is text by its name",
        Content(binary::nul_in_text),
    ),
    check(
        "script-without-interpreter",
        Warning,
        "`#!` without an interpreter",
        Text(script::no_interpreter),
    ),
    check(
        "relative-interpreter",
        Warning,
        "the interpreter's path is relative",
        Text(script::relative),
    ),
    check(
        "carriage-return-in-interpreter",
        Error,
        "the `#!` line ends with CR LF; the kernel looks for a program with CR in its name",
        Text(script::carriage_return),
    ),
    check(
        "local-interpreter",
        Warning,
        "the interpreter is in `/usr/local`, `/opt` or `/home`",
        Text(script::local),
    ),
    check(
        "obsolete-interpreter",
        Info,
        "Python 2, or `python` without a version",
        Text(script::obsolete),
    ),
    check(
        "executable-not-script",
        Info,
        "an executable text without `#!`",
        Text(script::not_script),
    ),
    check(
        "invalid-utf8",
        Warning,
        "text that is not UTF-8 and names no other encoding",
        Text(text::invalid_utf8),
    ),
    check(
        "byte-order-mark",
        Info,
        "text begins with a byte order mark",
        Text(text::byte_order_mark),
    ),
    check(
        "bidirectional-control",
        Error,
        "text is shown in another order than it is compiled in",
        Text(text::bidirectional),
    ),
    check(
        "very-long-line",
        Info,
        "a line of more than 2,000 bytes, as in generated or minified text",
        Text(text::long_line),
    ),
    check(
        "mixed-line-endings",
        Info,
        "lines end with LF and with CR LF",
        Text(text::mixed_endings),
    ),
    check("merge-conflict", Error, "an unresolved conflict of a merge", Text(text::conflict)),
    check("private-key", Error, "a private key", Text(text::private_key)),
    check(
        "duplicate-name",
        Warning,
        "several entries have the same name; the last one wins",
        Archive,
    ),
    check("case-conflict", Info, "two names differ in case only", Archive),
    check(
        "hardlink-without-target",
        Error,
        "a hard link to a file that does not stand before it",
        Archive,
    ),
    check("dangling-symlink", Info, "a symlink to a name that the archive lacks", Archive),
    check("minified-without-source", Warning, "`x.min.js` without `x.js`", Archive),
    check("several-top-folders", Info, "unpacks into more than one folder", Archive),
    check("license-missing", Info, "no licence at the top", Archive),
    check(
        "end-missing",
        Warning,
        "the archive ends without two blocks of zeros: it may have been cut off",
        Archive,
    ),
    check("trailing-data", Warning, "something follows the end of the archive", Archive),
];

/// The check with a name.
#[must_use]
pub fn by_tag(tag: &str) -> Option<&'static Check> {
    ALL.iter().find(|check| check.tag == tag)
}

/// Makes the chosen checks at all entries of a batch.
pub fn batch(batch: &Batch, options: &Options, hints: &mut Vec<Hint>) {
    for item in &batch.items {
        let file = File::new(item, batch.content(item), options);
        let found = options.selection.iter().filter_map(|check| Some((check, make(check, &file)?)));
        hints.extend(found.map(|(check, finding)| Hint {
            file: printable(&item.path),
            line: finding.line,
            tag: check.tag,
            severity: check.severity,
            note: finding.note,
        }));
    }
}

/// The hint about how the archive ends, if that is wrong.
pub(crate) fn ending(ending: Ending, selection: &Selection) -> Option<Hint> {
    let tag = match ending {
        Ending::Complete => return None,
        Ending::Missing => "end-missing",
        Ending::Trailing => "trailing-data",
    };
    let check = by_tag(tag).filter(|check| selection.has(check.tag))?;
    let (file, note) = (String::new(), String::new());
    Some(Hint { file, line: None, tag: check.tag, severity: check.severity, note })
}

fn make(check: &Check, file: &File) -> Option<Finding> {
    match check.scope {
        Scope::Entry(find) => find(file),
        Scope::Content(find) if !file.content.is_empty() => find(file),
        Scope::Text(find) if file.is_text => find(file),
        _ => None,
    }
}

impl<'a> File<'a> {
    fn new(item: &'a Item, content: &'a [u8], options: &Options) -> Self {
        let head = &content[..content.len().min(8 << 10)];
        let is_text =
            item.kind == Kind::File && !content.is_empty() && memchr::memchr(0, head).is_none();
        Self {
            item,
            content,
            is_whole: content.len() as u64 == item.size,
            is_text,
            is_ascii: is_text && content.is_ascii(),
            now: options.now,
        }
    }

    /// The last part of the name.
    fn name(&self) -> &[u8] {
        let path = self.item.path.strip_suffix(b"/").unwrap_or(&self.item.path);
        path.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
    }

    /// The part of the name after its last dot.
    fn extension(&self) -> &[u8] {
        let name = self.name();
        memchr::memrchr(b'.', name).filter(|&at| at > 0).map_or(&[], |at| &name[at + 1..])
    }

    /// The first line without its end.
    fn first_line(&self) -> &[u8] {
        let end = memchr::memchr(b'\n', self.content).unwrap_or(self.content.len());
        &self.content[..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_unique_and_in_the_readme() {
        let readme = include_str!("../../README.md");
        for check in &ALL {
            assert_eq!(
                ALL.iter().filter(|other| other.tag == check.tag).count(),
                1,
                "{}",
                check.tag
            );
            let row = format!("| `{}` | {} | {} |", check.tag, check.severity, check.about);
            assert!(readme.contains(&row), "README.md lacks:\n{row}");
        }
    }
}
