//! The words of the reference: what fixed programs say of the machine.

use serde::Serialize;
use tacho_experiment::analysis::reference::ReferenceSummary;
use tacho_record::ReferenceProgram;

use super::text;

/// What the reference says of a run, in one line.
pub fn line(summary: &ReferenceSummary) -> String {
    let executions = text::count(summary.executions, "execution");
    let mut line = format!("reference: {executions}, {:.1} % of the time", summary.share * 100.0);
    if let Some((program, spread)) = summary.varies {
        line += &format!("; times vary by up to {:.1} % ({})", spread * 100.0, program.words());
    }
    if let Some(since) = summary.since {
        line += &since_words(since, summary.compared, &summary.moved);
    }
    line
}

/// Said where the reference was wanted, and the run left no time for any program of it.
pub const NOT_EXECUTED: &str =
    "reference: not executed, since one execution would take more than 5 % of so short a run";

fn since_words(since: i64, compared: usize, moved: &[(ReferenceProgram, f64)]) -> String {
    if compared == 0 {
        return format!("; too few executions to compare the machine with run {since}");
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

/// What the reference says of a run, in JSON.
#[derive(Debug, Serialize)]
pub struct ReferenceAnswer {
    executions: usize,
    share: f64,
    varies: Option<(&'static str, f64)>,
    since: Option<i64>,
    compared: usize,
    moved: Vec<(&'static str, f64)>,
}

impl ReferenceAnswer {
    pub fn of(summary: &ReferenceSummary) -> Self {
        let named = |&(program, share): &(ReferenceProgram, f64)| (program.name(), share);
        Self {
            executions: summary.executions,
            share: summary.share,
            varies: summary.varies.as_ref().map(named),
            since: summary.since,
            compared: summary.compared,
            moved: summary.moved.iter().map(named).collect(),
        }
    }
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
            line(&summary),
            "reference: 12 executions, 4.8 % of the time; times vary by up to 3.4 % (memory \
             latency)"
        );
        summary.varies = None;
        summary.since = Some(7);
        assert_eq!(
            line(&summary),
            "reference: 12 executions, 4.8 % of the time; too few executions to compare the \
             machine with run 7"
        );
        summary.compared = 3;
        assert!(line(&summary).ends_with("no change of the machine's speed is seen since run 7"));
        summary.moved = vec![(ReferenceProgram::System, 0.12)];
        let said = "the machine's speed changed since run 7: system calls and process starts 12.0 \
            % slower";
        assert!(line(&summary).ends_with(said), "{}", line(&summary));
    }
}
