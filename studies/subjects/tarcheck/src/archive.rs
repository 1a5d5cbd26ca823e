//! Reads a tar archive, entry by entry, into batches that are used again.

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use tar::{Archive, Entries, Entry, EntryType};
use unpack::Meter;

use crate::source::{Ending, Source};
use crate::{Error, Options};

/// A batch is handed on once it holds this many bytes of content: small enough to stay in a CPU's
/// cache.
const BATCH_BYTES: usize = 256 << 10;

/// A batch is handed on once it holds this many entries.
const BATCH_ENTRIES: usize = 256;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file with content.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Symlink,
    /// Another name of an earlier file.
    HardLink,
    /// A device or named pipe.
    Special,
}

/// One entry. Its content lies in the batch.
#[derive(Debug)]
pub struct Item {
    /// The name as it stands in the archive, without a leading `./`.
    pub path: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// The permission bits.
    pub mode: u32,
    /// When it was modified, in seconds since 1970.
    pub mtime: u64,
    /// The whole size of the file in bytes.
    pub size: u64,
    /// Where a link points to.
    pub target: Vec<u8>,
    content: Range<usize>,
}

/// Some entries and their content.
#[derive(Debug, Default)]
pub struct Batch {
    /// The entries.
    pub items: Vec<Item>,
    bytes: Vec<u8>,
}

impl Batch {
    /// The content of an entry of this batch, or the beginning of a long one.
    #[must_use]
    pub fn content(&self, item: &Item) -> &[u8] {
        &self.bytes[item.content.clone()]
    }

    /// Forgets the entries and keeps the memory, unless one large file made it large.
    pub fn clear(&mut self) {
        self.items.clear();
        self.bytes.clear();
        self.bytes.shrink_to(2 * BATCH_BYTES);
    }

    fn is_full(&self) -> bool {
        self.bytes.len() >= BATCH_BYTES || self.items.len() >= BATCH_ENTRIES
    }
}

/// Reads the entries of one archive.
pub struct Reader<'a> {
    path: &'a Path,
    entries: Entries<'a, Source>,
    options: &'a Options,
    meter: Meter,
    stated: u64,
    count: u64,
}

/// Opens an archive in any compression; `-` is standard input.
///
/// # Errors
/// If the file cannot be opened, its first bytes cannot be decoded, or it is something else.
pub fn open(path: &Path, options: &Options) -> Result<(Archive<Source>, Meter), Error> {
    let decoding = unpack::Options {
        limits: options.limits,
        inflate: options.inflate,
        parallel: options.parallel_xz,
        ahead: options.ahead,
    };
    let stream = if path == Path::new("-") {
        let at = |source| unpack::Error::Open { path: path.to_owned(), source };
        unpack::read(std::io::stdin(), decoding).map_err(at)?
    } else {
        unpack::open(path, decoding)?
    };
    let meter = stream.meter();
    let source = Source::new(stream).map_err(|source| damaged(path, &meter, 0, source))?;
    match source.other_kind() {
        Some(kind) => Err(Error::NotTar { path: path.to_owned(), kind }),
        None => Ok((Archive::new(source), meter)),
    }
}

impl<'a> Reader<'a> {
    /// Begins with the first entry.
    ///
    /// # Errors
    /// If the archive was read before.
    pub fn new(
        path: &'a Path,
        archive: &'a mut Archive<Source>,
        meter: Meter,
        options: &'a Options,
    ) -> Result<Self, Error> {
        let entries = archive.entries().map_err(|source| Error::Damaged {
            path: path.to_owned(),
            entries: 0,
            source,
        })?;
        Ok(Self { path, entries, options, meter, stated: 0, count: 0 })
    }

    /// How many entries were read.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Fills a batch; `false` once the archive ends.
    ///
    /// # Errors
    /// If the archive is damaged or goes beyond a limit.
    pub fn fill(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        while !batch.is_full() {
            let Some(entry) = self.entries.next() else {
                if self.count == 0 {
                    return Err(Error::Empty { path: self.path.to_owned() });
                }
                return Ok(!batch.items.is_empty());
            };
            let result = entry.and_then(|entry| append(entry, batch, self.options.content));
            let size = result.map_err(|source| self.damaged(source))?;
            self.account(size)?;
        }
        Ok(true)
    }

    /// Counts an entry. A sparse file states a size that never comes out of the decoder.
    fn account(&mut self, size: u64) -> Result<(), Error> {
        self.count += 1;
        self.stated = self.stated.saturating_add(size);
        if self.stated > self.options.limits.total {
            let bomb = unpack::Bomb::Total(self.options.limits.total);
            return Err(Error::Bomb { path: self.path.to_owned(), bomb });
        }
        if self.count > self.options.entries {
            return Err(Error::TooManyEntries {
                path: self.path.to_owned(),
                limit: self.options.entries,
            });
        }
        Ok(())
    }

    fn damaged(&self, source: std::io::Error) -> Error {
        damaged(self.path, &self.meter, self.count, source)
    }
}

/// Reads what follows the last entry, and says how the archive ends.
///
/// # Errors
/// If the archive is damaged or goes beyond a limit.
pub(crate) fn finish(
    path: &Path,
    archive: Archive<Source>,
    meter: &Meter,
    entries: u64,
) -> Result<Ending, Error> {
    archive.into_inner().finish().map_err(|source| damaged(path, meter, entries, source))
}

fn damaged(path: &Path, meter: &Meter, entries: u64, source: std::io::Error) -> Error {
    let path = path.to_owned();
    match meter.bomb() {
        Some(bomb) => Error::Bomb { path, bomb },
        None => Error::Damaged { path, entries, source },
    }
}

/// Appends an entry to the batch, with at most `limit` bytes of its content; returns its whole
/// size.
fn append(entry: Entry<'_, Source>, batch: &mut Batch, limit: usize) -> std::io::Result<u64> {
    let header = entry.header();
    let Some(kind) = kind(header.entry_type()) else { return Ok(0) };
    let path = entry.path_bytes();
    let path = path.strip_prefix(b"./").unwrap_or(&path).to_vec();
    let mode = header.mode()?;
    // Some writers leave the field blank, which GNU tar reads as 1970: the date is missing.
    let mtime = header.mtime().unwrap_or(0);
    let target = entry.link_name_bytes().map(std::borrow::Cow::into_owned).unwrap_or_default();
    let size = if kind == Kind::File { entry.size() } else { 0 };
    let begin = batch.bytes.len();
    let kept = usize::try_from(size).map_or(limit, |size| size.min(limit));
    batch.bytes.reserve(kept);
    entry.take(kept as u64).read_to_end(&mut batch.bytes)?;
    if batch.bytes.len() - begin < kept {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    batch.items.push(Item { path, kind, mode, mtime, size, target, content: begin..begin + kept });
    Ok(size)
}

/// What an entry is; `None` for headers that describe others.
fn kind(of: EntryType) -> Option<Kind> {
    Some(match of {
        EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => Kind::File,
        EntryType::Directory => Kind::Folder,
        EntryType::Symlink => Kind::Symlink,
        EntryType::Link => Kind::HardLink,
        EntryType::Block | EntryType::Char | EntryType::Fifo => Kind::Special,
        _ => return None,
    })
}
