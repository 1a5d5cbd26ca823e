//! One commit that moves many metrics is one event, whatever was thought of its place when less was
//! known.

use serde_json::Value;

use crate::harness::Project;

const METRICS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// A plan of six metrics; the program prints them.
fn plan() -> String {
    let metrics =
        METRICS.map(|name| format!("{{ name = '{name}', from = 'key:{name}', unit = 'ms' }}"));
    format!(
        "[subject]\nname = 'prog'\nartifacts = ['prog']\n[measure]\nrounds = 2\nwarmup = false\n\
         [[benchmark]]\nname = 'all'\ncommand = 'sh {{build}}/prog'\nmetrics = [{}]\n",
        metrics.join(", ")
    )
}

/// Noise of about 1 %, the same each time: the mean of four digits of a digest.
fn noise(commit: u32, metric: u32) -> f64 {
    let mut state = u64::from(commit * 31 + metric + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut sum = 0.0;
    for _ in 0..4 {
        state = (state ^ (state >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state ^= state >> 32;
        sum += (state % 1000) as f64 / 1000.0 - 0.5;
    }
    1.0 + 0.0173 * sum
}

/// Commits up to this one, a fifth slower from the seventieth on.
fn grown(project: Project, commits: std::ops::RangeInclusive<u32>) -> Project {
    let commit = |commit| {
        let level = if commit < 70 { 100.0 } else { 120.0 };
        let line =
            |(at, name): (u32, &str)| format!("echo {name}: {:.3}\n", level * noise(commit, at));
        let script: String = (0..).zip(METRICS).map(line).collect();
        (format!("{script}# {commit}\n"), format!("commit {commit}"))
    };
    project.commits("prog", commits.map(commit))
}

/// That each event holds the likeliest revision of each of its changes, by places in history.
fn assert_held(project: &Project, listing: &Value) {
    let place = |id: &Value| -> u32 {
        let count = project.git(["rev-list", "--count", id.as_str().unwrap()]);
        count.trim().parse().unwrap()
    };
    for event in listing["events"].as_array().unwrap() {
        let (good, bad) = (place(&event["good"]), place(&event["bad"]));
        for change in event["changes"].as_array().unwrap() {
            let (from, first, to) =
                (place(&change["good"]), place(&change["revision"]), place(&change["bad"]));
            assert!(good < first && first <= bad && from < first && first <= to, "{event:#}");
        }
    }
}

#[test]
fn one_commit_is_one_event_once_its_place_is_known() {
    let mut project = grown(Project::repository(), 1..=71).plan(&plan());
    let mut until = 71;
    let mut listing = Value::Null;
    for newest in [71, 72, 76] {
        project = grown(project, until + 1..=newest);
        until = newest;
        // Other metrics of the plan changed too, which is a note.
        project.tacho("track --quiet").exits(0);
        listing = project.tacho("changes --json").json();
        assert_held(&project, &listing);
    }
    let seventieth = project.git(["rev-parse", "HEAD~6"]);
    let events = listing["events"].as_array().unwrap();
    let [event] = events.as_slice() else { panic!("{listing:#}") };
    assert_eq!(event["revision"]["id"], seventieth.trim());
    assert_eq!(
        (event["commits"].as_u64(), event["changes"].as_array().unwrap().len()),
        (Some(1), 6)
    );
}
