//! Makes the image of a cache out of indices.

use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::layout::{BLOCK, HEADER, Header, Section};
use crate::Error;
use crate::checksum::Checksum;
use crate::hash::Hash;
use crate::stanza::{Relation, fields, targets};

/// How the table of names is made.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The hash function.
    pub hash: Hash,
    /// How many buckets the table has.
    pub table: u32,
}

impl Default for Shape {
    /// As APT 1.1.10: Bernstein's hash, and the smallest prime above 15,000.
    fn default() -> Self {
        Self { hash: Hash::Djb, table: 15_013 }
    }
}

/// Identifies the indices that a cache is made of, by path, size and time of change.
///
/// # Errors
/// If one of them is not there.
pub fn digest(indices: &[PathBuf]) -> Result<[u8; 32], Error> {
    let mut hasher = blake3::Hasher::new();
    for path in indices {
        let metadata = std::fs::metadata(path).map_err(Error::file("read", path))?;
        hasher.update(path.as_os_str().as_encoded_bytes());
        for number in [
            metadata.size(),
            metadata.mtime().cast_unsigned(),
            metadata.mtime_nsec().cast_unsigned(),
        ] {
            hasher.update(&number.to_le_bytes());
        }
    }
    Ok(*hasher.finalize().as_bytes())
}

/// A name in the making. Numbers of records are 1 + their place, or 0 for none.
struct Name {
    place: u32,
    length: u32,
    next: u32,
    version: u32,
    link: u32,
}

/// Collects packages.
pub struct Builder {
    shape: Shape,
    buckets: Vec<u32>,
    names: Vec<Name>,
    versions: Vec<[u32; 5]>,
    links: Vec<[u32; 3]>,
    /// The image that grows: room for the header, and all stanzas.
    bytes: Vec<u8>,
}

impl Builder {
    /// A cache without packages.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        let shape = Shape { table: shape.table.max(1), ..shape };
        Self {
            shape,
            buckets: vec![0; shape.table as usize],
            names: Vec::new(),
            versions: Vec::new(),
            links: Vec::new(),
            bytes: vec![0; HEADER],
        }
    }

    /// Whether no package was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// Adds all packages of an index in any compression.
    ///
    /// # Errors
    /// If it cannot be read, has text and no package, or all of them are too large.
    pub fn add_file(&mut self, path: &Path) -> Result<(), Error> {
        let begin = self.bytes.len() - HEADER;
        let mut stream = unpack::open(path, unpack::Options::default())?;
        stream.read_to_end(&mut self.bytes).map_err(Error::file("read", path))?;
        let is_blank = self.bytes[HEADER + begin..].trim_ascii().is_empty();
        let before = self.versions.len();
        // Each index ends its last stanza, so that the next begins a new one.
        self.bytes.extend(b"\n\n");
        self.add_text(begin)?;
        if self.versions.len() == before && !is_blank {
            return Err(Error::NotAnIndex { path: path.to_owned() });
        }
        Ok(())
    }

    /// Adds the packages in the text from `begin` on.
    fn add_text(&mut self, begin: usize) -> Result<(), Error> {
        u32::try_from(self.bytes.len()).map_err(|_| Error::TooLarge)?;
        let bytes = std::mem::take(&mut self.bytes);
        let text = &bytes[HEADER..];
        let mut at = begin;
        while at < text.len() {
            let length =
                memchr::memmem::find(&text[at..], b"\n\n").map_or(text.len() - at, |end| end + 1);
            self.add_stanza(text, at, length);
            at += length + 1;
        }
        self.bytes = bytes;
        Ok(())
    }

    fn add_stanza(&mut self, text: &[u8], begin: usize, length: usize) {
        let stanza = &text[begin..begin + length];
        let (mut package, mut version): (&[u8], &[u8]) = (b"", b"");
        for field in fields(stanza) {
            match field.name {
                b"Package" => package = field.value,
                b"Version" => version = field.value,
                _ => {}
            }
            if !package.is_empty() && !version.is_empty() {
                break;
            }
        }
        if package.is_empty() {
            return;
        }
        let name = self.name(text, package);
        let next = self.names[name].version;
        self.versions.push([
            place(text, stanza),
            number(stanza.len()),
            place(text, version),
            number(version.len()),
            next,
        ]);
        self.names[name].version = number(self.versions.len());
        self.add_links(text, stanza);
    }

    /// Links the version that was added last to all names that its stanza has.
    fn add_links(&mut self, text: &[u8], stanza: &[u8]) {
        let version = number(self.versions.len() - 1);
        for field in fields(stanza) {
            let Some(relation) = Relation::of_field(field.name) else { continue };
            for target in targets(field.value) {
                let name = self.name(text, target.name);
                self.links.push([version, relation.code(), self.names[name].link]);
                self.names[name].link = number(self.links.len());
            }
        }
    }

    /// The place of a name, which is added if it is new. `name` is a part of `text`.
    fn name(&mut self, text: &[u8], name: &[u8]) -> usize {
        let bucket = (self.shape.hash.of(name) % self.shape.table) as usize;
        let mut next = self.buckets[bucket];
        while next > 0 {
            let known = &self.names[next as usize - 1];
            if text[known.place as usize..][..known.length as usize] == *name {
                return next as usize - 1;
            }
            next = known.next;
        }
        self.names.push(Name {
            place: place(text, name),
            length: number(name.len()),
            next: self.buckets[bucket],
            version: 0,
            link: 0,
        });
        self.buckets[bucket] = number(self.names.len());
        self.names.len() - 1
    }

    /// The image of the cache; `source` is the [`digest`] of what was added.
    #[must_use]
    pub fn finish(mut self, checksum: Checksum, source: [u8; 32]) -> Image {
        let mut bytes = std::mem::take(&mut self.bytes);
        let text = (HEADER, bytes.len());
        bytes.reserve_exact(self.size(bytes.len()));
        let mut sections = [text; 6];
        for section in Section::ALL.into_iter().skip(1) {
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            let begin = bytes.len();
            self.append(section, checksum, &mut bytes);
            sections[section as usize] = (begin, bytes.len());
        }
        let sums = checksum.of(&bytes[sections[Section::Sums as usize].0..]);
        let header =
            Header { hash: self.shape.hash, checksum, is_clean: true, source, sections, sums };
        bytes[..HEADER].copy_from_slice(&header.encode());
        Image { bytes, header }
    }

    fn append(&self, section: Section, checksum: Checksum, bytes: &mut Vec<u8>) {
        match section {
            Section::Text => {}
            Section::Buckets => extend(bytes, self.buckets.iter().map(|&bucket| [bucket])),
            Section::Names => {
                let record =
                    |name: &Name| [name.place, name.length, name.next, name.version, name.link];
                extend(bytes, self.names.iter().map(record));
            }
            Section::Versions => extend(bytes, self.versions.iter().copied()),
            Section::Links => extend(bytes, self.links.iter().copied()),
            Section::Sums => {
                let sum = |block| checksum.of(block).to_le_bytes();
                let sums: Vec<u8> = bytes[HEADER..].chunks(BLOCK).flat_map(sum).collect();
                bytes.extend(sums);
            }
        }
    }

    /// At least as many bytes as the sections behind the text take, so that the image is not copied
    /// while it grows.
    fn size(&self, text: usize) -> usize {
        let records = self.buckets.len() * 4
            + self.names.len() * 20
            + self.versions.len() * 20
            + self.links.len() * 12;
        let content = records + 64;
        content + (text + content).div_ceil(BLOCK) * 8 + 8
    }
}

/// A whole cache in memory.
pub struct Image {
    pub(super) bytes: Vec<u8>,
    pub(super) header: Header,
}

impl Image {
    /// All bytes, as they stand in a file.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

fn extend<const N: usize>(bytes: &mut Vec<u8>, records: impl Iterator<Item = [u32; N]>) {
    for number in records.flatten() {
        bytes.extend(number.to_le_bytes());
    }
}

/// Where a part of the text begins in it.
fn place(text: &[u8], part: &[u8]) -> u32 {
    number(if part.is_empty() { 0 } else { part.as_ptr() as usize - text.as_ptr() as usize })
}

/// A number below the length of the text, which was checked to fit; saturates, as counts of records
/// are smaller still.
fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
