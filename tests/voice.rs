//! One voice: the terminal, Markdown and the pages show the same words and numbers of one store.

use crate::bisect::step;
use crate::changes::tracked;
use crate::harness::{Answer, Project, SCRIPT_PLAN};
use crate::layouts::{has_linker, program};
use crate::stopping;

/// Text of a page without its markup, what is apart in it a line each.
fn text_of(html: &str) -> String {
    let parts = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    plain(&parts.collect::<Vec<_>>().join("\n"))
}

/// The same in one line: sentences go on across links.
fn sentences_of(html: &str) -> String {
    let parts = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    plain(&parts.collect::<String>())
}

fn plain(text: &str) -> String {
    let signs = [("&gt;", ">"), ("&lt;", "<"), ("&quot;", "\""), ("&amp;", "&"), ("\u{a0}", " ")];
    signs.iter().fold(text.to_owned(), |text, (sign, letter)| text.replace(sign, letter))
}

/// The cells of each row of the tables of a page.
fn page_rows(html: &str) -> Vec<Vec<String>> {
    let row = |row: &str| -> Vec<String> {
        let row = row.split("</tr>").next().unwrap().replace("</th>", "</td>");
        row.split("</td>").map(|cell| sentences_of(cell).trim().to_owned()).collect()
    };
    html.split("<tr").skip(1).map(|html| row(&format!("<tr{html}"))).collect()
}

/// The cells of a row in a terminal, two blanks apart.
fn cells(row: &str) -> Vec<&str> {
    row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

/// What a command prints on a terminal that has room for all.
fn wide(project: &Project, arguments: &str) -> String {
    let mut command = project.command(arguments.split_whitespace());
    Answer::of(&command.env("COLUMNS", "240").output().unwrap()).stdout
}

fn page(project: &Project, path: &str) -> String {
    std::fs::read_to_string(project.path().join("pages").join(path)).unwrap()
}

/// The pages of a folder.
fn pages(project: &Project, folder: &str) -> Vec<String> {
    let folder = std::fs::read_dir(project.path().join("pages").join(folder)).unwrap();
    folder.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}

/// Asserts that the row with this head has each of these cells, and gives their number.
#[track_caller]
fn has_cells(rows: &[Vec<String>], head: &str, cells: &[&str]) -> usize {
    let row = rows.iter().find(|row| row.iter().any(|cell| cell == head));
    let row = row.unwrap_or_else(|| panic!("no row of {head}: {rows:?}"));
    for cell in cells {
        assert!(row.iter().any(|other| other == cell), "{cell}: {row:?}");
    }
    cells.len()
}

/// A clause as it begins and ends on a page.
fn sentence(clause: &str) -> String {
    let plain = clause.trim().replace('`', "");
    let (first, rest) = plain.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}

#[test]
fn a_comparison_reads_the_same_in_the_terminal_and_on_its_page() {
    let project = Project::repository().plan(SCRIPT_PLAN);
    let project =
        project.file("prog", "exit\n").commit("quick").file("prog", "sleep 0.05\n").commit("slow");
    project.tacho("compare HEAD~1 HEAD -r 8 -m wall -m cpu").exits(0);
    let terminal = wide(&project, "show run:1");
    project.tacho("site pages").exits(0);
    let page = text_of(&page(&project, "comparison/1.html"));
    let rows = terminal.lines().filter(|line| line.starts_with("  answer"));
    let cells: Vec<&str> = rows.flat_map(cells).collect();
    assert!(cells.len() > 16, "{terminal}");
    for cell in cells {
        let word = cell.split(": ").next().unwrap();
        assert!(page.lines().any(|line| line == word), "{cell}: {page}");
    }
    let summary =
        terminal.lines().find(|line| line.contains("smallest detectable difference")).unwrap();
    assert!(page.to_lowercase().contains(&summary.to_lowercase()), "{summary}: {page}");
}

#[test]
fn a_history_reads_the_same_in_the_terminal_and_on_its_pages() {
    let (project, _shared) = tracked();
    project.tacho("site pages").exits(0);
    // Of 23 revisions the number of samples, the median, the spread and the difference.
    let shown = series_read_the_same(&project, "show -b show");
    assert!(shown > 80, "{shown}");
    let tracked = series_read_the_same(&project, "track --quiet");
    assert!(tracked >= 2 * shown, "{tracked}");
    a_run_reads_the_same(&project);
    a_revision_reads_the_same(&project);
    changes_read_the_same(&project);
}

/// Each row of a command's tables of series but for subjects and margins, for which pages have
/// intervals; gives how many figures were compared.
fn series_read_the_same(project: &Project, command: &str) -> usize {
    let terminal = wide(project, command);
    let all = pages(project, "series");
    let mut rows = Vec::new();
    let mut compared = 0;
    for line in terminal.lines() {
        if let Some(title) = title_of(line) {
            let page = all.iter().find(|html| html.contains(&title));
            rows = page_rows(page.unwrap_or_else(|| panic!("no {title}: {terminal}")));
        } else if line.contains("  change ") {
            let row = cells(line);
            let is_figure = |cell: &&&str| !cell.starts_with(['±', 'c']) && !cell.contains(" … ");
            let numbers = row[2..].iter().filter(is_figure);
            let numbers: Vec<&str> = numbers
                .flat_map(|cell| {
                    let end = cell.find(" worse").or(cell.find(" better")).unwrap_or(cell.len());
                    [cell[..end].trim(), cell[end..].trim()]
                })
                .filter(|cell| !cell.is_empty())
                .collect();
            compared += has_cells(&rows, row[0], &numbers);
        }
    }
    compared
}

/// The title of the page of a series, by the line above its table in a terminal.
fn title_of(line: &str) -> Option<String> {
    line.contains(" · ").then_some(())?;
    Some(format!("<title>{}", line.split(" (").next()?))
}

/// `tacho show run:1`: when it was, and how far it went; pages have the time in UTC.
fn a_run_reads_the_same(project: &Project) {
    let terminal = wide(project, "show run:1");
    let page = sentences_of(&page(project, "runs/1.html"));
    let lines: Vec<&str> = terminal.lines().collect();
    let (_, what) = lines[0].split_once(": ").unwrap();
    let (_, extent) = lines[1].split_once(" on ").unwrap();
    for words in [what, &format!(" on {extent}."), &sentence(lines[2])] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

/// `tacho show REV`: number, median and interval of each benchmark.
fn a_revision_reads_the_same(project: &Project) {
    let terminal = wide(project, "show HEAD -m time");
    let id = project.git(["rev-parse", "HEAD"]);
    let all = pages(project, "revision");
    let page = all.iter().find(|html| html.contains(&format!("<code>{}</code>", id.trim())));
    let rows = page_rows(page.unwrap());
    let results: Vec<&str> = terminal.lines().filter(|line| line.starts_with("  time")).collect();
    assert_eq!(results.len(), 2, "{terminal}");
    for line in results {
        let [_, number, median, ..] = cells(line)[..] else { panic!("{terminal}") };
        has_cells(&rows, median, &["time", number]);
    }
}

/// `tacho changes` and `tacho changes show`.
fn changes_read_the_same(project: &Project) {
    let terminal = wide(project, "changes");
    let all = page(project, "changes.html");
    let (rows, text) = (page_rows(&all), sentences_of(&all));
    let lead = terminal.lines().find(|line| line.contains(" changes at ")).unwrap();
    assert!(lead.contains(" new regression"), "{terminal}");
    assert!(text.contains(&sentence(lead)), "{lead}: {text}");
    let markdown = wide(project, "changes --markdown");
    assert!(markdown.contains(&format!("\n**{lead}**\n")), "{lead}: {markdown}");
    let mut names = Vec::new();
    for line in terminal.lines().filter(|line| line.contains(" · ")) {
        let row = cells(line);
        has_cells(&rows, row[1], &row[2..]);
        let head = format!("| {} |", row[0]);
        let mail = markdown.lines().find(|line| line.starts_with(&head));
        let mail = mail.unwrap_or_else(|| panic!("{head} {markdown}")).replace("**", "");
        for cell in &row {
            assert!(mail.contains(&format!("| {cell} |")), "{cell}: {mail}");
        }
        names.push(row[0].to_owned());
    }
    assert_eq!(names.len(), 2, "{terminal}");
    for name in names {
        let terminal = wide(project, &format!("changes show {name}"));
        let page = sentences_of(&page(project, &format!("change/{name}.html")));
        let commands = terminal.lines().filter_map(|line| line.split_once(": tacho "));
        let commands: Vec<String> =
            commands.map(|(_, command)| format!("tacho {command}")).collect();
        let is_reason =
            |line: &&str| line.contains("judged together") || line.contains("provisional: seen ");
        let reasons = terminal.lines().filter(is_reason).map(sentence);
        let (_, story) = terminal.split_once("what happened\n").unwrap();
        let story = story.lines().map(|line| sentence(cells(line)[1]));
        let told: Vec<String> = commands.into_iter().chain(reasons).chain(story).collect();
        assert!(told.len() >= 5, "{terminal}");
        for words in told {
            assert!(page.contains(&words), "{words}: {page}");
        }
    }
}

#[test]
fn what_is_said_of_a_table_of_a_series_is_said_on_its_page() {
    let project = stopping::project("precision = '1%'", "$((1000 + n % 3))");
    project.tacho("track HEAD --quiet").exits(0);
    let terminal = wide(&project, "show");
    project.tacho("site pages").exits(0);
    let title = terminal.lines().find_map(title_of).unwrap();
    let all = pages(&project, "series");
    let page = all.iter().find(|html| html.contains(&title)).unwrap();
    let heads = terminal.lines().find(|line| line.contains("revision  ")).unwrap();
    let (shown, text) = (text_of(page), sentences_of(page));
    assert_eq!(cells(heads).len(), 7, "none of changes in one row: {terminal}");
    for head in cells(heads) {
        assert!(shown.lines().any(|text| text == head), "{head}: {shown}");
    }
    let below = terminal.lines().find(|line| line.contains("  * this interval is ")).unwrap();
    assert!(text.contains(&sentence(below)), "{below}: {text}");
}

#[test]
fn a_bisection_reads_the_same_in_the_terminal_and_on_its_page() {
    let project = step(12, 7);
    project.tacho("bisect HEAD~11 HEAD --seed 1 --quiet").succeeds();
    let json = project.tacho("bisect log --json").succeeds().json();
    let name = json["name"].as_str().unwrap().to_owned();
    let terminal = wide(&project, &format!("bisect log {name}"));
    project.tacho("site pages").exits(0);
    let html = page(&project, &format!("bisection/{name}.html"));
    let page = sentences_of(&html);
    let line = |begin: &str| {
        let found = terminal.lines().find(|line| line.trim_start().starts_with(begin));
        found.unwrap_or_else(|| panic!("no {begin}: {terminal}")).trim()
    };
    let effect = line("changed work of `work` by ").rsplit(" by ").next().unwrap();
    assert!(text_of(&html).lines().any(|text| text == effect), "{effect}: {page}");
    let sure = line("over 99.9 % likely").split(" likely").next().unwrap();
    assert!(text_of(&html).lines().any(|text| text == sure), "{sure}: {page}");
    let whole = line("whole range ");
    assert!(page.contains(&sentence(whole)), "{whole}: {page}");
    // What the answer says of the commit and of its verification.
    for begin in ["over 99.9 % likely; ", "changed work of `work` by "] {
        let words = line(begin).split_once("; ").map_or(line(begin), |(_, words)| words);
        assert!(page.contains(&words.replace('`', "")), "{words}: {page}");
    }
    let cost = terminal.lines().find(|line| line.contains("; run 1 on ")).unwrap();
    for part in cost.split("; ").next().unwrap().split(", ") {
        assert!(part.contains(" in ") && text_of(&html).lines().any(|it| it == part), "{part}");
    }
    let (_, ladder) = terminal.split_once("revision  ").unwrap();
    let rows = page_rows(&html);
    let mut levels = 0;
    for row in ladder.lines().skip(1).map(cells).take_while(|row| row.len() >= 4) {
        let level = |page: &Vec<String>| {
            page.first().is_some_and(|cell| cell.starts_with(row[0]))
                && page.iter().any(|cell| cell == row[3])
        };
        assert!(rows.iter().any(level), "{row:?}: {rows:?}");
        levels += 1;
    }
    assert!(levels >= 4, "{terminal}");
}

#[test]
fn commands_read_the_same_in_the_terminal_and_in_markdown() {
    let project = Project::empty();
    let terminal = wide(&project, "bench -q -r 8 --export-markdown o.md true echo");
    let markdown = std::fs::read_to_string(project.path().join("o.md")).unwrap();
    let mut compared = 0;
    for row in markdown.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let row = row.strip_prefix("| ").unwrap().strip_suffix(" |").unwrap();
        let row: Vec<&str> = row.split(" | ").collect();
        let [name, n, median, interval, min, max, relative, verdict] = row[..] else {
            panic!("{markdown}")
        };
        let name = name.trim_matches('`');
        let line = terminal.lines().find(|line| line.starts_with(name));
        let shown = cells(line.unwrap());
        assert!([n, median, min, max].iter().all(|it| shown.contains(it)), "{row:?}: {terminal}");
        assert!(interval.contains(" … "), "{row:?}");
        let Some((ratio, ends)) = relative.trim_end_matches(')').split_once(" (") else {
            assert_eq!(relative, "1.00", "{markdown}");
            continue;
        };
        let has_both = |line: &str| {
            let cells = cells(line);
            cells.starts_with(&[ratio, ends]) && cells.last() == Some(&verdict)
        };
        assert!(terminal.lines().any(has_both), "{row:?}: {terminal}");
        compared += 1;
    }
    assert_eq!(compared, 1, "{markdown}");
    let above = terminal.lines().find(|line| line.starts_with("ratios to ")).unwrap();
    assert!(markdown.contains(&format!("\n- relative: {above}\n")), "{above}: {markdown}");
}

#[test]
fn a_sweep_reads_the_same_in_the_terminal_and_on_its_page() {
    let project = Project::empty().file("work", "echo cost=$((1000 + $1 * $1))\n");
    let words = ["sweep", "-q", "-r", "8", "--page", "pages/o.html", "-P", "n=1,2,30"];
    let metric = ["-m", "cost=key:cost", "--minimise", "cost", "sh work {n}"];
    std::fs::create_dir(project.path().join("pages")).unwrap();
    let mut command = project.command(words.into_iter().chain(metric));
    let terminal = Answer::of(&command.env("COLUMNS", "240").output().unwrap()).exits(0).stdout;
    let rows = page_rows(&page(&project, "o.html"));
    let values: Vec<&str> = terminal.lines().filter(|line| line.starts_with("  n=")).collect();
    assert_eq!(values.len(), 3, "{terminal}");
    for line in values {
        let row = cells(line);
        let shown = row.iter().filter(|cell| !cell.starts_with(['±', '█', '▒']));
        let shown: Vec<&str> = shown.copied().collect();
        assert!(has_cells(&rows, row[0], &shown) >= 4, "{terminal}");
    }
    let words =
        ["sweep", "-q", "-r", "6", "--page", "pages/v.html", "--floor", "true", "sleep 0.01"];
    Answer::of(&project.command(words).output().unwrap()).exits(0);
    let rows = page_rows(&page(&project, "v.html"));
    let variant = |name| rows.iter().filter(|row| row[0] == name).collect::<Vec<_>>();
    let [value, variant] = variant("sleep 0.01")[..] else { panic!("{rows:?}") };
    assert_eq!(value[2], variant[1], "the median among the values and among the variants");
}

#[test]
fn a_probe_reads_the_same_in_the_terminal_and_on_its_page() {
    let plan = "[subject]\nartifacts = ['prog']\n[[benchmark]]\nname = 'work'\ncommand = 'sh \
                {build}/prog'\nmetrics = [{ name = 'work', from = 'regex:work ([0-9.]+)' }]\n";
    let project = Project::repository().file("prog", "echo work 100\n").commit("one").tag("v1");
    let project = project.file("prog", "echo work 210\n").commit("two").tag("v2").plan(plan);
    project.tacho("probe v1 v2 --only environment,nice --rounds 6 --quiet").exits(0);
    let terminal = wide(&project, "show run:1");
    project.tacho("site pages").exits(0);
    let html = page(&project, "runs/1.html");
    let rows = page_rows(&html);
    let states = ["as usual", "environment", "nice"];
    let lines = terminal.lines().filter(|line| states.iter().any(|it| line.trim().starts_with(it)));
    let lines: Vec<Vec<&str>> = lines.map(cells).collect();
    assert_eq!(lines.len(), 3, "{terminal}");
    for row in lines {
        let shown = row.iter().filter(|cell| !cell.contains(['│', '●', '─']));
        let shown: Vec<&str> = shown.copied().collect();
        assert!(has_cells(&rows, row[0], &shown) >= 2, "{terminal}");
    }
    let sentence = "the factor of 2.1 holds under all 2 disturbances";
    assert!(terminal.contains(sentence) && sentences_of(&html).contains(sentence), "{terminal}");
}

#[test]
fn layouts_read_the_same_in_the_terminal_and_on_their_page() {
    if !has_linker() {
        eprintln!("left out: no linker here can shuffle code");
        return;
    }
    let project = program("cc $LDFLAGS -o prog *.c");
    let terminal = wide(&project, "layouts -n 3 -r 6 --quiet");
    project.tacho("site pages").exits(0);
    let html = page(&project, "layouts/1.html");
    let (rows, mut compared) = (page_rows(&html), 0);
    for line in terminal.lines() {
        let row = cells(line);
        if row.first().is_some_and(|name| ["restart", "relink"].contains(name)) {
            let shown: Vec<&str> = row.iter().copied().filter(|it| !it.contains('█')).collect();
            compared += has_cells(&rows, row[0], &shown);
        } else if row.len() > 4 && row[0].parse::<u32>().is_ok() {
            compared += has_cells(&rows, row[2], &row);
        }
    }
    // Two bands, and of three layouts the number, the median, its interval, the spread and more.
    assert!(compared >= 2 * 3 + 3 * 6, "{terminal}");
    let mean = terminal.lines().find(|line| line.starts_with("  mean ")).unwrap();
    assert!(sentences_of(&html).contains(&sentence(mean)), "{mean}");
}
