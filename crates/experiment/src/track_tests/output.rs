//! Metrics that are read from the output.

use super::*;

#[test]
fn the_newest_revision_gives_the_reference_answer() {
    let lab = TestLab::new(TWO, 3);
    lab.track(|request, at| {
        let answer = if request.command[1] == "r2" { "other" } else { "answer" };
        Execution { stdout: Some(CapturedOutput::of(answer)), ..ended(ExecutionEnd::Exited(0), at) }
    })
    .unwrap();
    let wrong: Vec<String> =
        lab.samples().into_iter().filter(|line| line.contains("WrongAnswer")).collect();
    assert!(wrong.len() == 2 && wrong.iter().all(|line| line.contains("r2 a")), "{wrong:#?}");
}

#[test]
fn a_failing_prepare_is_a_failed_sample_without_values() {
    let lab = TestLab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'\nprepare = 'make-input'", 1);
    let tracked = lab.track(|request, at| {
        let status = i32::from(request.command[0] == "sh");
        ended(ExecutionEnd::Exited(status), at)
    });
    assert_eq!(tracked.unwrap().samples, 2);
    assert!(lab.samples().iter().all(|line| line.contains("`prepare` failed: exit 1")));
}

const BUCKET: &str = "[[benchmark]]\nname = 'a'\ncommand = 'a {revision}'\nmetrics = [{ name = \
    'bucket', from = 'regex:bucket ([0-9.]+)' }]\nexpect = { stdout = { contains = 'ok' } }\n";

#[test]
fn a_metric_of_the_output_is_kept_with_the_sample_and_must_be_there() {
    let lab = TestLab::new(BUCKET, 3);
    lab.track(|request, at| {
        let look = OutputRequest {
            search: Some("ok".into()),
            ..OutputRequest::keep(crate::LONGEST_OUTPUT)
        };
        assert_eq!((&request.stdout, &request.stderr), (&Capture::Read(look), &Capture::Nothing));
        // The first prints nothing of it, the second fails with it, the third has it twice.
        let (output, exit) = match request.command[1].as_str() {
            "r1" => ("ok", 0),
            "r2" => ("ok bucket 5", 1),
            _ => ("ok bucket 6.5 bucket 4.5", 0),
        };
        let stdout = CapturedOutput { found: Some(true), ..CapturedOutput::keeping(output) };
        Execution { stdout: Some(stdout), ..ended(ExecutionEnd::Exited(exit), at) }
    })
    .unwrap();
    let mut store = lab.store();
    let mut of = |revision: &str| {
        let cells = store.cells(1).unwrap();
        let (id, _) = cells.into_iter().find(|(_, cell)| cell.revision == revision).unwrap();
        store.samples(id).unwrap().pop().unwrap()
    };
    let why = "`bucket`: nothing matches `bucket ([0-9.]+)`".to_owned();
    let unreadable = Outcome::Failed { failure: Failure::Unreadable { why }, output: "ok".into() };
    assert_eq!((of("r1").outcome, of("r1").value("bucket")), (unreadable, None));
    assert!(of("r1").value("wall").is_some(), "what can be read is kept");
    let failed =
        Outcome::Failed { failure: Failure::Exit { code: 1 }, output: "ok bucket 5".into() };
    assert_eq!(of("r2").outcome, failed, "what fails need not have printed it");
    assert_eq!((of("r3").outcome, of("r3").value("bucket")), (Outcome::Valid, Some(5.5)));
    let replicates: Vec<f64> = (of("r3").values.iter())
        .filter_map(|(name, value)| (name == "bucket").then_some(*value))
        .collect();
    assert_eq!(replicates, [6.5, 4.5]);
    assert!(store.metrics().unwrap().iter().any(|metric| metric.name == "bucket"));
}

#[test]
fn a_metric_with_values_keeps_its_unit() {
    let mut lab = TestLab::new(BUCKET, 1);
    let prints = |output: &'static str| {
        move |_: &Request, at| {
            let stdout = CapturedOutput { found: Some(true), ..CapturedOutput::keeping(output) };
            Execution { stdout: Some(stdout), ..ended(ExecutionEnd::Exited(0), at) }
        }
    };
    let in_ms = BUCKET.replace("+)' }", "+)', unit = 'ms' }");
    let unitless = std::mem::replace(&mut lab.benchmarks, in_ms.clone());
    lab.track(prints("nothing")).unwrap();
    // Nothing was read yet: the plan may still be corrected.
    lab.benchmarks = unitless;
    lab.retry_failed = true;
    lab.track(prints("bucket 6.5")).unwrap();
    lab.benchmarks = in_ms;
    let words = lab.track(prints("bucket 6.5")).unwrap_err().to_string();
    assert_eq!(
        words,
        "stored values of metric `bucket` have no unit, but the plan now gives a time"
    );
}
