//! The documents say what is so: their commands exist, their numbers are the code's, generated ones
//! are fresh.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tacho_experiment::analysis::outlier_causes;
use tacho_experiment::bench;
use tacho_experiment::changes;
use tacho_experiment::run::quiet;
use tacho_experiment::run::quiet_limits;
use tacho_stats::changes::ledger;
use tacho_stats::outlier;

use crate::harness::Project;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The pages of the book, in its order, by their path in the repository.
fn pages() -> Vec<String> {
    let link = regex::Regex::new(r"\]\(([^)]+\.md)\)").unwrap();
    let summary = document("docs/src/SUMMARY.md");
    link.captures_iter(&summary).map(|found| format!("docs/src/{}", &found[1])).collect()
}

/// What a reader meets: the first pages of the repository, and the book.
fn documents() -> Vec<String> {
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        .map(str::to_owned)
        .into_iter()
        .chain(pages())
        .collect()
}

/// All pages of one part of the book, as one text with single spaces: a rule may go over several
/// lines.
fn part(folder: &str) -> String {
    let pages = pages().into_iter().filter(|page| page.contains(folder));
    let words: Vec<String> = pages
        .flat_map(|page| document(&page).split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    words.join(" ")
}

/// The lines of all `console` blocks that begin with `$ tacho`, and of those to be pasted, where a
/// plan is there already.
fn commands(text: &str) -> Vec<String> {
    let command = |line: &str, prefix: &str| {
        let command = line.strip_prefix(prefix)?;
        (!command.starts_with("init")).then(|| command.to_owned())
    };
    let of = |block: &str| -> Vec<String> {
        let prefix = if block.starts_with("console\n") { "$ tacho " } else { "tacho " };
        let is_meant = prefix == "$ tacho " || block.starts_with("sh\n");
        block.lines().filter(|_| is_meant).filter_map(|line| command(line, prefix)).collect()
    };
    text.split("```").skip(1).step_by(2).flat_map(of).collect()
}

#[test]
fn every_command_of_the_documents_is_understood() {
    let numbers = "commit,parse\n".to_owned()
        + &(0..20).map(|n| format!("c{n},10.{}\n", n % 7)).collect::<String>();
    let project = Project::scripts(12).tag("v1.0").file("numbers.csv", &numbers);
    let of =
        |name: String| commands(&document(&name)).into_iter().map(move |line| (name.clone(), line));
    for (name, line) in documents().into_iter().flat_map(of) {
        let line = line.split(" #").next().unwrap().trim();
        let words = shell_words::split(line).unwrap();
        let answer = project.command(words.iter().map(String::as_str)).output().unwrap();
        let stderr = String::from_utf8_lossy(&answer.stderr);
        // `changes` answers 1 where something got worse, which a noisy host may have it say.
        let statuses: &[i32] = if line.starts_with("changes") { &[0, 1] } else { &[0] };
        let is_answered = answer.status.code().is_some_and(|status| statuses.contains(&status));
        assert!(is_answered, "{name}: `tacho {line}`: {stderr}");
    }
}

#[test]
fn the_first_blocks_work_when_pasted() {
    for name in ["README.md", "docs/src/guide/start.md"] {
        let text = document(name);
        let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
        let make = "hello: hello.c\n\t$(CC) -o $@ hello.c\n";
        let begun = Project::repository().file("Makefile", make);
        let project = (1..=4).fold(begun, |project, n| {
            let source = format!("int main(void) {{ return 0 * {n}; }}\n");
            project.file("hello.c", &source).commit(&format!("change {n}"))
        });
        let mut executed = 0;
        for line in blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("tacho ")) {
            let words = shell_words::split(line.split(" #").next().unwrap()).unwrap();
            let answer = project.command(words.iter().map(String::as_str)).output().unwrap();
            let stderr = String::from_utf8_lossy(&answer.stderr);
            assert!(answer.status.success(), "{name}: `tacho {line}`: {stderr}");
            executed += 1;
        }
        assert!(executed > 2, "{name} has {executed} commands to paste");
    }
}

#[test]
fn every_option_named_in_the_documents_exists() {
    let project = Project::empty();
    let overview = project.tacho("--help").stdout;
    let listed = overview.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.map_while(|line| line.split_whitespace().next());
    let help: String = names.map(|name| project.tacho(&format!("{name} --help")).stdout).collect();
    let pattern = regex::Regex::new(r"`(?:tacho [a-z]+ )?(--[a-z][a-z-]+)").unwrap();
    for name in documents() {
        for found in pattern.captures_iter(&document(&name)) {
            assert!(help.contains(&found[1]), "{name} speaks of `{}`", &found[1]);
        }
    }
}

/// The anchor of a heading, as mdBook and GitHub make it.
fn anchor(heading: &str) -> String {
    let kept =
        heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn has_anchor(path: &Path, anchored: &str) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| line.trim_start_matches('#')).any(|heading| anchor(heading) == anchored)
}

#[test]
fn links_between_documents_lead_somewhere() {
    let pattern = regex::Regex::new(r"\]\(([^)#:]*)(?:#([^)]*))?\)").unwrap();
    for name in documents() {
        let path = root().join(&name);
        for found in pattern.captures_iter(&document(&name)) {
            let target = &found[1];
            let at =
                if target.is_empty() { path.clone() } else { path.parent().unwrap().join(target) };
            assert!(at.exists(), "{name} links to `{target}`");
            let anchored = found.get(2).map(|anchor| anchor.as_str());
            assert!(
                anchored.is_none_or(|it| has_anchor(&at, it)),
                "{name} links to `{}`",
                &found[0]
            );
        }
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let pages = pages();
    for folder in ["", "guide", "method", "formats"] {
        for entry in std::fs::read_dir(root().join("docs/src").join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_page =
                std::path::Path::new(&name).extension().is_some_and(|extension| extension == "md");
            let page = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let is_listed = name == "SUMMARY.md" || pages.contains(&format!("docs/src/{page}"));
            assert!(is_listed || !is_page, "docs/src/SUMMARY.md does not list `{page}`");
        }
    }
}

#[test]
fn the_method_states_the_constants_of_the_code() {
    let method = part("/method/");
    let give_up = format!("first {} executions fail", tacho_experiment::GIVE_UP_AFTER);
    let fewest = (1..100)
        .find(|&n| tacho_stats::Summary::of(&vec![1.0; n]).is_some_and(|s| s.interval.is_some()));
    let interval = format!("Below {} samples there is none", fewest.unwrap());
    let output = format!("longer than {} MiB", tacho_experiment::LONGEST_OUTPUT >> 20);
    let replicates = format!("more than {} replicates", tacho_experiment::MOST_REPLICATES);
    let false_share =
        format!("at most **{} %** are expected to be false", 100.0 * changes::FALSE_SHARE);
    let returned = format!("no more than {} % of the change is left", 100.0 * changes::RETURNED);
    let far_off = format!("above {} in size", outlier::OUTLIER_SCORE);
    let too_few = format!("Of fewer than {} samples none", outlier::OUTLIER_LEAST);
    let share = format!("at least {} % of the deviation", 100.0 * outlier_causes::LEAST_SHARE);
    let others = format!("{} CPU more of other processes", outlier_causes::OTHER_CPUS);
    let bench = [
        format!("{} % of the wall time", 100.0 * bench::SHELL_SHARE),
        format!("used {} CPU or more", tacho_experiment::analysis::host_load::LOADED),
        format!("kept {} % of the time", 100.0 * tacho_experiment::analysis::host_load::STOLEN),
        format!("among up to {} commands", bench::BEATEN_BY),
    ];
    let outliers = [far_off, too_few, share, others];
    let life = format!(
        "seen in {} analyses in a row, withdrawn when a provisional one is not seen in {} in a \
         row or a confirmed one not in {}",
        ledger::CONFIRM_AFTER,
        ledger::DROP_AFTER,
        ledger::WITHDRAW_AFTER
    );
    let catch_up = format!("made up for, {} at the most", changes::CATCH_UP);
    let quiet_host = [
        format!("observed for {} ms", quiet::LOOK.as_millis()),
        format!(
            "used more than {} CPU, or a hypervisor kept more than {} CPU",
            quiet_limits::OTHER_CPUS,
            quiet_limits::STEAL
        ),
        format!("in more than {} % of the time", 100.0 * quiet_limits::PRESSURE),
        format!("for memory in more than {} %", 100.0 * quiet_limits::MEMORY_PRESSURE),
        format!("at most {} times in a row", quiet::REPEATS),
    ];
    let rules = [give_up, interval, output, replicates, false_share, returned, life, catch_up];
    for rule in rules.into_iter().chain(outliers).chain(quiet_host).chain(bench) {
        assert!(method.contains(&rule), "no page of docs/src/method says `{rule}`");
    }
}

/// The terms of the glossary's first table.
fn glossary_terms() -> Vec<String> {
    let glossary = document("docs/src/glossary.md");
    let first = glossary.split("\n## ").next().unwrap();
    let rows = first.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    rows.map(|(term, _)| term.to_owned()).skip_while(|term| term != "artifact").collect()
}

/// All names in the sources of our crates, each in lower case with `_` between and around its
/// words; without comments and texts.
fn names_in_the_code() -> BTreeSet<String> {
    let left_out = regex::Regex::new(r#"//[^\n]*|"(?:[^"\\]|\\.)*""#).unwrap();
    let name = regex::Regex::new(r"[A-Za-z_]\w+").unwrap();
    let border = regex::Regex::new(r"([a-z0-9])([A-Z])").unwrap();
    let sources = glob::glob(root().join("crates/*/src/**/*.rs").to_str().unwrap()).unwrap();
    let mut names = BTreeSet::new();
    for source in sources {
        let text = std::fs::read_to_string(source.unwrap()).unwrap();
        for found in name.find_iter(&left_out.replace_all(&text, "")) {
            let words = border.replace_all(found.as_str(), "${1}_$2").to_lowercase();
            names.insert(format!("_{words}_"));
        }
    }
    names
}

#[test]
fn the_words_of_the_glossary_are_names_in_the_code() {
    // These are whole phrases of answers; the code has their parts.
    let phrases = ["noise floor", "temporary change", "valid at all times"];
    let (terms, names) = (glossary_terms(), names_in_the_code());
    assert!(terms.len() > 80, "{terms:?}");
    let has = |word: &str| names.iter().any(|name| name.contains(&format!("_{word}_")));
    let is_there = |term: &str| {
        let word = term.replace([' ', '-'], "_").to_lowercase();
        let stem = word.strip_suffix(['e', 'y']).unwrap_or(&word);
        let forms = [format!("{word}s"), format!("{stem}ed"), format!("{stem}ing")];
        has(&word) || forms.iter().any(|form| has(form))
    };
    let missing: Vec<&String> = terms.iter().filter(|term| !is_there(term)).collect();
    assert_eq!(missing, phrases);
}

#[test]
fn the_changelog_has_an_unreleased_section() {
    assert!(document("CHANGELOG.md").contains("\n## [Unreleased]\n"));
}

#[test]
fn numbers_that_a_chapter_found_are_in_what_its_study_printed() {
    let number = regex::Regex::new(r"[0-9][0-9,.]*").unwrap();
    let numbers = |text: &str| -> Vec<String> {
        number
            .find_iter(text)
            .map(|found| found.as_str().trim_end_matches(['.', ',']).to_owned())
            .collect()
    };
    for page in pages().iter().filter(|page| page.contains("/studies/S")) {
        let chapter = document(page);
        let printed = numbers(&document(&page.replace("/studies/S", "/studies/numbers-S")));
        let (_, found) = chapter.split_once("## What we found").expect("a chapter has findings");
        for one in numbers(found.split("All numbers are on").next().unwrap()) {
            assert!(printed.contains(&one), "{page}: {one} is not in its numbers");
        }
    }
}
