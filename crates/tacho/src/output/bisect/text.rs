//! The report of a bisection.

use std::fmt::Write;

use tacho_experiment::absent_program;
use tacho_record::Bisection;
use tacho_record::bisection::{
    BisectionEnd, BisectionRequest, BisectionState, Culprit, UndecidedReason, UnusableKind,
    UnusableRevision,
};

use tacho_report::bisection::{
    Ladder, LadderRow, alike, around_it, changed_by, changed_subject, constant, cost, cpu_change,
    culprit_line, headline, level_of, likely, name, not_reproduced, probes, ratios, retry, sides,
    size_remark, stage, suspects, then, undecided, unit, unseen, unusable_line, verified_with,
    whole_cost,
};
use tacho_report::block::{AnswerCell, AnswerNote, AnswerTable, Block, NoteKind};

use super::commit;
use crate::output::blocks;
use crate::output::table::{fits, hide, plain, render};
use crate::output::text::{self, day, wrap};
use crate::output::{table_width, terminal_width};

/// At most this many suspects are listed one by one.
const LISTED: usize = 20;

/// The lead for a culprit whose effect depends on more than the source.
const DEPENDS: &str = "verified, but the effect depends on the machine or the layout of the \
                       program:";

/// All that is to be said of it.
///
/// `interrupted`: the command that resumes it, if it was interrupted.
pub fn text(bisection: &Bisection, interrupted: Option<&str>) -> String {
    let prose = |parts: Vec<Vec<Block>>| {
        parts.iter().map(|part| blocks::terminal(part)).collect::<Vec<_>>()
    };
    let parts = [
        prose(answer(bisection)),
        prose(vec![beside(bisection), around(bisection)]),
        vec![ladder(bisection, Some(table_width()))],
        prose(vec![unusable(bisection)]),
        vec![account(bisection, interrupted, terminal_width())],
    ];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n")
}

/// The report for the author of the commit: without hints, and with the command.
pub fn markdown(bisection: &Bisection) -> String {
    let is_for_author =
        |block: &Block| !matches!(block, Block::Note(note) if note.kind == NoteKind::Hint);
    let prose = |parts: Vec<Vec<Block>>| {
        let blocks: Vec<Block> = parts.into_iter().flatten().filter(is_for_author).collect();
        blocks::markdown(&blocks, |prose| prose_in_markdown(prose, bisection))
    };
    let mut first = answer(bisection);
    first.extend([beside(bisection), around(bisection)]);
    let parts = [
        prose(first),
        ladder_in_markdown(bisection),
        prose(vec![unusable(bisection)]),
        format!(
            "Measured on {} with tacho {}: {}",
            text::markdown(&bisection.host),
            env!("CARGO_PKG_VERSION"),
            code(&bisection.command()),
        ),
    ];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n") + "\n"
}

/// Prose as Markdown, in which the name of what is bisected is code.
fn prose_in_markdown(prose: &str, bisection: &Bisection) -> String {
    let asked = &bisection.asked;
    let name = asked.test.clone().unwrap_or_else(|| asked.benchmark.to_string());
    let (typed, code) = (format!("`{name}`"), text::markdown_code(&name));
    prose.split(&typed).map(text::markdown).collect::<Vec<_>>().join(&code)
}

/// As code: in the line where it can be.
fn code(text: &str) -> String {
    if text.contains(['`', '\n']) {
        format!("\n\n~~~sh\n{text}\n~~~")
    } else {
        format!("`{text}`.")
    }
}

/// The notes on the range besides the culprits.
fn around(bisection: &Bisection) -> Vec<Block> {
    around_it(bisection).into_iter().map(Block::Note).collect()
}

/// A note of what to do.
fn hint(text: impl Into<String>) -> Block {
    Block::Note(AnswerNote::hint(text.into()))
}

/// How it ended, first of all; what was named, each by itself.
fn answer(bisection: &Bisection) -> Vec<Vec<Block>> {
    let standing = &bisection.standing;
    match standing.found {
        Some(found @ (BisectionEnd::Verified | BisectionEnd::DependsOnMachine)) => {
            let depends = (found == BisectionEnd::DependsOnMachine).then_some(DEPENDS);
            let mut all = culprits(bisection, depends);
            let is_less = |it: &Culprit| !bisection.asked.is_reached_by(it.effect.estimate);
            if standing.culprits.iter().all(is_less)
                && let Some(last) = all.last_mut()
            {
                last.extend(reverted(bisection).map(hint));
            }
            for (named, culprit) in all.iter_mut().zip(standing.culprits_by_place()) {
                named.extend(more_to_spend(bisection, culprit).map(hint));
            }
            all
        }
        Some(BisectionEnd::NotReproduced) => vec![nothing_changed(bisection)],
        Some(BisectionEnd::Undecided { reason }) => {
            let [why, what_helps] = undecided(bisection, reason);
            let mut first = vec![Block::Lead(headline(bisection, reason, &why))];
            first.extend(possible(bisection, reason));
            first.push(hint(missing_program(bisection, reason).unwrap_or(what_helps)));
            [vec![first], so_far(bisection)].concat()
        }
        None => {
            let lead = Block::Lead(format!("not finished yet: {}", stage(standing.stage)));
            let first = vec![lead, Block::Item(super::live::belief(bisection))];
            [vec![first], so_far(bisection)].concat()
        }
    }
}

/// The verified culprits of an unfinished bisection.
fn so_far(bisection: &Bisection) -> Vec<Vec<Block>> {
    culprits(bisection, Some("named and verified so far:"))
}

/// The note if the budget did not suffice for the revisions left out right before this culprit.
fn more_to_spend(bisection: &Bisection, culprit: &Culprit) -> Option<String> {
    let (asked, standing) = (&bisection.asked, &bisection.standing);
    if bisection.others(culprit).left_out == 0 {
        return None;
    }
    let seconds = standing.building + standing.executing;
    let option = if asked.own_builds().is_some_and(|most| standing.builds >= most) {
        "--max-builds"
    } else if asked.own_budget().is_some_and(|budget| seconds >= budget) {
        "--budget"
    } else {
        return None;
    };
    Some(format!("with a larger `{option}`, the same command searches the commits before this one"))
}

/// All commits that did it, below what is said first of them.
fn culprits(bisection: &Bisection, lead: Option<&str>) -> Vec<Vec<Block>> {
    let all = bisection.standing.culprits_by_place().into_iter();
    let mut all: Vec<Vec<Block>> = all.map(|it| culprit(bisection, it)).collect();
    if let (Some(first), Some(lead)) = (all.first_mut(), lead) {
        first.insert(0, Block::Lead(lead.to_owned()));
    }
    all
}

/// Says that a bisection named this revision, and for which metric.
pub fn named_line(bisection: &Bisection, revision: &str) -> Option<String> {
    let place = bisection.place(revision);
    let culprit = bisection.standing.culprits.iter().find(|it| Some(it.place) == place)?;
    let (line, name) = (culprit_line(bisection, culprit), &bisection.name);
    Some(format!("named by a bisection: {line}: `tacho bisect log {name}`"))
}

/// Says that a bisection measured this revision, and its finding there.
pub fn measured_line(bisection: &Bisection, revision: &str) -> Option<String> {
    let place = bisection.place(revision)?;
    let rung = bisection.standing.ladder.iter().find(|rung| rung.is_built_at(place))?;
    let (name, level) = (&bisection.name, level_of(bisection, rung));
    Some(format!("measured in bisection {name}: {}, {level}", changed_subject(bisection)))
}

/// A commit that did it.
fn culprit(bisection: &Bisection, culprit: &Culprit) -> Vec<Block> {
    let candidate = &bisection.candidates[culprit.place];
    let (author, others) = (&candidate.revision.author, bisection.others(culprit).words());
    let one_of = if others.is_some() { " that it is one of these" } else { "" };
    let merge = "the merge itself, compared with its commits merged one after the other";
    let items = [
        (!author.is_empty()).then(|| format!("by {author}")),
        others.map(|others| format!("or {others}")),
        bisection.is_merge_itself(culprit.place).then(|| merge.to_owned()),
        candidate.surprise().map(str::to_owned),
        Some(changed_by(bisection, culprit)),
        size_remark(bisection, culprit),
        Some(format!(
            "{} likely{one_of}; {}",
            likely(culprit.posterior),
            verified_with(bisection, culprit),
        )),
    ];
    let number = bisection.standing.culprits.iter().position(|it| it == culprit);
    let probes = number.map_or_else(Vec::new, |number| probes(bisection, number));
    let items = items.into_iter().flatten().chain(probes).map(Block::Item);
    std::iter::once(Block::Lead(commit(candidate))).chain(items).collect()
}

fn nothing_changed(bisection: &Bisection) -> Vec<Block> {
    let (asked, standing) = (&bisection.asked, &bisection.standing);
    let mut blocks = vec![Block::Lead(not_reproduced(bisection))];
    let mut say = |line: String| blocks.push(Block::Item(line));
    let (first, last) = standing.ends;
    let same_program = standing.ladder.is_empty();
    if same_program || standing.ladder.iter().any(|rung| rung.is_of(first) && rung.is_of(last)) {
        say("both built to the same artifacts: they are the same program".to_owned());
    }
    if let (true, true, Some(gap)) =
        (same_program, asked.all, asked.all_gap(bisection.candidates.len()))
    {
        say(format!("all builds in between had the same artifacts, too{}", unseen(gap)));
    }
    cpu_change(bisection).into_iter().for_each(&mut say);
    constant(bisection).into_iter().for_each(&mut say);
    if let Some(then) = then(bisection) {
        say(format!("the ends {then}"));
        say("so the machine, the toolchain or the input changed, not the program".into());
    }
    let always = bisection.constant();
    if always.as_ref().is_some_and(|always| always.fails) {
        blocks.extend(whole_checkout(asked).map(hint));
    } else if let (Some(_), Some((less, executions))) = (always, rarer(asked.least)) {
        blocks.push(hint(format!(
            "`--min-effect {less}%` looks for smaller changes, with at least {executions} \
             executions of each end"
        )));
    }
    blocks.extend(reverted(bisection).map(hint));
    blocks
}

/// The advice where the ends hardly differ. With `--all` it is below the revisions between.
fn reverted(bisection: &Bisection) -> Option<&'static str> {
    (bisection.candidates.len() > 2 && !bisection.asked.all).then_some(
        "a change that was reverted within the range is not seen: use `--all`, or name a revision \
         in between",
    )
}

/// The advice for a command that always fails: it may lack files that the build does not keep.
fn whole_checkout(asked: &BisectionRequest) -> Option<String> {
    let whole = match &asked.typed {
        None => "`artifacts = [\".\"]` keeps all of it",
        Some(typed) if typed.artifacts.is_empty() => return None,
        Some(_) => "without `--artifact`, all of it is kept",
    };
    Some(format!(
        "the command is executed in the folder of the build's artifacts, without the rest of the \
         checkout; {whole}"
    ))
}

/// A quarter of a rate, in percent, and how often each end is executed to exclude that; `None`
/// below 1 %.
fn rarer(least: f64) -> Option<(f64, usize)> {
    let less = (least * 25.0).ceil().max(1.0);
    (less < least * 100.0).then(|| (less, BisectionRequest::executions_to_exclude(less / 100.0)))
}

/// The commits that it may be.
fn possible(bisection: &Bisection, reason: UndecidedReason) -> Vec<Block> {
    let Some(line) = suspects(bisection, reason) else { return Vec::new() };
    let all = &bisection.standing.suspects;
    let mut places: Vec<usize> = all.iter().flat_map(|it| it.first..=it.last).collect();
    places.sort_unstable();
    std::iter::once(Block::Sentence(line)).chain(listed(bisection, &places)).collect()
}

/// A commit a line.
fn listed(bisection: &Bisection, places: &[usize]) -> Vec<Block> {
    let first = places.iter().take(LISTED).map(|place| commit(&bisection.candidates[*place]));
    let more = places
        .last()
        .filter(|_| places.len() > LISTED)
        .map(|last| format!("… {} more, up to {}", places.len() - LISTED, name(bisection, *last)));
    first.chain(more).map(Block::Item).collect()
}

/// The advice if no end can be built because of a missing program, whose name may be mistyped.
fn missing_program(bisection: &Bisection, reason: UndecidedReason) -> Option<String> {
    let first = bisection.standing.unusable.first();
    let first = first.filter(|it| it.lack.kind == UnusableKind::NotBuilt)?;
    let absent = (reason == UndecidedReason::Command).then(|| absent_program(&first.lack.why));
    absent?
}

/// The results on the sides of culprits, if all changes were requested.
fn beside(bisection: &Bisection) -> Vec<Block> {
    let of = |(line, suspects): (String, Vec<usize>)| {
        std::iter::once(Block::Sentence(line)).chain(listed(bisection, &suspects))
    };
    // The advice for the first undecided side.
    let open = bisection.standing.sides.iter().find_map(|side| match side.found {
        BisectionEnd::Undecided { reason } => Some(undecided(bisection, reason)[1].clone()),
        _ => None,
    });
    sides(bisection).into_iter().flat_map(of).chain(open.map(hint)).collect()
}

/// All revisions that were measured; with too little room, the remark on each is in a line below
/// it.
fn ladder(bisection: &Bisection, width: Option<usize>) -> String {
    let table = Ladder::of(bisection);
    if table.rows.is_empty() {
        return String::new();
    }
    let heads = table.heads.each_ref().map(String::as_str);
    let mut whole = plain(&heads, &[2, 3, 4]);
    let mut narrow = plain(&heads[..6], &[2, 3, 4]);
    for row in &table.rows {
        let cells = cells(row);
        narrow.add_row(cells[..5].iter().map(String::as_str).chain([row.mark]));
        whole.add_row(cells);
    }
    if !table.has_host() {
        hide(&mut whole, &[6]);
    }
    let whole = render(&whole);
    if fits(&whole, width) {
        return whole;
    }
    let below = |row: &LadderRow<'_>| {
        let host = Some(&row.host).filter(|host| !host.is_empty());
        let host = host.map_or_else(String::new, |host| format!("the host meanwhile: {host}"));
        let words = [&*row.same, &*host].into_iter().filter(|it| !it.is_empty());
        let words = words.collect::<Vec<_>>().join("; ");
        if words.is_empty() { words } else { format!("    {words}\n") }
    };
    let below = [String::new()].into_iter().chain(table.rows.iter().map(below));
    render(&narrow).lines().zip(below).map(|(row, below)| format!("{row}\n{below}")).collect()
}

fn cells(row: &LadderRow<'_>) -> [String; 7] {
    let words = format!("{} {}", row.mark, row.same).trim().to_owned();
    let [samples, level, margin, host] =
        [&row.samples, &row.level, &row.margin, &row.host].map(Clone::clone);
    let (name, date) = (row.revision.short().to_owned(), day(row.revision.date));
    [name, date, samples, level, margin, words, host]
}

/// All revisions that were measured, in Markdown.
fn ladder_in_markdown(bisection: &Bisection) -> String {
    let table = Ladder::of(bisection);
    let rows: Vec<_> =
        table.rows.iter().map(|row| cells(row).map(AnswerCell::from).into()).collect();
    let heads = table.heads.each_ref().map(String::as_str);
    let table = Block::Table(AnswerTable::of(&heads, &(2..5), rows));
    if bisection.standing.ladder.is_empty() {
        return String::new();
    }
    blocks::markdown(&[table], str::to_owned).trim_end().to_owned() + "\n"
}

/// The revisions that could not be measured, with the reasons.
fn unusable(bisection: &Bisection) -> Vec<Block> {
    let groups = alike(bisection);
    let line = |group: &&[UnusableRevision]| unusable_line(bisection, group);
    let more: usize = groups.iter().skip(LISTED).map(|group| group.len()).sum();
    let more = (more > 0).then(|| format!("… {more} more could not be measured"));
    let hints = [retry(bisection), ratios(bisection), unit(bisection)].into_iter().flatten();
    let lines = groups.iter().take(LISTED).map(line).chain(more).map(Block::Sentence);
    lines.chain(hints.map(hint)).collect()
}

/// The cost, and the command that repeats or resumes it.
fn account(bisection: &Bisection, interrupted: Option<&str>, width: Option<usize>) -> String {
    let BisectionState { samples, executing, .. } = bisection.standing;
    let around = whole_cost(bisection).map_or_else(String::new, |all| format!(" ({all})"));
    // The store of the plan has no run of what was typed, or another one of that number.
    let run = bisection.asked.typed.is_none().then(|| format!("run {} ", bisection.run));
    let (took, run) = (cost(bisection).join(", "), run.unwrap_or_default());
    let mut text = format!("{took}{around}; {run}on {}\n", bisection.host);
    if let Some(goes_on) = interrupted {
        let _ = writeln!(text, "interrupted: {goes_on} resumes");
        return wrap(&text, width);
    }
    let apart = if bisection.asked.typed.is_some() {
        "; a plan's `tacho log`, `changes` and pages leave it out"
    } else {
        ""
    };
    let _ = writeln!(text, "`tacho bisect log {}` shows each step{apart}", bisection.name);
    // If no build succeeded, only another attempt gives samples; after a short budget, more time.
    let is_undecided = matches!(bisection.standing.found, Some(BisectionEnd::Undecided { .. }));
    if samples == 0 && executing == 0.0 && is_undecided {
        return wrap(&text, width);
    }
    let (next, again) = match bisection.standing.found {
        Some(_) => ("bisect once more, with fresh samples", " --again"),
        None => ("the same command resumes", ""),
    };
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
