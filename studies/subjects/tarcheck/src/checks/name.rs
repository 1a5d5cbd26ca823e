//! Checks of names.

use super::{File, Finding};
use crate::archive::Kind;
use crate::hint::printable;

fn parts(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/')
}

pub(super) fn traversal(file: &File) -> Option<Finding> {
    parts(&file.item.path).any(|part| part == b"..").then(Finding::default)
}

pub(super) fn absolute(file: &File) -> Option<Finding> {
    file.item.path.starts_with(b"/").then(Finding::default)
}

pub(super) fn control(file: &File) -> Option<Finding> {
    file.item.path.iter().any(u8::is_ascii_control).then(Finding::default)
}

pub(super) fn too_long(file: &File) -> Option<Finding> {
    let longest = parts(&file.item.path).map(<[u8]>::len).max()?;
    (longest > 255).then(|| Finding::note(format!("{longest} bytes")))
}

pub(super) fn not_utf8(file: &File) -> Option<Finding> {
    std::str::from_utf8(&file.item.path).is_err().then(Finding::default)
}

/// Names that Windows reserves, whatever follows the first dot.
const RESERVED: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "COM1", "LPT1"];

pub(super) fn not_portable(file: &File) -> Option<Finding> {
    parts(&file.item.path).find_map(|part| {
        if let Some(&byte) = part.iter().find(|byte| br#"<>:"|?*\"#.contains(byte)) {
            return Some(Finding::note(format!("`{}` in `{}`", char::from(byte), printable(part))));
        }
        if part != b"." && part != b".." && part.last().is_some_and(|last| b" .".contains(last)) {
            return Some(Finding::note(format!("`{}` ends with a space or dot", printable(part))));
        }
        let stem = part.split(|&byte| byte == b'.').next().unwrap_or_default();
        let is_reserved = RESERVED.iter().any(|name| stem.eq_ignore_ascii_case(name.as_bytes()));
        is_reserved.then(|| Finding::note(format!("`{}` is reserved", printable(part))))
    })
}

/// The folder itself is reported, not each file in it; files are where the archive has no entry for
/// the folder.
pub(super) fn version_control(file: &File) -> Option<Finding> {
    const FOLDERS: [&[u8]; 8] =
        [b".git", b".svn", b".hg", b".bzr", b"CVS", b"_darcs", b"RCS", b"SCCS"];
    const FILES: [&[u8]; 3] = [b".cvsignore", b".git", b".hgtags"];
    let name = file.name();
    match file.item.kind {
        Kind::Folder => FOLDERS.contains(&name).then(Finding::default),
        _ if FILES.contains(&name) => Some(Finding::default()),
        _ => {
            // One file that every checkout has stands for its folder.
            let is_mark = matches!(
                (folder(file)?, name),
                (b".git", b"HEAD")
                    | (b"CVS", b"Entries")
                    | (b".svn", b"entries" | b"wc.db")
                    | (b".hg", b"requires")
            );
            is_mark.then(Finding::default)
        }
    }
}

/// The folder that a file stands in.
fn folder<'a>(file: &File<'a>) -> Option<&'a [u8]> {
    let mut parts = file.item.path.rsplit(|&byte| byte == b'/');
    parts.next();
    parts.next()
}

pub(super) fn backup(file: &File) -> Option<Finding> {
    let name = file.name();
    let is_hash = name.len() > 2 && name.starts_with(b"#") && name.ends_with(b"#");
    let is_swap =
        name.starts_with(b".") && [&b".swp"[..], b".swo"].iter().any(|end| name.ends_with(end));
    let is_backup = is_hash
        || is_swap
        || (name.len() > 1 && name.ends_with(b"~"))
        || name.starts_with(b".#")
        || matches!(file.extension(), b"bak" | b"BAK");
    (is_backup && file.item.kind != Kind::Folder).then(Finding::default)
}

/// Cargo puts the manifest as it was written into each crate under the name `Cargo.toml.orig`.
pub(super) fn patch_leftover(file: &File) -> Option<Finding> {
    let is_left = matches!(file.extension(), b"rej" | b"orig") && file.name() != b"Cargo.toml.orig";
    (is_left && file.item.kind == Kind::File).then(Finding::default)
}

pub(super) fn system_metadata(file: &File) -> Option<Finding> {
    let name = file.name();
    let is_known = matches!(name, b".DS_Store" | b"Thumbs.db" | b"desktop.ini" | b"__MACOSX");
    (is_known || name.starts_with(b"._")).then(Finding::default)
}

pub(super) fn build_leftover(file: &File) -> Option<Finding> {
    let name = file.name();
    let is_folder = file.item.kind == Kind::Folder;
    let is_made = if is_folder {
        matches!(name, b"autom4te.cache" | b"__pycache__" | b".libs" | b".deps" | b".pytest_cache")
    } else {
        matches!(name, b"config.log" | b"config.status" | b".ninja_log" | b"CMakeCache.txt")
            || matches!(file.extension(), b"pyc" | b"pyo" | b"lo" | b"la" | b"gcda" | b"gcno")
    };
    is_made.then(Finding::default)
}
