//! Numbers as people and other tools write them, well and badly.

use proptest::prelude::*;

use super::*;

mod json;
mod table;

fn read(text: &str) -> Numbers {
    parse(text.as_bytes(), None).unwrap_or_else(|error| panic!("{error} in {text}"))
}

#[track_caller]
fn refused(text: &str) -> String {
    let error = parse(text.as_bytes(), None).unwrap_err();
    let hint = error.hint().map_or_else(String::new, |hint| format!("\nhint: {hint}"));
    format!("{error}{hint}")
}

/// The samples of each point.
fn samples(given: &GivenSeries) -> Vec<Vec<f64>> {
    given.points.iter().map(|point| point.samples.clone()).collect()
}

fn names(numbers: &Numbers) -> Vec<&str> {
    numbers.series.iter().map(|series| series.name.as_deref().unwrap_or("-")).collect()
}

/// Text that is nearly a file of numbers.
fn nearly() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\n",
        "\r",
        ";",
        "\t",
        " ",
        "NaN",
        "-Infinity",
        "null",
        "1",
        "-2.5e300",
        "1e999",
        "\"values\"",
        "\"samples\"",
        "\"series\"",
        "\"tags\"",
        "\"labels\"",
        "\"better\"",
        "\"lower\"",
        "commit",
        "value",
        "series",
        "time",
        "é",
        "\u{feff}",
        "\0",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(
        text in nearly(),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let _ = parse(text.as_bytes(), None);
        let _ = parse(&bytes, Some(Direction::Higher));
    }

    #[test]
    fn what_is_written_is_read(
        values in prop::collection::vec(prop::option::of(-1e12..1e12_f64), 1..50),
    ) {
        let json = serde_json::json!({ "values": values }).to_string();
        let expected: Vec<Vec<f64>> = values.iter().map(|value| value.iter().copied().collect()).collect();
        let close = |found: &[Vec<f64>]| {
            found.len() == expected.len()
                && found.iter().zip(&expected).all(|(a, b)| a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-15 * b.abs()))
        };
        prop_assert!(close(&samples(&read(&json).series[0])));
        if values.iter().any(Option::is_some) {
            let cell = |value: &Option<f64>| value.map_or_else(|| "nan\n".to_owned(), |value| format!("{value}\n"));
            let csv = format!("parse\n{}", values.iter().map(cell).collect::<String>());
            prop_assert!(close(&samples(&read(&csv).series[0])));
        }
    }
}
