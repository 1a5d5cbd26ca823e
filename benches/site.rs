//! How long it takes to write pages, and how large they are: `cargo bench -p tacho-site`.
//!
//! The lab is fictitious: 200 series of 500 revisions with ten samples each, in the shape of a
//! project with 40 benchmarks and five metrics. asv 0.6.6 takes 13 s of CPU for 200 × 500 without
//! samples, and writes all again each time.

// It needs only the large lab.
#[allow(dead_code)]
#[path = "../crates/site/examples/fixture/lab.rs"]
mod lab;

use std::path::Path;
use std::time::Instant;

use tacho_record::{LimitedExecutions, Point, Revision};
use tacho_site::{SiteError, write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let mut fixture = lab::large(200, 500, 10);
    timed("all new", &mut fixture, dir.path())?;
    timed("nothing new", &mut fixture, dir.path())?;
    add_revision(&mut fixture);
    timed("one revision more", &mut fixture, dir.path())?;
    let index = std::fs::metadata(dir.path().join("index.html"))?.len();
    println!("index.html: {} KiB", index / 1024);
    Ok(())
}

fn timed(name: &str, fixture: &mut lab::Fixture, dir: &Path) -> Result<(), SiteError> {
    let start = Instant::now();
    let written = write(&fixture.lab, &mut fixture.kept, dir, &mut |_, _| {})?;
    let (took, mib) = (start.elapsed(), written.bytes / 1_048_576);
    println!(
        "{name:17} {took:>8.2?}  {} of {} files changed, {mib} MiB in all",
        written.changed, written.files
    );
    Ok(())
}

/// A revision after all others, not yet measured.
fn add_revision(fixture: &mut lab::Fixture) {
    let Some(last) = fixture.lab.revisions.last().cloned() else { return };
    let next = Revision { id: "f".repeat(40), order: last.order + 1, ..last };
    for series in &mut fixture.lab.series {
        let point = Point {
            revision: next.clone(),
            build: None,
            outdated: false,
            equal_to: None,
            values: Vec::new(),
            layouts: vec![],
            absent: None,
            limited: LimitedExecutions::default(),
            runs: Vec::new(),
            value_runs: vec![],
            reach: None,
            failed: 0,
            failure: None,
            failure_said: None,
            looked_at: false,
            stopped: None,
            steadiness: None,
        };
        series.points.push(point);
    }
    fixture.lab.revisions.push(next);
}
