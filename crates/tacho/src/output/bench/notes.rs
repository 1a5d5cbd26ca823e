//! The notes beside the numbers.

use tacho_experiment::bench::{BenchCommand, CommandResult};
use tacho_record::{Failure, Limit, ReferenceMode};
use tacho_report::bench::{BenchWarning, ColumnMeaning, notes};
use tacho_report::block::{AnswerNote, NoteKind};
use tacho_report::host;
use tacho_report::run::INTERRUPTED;
use tacho_report::series::steadiness;

use super::BenchReport;
use crate::output::{self, text};

/// How many lines of a failed execution's output are shown.
const OUTPUT_LINES: usize = 8;

impl BenchReport<'_> {
    /// Prints the warnings that most of a command's time is not its own. They come before the
    /// numbers, so that readers do not trust these first.
    pub fn print_warnings(&self) {
        self.length_warnings().iter().for_each(print);
    }

    /// All that makes the numbers worth less, for a medium that is read as a whole.
    pub fn warnings(&self) -> Vec<AnswerNote> {
        let interrupted =
            self.answer.interrupted.then(|| AnswerNote::plain(INTERRUPTED.to_owned()));
        let mut hints: Vec<&str> = Vec::new();
        let of_each = self.each().flat_map(|(command, standing)| {
            let name = text::cut(&command.name, 40);
            let refused = standing.refused.and_then(|limit| notes::refusal(&name, limit));
            let failed = standing.failure.as_ref().map(|(failure, _)| {
                AnswerNote::warning(notes::failure(&name, standing.failed, failure))
            });
            let others = self.warnings_of(&command.name, standing, false, &mut hints);
            others.into_iter().chain(refused.into_iter().flatten()).chain(failed)
        });
        let of_each: Vec<AnswerNote> = of_each.collect();
        let all = interrupted.into_iter().chain(self.length_warnings());
        all.chain(self.common_warnings()).chain(of_each).chain(self.way_out()).collect()
    }

    fn each(&self) -> impl Iterator<Item = (&BenchCommand, &CommandResult)> {
        self.question.commands.iter().zip(&self.standings.each)
    }

    fn length_warnings(&self) -> Vec<AnswerNote> {
        let mut hints: Vec<&str> = Vec::new();
        self.each()
            .flat_map(|(command, standing)| {
                self.warnings_of(&command.name, standing, true, &mut hints)
            })
            .collect()
    }

    /// The warnings of no command alone.
    fn common_warnings(&self) -> Vec<AnswerNote> {
        let noted = |warning: &BenchWarning| {
            let (what, hint) = self.worded(*warning);
            let hint = hint.map(|hint| AnswerNote::hint(hint.to_owned()));
            [AnswerNote::warning(what)].into_iter().chain(hint)
        };
        self.standings.warnings.iter().flat_map(noted).collect()
    }

    /// The warnings of a command: those of its length, or the others. A hint that holds for several
    /// commands is given once, below the first.
    fn warnings_of(
        &self,
        name: &str,
        standing: &CommandResult,
        are_of_length: bool,
        hints: &mut Vec<&'static str>,
    ) -> Vec<AnswerNote> {
        let wanted = |it: &&BenchWarning| it.is_of_length() == are_of_length;
        let mut all = Vec::new();
        for warning in standing.warnings.iter().filter(wanted) {
            let (what, hint) = self.worded(*warning);
            all.push(AnswerNote::warning(format!("`{}`: {what}", text::cut(name, 40))));
            if let Some(hint) = hint.filter(|hint| !hints.contains(hint)) {
                all.push(AnswerNote::hint(hint.to_owned()));
                hints.push(hint);
            }
        }
        all
    }

    fn worded(&self, warning: BenchWarning) -> (String, Option<&'static str>) {
        let found = self.findings();
        (found.warning(warning), found.advice(warning, self.question.advice_given()))
    }

    /// Says what is less disturbed by other work, where something is unclear and more rounds would
    /// take long.
    pub fn print_way_out(&self) {
        self.way_out().iter().for_each(print);
    }

    fn way_out(&self) -> Option<AnswerNote> {
        let found = self.findings();
        found.needs_way_out().then(|| {
            let ways = self.question.ways_out(found.busy_share(), text::has_callgrind());
            AnswerNote::hint(ways.line())
        })
    }

    /// Prints that there may be more, where the answer does not have that.
    pub fn print_interruption(&self) {
        if self.answer.interrupted {
            output::note("note", INTERRUPTED);
        }
    }

    /// Prints the others beside the answer.
    pub fn print_notes(&self) {
        let spent = notes::spent_budget(&self.question.rule, self.findings().rounds());
        if let Some(spent) = spent.filter(|_| !self.answer.interrupted) {
            output::note("note", &spent);
        }
        let first = self.question.commands.first();
        let conditions = first.and_then(|it| notes::conditions(&it.conditions, &it.limits));
        let at_once = self.question.duet.map(notes::duet);
        let host = host::noise(&self.answer.waits, &self.answer.disturbed);
        for line in at_once.into_iter().chain(conditions).chain(host) {
            output::note("note", &line);
        }
        match &self.answer.reference {
            Some(summary) => output::note("note", &host::reference(summary)),
            None if self.question.reference == ReferenceMode::Off => {}
            None => output::note("note", host::REFERENCE_NOT_EXECUTED),
        }
        if let Some(line) = self.host_line() {
            output::note("note", &line);
        }
        self.common_warnings().iter().for_each(print);
        self.print_absent();
        self.print_each();
        self.print_explanations();
    }

    /// How uneven the host was, and what that cost.
    pub(super) fn host_line(&self) -> Option<String> {
        let compared = self.standings.each.iter().filter_map(|it| it.compared.as_ref());
        notes::host_speed(compared, self.standings.uneven, self.detail.has_range)
    }

    /// Prints the requested metrics that cannot be read here.
    fn print_absent(&self) {
        if let Some(line) = notes::unaccounted(&self.answer.absent) {
            output::note("note", &line);
        }
        for asked in &self.question.counters {
            if let Some(why) = self.answer.absent.get(asked.counter.name()) {
                output::note("note", &notes::uncounted(asked.counter.name(), why));
            }
        }
    }

    /// Prints the notes on single commands.
    fn print_each(&self) {
        for (command, found) in self.question.commands.iter().zip(&self.answer.steadiness) {
            if let Some(found) = found {
                let name = text::cut(&command.name, 40);
                output::note("note", &format!("`{name}`: {}", steadiness(found)));
            }
        }
        let accepted = self.answer.accepted_failures();
        for (command, accepted) in self.question.commands.iter().zip(accepted) {
            let name = text::cut(&command.name, 40);
            if let Some(line) = notes::accepted_failures(accepted) {
                output::note("note", &format!("`{name}`: {line}"));
            }
        }
        let mut hints: Vec<&str> = Vec::new();
        let mut is_status_explained = false;
        for (command, standing) in self.each() {
            let name = text::cut(&command.name, 40);
            self.warnings_of(&command.name, standing, false, &mut hints).iter().for_each(print);
            if self.detail.is_verbose {
                print_outliers(&name, standing);
            }
            print_refusal(&name, standing);
            print_failure((&name, &command.text), standing);
            if let Some(code) = exit_status(command, standing).filter(|_| !is_status_explained) {
                output::note("hint", &notes::status_hint(code));
                is_status_explained = true;
            }
        }
    }

    /// Notes that explain columns and methods, or how many there are, and the outliers in one line.
    fn print_explanations(&self) {
        let explanations = self.explanations();
        if self.detail.is_verbose {
            return explanations.iter().for_each(|line| output::note("note", line));
        }
        let far: Vec<_> = self.standings.each.iter().flat_map(CommandResult::far_samples).collect();
        if let Some(line) = notes::left_out(notes::outliers(&far), explanations.len()) {
            output::note("note", &line);
        }
    }

    /// The meaning of numbers, which is the same in every answer.
    fn explanations(&self) -> Vec<String> {
        let meanings = self.findings().meanings();
        let meanings = meanings.iter().map(ColumnMeaning::line);
        let family = self.family().map(|family| family.line());
        meanings.chain(family).collect()
    }
}

/// Prints the farthest outliers, with their causes.
fn print_outliers(name: &str, standing: &CommandResult) {
    let Some((line, more)) = notes::outliers_of(name, &standing.far_samples()) else { return };
    output::note("note", &line);
    for line in more {
        output::note_more(&line);
    }
}

/// Prints that nothing shows that it works below a limit. Below one on address space it may have
/// ended by itself, which is an error.
fn print_refusal(name: &str, standing: &CommandResult) {
    let refusal = standing.refused.and_then(|limit| notes::refusal(name, limit));
    for note in refusal.iter().flatten() {
        match note.kind {
            NoteKind::Warning if standing.refused == Some(Limit::AddressSpace) => {
                output::note("error", &note.text);
            }
            _ => print(note),
        }
    }
}

fn print(note: &AnswerNote) {
    let kind = match note.kind {
        NoteKind::Plain => "note",
        NoteKind::Warning => "warning",
        NoteKind::Hint => "hint",
    };
    output::note(kind, &note.text);
}

/// Its exit status, where it failed by that alone: of a signal, a hook or a time limit the hint
/// about statuses is no help, nor where something else is advised.
fn exit_status(command: &BenchCommand, standing: &CommandResult) -> Option<i32> {
    let (failure, _) = standing.failure.as_ref()?;
    let Failure::Exit { code } = failure else { return None };
    notes::failure_hint(failure, &command.text).is_none().then_some(*code)
}

fn print_failure((name, command): (&str, &str), standing: &CommandResult) {
    let Some((failure, printed)) = &standing.failure else { return };
    output::note("error", &notes::failure(name, standing.failed, failure));
    for line in text::last_lines(printed, OUTPUT_LINES) {
        output::aside(&format!("  | {line}"));
    }
    if let Some(hint) = notes::failure_hint(failure, command) {
        output::note("hint", &hint);
    }
}
