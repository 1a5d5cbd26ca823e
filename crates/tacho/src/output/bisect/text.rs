//! The report of a bisection, for the terminal.

use std::fmt::Write;
use std::time::Duration;

use tacho_record::Bisection;
use tacho_record::bisection::{
    BisectionEnd, BisectionRequest, BisectionState, Culprit, TestedRevision,
};

use tacho_report::bisection::{
    alike, around_it, constant, culprit_line, effect, effect_between, failure_of, headline,
    level_of, likely, name, not_reproduced, probes, ratios, retry, sides, small, stage, stretch,
    subject, suspected, then, undecided, unit, within,
};
use tacho_report::block::{AnswerNote, Block};

use super::commit;
use crate::output::blocks;
use crate::output::table::{fits, plain, render};
use crate::output::text::{self, count, day, duration, wrap};
use crate::output::{table_width, terminal_width};

/// So many suspects are listed one by one.
const LISTED: usize = 20;

/// What is said first of what depends on more than the source.
const DEPENDS: &str = "verified, but it depends on the machine or the layout of the program:\n";

/// All that is to be said of it.
///
/// `interrupted`: with what it goes on, if it was.
pub fn text(bisection: &Bisection, interrupted: Option<&str>) -> String {
    let width = terminal_width();
    let parts = [
        wrap(&answer(bisection), width),
        wrap(&beside(bisection), width),
        lines(&around_it(bisection)),
        ladder(bisection, Some(table_width())),
        wrap(&unusable(bisection), width),
        account(bisection, interrupted, width),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A note a line.
fn lines(notes: &[AnswerNote]) -> String {
    blocks::terminal(&notes.iter().cloned().map(Block::Note).collect::<Vec<_>>())
}

/// How it ended, first of all.
fn answer(bisection: &Bisection) -> String {
    let standing = &bisection.standing;
    match standing.found {
        Some(found @ (BisectionEnd::Verified | BisectionEnd::DependsOnMachine)) => {
            let depends = if found == BisectionEnd::DependsOnMachine { DEPENDS } else { "" };
            depends.to_owned() + &culprits(bisection) + more_to_spend(bisection)
        }
        Some(BisectionEnd::NotReproduced) => nothing_changed(bisection),
        Some(BisectionEnd::Undecided { reason }) => {
            let [why, hint] = undecided(bisection, reason);
            let first = headline(bisection, &why);
            format!("{first}\n{}hint: {hint}\n{}", suspects(bisection), so_far(bisection))
        }
        None => {
            let belief = super::live::belief(bisection);
            format!("not finished yet: {}\n{belief}{}", stage(standing.stage), so_far(bisection))
        }
    }
}

/// What is verified although it is not over.
fn so_far(bisection: &Bisection) -> String {
    match bisection.standing.culprits.len() {
        0 => String::new(),
        _ => format!("\nnamed and verified so far:\n{}", culprits(bisection)),
    }
}

/// Where nothing was left for what was left out right before a culprit.
fn more_to_spend(bisection: &Bisection) -> &'static str {
    let (asked, standing) = (&bisection.asked, &bisection.standing);
    let left_out = standing.culprits.iter().any(|culprit| bisection.others(culprit).left_out > 0);
    let seconds = standing.building + standing.executing;
    let no_time = asked.own_budget().is_some_and(|budget| seconds >= budget);
    match (left_out, asked.own_builds().is_some_and(|most| standing.builds >= most)) {
        (true, true) => {
            "hint: with a larger `--max-builds`, the same command goes on among the commits \
             before it\n"
        }
        (true, false) if no_time => {
            "hint: with a larger `--budget`, the same command goes on among the commits before it\n"
        }
        _ => "",
    }
}

/// All commits that did it.
fn culprits(bisection: &Bisection) -> String {
    let all = bisection.standing.culprits.iter();
    all.map(|it| culprit(bisection, it)).collect::<Vec<_>>().join("\n")
}

/// That a bisection named this revision, and for what.
pub fn named_line(bisection: &Bisection, revision: &str) -> String {
    let place = bisection.place(revision);
    let Some(culprit) = bisection.standing.culprits.iter().find(|it| Some(it.place) == place)
    else {
        return String::new();
    };
    let (line, name) = (culprit_line(bisection, culprit), &bisection.name);
    format!("  named by a bisection: {line}: `tacho bisect log {name}`\n")
}

/// A commit that did it.
pub fn culprit(bisection: &Bisection, culprit: &Culprit) -> String {
    let candidate = &bisection.candidates[culprit.place];
    let mut text = format!("{}\n", commit(candidate));
    let others = bisection.others(culprit).words();
    if let Some(others) = &others {
        let _ = writeln!(text, "  or {others}");
    }
    if bisection.is_merge_itself(culprit.place) {
        text.push_str(
            "  the merge itself, against all that it brought, merged one after the other\n",
        );
    }
    if let Some(surprise) = candidate.surprise() {
        let _ = writeln!(text, "  {surprise}");
    }
    if !candidate.revision.author.is_empty() {
        let _ = writeln!(text, "  by {}", candidate.revision.author);
    }
    let _ = writeln!(
        text,
        "  changed {} by {}",
        subject(&bisection.asked),
        effect_between(bisection, [culprit.parent_place, culprit.place], &culprit.effect)
    );
    if let Some(small) = small(bisection, culprit) {
        let _ = writeln!(text, "  which is {small}");
    }
    let beside = match culprit.neighbours {
        0 => String::new(),
        some => format!(", and beside {}", count(some, "neighbour")),
    };
    let pairs = count(culprit.pairs, "fresh pair");
    let one_of = if others.is_some() { " that it is one of these" } else { "" };
    let _ = writeln!(
        text,
        "  {} likely{one_of}; verified in {pairs} with {}{beside}",
        likely(culprit.posterior),
        name(bisection, culprit.parent_place),
    );
    let number = bisection.standing.culprits.iter().position(|it| it == culprit);
    for line in number.map_or_else(Vec::new, |number| probes(bisection, number)) {
        let _ = writeln!(text, "  {line}");
    }
    text
}

fn nothing_changed(bisection: &Bisection) -> String {
    let asked = &bisection.asked;
    let mut text = format!("{}\n", not_reproduced(bisection));
    let same_program = bisection.standing.ladder.is_empty() && bisection.standing.builds > 0;
    if same_program {
        text.push_str("  both built to the same artifacts: they are the same program\n");
    }
    if let (true, true, Some(gap)) =
        (same_program, asked.all, asked.all_gap(bisection.candidates.len()))
    {
        let unseen = match gap {
            0 => String::new(),
            some => format!("; what came and went again within {some} commits would not be seen"),
        };
        let _ = writeln!(text, "  so did all that were built in between{unseen}");
    }
    if let Some(cpu) = &bisection.standing.cpu {
        let by = effect(bisection, cpu);
        let _ = writeln!(
            text,
            "  the CPU time of the same samples differs by {by}: other work moves it less"
        );
    }
    if let Some(constant) = constant(bisection) {
        let _ = writeln!(text, "  {constant}");
    }
    if let (Some(_), Some((less, executions))) = (bisection.constant(), rarer(asked.least)) {
        let _ = writeln!(
            text,
            "hint: `--min-effect {less}%` asks for less, with {executions} executions of each or \
             more"
        );
    }
    if let Some(then) = then(bisection) {
        let _ = writeln!(text, "  they {then}");
        text.push_str(
            "  so it is the machine, the toolchain or the input that moved, not the program\n",
        );
    }
    // With `--all` it stands below what was looked at in between.
    if bisection.candidates.len() > 2 && !asked.all {
        text.push_str(
            "hint: what was changed and changed back in between does not show at the ends: \
             `--all` looks there, or name one in between\n",
        );
    }
    text
}

/// A quarter of a rate, in percent, and how often each end is executed to exclude that; nothing
/// below 1 %.
fn rarer(least: f64) -> Option<(f64, usize)> {
    let less = (least * 25.0).ceil().max(1.0);
    (less < least * 100.0).then(|| (less, BisectionRequest::executions_to_exclude(less / 100.0)))
}

/// The commits that it may be.
fn suspects(bisection: &Bisection) -> String {
    let all = &bisection.standing.suspects;
    let number = suspected(all);
    if number == 0 {
        return String::new();
    }
    let text = match number {
        1 => "with 95 % it is this commit:\n".to_owned(),
        _ => format!("with 95 % it is among {}:\n", count(number, "commit")),
    };
    let mut places: Vec<usize> = all.iter().flat_map(|it| it.first..=it.last).collect();
    places.sort_unstable();
    text + &listed(bisection, &places)
}

/// A commit a line.
fn listed(bisection: &Bisection, places: &[usize]) -> String {
    let mut text = String::new();
    for place in places.iter().take(LISTED) {
        let _ = writeln!(text, "  {}", commit(&bisection.candidates[*place]));
    }
    if places.len() > LISTED {
        let last = places.last().map_or_else(String::new, |last| name(bisection, *last));
        let _ = writeln!(text, "  … {} more, up to {last}", places.len() - LISTED);
    }
    text
}

/// What came of the sides of culprits, where all changes were asked for.
fn beside(bisection: &Bisection) -> String {
    let mut text = String::new();
    for (line, suspects) in sides(bisection) {
        let _ = writeln!(text, "{line}");
        text.push_str(&listed(bisection, &suspects));
    }
    if let Some(hint) = open_hint(bisection) {
        let _ = writeln!(text, "hint: {hint}");
    }
    text
}

/// What may be done about the first side that is undecided.
fn open_hint(bisection: &Bisection) -> Option<String> {
    bisection.standing.sides.iter().find_map(|side| match side.found {
        BisectionEnd::Undecided { reason } => Some(undecided(bisection, reason)[1].clone()),
        _ => None,
    })
}

/// All revisions that were measured; where there is too little room, what is said of each is in a
/// line below it.
fn ladder(bisection: &Bisection, width: Option<usize>) -> String {
    let standing = &bisection.standing;
    if standing.ladder.is_empty() {
        return String::new();
    }
    let rungs: Vec<LadderRow> =
        standing.ladder.iter().map(|rung| LadderRow::of(bisection, rung)).collect();
    let mut heads = vec!["revision", "date", "samples", "level", "", ""];
    heads.extend(rungs.iter().any(|it| !it.host.is_empty()).then_some("the host meanwhile"));
    let mut table = plain(&heads, &[2, 3, 4]);
    for rung in &rungs {
        let words = format!("{} {}", rung.mark, rung.same).trim().to_owned();
        let cells = rung.cells.iter().cloned().chain([words, rung.host.clone()]);
        table.add_row(cells.take(heads.len()));
    }
    let whole = render(&table);
    if fits(&whole, width) {
        return whole;
    }
    let mut table = plain(&heads[..6], &[2, 3, 4]);
    for rung in &rungs {
        table.add_row(rung.cells.iter().cloned().chain([rung.mark.to_owned()]));
    }
    let rows = render(&table);
    let below = [String::new()].into_iter().chain(rungs.iter().map(LadderRow::below));
    rows.lines().zip(below).map(|(row, below)| format!("{row}\n{below}")).collect()
}

/// What is said of a revision that was measured.
struct LadderRow {
    /// Its name, date, number of samples, level and how far that may be off.
    cells: [String; 5],
    /// An arrow where it is named.
    mark: &'static str,
    /// Which others are the same program.
    same: String,
    /// What the host did meanwhile.
    host: String,
}

impl LadderRow {
    fn of(bisection: &Bisection, rung: &TestedRevision) -> Self {
        let revision = &bisection.candidates[rung.place].revision;
        let error = within(bisection, rung.error)
            .filter(|_| !rung.is_bound)
            .map_or_else(String::new, |error| format!("± {error}"));
        let is_named = bisection.standing.culprits.iter().any(|it| it.place == rung.place);
        let same = match rung.same_to - rung.place {
            0 => String::new(),
            more => format!("and {} after it, the same program", count(more, "commit")),
        };
        let cells = [
            revision.short().to_owned(),
            day(revision.date),
            rung.samples.to_string(),
            level_of(bisection, rung),
            error,
        ];
        let host = rung.beside.map_or_else(String::new, |beside| beside.line());
        Self { cells, mark: if is_named { "←" } else { "" }, same, host }
    }

    /// What is said of it, in a line of its own.
    fn below(&self) -> String {
        let words: Vec<&str> =
            [&*self.same, &*self.host].into_iter().filter(|it| !it.is_empty()).collect();
        if words.is_empty() { String::new() } else { format!("    {}\n", words.join("; ")) }
    }
}

fn unusable(bisection: &Bisection) -> String {
    let groups = alike(bisection);
    let mut text = String::new();
    for group in groups.iter().take(LISTED) {
        let names = stretch(bisection, group, "");
        let _ = writeln!(text, "{names} {}", failure_of(group));
    }
    let more: usize = groups.iter().skip(LISTED).map(|group| group.len()).sum();
    if more > 0 {
        let _ = writeln!(text, "… {more} more could not be measured");
    }
    for hint in [retry(bisection), ratios(bisection), unit(bisection)].into_iter().flatten() {
        let _ = writeln!(text, "hint: {hint}");
    }
    text
}

/// What it took, and how it is repeated or gone on with.
fn account(bisection: &Bisection, interrupted: Option<&str>, width: Option<usize>) -> String {
    let BisectionState { builds, samples, building, executing, .. } = bisection.standing;
    let time =
        |seconds: f64| duration(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default());
    let around = bisection.asked.spent.map_or_else(String::new, |spent| {
        let all = spent.and(&bisection.standing);
        let took = time(all.building + all.executing);
        format!(
            " (with those before it {} and {} in {took})",
            count(all.builds, "build"),
            count(all.samples, "sample")
        )
    });
    let building = match builds {
        0 => "no builds".to_owned(),
        builds => format!("{} in {}", count(builds, "build"), time(building)),
    };
    let mut text = format!(
        "{building}, {} in {}{around}; run {} on {}\n",
        count(samples, "sample"),
        time(executing),
        bisection.run,
        bisection.host,
    );
    if let Some(goes_on) = interrupted {
        let _ = writeln!(text, "interrupted: nothing is lost, {goes_on} goes on");
        return wrap(&text, width);
    }
    let (next, again) = match bisection.standing.found {
        Some(_) => ("once more, with fresh samples", " --again"),
        None => ("the same command goes on", ""),
    };
    let _ = writeln!(text, "`tacho bisect log {}` shows each step", bisection.name);
    let command = format!("{}{again}", bisection.command());
    let columns = table_width();
    let line = format!("{next}: {command}\n");
    let last = if line.chars().count() <= columns {
        line
    } else {
        format!("{next}:\n  {}\n", text::command(&command, columns.saturating_sub(2)))
    };
    wrap(&text, width) + &last
}
