//! Hosts, revisions, builds, benchmarks, metrics, answers and logs.

use std::fs;
use std::time::Duration;

use tacho_record::{
    BenchmarkKey, Build, BuildState, Commit, Digest, Direction, Metric, Parameter, Parameters, Unit,
};
use tacho_store::{Location, StoreError};

use crate::common::{Ground, begin, benchmark, cell, files, host, new_run, revision, sample};

pub fn a_host_is_kept_once_and_without_what_changes(ground: &Ground) {
    let mut store = ground.open();
    let lab = store.put_host(&host("lab")).unwrap();
    let mut later = host("lab");
    later.facts.insert("now.load".into(), "9.0".into());
    assert_eq!(store.put_host(&later).unwrap(), lab);
    let mut other = host("lab");
    other.facts.insert("cpu".into(), "6502".into());
    let other = store.put_host(&other).unwrap();
    assert_ne!(other, lab);

    let hosts = store.hosts().unwrap();
    assert_eq!(hosts.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [lab, other]);
    let mut lasting = host("lab");
    lasting.facts.remove("now.load");
    assert_eq!(hosts[0].1, lasting);
    assert_eq!(hosts[0].1.key(), host("lab").key());
}

pub fn revisions_come_in_order_of_history_and_are_renewed(ground: &Ground) {
    let mut store = ground.open();
    let mut release = revision("1.0", 3);
    (release.date, release.author) = (None, String::new());
    store.put_revisions(&[release.clone(), revision("b", 2), revision("a", 1)]).unwrap();
    // A revision that was only measured has no place in history.
    begin(&mut store, "q", &[cell("nameless", "x")]);
    assert_eq!(store.revisions().unwrap(), [revision("a", 1), revision("b", 2), release.clone()]);

    let mut tagged = revision("a", 7);
    tagged.tags = vec!["v1".into(), "stable".into()];
    store.put_revisions(&[tagged.clone(), revision("nameless", 5)]).unwrap();
    let expected = [revision("b", 2), release, revision("nameless", 5), tagged];
    assert_eq!(store.revisions().unwrap(), expected);
}

pub fn commits_between_two_revisions_come_newest_first(ground: &Ground) {
    let mut store = ground.open();
    let commit = |order: u64| Commit {
        id: format!("{order:040x}"),
        order,
        author: "A. U. Thor".into(),
        date: Some("0099-01-01T00:00:00.5Z".parse().unwrap()),
        subject: "Grüße".into(),
        files: vec!["src/a b.c".into(), "\"quoted\"".into()],
        numbers: [("src/a b.c".into(), [None, Some(format!("1.{order}"))])].into(),
    };
    let commits: Vec<Commit> = (1..=9).map(commit).collect();
    store.put_commits(&commits).unwrap();
    store.put_commits(&commits[..3]).unwrap();
    assert_eq!(store.commits(3, 5).unwrap(), [commit(5), commit(4)]);
    assert_eq!(store.commits(0, u64::MAX).unwrap().len(), 9);
    assert_eq!(store.commits(5, 3).unwrap(), []);
}

pub fn builds_are_renewed_and_come_as_they_were_begun(ground: &Ground) {
    let mut store = ground.open();
    let lab = store.put_host(&host("lab")).unwrap();
    let elsewhere = store.put_host(&host("elsewhere")).unwrap();
    let build = |revision: &str, recipe: &str, started: &str, state| Build {
        revision: revision.into(),
        recipe: Digest::of(recipe),
        quirks: vec![format!("of {recipe}")],
        onto: vec![format!("before {recipe}")],
        tools: [("cc".to_owned(), format!("cc of {recipe}"))].into(),
        state,
        started: started.parse().unwrap(),
        took: Duration::new(120, 7),
        log: Some(Digest::of("log")),
    };
    let failed = BuildState::failed("make: *** [all] Error 1");
    let done = BuildState::Built { artifact: Digest::of("program"), size: u64::MAX, layouts: None };
    let timed_out = BuildState::TimedOut { limit: Duration::from_millis(1) };
    let first = build("a", "old", "2026-01-01T00:00:00Z", failed);
    // As text, half a second later would sort before.
    let second = build("a", "new", "2026-01-01T00:00:00.5Z", done.clone());
    let mut third =
        build("b", "new", "2026-01-01T00:01:00Z", BuildState::Skipped { why: "quirk".into() });
    third.log = None;
    for build in [&third, &second, &first] {
        store.put_build(lab, build).unwrap();
    }
    assert_eq!(store.builds(lab).unwrap(), [first.clone(), second.clone(), third.clone()]);
    assert_eq!(store.builds(elsewhere).unwrap(), []);
    assert_eq!(store.build(lab, "a", Digest::of("new")).unwrap(), Some(second.clone()));
    assert_eq!(store.build(lab, "b", Digest::of("old")).unwrap(), None);
    assert_eq!(store.build(elsewhere, "a", Digest::of("new")).unwrap(), None);

    let again = build("a", "old", "2026-01-01T00:02:00Z", timed_out);
    store.put_build(lab, &again).unwrap();
    assert_eq!(store.builds(lab).unwrap(), [second, third, again]);
}

pub fn benchmarks_belong_to_hosts(ground: &Ground) {
    let mut store = ground.open();
    let (lab, ..) = begin(&mut store, "q", &[cell("a", "two"), cell("a", "one"), cell("b", "two")]);
    let mut second_version = cell("a", "one");
    second_version.benchmark.version = 2;
    begin(&mut store, "q", std::slice::from_ref(&second_version));
    let elsewhere = store.put_host(&host("elsewhere")).unwrap();
    let expected = [benchmark("two"), benchmark("one"), second_version.benchmark];
    assert_eq!(store.benchmarks(lab).unwrap(), expected);
    assert_eq!(store.benchmarks(elsewhere).unwrap(), []);
}

pub fn a_parameter_that_is_no_number_is_refused(ground: &Ground) {
    let mut store = ground.open();
    let lab = store.put_host(&host("lab")).unwrap();
    let mut wrong = cell("a", "x");
    wrong.benchmark.parameters =
        Parameters([("level".to_owned(), Parameter::Number(f64::NAN))].into());
    let error = store.begin_run(&new_run(lab, "q"), &[cell("a", "y"), wrong]).unwrap_err();
    let words = "the benchmark `x[level=NaN]` cannot be kept: a parameter is not a finite number";
    assert_eq!(error.to_string(), words);
    assert_eq!(store.runs().unwrap(), [], "a run with all its cells, or none");
    assert_eq!(store.benchmarks(lab).unwrap(), []);
}

pub fn metrics_are_known_by_name(ground: &Ground) {
    let mut store = ground.open();
    let (_, _, measurements) = begin(&mut store, "q", &[cell("a", "x")]);
    let mut with_own = sample(1, 0);
    with_own.values.insert(0, ("buckets".into(), 6.5));
    store.put_sample(measurements[0], &with_own).unwrap();
    let names =
        |metrics: Vec<Metric>| -> Vec<String> { metrics.into_iter().map(|it| it.name).collect() };
    // What is built in explains itself; what is not has to be put.
    assert_eq!(names(store.metrics().unwrap()), ["peak-memory", "user", "wall"]);
    let unit = Unit::Other("buckets".into());
    let buckets = Metric { name: "buckets".into(), unit, better: Direction::Higher };
    store.put_metrics(std::slice::from_ref(&buckets)).unwrap();
    let metrics = store.metrics().unwrap();
    assert!(
        metrics.contains(&buckets) && metrics.contains(&Metric::built_in("wall").unwrap()),
        "{metrics:?}"
    );
    let fewer = Metric { better: Direction::Lower, ..buckets };
    store.put_metrics(std::slice::from_ref(&fewer)).unwrap();
    assert!(store.metrics().unwrap().contains(&fewer));
    assert_eq!(store.metrics().unwrap().len(), 4);
    assert_eq!(store.samples(measurements[0]).unwrap(), [with_own]);
}

pub fn the_first_answer_stays(ground: &Ground) {
    let mut store = ground.open();
    let key = benchmark("x");
    assert_eq!(store.answer(&key).unwrap(), None);
    store.put_answer(&key, Digest::of("42")).unwrap();
    store.put_answer(&key, Digest::of("43")).unwrap();
    assert_eq!(store.answer(&key).unwrap(), Some(Digest::of("42")));
    assert_eq!(store.answer(&BenchmarkKey { version: 2, ..key }).unwrap(), None);
}

pub fn logs_are_kept_by_their_content(ground: &Ground) {
    let mut store = ground.open();
    let content = "warning: unused variable\n".repeat(10_000);
    let digest = store.put_log(content.as_bytes()).unwrap();
    assert_eq!(digest, Digest::of(&content));
    let file = ground.folder.path().join("build.log");
    fs::write(&file, &content).unwrap();
    assert_eq!(store.put_log_file(&file).unwrap(), digest);
    assert_eq!(store.log(digest).unwrap(), content.as_bytes());
    let folder = match &ground.location {
        Location::Folder(folder) => folder.join("logs"),
        Location::Memory => unreachable!("no ground is in memory"),
        Location::Postgres { logs, .. } => logs.clone(),
    };
    let others = files(&folder, ".gitignore");
    assert_eq!((files(&folder, ".zst"), files(&folder, "") - others), (1, 1));
    assert!(matches!(store.log(Digest::of("x")), Err(StoreError::LogMissing { .. })));
    assert!(matches!(store.put_log_file(&file.join("no")), Err(StoreError::File { .. })));
}
