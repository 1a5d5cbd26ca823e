//! gzip by the implementation that was asked for.

use std::io::{BufRead, Cursor, Error, ErrorKind, Read, Result};

use libdeflater::{DecompressionError, Decompressor};
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

use crate::limit::{Limits, Meter};
use crate::{Inflate, Input, Options};

pub(crate) fn decoder<R: Read + Send + 'static>(
    input: Input<R>,
    options: Options,
    meter: &Meter,
) -> Result<Box<dyn Read + Send>> {
    Ok(match options.inflate {
        Inflate::ZlibRs => Box::new(flate2::bufread::MultiGzDecoder::new(input)),
        Inflate::Miniz => Box::new(Miniz::new(input)?),
        Inflate::Libdeflate => Box::new(Whole::new(input, options.limits, meter)),
    })
}

/// All of a file, unpacked by libdeflate when it is first read.
struct Whole<R> {
    input: Option<R>,
    limits: Limits,
    meter: Meter,
    unpacked: Cursor<Vec<u8>>,
}

impl<R> Whole<R> {
    fn new(input: R, limits: Limits, meter: &Meter) -> Self {
        Self { input: Some(input), limits, meter: meter.clone(), unpacked: Cursor::default() }
    }
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if let Some(input) = self.input.take() {
            self.unpacked = Cursor::new(whole(input, self.limits, &self.meter)?);
        }
        self.unpacked.read(buffer)
    }
}

/// Unpacks one member in one piece, into a buffer that grows up to the limits.
fn whole(mut input: impl Read, limits: Limits, meter: &Meter) -> Result<Vec<u8>> {
    let mut packed = Vec::new();
    input.read_to_end(&mut packed)?;
    let stated = packed.last_chunk::<4>().map_or(0, |size| u32::from_le_bytes(*size));
    let mut out = Vec::new();
    let mut size = stated as usize;
    loop {
        check(limits, &packed, size, meter)?;
        out.resize(size, 0);
        match Decompressor::new().gzip_decompress(&packed, &mut out) {
            Ok(count) if count == stated as usize => {
                out.truncate(count);
                return Ok(out);
            }
            Ok(_) => return Err(damaged("more than one member; libdeflate decodes one only")),
            Err(DecompressionError::InsufficientSpace) => size = (size * 2).max(1 << 16),
            Err(DecompressionError::BadData) => return Err(damaged("damaged data")),
        }
    }
}

fn check(limits: Limits, packed: &[u8], size: usize, meter: &Meter) -> Result<()> {
    // The size at the end of the file may be a lie, but only a larger buffer than the limits allow
    // does harm.
    limits.exceeded(packed.len() as u64, size as u64).map_or(Ok(()), |bomb| Err(meter.stop(bomb)))
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
