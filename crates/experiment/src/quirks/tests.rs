use tacho_record::Revision;
use tacho_record::plan::Quirk;

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
