//! What should be said beside the numbers, since it may spoil them.

use tacho_experiment::analysis::outlier_causes;
use tacho_experiment::bench::CommandResult;
use tacho_record::{Cgroup, Conditions, Inherit, Limit, ReferenceMode};
use tacho_report::bench::{BenchWarning, ColumnMeaning};
use tacho_report::comparison::clauses;
use tacho_report::series::{outlier, steadiness, usual_speed};
use tacho_report::words::moved;

use super::BenchReport;
use crate::output::{self, reference, text};

/// How many lines of a failed execution's output are shown.
const OUTPUT_LINES: usize = 8;
/// How many outliers of a command are listed with their causes.
const OUTLIERS: usize = 3;
/// A host whose speed moves by less is not worth a line.
const LITTLE: f64 = 0.01;
/// The status of a shell that did not find the program.
const NOT_FOUND: &str = "exit 127";

impl BenchReport<'_> {
    /// Prints what the numbers below are worth less for: most of the time of a command is not its
    /// own. Who reads the numbers first has believed them.
    pub fn print_warnings(&self) {
        let mut hints: Vec<&str> = Vec::new();
        for (command, standing) in self.question.commands.iter().zip(&self.standings.each) {
            self.print_warnings_of(&command.name, standing, true, &mut hints);
        }
        for hint in hints {
            output::note("hint", hint);
        }
    }

    /// Prints the warnings of a command: those of its length, or the others. A hint that holds for
    /// several commands is given once.
    fn print_warnings_of(
        &self,
        name: &str,
        standing: &CommandResult,
        are_of_length: bool,
        hints: &mut Vec<&'static str>,
    ) {
        let wanted = |it: &&BenchWarning| it.is_of_length() == are_of_length;
        for warning in standing.warnings.iter().filter(wanted) {
            let (what, hint) = self.worded(*warning);
            output::note("warning", &format!("`{}`: {what}", text::cut(name, 40)));
            let is_new = |hint: &&str| !hints.contains(hint);
            let new = hint.filter(is_new);
            hints.extend(new);
        }
    }

    fn worded(&self, warning: BenchWarning) -> (String, Option<&'static str>) {
        let found = self.findings();
        (found.warning(warning), found.advice(warning, self.question.advice_given()))
    }

    /// Says what is less disturbed by other work, where something is unclear and more rounds would
    /// take long.
    pub fn print_way_out(&self) {
        let found = self.findings();
        if found.needs_way_out() {
            let ways = self.question.ways_out(found.busy_share(), text::has_callgrind());
            output::note("hint", &ways.line());
        }
    }

    /// Prints the others beside the answer.
    pub fn print_notes(&self) {
        if self.answer.interrupted {
            output::note("note", "interrupted: this is what was measured so far");
        }
        if let Some([first, second]) = self.question.duet {
            let how = "swapped each round: each time is that beside the other";
            let text =
                format!("executed at the same time on processors {first} and {second}, {how}");
            output::note("note", &text);
        }
        if let Some(conditions) = self.conditions() {
            output::note("note", &format!("executed {conditions}"));
        }
        for line in text::noise(&self.answer.waits, &self.answer.disturbed) {
            output::note("note", &line);
        }
        match &self.answer.reference {
            Some(summary) => output::note("note", &reference::line(summary)),
            None if self.question.reference == ReferenceMode::Off => {}
            None => output::note("note", reference::NOT_EXECUTED),
        }
        if let Some(line) = self.host_line() {
            output::note("note", &line);
        }
        for warning in &self.standings.warnings {
            let (what, hint) = self.worded(*warning);
            output::note("warning", &what);
            if let Some(hint) = hint {
                output::note("hint", hint);
            }
        }
        self.print_absent();
        self.print_each();
        self.print_explanations();
    }

    /// How uneven the host was, and what that would have cost.
    fn host_line(&self) -> Option<String> {
        let by = self.standings.uneven.filter(|by| *by >= LITTLE)?;
        let compared = self.standings.each.iter().filter_map(|it| it.compared.as_ref());
        let gain = compared.filter_map(|it| it.choice.gain).max_by(f64::total_cmp);
        Some(usual_speed(&moved(by), "times", gain))
    }

    /// What was asked for and cannot be read here.
    fn print_absent(&self) {
        if let Some(line) = self.unaccounted() {
            output::note("note", &line);
        }
        for asked in &self.question.counters {
            if let Some(why) = self.answer.absent.get(asked.counter.name()) {
                output::note("note", &format!("no {}: {why}", asked.counter.name()));
            }
        }
    }

    /// What concerns one command each.
    fn print_each(&self) {
        for (command, found) in self.question.commands.iter().zip(&self.answer.steadiness) {
            if let Some(found) = found {
                let name = text::cut(&command.name, 40);
                output::note("note", &format!("`{name}`: {}", steadiness(found)));
            }
        }
        let mut hints: Vec<&str> = Vec::new();
        for (command, standing) in self.question.commands.iter().zip(&self.standings.each) {
            let name = text::cut(&command.name, 40);
            self.print_warnings_of(&command.name, standing, false, &mut hints);
            if self.detail.is_verbose {
                tell_outliers(&name, standing);
            }
            tell_refusal(&name, standing);
            tell_failure(&name, standing);
        }
        for hint in hints {
            output::note("hint", hint);
        }
        // Of a signal, a hook or a time limit it is no help.
        let exited = |it: &CommandResult| {
            it.failure.as_ref().is_some_and(|(why, _)| why.starts_with("exit "))
        };
        if self.standings.each.iter().any(exited) {
            output::note("hint", "`-i` lets commands exit with any status");
        }
    }

    /// Notes that explain columns and methods, or how many there are, and the outliers in one line.
    fn print_explanations(&self) {
        let explanations = self.explanations();
        if self.detail.is_verbose {
            return explanations.iter().for_each(|line| output::note("note", line));
        }
        let outliers = outliers_line(&self.standings.each);
        let line = match (outliers, explanations.len()) {
            (None, 0) => return,
            (None, number) => format!("`-v` shows {}", text::count(number, "more note")),
            (Some(outliers), 0) => format!("{outliers} (`-v` lists them)"),
            (Some(outliers), number) => {
                format!("{outliers} (`-v`: {})", text::count(number, "more note"))
            }
        };
        output::note("note", &line);
    }

    /// What numbers mean, which does not change from one answer to the next.
    fn explanations(&self) -> Vec<String> {
        let mut compared = self.standings.each.iter().filter_map(|it| it.compared.as_ref());
        let uneven = compared.find_map(|it| clauses::uneven(&it.choice));
        let uneven = uneven.filter(|_| self.standings.uneven.is_none());
        let worded = |ColumnMeaning { columns, text }| format!("{}: {text}", columns.join(", "));
        let meanings = self.findings().meanings().into_iter().map(worded);
        let family = self.family().map(|family| family.line());
        uneven.into_iter().chain(meanings).chain(family).collect()
    }

    /// What commands found around them, where that was asked for.
    fn conditions(&self) -> Option<String> {
        let Conditions { cpus, nice, aslr, cold, cgroup, inherit, random_environment, .. } =
            &self.question.commands.first()?.conditions;
        let words = [
            cpus.as_ref().map(|cpus| format!("on processors {cpus}")),
            nice.map(|nice| format!("with niceness {nice}")),
            (*aslr == Some(false)).then(|| "at the same addresses".to_owned()),
            cold.then(|| "with the file cache dropped".to_owned()),
            (*cgroup == Cgroup::Always).then(|| "in control groups".to_owned()),
            (*inherit != Inherit::All).then(|| "in a clean environment".to_owned()),
            (!random_environment).then(|| "with nothing added to the environment".to_owned()),
            self.limits(),
        ];
        let words: Vec<String> = words.into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// What they may use at most, where that was asked for.
    fn limits(&self) -> Option<String> {
        let words = self.question.commands.first()?.limits.amounts();
        (!words.is_empty()).then(|| format!("with at most {}", words.join(" and ")))
    }

    /// Why columns are empty that all commands have.
    fn unaccounted(&self) -> Option<String> {
        let (what, why) = match (self.answer.absent.get("cpu"), self.answer.absent.get("user")) {
            (Some(why), _) => ("user, sys, CPU and memory", why),
            (None, Some(why)) => ("user, sys and memory", why),
            (None, None) => return None,
        };
        Some(format!("{what} are {}", why.replace("`cgroup = \"always\"`", "`--cgroup`")))
    }
}

/// All outliers in one line, with their most frequent cause.
fn outliers_line(all: &[CommandResult]) -> Option<String> {
    let outliers: Vec<_> = all.iter().flat_map(|standing| &standing.outliers).collect();
    let number = outliers.len();
    let mut kinds: Vec<(usize, &str)> = Vec::new();
    for outlier in &outliers {
        let Some(kind) = outlier.causes.first().map(outlier_causes::OutlierCause::kind) else {
            continue;
        };
        match kinds.iter_mut().find(|(_, known)| *known == kind) {
            Some((count, _)) => *count += 1,
            None => kinds.push((1, kind)),
        }
    }
    let line = text::count(number, "outlier");
    let cause = match kinds.into_iter().max_by_key(|(count, _)| *count) {
        None => "no cause seen".to_owned(),
        Some((count, kind)) if count == number => kind.to_owned(),
        Some((count, kind)) => format!("{count} of them {kind}"),
    };
    (number > 0).then(|| format!("{line}, {cause}"))
}

/// The farthest outliers, with their causes.
fn tell_outliers(name: &str, standing: &CommandResult) {
    let mut far: Vec<_> = standing.outliers.iter().collect();
    far.sort_by(|one, other| other.score.abs().total_cmp(&one.score.abs()));
    let Some(first) = far.first() else { return };
    let number = text::count(far.len(), "outlier");
    let line = |it: &outlier_causes::OutlierExplanation| {
        outlier(it.place.round, it.ratio, &outlier_causes::line(&it.causes))
    };
    if far.len() == 1 {
        return output::note("note", &format!("`{name}`: 1 outlier, {}", line(first)));
    }
    output::note("note", &format!("`{name}`: {number}, the farthest:"));
    far.iter().take(OUTLIERS).for_each(|outlier| output::note_more(&line(outlier)));
}

/// That nothing shows that it works below a limit.
fn tell_refusal(name: &str, standing: &CommandResult) {
    let (option, what) = match standing.refused {
        Some(Limit::AddressSpace) => {
            ("--limit-address-space", "the limit, which may be too low for the command to start")
        }
        // Memory is in use only once a program was started.
        Some(Limit::Memory) => {
            ("--limit-memory", "the limit: the command may not work with so little memory")
        }
        _ => return,
    };
    output::note("warning", &format!("`{name}`: all executions reached {what}"));
    output::note("hint", &format!("`{option}` takes a higher one"));
}

fn tell_failure(name: &str, standing: &CommandResult) {
    let Some((why, printed)) = &standing.failure else { return };
    let number = text::count(standing.failed, "execution");
    let what = match why.strip_prefix("`setup`") {
        Some(_) => format!("not executed: {why}"),
        None => format!("{number} failed; the first: {why}"),
    };
    output::note("error", &format!("`{name}`: {what}"));
    for line in text::last_lines(printed, OUTPUT_LINES) {
        output::aside(&format!("  | {line}"));
    }
    if why == NOT_FOUND {
        output::note("hint", "a shell exits with 127 where it does not find the program");
    }
}
