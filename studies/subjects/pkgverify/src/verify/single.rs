//! One file, and why it is not as recorded.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use md5::Md5;
use sha2::{Digest, Sha256};

use crate::dpkg::PathFilter;
use crate::{Checksum, Fault, ListedFile, Requirement, RootFolder};

/// What of a file is read at once.
const READ: usize = 64 * 1024;

/// Examines one file at a time.
pub(super) struct Examiner<'a> {
    root: &'a RootFolder,
    left_out: &'a PathFilter,
    reports_dead_links: bool,
    user: String,
}

impl<'a> Examiner<'a> {
    pub fn new(root: &'a RootFolder, left_out: &'a PathFilter, reports_dead_links: bool) -> Self {
        Self { root, left_out, reports_dead_links, user: user() }
    }

    pub fn root(&self) -> &RootFolder {
        self.root
    }

    /// The file at `listed`, if it is a regular one, or a symlink to one, and may be read.
    pub fn open_regular(&self, listed: &Path) -> Option<File> {
        let path = self.root.locate(listed, true).ok()?;
        open_regular(&path).ok().flatten()
    }

    /// What is wrong with a file, if anything.
    pub fn examine(&self, file: &ListedFile) -> Option<Fault> {
        let fault = match &file.requirement {
            Requirement::Content(Checksum::Unsupported(kind))
            | Requirement::ContentOrTarget(Checksum::Unsupported(kind)) => {
                Ok(Some(Fault::Unsupported(kind.clone())))
            }
            Requirement::Content(sum) => self.content(&file.path, sum),
            Requirement::ContentOrTarget(sum) => self.content_or_target(&file.path, sum),
            Requirement::Exists => self.existence(&file.path),
            Requirement::Target(targets) => self.target(&file.path, targets),
        };
        let fault = fault.unwrap_or_else(|error| Some(self.failure(&file.path, &error)))?;
        let is_left_out = fault == Fault::Missing && self.left_out.leaves_out(&file.path);
        (!is_left_out).then_some(fault)
    }

    fn content(&self, listed: &Path, sum: &Checksum) -> io::Result<Option<Fault>> {
        if let Some(target) = self.link(listed)?
            && !self.root.leads_somewhere(listed)
        {
            return Ok(Some(Fault::DeadLink { target }));
        }
        let path = self.root.locate(listed, true)?;
        match open_regular(&path)? {
            None => Ok(Some(Fault::NotRegular(kind(&path)?))),
            Some(mut file) => Ok((!has_sum(&mut file, sum)?).then_some(Fault::Mismatch)),
        }
    }

    fn content_or_target(&self, listed: &Path, sum: &Checksum) -> io::Result<Option<Fault>> {
        let Some(target) = self.link(listed)? else { return self.content(listed, sum) };
        if !has_sum(&mut hashed_target(&target).as_slice(), sum)? {
            return Ok(Some(Fault::Mismatch));
        }
        Ok(self.dead_link(listed, target))
    }

    fn existence(&self, listed: &Path) -> io::Result<Option<Fault>> {
        Ok(self.link(listed)?.and_then(|target| self.dead_link(listed, target)))
    }

    fn target(&self, listed: &Path, expected: &[PathBuf]) -> io::Result<Option<Fault>> {
        let target = self.link(listed)?;
        match target {
            Some(target) if expected.contains(&target) => Ok(self.dead_link(listed, target)),
            target => Ok(Some(Fault::WrongTarget { target, expected: expected.to_vec() })),
        }
    }

    /// A symlink that leads nowhere is a fault on demand only.
    fn dead_link(&self, listed: &Path, target: PathBuf) -> Option<Fault> {
        let is_dead = self.reports_dead_links && !self.root.leads_somewhere(listed);
        is_dead.then_some(Fault::DeadLink { target })
    }

    /// The path that a symlink points to; none if something else is there.
    fn link(&self, listed: &Path) -> io::Result<Option<PathBuf>> {
        let path = self.root.locate(listed, false)?;
        if path.symlink_metadata()?.is_symlink() { path.read_link().map(Some) } else { Ok(None) }
    }

    fn failure(&self, listed: &Path, error: &io::Error) -> Fault {
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Fault::Missing,
            ErrorKind::PermissionDenied => self.no_access(listed),
            _ => Fault::Unreadable(text(error)),
        }
    }

    /// Which part of a path stands in the way: the first folder that may not be entered, else the
    /// file.
    fn no_access(&self, listed: &Path) -> Fault {
        let mut parts: Vec<&Path> = listed.ancestors().collect();
        parts.reverse();
        let is_hidden = |part: &&&Path| {
            let found = self.root.locate(part, true).and_then(|path| path.metadata());
            found.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
        };
        let hidden = parts.iter().find(is_hidden).and_then(|part| part.parent());
        let blocked = hidden.unwrap_or(listed).to_owned();
        let rest = listed.strip_prefix(&blocked).unwrap_or(Path::new("")).to_owned();
        Fault::NoAccess { user: self.user.clone(), blocked, rest }
    }
}

/// The file, unless it is something else, which is not opened.
fn open_regular(path: &Path) -> io::Result<Option<File>> {
    if !path.metadata()?.is_file() {
        return Ok(None);
    }
    // It may have become a named pipe meanwhile, which would make us wait.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path).map(Some)
}

fn kind(path: &Path) -> io::Result<&'static str> {
    let kind = path.metadata()?.file_type();
    Ok(match () {
        () if kind.is_dir() => "folder",
        () if kind.is_fifo() => "named pipe",
        () if kind.is_socket() => "socket",
        () => "device",
    })
}

/// What FreeBSD's `pkg` hashes of a symlink. A mistake that can never be mended: of an absolute
/// path, the first `/` is left out and a zero byte is added.
fn hashed_target(target: &Path) -> Vec<u8> {
    let bytes = target.as_os_str().as_bytes();
    match bytes.strip_prefix(b"/") {
        Some(rest) => [rest, b"\0"].concat(),
        None => bytes.to_vec(),
    }
}

fn has_sum(content: &mut impl Read, sum: &Checksum) -> io::Result<bool> {
    match sum {
        Checksum::Md5(sum) => Ok(digest::<Md5>(content)?.as_slice() == sum),
        Checksum::Sha256(sum) => Ok(digest::<Sha256>(content)?.as_slice() == sum),
        Checksum::Unsupported(_) => Ok(false),
    }
}

fn digest<D: Digest>(content: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut digest = D::new();
    let mut buffer = vec![0; READ];
    loop {
        match content.read(&mut buffer) {
            Ok(0) => return Ok(digest.finalize().to_vec()),
            Ok(length) => digest.update(&buffer[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// An error without its number.
fn text(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// The user who verifies: the name in `/etc/passwd`, else the number.
fn user() -> String {
    let number = rustix::process::geteuid().as_raw().to_string();
    let names = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = names.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1) == Some(number.as_str())).then(|| name.to_owned())
    });
    name.unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_target_is_hashed_as_pkg_does() {
        assert_eq!(hashed_target(Path::new("/usr/bin/vi")), b"usr/bin/vi\0");
        assert_eq!(hashed_target(Path::new("../bin/vi")), b"../bin/vi");
    }

    #[test]
    fn errors_are_shown_without_their_number() {
        assert_eq!(text(&io::Error::from_raw_os_error(5)), "Input/output error");
    }
}
