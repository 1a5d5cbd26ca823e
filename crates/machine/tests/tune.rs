//! Settings are made and put back, on copies of machines: all at once, refused, killed.

// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::process::Command;

use common::Machine;
use tacho_machine::Root;
use tacho_machine::doctor::Diagnosis;
use tacho_machine::tune::{
    Audience, HoldsUntil, Journal, JournalLock, Notice, Restoration, TuneChange, TuneError,
    TunePlan, TuneSetting, TuneStep, apply, list, put_back, restore, tuned,
};

/// Everything that can be set on the desktop.
const ALL: [&str; 10] = [
    "turbo",
    "governor",
    "smt",
    "thp=never",
    "aslr=0",
    "autogroup",
    "watchdog",
    "perf-rate=1",
    "irq=0-4,6-10",
    "shield=5,11",
];

fn settings(texts: &[&str]) -> Vec<TuneSetting> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// All files but those of the journal.
fn content(machine: &Machine) -> Vec<(String, Option<Vec<u8>>)> {
    let is_own =
        |name: &str| name.starts_with("var/lib/tacho") || ["var", "var/lib"].contains(&name);
    machine.content().into_iter().filter(|(name, _)| !is_own(name)).collect()
}

/// Machines that can be changed need the groups' lists of processes.
fn desktop() -> Machine {
    let machine = Machine::of("intel-desktop");
    machine.write("/sys/fs/cgroup/cgroup.procs", "1\n640\n");
    machine
}

fn make(root: &Root, texts: &[&str], until: HoldsUntil) -> Result<(), TuneError> {
    let lock = JournalLock::make(root).unwrap().unwrap();
    let plan = TunePlan::of(root, &settings(texts))?;
    apply(root, &lock, &plan, until, &mut |_| {})
}

fn undo(root: &Root) -> Restoration {
    put_back(root).unwrap().unwrap()
}

#[test]
fn all_settings_are_made_and_put_back_byte_for_byte() {
    let machine = desktop();
    let before = content(&machine);
    make(&machine.root, &ALL, HoldsUntil::CommandEnds).unwrap();
    let read = |path: &str| machine.root.read(path).unwrap();
    assert_eq!(read("/sys/devices/system/cpu/intel_pstate/no_turbo"), "1");
    assert_eq!(read("/sys/devices/system/cpu/cpu11/cpufreq/scaling_governor"), "performance");
    assert_eq!(read("/sys/kernel/mm/transparent_hugepage/enabled"), "always madvise [never]");
    assert_eq!(read("/proc/irq/120/smp_affinity_list"), "0-4,6-10");
    assert_eq!(read("/proc/irq/default_smp_affinity"), "7df");
    assert_eq!(read("/sys/fs/cgroup/tacho-shield/cpuset.cpus"), "5,11");
    assert_eq!(read("/sys/fs/cgroup/cgroup.subtree_control"), "cpu memory pids cpuset");
    let restoration = undo(&machine.root);
    assert_eq!((restoration.failed.len(), restoration.left_alone.len()), (0, 0), "{restoration:?}");
    assert!(content(&machine) == before);
    assert!(put_back(&machine.root).unwrap().is_none(), "the journal is deleted");
}

#[test]
fn a_shield_of_version_1_moves_everything_else_and_back() {
    let machine = Machine::of("two-sockets");
    machine.write("/sys/fs/cgroup/cpuset/cgroup.procs", "1\n77\n");
    let before = content(&machine);
    make(&machine.root, &["shield=10-11"], HoldsUntil::CommandEnds).unwrap();
    let read = |path: &str| machine.root.read(&format!("/sys/fs/cgroup/cpuset/{path}")).unwrap();
    assert_eq!(
        (read("tacho-shield/cpuset.cpus").as_str(), read("tacho-shield/cpuset.mems").as_str()),
        ("10-11", "0-1")
    );
    assert_eq!(read("tacho-others/cpuset.cpus"), "0-9,12-47");
    assert_eq!(
        (read("tacho-others/cgroup.procs").as_str(), read("cgroup.procs").as_str()),
        ("1\n77", "")
    );
    undo(&machine.root);
    assert!(content(&machine) == before);
}

#[test]
fn what_is_set_already_is_not_changed() {
    let machine = Machine::of("tuned-lab");
    let plan =
        TunePlan::of(&machine.root, &settings(&["turbo", "governor", "smt=off", "thp=never"]))
            .unwrap();
    assert_eq!(plan, TunePlan::default());
}

#[test]
fn the_order_keeps_turbo_after_the_governor() {
    let plan = TunePlan::of(&desktop().root, &settings(&["smt", "turbo", "governor"])).unwrap();
    let paths: Vec<&str> = plan
        .changes
        .iter()
        .map(|change| match change {
            TuneChange::Write { path, .. } => path.rsplit('/').next().unwrap(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((paths.len(), &paths[12..]), (14, ["no_turbo", "control"].as_slice()));
    assert!(paths[..12].iter().all(|path| *path == "scaling_governor"));
}

#[test]
fn what_someone_else_changed_meanwhile_is_left_alone() {
    let machine = desktop();
    make(&machine.root, &["turbo", "aslr=0"], HoldsUntil::Restored).unwrap();
    machine.write("/proc/sys/kernel/randomize_va_space", "1\n");
    let restoration = undo(&machine.root);
    assert_eq!(restoration.put_back, 1);
    let [left] = restoration.left_alone.as_slice() else { panic!("{restoration:?}") };
    assert_eq!(left.what, "/proc/sys/kernel/randomize_va_space");
    assert_eq!(left.values, ["2", "0", "1"].map(str::to_owned));
    assert_eq!(machine.root.read("/proc/sys/kernel/randomize_va_space").unwrap(), "1");
    assert_eq!(machine.root.read("/sys/devices/system/cpu/intel_pstate/no_turbo").unwrap(), "0");
}

#[test]
fn after_a_restart_nothing_is_written() {
    let machine = desktop();
    make(&machine.root, &["turbo", "aslr=0"], HoldsUntil::Restored).unwrap();
    // The kernel starts with its own values; an administrator has set one of them for good.
    machine.write("/proc/sys/kernel/random/boot_id", "11111111-7f04-4a93-90e4-2b2b1d5d0c11\n");
    machine.write("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    let before = content(&machine);
    let restoration = undo(&machine.root);
    assert!(restoration.restarted && restoration.put_back == 0, "{restoration:?}");
    assert!(content(&machine) == before);
    assert!(put_back(&machine.root).unwrap().is_none());
}

#[test]
fn after_a_restart_held_settings_block_nothing() {
    let machine = desktop();
    make(&machine.root, &["turbo", "aslr=0"], HoldsUntil::Restored).unwrap();
    machine.write("/proc/sys/kernel/random/boot_id", "11111111-7f04-4a93-90e4-2b2b1d5d0c11\n");
    let mut notices = Vec::new();
    let mut notice = |notice: Notice| notices.push(notice);
    let mut audience = Audience { notice: &mut notice, watch: &mut |_| {} };
    tuned(&machine.root, &settings(&["smt=off"]), &["true".to_owned()], &mut audience).unwrap();
    assert!(
        matches!(&notices[..], [Notice::Earlier(earlier), Notice::Set(1), Notice::PutBack(_)]
            if earlier.restarted && earlier.put_back == 0),
        "{notices:?}"
    );
}

#[test]
fn an_unfinished_journal_is_removed() {
    let machine = desktop();
    make(&machine.root, &["turbo"], HoldsUntil::Restored).unwrap();
    undo(&machine.root);
    machine.write("/var/lib/tacho/tune.new", "{\"version\"");
    assert!(put_back(&machine.root).unwrap().is_none());
    assert!(!machine.root.has("/var/lib/tacho/tune.new"));
}

#[test]
fn two_values_of_one_setting_are_refused() {
    let machine = desktop();
    let plan = TunePlan::of(&machine.root, &settings(&["turbo=off", "aslr=0", "turbo=on"]));
    assert_eq!(plan.unwrap_err().to_string(), "`turbo=off` and `turbo=on` contradict each other");
    TunePlan::of(&machine.root, &settings(&["aslr=0", "aslr=0"])).unwrap();
}

#[test]
fn what_is_not_available_is_said_before_anything_is_changed() {
    let machine = Machine::of("this-kind-of-vm");
    let before = machine.content();
    let error = |texts: &[&str]| {
        let mut audience = Audience { notice: &mut |_| {}, watch: &mut |_| {} };
        tuned(&machine.root, &settings(texts), &["true".to_owned()], &mut audience)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error(&["thp=never", "turbo"]),
        "cannot set `turbo=off`: not available here: \
         /sys/devices/system/cpu/intel_pstate/no_turbo and /sys/devices/system/cpu/cpufreq/boost \
         are missing"
    );
    assert_eq!(error(&["smt"]), "cannot set `smt=off`: the kernel says notsupported");
    assert_eq!(error(&["shield=7"]), "cannot set `shield=7`: the CPUs in use are 0-1");
    assert_eq!(
        error(&["shield=0-1"]),
        "cannot set `shield=0-1`: no CPU is left for everything else"
    );
    assert_eq!(
        error(&["stop=cron"]),
        "cannot set `stop=cron`: these are the files of another machine"
    );
    assert!(machine.content() == before);
}

#[test]
fn a_change_that_is_refused_takes_all_others_back() {
    let machine = desktop();
    let before = content(&machine);
    let lock = JournalLock::make(&machine.root).unwrap().unwrap();
    let mut plan = TunePlan::of(&machine.root, &settings(&["turbo", "aslr=0"])).unwrap();
    let path = "/sys/missing/switch".to_owned();
    plan.changes.push(TuneChange::Write {
        path,
        before: "1".to_owned(),
        value: "0".to_owned(),
        may_fail: false,
    });
    let error =
        apply(&machine.root, &lock, &plan, HoldsUntil::CommandEnds, &mut |_| {}).unwrap_err();
    assert!(error.to_string().starts_with("cannot set `/sys/missing/switch`: "), "{error}");
    assert!(content(&machine) == before);
    assert!(Journal::load(&machine.root).unwrap().is_none());
}

#[test]
fn a_value_that_the_kernel_does_not_keep_is_an_error() {
    let machine = desktop();
    let lock = JournalLock::make(&machine.root).unwrap().unwrap();
    let plan = TunePlan::of(&machine.root, &settings(&["aslr=0", "turbo"])).unwrap();
    let mut undone = |step: TuneStep<'_>| {
        // Something else answers the second change by undoing the first.
        if matches!(step, TuneStep::Making(TuneChange::Write { path, .. }) if path.ends_with("no_turbo"))
        {
            machine.write("/proc/sys/kernel/randomize_va_space", "2\n");
        }
    };
    let error =
        apply(&machine.root, &lock, &plan, HoldsUntil::CommandEnds, &mut undone).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`/proc/sys/kernel/randomize_va_space` does not keep `0`: it shows `2`"
    );
}

#[test]
fn two_at_a_time_are_refused_and_held_settings_are_not_overwritten() {
    let machine = desktop();
    make(&machine.root, &["turbo"], HoldsUntil::Restored).unwrap();
    let error = make(&machine.root, &["aslr=0"], HoldsUntil::CommandEnds).unwrap_err();
    assert_eq!(
        error.to_string(),
        "settings made by an earlier `tacho tune` are still in place: 1 change"
    );
    let _lock = JournalLock::take(&machine.root).unwrap().unwrap();
    assert!(matches!(put_back(&machine.root), Err(TuneError::Busy)));
}

#[test]
fn a_command_has_the_settings_and_afterwards_they_are_gone() {
    let machine = desktop();
    let before = content(&machine);
    let seen = machine.folder.path().join("seen");
    let switch = machine.root.place("/sys/devices/system/cpu/intel_pstate/no_turbo");
    let script = format!("cp {} {}; exit 7", switch.display(), seen.display());
    let words = ["sh", "-c", &script].map(str::to_owned);
    let mut notices = Vec::new();
    let mut audience = Audience { notice: &mut |notice| notices.push(notice), watch: &mut |_| {} };
    let ended =
        tuned(&machine.root, &settings(&["turbo", "governor"]), &words, &mut audience).unwrap();
    assert_eq!(ended, Some(tacho_machine::tune::CommandEnd::Exit(7)));
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), "1\n");
    std::fs::remove_file(seen).unwrap();
    assert!(content(&machine) == before);
    assert!(
        matches!(notices.as_slice(), [Notice::Set(13), Notice::PutBack(it)] if it.put_back == 13),
        "{notices:?}"
    );
}

#[test]
fn a_command_that_cannot_be_started_leaves_nothing_behind() {
    let machine = desktop();
    let before = content(&machine);
    let mut audience = Audience { notice: &mut |_| {}, watch: &mut |_| {} };
    let words = ["/no/such/program".to_owned()];
    let error = tuned(&machine.root, &settings(&["turbo"]), &words, &mut audience).unwrap_err();
    assert!(error.to_string().starts_with("cannot execute `/no/such/program`: "), "{error}");
    assert!(content(&machine) == before);
}

#[test]
fn settings_of_a_command_need_one() {
    let machine = desktop();
    let mut audience = Audience { notice: &mut |_| {}, watch: &mut |_| {} };
    let error = tuned(&machine.root, &settings(&["shield=5,11"]), &[], &mut audience).unwrap_err();
    assert_eq!(error.to_string(), "`shield=5,11` is for a command, and none is given");
}

#[test]
fn all_settings_are_listed_with_what_they_are_now() {
    let now = |name: &str| {
        let found = list(&desktop().root).into_iter().find(|setting| setting.name == name).unwrap();
        found.now.map(|now| now.unwrap())
    };
    assert_eq!(now("turbo").as_deref(), Some("on"));
    assert_eq!(now("thp").as_deref(), Some("madvise"));
    assert_eq!(now("shield"), None);
}

/// The folder in which a child of [`killed_anywhere_everything_is_put_back`] works.
const FOLDER: &str = "TACHO_TEST_TUNE_FOLDER";
/// The step at which it kills itself.
const STEP: &str = "TACHO_TEST_TUNE_STEP";

/// Not a test by itself: a process of its own, which `kill -9` ends at a step.
#[test]
fn killed_at_a_step() {
    let (Ok(folder), Ok(step)) = (std::env::var(FOLDER), std::env::var(STEP)) else { return };
    let (root, mut left) = (Root::of_folder(folder.as_ref()), step.parse::<u32>().unwrap());
    let mut watch = |_: TuneStep<'_>| {
        left -= 1;
        if left == 0 {
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
        }
    };
    let lock = JournalLock::make(&root).unwrap().unwrap();
    if Journal::load(&root).unwrap().is_none() {
        let plan = TunePlan::of(&root, &settings(&ALL)).unwrap();
        apply(&root, &lock, &plan, HoldsUntil::CommandEnds, &mut watch).unwrap();
    }
    restore(&root, &lock, &mut watch).unwrap();
}

/// Executes [`killed_at_a_step`] in a process of its own. Whether it was killed.
fn is_killed(machine: &Machine, step: usize) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "killed_at_a_step", "--quiet"]);
    child.env(FOLDER, machine.folder.path()).env(STEP, step.to_string());
    let status = child.output().unwrap().status;
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(9)
}

#[test]
fn killed_anywhere_everything_is_put_back() {
    let machine = desktop();
    let before = content(&machine);
    let lock = JournalLock::make(&machine.root).unwrap().unwrap();
    let plan = TunePlan::of(&machine.root, &settings(&ALL)).unwrap();
    drop(lock);
    // Two steps for the journal, two for each change there and back, one at the end.
    let steps = 3 + 4 * plan.changes.len();
    let places: Vec<usize> = (1..=steps).step_by(steps / 24).collect();
    assert!(places.len() >= 20, "{places:?}");
    for &step in &places {
        assert!(is_killed(&machine, step), "step {step} of {steps}");
        let left = Journal::load(&machine.root).unwrap().is_some();
        // The next `tacho doctor` says so, and the next call puts everything back.
        let found = |name: &str| {
            Diagnosis::of(&machine.root, "/").findings.iter().any(|it| it.name == name)
        };
        assert_eq!(found("left-tuned"), left, "step {step}");
        let restoration = put_back(&machine.root).unwrap();
        assert_eq!(restoration.is_some(), left, "step {step}");
        assert!(content(&machine) == before, "not as before after step {step} of {steps}");
    }
}

#[test]
fn killed_while_putting_back_everything_is_put_back_by_the_next() {
    let machine = desktop();
    let before = content(&machine);
    make(&machine.root, &ALL, HoldsUntil::CommandEnds).unwrap();
    for step in [1, 8, 21, 2, 30] {
        assert!(is_killed(&machine, step), "step {step}");
    }
    undo(&machine.root);
    assert!(content(&machine) == before);
}
