//! A host's noise, as it is kept.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A host's noise at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptNoise {
    /// When it was measured.
    pub at: Timestamp,
    /// The host, by the name that survives restarts.
    pub host: String,
    /// For how many seconds.
    pub seconds: f64,
    /// How busy the host was right before: its load average.
    pub load: Option<f64>,
    /// The noise of each program.
    pub programs: Vec<KeptProgramNoise>,
}

/// The noise of one program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptProgramNoise {
    /// The program in a few words.
    pub program: String,
    /// How long a round took, in seconds.
    pub round: f64,
    /// The standard error of a comparison of one round; `None`: too few rounds.
    pub of_one_round: Option<f64>,
    /// The smallest change that a comparison of ten minutes finds.
    pub in_ten_minutes: Option<f64>,
    /// How much slower the host's slow speed is than its fast one.
    pub uneven: f64,
    /// How many additions the program makes; `None`: it is no loop, or the number was not kept yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additions: Option<f64>,
}

impl KeptNoise {
    /// The noise of that program.
    #[must_use]
    pub fn of_program(&self, name: &str) -> Option<&KeptProgramNoise> {
        self.programs.iter().find(|program| program.program == name)
    }
}
