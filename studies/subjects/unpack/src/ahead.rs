//! Decodes in a thread of its own, so that whoever reads only copies.

use std::io::{Read, Result};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The size in bytes of what is handed over at once.
const PIECE: usize = 256 << 10;

/// How many pieces may wait.
const QUEUE: usize = 4;

/// What a thread decodes. The thread ends with the stream, or when this is dropped.
pub(crate) struct Ahead {
    pieces: Receiver<Result<Vec<u8>>>,
    spare: SyncSender<Vec<u8>>,
    current: Vec<u8>,
    at: usize,
}

impl Ahead {
    /// Starts the thread.
    ///
    /// # Errors
    /// If there can be no more threads.
    pub(crate) fn new(decoder: impl Read + Send + 'static) -> Result<Self> {
        let (sender, pieces) = sync_channel(QUEUE);
        let (spare, spares) = sync_channel(QUEUE + 2);
        std::thread::Builder::new()
            .name("decode".to_owned())
            .spawn(move || decode(decoder, &sender, &spares))?;
        Ok(Self { pieces, spare, current: Vec::new(), at: 0 })
    }
}

fn decode(
    mut decoder: impl Read,
    sender: &SyncSender<Result<Vec<u8>>>,
    spares: &Receiver<Vec<u8>>,
) {
    loop {
        let mut piece = spares.try_recv().unwrap_or_default();
        piece.resize(PIECE, 0);
        let mut filled = 0;
        let result = loop {
            match decoder.read(&mut piece[filled..]) {
                Ok(0) => break Ok(()),
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        let is_last = filled < PIECE;
        piece.truncate(filled);
        let is_read = sender.send(Ok(piece)).is_ok();
        if let Err(error) = result {
            let _ = sender.send(Err(error));
            return;
        }
        if is_last || !is_read {
            return;
        }
    }
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while self.at == self.current.len() {
            let Ok(piece) = self.pieces.recv() else { return Ok(0) };
            let used = std::mem::replace(&mut self.current, piece?);
            self.at = 0;
            let _ = self.spare.try_send(used);
        }
        let rest = &self.current[self.at..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}
