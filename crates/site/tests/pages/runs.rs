//! Revisions, runs, layouts and comparisons.

use super::*;

#[test]
fn a_revision_shows_its_warm_up_and_what_could_not_be_read() {
    let mut fixture = realistic();
    let (id, measured) = fixture.kept.measurements.iter_mut().next().unwrap();
    let (id, first) = (id.clone(), measured.first_mut().unwrap());
    let phase = |first, last, level| Phase { first, last, level };
    first.measurement.steadiness = Some(Steadiness {
        course: Course::Slowdown,
        metric: "wall".into(),
        phases: vec![phase(1, 2, 4e8), phase(3, 10, 4.2e8)],
        counts_from: 3,
    });
    let dir = tempfile::tempdir().unwrap();
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(page_of(dir.path(), &id)).unwrap();
    let figure = html.split("<figure>").nth(1).unwrap().split("</figure>").next().unwrap();
    assert_eq!(
        (figure.matches("<rect").count(), figure.matches("<line").count()),
        (1, 2),
        "{figure}"
    );
    assert!(figure.contains("Warmup: slowdown, rounds 1 to 2 left out (wall: "), "{figure}");
    assert!(figure.contains(" What is left out is shaded."), "{figure}");
    assert!(
        html.contains(
            "<dt>Not read: cycles, instructions</dt><dd class=\"note\">not available here: "
        ),
        "{html}"
    );
}

#[test]
fn a_run_over_layouts_shows_keep_restart_and_relink_side_by_side() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    pages(&mut fixture, dir.path());
    let read = |file: &str| fs::read_to_string(dir.path().join(file)).unwrap();
    let html = read("layouts/3.html");
    assert!(!html.contains("<script"), "complete without a script");
    let pictures: Vec<&str> = html
        .split("keep, restart and relink side by side")
        .skip(1)
        .map(|rest| rest.split("</svg>").next().unwrap())
        .collect();
    assert_eq!(pictures.len(), 2, "none of what only failed");
    let parts = |picture: &str, part: &str| picture.matches(part).count();
    // 10 layouts of 12 executions of 5 values, or of 1: that has no band of keep.
    assert_eq!((parts(pictures[0], "<rect"), parts(pictures[0], "<circle")), (3, 600 + 120 + 10));
    assert_eq!((parts(pictures[1], "<rect"), parts(pictures[1], "<circle")), (2, 120 + 10));
    for text in [
        "from 10 layouts",
        "varies the metric more than restarting",
        "The host's speed moved by 12 %; values are corrected to the host's usual speed in \
         this run: that of another run may differ by more than the interval.",
        "± 1 %",
        "tacho layouts",
        "The levels are unknown: no build has two executions that count",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert!(!html.contains("NaN") && !html.contains("inf"));
    assert!(read("layouts.html").contains("layouts/3.html"));
    assert!(read("index.html").contains("layouts.html"));
    assert!(read("runs.html").contains("layouts/3.html"));
    let revision = page_of(dir.path(), &fixture.lab.layouts[0].revision);
    assert!(fs::read_to_string(revision).unwrap().contains("../layouts/3.html"));
    fixture.lab.layouts.clear();
    pages(&mut fixture, dir.path());
    assert!(
        !dir.path().join("layouts.html").exists() && !read("index.html").contains("layouts.html")
    );
}

#[test]
fn comparisons_and_diffs_that_were_tried_have_pages() {
    let dir = tempfile::tempdir().unwrap();
    pages(&mut realistic(), dir.path());
    let page = |run: u32| {
        std::fs::read_to_string(dir.path().join(format!("comparison/{run}.html"))).unwrap()
    };
    let titles = ["against", "with and without hopper.diff", "with barley-header against"];
    for (run, title) in (1..).zip(titles) {
        let page = page(run);
        assert!(page.contains(title) && page.contains("grind"), "{page}");
    }
    let sides = ">hopper.diff</th>";
    assert!(page(2).contains(sides), "the sides have the names that the terminal gives them");
    assert!(page(1).contains("faster") && page(2).contains("slower"), "in a word");
    let two = page(1);
    let place = |text: &str| two.find(text).unwrap_or_else(|| panic!("{text}: {two}"));
    assert!(place("scope=\"row\">pour") < place("scope=\"row\">grind"), "what is slower first");
    assert!(place("scope=\"row\">grind") < place("scope=\"row\">sift"), "then what is faster");
    for text in [
        "A trade-off: 2 slower, 1 faster, 1 same, 1 unclear; smallest detectable difference ",
        "5 rows judged together: at most 5 % of reported differences are expected to be false.",
        "(with a chance of 80 %): ",
        "Executions right after ",
        "Other processes used 2.3 CPU meanwhile",
        "Two modes (",
        "; the ratio is that of the means.",
        "more rounds (",
        "<li>pour · wall: slower by 5.0 % (4.8 to 5.2 %); 40 more rounds (12.3 s) would decide \
         whether it is slower by more than 5 %</li>",
        "Hint: <code>--duet</code> executes both at the same time, so other work disturbs both.",
    ] {
        place(text);
    }
    assert!(
        two.contains("<td>all pairs</td>") && two.contains(" of medians</td>"),
        "what each ratio is of: {two}"
    );
    assert!(page(2).contains("again 3"), "each layout of each side is shown");
    let tries = page(4);
    for text in [
        "Diffs tried on HEAD",
        "bags.diff + chute.diff",
        "id=\"run-5\"",
        "tacho show run:6",
        ">faster<",
    ] {
        assert!(tries.contains(text), "{text}: {tries}");
    }
    assert!(!dir.path().join("comparison/5.html").exists(), "one page for all");
    let runs = std::fs::read_to_string(dir.path().join("runs.html")).unwrap();
    assert!(runs.contains("comparison/4.html#run-5"), "{runs}");
    let all = std::fs::read_to_string(dir.path().join("comparisons.html")).unwrap();
    assert!(titles.iter().all(|title| all.contains(title)), "{all}");
}

#[test]
fn a_run_has_a_page_with_its_schedule_and_the_speed_of_its_host() {
    let dir = tempfile::tempdir().unwrap();
    let fixture = &mut realistic();
    pages(fixture, dir.path());
    let read = |file: &str| fs::read_to_string(dir.path().join(file)).unwrap();
    let html = read("runs/1.html");
    assert!(!html.contains("<script"), "complete without a script");
    let pictures: Vec<&str> =
        html.split("<svg").skip(1).map(|rest| rest.split("</svg>").next().unwrap()).collect();
    assert_eq!(pictures.len(), 4, "of each benchmark, and the host's speed below it");
    let executed = &fixture.kept.runs[&1];
    for (pictures, one) in pictures.chunks(2).zip(&executed.benchmarks) {
        let [picture, path] = pictures else { panic!("{html}") };
        assert!(path.contains("<polyline"));
        let drawn = picture.matches("<title>").count();
        assert_eq!(drawn, one.executions.len(), "each execution, with what it is");
        let colours: std::collections::BTreeSet<&str> =
            picture.split("fill:#").skip(1).map(|rest| &rest[..6]).collect();
        assert_eq!(colours.len(), executed.programs.len());
    }
    assert_eq!(pictures[2].matches("<path").count(), 1, "a failed execution is a cross");
    for text in
        ["of its usual speed from ", "A line: a pause", "Hollow: not summarised", "governor"]
    {
        assert!(html.contains(text), "{text}: {html}");
    }
    let shares = html.split("This host ran at ").skip(1).map(|it| it.split(' ').next().unwrap());
    let shares: Vec<f64> = shares.map(|share| share.parse().unwrap()).collect();
    let expected = [57.0, 75.0];
    assert!(
        shares.len() == 2 && shares.iter().zip(expected).all(|(is, to)| (is - to).abs() <= 2.0),
        "each benchmark responds as it does: {shares:?}"
    );
    assert!(read("runs/3.html").contains("It has no executions"));
    assert!(read("runs.html").contains("href=\"runs/1.html\""));
    assert!(!html.contains("NaN") && !html.contains("inf"));
}
