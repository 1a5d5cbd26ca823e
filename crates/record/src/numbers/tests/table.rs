//! Series in tables: a column a series, or a row a value.

use super::*;
use crate::Unit;

#[test]
fn a_column_a_series() {
    let numbers = read(
        "commit,date,host,parse,load,author\n\
         a1,2026-01-01,lab,10.5,3,Ann\n\
         b2,2026-01-02,lab,NaN,4,Ben\n\
         b2,2026-01-02,lab,11,5,Ben\n\
         c3,2026-01-03,other,12,,Ann\n",
    );
    assert_eq!((numbers.shape, names(&numbers)), (NumbersShape::Listed, vec!["parse", "load"]));
    assert_eq!(samples(&numbers.series[0]), [vec![10.5], vec![11.0], vec![12.0]]);
    assert_eq!(
        samples(&numbers.series[1]),
        [vec![3.0], vec![4.0, 5.0], vec![]],
        "rows of one commit are samples"
    );
    let last = &numbers.series[0].points[2];
    assert_eq!((last.label.as_deref(), last.time.as_deref()), (Some("c3"), Some("2026-01-03")));
    assert_eq!(last.tags["host"], "other");
    assert_eq!(numbers.left_out, ["author"]);
}

#[test]
fn separators_ends_of_lines_and_a_lone_column() {
    let numbers = read("\u{feff}index;Commit;my value\r\n0;a;1\r\n1;b;2\r\n");
    assert_eq!((numbers.shape, names(&numbers)), (NumbersShape::One, vec!["my value"]));
    assert_eq!(samples(&numbers.series[0]), [[1.0], [2.0]]);
    assert_eq!(
        (numbers.series[0].points[1].label.as_deref(), numbers.left_out.as_slice()),
        (Some("b"), &["index".to_owned()][..])
    );
    assert_eq!(names(&read("a\tb\n1\t2\n")), ["a", "b"]);
}

#[test]
fn a_column_called_time_is_what_it_holds() {
    assert_eq!(names(&read("commit,time\na,1.5\n")), ["time"]);
    let dated = read("time,wall\n2024.01.01 3:00:00 +0100,1.5\n");
    assert_eq!(names(&dated), ["wall"]);
    assert_eq!(dated.series[0].points[0].time.as_deref(), Some("2024.01.01 3:00:00 +0100"));
}

#[test]
fn a_row_a_value() {
    let numbers = read(
        "series,revision,round,outcome,value,unit,better\n\
         load,a,0,valid,99,ms,\n\
         load,a,1,valid,10,ms,\n\
         rate,a,1,valid,5,req/s,higher\n\
         load,a,2,valid,11,ms,\n\
         load,b,1,exit 1,77,ms,\n\
         load,b,2,valid,12,ms,\n",
    );
    assert_eq!((numbers.shape, names(&numbers)), (NumbersShape::Listed, vec!["load", "rate"]));
    assert_eq!(
        samples(&numbers.series[0]),
        [vec![10.0, 11.0], vec![12.0]],
        "no warmup, nothing that failed"
    );
    assert_eq!(numbers.series[1].better, Direction::Higher);
    assert_eq!(numbers.series[1].unit, Unit::Other("req/s".into()));
}

#[test]
fn each_mistake_in_csv_names_its_line() {
    insta::assert_snapshot!(refused("commit,parse\na,1\nb,12 ms\n"), @r"
    line 3, column `parse`: `12 ms` is not a number
    hint: write only the number; the column's name may have the unit
    ");
    insta::assert_snapshot!(refused("commit,parse\na,1\nb,x\n"), @r"
    line 3, column `parse`: `x` is not a number
    hint: a gap is an empty cell, or `NaN`
    ");
    insta::assert_snapshot!(refused("commit;parse\na;1\nb;1,5\n"), @r"
    line 3, column `parse`: `1,5` is not a number
    hint: decimals are written with a point
    ");
    insta::assert_snapshot!(
        refused("commit,parse\na,1\n\nb,2,3\n"),
        @"line 4 has 3 cells, and the header 2"
    );
    insta::assert_snapshot!(refused("a,a\n1,2\n"), @r"
    the header has two columns `a`
    hint: the first line names the columns: `commit,parse,load`
    ");
    insta::assert_snapshot!(refused("1.5\n1.6\n"), @r"
    the header has numbers where names should be
    hint: the first line names the columns: `commit,parse,load`
    ");
    insta::assert_snapshot!(refused("commit,author\na,Ann\n"), @r"
    no column has numbers below its name
    hint: the first line names the columns: `commit,parse,load`
    ");
    insta::assert_snapshot!(refused("commit,,parse\na,b,1\n"), @r"
    the header has no name for column 2
    hint: the first line names the columns: `commit,parse,load`
    ");
    insta::assert_snapshot!(refused("series,value,better\na,1,up\n"), @r"
    line 2, column `better`: `up` is not `lower` or `higher`
    ");
}

#[test]
fn a_first_row_of_numbers_is_not_lost_as_a_header() {
    assert!(
        refused("a1b2,5\na1b3,6\n").starts_with("the header has numbers where names should be")
    );
}

#[test]
fn a_column_says_which_way_is_better() {
    let numbers = read("commit,rate,better\na,5,higher\nb,6,\nc,7,higher\n");
    assert_eq!((names(&numbers), numbers.series[0].better), (vec!["rate"], Direction::Higher));
    assert!(numbers.left_out.is_empty());
    let why = "line 3, column `better`: `lower` is not what the rows above say";
    assert_eq!(refused("commit,rate,better\na,5,higher\nb,6,lower\n"), why);
    assert_eq!(refused("series,value,better\na,5,higher\na,6,lower\n"), why);
    let long = read("series,value,better\na,5,higher\nb,6,lower\n");
    assert_eq!(
        (long.series[0].better, long.series[1].better),
        (Direction::Higher, Direction::Lower)
    );
}

#[test]
fn numbers_are_measured_whatever_their_column_is_called() {
    let rows = |cell: fn(usize) -> String| {
        (0..12).map(|at| format!("c{at},5,{}\n", cell(at))).collect::<String>()
    };
    let named = |name: &str, cell| read(&format!("commit,wall,{name}\n{}", rows(cell)));
    let measured: fn(usize) -> String = |at| format!("{}.25", 80 + at % 5);
    for name in ["cpu", "os", "kernel", "host", "CPU"] {
        assert_eq!(names(&named(name, measured)), ["wall", name]);
    }
    let steady: fn(usize) -> String = |at| if at < 6 { "6.1".to_owned() } else { "6.2".to_owned() };
    assert_eq!(names(&named("kernel", steady)), ["wall"], "a version stays from row to row");
    assert_eq!(named("kernel", steady).series[0].points[0].tags["kernel"], "6.1");
    assert_eq!(names(&named("cpu", steady)), ["wall", "cpu"], "a quantised time does too");
    let xeon: fn(usize) -> String = |_| "Xeon".to_owned();
    assert_eq!(named("cpu", xeon).series[0].points[3].tags["cpu"], "Xeon");
}

#[test]
fn a_label_that_is_the_same_everywhere_makes_no_point_of_all_rows() {
    let one = read("date,version,wall\n2026-01-01,1.0,5\n2026-01-02,1.0,6\n");
    assert_eq!(samples(&one.series[0]), [[5.0], [6.0]]);
    let other = read("version,sha,wall\n1.0,a,5\n1.0,b,6\n");
    assert_eq!(other.series[0].points[1].label.as_deref(), Some("b"));
    let samples_of_one = read("version,wall\n1.0,5\n1.0,6\n");
    assert_eq!(
        samples(&samples_of_one.series[0]),
        [[5.0, 6.0]],
        "nothing else tells the rows apart"
    );
}

#[test]
fn a_version_that_is_measured_day_after_day_is_many_points() {
    let points = |text: &str| samples(&read(text).series[0]);
    let nightly = "version,date,wall\n1.0,2026-01-01,5\n1.0,2026-01-01,5.5\n1.0,2026-01-02,6\n1.1,2026-01-03,7\n";
    assert_eq!(points(nightly), [vec![5.0, 5.5], vec![6.0], vec![7.0]]);
    let backwards =
        "release,date,wall\n1.1,2026-01-03,7\n1.0,2026-01-02T03:00:00,6\n1.0,2026-01-01,5\n";
    assert_eq!(points(backwards), [[7.0], [6.0], [5.0]]);
    let seconds = "version,timestamp,wall\n1.0,1700000000,5\n1.0,1700000060,5.5\n1.0,1700086400,6\n1.1,1700172800,7\n";
    assert_eq!(points(seconds), [vec![5.0, 5.5], vec![6.0], vec![7.0]]);
    let long = "series,value,version,date\na,5,1.0,2026-01-01\na,6,1.0,2026-01-02\nb,7,1.0,2026-01-01\nb,8,1.1,2026-01-02\n";
    assert_eq!(points(long), [[5.0], [6.0]]);
}

#[test]
fn a_version_that_is_measured_again_is_one_point() {
    let points = |text: &str| samples(&read(text).series[0]);
    let turns = "version,date,wall\n1.0,2026-01-01,5\n1.1,2026-01-01,7\n1.0,2026-01-02,6\n1.1,2026-01-02,8\n";
    assert_eq!(points(turns), [[5.0, 6.0], [7.0, 8.0]]);
    let sorted = "version,date,wall\n1.0,2026-01-01,5\n1.0,2026-01-02,6\n1.1,2026-01-01,7\n1.1,2026-01-02,8\n";
    assert_eq!(points(sorted), [[5.0, 6.0], [7.0, 8.0]]);
    let commit = "commit,date,wall\na,2026-01-01,5\na,2026-01-02,6\nb,2026-01-03,7\n";
    assert_eq!(points(commit), [vec![5.0, 6.0], vec![7.0]], "a commit is one program");
    let unknown = "version,date,wall\n1.0,first,5\n1.0,second,6\n1.1,third,7\n";
    assert_eq!(points(unknown), [vec![5.0, 6.0], vec![7.0]]);
}

#[test]
fn a_time_that_counts_from_1970_is_no_series() {
    let epoch = read("time,commit,wall\n1700000000,a,5\n1700086400,b,6\n");
    assert_eq!(
        (names(&epoch), epoch.series[0].points[1].time.as_deref()),
        (vec!["wall"], Some("1700086400"))
    );
    assert_eq!(names(&read("time,wall\n1700000000123,5\n1700000100123,6\n")), ["wall"]);
    assert_eq!(
        names(&read("time,commit,wall\n1700000000,a,5\n1600000000,b,6\n1700000001,c,5\n")),
        ["time", "wall"]
    );
    assert_eq!(names(&read("time\n1700000000\n1700086400\n")), ["time"], "what else would it be");
}

#[test]
fn numbers_that_are_written_otherwise_are_not_left_out() {
    insta::assert_snapshot!(refused("commit;wall;size\na;1,5;3\nb;1,6;4\n"), @r"
    line 2, column `wall`: `1,5` is not a number
    hint: decimals are written with a point
    ");
    insta::assert_snapshot!(refused("commit,wall\na,10.5 ms\nb,10.6 ms\n"), @r"
    line 2, column `wall`: `10.5 ms` is not a number
    hint: write only the number; the column's name may have the unit
    ");
    assert_eq!(read("commit,memory,wall\na,16 GB,5\nb,16 GB,6\n").left_out, ["memory"]);
}

#[test]
fn times_that_were_measured_and_are_written_otherwise_are_not_taken_for_dates() {
    insta::assert_snapshot!(refused("commit;time;size\na;1,5;3\nb;1,6;4\n"), @r"
    line 2, column `time`: `1,5` is not a number
    hint: decimals are written with a point
    ");
    insta::assert_snapshot!(refused("commit,time\na,10 ms\nb,9.5 ms\n"), @r"
    line 2, column `time`: `10 ms` is not a number
    hint: write only the number; the column's name may have the unit
    ");
    assert_eq!(read("time,wall\n2026-01-01T10:00:00Z,5\n2026-01-02T10:00:00Z,6\n").series.len(), 1);
}

#[test]
fn thousands_that_are_set_apart_are_refused_for_what_they_are() {
    let why = "line 2, column `wall`: `10,050.12` is not a number\nhint: leave out the \
        separators: `10050.12`";
    assert_eq!(refused("commit,wall\na,\"10,050.12\"\nb,\"9,050.12\"\n"), why);
    assert_eq!(refused("commit,wall,size\na,\"10,050.12\",1\nb,950.12,2\n"), why);
    let thousands = |text: &str| super::error::has_thousands(text);
    assert!(["-1,207,000", "10,050.", "1,000.5"].into_iter().all(thousands));
    let others = [
        "1,207", "1,5", "1000.5", "1,00,000", "10,50.1", "1,0000.5", "a,b.c", "", ",100.5",
        "1,234.x",
    ];
    assert!(!others.into_iter().any(thousands));
}

#[test]
fn rows_that_are_samples_of_one_release_are_counted() {
    let of = |text: &str| read(text).together.map(|it| (it.column, it.rows, it.points));
    assert_eq!(of("version,wall\n1.0,5\n1.0,6\n1.1,7\n"), Some(("version".to_owned(), 3, 2)));
    assert_eq!(
        of("series,Release,value\na,1.0,5\na,1.0,6\nb,1.0,7\n"),
        Some(("Release".to_owned(), 2, 1))
    );
    assert_eq!(of("version,wall\n1.0,5\n1.1,7\n"), None);
    assert_eq!(of("commit,wall\na,5\na,6\nb,7\n"), None, "a commit is one program");
    assert_eq!(
        of("version,date,wall\n1.0,2026-01-01,5\n1.0,2026-01-02,6\n1.1,2026-01-03,7\n"),
        None
    );
}

#[test]
fn many_series_below_one_another_are_read_in_one_pass() {
    let row = |at: usize| format!("c,s{at},{at},lower\n");
    let text: String = (0..20_000).map(row).collect();
    let numbers = read(&format!("commit,benchmark,value,better\n{text}"));
    assert_eq!(numbers.series.len(), 20_000);
    assert_eq!(numbers.series[19_999].points[0].samples, [19_999.0]);
}

#[test]
fn rows_of_several_benchmarks_below_one_another_are_series_of_their_own() {
    let long = "commit,benchmark,time\na,parse,10\na,sort,5\nb,parse,11\nb,sort,6\n";
    let numbers = read(long);
    assert_eq!(names(&numbers), ["parse", "sort"]);
    assert_eq!(samples(&numbers.series[1]), [[5.0], [6.0]]);
    assert_eq!((numbers.named_by, numbers.left_out), (vec!["benchmark".to_owned()], vec![]));
    let two = read(
        "date,test,wall,rss,note\n2026-01-01,a,1,2,x\n2026-01-01,b,3,4,y\n2026-01-02,a,5,6,z\n\
         2026-01-02,b,7,8,w\n",
    );
    assert_eq!(names(&two), ["a wall", "a rss", "b wall", "b rss"]);
    assert_eq!(samples(&two.series[3]), [[4.0], [8.0]]);
    assert_eq!(two.left_out, ["note"]);
    let metrics = read(
        "commit,benchmark,metric,value,stddev\na,p,time,1,0\na,p,rss,9,0\nb,p,time,2,0\n\
         b,p,rss,8,0\n",
    );
    assert_eq!((names(&metrics), metrics.named_by.len()), (vec!["p time", "p rss"], 0));
    assert_eq!(metrics.left_out, ["stddev"]);
}

#[test]
fn a_name_for_each_row_names_no_series() {
    let points = read("name,time\na,1\nb,2\nc,3\n");
    assert_eq!(
        (names(&points), points.left_out.as_slice()),
        (vec!["time"], &["name".to_owned()][..])
    );
    let one = read("commit,benchmark,time\na,parse,10\nb,parse,11\n");
    assert_eq!(
        (names(&one), one.left_out.as_slice()),
        (vec!["time"], &["benchmark".to_owned()][..])
    );
    let numbered = read("commit,test,time\na,1,10\na,2,5\nb,1,11\nb,2,6\n");
    assert_eq!(names(&numbered), ["test", "time"], "numbers may have been measured");
}

#[test]
fn names_and_units_of_rates_say_which_way_is_better() {
    use crate::RateHint::{Certain, Possible};
    let of = |text: &str| {
        let numbers = read(text);
        numbers.series.iter().map(|it| (it.better, it.rate)).collect::<Vec<_>>()
    };
    let (higher, lower) = ((Direction::Higher, Some(Certain)), (Direction::Lower, Some(Possible)));
    assert_eq!(
        of("commit,requests_per_s,score,wall\na,5,6,7\n"),
        [higher, lower, (Direction::Lower, None)]
    );
    assert_eq!(of(r#"{"values": [1], "unit": "MB/s"}"#), [higher]);
    assert_eq!(of(r#"{"values": [1], "unit": "MB/s", "better": "lower"}"#)[0].1, None);
    assert_eq!(of("c,benchmark,ops/s\na,p,1\na,q,1\nb,p,1\nb,q,1\n"), [higher, higher]);
    let given = parse(b"commit,score\na,5\n", Some(Direction::Higher)).unwrap();
    assert_eq!((given.series[0].better, given.series[0].rate), (Direction::Higher, None));
}
