use std::collections::BTreeSet;
use std::path::Path;

use tacho_record::plan::{Plan, Quirk};
use tacho_record::{Program, Revision};

use super::*;

fn quirk() -> Quirk {
    serde_json::from_value(serde_json::json!({
        "name": "q", "why": "w", "start": null, "end": null, "once": false, "skip": false,
        "patches": [], "take": [], "environment": {}, "build": null, "commands": {}
    }))
    .unwrap()
}

#[test]
fn an_edge_is_measured_at_the_nearest_revisions_that_are_built() {
    let line: Vec<Revision> = (0..8).map(|n| Revision::bare(&format!("r{n}"))).collect();
    let quirk = quirk();
    let edges = |skipped: &[usize]| {
        let all = edges_of(&quirk, &[3, 4, 5], &skipped.iter().copied().collect(), &line);
        let each = all
            .iter()
            .map(|it| format!("{} {} {} {}", it.begins, it.first.id, it.inside.id, it.outside.id));
        each.collect::<Vec<_>>()
    };
    assert_eq!(edges(&[]), ["true r3 r3 r2", "false r6 r5 r6"]);
    assert_eq!(edges(&[2, 3, 6]), ["true r3 r4 r1", "false r6 r5 r7"]);
    assert_eq!(edges(&[3, 4, 5]), [""; 0]);
}

#[test]
fn both_ends_are_tried_and_others_evenly_between() {
    let tried = |of, number| spread(of, number).collect::<Vec<_>>();
    assert_eq!(tried(9, 3), [0, 4, 8]);
    assert_eq!(tried(8, 3), [0, 3, 7]);
    assert_eq!(tried(2, 3), [0, 1]);
    assert_eq!(tried(4, 4), [0, 1, 2, 3]);
    assert_eq!(tried(1, 3), [0]);
    assert_eq!(tried(0, 3), [0_usize; 0]);
}

#[test]
fn a_quirk_is_needed_where_something_builds_only_with_it() {
    let (does, skips) = (quirk(), Quirk { skip: true, ..quirk() });
    for (quirk, tried, wanted) in [
        (&does, &[][..], QuirkNeed::NoRevisions),
        (&does, &[[true, true], [true, false]], QuirkNeed::Needed),
        (&does, &[[true, true], [true, true]], QuirkNeed::NotNeeded),
        (&does, &[[true, true], [false, true]], QuirkNeed::Fails),
        (&skips, &[[true, true], [false, false]], QuirkNeed::Skips),
        (&skips, &[[false, true]], QuirkNeed::NotNeeded),
    ] {
        assert_eq!(QuirkNeed::of(quirk, tried), wanted, "{tried:?}");
    }
}

#[test]
fn the_revision_outside_is_taken_where_the_one_inside_builds_in_one_way_only() {
    let line: Vec<Revision> = ["r0", "r1"].map(Revision::bare).into();
    let quirk = quirk();
    let edges = edges_of(&quirk, &[1], &BTreeSet::new(), &line);
    // Which of its quirks is for `r0` would be read from a history.
    let plan = crate::track_tests::plan("[[benchmark]]\nname = 'b'\ncommand = 'b'\n");
    let built =
        |fails: &[(&str, bool)], is_interrupted: bool| {
            let mut last = String::new();
            let mut build = |revision: &Revision, _: &Plan| {
                // Without the quirk first.
                let has = std::mem::replace(&mut last, revision.id.clone()) == revision.id;
                let built = if fails.contains(&(revision.id.as_str(), has)) {
                    Err("exit 1".to_owned())
                } else {
                    Ok(Program::Revision { revision: format!("{} {has}", revision.id) })
                };
                Ok::<_, crate::ExperimentError>((!is_interrupted).then_some(built))
            };
            let made = both_ways(Path::new("."), &plan, &edges[0], &mut build).unwrap()?;
            Some(made.map(|it| {
                it.programs.map(|program| program.revision().unwrap_or_default().to_owned())
            }))
        };
    let of = |id: &str| [format!("{id} false"), format!("{id} true")];
    assert_eq!(built(&[], false), Some(Ok(of("r1"))));
    assert_eq!(built(&[("r1", false)], false), Some(Ok(of("r0"))));
    let why = "r1 without the quirk does not build: exit 1; r0 with the quirk does not build: \
               exit 1";
    assert_eq!(built(&[("r1", false), ("r0", true)], false), Some(Err(why.to_owned())));
    assert_eq!(built(&[], true), None);
}
