//! What is read is what was used: programs that know what they use, in children and grandchildren
//! too.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tacho_measure::{Execution, ExecutionEnd, Executor, ProcessExecutor};

use super::{printed, request};

const MILLISECOND: f64 = 1e6;
const EXECUTIONS: usize = 11;

/// Executes a job of `load.c` some times: what was read, and what it says itself.
fn executions(job: &[&str]) -> Vec<(Execution, f64)> {
    let folder = tempfile::tempdir().unwrap();
    let load = folder.path().join("load");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/load.c");
    assert!(
        Command::new("cc").arg("-O1").arg("-o").arg(&load).arg(source).status().unwrap().success()
    );
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let request = request(&[&[load.to_str().unwrap()], job].concat());
    (0..EXECUTIONS)
        .map(|_| {
            let execution = executor.execute(&request);
            assert_eq!(execution.ended, ExecutionEnd::Exited(0));
            let truth = printed(&execution).trim().parse().unwrap();
            (execution, truth)
        })
        .collect()
}

/// Asserts that some of them are off the truth by at most 2 per cent and that: who is disturbed is
/// off by more.
fn assert_near(job: &[&str], beside: f64, read: impl Fn(&Execution) -> f64) {
    let all = executions(job);
    let off = all.iter().map(|(execution, truth)| (read(execution) - truth, 0.02 * truth + beside));
    let good = off.clone().filter(|(off, most)| off.abs() <= *most).count();
    assert!(good > EXECUTIONS / 2, "{job:?}: {:?}", off.collect::<Vec<_>>());
    // Nothing is ever lost.
    assert!(
        all.iter().all(|(execution, truth)| read(execution) >= 0.98 * truth - beside),
        "{job:?}"
    );
}

fn cpu(execution: &Execution) -> f64 {
    (execution.usage.user + execution.usage.sys).as_nanos() as f64
}

#[test]
fn processor_time_is_what_all_of_them_used() {
    for amount in ["1", "10", "100"] {
        // Of each process its end, which it cannot know.
        assert_near(&["spin", amount], 0.5 * MILLISECOND, cpu);
        assert_near(&["spin", amount, "2"], MILLISECOND, cpu);
        assert_near(&["spin", amount, "1", "2"], MILLISECOND, cpu);
    }
}

#[test]
fn memory_is_that_of_the_largest_of_them() {
    // The kernel counts pages in batches of 32 a processor, of files and of others apart.
    let cpus = std::thread::available_parallelism().unwrap().get() as f64;
    for amount in ["1", "10", "100"] {
        let batches = 2.0 * 32.0 * 4096.0 * cpus;
        assert_near(&["touch", amount, "2"], batches, |it| it.usage.peak_memory.unwrap() as f64);
    }
}

#[test]
fn wall_time_is_never_less_than_it_took() {
    for amount in ["1", "10", "100"] {
        let all = executions(&["sleep", amount]);
        assert!(all.iter().all(|(execution, truth)| execution.wall.as_nanos() as f64 >= *truth));
        let asleep = amount.parse::<f64>().unwrap() * MILLISECOND;
        let blocked = all.iter().map(|(execution, _)| {
            let scheduled = execution.usage.scheduled.unwrap();
            execution.wall.saturating_sub(scheduled.on_cpu + scheduled.waiting).as_nanos() as f64
        });
        // The time asleep is its own part of the wall time, however busy the host is.
        let least = blocked.fold(f64::INFINITY, f64::min);
        assert!(least >= 0.98 * asleep, "{amount} ms: {least}");
        // What a busy host takes to see the end is in it too, so that only a long sleep tells that
        // it is no more.
        assert!(amount != "100" || least < 1.5 * asleep, "{amount} ms: {least}");
    }
}
