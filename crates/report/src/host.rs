//! The influence of the host on a run, in words: the use by others, and changes of its speed.

use tacho_record::{QuietWait, ReferenceProgram, ReferenceSummary};

use crate::words::{count, duration, percent};

/// The use of the host by others, if it is large enough to be reported.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HostLoad {
    /// Other processes used this many CPUs.
    pub others: Option<f64>,
    /// A hypervisor kept this many CPUs' time from the host.
    pub stolen: Option<f64>,
    /// Commands waited for a CPU this share of their time; where they were too short to see more of
    /// the host.
    pub waited: Option<f64>,
}

impl HostLoad {
    /// Whether there is nothing to report.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Each part of it as a clause, with when that was: `meanwhile`, `during run 3`.
    #[must_use]
    pub fn clauses(&self, when: &str) -> Vec<String> {
        let others = self.others.map(|cpus| others(cpus, when));
        let stolen = self.stolen.map(|share| stolen(share, when));
        let waited = self.waited.map(|share| {
            format!("commands waited for a CPU {} of their time {when}", percent(share))
        });
        others.into_iter().chain(stolen).chain(waited).collect()
    }
}

/// Says that other processes used this number of CPUs.
#[must_use]
pub fn others(cpus: f64, when: &str) -> String {
    format!("other processes used {cpus:.1} CPU {when}")
}

/// Says that a hypervisor withheld the time of this number of CPUs from the host.
#[must_use]
pub fn stolen(share: f64, when: &str) -> String {
    format!("a hypervisor kept {share:.2} CPU from this host {when}")
}

/// The influence of the host on a run, one line each: the waits, and the repeated rounds.
#[must_use]
pub fn noise(waits: &[QuietWait], disturbed: &[(u32, String)]) -> Vec<String> {
    let waited = waits.first().map(|first| {
        let took = duration(waits.iter().map(|wait| wait.took).sum());
        let end = if waits.iter().all(|wait| wait.quiet) {
            ""
        } else {
            "; the host did not become quiet"
        };
        format!("waited {took} for a quiet host{end}: {}", first.why)
    });
    let repeated = disturbed.first().map(|(round, why)| match disturbed.len() {
        1 => format!("round {round} was disturbed and repeated: {why}"),
        more => {
            let rounds = count(more, "round");
            format!("{rounds} were disturbed and repeated; the first was round {round}: {why}")
        }
    });
    waited.into_iter().chain(repeated).collect()
}

/// What changed on the machine since an earlier run.
#[must_use]
pub fn machine_changed(since: i64, what: &[String]) -> String {
    format!("the machine changed since run {since}: {}", what.join("; "))
}

/// The reference's result for a run, in one line.
#[must_use]
pub fn reference(summary: &ReferenceSummary) -> String {
    let executions = count(summary.executions, "execution");
    let mut line = format!("reference: {executions}, {:.1} % of the time", summary.share * 100.0);
    if let Some((program, spread)) = summary.varies {
        line += &format!("; times vary by up to {:.1} % ({})", spread * 100.0, program.words());
    }
    if let Some(since) = summary.since {
        line += &since_words(since, summary.compared, &summary.moved);
    }
    line
}

/// The note if the reference was requested, but the run left no time for it.
pub const REFERENCE_NOT_EXECUTED: &str =
    "reference: not executed, since one execution would take more than 5 % of this short run";

fn since_words(since: i64, compared: usize, moved: &[(ReferenceProgram, f64)]) -> String {
    if compared == 0 {
        return String::new();
    }
    if moved.is_empty() {
        return format!("; no change of the machine's speed is seen since run {since}");
    }
    let one = |(program, share): &(ReferenceProgram, f64)| {
        let verb = if *share > 0.0 { "slower" } else { "faster" };
        format!("{} {:.1} % {verb}", program.words(), share.abs() * 100.0)
    };
    let moved: Vec<String> = moved.iter().map(one).collect();
    format!("; the machine's speed changed since run {since}: {}", moved.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_it_cost_and_what_it_said() {
        let mut summary = ReferenceSummary {
            executions: 12,
            share: 0.0481,
            varies: Some((ReferenceProgram::Latency, 0.034)),
            since: None,
            compared: 0,
            moved: Vec::new(),
        };
        assert_eq!(
            reference(&summary),
            "reference: 12 executions, 4.8 % of the time; times vary by up to 3.4 % (memory \
             latency)"
        );
        summary.varies = None;
        summary.since = Some(7);
        assert_eq!(reference(&summary), "reference: 12 executions, 4.8 % of the time");
        summary.compared = 3;
        assert!(
            reference(&summary).ends_with("no change of the machine's speed is seen since run 7")
        );
        summary.moved = vec![(ReferenceProgram::System, 0.12)];
        let said = "the machine's speed changed since run 7: system calls and process starts 12.0 \
            % slower";
        assert!(reference(&summary).ends_with(said), "{}", reference(&summary));
    }
}
