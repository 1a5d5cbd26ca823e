//! Reads a cache and trusts nothing in it.

use std::cell::RefCell;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

use super::layout::{
    BLOCK, BUCKET, HEADER, Header, LINK, NAME, SUM, Section, VERSION, u32_at, u64_at,
};
use super::mark;
use crate::Error;
use crate::checksum::Checksum;
use crate::stanza::Relation;

/// When the checksums of a cache are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// All, whenever it is opened.
    Always,
    /// All, unless it was written or verified since the machine started.
    Doubt,
    /// Of the blocks that a question touches, when it touches them.
    #[default]
    Touched,
    /// None. Places are checked all the same, so that damage gives a wrong answer at worst.
    Never,
}

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// A cache that is open.
pub struct Cache {
    bytes: Bytes,
    header: Header,
    /// For each block whether its checksum was right; empty if blocks are not verified when
    /// touched.
    verified: RefCell<Vec<bool>>,
}

/// A version of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version<'a> {
    /// Its stanza, with the last line's end.
    pub stanza: &'a [u8],
    /// Its version.
    pub version: &'a [u8],
}

/// A package that names another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link<'a> {
    /// The version that has the relation.
    pub version: Version<'a>,
    /// How it names the other.
    pub relation: Relation,
}

impl Cache {
    /// Maps a cache.
    ///
    /// # Errors
    /// If there is none, or it is found to be damaged.
    pub fn open(path: &Path, verify: Verify) -> Result<Self, Error> {
        let file = std::fs::File::open(path).map_err(Error::file("read", path))?;
        // SAFETY: caches are replaced by renaming, never changed or shortened in place, so that the
        // mapping stays as it is.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::file("map", path))?;
        let is_doubted = verify == Verify::Doubt && !mark::is_set(path);
        let cache = Self::new(Bytes::Mapped(map), verify)?;
        if is_doubted {
            cache.verify()?;
            mark::set(path);
        }
        Ok(cache)
    }

    /// Takes an image that is in memory.
    ///
    /// # Errors
    /// If it is found to be damaged.
    pub fn of_bytes(bytes: Vec<u8>, verify: Verify) -> Result<Self, Error> {
        Self::new(Bytes::Owned(bytes), verify)
    }

    fn new(bytes: Bytes, verify: Verify) -> Result<Self, Error> {
        let header = Header::decode(&bytes)?;
        let cache = Self { bytes, header, verified: RefCell::default() };
        if cache.header.checksum != Checksum::None
            && matches!(verify, Verify::Always | Verify::Touched)
        {
            cache.verify_sums()?;
        }
        if verify == Verify::Always {
            cache.verify()?;
        }
        if verify == Verify::Touched {
            let (begin, end) = cache.section(Section::Sums);
            *cache.verified.borrow_mut() = vec![false; (end - begin) / SUM];
        }
        Ok(cache)
    }

    /// Looks at all checksums. A cache that was synced instead has none.
    ///
    /// # Errors
    /// If one of them differs.
    pub fn verify(&self) -> Result<(), Error> {
        if self.header.checksum == Checksum::None {
            return Ok(());
        }
        self.verify_sums()?;
        let (sums, _) = self.section(Section::Sums);
        (0..super::layout::blocks(sums)).try_for_each(|block| self.verify_block(block))
    }

    fn verify_sums(&self) -> Result<(), Error> {
        let (begin, end) = self.section(Section::Sums);
        if self.header.checksum.of(&self.bytes[begin..end]) == self.header.sums {
            return Ok(());
        }
        Err(Error::Corrupt { what: "the checksum of its checksums differs" })
    }

    fn verify_block(&self, block: usize) -> Result<(), Error> {
        let (sums, _) = self.section(Section::Sums);
        let begin = HEADER + block * BLOCK;
        let content = self.bytes.get(begin..sums.min(begin + BLOCK));
        let is_right = content.is_some_and(|content| {
            u64_at(&self.bytes, sums + block * SUM) == Some(self.header.checksum.of(content))
        });
        if is_right {
            Ok(())
        } else {
            Err(Error::Corrupt { what: "the checksum of a block differs" })
        }
    }

    /// What the cache was made of.
    #[must_use]
    pub fn source(&self) -> [u8; 32] {
        self.header.source
    }

    fn section(&self, section: Section) -> (usize, usize) {
        self.header.sections[section as usize]
    }

    /// Some bytes of a section, verified if that is requested.
    fn read(&self, section: Section, at: usize, length: usize) -> Result<&[u8], Error> {
        let outside = || Error::Corrupt { what: "a place lies outside of its section" };
        let (begin, end) = self.section(section);
        let first = begin.checked_add(at).ok_or_else(outside)?;
        let last = first.checked_add(length).filter(|&last| last <= end).ok_or_else(outside)?;
        self.touch(first, last)?;
        self.bytes.get(first..last).ok_or_else(outside)
    }

    /// Verifies the blocks of some bytes if they were not yet.
    fn touch(&self, first: usize, last: usize) -> Result<(), Error> {
        let mut verified = self.verified.borrow_mut();
        if verified.is_empty() || first == last {
            return Ok(());
        }
        for block in (first - HEADER) / BLOCK..=(last - 1 - HEADER) / BLOCK {
            let Some(is_verified) = verified.get_mut(block) else { continue };
            if !*is_verified {
                self.verify_block(block)?;
                *is_verified = true;
            }
        }
        Ok(())
    }

    /// The numbers of a record.
    fn record<const N: usize>(
        &self,
        section: Section,
        number: usize,
        size: usize,
    ) -> Result<[u32; N], Error> {
        let at =
            number.checked_mul(size).ok_or(Error::Corrupt { what: "a number is too large" })?;
        let bytes = self.read(section, at, N * 4)?;
        Ok(std::array::from_fn(|place| u32_at(bytes, place * 4).unwrap_or_default()))
    }

    fn text(&self, place: u32, length: u32) -> Result<&[u8], Error> {
        self.read(Section::Text, place as usize, length as usize)
    }

    /// How many buckets the table has.
    #[must_use]
    pub fn table(&self) -> usize {
        let (begin, end) = self.section(Section::Buckets);
        (end - begin) / BUCKET
    }

    /// How many names there are.
    #[must_use]
    pub fn names(&self) -> usize {
        let (begin, end) = self.section(Section::Names);
        (end - begin) / NAME
    }

    /// How many versions there are.
    #[must_use]
    pub fn count(&self) -> usize {
        let (begin, end) = self.section(Section::Versions);
        (end - begin) / VERSION
    }

    /// How many relations there are.
    #[must_use]
    pub fn links(&self) -> usize {
        let (begin, end) = self.section(Section::Links);
        (end - begin) / LINK
    }

    /// How many names each bucket has.
    ///
    /// # Errors
    /// If the cache is damaged.
    pub fn bucket_lengths(&self) -> Result<Vec<usize>, Error> {
        (0..self.table())
            .map(|bucket| {
                let [first] = self.record::<1>(Section::Buckets, bucket, BUCKET)?;
                Chain::new(first, |name| Ok(self.record::<3>(Section::Names, name, NAME)?[2]))
                    .count_all()
            })
            .collect()
    }

    /// The number of a name.
    ///
    /// # Errors
    /// If the cache is damaged.
    pub fn find(&self, name: &[u8]) -> Result<Option<usize>, Error> {
        let table = u32::try_from(self.table()).map_err(|_| Error::TooLarge)?;
        let bucket = self.header.hash.of(name) % table;
        let [first] = self.record::<1>(Section::Buckets, bucket as usize, BUCKET)?;
        for number in Chain::new(first, |name| Ok(self.record::<3>(Section::Names, name, NAME)?[2]))
        {
            let number = number?;
            let [place, length] = self.record::<2>(Section::Names, number, NAME)?;
            if self.text(place, length)? == name {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// The text of a name.
    ///
    /// # Errors
    /// If the cache is damaged.
    pub fn name(&self, number: usize) -> Result<&[u8], Error> {
        let [place, length] = self.record::<2>(Section::Names, number, NAME)?;
        self.text(place, length)
    }

    /// The versions of a name, last added first.
    ///
    /// # Errors
    /// If the cache is damaged.
    pub fn versions(&self, name: usize) -> Result<Vec<Version<'_>>, Error> {
        let [_, _, _, first] = self.record::<4>(Section::Names, name, NAME)?;
        let next = |version| Ok(self.record::<5>(Section::Versions, version, VERSION)?[4]);
        Chain::new(first, next).map(|number| self.version(number?)).collect()
    }

    fn version(&self, number: usize) -> Result<Version<'_>, Error> {
        let [place, length, version, version_length] =
            self.record::<4>(Section::Versions, number, VERSION)?;
        Ok(Version {
            stanza: self.text(place, length)?,
            version: self.text(version, version_length)?,
        })
    }

    /// Who names a name, last added first.
    ///
    /// # Errors
    /// If the cache is damaged.
    pub fn links_to(&self, name: usize) -> Result<Vec<Link<'_>>, Error> {
        let [_, _, _, _, first] = self.record::<5>(Section::Names, name, NAME)?;
        let next = |link| Ok(self.record::<3>(Section::Links, link, LINK)?[2]);
        let read = |number| {
            let [version, relation, _] = self.record::<3>(Section::Links, number, LINK)?;
            let unknown = Error::Corrupt { what: "it has an unknown relation" };
            let relation = *Relation::ALL.get(relation as usize).ok_or(unknown)?;
            Ok(Link { version: self.version(version as usize)?, relation })
        };
        Chain::new(first, next).map(|number| read(number?)).collect()
    }
}

/// Follows a chain of records. Builders put new records before old ones, so that each leads to a
/// lower number; a chain that does not is damaged, and could go round for ever.
struct Chain<N> {
    /// 1 + the number of the next record, or 0.
    next: u32,
    read_next: N,
}

impl<N: Fn(usize) -> Result<u32, Error>> Iterator for Chain<N> {
    type Item = Result<usize, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.next.checked_sub(1)?;
        match (self.read_next)(number as usize) {
            Ok(next) if next <= number => self.next = next,
            Ok(_) => {
                return Some(self.end(Error::Corrupt { what: "a chain of records leads forward" }));
            }
            Err(error) => return Some(self.end(error)),
        }
        Some(Ok(number as usize))
    }
}

impl<N: Fn(usize) -> Result<u32, Error>> Chain<N> {
    fn new(first: u32, read_next: N) -> Self {
        Self { next: first, read_next }
    }

    fn end(&mut self, error: Error) -> Result<usize, Error> {
        self.next = 0;
        Err(error)
    }

    fn count_all(self) -> Result<usize, Error> {
        self.map(|number| number.map(|_| 1)).sum()
    }
}
