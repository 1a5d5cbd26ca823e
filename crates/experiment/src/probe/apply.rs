//! Applies a disturbance to an execution: to its conditions, or to the activity around it.

use std::path::PathBuf;

use tacho_machine::Root;
use tacho_measure::{CompanionRequest, Readiness, Request};
use tacho_record::plan::Benchmark;
use tacho_record::{CompanionPlace, Conditions, Cpus, Disturbance, Inherit};

use super::topology::CpuMap;
use crate::Question;
use crate::trial::disturber::Disturber;

/// Keeps a processor busy; says so when the clock has had some 30 ms to follow.
const SPIN: &str =
    "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo busy; while :; do :; done";
/// Executes a command again and again, with its standard input from the file that comes first.
const AGAIN: &str = "from=$1; shift; while :; do \"$@\" <\"$from\" >/dev/null 2>&1; done";
/// Many short processes on that number of processors, as a build has them: some 0.2 s.
const BURST: &str = "for cpu in $(seq \"$1\"); do (i=0; while [ $i -lt 12 ]; do \
    head -c 4000000 /dev/zero | cksum >/dev/null; i=$((i+1)); done) & done; wait";
/// Makes the system forget these files, and those in these folders.
const FORGET: &str = "find \"$@\" -type f | while IFS= read -r file; do \
    dd if=\"$file\" iflag=nocache count=0 2>/dev/null; done; true";

/// The variable by which the C library asks for huge pages (glibc 2.35).
const HUGE_PAGES: [&str; 2] = ["GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"];

/// The question with all benchmarks under a disturbance.
pub(crate) fn under(question: &Question, under: Disturbance, root: &Root) -> Question {
    let mut question = question.clone();
    for benchmark in &mut question.plan.benchmarks {
        change(benchmark, under, root);
    }
    question
}

/// Puts a benchmark under a disturbance, as far as its conditions go.
pub(super) fn change(benchmark: &mut Benchmark, under: Disturbance, root: &Root) {
    let conditions = &mut benchmark.conditions;
    match under {
        Disturbance::Addresses { random } => conditions.aslr = Some(random),
        Disturbance::Cold { all: true } => conditions.cold = true,
        Disturbance::Companion { place: CompanionPlace::SameCpu, number } => {
            conditions.cpus = Some(Cpus::List([number].into()));
        }
        Disturbance::Companion { place: CompanionPlace::Sibling, number } => {
            let own = CpuMap::of(root).sibling(number);
            conditions.cpus = own.map(|own| Cpus::List([own].into()));
        }
        Disturbance::Cpu { number } => conditions.cpus = Some(Cpus::List([number].into())),
        Disturbance::Environment => conditions.random_environment = true,
        Disturbance::HugePages { allowed: false } => conditions.huge_pages = Some(false),
        Disturbance::HugePages { allowed: true } => {
            let [name, value] = HUGE_PAGES;
            conditions.environment.insert(name.to_owned(), value.to_owned());
        }
        Disturbance::Memory { bytes } => benchmark.limits.memory = Some(bytes),
        Disturbance::Nice { value } => conditions.nice = Some(value),
        Disturbance::Socket { number } => {
            conditions.cpus = Some(Cpus::List(CpuMap::of(root).of_socket(number)));
        }
        Disturbance::Burst
        | Disturbance::Cold { all: false }
        | Disturbance::Companion { place: CompanionPlace::OtherCore, .. }
        | Disturbance::Frequency { .. }
        | Disturbance::Layout { .. }
        | Disturbance::Storage { .. }
        | Disturbance::Twice => {}
    }
}

/// The activity around the execution of that request under a disturbance. `files` are the program's
/// own; `all` are the usual executions of all programs, which put files into memory again.
pub(crate) fn disturber(
    under: Disturbance,
    request: &Request,
    (files, all): (&[PathBuf], &[Request]),
    root: &Root,
) -> Disturber {
    let idle = Disturber { name: under.name(), ..Disturber::default() };
    match under {
        Disturbance::Burst => {
            let cpus = CpuMap::of(root).ours.len().max(1).to_string();
            Disturber { before: vec![script(BURST, [cpus])], ..idle }
        }
        Disturbance::Cold { all: true } => Disturber { after: all.to_vec(), ..idle },
        Disturbance::Cold { all: false } => {
            let files = files.iter().map(|path| path.to_string_lossy().into_owned());
            Disturber { before: vec![script(FORGET, files)], after: all.to_vec(), ..idle }
        }
        Disturbance::Companion { number, .. } => {
            let mut spin = script(SPIN, []);
            spin.conditions.cpus = Some(Cpus::List([number].into()));
            let ready = Readiness::Line("busy".to_owned());
            Disturber { beside: Some(CompanionRequest { request: spin, ready }), ..idle }
        }
        Disturbance::Twice => {
            let from = request.stdin.clone().unwrap_or_else(|| "/dev/null".into());
            let from = from.to_string_lossy().into_owned();
            let words = [from].into_iter().chain(request.command.iter().cloned());
            let Request { conditions, directory, environment, .. } = request.clone();
            let again = Request { conditions, directory, environment, ..script(AGAIN, words) };
            let ready = Readiness::Started;
            Disturber { beside: Some(CompanionRequest { request: again, ready }), ..idle }
        }
        Disturbance::Addresses { .. }
        | Disturbance::Cpu { .. }
        | Disturbance::Environment
        | Disturbance::Frequency { .. }
        | Disturbance::HugePages { .. }
        | Disturbance::Layout { .. }
        | Disturbance::Memory { .. }
        | Disturbance::Nice { .. }
        | Disturbance::Socket { .. }
        | Disturbance::Storage { .. } => idle,
    }
}

/// A script of a shell with these arguments.
fn script(text: &str, arguments: impl IntoIterator<Item = String>) -> Request {
    let words = ["sh", "-c", text, "sh"].map(str::to_owned).into_iter().chain(arguments);
    let timeout = std::time::Duration::from_secs(60);
    let conditions = Conditions { inherit: Inherit::default(), ..Conditions::default() };
    Request { timeout, conditions, ..Request::new(words) }
}
