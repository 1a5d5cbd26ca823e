//! Checks whether the host is quiet: before a round by a look, after it by the samples.
//!
//! The rule is fixed in advance (docs/src/method/quiet.md). It uses only readings of the host,
//! never the measured values: otherwise rounds would be repeated until the result pleased.

use crate::run::quiet_limits::Noise;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tacho_record::QuietWait;

use crate::{Context, Event, ExperimentError};

/// How long the host is looked at before a round.
pub const LOOK: Duration = Duration::from_millis(200);

/// The number of times that a disturbed round is repeated at most; then it counts.
pub const REPEATS: u32 = 2;

/// Waits for a quiet host, as long as a run may.
#[derive(Debug)]
pub struct Quiet {
    /// The remaining time to wait; `None`: it never waits.
    left: Option<Duration>,
}

impl Quiet {
    /// The requested wait, with the waits so far.
    #[must_use]
    pub fn new(most: Option<Duration>, waits: &[QuietWait]) -> Self {
        let waited = waits.iter().map(|wait| wait.took).sum();
        Self { left: most.map(|most| most.saturating_sub(waited)) }
    }

    /// Whether rounds are repeated that were disturbed.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.left.is_some()
    }

    /// Waits before that round until the host is quiet, or no longer may be waited.
    pub fn wait(
        &mut self,
        context: &mut Context<'_>,
        run: i64,
        round: u32,
    ) -> Result<(), ExperimentError> {
        let (mut took, mut first, mut quiet) = (Duration::ZERO, None, false);
        while let Some(left) = self.left.filter(|left| !left.is_zero())
            && !context.interrupt.load(Ordering::Relaxed)
        {
            let Some(noise) = Noise::of_look(&context.executor.look(LOOK)) else {
                quiet = true;
                break;
            };
            took += LOOK.min(left);
            self.left = Some(left.saturating_sub(LOOK));
            context.observer.note(&Event::Waiting { noise, took });
            first.get_or_insert(noise);
        }
        if let Some(noise) = first {
            let wait = QuietWait { round, took, quiet, why: noise.to_string() };
            context.store.put_wait(run, &wait)?;
        }
        Ok(())
    }
}
