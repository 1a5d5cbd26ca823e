//! What the tools really printed, and what they might.

use proptest::prelude::*;
use tacho_record::plan::{OutputPlace, PlannedMetric, parse};

use super::*;

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../tests/fixtures/", $name)).as_slice()
    };
}

/// All of them, for tests that take anything.
const FIXTURES: [&[u8]; 17] = [
    fixture!("criterion-bencher.txt"),
    fixture!("criterion.txt"),
    fixture!("go-bench.txt"),
    fixture!("google-benchmark.json"),
    fixture!("hyperfine-2.json"),
    fixture!("hyperfine.json"),
    fixture!("iperf3-udp.json"),
    fixture!("iperf3.json"),
    fixture!("jmh-thrpt.json"),
    fixture!("jmh.json"),
    fixture!("pyperf.json"),
    fixture!("pytest-benchmark.json"),
    fixture!("tcpbench.txt"),
    fixture!("time-bash.txt"),
    fixture!("time-default.txt"),
    fixture!("time-p.txt"),
    fixture!("time-v.txt"),
];

/// Ways to read, at least one of each kind.
const WAYS: [&str; 24] = [
    "csv:a",
    "json:/results/*/times",
    "json:",
    "key:a",
    "regex:(-?[0-9.]+)",
    "criterion",
    "criterion:sum",
    "go-bench:Sort",
    "go-bench:B/op",
    "google-benchmark:BM_copy/64",
    "google-benchmark:bytes_per_second",
    "hyperfine:0",
    "iperf3:sent",
    "iperf3:retransmits",
    "jmh",
    "jmh:sum(n=10)",
    "metrics",
    "pyperf",
    "pytest-benchmark:test_sum",
    "tcpbench:mbps",
    "tcpbench:avg",
    "tcpbench:peak",
    "time:real",
    "time:max-rss",
];

/// The parser of a metric `m` that a plan describes so.
fn parser(from: &str, more: &str) -> Parser {
    let text = format!(
        "[[benchmark]]\nname = 'a'\ncommand = 'a'\nmetrics = [{{ name = 'm', from = \
         '{from}'{more} }}]\n"
    );
    let plan = parse(&text, "tacho.toml").unwrap_or_else(|errors| panic!("{errors}"));
    let PlannedMetric { metric, reading, .. } = plan.benchmarks[0].metrics[0].clone();
    Parser::new(&reading.unwrap(), &metric.unit)
}

#[track_caller]
fn gives(from: &str, text: impl AsRef<[u8]>, wanted: &[f64]) {
    let values = parser(from, "").values(text.as_ref()).unwrap();
    let near = |(value, wanted): (&f64, &f64)| (value - wanted).abs() <= wanted.abs() * 1e-12;
    assert!(
        values.len() == wanted.len() && values.iter().zip(wanted).all(near),
        "{from}: {values:?}, not {wanted:?}"
    );
}

#[track_caller]
fn fails(from: &str, text: impl AsRef<[u8]>, wanted: &str) {
    let why = parser(from, "").values(text.as_ref()).unwrap_err();
    assert!(why.contains(wanted), "{from}: {why}");
}

#[test]
fn regular_expressions() {
    gives("regex:mean bucket ([0-9.]+)", "x\nmean bucket 6.5\nmean bucket 4.5\n", &[6.5, 4.5]);
    gives("regex:^b=(\\d+)$", "a=1\nb=2\n", &[2.0]);
    gives("regex:a|b=(\\d+)", "a b=2", &[2.0]);
    gives("regex:n=(\\d+)", b"\xff\xfe n=3 \x80", &[3.0]);
    fails("regex:mean bucket ([0-9.]+)", "median bucket 6.5", "nothing matches `mean bucket");
    fails("regex:took (.*)", "took long", "`long` is not a number");
    assert_eq!(parser("regex:took (.*)$", ", unit = 'ms'").values(b"took 2.5\n"), Ok(vec![2.5e6]));
    assert_eq!(
        parser("regex:took (.*)$", ", unit = 'ms'").values(b"took 2.5 s\n"),
        Ok(vec![2.5e9])
    );
}

#[test]
fn json_pointers() {
    gives(
        "json:/results/1/times",
        fixture!("hyperfine.json"),
        &[0.001_940_267, 0.001_045_051, 0.001_197_648_000_000_000_2, 0.000_971_246, 0.001_645_212],
    );
    gives("json:/results/*/exit_codes/0", fixture!("hyperfine.json"), &[0.0, 0.0]);
    gives("json:/a~1b/c~0d", r#"{"a/b": {"c~d": "7"}}"#, &[7.0]);
    gives("json:/n", "{\"n\": 1}\n{\"n\": 2}\n{\"o\": 3}\n", &[1.0, 2.0]);
    gives("json:", "42", &[42.0]);
    gives("json:/rate", "starting up\n{\"rate\": 5}\n{\"rate\": 7}\n", &[5.0, 7.0]);
    gives(
        "metrics",
        "starting up\n{\"m\": [5, 6]}\n[info] half\n{\"m\": 7}\ndone\n",
        &[5.0, 6.0, 7.0],
    );
    fails("json:/results/2/times", fixture!("hyperfine.json"), "there is no value at");
    fails("json:/results/0", fixture!("hyperfine.json"), "is not a number");
    fails("json:/a", "{\"a\": 1", "it is not JSON");
    fails("json:/a", "", "it is empty");
}

#[test]
fn tables_and_keys() {
    gives("csv:time", "n,time\n1, 2.5\n2,\"1,234\"\n", &[2.5, 1234.0]);
    gives("csv:time", "n;time\r\n1;2.5\r\n", &[2.5]);
    gives("csv:b c", "a\tb c\n1\t2\n", &[2.0]);
    fails("csv:time", "n,tim\n1,2\n", "no column `time` in `n,tim`");
    fails("csv:time", "n,time\n1\n", "`` is not a number");
    fails("csv:time", "n,time\n", "there is no value");
    gives("key:VmHWM", "VmPeak:\t 10 kB\nVmHWM: 7\n", &[7.0]);
    gives("key:hit rate", "  hit rate = 0.75\nhit rates=9\n", &[0.75]);
    assert_eq!(parser("key:VmHWM", ", unit = 'B'").values(b"VmHWM:\t  7 kB\n"), Ok(vec![7000.0]));
    fails("key:VmHWM", "VmPeak: 10\n", "no line begins with `VmHWM=`");
}

#[test]
fn gnu_posix_and_bash_time() {
    gives("time:real", fixture!("time-v.txt"), &[0.02e9]);
    gives("time:user", fixture!("time-v.txt"), &[0.01e9]);
    gives("time:sys", fixture!("time-v.txt"), &[0.0]);
    gives("time:max-rss", fixture!("time-v.txt"), &[1528.0 * 1024.0]);
    gives("time:real", fixture!("time-p.txt"), &[0.02e9]);
    gives("time:real", fixture!("time-default.txt"), &[0.02e9]);
    gives("time:max-rss", fixture!("time-default.txt"), &[1720.0 * 1024.0]);
    gives("time:real", fixture!("time-bash.txt"), &[0.023e9]);
    gives("time:user", fixture!("time-bash.txt"), &[0.001e9]);
    gives("time:real", "\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02:03\n", &[3723e9]);
    fails("time:max-rss", fixture!("time-p.txt"), "no `max-rss`");
    fails("time:real", "realistic 5\n", "no `real`");
}

#[test]
fn iperf3_tells_sender_and_receiver_apart() {
    gives("iperf3:sent", fixture!("iperf3.json"), &[19_826.525_084_377_037]);
    gives("iperf3:received", fixture!("iperf3.json"), &[19_731.109_022_537_7]);
    gives("iperf3:retransmits", fixture!("iperf3.json"), &[4.0]);
    gives("iperf3:received", fixture!("iperf3-udp.json"), &[10.222_123_569_958_786]);
    fails("iperf3:retransmits", fixture!("iperf3-udp.json"), "`retransmits` is not a number");
    fails("iperf3:sent", r#"{"end": {}, "error": "unable to connect"}"#, "unable to connect");
}

#[test]
fn iperf3_may_report_event_by_event() {
    let second = r#"{"event":"interval","data":{"sum":{"bits_per_second":9e9}}}"#;
    let end = r#"{"event":"end","data":{"sum_sent":{"bits_per_second":2e9,"retransmits":3},"sum_received":{"bits_per_second":1e9}}}"#;
    let stream = format!("{{\"event\":\"start\",\"data\":{{}}}}\n{second}\n{second}\n{end}\n");
    gives("iperf3:received", &stream, &[1000.0]);
    gives("iperf3:sent", &stream, &[2000.0]);
    gives("iperf3:retransmits", &stream, &[3.0]);
    fails("iperf3:sent", second, "iperf3 reports no `end`");
    fails("iperf3:sent", r#"{"event":"error","data":"the server is busy"}"#, "the server is busy");
}

#[test]
fn tcpbench_by_slice_peak_and_average() {
    gives("tcpbench:mbps", fixture!("tcpbench.txt"), &[367.652, 241.68]);
    gives("tcpbench:peak", fixture!("tcpbench.txt"), &[367.652]);
    gives("tcpbench:avg", fixture!("tcpbench.txt"), &[304.666]);
    let udp = "Elapsed:        1000 Mbps:     809.123 Peak Mbps:     809.124 Tx PPS:   68702\n";
    gives("tcpbench:mbps", udp, &[809.123]);
    gives("tcpbench:peak", udp, &[809.124]);
    fails("tcpbench:avg", udp, "no `avg`");
}

#[test]
fn google_benchmark_repetitions_are_replicates() {
    let times = [13.021_413_298_850_241, 12.784_450_806_273_47, 12.701_775_372_983_183];
    gives("google-benchmark:BM_copy/64", fixture!("google-benchmark.json"), &times);
    let rates = [4_928.889_809_609_034, 5_010.910_659_095_81, 5_038.157_071_442_81];
    let report = String::from_utf8_lossy(fixture!("google-benchmark.json"));
    let headed = format!(
        "Run on (2 X 2400 MHz CPU s)\n***WARNING*** CPU scaling is enabled\n{report}\ndone\n"
    );
    gives("google-benchmark:BM_copy/64", headed, &times);
    gives(
        "google-benchmark:BM_copy/64:bytes_per_second",
        fixture!("google-benchmark.json"),
        &rates,
    );
    fails(
        "google-benchmark:BM_move",
        fixture!("google-benchmark.json"),
        "there is `BM_copy/64`, `BM_copy/4096`",
    );
    fails("google-benchmark", fixture!("google-benchmark.json"), "one must be named");
    let aggregates = r#"{"benchmarks": [
        {"name": "a_mean", "run_name": "a", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 1},
        {"name": "a_median", "run_name": "a", "run_type": "aggregate", "aggregate_name": "median", "real_time": 2,
         "time_unit": "us"}]}"#;
    gives("google-benchmark:a", aggregates, &[2000.0]);
    let unitless = r#"{"benchmarks": [{"name": "a", "run_type": "iteration", "real_time": 1}]}"#;
    fails("google-benchmark:a", unitless, "it has no `time_unit`");
}

#[test]
fn criterion_prints_in_two_ways() {
    gives("criterion:sum", fixture!("criterion.txt"), &[0.5747]);
    gives(
        "criterion:a group with a rather long name/sort/1000",
        fixture!("criterion.txt"),
        &[508.03],
    );
    gives(
        "criterion:a group with a rather long name/sort/1000",
        fixture!("criterion-bencher.txt"),
        &[510.0],
    );
    gives(
        "criterion",
        "alloc                   time:   [2.5094 ms 2.5306 ms 2.5553 ms]\n",
        &[2.5306e6],
    );
    gives("criterion", "test a ... bench:       1,234.5 ns/iter (+/- 5)\n", &[1234.5]);
    fails("criterion", fixture!("criterion.txt"), "one must be named: `sum`");
    fails("criterion", "Benchmarking sum\n", "it reports nothing");
}

#[test]
fn go_benchmarks_by_any_of_their_names_and_units() {
    for name in ["Sort", "BenchmarkSort", "Sort-2", "BenchmarkSort-2"] {
        gives(&format!("go-bench:{name}"), fixture!("go-bench.txt"), &[11_638.0, 10_552.0]);
    }
    gives("go-bench:Sort:MB/s", fixture!("go-bench.txt"), &[687.38, 758.14]);
    gives("go-bench:Sum/size=small:misses/op", fixture!("go-bench.txt"), &[0.0, 0.0]);
    gives("go-bench:Sum/size=large", fixture!("go-bench.txt"), &[0.2883, 0.2699]);
    fails("go-bench:Sum/size=small:MB/s", fixture!("go-bench.txt"), "reports no `MB/s`");
    fails("go-bench:Sum", fixture!("go-bench.txt"), "nothing is called `Sum`");
}

#[test]
fn python_benchmarks() {
    let rounds = [
        14_579.100_025_002_845,
        13_151.100_029_062_946,
        14_256.800_022_849_348,
        14_386.900_056_706_509,
    ];
    gives("pytest-benchmark:test_sum", fixture!("pytest-benchmark.json"), &rounds);
    gives("pytest-benchmark:test_x.py::test_sum", fixture!("pytest-benchmark.json"), &rounds);
    gives(
        "pytest-benchmark",
        r#"{"benchmarks": [{"name": "a", "stats": {"median": 0.5}}]}"#,
        &[0.5e9],
    );
    let values = [
        10_528.688_049_293_855,
        10_464.523_620_579_147,
        9_624.901_489_257_986,
        9_754.092_712_421_78,
    ];
    gives("pyperf:sum", fixture!("pyperf.json"), &values);
    gives("pyperf", fixture!("pyperf.json"), &values);
    let memory = parser("pyperf", ", unit = 'MiB'").values(fixture!("pyperf.json"));
    assert_eq!(memory, Err("its unit is `second`, and the plan gives another".to_owned()));
}

#[test]
fn hyperfine_by_name_or_place() {
    let two = fixture!("hyperfine-2.json");
    gives("hyperfine:wait 1s", two, &[1.0015e9, 1.0025e9]);
    gives("hyperfine:sleep 1", two, &[1.0015e9, 1.0025e9]);
    gives("hyperfine:1", two, &[5e5]);
    fails("hyperfine:2", two, "there is `wait 1s`, `true`");
    let times = [1_940_267.0, 1_045_051.0, 1_197_648.000_000_000_2, 971_246.0, 1_645_212.0];
    gives("hyperfine:true", fixture!("hyperfine.json"), &times);
    gives("hyperfine:1", fixture!("hyperfine.json"), &times);
    fails("hyperfine:2", fixture!("hyperfine.json"), "there is `sleep`, `true`");
}

#[test]
fn jmh_scores_in_the_unit_of_the_plan() {
    let scores = [
        8.211_769_976_509_586,
        6.703_215_279_106_585,
        5.104_171_961_752_143,
        3.653_501_990_136_687,
    ];
    for name in ["org.example.MyBenchmark.sum(n=10)", "MyBenchmark.sum(n=10)", "sum(n=10)"] {
        gives(&format!("jmh:{name}"), fixture!("jmh.json"), &scores);
    }
    fails("jmh:sum", fixture!("jmh.json"), "`sum` could be `org.example.MyBenchmark.sum(n=10)`");
    fails("jmh:sum", fixture!("jmh-thrpt.json"), "its unit is `ops/us`");
    let throughput =
        parser("jmh:sum", ", unit = 'ops/s'").values(fixture!("jmh-thrpt.json")).unwrap();
    assert_eq!(throughput[1].round(), 184_365_637.0);
}

#[test]
fn an_object_of_metrics() {
    gives("metrics", r#"{"m": 6.5, "n": 7}"#, &[6.5]);
    gives("metrics:n", r#"{"m": 6.5, "n": [7, 8]}"#, &[7.0, 8.0]);
    fails("metrics", r#"{"n": 7}"#, "there is no `m`");
    fails("metrics", r#"{"m": null}"#, "`null` is not a number");
}

#[test]
fn what_is_no_number_is_no_value() {
    fails("json:/a", r#"{"a": 1e999}"#, "out of range");
    assert_eq!(
        parser("key:a", "").values(b"a: 1e999\n"),
        Err("`inf` is not a finite number".to_owned())
    );
    let reading =
        Reading { place: OutputPlace::Stdout, pattern: Pattern::Regex("(".into()), scale: 1.0 };
    assert!(Parser::new(&reading, &Unit::Nanoseconds).values(b"1").is_err());
}

proptest! {
    #[test]
    fn any_bytes_give_finite_numbers_or_a_reason_in_one_line(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        text in "([a-z0-9.:=,;/\\[\\]{}\" \t\n-]|Benchmark|time:|real|Mbps|ns/op){0,60}",
    ) {
        for way in WAYS {
            for output in [&bytes[..], text.as_bytes()] {
                check(&parser(way, "").values(output))?;
            }
        }
    }

    /// Reports that were cut short or damaged in one place.
    #[test]
    fn damaged_reports_give_finite_numbers_or_a_reason(
        which in 0..FIXTURES.len(),
        way in 0..WAYS.len(),
        cut in any::<prop::sample::Index>(),
        damage in any::<(prop::sample::Index, u8)>(),
    ) {
        let mut report = FIXTURES[which].to_vec();
        let at = damage.0.index(report.len());
        report[at] = damage.1;
        let parser = parser(WAYS[way], "");
        check(&parser.values(&report))?;
        report.truncate(cut.index(report.len()));
        check(&parser.values(&report))?;
    }
}

fn check(values: &Result<Vec<f64>, String>) -> Result<(), TestCaseError> {
    match values {
        Ok(values) => {
            prop_assert!(!values.is_empty() && values.iter().all(|value| value.is_finite()));
        }
        Err(why) => prop_assert!(!why.contains('\n'), "{why}"),
    }
    Ok(())
}
