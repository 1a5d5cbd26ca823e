//! The output of a companion: read, so that it never waits for this process, and its end kept.
//!
//! A thread reads it. Once the companion is ready, the thread looks seldom, and takes what has
//! gathered meanwhile: to be woken by each line of a server's log would take a CPU's time beside
//! the subject.

use std::io::{self, PipeReader, PipeWriter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use crate::process::output::{PIPE, Sink, Stream};

/// How long output gathers before it is read. A process that prints more than half of it is read at
/// once again.
const SELDOM: Duration = Duration::from_millis(20);
/// How long is waited for the last of it, when it has ended.
const PATIENCE: Duration = Duration::from_secs(1);

/// The output of a companion.
#[derive(Debug)]
pub struct CompanionOutput {
    shared: Arc<OutputState>,
}

#[derive(Debug)]
struct OutputState {
    sink: Mutex<Sink>,
    seldom: AtomicBool,
    /// All of it was read.
    whole: AtomicBool,
}

impl CompanionOutput {
    /// An empty output, and the pipe to write it to; a given text is searched for.
    pub fn new(text: Option<&str>) -> io::Result<(Self, PipeWriter)> {
        let (stream, end) = Stream::pipe()?;
        let shared = Arc::new(OutputState {
            sink: Mutex::new(Sink::searching(text)),
            seldom: AtomicBool::new(false),
            whole: AtomicBool::new(false),
        });
        let reader = Arc::clone(&shared);
        thread::Builder::new().name("companion".to_owned()).spawn(move || reader.read(&stream))?;
        Ok((Self { shared }, end))
    }

    /// No reader waits for what it prints any more.
    pub fn look_seldom(&self) {
        self.shared.seldom.store(true, Ordering::Relaxed);
    }

    /// Whether the text has occurred.
    pub fn has_found(&self) -> bool {
        self.shared.sink().has_found()
    }

    /// The last of what was read so far.
    pub fn tail(&self) -> Vec<u8> {
        self.shared.sink().tail()
    }

    /// The last of all of it: nothing prints any more.
    pub fn whole_tail(&self) -> Vec<u8> {
        let begun = Instant::now();
        while !self.shared.whole.load(Ordering::Acquire) && begun.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
        self.tail()
    }
}

impl OutputState {
    fn sink(&self) -> MutexGuard<'_, Sink> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads to the end.
    fn read(&self, pipe: &PipeReader) {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let mut fds = [PollFd::new(pipe, PollFlags::IN)];
            let _ = rustix::event::poll(&mut fds, None);
            let mut gathered = 0;
            while gathered < PIPE {
                match rustix::io::read(pipe, &mut buffer) {
                    Ok(0) => return self.whole.store(true, Ordering::Release),
                    Ok(length) => {
                        self.sink().push(&buffer[..length]);
                        gathered += length;
                    }
                    Err(_) => break,
                }
            }
            if self.seldom.load(Ordering::Relaxed) && gathered < PIPE / 2 {
                thread::sleep(SELDOM);
            }
        }
    }
}
