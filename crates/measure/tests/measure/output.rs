//! What a subject prints: all of it is accounted for, little of it is kept.

use std::fs;
use std::time::Duration;

use tacho_measure::{Capture, CapturedOutput, ExecutionEnd, OutputRequest, Request};
use tacho_record::Digest;

use super::{execute, printed, request, script};

const GIB: u64 = 1 << 30;

/// The most memory that this process has had, in bytes.
fn own_peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[test]
fn a_gibibyte_on_either_output_neither_blocks_nor_grows_us() {
    let before = own_peak();
    let mut request = script("yes | head -c 1073741824 >&2; yes | head -c 1073741824");
    let execution = execute(&request);
    let stdout = execution.stdout.unwrap();
    assert_eq!((execution.ended, stdout.bytes), (ExecutionEnd::Exited(0), GIB));
    assert_eq!(stdout.tail, "y\n".repeat(2048).as_bytes());
    assert_eq!(execution.stderr_tail, stdout.tail);
    request.stdout = Capture::Nothing;
    assert_eq!(execute(&request).stdout, None);
    assert!(own_peak() - before < GIB / 8, "grew from {before} to {}", own_peak());
}

/// Endless output for two seconds, in each way that it is read.
#[test]
fn who_never_stops_printing_runs_into_its_limit_and_we_do_not_grow() {
    let before = own_peak();
    let keep = 1 << 16;
    let all = OutputRequest { keep: Some(keep), search: Some("no".into()), digest: true };
    for stdout in [Capture::Nothing, Capture::Read(OutputRequest::default()), Capture::Read(all)] {
        let execution =
            execute(&Request { stdout, timeout: Duration::from_secs(2), ..request(&["yes"]) });
        assert_eq!(execution.ended, ExecutionEnd::TimedOut);
        if let Some(stdout) = execution.stdout {
            assert!(stdout.bytes > 1 << 20, "{} bytes", stdout.bytes);
            assert!(stdout.kept.is_none_or(|content| content.len() == keep));
        }
    }
    assert!(own_peak() - before < 16 << 20, "grew from {before} to {}", own_peak());
}

#[test]
fn a_file_is_empty_before_each_execution_and_known_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    fs::write(&path, "what was there before").unwrap();
    let file = |look| Capture::File { path: path.clone(), look };
    let mut request = script("test ! -s \"$1\" && echo needle");
    request.command.extend(["sh".to_owned(), path.display().to_string()]);
    for _ in 0..2 {
        request.stdout =
            file(OutputRequest { search: Some("needle".into()), keep: Some(3), digest: true });
        let execution = execute(&request);
        let expected = CapturedOutput {
            found: Some(true),
            kept: Some(b"nee".into()),
            ..CapturedOutput::of("needle\n")
        };
        assert_eq!((execution.ended, execution.stdout), (ExecutionEnd::Exited(0), Some(expected)));
        assert_eq!(fs::read(&path).unwrap(), b"needle\n");
    }
    request.stdout = file(OutputRequest::default());
    assert_eq!(
        execute(&request).stdout,
        Some(CapturedOutput { digest: None, ..CapturedOutput::of("needle\n") })
    );
    request.stdout =
        Capture::File { path: folder.path().join("no/such"), look: OutputRequest::default() };
    let why = format!(
        "cannot write `{}/no/such`: No such file or directory (os error 2)",
        folder.path().display()
    );
    assert_eq!(execute(&request).ended, ExecutionEnd::NotStarted(why));
}

#[test]
fn what_is_only_counted_has_no_digest() {
    let mut request = script("printf '123456'");
    request.stdout = Capture::Read(OutputRequest::default());
    assert_eq!(
        execute(&request).stdout,
        Some(CapturedOutput { digest: None, ..CapturedOutput::of("123456") })
    );
}

#[test]
fn bytes_that_are_no_text_are_kept_as_they_are() {
    let execution = execute(&script(r"printf '\377\000\303'; printf '\200' >&2"));
    assert_eq!(execution.stdout, Some(CapturedOutput::of(b"\xff\x00\xc3")));
    assert_eq!(execution.stderr_tail, b"\x80");
}

#[test]
fn a_text_is_found_wherever_reads_cut_it() {
    let mut request = script("printf 'one nee'; sleep 0.1; printf 'dle more'");
    let mut found = |text: &str| {
        request.stdout = Capture::Read(OutputRequest {
            search: Some(text.to_owned()),
            ..OutputRequest::digest()
        });
        execute(&request).stdout.unwrap()
    };
    assert_eq!(
        found("needle"),
        CapturedOutput { found: Some(true), ..CapturedOutput::of("one needle more") }
    );
    assert_eq!(found("noodle").found, Some(false));
    assert_eq!(found("").found, Some(true));
}

#[test]
fn nothing_printed_is_an_output_too() {
    let execution = execute(&request(&["true"]));
    assert_eq!(execution.stdout, Some(CapturedOutput::of("")));
    assert_eq!(execution.stdout.unwrap().digest, Some(Digest::of("")));
}

#[test]
fn who_closes_its_outputs_is_still_waited_for() {
    let execution = execute(&script("echo first; exec >&- 2>&-; sleep 0.2; exit 5"));
    assert_eq!(
        (execution.ended.clone(), printed(&execution)),
        (ExecutionEnd::Exited(5), "first\n".into())
    );
}

#[test]
fn what_is_to_be_kept_is_kept_up_to_its_limit() {
    let mut request = script("printf 'bucket 6.5'; printf 'real 0.02' >&2");
    let keep =
        |limit| Capture::Read(OutputRequest { keep: Some(limit), ..OutputRequest::digest() });
    (request.stdout, request.stderr) = (keep(10), keep(8));
    let execution = execute(&request);
    assert_eq!(execution.stdout, Some(CapturedOutput::keeping("bucket 6.5")));
    assert_eq!(execution.stderr_tail, b"real 0.02");
    let stderr = execution.stderr.unwrap();
    assert_eq!((stderr.kept.as_deref(), stderr.whole()), (Some(&b"real 0.0"[..]), None));
    (request.stdout, request.stderr) = (Capture::Nothing, Capture::Nothing);
    let execution = execute(&request);
    assert_eq!((execution.stdout, execution.stderr), (None, None));
}
