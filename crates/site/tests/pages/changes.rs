//! Changes and their pages.

use super::*;

#[test]
fn what_got_worse_and_what_got_better_stand_together() {
    let dir = tempfile::tempdir().unwrap();
    pages(&mut realistic(), dir.path());
    let files = files(dir.path());
    let all = &files[Path::new("changes.html")];
    let expected =
        all.split("<tbody>").find(|event| event.contains("show · wall") && event.contains("+67"));
    let event = expected.unwrap();
    let place = |text: &str| event.find(text).unwrap_or_else(|| panic!("{text} is not in {event}"));
    assert!(
        place("show · wall") < place("peak-memory")
            && place("peak-memory") < place("grind[batch=64] · wall")
    );
    assert!(all.contains("Not judged: "), "what was not judged is said");
    let page =
        attributes(event, "href").into_iter().find(|link| link.starts_with("change/")).unwrap();
    let change = &files[Path::new(page)];
    for part in [
        "Before and after",
        "What else changed there",
        "commits between",
        "memory for time, as agreed",
    ] {
        assert!(change.contains(part), "{part} is not on {page}");
    }
    let gone = all.split(">Withdrawn<").nth(1).unwrap();
    assert!(gone.contains("at most a quarter of the difference was found again"));
}

/// How many samples a change's page shows on both sides.
fn sides(page: &str) -> (usize, usize) {
    let reported = page
        .split("on each side (at most ")
        .nth(1)
        .unwrap()
        .split("): ")
        .nth(1)
        .unwrap()
        .split("</figcaption>")
        .next()
        .unwrap();
    let numbers: Vec<usize> = reported
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    (numbers[0], numbers[1])
}

#[test]
fn a_side_ends_where_the_level_changes_again() {
    let (mut fixture, dir) = (realistic(), tempfile::tempdir().unwrap());
    let is_asked = |event: &EventRecord| {
        let series = &event.changes[0].change.series;
        series.benchmark.name == "show"
            && series.metric.name == "wall"
            && event.changes[0].change.is_active()
    };
    let event = fixture.lab.events.iter().find(|event| is_asked(event)).unwrap().clone();
    let page = format!("change/{}.html", event.changes[0].change.name);
    pages(&mut fixture, dir.path());
    let (before, after) = sides(&fs::read_to_string(dir.path().join(&page)).unwrap());
    let mut next = event.changes[0].clone();
    let revisions = &fixture.lab.revisions;
    let first = revisions.iter().position(|one| one.id == next.change.finding.revision).unwrap();
    "later".clone_into(&mut next.change.name);
    next.change.finding.good.clone_from(&revisions[first + 1].id);
    next.change.finding.bad.clone_from(&revisions[first + 2].id);
    next.change.finding.revision.clone_from(&revisions[first + 2].id);
    let Finding { good, revision, bad, .. } = next.change.finding.clone();
    fixture.lab.events.push(EventRecord {
        good,
        revision,
        bad,
        planned: true,
        changes: vec![next],
    });
    pages(&mut fixture, dir.path());
    let now = sides(&fs::read_to_string(dir.path().join(&page)).unwrap());
    assert!(now.0 == before && 0 < now.1 && now.1 < after, "{before} and {after}, then {now:?}");
}

#[test]
fn a_change_says_what_its_numbers_are_of() {
    let (mut fixture, dir) = (realistic(), tempfile::tempdir().unwrap());
    let event = fixture.lab.events.iter_mut().find(|it| it.changes[0].change.is_active()).unwrap();
    let change = &mut event.changes[0].change;
    change.finding.missed = 2;
    change.again = Some(tacho_record::RepeatMeasurement {
        run: 2,
        samples: 20,
        differs: Some(true),
        effect: Some(0.5),
        interval: Some((0.48, 0.52)),
        limited: [0, 0],
        layouts: 0,
        environments: false,
    });
    let page = format!("change/{}.html", change.name);
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join(page)).unwrap();
    assert!(html.contains("<dt>Effect</dt><dd>+50.0 %</dd>"), "{html}");
    assert!(html.contains("+48.0 % … +52.0 %") && html.contains(" in the series)"), "{html}");
    assert!(html.contains(" The levels above are those when the change was last seen."), "{html}");
}

#[test]
fn a_change_has_the_chart_of_its_series() {
    let dir = tempfile::tempdir().unwrap();
    pages(&mut realistic(), dir.path());
    let files = files(dir.path());
    let with_chart = files.iter().filter(|(path, html)| {
        path.starts_with("change")
            && html.contains("data-chart=\"../\"")
            && html.contains("../data/")
    });
    assert!(with_chart.count() > 3);
}

#[test]
fn changes_of_another_command_stand_apart_and_are_marked() {
    let (mut fixture, dir) = (realistic(), tempfile::tempdir().unwrap());
    let event = fixture.lab.events.iter_mut().find(|it| it.changes[0].change.is_active()).unwrap();
    event.planned = false;
    let (key, name) = {
        let change = &event.changes[0].change;
        (change.series.benchmark.clone(), change.name.clone())
    };
    fixture.lab.superseded = vec![(key, 7)];
    pages(&mut fixture, dir.path());
    let files = files(dir.path());
    let link = format!("change/{name}.html");
    let mark = "of an older definition: the plan's <code>";
    let all = &files[Path::new("changes.html")];
    let (held, other) = all.split_once("Changes of series that the plan no longer has").unwrap();
    assert!(!held.contains(&link) && other.contains(&link) && other.contains(mark), "{all}");
    assert!(files[Path::new(&link)].contains(mark), "on its own page");
    let overview = &files[Path::new("index.html")];
    let news = overview.split("What changed").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(!news.contains(&link), "{news}");
    assert!(news.contains(">Of series that the plan no longer has</a>: "), "{news}");
}
