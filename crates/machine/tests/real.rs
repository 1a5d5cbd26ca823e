//! Settings of this machine itself, for root only: made, killed at any step, put back.

// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use tacho_machine::Root;
use tacho_machine::tune::{
    HoldsUntil, Journal, JournalLock, TunePlan, TuneSetting, TuneStep, apply, put_back, restore,
};

const STEP: &str = "TACHO_TEST_REAL_STEP";
const GROUP: &str = "TACHO_TEST_REAL_GROUP";
const ASLR: &str = "/proc/sys/kernel/randomize_va_space";
const THP: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
const AUTOGROUP: &str = "/proc/sys/kernel/sched_autogroup_enabled";
const CPUSETS: &str = "/sys/fs/cgroup/cpuset";

/// A control group around all processes of this test, so that no other process is moved. It goes
/// away with this.
struct Around {
    folder: PathBuf,
    company: Child,
}

impl Around {
    /// None where the kernel has no control groups of version 1, or one CPU.
    fn make() -> Option<Self> {
        let read = |file: &str| fs::read_to_string(Path::new(CPUSETS).join(file)).ok();
        let (cpus, nodes) = (read("cpuset.cpus")?, read("cpuset.mems")?);
        if cpus.trim() == "0" {
            return None;
        }
        let folder = Path::new(CPUSETS).join(format!("tacho-test-{}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        fs::write(folder.join("cpuset.cpus"), cpus).unwrap();
        fs::write(folder.join("cpuset.mems"), nodes).unwrap();
        let company = Command::new("sleep").arg("600").spawn().unwrap();
        fs::write(folder.join("cgroup.procs"), company.id().to_string()).unwrap();
        Some(Self { folder, company })
    }

    /// The folders and processes in it.
    fn content(&self) -> (Vec<String>, String) {
        let names = fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        (names, fs::read_to_string(self.folder.join("cgroup.procs")).unwrap())
    }
}

impl Drop for Around {
    fn drop(&mut self) {
        let _ = self.company.kill();
        let _ = self.company.wait();
        let _ = fs::remove_dir(&self.folder);
    }
}

fn may_change() -> bool {
    let root = Root::this_machine();
    let paths = [ASLR, THP];
    let why = if !rustix::process::geteuid().is_root() {
        "not root"
    } else if paths.iter().any(|path| tacho_machine::tune::obstacle(&root, path).is_some()) {
        "the settings are read-only here"
    } else if !matches!(Journal::load(&root), Ok(None)) {
        "a `tacho tune` is at work"
    } else {
        return true;
    };
    println!("skipped: {why}");
    false
}

/// Other values than those of now, of what this machine has, and a shield where that is possible.
fn settings(root: &Root, shield: bool) -> Vec<TuneSetting> {
    let now = |path: &str| root.read(path).unwrap_or_default();
    let mut texts = vec![if now(ASLR) == "0" { "aslr=2" } else { "aslr=0" }];
    texts.push(if now(THP).contains("[never]") { "thp=madvise" } else { "thp=never" });
    if root.has(AUTOGROUP) {
        texts.push(if now(AUTOGROUP) == "0" { "autogroup=on" } else { "autogroup=off" });
    }
    if shield {
        texts.push("shield=1");
    }
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// Not a test by itself: a process of its own, which `kill -9` ends at a step.
#[test]
fn killed_at_a_real_step() {
    let (Ok(step), Ok(group)) = (std::env::var(STEP), std::env::var(GROUP)) else { return };
    let (root, mut left) = (Root::this_machine(), step.parse::<u32>().unwrap());
    if !group.is_empty() {
        fs::write(Path::new(&group).join("cgroup.procs"), std::process::id().to_string()).unwrap();
    }
    let mut watch = |_: TuneStep<'_>| {
        left -= 1;
        if left == 0 {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
                .unwrap();
        }
    };
    let lock = JournalLock::make(&root).unwrap().unwrap();
    let plan = TunePlan::of(&root, &settings(&root, !group.is_empty())).unwrap();
    apply(&root, &lock, &plan, HoldsUntil::CommandEnds, &mut watch).unwrap();
    restore(&root, &lock, &mut watch).unwrap();
}

#[test]
fn killed_anywhere_this_machine_is_put_back() {
    if !may_change() {
        return;
    }
    let root = Root::this_machine();
    let around = Around::make();
    let group = around.as_ref().map(|around| around.folder.clone()).unwrap_or_default();
    let state = || {
        let values = [ASLR, THP, AUTOGROUP].map(|path| root.read_exactly(path));
        (values, around.as_ref().map(Around::content))
    };
    let before = state();
    let changes = settings(&root, false).len() + if around.is_some() { 3 } else { 0 };
    let steps = 3 + 4 * changes;
    let mut dirty = 0;
    for step in 1..=steps {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "killed_at_a_real_step", "--quiet"]);
        child.env(STEP, step.to_string()).env(GROUP, &group);
        let status = child.output().unwrap().status;
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status),
            Some(9),
            "step {step} of {steps}"
        );
        dirty += usize::from(state() != before);
        let restoration = put_back(&root).unwrap();
        assert!(
            restoration.is_none_or(|it| it.failed.is_empty() && it.left_alone.is_empty()),
            "step {step}"
        );
        assert_eq!(state(), before, "after step {step} of {steps}");
    }
    println!(
        "{steps} of {steps} put back, {dirty} of them after a change; shield: {}",
        around.is_some()
    );
    assert!(dirty >= 2 * changes, "the machine was changed after {dirty} of {steps} steps only");
}
