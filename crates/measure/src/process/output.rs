//! Reads what the subject prints and keeps what is requested: its end, and as much of its beginning
//! as a request allows.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use memchr::memmem::Finder;

use crate::execution::TAIL;
use crate::{Capture, CapturedOutput, OutputRequest, Request, check_no_pipe};

/// How much may wait in a pipe, in bytes: what an ordinary user may ask for. A subject that prints
/// less never waits for us.
pub const PIPE: usize = 1024 * 1024;

/// How much is read at once, in bytes: less than the processor's second cache, so that it is still
/// there when it is looked at.
pub const BUFFER: usize = 256 * 1024;

/// The end that we read, and the one that the subject writes to.
pub type Pipe = (PipeReader, PipeWriter);

/// How often is read before it is looked what else has happened.
const READS: usize = 16;

/// The subject's outputs, as we read them.
#[derive(Debug)]
pub struct Outputs {
    /// Standard output.
    pub stdout: OutputReader,
    /// Standard error.
    pub stderr: Stream,
}

/// Standard output, as we read it.
#[derive(Debug)]
pub enum OutputReader {
    /// A file that is looked at when the subject has ended.
    File(File, Sink),
    /// The output is not read.
    Nothing,
    /// The output is read while the subject writes it.
    Stream(Stream),
}

/// The subject's outputs, as it writes to them.
pub struct OutputFds {
    /// Standard output, if it goes anywhere.
    pub stdout: Option<OwnedFd>,
    /// Standard error.
    pub stderr: OwnedFd,
}

impl Outputs {
    /// The outputs of a request, one through the spare pipe if useful; or the reason why there are
    /// none, in one line.
    pub fn new(request: &Request, spare: &mut Option<Pipe>) -> Result<(Self, OutputFds), String> {
        let no_pipe = |error: io::Error| format!("cannot make a pipe: {error}");
        let ours = |fd: BorrowedFd<'_>| {
            fd.try_clone_to_owned().map_err(|error| format!("cannot share our output: {error}"))
        };
        let (stderr, stderr_end) = match &request.stderr {
            Capture::Inherit => {
                (Stream { source: None, sink: Sink::default() }, ours(io::stderr().as_fd())?)
            }
            Capture::Read(look) => Stream::piped(Sink::new(look), spare.take()).map_err(no_pipe)?,
            Capture::File { .. } | Capture::Nothing => {
                Stream::piped(Sink::default(), spare.take()).map_err(no_pipe)?
            }
        };
        let (stdout, stdout_end) = match &request.stdout {
            Capture::Inherit => (OutputReader::Nothing, Some(ours(io::stdout().as_fd())?)),
            Capture::Nothing => (OutputReader::Nothing, None),
            Capture::Read(look) => {
                let (stream, end) = Stream::piped(Sink::new(look), None).map_err(no_pipe)?;
                (OutputReader::Stream(stream), Some(end))
            }
            Capture::File { path, look } => {
                let (file, end) = empty(path)
                    .map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
                (OutputReader::File(file, Sink::new(look)), Some(end.into()))
            }
        };
        Ok((Self { stdout, stderr }, OutputFds { stdout: stdout_end, stderr: stderr_end }))
    }

    /// Reads the rest and closes the outputs. No process writes any more, or none that could be
    /// killed.
    pub fn finish(mut self, buffer: &mut [u8]) -> CapturedOutputs {
        self.stderr.drain(buffer);
        let stdout = match self.stdout {
            OutputReader::Nothing => None,
            OutputReader::File(file, sink) => Some(sink.of_file(&file, buffer)),
            OutputReader::Stream(mut stdout) => {
                stdout.drain(buffer);
                Some(stdout.sink.captured())
            }
        };
        let sink = self.stderr.sink;
        if !sink.is_wanted {
            return CapturedOutputs { stdout, stderr_tail: sink.tail.into(), stderr: None };
        }
        let stderr = sink.captured();
        CapturedOutputs { stdout, stderr_tail: stderr.tail.clone(), stderr: Some(stderr) }
    }
}

/// The emptied file: one end to read, and one for the subject to write.
fn empty(path: &Path) -> io::Result<(File, File)> {
    check_no_pipe(path)?;
    let end = File::create(path)?;
    // Its own position: that of the subject's is shared with those it hands its output to.
    Ok((File::open(path)?, end))
}

/// The captures of both outputs; see [`Execution`](crate::Execution).
#[derive(Default)]
pub struct CapturedOutputs {
    pub stdout: Option<CapturedOutput>,
    pub stderr_tail: Vec<u8>,
    pub stderr: Option<CapturedOutput>,
}

/// One output: the pipe it comes through, and what is kept of it.
#[derive(Debug)]
pub struct Stream {
    /// The pipe, until its end was read.
    source: Option<PipeReader>,
    sink: Sink,
}

impl Stream {
    /// An output that is read as it is written, and its end that the subject writes to.
    fn piped(sink: Sink, spare: Option<Pipe>) -> io::Result<(Self, OwnedFd)> {
        let (reader, writer) = spare.map_or_else(Self::pipe, Ok)?;
        Ok((Self { source: Some(reader), sink }, writer.into()))
    }

    /// A large pipe that is read without waiting.
    pub fn pipe() -> io::Result<Pipe> {
        let (reader, writer) = io::pipe()?;
        // A small pipe is slower, not wrong: users have a limit on large ones.
        let _ = rustix::pipe::fcntl_setpipe_size(&reader, PIPE);
        rustix::io::ioctl_fionbio(&reader, true)?;
        Ok((reader, writer))
    }

    /// The pipe to wait for, until it has ended.
    pub fn source(&self) -> Option<BorrowedFd<'_>> {
        self.source.as_ref().map(AsFd::as_fd)
    }

    /// Reads the available output without waiting, but not for ever.
    pub fn read(&mut self, buffer: &mut [u8]) {
        // A buffer that was not filled has emptied the pipe, nearly always.
        let _ = (0..READS).find(|_| self.read_once(buffer) < buffer.len());
    }

    /// Reads at most one buffer without waiting; how many bytes there were.
    fn read_once(&mut self, buffer: &mut [u8]) -> usize {
        let Some(source) = &mut self.source else { return 0 };
        match source.read(buffer) {
            Ok(0) => self.source = None,
            Ok(length) => {
                self.sink.push(&buffer[..length]);
                return length;
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(_) => self.source = None,
        }
        0
    }

    /// Reads the available output, but no more than a pipe holds when the subject ends.
    fn drain(&mut self, buffer: &mut [u8]) {
        let mut left = PIPE;
        while left > 0 {
            match self.read_once(buffer) {
                0 => break,
                length => left = left.saturating_sub(length),
            }
        }
    }
}

/// The kept part of an output.
#[derive(Debug, Default)]
pub struct Sink {
    /// Whether more than its end is requested.
    is_wanted: bool,
    tail: VecDeque<u8>,
    bytes: u64,
    hasher: Option<Box<blake3::Hasher>>,
    search: Option<OutputSearch>,
    /// The beginning, and how long it may become.
    kept: Option<(Vec<u8>, usize)>,
}

impl Sink {
    /// A sink that keeps what is requested.
    fn new(look: &OutputRequest) -> Self {
        Self {
            is_wanted: true,
            hasher: look.digest.then(Box::default),
            search: look.search.as_deref().map(OutputSearch::new),
            kept: look.keep.map(|limit| (Vec::new(), limit)),
            ..Self::default()
        }
    }

    /// A sink that searches for a text, if one is given.
    pub fn searching(text: Option<&str>) -> Self {
        Self { search: text.map(OutputSearch::new), ..Self::default() }
    }

    /// Whether the text has occurred.
    pub fn has_found(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.found)
    }

    /// The end of what came so far.
    pub fn tail(&self) -> Vec<u8> {
        self.tail.iter().copied().collect()
    }

    /// Takes what comes next.
    pub fn push(&mut self, chunk: &[u8]) {
        self.bytes += chunk.len() as u64;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(chunk);
        }
        if let Some(search) = &mut self.search {
            search.push(chunk);
        }
        if let Some((content, limit)) = &mut self.kept {
            let room = limit.saturating_sub(content.len());
            content.extend_from_slice(&chunk[..room.min(chunk.len())]);
        }
        let end = &chunk[chunk.len().saturating_sub(TAIL)..];
        let surplus = (self.tail.len() + end.len()).saturating_sub(TAIL);
        self.tail.drain(..surplus);
        self.tail.extend(end);
    }

    /// Reads a file: all of it if requested, otherwise its length and its end.
    fn of_file(mut self, mut file: &File, buffer: &mut [u8]) -> CapturedOutput {
        let length = file.metadata().map_or(0, |data| data.len());
        let is_read = self.hasher.is_some() || self.search.is_some() || self.kept.is_some();
        if !is_read {
            let tail = length.saturating_sub(TAIL as u64);
            let _ = file.seek(SeekFrom::Start(tail));
            self.bytes = tail;
        }
        // A subject that cannot be killed writes on; of what it has written when it ended there is
        // an end.
        let mut left = length - self.bytes;
        while left > 0 {
            match file.read(buffer) {
                Ok(0) => break,
                Ok(read) => self.push(&buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
            left = length.saturating_sub(self.bytes);
        }
        self.captured()
    }

    fn captured(self) -> CapturedOutput {
        CapturedOutput {
            digest: self.hasher.map(|hasher| hasher.finalize().into()),
            bytes: self.bytes,
            found: self.search.map(|search| search.found),
            tail: self.tail.into(),
            kept: self.kept.map(|(content, _)| content),
        }
    }
}

/// Looks for a text in what comes piece by piece.
#[derive(Debug)]
struct OutputSearch {
    finder: Finder<'static>,
    found: bool,
    /// The end of what came so far: one byte less than the text, so it can only occur across the
    /// border.
    before: Vec<u8>,
}

impl OutputSearch {
    fn new(text: &str) -> Self {
        Self { finder: Finder::new(text).into_owned(), found: text.is_empty(), before: Vec::new() }
    }

    fn push(&mut self, chunk: &[u8]) {
        if self.found {
            return;
        }
        let overlap = self.finder.needle().len() - 1;
        self.before.extend_from_slice(&chunk[..overlap.min(chunk.len())]);
        self.found = self.finder.find(&self.before).is_some() || self.finder.find(chunk).is_some();
        if chunk.len() >= overlap {
            self.before.clear();
            self.before.extend_from_slice(&chunk[chunk.len() - overlap..]);
        } else {
            let surplus = self.before.len().saturating_sub(overlap);
            self.before.drain(..surplus);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;
    use tacho_record::Digest;

    use super::*;

    proptest! {
        /// However the output is cut into reads, what is known of it is what a look at the whole
        /// would find.
        #[test]
        fn reads_of_any_size_give_the_same(
            pieces in prop::collection::vec("[ab]{0,6}", 0..40),
            text in "[ab]{0,8}",
            limit in 0_usize..100,
        ) {
            let whole = pieces.concat();
            let search = Some(text.clone());
            let look = OutputRequest { digest: true, search, keep: Some(limit) };
            let mut sink = Sink::new(&look);
            for piece in &pieces {
                sink.push(piece.as_bytes());
            }
            let captured = sink.captured();
            prop_assert_eq!(captured.found, Some(whole.contains(&text)));
            prop_assert_eq!(captured.digest, Some(Digest::of(&whole)));
            prop_assert_eq!(captured.bytes, whole.len() as u64);
            prop_assert_eq!(captured.whole().is_some(), whole.len() <= limit);
            prop_assert_eq!(captured.kept.unwrap(), &whole.as_bytes()[..limit.min(whole.len())]);
        }

        /// A file that was written is known as if it had been read while it was; how much of it is
        /// looked at is no matter.
        #[test]
        fn a_file_gives_the_same_as_a_pipe(
            length in 0_usize..30_000,
            digest: bool,
            buffer in 1_usize..9000,
        ) {
            let whole: Vec<u8> = (0..251).cycle().take(length).collect();
            let folder = tempfile::tempdir().unwrap();
            let (read, mut end) = empty(&folder.path().join("out")).unwrap();
            end.write_all(&whole).unwrap();
            let look = OutputRequest { digest, ..OutputRequest::default() };
            let from_file = Sink::new(&look).of_file(&read, &mut vec![0; buffer]);
            let mut sink = Sink::new(&look);
            sink.push(&whole);
            prop_assert_eq!(from_file, sink.captured());
        }

        #[test]
        fn the_tail_is_the_end_of_the_whole(lengths in prop::collection::vec(0_usize..9000, 0..6)) {
            let whole: Vec<u8> = (0..251).cycle().take(lengths.iter().sum()).collect();
            let mut sink = Sink::default();
            let mut rest = &whole[..];
            for length in lengths {
                let (piece, after) = rest.split_at(length);
                sink.push(piece);
                rest = after;
            }
            prop_assert_eq!(Vec::from(sink.tail), &whole[whole.len().saturating_sub(TAIL)..]);
        }
    }
}
