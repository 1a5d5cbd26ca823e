//! gzip by the implementation that was requested.

use std::io::{BufRead, Cursor, Error, ErrorKind, Read, Result};

use libdeflater::{DecompressionError, Decompressor};
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

use crate::limit::Limits;
use crate::{Inflate, Input, Options};

pub(crate) fn decoder<R: Read + Send + 'static>(
    input: Input<R>,
    options: Options,
) -> Result<Box<dyn Read + Send>> {
    Ok(match options.inflate {
        Inflate::ZlibRs => Box::new(flate2::bufread::MultiGzDecoder::new(input)),
        Inflate::Miniz => Box::new(Miniz::new(input)?),
        Inflate::Libdeflate => Box::new(Whole::new(input, options.limits)),
    })
}

/// The most bytes that libdeflate gets, packed or unpacked. What is larger is decoded as a stream.
const WHOLE: u64 = 1 << 30;

/// A file that is unpacked by libdeflate in one piece when it is first read. What does not fit, or
/// has several members, is decoded as a stream by zlib-rs instead.
struct Whole<R> {
    input: Option<Input<R>>,
    limits: Limits,
    unpacked: Box<dyn Read + Send>,
}

impl<R> Whole<R> {
    fn new(input: Input<R>, limits: Limits) -> Self {
        Self { input: Some(input), limits, unpacked: Box::new(std::io::empty()) }
    }
}

impl<R: Read + Send + 'static> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if let Some(input) = self.input.take() {
            self.unpacked = unpacked(input, self.limits, WHOLE)?;
        }
        self.unpacked.read(buffer)
    }
}

/// The unpacked bytes: in one piece where packed and unpacked ones are at most `most`, else as a
/// stream.
fn unpacked(
    mut input: impl BufRead + Send + 'static,
    limits: Limits,
    most: u64,
) -> Result<Box<dyn Read + Send>> {
    let mut packed = Vec::new();
    input.by_ref().take(most).read_to_end(&mut packed)?;
    let is_all = input.fill_buf()?.is_empty();
    let stated = packed.last_chunk::<4>().map_or(0, |size| u32::from_le_bytes(*size));
    // The stated size may be a lie, or what is left of a larger one: it is believed only where a
    // buffer of it does no harm. A stream is stopped as soon as it goes beyond a limit.
    let is_harmless = u64::from(stated) <= most
        && limits.exceeded(packed.len() as u64, u64::from(stated)).is_none();
    if is_all
        && is_harmless
        && let Some(whole) = one_member(&packed, stated as usize)?
    {
        return Ok(Box::new(Cursor::new(whole)));
    }
    Ok(Box::new(flate2::bufread::MultiGzDecoder::new(Cursor::new(packed).chain(input))))
}

/// Unpacks a file of one member with the size at its end; nothing where it has another size, or
/// there are more members.
fn one_member(packed: &[u8], stated: usize) -> Result<Option<Vec<u8>>> {
    let mut out = vec![0; stated];
    match Decompressor::new().gzip_decompress(packed, &mut out) {
        Ok(count) if count == stated && ends_once(packed, &out) => Ok(Some(out)),
        Ok(_) | Err(DecompressionError::InsufficientSpace) => Ok(None),
        Err(DecompressionError::BadData) => Err(damaged("damaged data")),
    }
}

/// Whether the checksum and size of what was unpacked are at the end of the file, and not before:
/// libdeflate does not say where a member ends, and what follows may be equal.
fn ends_once(packed: &[u8], out: &[u8]) -> bool {
    #[allow(clippy::cast_possible_truncation)] // gzip keeps it modulo 2^32
    let size = (out.len() as u32).to_le_bytes();
    let trailer = [crc32fast::hash(out).to_le_bytes(), size].concat();
    memchr::memmem::find(packed, &trailer) == packed.len().checked_sub(trailer.len())
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("invalid gzip: {what}"))
}

/// gzip members decoded by `miniz_oxide`, with the checksum of each.
struct Miniz<R> {
    input: R,
    state: Box<InflateState>,
    checksum: crc32fast::Hasher,
    is_ended: bool,
}

impl<R: BufRead> Miniz<R> {
    fn new(mut input: R) -> Result<Self> {
        header(&mut input)?;
        let state = InflateState::new_boxed(DataFormat::Raw);
        Ok(Self { input, state, checksum: crc32fast::Hasher::new(), is_ended: false })
    }

    /// Checks the trailer of a member and begins the next, if there is one.
    fn end_member(&mut self) -> Result<()> {
        let mut trailer = [0; 8];
        self.input.read_exact(&mut trailer)?;
        let checksum = std::mem::take(&mut self.checksum).finalize();
        if trailer[..4] != checksum.to_le_bytes() {
            return Err(damaged("checksum mismatch"));
        }
        if self.input.fill_buf()?.is_empty() {
            self.is_ended = true;
            return Ok(());
        }
        header(&mut self.input)?;
        self.state.reset(DataFormat::Raw);
        Ok(())
    }
}

impl<R: BufRead> Read for Miniz<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while !self.is_ended && !buffer.is_empty() {
            let packed = self.input.fill_buf()?;
            let is_last = packed.is_empty();
            let result = inflate(&mut self.state, packed, buffer, MZFlush::None);
            self.input.consume(result.bytes_consumed);
            self.checksum.update(&buffer[..result.bytes_written]);
            match result.status {
                Ok(MZStatus::StreamEnd) => self.end_member()?,
                Err(miniz_oxide::MZError::Buf) | Ok(_) if result.bytes_written == 0 && is_last => {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                Ok(_) | Err(miniz_oxide::MZError::Buf) => {}
                Err(_) => return Err(damaged("damaged data")),
            }
            if result.bytes_written > 0 {
                return Ok(result.bytes_written);
            }
        }
        Ok(0)
    }
}

/// Reads past the header of a member (RFC 1952, section 2.3).
fn header(input: &mut impl BufRead) -> Result<()> {
    let mut fixed = [0; 10];
    input.read_exact(&mut fixed)?;
    if fixed[..3] != [0x1f, 0x8b, 8] {
        return Err(damaged("no gzip header"));
    }
    let flags = fixed[3];
    if flags & 4 != 0 {
        let mut length = [0; 2];
        input.read_exact(&mut length)?;
        input.read_exact(&mut vec![0; u16::from_le_bytes(length).into()])?;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            input.skip_until(0)?;
        }
    }
    if flags & 2 != 0 {
        input.read_exact(&mut [0; 2])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    fn read(packed: Vec<u8>, most: u64) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        unpacked(Cursor::new(packed), Limits::default(), most)?.read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn what_does_not_fit_is_a_stream() {
        let text: Vec<u8> =
            (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 28) as u8).collect();
        for most in [1, 50_000, 1 << 20] {
            assert_eq!(read(packed(&text), most).unwrap(), text, "{most}");
        }
        let mut lying = packed(&text);
        let at = lying.len() - 4;
        lying[at..].copy_from_slice(&3_u32.to_le_bytes());
        assert!(read(lying, 1 << 20).is_err(), "the stated size is wrong");
    }

    #[test]
    fn members_that_are_equal_are_all_read() {
        let twice = [packed(b"the same"), packed(b"the same")].concat();
        assert_eq!(read(twice, 1 << 20).unwrap(), b"the samethe same");
        let other = [packed(b"longer than that"), packed(b"short")].concat();
        assert_eq!(read(other, 1 << 20).unwrap(), b"longer than thatshort");
    }
}
