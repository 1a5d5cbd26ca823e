//! A stream out of any compression, with limits against decompression bombs.
//!
//! Lives here: detecting the format by its first bytes, choosing the decoder, counting what goes in
//! and comes out. Does not live here: what the bytes mean. [`Unpacked`] is a plain
//! [`std::io::Read`].

mod ahead;
mod error;
mod format;
mod gzip;
mod limit;

use std::fs::File;
use std::io::{BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;

pub use error::Error;
pub use format::Format;
pub use limit::{Bomb, Limits, Meter};

use limit::{Counted, Watched};

/// How many compressed bytes are read at once.
const INPUT_BUFFER: usize = 128 << 10;

/// How many bytes are decoded at once. An inflate keeps its window by copying 32 KiB after each
/// call, which makes many small reads, as of the headers in an archive, dear.
const OUTPUT_BUFFER: usize = 128 << 10;

/// Which implementation decodes gzip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inflate {
    /// zlib-rs through flate2: streaming, uses SIMD where the CPU has it.
    #[default]
    ZlibRs,
    /// `miniz_oxide`: streaming, portable; what the account of story S1 used.
    Miniz,
    /// libdeflate: has the whole file in memory, packed and unpacked. Above 1 GiB, and with several
    /// members, a file is decoded as by `ZlibRs`.
    Libdeflate,
}

/// How to decode.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// What stops a decompression bomb.
    pub limits: Limits,
    /// Which implementation decodes gzip.
    pub inflate: Inflate,
    /// Decode independent blocks of xz in parallel; takes a block's memory for each CPU.
    pub parallel: bool,
    /// Decode in a thread of its own, ahead of the reader.
    pub ahead: bool,
}

/// The unpacked bytes of a file, whatever its compression was.
pub struct Unpacked {
    reader: Box<dyn Read + Send>,
    format: Format,
    meter: Meter,
}

impl Unpacked {
    /// The compression that was found.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Counters of packed and unpacked bytes, and the limit that was reached, if any.
    #[must_use]
    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// Opens a file and detects its compression.
///
/// # Errors
/// If the file cannot be opened or read, or its header is damaged.
pub fn open(path: &Path, options: Options) -> Result<Unpacked, Error> {
    let at = |source| Error::Open { path: path.to_owned(), source };
    let file = File::open(path).map_err(at)?;
    if file.metadata().map_err(at)?.is_dir() {
        return Err(Error::Folder { path: path.to_owned() });
    }
    read(file, options).map_err(at)
}

/// Detects the compression of a stream, such as standard input.
///
/// # Errors
/// If the first bytes cannot be read, or the decoder cannot begin.
pub fn read(input: impl Read + Send + 'static, options: Options) -> std::io::Result<Unpacked> {
    let meter = Meter::default();
    let mut input = Counted::new(input, meter.clone());
    let head = first_bytes(&mut input)?;
    let format = Format::detect(&head);
    let input = BufReader::with_capacity(INPUT_BUFFER, Cursor::new(head).chain(input));
    let decoded = decoder(input, format, options)?;
    let watched = Watched::new(decoded, options.limits, meter.clone());
    let reader: Box<dyn Read + Send> = if options.ahead {
        Box::new(ahead::Ahead::new(watched)?)
    } else {
        Box::new(BufReader::with_capacity(OUTPUT_BUFFER, watched))
    };
    Ok(Unpacked { reader, format, meter })
}

/// As many bytes as tell the formats apart. A pipe may give them one by one.
fn first_bytes(input: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    input.by_ref().take(Format::HEAD).read_to_end(&mut head)?;
    Ok(head)
}

type Input<R> = BufReader<Chain<Cursor<Vec<u8>>, Counted<R>>>;

fn decoder<R: Read + Send + 'static>(
    input: Input<R>,
    format: Format,
    options: Options,
) -> std::io::Result<Box<dyn Read + Send>> {
    Ok(match format {
        Format::Plain => Box::new(input),
        Format::Gzip => gzip::decoder(input, options)?,
        Format::Xz => Box::new(liblzma::bufread::XzDecoder::new_stream(input, xz(options)?)),
        Format::Lzma => {
            let stream = liblzma::stream::Stream::new_lzma_decoder(options.limits.memory)?;
            Box::new(liblzma::bufread::XzDecoder::new_stream(input, stream))
        }
        Format::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(input)?),
        Format::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(input)),
        Format::Lz4 => Box::new(Lz4Frames(lz4_flex::frame::FrameDecoder::new(input))),
    })
}

fn xz(options: Options) -> std::io::Result<liblzma::stream::Stream> {
    let memory = options.limits.memory;
    let concatenated = liblzma::stream::CONCATENATED;
    if !options.parallel {
        return Ok(liblzma::stream::Stream::new_stream_decoder(memory, concatenated)?);
    }
    let threads = std::thread::available_parallelism()
        .map_or(1, |count| u32::try_from(count.get()).unwrap_or(1));
    let mut builder = liblzma::stream::MtStreamBuilder::new();
    builder.threads(threads).memlimit_threading(memory).memlimit_stop(memory);
    Ok(builder.decoder()?)
}

/// LZ4 frames one after the other; the decoder itself ends with each.
struct Lz4Frames<R: Read>(lz4_flex::frame::FrameDecoder<R>);

impl<R: BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let count = self.0.read(buffer)?;
            if count > 0 || buffer.is_empty() || self.0.get_mut().fill_buf()?.is_empty() {
                return Ok(count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TEXT: &[u8] = b"Package: hello\nVersion: 2.10-3\n\n";

    fn packed(format: Format, bytes: &[u8]) -> Vec<u8> {
        match format {
            Format::Plain => bytes.to_vec(),
            Format::Gzip => {
                let mut out =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                out.write_all(bytes).unwrap();
                out.finish().unwrap()
            }
            Format::Xz => {
                let mut out = liblzma::write::XzEncoder::new(Vec::new(), 1);
                out.write_all(bytes).unwrap();
                out.finish().unwrap()
            }
            Format::Lzma => {
                let options = liblzma::stream::LzmaOptions::new_preset(1).unwrap();
                let stream = liblzma::stream::Stream::new_lzma_encoder(&options).unwrap();
                let mut out = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
                out.write_all(bytes).unwrap();
                out.finish().unwrap()
            }
            Format::Zstd => zstd::encode_all(bytes, 1).unwrap(),
            Format::Bzip2 => {
                let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                out.write_all(bytes).unwrap();
                out.finish().unwrap()
            }
            Format::Lz4 => {
                let mut out = lz4_flex::frame::FrameEncoder::new(Vec::new());
                out.write_all(bytes).unwrap();
                out.finish().unwrap()
            }
        }
    }

    fn unpack(packed: Vec<u8>, options: Options) -> std::io::Result<Vec<u8>> {
        let mut stream = read(std::io::Cursor::new(packed), options)?;
        let mut out = Vec::new();
        stream.read_to_end(&mut out).map(|_| out)
    }

    #[test]
    fn every_format_gives_its_bytes_back() {
        for format in Format::ALL {
            let stream =
                read(std::io::Cursor::new(packed(format, TEXT)), Options::default()).unwrap();
            assert_eq!(stream.format(), format);
            assert_eq!(unpack(packed(format, TEXT), Options::default()).unwrap(), TEXT, "{format}");
        }
    }

    #[test]
    fn concatenated_members_are_one_stream() {
        for format in [Format::Gzip, Format::Xz, Format::Zstd, Format::Bzip2, Format::Lz4] {
            let twice = [packed(format, TEXT), packed(format, TEXT)].concat();
            assert_eq!(
                unpack(twice, Options::default()).unwrap(),
                [TEXT, TEXT].concat(),
                "{format}"
            );
        }
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        let noise: Vec<u8> =
            (0..50_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[1]).collect();
        for format in Format::ALL.into_iter().filter(|&format| format != Format::Plain) {
            let mut cut = packed(format, &noise);
            cut.truncate(cut.len() / 2);
            assert!(unpack(cut, Options::default()).is_err(), "{format}");
        }
    }

    #[test]
    fn every_inflate_agrees_and_notices_damage() {
        let noise: Vec<u8> =
            (0..200_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0] >> 3).collect();
        for inflate in [Inflate::ZlibRs, Inflate::Miniz, Inflate::Libdeflate] {
            let options = Options { inflate, ..Options::default() };
            let whole = packed(Format::Gzip, &noise);
            assert_eq!(unpack(whole.clone(), options).unwrap(), noise, "{inflate:?}");
            assert_eq!(unpack(packed(Format::Gzip, b""), options).unwrap(), b"", "{inflate:?}");
            let mut flipped = whole.clone();
            let last = flipped.len() - 6;
            flipped[last] ^= 1;
            assert!(unpack(flipped, options).is_err(), "{inflate:?}");
            assert!(unpack(whole[..whole.len() - 9].to_vec(), options).is_err(), "{inflate:?}");
        }
    }

    #[test]
    fn a_bomb_is_stopped_by_size_and_by_ratio() {
        let bomb = packed(Format::Gzip, &vec![0; 8 << 20]);
        for inflate in [Inflate::ZlibRs, Inflate::Miniz, Inflate::Libdeflate] {
            for limits in [
                Limits { total: 1 << 20, ..Limits::default() },
                Limits { ratio: 100, grace: 1 << 20, ..Limits::default() },
            ] {
                let mut stream = read(
                    std::io::Cursor::new(bomb.clone()),
                    Options { limits, inflate, ..Options::default() },
                )
                .unwrap();
                let meter = stream.meter();
                assert!(stream.read_to_end(&mut Vec::new()).is_err());
                assert!(meter.bomb().is_some(), "{inflate:?}");
            }
        }
        assert_eq!(unpack(bomb, Options::default()).unwrap().len(), 8 << 20, "below the grace");
    }

    #[test]
    fn a_thread_ahead_gives_the_same_bytes_and_errors() {
        let noise: Vec<u8> =
            (0..3_000_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
        let options = Options { ahead: true, ..Options::default() };
        let whole = packed(Format::Zstd, &noise);
        assert_eq!(unpack(whole.clone(), options).unwrap(), noise);
        assert!(unpack(whole[..whole.len() / 2].to_vec(), options).is_err());
        assert_eq!(unpack(Vec::new(), options).unwrap(), b"");
        let mut dropped = read(std::io::Cursor::new(whole), options).unwrap();
        dropped.read_exact(&mut [0; 10]).unwrap();
    }

    #[test]
    fn parallel_xz_gives_the_same_bytes() {
        let options = Options { parallel: true, ..Options::default() };
        assert_eq!(unpack(packed(Format::Xz, TEXT), options).unwrap(), TEXT);
    }
}
