//! Reads what the subject prints and keeps what is asked for: its end, and as much of its beginning as a request allows.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use memchr::memmem::Finder;

use crate::{Capture, Captured, Request};

/// How much of an output's end is kept, in bytes.
pub const TAIL: usize = 4096;

/// How much may wait in a pipe, in bytes: what an ordinary user may ask for. A subject that prints less never
/// waits for us.
const PIPE: usize = 1024 * 1024;

/// The subject's outputs, as we read them.
pub struct Outputs {
    /// Standard output, if it is read.
    pub stdout: Option<Stream>,
    /// Standard error.
    pub stderr: Stream,
}

/// The subject's outputs, as it writes to them.
pub struct Ends {
    /// Standard output, if it is read.
    pub stdout: Option<OwnedFd>,
    /// Standard error.
    pub stderr: OwnedFd,
}

impl Outputs {
    /// The outputs that a request asks for; or why there are none, in one line.
    pub fn new(request: &Request) -> Result<(Self, Ends), String> {
        let no_pipe = |error: io::Error| format!("cannot make a pipe: {error}");
        let stderr = Sink::new(&request.stderr).unwrap_or_default();
        let (stderr, stderr_end) = Stream::new(stderr).map_err(no_pipe)?;
        let stdout = Sink::new(&request.stdout).map(Stream::new);
        let (stdout, stdout_end) = match stdout.transpose().map_err(no_pipe)? {
            Some((stream, end)) => (Some(stream), Some(end.into())),
            None => (None, None),
        };
        Ok((Self { stdout, stderr }, Ends { stdout: stdout_end, stderr: stderr_end.into() }))
    }

    /// Reads what is still in the pipes and closes them. Nobody writes any more, or nobody who could be killed.
    pub fn finish(mut self, buffer: &mut [u8]) -> Finished {
        self.stderr.drain(buffer);
        let stdout = self.stdout.map(|mut stdout| {
            stdout.drain(buffer);
            stdout.sink.captured()
        });
        let sink = self.stderr.sink;
        if sink.hasher.is_none() {
            return Finished { stdout, stderr_tail: sink.tail.into(), stderr: None };
        }
        let stderr = sink.captured();
        Finished { stdout, stderr_tail: stderr.tail.clone(), stderr: Some(stderr) }
    }
}

/// What is known of both outputs; see [`Execution`](crate::Execution).
pub struct Finished {
    pub stdout: Option<Captured>,
    pub stderr_tail: Vec<u8>,
    pub stderr: Option<Captured>,
}

/// One output: the pipe it comes through, and what is kept of it.
pub struct Stream {
    /// The pipe, until its end was read.
    source: Option<PipeReader>,
    sink: Sink,
}

impl Stream {
    fn new(sink: Sink) -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        // A small pipe is slower, not wrong: users have a limit on large ones.
        let _ = rustix::pipe::fcntl_setpipe_size(&reader, PIPE);
        rustix::io::ioctl_fionbio(&reader, true)?;
        Ok((Self { source: Some(reader), sink }, writer))
    }

    /// The pipe to wait for, until it has ended.
    pub fn source(&self) -> Option<BorrowedFd<'_>> {
        self.source.as_ref().map(AsFd::as_fd)
    }

    /// Reads at most one buffer without waiting; how many bytes there were.
    pub fn read(&mut self, buffer: &mut [u8]) -> usize {
        let Some(source) = &mut self.source else { return 0 };
        match source.read(buffer) {
            Ok(0) => self.source = None,
            Ok(length) => {
                self.sink.push(&buffer[..length]);
                return length;
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(_) => self.source = None,
        }
        0
    }

    /// Reads what is there, but no more than can have been there when the subject ended.
    fn drain(&mut self, buffer: &mut [u8]) {
        let mut left = PIPE;
        while left > 0 {
            match self.read(buffer) {
                0 => break,
                length => left = left.saturating_sub(length),
            }
        }
    }
}

/// What is kept of an output.
#[derive(Default)]
struct Sink {
    tail: VecDeque<u8>,
    bytes: u64,
    hasher: Option<Box<blake3::Hasher>>,
    search: Option<Search>,
    kept: Option<Kept>,
}

/// The beginning of an output, and how long it may become.
struct Kept {
    content: Vec<u8>,
    limit: usize,
}

impl Sink {
    /// What keeps what is asked for; none if nobody asks.
    fn new(wish: &Capture) -> Option<Self> {
        let (search, limit) = match wish {
            Capture::Nothing => return None,
            Capture::Digest => (None, None),
            Capture::Keep { limit, search } => (search.as_ref(), Some(*limit)),
            Capture::Search(text) => (Some(text), None),
        };
        let search = search.map(|text| Search::new(text));
        let kept = limit.map(|limit| Kept { content: Vec::new(), limit });
        Some(Self { hasher: Some(Box::default()), search, kept, ..Self::default() })
    }

    fn push(&mut self, chunk: &[u8]) {
        self.bytes += chunk.len() as u64;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(chunk);
        }
        if let Some(search) = &mut self.search {
            search.push(chunk);
        }
        if let Some(Kept { content, limit }) = &mut self.kept {
            let room = limit.saturating_sub(content.len());
            content.extend_from_slice(&chunk[..room.min(chunk.len())]);
        }
        let end = &chunk[chunk.len().saturating_sub(TAIL)..];
        let surplus = (self.tail.len() + end.len()).saturating_sub(TAIL);
        self.tail.drain(..surplus);
        self.tail.extend(end);
    }

    fn captured(self) -> Captured {
        Captured {
            digest: self.hasher.unwrap_or_default().finalize().into(),
            bytes: self.bytes,
            found: self.search.map(|search| search.found),
            tail: self.tail.into(),
            kept: self.kept.map(|kept| kept.content),
        }
    }
}

/// Looks for a text in what comes piece by piece.
struct Search {
    finder: Finder<'static>,
    found: bool,
    /// The end of what came so far: one byte less than the text, so it can only occur across the border.
    before: Vec<u8>,
}

impl Search {
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
    use proptest::prelude::*;
    use tacho_record::Digest;

    use super::*;

    proptest! {
        /// However the output is cut into reads, what is known of it is what a look at the whole would find.
        #[test]
        fn reads_of_any_size_give_the_same(
            pieces in prop::collection::vec("[ab]{0,6}", 0..40),
            text in "[ab]{0,8}",
            limit in 0_usize..100,
        ) {
            let whole = pieces.concat();
            let mut sink = Sink::new(&Capture::Keep { limit, search: Some(text.clone()) }).unwrap();
            for piece in &pieces {
                sink.push(piece.as_bytes());
            }
            let captured = sink.captured();
            prop_assert_eq!(captured.found, Some(whole.contains(&text)));
            prop_assert_eq!(captured.digest, Digest::of(&whole));
            prop_assert_eq!(captured.bytes, whole.len() as u64);
            prop_assert_eq!(captured.whole().is_some(), whole.len() <= limit);
            prop_assert_eq!(captured.kept.unwrap(), &whole.as_bytes()[..limit.min(whole.len())]);
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
