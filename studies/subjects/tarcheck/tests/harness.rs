//! Archives made in memory, with the faults that a careful program would not let you make.

use std::io::Write;
use std::path::PathBuf;

use tar::EntryType;

/// A time in 2023: neither missing nor in the future.
const DATE: u64 = 1_700_000_000;

/// An archive under construction. It begins with a licence, so that nothing is wrong with it.
pub struct Maker {
    out: tar::Builder<Vec<u8>>,
}

impl Maker {
    pub fn new() -> Self {
        Self::empty().file("x/LICENSE", b"MIT\n")
    }

    pub fn empty() -> Self {
        Self { out: tar::Builder::new(Vec::new()) }
    }

    pub fn file(self, name: &str, content: &[u8]) -> Self {
        self.entry(name.as_bytes(), EntryType::Regular, content, |_| {})
    }

    pub fn script(self, name: &str, content: &[u8]) -> Self {
        self.entry(name.as_bytes(), EntryType::Regular, content, |header| header.set_mode(0o755))
    }

    pub fn folder(self, name: &str) -> Self {
        self.entry(name.as_bytes(), EntryType::Directory, b"", |header| header.set_mode(0o755))
    }

    pub fn link(self, name: &str, kind: EntryType, target: &str) -> Self {
        self.entry(name.as_bytes(), kind, b"", |header| {
            header.as_mut_bytes()[157..157 + target.len()].copy_from_slice(target.as_bytes());
        })
    }

    /// An entry with any name and header. The name is written as it is, as the tar crate would
    /// refuse many.
    pub fn entry(
        mut self,
        name: &[u8],
        kind: EntryType,
        content: &[u8],
        change: impl Fn(&mut tar::Header),
    ) -> Self {
        let mut header = tar::Header::new_gnu();
        if name.len() > 100 {
            let mut long = tar::Header::new_gnu();
            long.as_mut_bytes()[..13].copy_from_slice(b"././@LongLink");
            long.set_entry_type(EntryType::GNULongName);
            long.set_size(name.len() as u64 + 1);
            long.set_cksum();
            self.out.append(&long, [name, b"\0"].concat().as_slice()).unwrap();
        }
        let short = &name[..name.len().min(100)];
        header.as_mut_bytes()[..short.len()].copy_from_slice(short);
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(DATE);
        change(&mut header);
        header.set_cksum();
        self.out.append(&header, content).unwrap();
        self
    }

    pub fn tar(self) -> Vec<u8> {
        self.out.into_inner().unwrap()
    }

    pub fn gz(self) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(&self.tar()).unwrap();
        out.finish().unwrap()
    }
}

/// A file in a folder of its own, which goes away with it.
pub struct Stored {
    pub folder: tempfile::TempDir,
    pub path: PathBuf,
}

pub fn stored(bytes: &[u8]) -> Stored {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tar");
    std::fs::write(&path, bytes).unwrap();
    Stored { folder, path }
}
