//! Series in JSON.

use std::collections::BTreeMap;

use super::*;
use crate::Unit;

#[test]
fn tags_that_all_series_share_have_a_limit() {
    let tags: Vec<String> = (0..1100).map(|n| format!("\"t{n}\":\"x\"")).collect();
    let series = vec!["{\"values\":[1]}"; 1000].join(",");
    let text = format!("{{\"tags\":[{{{}}}],\"series\":[{series}]}}", tags.join(","));
    assert_eq!(
        refused(&text),
        "`tags` beside `series` gives 1100000 tags to all series; the limit is 1000000\nhint: put \
         tags into the series that they belong to"
    );
}

#[test]
fn the_simplest_series() {
    let numbers = read(r#"{"values": [1, 2.5, null, NaN, -Infinity, 3], "better": "higher"}"#);
    assert_eq!(numbers.shape, NumbersShape::One);
    let series = &numbers.series[0];
    assert_eq!((series.name.as_deref(), series.better), (None, Direction::Higher));
    assert_eq!(samples(series), [vec![1.0], vec![2.5], vec![], vec![], vec![], vec![3.0]]);
    assert_eq!(samples(&read("[1, NaN, 2]").series[0]), [vec![1.0], vec![], vec![2.0]]);
}

#[test]
fn names_and_labels_show_what_is_hidden_in_them() {
    let text = "{\"name\": \"a\u{202e}b\", \"values\": [1], \"labels\": [\"\\u001b[31mv1\"]}";
    let series = &read(text).series[0];
    assert_eq!(series.name.as_deref(), Some("a\\u{202e}b"));
    assert_eq!(series.points[0].label.as_deref(), Some("\\u{1b}[31mv1"));
}

#[test]
fn all_that_a_point_may_have() {
    let numbers = read(
        r#"{"name": "parse", "unit": "ms", "values": [1, 2, 3], "samples": [[1, 1.5, null], [], [3]],
            "labels": ["a", 7, null], "times": ["2026-01-02", 1760000000, null],
            "tags": [{"host": "lab", "jobs": 4, "x": null}, "gcc 13", null]}"#,
    );
    let [one, two, three] = numbers.series[0].points.as_slice() else { panic!("{numbers:?}") };
    assert_eq!((one.samples.as_slice(), one.label.as_deref()), (&[1.0, 1.5][..], Some("a")));
    assert_eq!(
        (two.samples.as_slice(), two.label.as_deref()),
        (&[2.0][..], Some("7")),
        "no samples: the value"
    );
    assert_eq!(two.time.as_deref(), Some("1760000000"));
    assert_eq!((three.label.as_deref(), three.time.as_deref(), three.tags.len()), (None, None, 0));
    assert_eq!(
        one.tags,
        BTreeMap::from([("host".into(), "lab".into()), ("jobs".into(), "4".into())])
    );
    assert_eq!(two.tags, BTreeMap::from([("environment".into(), "gcc 13".into())]));
    assert_eq!(numbers.series[0].unit, Unit::Other("ms".into()));
    let by_name = read(r#"{"values": [1, 2], "tags": {"host": ["a", "b"], "os": [null, "x"]}}"#);
    assert_eq!(by_name.series[0].points[1].tags.len(), 2);
    assert_eq!(by_name.series[0].points[0].tags.len(), 1);
}

#[test]
fn samples_say_where_they_are_from() {
    let numbers = read(
        r#"{"samples": [[1, null, 3], [4]], "rounds": [[7, 8, 9], [9]], "runs": ["monday", ["tuesday"]],
            "layouts": [[0, 1, 1], 1]}"#,
    );
    let origins: Vec<Vec<(u32, u32, u32)>> = (numbers.series[0].points.iter())
        .map(|point| point.origins.iter().map(|from| (from.round, from.run, from.layout)).collect())
        .collect();
    assert_eq!(origins, [vec![(0, 0, 0), (2, 0, 1)], vec![(2, 1, 1)]]);
    let plain = read(r#"{"samples": [[1, 2]], "runs": [[1, 1]]}"#);
    assert!(plain.series[0].points[0].origins.is_empty(), "without rounds they say nothing");
    let refusal = refused(r#"{"samples": [[1, 2], [3]], "rounds": [[1], [1]]}"#);
    assert!(refusal.contains("rounds[0]"), "{refusal}");
    for rounds in ["[[1, 1], [1]]", "[1, 1]"] {
        let twice = format!(r#"{{"samples": [[1, 2], [3]], "rounds": {rounds}}}"#);
        let told = "`rounds[0]` gives two samples of one point the same round; ";
        assert!(refused(&twice).contains(told), "{rounds}");
    }
    let layouts = r#"{"samples": [[1, 2]], "rounds": [[1, 1]], "layouts": [[0, 1]]}"#;
    assert_eq!(read(layouts).series[0].points[0].origins.len(), 2, "each layout has its rounds");
    let refusal = refused(r#"{"samples": [[1, 2], [3]], "rounds": [[1, 2]]}"#);
    assert!(refusal.contains("rounds"), "{refusal}");
}

#[test]
fn many_series_by_name_and_in_a_list() {
    let named = read(
        r#"{"series": {"b": {"values": [1]}, "a": [2, null]}, "better": "higher", "labels": null}"#,
    );
    assert_eq!((named.shape, names(&named)), (NumbersShape::Named, vec!["b", "a"]));
    assert!(
        named.series.iter().all(|series| series.better == Direction::Higher),
        "what stands around holds"
    );
    let listed = read(r#"{"series": [{"name": "a", "values": [1]}, {"samples": [[1, 2]]}]}"#);
    assert_eq!((listed.shape, names(&listed)), (NumbersShape::Listed, vec!["a", "-"]));
    let bare = read(r#"[{"name": "a", "values": [1], "better": "higher"}]"#);
    assert_eq!((bare.shape, names(&bare)), (NumbersShape::Listed, vec!["a"]));
    assert_eq!(bare.series[0].better, Direction::Higher);
}

#[test]
fn each_mistake_in_json_names_its_place() {
    insta::assert_snapshot!(
        refused("{\"values\": [1,\n 2,, 3]}"),
        @"it begins like JSON, but is not valid JSON: expected value at line 2 column 4"
    );
    insta::assert_snapshot!(
        refused(r#"{"values": [1, "12 ms"]}"#),
        @"`values[1]` is the text `12 ms`, not a number or null"
    );
    insta::assert_snapshot!(
        refused(r#"{"series": {"a": {"values": [1, {}]}}}"#),
        @"`series.a.values[1]` is an object, not a number or null"
    );
    insta::assert_snapshot!(
        refused(r#"{"series": [{"values": {}}]}"#),
        @"`series[0].values` is an object, not an array"
    );
    insta::assert_snapshot!(
        refused(r#"{"values": [1, 2], "labels": ["a"]}"#),
        @"`labels` has 1, and `values` 2"
    );
    insta::assert_snapshot!(
        refused(r#"{"samples": [[1], [2]], "times": []}"#),
        @"`times` has 0, and `samples` 2"
    );
    insta::assert_snapshot!(
        refused(r#"{"samples": [[1], [true]]}"#),
        @"`samples[1][0]` is true, not a number or null"
    );
    insta::assert_snapshot!(
        refused(r#"{"samples": [[1], {}]}"#),
        @"`samples[1]` is an object, not an array of numbers"
    );
    insta::assert_snapshot!(
        refused(r#"{"values": [1], "better": "up"}"#),
        @"`better` is the text `up`, not `lower` or `higher`"
    );
    insta::assert_snapshot!(refused(r#"{"values": [1], "beter": "lower"}"#), @r"
    unknown key `beter`
    hint: did you mean `better`?
    ");
    insta::assert_snapshot!(
        refused(r#"{"values": [1], "tags": [{"os": []}]}"#),
        @"`tags[0].os` is an array, not a text"
    );
    insta::assert_snapshot!(refused(r#"{"vals": [1]}"#), @r#"
    `the object` has no `values`
    hint: the simplest input is `{"values": [5.1, 5.2, 5.0], "better": "lower"}`
    "#);
    insta::assert_snapshot!(refused(r#"{"series": {}}"#), @r#"
    the input has no series
    hint: the simplest input is `{"values": [5.1, 5.2, 5.0], "better": "lower"}`
    "#);
    insta::assert_snapshot!(
        refused(r#"{"series": 3}"#),
        @"`series` is the number 3, not an object or an array of series"
    );
    insta::assert_snapshot!(
        refused(r#"{"series": {"a": [1], "a": [2]}}"#),
        @"it begins like JSON, but is not valid JSON: the key `a` is there twice at line 1 column \
            25"
    );
    insta::assert_snapshot!(
        refused(r#"[{"name": "a", "values": []}, {"name": "a", "values": []}]"#),
        @"there are two series `a`"
    );
    insta::assert_snapshot!(refused(" \n"), @r#"
    the input is empty
    hint: the simplest input is `{"values": [5.1, 5.2, 5.0], "better": "lower"}`
    "#);
    assert!(
        refused(&"[".repeat(100_000)).contains("recursion limit"),
        "no stack is deep enough for all"
    );
    let error = parse(b"{\n\xff}", None).unwrap_err();
    assert_eq!(error.to_string(), "line 2 is not UTF-8 text");
    assert_eq!(
        error.hint().as_deref(),
        Some("save it as UTF-8: a spreadsheet may have written UTF-16")
    );
}

#[test]
fn several_values_of_a_point_have_a_name_of_their_own() {
    assert_eq!(
        refused(r#"{"values": [[1, 2], [3, 4]]}"#),
        "`values[0]` is an array, not a number or null\n\
         hint: several values of a point are `samples`: `{\"samples\": [[5.1, 5.2], [5.0, 5.3]]}`"
    );
}

#[test]
fn a_key_in_other_letters_was_meant_to_be_the_known_one() {
    assert_eq!(
        refused(r#"{"values": [1], "Better": "higher"}"#),
        "unknown key `Better`\nhint: did you mean `better`?"
    );
}

#[test]
fn a_number_that_is_too_large_is_a_gap_as_infinity_is() {
    assert_eq!(
        samples(&read("[1, 1e400, -1e999, 2e0]").series[0]),
        [vec![1.0], vec![], vec![], vec![2.0]]
    );
    assert_eq!(
        read(r#"{"values": [1], "labels": ["1e400"]}"#).series[0].points[0].label.as_deref(),
        Some("1e400")
    );
}

#[test]
fn a_number_of_many_digits_is_a_gap() {
    let huge = "9".repeat(70_000);
    assert_eq!(
        samples(&read(&format!("[1, {huge}, 2]")).series[0]),
        [vec![1.0], vec![], vec![2.0]]
    );
    assert_eq!(samples(&read("[1, 1e400, 2]").series[0]), [vec![1.0], vec![], vec![2.0]]);
}
