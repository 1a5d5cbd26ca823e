//! What is said of rows that never were measured.

use jiff::Timestamp;
use tacho_experiment::compare::{ComparisonData, ComparisonResult, Gate};
use tacho_record::{
    BenchmarkKey, Comparing, Digest, Direction, LimitedExecutions, Metric, Program, Purpose,
    QuirkEdge, Rule, Run, RunState, Side, StopCondition, Unit,
};
use tacho_report::comparison::{ComparedRow, shown};
use tacho_stats::Summary;
use tacho_stats::compare::{
    ChoiceReason, ComparisonRules, Estimate, Estimator, Look, SampleValue, Sides, Verdict, compare,
};

use super::text;
use crate::output::compare::report::{CompareReport, FailOnGate};

/// A benchmark of that name whose sides took these times in rounds.
pub fn row_of(name: &str, [a, b]: [&[f64]; 2]) -> ComparedRow {
    let side = |values: &[f64]| -> Vec<SampleValue> {
        (0..).zip(values).map(|(round, value)| SampleValue::new(*value).in_round(round)).collect()
    };
    let look = Look::only(a.len(), 0.05);
    let comparison = compare(
        &Sides { a: &side(a), b: &side(b), control: &[] },
        &ComparisonRules::default(),
        look,
    );
    ComparedRow {
        benchmark: BenchmarkKey::plain(name),
        metric: Metric { name: "wall".into(), unit: Unit::Nanoseconds, better: Direction::Lower },
        sides: [Summary::of(a), Summary::of(b)],
        levels: [None, None],
        verdict: comparison.verdict,
        comparison,
        settled: false,
        limited: [LimitedExecutions::default(), LimitedExecutions::default()],
        round: 0.0,
        busy_share: Some(0.9),
        failure: None,
        printed: String::new(),
        is_wrong: false,
    }
}

/// Ten rounds; the second side takes so many times as long, and both vary by so much from end to
/// end.
pub fn row(name: &str, ratio: f64, spread: f64) -> ComparedRow {
    let side = |centre: f64, step: u32| -> Vec<f64> {
        (0..10).map(|n| centre * (1.0 + spread / 10.0 * f64::from(n * step % 10))).collect()
    };
    row_of(name, [&side(1e8, 7), &side(1e8 * ratio, 3)])
}

#[test]
fn what_would_be_found_is_not_said_beside_a_smaller_difference_that_was() {
    let clear = row("sort", 1.05, 0.001);
    assert_eq!(clear.verdict, Verdict::Slower);
    let of = |detectable: f64| {
        let mut row = clear.clone();
        row.comparison.detectable = Some(detectable);
        row.least_detectable()
    };
    assert_eq!((of(0.01), of(0.2)), (Some(0.01), None));
    let unclear = row("sort", 1.001, 0.2);
    assert!(unclear.least_detectable().is_some());
}

/// The answer to a comparison of one row.
fn text_of(row: ComparedRow, quirk: Option<QuirkEdge>) -> String {
    let all = measured(vec![row], StopCondition::AllRounds, Rule::default());
    let terms = Comparing { quirk, ..all.terms.clone() };
    let report = CompareReport {
        terms: &terms,
        described: ["old", "new"].map(str::to_owned),
        compared: &ComparisonResult::Measured(Box::new(all)),
        build: None,
        is_kept: false,
        fail_on: None,
        lone: Default::default(),
    };
    report.text()
}

#[test]
fn what_is_far_from_clear_names_cheaper_ways() {
    let answer = |round: f64, ratio: f64| {
        let row = ComparedRow { round, ..row("sort", ratio, 0.3) };
        text_of(row, None)
    };
    let hint = "hint: `-m cpu` compares the CPU time, which varies less";
    let minutes = 20e9;
    let far = answer(minutes, 1.02);
    assert!(far.contains("unclear") && far.contains(hint), "{far}");
    let near = answer(1e6, 1.02);
    assert!(near.contains("would decide") && !near.contains("hint: "), "{near}");
    let clear = answer(minutes, 2.0);
    assert!(clear.contains("slower") && !clear.contains("hint: "), "{clear}");
    // `quirk effect` takes no metric.
    let quirk =
        Some(QuirkEdge { quirk: "flags".to_owned(), revision: "abc".to_owned(), begins: true });
    let of_quirk = text_of(ComparedRow { round: minutes, ..row("sort", 1.02, 0.3) }, quirk);
    assert!(of_quirk.contains("hint: measure again when the host is quiet"), "{of_quirk}");
}

#[test]
fn a_gate_says_what_rounds_decide_and_which_rows_are_below_it() {
    let rows = vec![row("wide", 1.06, 0.2), row("near", 1.001, 0.06)];
    let gate = Gate { slower: Some(0.05), unclear: false, missing: false };
    let fail_on = FailOnGate { typed: "slower:5%".to_owned(), gate };
    let all = measured(rows, SETTLED, Rule::default());
    let terms = Comparing { fail_on: Some(fail_on.kept(&[])), ..all.terms.clone() };
    let compared = ComparisonResult::Measured(Box::new(all));
    let report = CompareReport {
        terms: &terms,
        described: ["old", "new"].map(str::to_owned),
        compared: &compared,
        build: None,
        is_kept: false,
        fail_on: Some(&fail_on),
        lone: Default::default(),
    };
    let (text, notes) = (report.text(), report.in_markdown());
    let by_margin = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(by_margin.contains(" would decide at the margin of 1 %"), "{text}");
    let warning = "1 of 2 rows is undecided at the limit of 5 %, and ";
    assert!(
        notes.contains(warning)
            && notes.contains("unclear too, but certainly below the limit: near · wall")
            && notes.contains(" would decide whether it is slower by more than 5 %"),
        "{notes}"
    );
}

fn run(rule: Rule) -> Run {
    Run {
        number: 3,
        started: Timestamp::UNIX_EPOCH,
        ended: None,
        state: RunState::Finished,
        purpose: Purpose::Compare,
        seed: 1,
        question: Digest::of(""),
        plan: String::new(),
        version: "test".into(),
        host: "lab".into(),
        rounds: 10,
        rule,
    }
}

fn terms(until: StopCondition) -> Comparing {
    let side = |name: &str| Side {
        name: name.into(),
        program: Program::Command { command: name.into(), words: vec![name.into()], shell: false },
    };
    Comparing {
        control: false,
        ..Comparing::between(["old", "new"].map(side), Vec::new(), 0.01, until)
    }
}

fn measured(rows: Vec<ComparedRow>, until: StopCondition, rule: Rule) -> ComparisonData {
    let (run, terms) = (Some(run(rule)), terms(until));
    let together = rows.len();
    ComparisonData {
        run,
        terms,
        interrupted: false,
        executing: None,
        rows,
        together,
        carried: None,
        loads: Vec::new(),
    }
}

/// The last lines of the answer.
fn described(all: ComparisonData) -> String {
    let terms = all.terms.clone();
    let compared = ComparisonResult::Measured(Box::new(all));
    let report = CompareReport {
        terms: &terms,
        described: ["old (a command)", "new (a command)"].map(str::to_owned),
        compared: &compared,
        build: None,
        is_kept: true,
        fail_on: None,
        lone: Default::default(),
    };
    let ComparisonResult::Measured(all) = &compared else { return String::new() };
    let lines = report.worded(all).summary().into_iter().chain(report.run(all));
    lines.map(|line| line + "\n").collect()
}

const SETTLED: StopCondition = StopCondition::Settled(None);

#[test]
fn the_smallest_difference_is_that_of_each_row() {
    let [sharp, wide] = [row("sharp", 1.5, 0.002), row("wide", 1.5, 0.05)];
    let least = [&sharp, &wide].map(|row| row.least().unwrap());
    assert!(4.0 * least[0] < least[1], "{least:?}");
    let [low, high] = least.map(text::percent);
    let described = |rows: Vec<ComparedRow>| described(measured(rows, SETTLED, Rule::default()));
    assert_eq!(
        described(vec![wide.clone(), sharp]),
        format!(
            "2 slower; smallest detectable difference (with a chance of 80 %): {low} to {high}, \
             depending on the row\n2 rows judged together: at most 5 % of reported differences are \
             expected to be false\nrun 3, \
             seed 1\n"
        )
    );
    let alone = described(vec![wide.clone()]);
    assert!(alone.contains(&format!(" difference (with a chance of 80 %): {high}\n")), "{alone}");
    let mut small = row("small", 1.05, 0.001);
    small.comparison.detectable = Some(0.2);
    let beside = described(vec![wide, small.clone()]);
    let expected = format!(
        "{high} for 1 of 2 rows; 1 other row has none, as a smaller difference was found\n"
    );
    assert!(beside.contains(&expected), "{beside}");
    let small = described(vec![small]);
    assert!(small.starts_with("1 slower\n"), "{small}");
}

#[test]
fn a_budget_that_left_something_open_is_told() {
    let minute = Rule {
        budget: Some(std::time::Duration::from_secs(60)),
        max_rounds: 30,
        ..Rule::default()
    };
    let open = || vec![row("wide", 1.001, 0.2), row("sharp", 1.5, 0.002)];
    let sentence =
        "the budget of 1 min 0 s ended measuring after 10 rounds; the unclear row needs more\n";
    let described = |all: &ComparisonData| {
        let lines = described(all.clone());
        lines
            .lines()
            .find(|it| it.starts_with("the budget"))
            .map_or_else(String::new, |it| format!("{it}\n"))
    };
    let all = measured(open(), SETTLED, minute.clone());
    assert_eq!(described(&all), sentence);
    assert_eq!(described(&ComparisonData { interrupted: true, ..all }), "", "the user ended it");
    let ten = Rule { max_rounds: 10, ..minute.clone() };
    assert_eq!(described(&measured(open(), SETTLED, ten)), "", "the number of rounds ended it");
    let precise = open().into_iter().map(|row| ComparedRow { settled: true, ..row }).collect();
    assert_eq!(
        described(&measured(precise, StopCondition::Precise(0.5), minute.clone())),
        "",
        "the precision ended it"
    );
    assert_eq!(described(&measured(open(), SETTLED, Rule::default())), "", "there was none");
    assert_eq!(
        described(&measured(vec![row("sharp", 1.5, 0.002)], SETTLED, minute.clone())),
        "",
        "all is clear"
    );
    let failed = ComparedRow {
        failure: Some(("exit 1".into(), 1)),
        sides: [None, None],
        ..row("wide", 1.0, 0.2)
    };
    assert_eq!(
        described(&measured(vec![failed], SETTLED, minute)),
        "",
        "more time helps nothing that fails"
    );
}

#[test]
fn rows_that_are_not_as_precise_as_was_requested_are_named() {
    let rows = ["one", "two", "three", "four"].map(|name| row(name, 1.0, 0.05)).to_vec();
    let found = rows[0].comparison.estimate.unwrap().reach().map(text::percent).unwrap();
    let described = described(measured(rows, StopCondition::Precise(0.001), Rule::default()));
    let line = described.lines().nth(1).unwrap();
    assert_eq!(
        line,
        format!(
            "± 0.1 % not reached: one · wall ± {found} in 10 rounds, two · wall ± {found} in 10 \
             rounds, three · wall ± {found} in 10 rounds, and 1 row more"
        )
    );
    let reached =
        measured(vec![row("one", 1.0, 0.05)], StopCondition::Precise(0.5), Rule::default());
    assert!(!super::tests::described(reached).contains("reached"));
}

#[test]
fn samples_are_counted_and_minima_shown_where_these_are_compared() {
    let mut row = row("sort", 1.05, 0.2);
    assert_eq!(row.comparison.counts.rounds, 10);
    // Of four layouts, each executed in all rounds.
    row.sides[1] = Summary::of(&[1.05e8; 40]);
    let said = |row: &ComparedRow| text_of(row.clone(), None);
    let medians = said(&row);
    assert!(medians.contains("10 and 40") && medians.contains("109.0 ms"), "{medians}");
    row.comparison.estimate =
        row.comparison.estimate.map(|it| Estimate { estimator: Estimator::Minimum, ..it });
    let minima = said(&row);
    assert!(minima.contains("100.0 ms") && !minima.contains("109.0 ms"), "{minima}");
}

#[test]
fn where_there_is_no_ratio_the_difference_is_shown() {
    let values = [0.4, -0.3, 0.2, 0.5, -0.1, 0.3, 0.1, 0.6].map(|value| value * 1e6);
    let others = [-0.2, 0.5, -0.4, 0.1, 0.3, -0.3, 0.2, 0.0].map(|value| value * 1e6);
    let estimate = row_of("net", [&values, &others]).comparison.estimate.unwrap();
    let [difference, interval] = shown(&estimate, &Unit::Nanoseconds);
    assert!(difference.ends_with('s') && !difference.contains('×'), "{difference}");
    let (low, high) = estimate.difference_interval.unwrap();
    assert_eq!(
        interval,
        format!("{} … {}", Unit::Nanoseconds.show(low), Unit::Nanoseconds.show(high))
    );
    let zeros = row_of("none", [&[0.0; 8], &[0.0; 8]]).comparison.estimate.unwrap();
    assert_eq!(shown(&zeros, &Unit::Nanoseconds), ["", ""], "nothing differs anywhere");
}

#[test]
fn what_was_never_measured_has_its_reason() {
    let rows = vec![
        row_of("gauss", [&[], &[1.0, 2.0]]),
        row_of("euler", [&[], &[]]),
        row("sharp", 1.5, 0.002),
    ];
    let described = |rows| described(measured(rows, SETTLED, Rule::default()));
    assert!(
        described(rows.clone())
            .starts_with("1 slower, 2 not measured; smallest detectable difference "),
        "{}",
        described(rows)
    );
}

#[test]
fn a_ratio_of_other_medians_than_those_that_are_shown_is_said_to_be_one() {
    let said = |ratio: f64| {
        let mut row = row("sort", 1.06, 0.001);
        row.comparison.choice.because = ChoiceReason::HostMoves;
        let of_medians = Estimate {
            estimator: Estimator::Median,
            ratio: Some(1.274),
            ..row.comparison.estimate.unwrap()
        };
        row.comparison.second = Some(of_medians);
        row.comparison.estimate =
            row.comparison.estimate.map(|it| Estimate { ratio: Some(ratio), ..it });
        text_of(row, None)
    };
    let text = said(1.12).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(
            "the medians shown are corrected to the host's usual speed: their ratio is × 1.060"
        ),
        "{text}"
    );
    assert!(!said(1.06).contains("the medians shown"), "{}", said(1.06));
}

#[test]
fn which_rows_are_no_further_question_is_said_in_ordinary_words() {
    let mut derived = row("c", 1.5, 0.002);
    derived.metric.name = "cpu".to_owned();
    let rows = vec![row("a", 1.5, 0.002), row("b", 1.5, 0.002), derived];
    let all = ComparisonData { together: 2, ..measured(rows, SETTLED, Rule::default()) };
    let said = described(all);
    assert!(
        said.contains(
            "3 rows judged together, as 2 tests (`cpu` follows from the others, so it is not a \
             test of its own): at most 5 % of reported differences are expected to be false\n"
        ),
        "{said}"
    );
}
