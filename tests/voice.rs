//! One voice: the terminal and the pages show the same words and numbers of one store.

use crate::harness::{Answer, Project, SCRIPT_PLAN};

/// The text of a page, without its markup.
fn text_of(html: &str) -> String {
    let parts = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    parts.collect::<Vec<_>>().join("\n")
}

/// The cells of the rows of a table in a terminal, two blanks apart.
fn cells(answer: &str) -> Vec<&str> {
    let rows = answer.lines().filter(|line| line.starts_with("  answer"));
    rows.flat_map(|row| row.split("  ")).map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn a_comparison_reads_the_same_in_the_terminal_and_on_its_page() {
    let project = Project::repository().plan(SCRIPT_PLAN);
    let project =
        project.file("prog", "exit\n").commit("quick").file("prog", "sleep 0.05\n").commit("slow");
    project.tacho("compare HEAD~1 HEAD -r 8 -m wall -m cpu").exits(0);
    let wide = project.command(["show", "run:1"]).env("COLUMNS", "240").output().unwrap();
    let terminal = Answer::of(&wide).exits(0).stdout;
    project.tacho("site pages").exits(0);
    let page = std::fs::read_to_string(project.path().join("pages/comparison/1.html")).unwrap();
    let page = text_of(&page);
    let cells = cells(&terminal);
    assert!(cells.len() > 16, "{terminal}");
    for cell in cells {
        let word = cell.split(": ").next().unwrap();
        // The number of rounds has no column there.
        let is_rounds = cell.parse::<u32>().is_ok();
        assert!(is_rounds || page.lines().any(|line| line == word), "{cell}: {page}");
    }
    let summary =
        terminal.lines().find(|line| line.contains(" would have been detected ")).unwrap();
    assert!(page.to_lowercase().contains(&summary.to_lowercase()), "{summary}: {page}");
}
