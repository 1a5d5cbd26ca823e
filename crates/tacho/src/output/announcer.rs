//! Names builds that take long in a line each, for a user who waits and sees no progress bar.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tacho_experiment::Event;

use super::{note, text};

/// The duration from which a build is named: shorter ones need no line.
const DELAY: Duration = Duration::from_secs(3);

/// A thread that names an active build after some time.
pub struct Announcer {
    how: String,
    /// The build that begins; `None`: it ended.
    builds: Option<Sender<Option<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Announcer {
    /// Starts it; `how` is written after the name of each build.
    pub fn start(how: &str) -> Self {
        let (builds, begun) = channel::<Option<String>>();
        let thread = std::thread::spawn(move || {
            while let Ok(build) = begun.recv() {
                let Some(mut line) = build else { continue };
                loop {
                    match begun.recv_timeout(DELAY) {
                        Ok(Some(next)) => line = next,
                        Ok(None) => break,
                        Err(RecvTimeoutError::Timeout) => {
                            note("note", &line);
                            break;
                        }
                        Err(RecvTimeoutError::Disconnected) => return,
                    }
                }
            }
        });
        Self { how: how.to_owned(), builds: Some(builds), thread: Some(thread) }
    }

    /// Takes note that a build begins or ends.
    pub fn note(&self, event: &Event<'_>) {
        let build = match event {
            Event::BuildBegins { revision, .. } => Some(format!(
                "building {} {}{}",
                revision.short(),
                text::cut(&revision.subject, 40),
                self.how
            )),
            Event::BuildEnds { .. } => None,
            _ => return,
        };
        if let Some(builds) = &self.builds {
            // A thread that ended names nothing any more, and nothing depends on that.
            let _ = builds.send(build);
        }
    }
}

impl Drop for Announcer {
    fn drop(&mut self) {
        self.builds = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
