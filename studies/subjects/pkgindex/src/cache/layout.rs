//! What stands where in a cache. All numbers are little-endian.
//!
//! A header of [`HEADER`] bytes, then the sections in the order of [`Section`], each at a multiple
//! of 8.

use crate::Error;
use crate::checksum::Checksum;
use crate::hash::Hash;

/// The first bytes; the last is the version of this layout.
pub(super) const MAGIC: [u8; 8] = *b"PKGINDX\x01";
/// The size of the header in bytes: a page, so that it can be synced by itself.
pub(super) const HEADER: usize = 4096;
/// The size in bytes of the blocks that have a checksum each.
pub(super) const BLOCK: usize = 64 << 10;
/// Where the flag stands that says whether the cache was written to its end.
pub(super) const CLEAN: usize = 24;
/// The sizes in bytes of a record of each section; of a bucket, a name, and so on.
pub(super) const BUCKET: usize = 4;
pub(super) const NAME: usize = 20;
pub(super) const VERSION: usize = 20;
pub(super) const LINK: usize = 12;
pub(super) const SUM: usize = 8;

/// A part of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// All stanzas. First, so that indices are read right to where they stay.
    Text,
    /// For each hash: 1 + the last name with it, or 0.
    Buckets,
    /// Names: place and length in the text, 1 + the next name in the bucket, 1 + the last version,
    /// 1 + the last link.
    Names,
    /// Versions: place and length of the stanza, place and length of the version, 1 + the next
    /// version of the name.
    Versions,
    /// Links: version that names the name, relation, 1 + the next link of the name.
    Links,
    /// A checksum for each block of all before.
    Sums,
}

impl Section {
    pub(super) const ALL: [Self; 6] =
        [Self::Text, Self::Buckets, Self::Names, Self::Versions, Self::Links, Self::Sums];
}

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) hash: Hash,
    pub(super) checksum: Checksum,
    pub(super) is_clean: bool,
    /// What it was made of: [`super::build::digest`].
    pub(super) source: [u8; 32],
    /// Where each section begins and ends, in bytes from the beginning of the file.
    pub(super) sections: [(usize, usize); 6],
    /// The checksum of the section of checksums.
    pub(super) sums: u64,
}

impl Header {
    pub(super) fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &MAGIC);
        put(8, &self.hash.code().to_le_bytes());
        put(12, &self.checksum.code().to_le_bytes());
        put(16, &self.sums.to_le_bytes());
        put(32, &self.source);
        for (place, (begin, end)) in self.sections.iter().enumerate() {
            put(64 + place * 16, &(*begin as u64).to_le_bytes());
            put(72 + place * 16, &(*end as u64).to_le_bytes());
        }
        // The flag is written last and by itself: it is not part of the header's own checksum.
        let own = crc32fast::hash(&bytes[..HEADER - 4]);
        bytes[HEADER - 4..].copy_from_slice(&own.to_le_bytes());
        bytes[CLEAN] = u8::from(self.is_clean);
        bytes
    }

    /// Reads a header, and checks it against the length of the file.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let corrupt = |what| Error::Corrupt { what };
        let header = bytes.get(..HEADER).ok_or_else(|| corrupt("it is shorter than its header"))?;
        if header[..7] != MAGIC[..7] {
            return Err(corrupt("it is no cache"));
        }
        if header[7] != MAGIC[7] {
            return Err(corrupt("it is of another version"));
        }
        let is_clean = match header[CLEAN] {
            0 => return Err(corrupt("it was not written to its end")),
            1 => true,
            _ => return Err(corrupt("its flag is neither 0 nor 1")),
        };
        let mut without_flag = header[..HEADER - 4].to_vec();
        without_flag[CLEAN] = 0;
        if crc32fast::hash(&without_flag).to_le_bytes() != header[HEADER - 4..] {
            return Err(corrupt("the checksum of its header differs"));
        }
        let code = |at: usize| u32_at(header, at).unwrap_or(u32::MAX) as usize;
        let hash =
            *Hash::ALL.get(code(8)).ok_or_else(|| corrupt("it has an unknown hash function"))?;
        let checksum =
            *Checksum::ALL.get(code(12)).ok_or_else(|| corrupt("it has an unknown checksum"))?;
        let mut source = [0; 32];
        source.copy_from_slice(&header[32..64]);
        let sections = sections(header, bytes.len())
            .ok_or_else(|| corrupt("its sections do not fit its length"))?;
        let sums = u64_at(header, 16).unwrap_or_default();
        let decoded = Self { hash, checksum, is_clean, source, sections, sums };
        decoded.check_records()?;
        Ok(decoded)
    }

    /// Sections hold whole records, and there is a checksum for each block.
    fn check_records(&self) -> Result<(), Error> {
        let sizes = [1, BUCKET, NAME, VERSION, LINK, SUM];
        let lengths = self.sections.map(|(begin, end)| end - begin);
        let is_whole = lengths.iter().zip(sizes).all(|(length, size)| length % size == 0);
        let blocks = blocks(self.sections[Section::Sums as usize].0);
        let has_sums =
            self.checksum == Checksum::None || lengths[Section::Sums as usize] == blocks * SUM;
        if is_whole && has_sums && lengths[Section::Buckets as usize] > 0 {
            return Ok(());
        }
        Err(Error::Corrupt { what: "its sections have no whole records" })
    }
}

/// Sections follow each other and end with the file.
fn sections(header: &[u8], length: usize) -> Option<[(usize, usize); 6]> {
    let mut sections = [(0, 0); 6];
    let mut before = HEADER;
    for (place, section) in sections.iter_mut().enumerate() {
        let begin = usize::try_from(u64_at(header, 64 + place * 16)?).ok()?;
        let end = usize::try_from(u64_at(header, 72 + place * 16)?).ok()?;
        if begin < before || end < begin || end > length {
            return None;
        }
        *section = (begin, end);
        before = end;
    }
    (before == length).then_some(sections)
}

/// How many blocks the file has from the end of its header to the beginning of its checksums.
pub(super) fn blocks(sums: usize) -> usize {
    sums.saturating_sub(HEADER).div_ceil(BLOCK)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
