//! The unpacked bytes of an archive: whether they are a tar archive at all, and how they end.

use std::io::{Cursor, Read, Result};

use tar::Header;
use unpack::{Format, Unpacked};

/// The size in bytes of a header, and of the blocks of which an archive is made.
const BLOCK: usize = 512;

/// Where a header may state the format.
const MAGIC: std::ops::Range<usize> = 257..262;

/// The first bytes of files that are taken for source archives by mistake.
const KNOWN: [(&[u8], &str); 11] = [
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"!<arch>\n", "an `ar` archive, such as a Debian package"),
    (b"\xed\xab\xee\xdb", "an RPM package"),
    (b"070701", "a cpio archive"),
    (b"070707", "a cpio archive"),
    (b"MSCF", "a cabinet file"),
    (b"\x7fELF", "a program or library (ELF)"),
    (b"%PDF-", "a PDF document"),
];

/// Unpacked bytes, of which the first were looked at already.
pub struct Source {
    head: Cursor<Vec<u8>>,
    stream: Unpacked,
    is_ended: bool,
}

/// How an archive ends, after its last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With two blocks of zeros, and nothing but zeros after them.
    Complete,
    /// Without two blocks of zeros: it may have been cut off.
    Missing,
    /// Something follows that programs do not unpack.
    Trailing,
}

impl Source {
    /// Looks at the first block.
    ///
    /// # Errors
    /// If it cannot be unpacked.
    pub(crate) fn new(mut stream: Unpacked) -> Result<Self> {
        let mut head = Vec::with_capacity(BLOCK);
        stream.by_ref().take(BLOCK as u64).read_to_end(&mut head)?;
        Ok(Self { head: Cursor::new(head), stream, is_ended: false })
    }

    /// What this is instead of a tar archive; nothing if it seems to be one.
    pub(crate) fn other_kind(&self) -> Option<String> {
        let head = self.head.get_ref();
        (!is_tar(head)).then(|| match (self.stream.format(), Format::detect(head)) {
            (Format::Plain, _) => kind(head).to_owned(),
            (packed, Format::Plain) => format!("{}, packed by {packed}", kind(head)),
            (packed, again) => format!("packed twice, by {again} and {packed}"),
        })
    }

    /// Reads what follows the last entry. The entries end with a block of zeros or with the file.
    ///
    /// # Errors
    /// If it cannot be unpacked: the checksum of the compression is at the very end.
    pub(crate) fn finish(mut self) -> Result<Ending> {
        if self.is_ended {
            return Ok(Ending::Missing);
        }
        let mut buffer = vec![0; 64 << 10];
        let (mut rest, mut is_zero) = (0, true);
        loop {
            match self.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    rest += count as u64;
                    is_zero &= buffer[..count].iter().all(|&byte| byte == 0);
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(match (is_zero, rest < BLOCK as u64) {
            (false, _) => Ending::Trailing,
            (true, true) => Ending::Missing,
            (true, false) => Ending::Complete,
        })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut count = self.head.read(buffer)?;
        if count == 0 {
            count = self.stream.read(buffer)?;
            self.is_ended = count == 0 && !buffer.is_empty();
        }
        Ok(count)
    }
}

/// Whether a file with these first bytes is a tar archive, as far as can be seen: a header whose
/// checksum is right, one that says what it is, or the end of an archive.
fn is_tar(head: &[u8]) -> bool {
    if head.len() < BLOCK {
        return false;
    }
    let sum: u32 = head.iter().map(|&byte| u32::from(byte)).sum();
    let field: u32 = head[148..156].iter().map(|&byte| u32::from(byte)).sum();
    let stated = Header::from_byte_slice(head).cksum();
    sum == 0 || &head[MAGIC] == b"ustar" || stated.is_ok_and(|stated| stated == sum - field + 256)
}

/// What a file is that begins with these bytes.
fn kind(head: &[u8]) -> &'static str {
    if head.is_empty() {
        return "an empty file";
    }
    if let Some((_, known)) = KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        return known;
    }
    if head.get(MAGIC) == Some(b"ustar") || head.len() < BLOCK && head[..1] == [0] {
        return "shorter than a header";
    }
    // A character may be cut in two at the end.
    let text = match std::str::from_utf8(head) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    };
    let is_text =
        |text: &str| text.chars().all(|letter| !letter.is_control() || letter.is_whitespace());
    match text {
        Some(text) if is_text(text) => "text",
        _ if head.len() < BLOCK => "unknown data, shorter than a header",
        _ => "unknown data",
    }
}
