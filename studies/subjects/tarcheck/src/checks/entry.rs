//! Checks of what stands in an entry's header.

use super::{File, Finding};
use crate::archive::Kind;
use crate::hint::printable;
use crate::names::resolve;

/// Clocks differ, and time zones are mistaken: dates may be a day ahead.
const DAY: u64 = 24 * 60 * 60;

pub(super) fn device(file: &File) -> Option<Finding> {
    (file.item.kind == Kind::Special).then(Finding::default)
}

pub(super) fn setuid(file: &File) -> Option<Finding> {
    let is_set =
        file.item.mode & 0o6000 != 0 && matches!(file.item.kind, Kind::File | Kind::HardLink);
    is_set.then(|| mode(file))
}

pub(super) fn world_writable(file: &File) -> Option<Finding> {
    // A folder with the sticky bit, such as `/tmp`, is meant to be written by everybody.
    let is_open = file.item.mode & 0o002 != 0 && file.item.mode & 0o1000 == 0;
    (is_open && matches!(file.item.kind, Kind::File | Kind::Folder)).then(|| mode(file))
}

fn mode(file: &File) -> Finding {
    Finding::note(format!("mode {:04o}", file.item.mode & 0o7777))
}

pub(super) fn absolute_symlink(file: &File) -> Option<Finding> {
    let is_absolute = file.item.kind == Kind::Symlink && file.item.target.starts_with(b"/");
    is_absolute.then(|| target(file))
}

pub(super) fn symlink_out(file: &File) -> Option<Finding> {
    let is_relative = file.item.kind == Kind::Symlink && !file.item.target.starts_with(b"/");
    (is_relative && resolve(&file.item.path, &file.item.target).is_none()).then(|| target(file))
}

fn target(file: &File) -> Finding {
    Finding::note(format!("to `{}`", printable(&file.item.target)))
}

pub(super) fn future(file: &File) -> Option<Finding> {
    if file.item.mtime <= file.now.saturating_add(DAY) {
        return None;
    }
    let seconds = i64::try_from(file.item.mtime).ok();
    let date = seconds.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    Some(Finding::note(
        date.map_or_else(|| format!("{} s after 1970", file.item.mtime), |date| date.to_string()),
    ))
}

pub(super) fn no_date(file: &File) -> Option<Finding> {
    (file.item.mtime < DAY).then(Finding::default)
}

pub(super) fn partly(file: &File) -> Option<Finding> {
    let is_part = file.item.kind == Kind::File && !file.is_whole;
    is_part.then(|| Finding::note(format!("{} of {} bytes", file.content.len(), file.item.size)))
}
