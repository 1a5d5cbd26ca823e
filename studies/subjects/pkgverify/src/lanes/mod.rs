//! MD5 of many files at once.
//!
//! Each step of MD5 needs the one before it, so that one file keeps most of a processor idle. Here
//! several files are hashed in lanes beside each other, one in each element of a vector, as
//! multi-buffer hashing does.

mod compress;

use std::io::{self, Read};

use compress::{BLOCK, LANES, START, State};

/// What is read of a file at once; the lanes of a thread together stay within a second-level cache.
const READ: usize = 32 * 1024;
/// The buffer has room for the padding, which takes up to two blocks.
const BUFFER: usize = READ + 2 * BLOCK;

/// An MD5 sum.
pub(crate) type Md5Sum = [u8; 16];

/// Files that are being hashed, each with a tag that tells whose sum comes out.
#[derive(Debug)]
pub(crate) struct LaneHasher<T, R> {
    lanes: Vec<Lane<T, R>>,
    most: usize,
    /// Buffers of files that are done.
    spare: Vec<Box<[u8]>>,
}

#[derive(Debug)]
struct Lane<T, R> {
    tag: T,
    source: R,
    state: State,
    /// Bytes read so far.
    length: u64,
    buffer: Box<[u8]>,
    /// What of the buffer is still to be hashed.
    start: usize,
    end: usize,
    /// Whether the end of the file, with its padding, is in the buffer.
    is_padded: bool,
}

impl<T, R: Read> LaneHasher<T, R> {
    /// As many lanes as this processor has.
    pub fn new() -> Self {
        let most = if compress::has_lanes() { LANES } else { 1 };
        Self { lanes: Vec::with_capacity(most), most, spare: Vec::new() }
    }

    /// Whether a lane is free.
    pub fn has_room(&self) -> bool {
        self.lanes.len() < self.most
    }

    /// Whether nothing is being hashed.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// Begins to hash what `source` gives. A lane must be free.
    pub fn add(&mut self, tag: T, source: R) {
        debug_assert!(self.has_room());
        let buffer = self.spare.pop().unwrap_or_else(|| vec![0; BUFFER].into_boxed_slice());
        let lane = Lane {
            tag,
            source,
            state: START,
            length: 0,
            buffer,
            start: 0,
            end: 0,
            is_padded: false,
        };
        self.lanes.push(lane);
    }

    /// Hashes on, as far as nothing must be read in between. Whatever is done goes to `done`.
    pub fn step(&mut self, mut done: impl FnMut(T, io::Result<Md5Sum>)) {
        let mut index = 0;
        while index < self.lanes.len() {
            let filled = self.lanes[index].fill();
            if filled.is_ok() && self.lanes[index].blocks() > 0 {
                index += 1;
                continue;
            }
            let lane = self.lanes.swap_remove(index);
            done(lane.tag, filled.map(|()| sum(lane.state)));
            self.spare.push(lane.buffer);
        }
        match self.lanes.as_mut_slice() {
            [] => {}
            [lane] => lane.alone(),
            lanes => together(lanes),
        }
    }
}

impl<T, R: Read> Lane<T, R> {
    fn blocks(&self) -> usize {
        (self.end - self.start) / BLOCK
    }

    /// Reads if no whole block is left, and pads at the end of the file.
    fn fill(&mut self) -> io::Result<()> {
        if self.blocks() > 0 || self.is_padded {
            return Ok(());
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        while self.end < READ {
            match self.source.read(&mut self.buffer[self.end..READ]) {
                Ok(0) => {
                    self.pad();
                    break;
                }
                Ok(length) => {
                    self.end += length;
                    self.length += length as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// A 1 bit, zeros, and the length in bits (RFC 1321, 3.1 and 3.2).
    fn pad(&mut self) {
        let end = (self.end + 9).next_multiple_of(BLOCK);
        self.buffer[self.end..end].fill(0);
        self.buffer[self.end] = 0x80;
        self.buffer[end - 8..end].copy_from_slice(&self.length.wrapping_mul(8).to_le_bytes());
        self.end = end;
        self.is_padded = true;
    }

    fn alone(&mut self) {
        let blocks = self.blocks();
        compress::one(&mut self.state, &self.buffer[self.start..], blocks);
        self.start += blocks * BLOCK;
    }
}

/// Hashes as many blocks of each lane as all have. Lanes without a file repeat the first, to no
/// effect.
fn together<T, R: Read>(lanes: &mut [Lane<T, R>]) {
    let blocks = lanes.iter().map(Lane::blocks).min().unwrap_or_default();
    let at = |lane: usize| lanes.get(lane).unwrap_or(&lanes[0]);
    let mut states = std::array::from_fn(|lane| at(lane).state);
    let data = std::array::from_fn(|lane| &at(lane).buffer[at(lane).start..]);
    compress::many(&mut states, &data, blocks);
    for (lane, state) in lanes.iter_mut().zip(states) {
        lane.state = state;
        lane.start += blocks * BLOCK;
    }
}

fn sum(state: State) -> Md5Sum {
    let mut sum = [0; 16];
    for (bytes, word) in sum.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    sum
}

#[cfg(test)]
mod tests {
    use md5::{Digest, Md5};
    use proptest::prelude::*;

    use super::*;

    /// The sums of `files`, in their order.
    fn hashed<R: Read>(files: impl IntoIterator<Item = R>) -> Vec<io::Result<Md5Sum>> {
        let mut files = files.into_iter().enumerate();
        let mut hasher = LaneHasher::new();
        let mut sums = Vec::new();
        loop {
            while hasher.has_room() {
                match files.next() {
                    Some((tag, file)) => hasher.add(tag, file),
                    None => break,
                }
            }
            if hasher.is_empty() {
                break;
            }
            hasher.step(|tag, sum| sums.push((tag, sum)));
        }
        sums.sort_by_key(|(tag, _)| *tag);
        sums.into_iter().map(|(_, sum)| sum).collect()
    }

    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|n| u8::try_from((n * 31 + n / 251 + length) % 256).unwrap()).collect()
    }

    #[test]
    fn sums_are_those_of_another_implementation_at_each_length_near_a_block() {
        let files: Vec<_> = (0..=200).chain(READ - 70..READ + 140).map(bytes).collect();
        for (file, sum) in files.iter().zip(hashed(files.iter().map(Vec::as_slice))) {
            assert_eq!(sum.unwrap(), Md5::digest(file)[..], "{} bytes", file.len());
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_spoils_no_other() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let content = bytes(100_000);
        let sources: Vec<Box<dyn Read>> =
            vec![Box::new(content.as_slice()), Box::new(Broken), Box::new(content.as_slice())];
        let sums = hashed(sources);
        assert_eq!(sums[0].as_ref().unwrap()[..], Md5::digest(&content)[..]);
        assert!(sums[1].is_err());
        assert_eq!(sums[2].as_ref().unwrap()[..], Md5::digest(&content)[..]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn sums_are_right_whatever_is_hashed_beside(
            lengths in prop::collection::vec(0_usize..150_000, 1..30),
        ) {
            let files: Vec<_> = lengths.into_iter().map(bytes).collect();
            for (file, sum) in files.iter().zip(hashed(files.iter().map(Vec::as_slice))) {
                prop_assert_eq!(&sum.unwrap()[..], &Md5::digest(file)[..]);
            }
        }
    }
}
