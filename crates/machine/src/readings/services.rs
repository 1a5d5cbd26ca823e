//! Processes of the system that work in the background at times of their own.

use crate::root::Root;

/// Programs that begin to work without being asked, with the service that starts each.
const BACKGROUND: [(&str, &str); 12] = [
    ("apt", "apt-daily"),
    ("baloo_file", "baloo_file"),
    ("cron", "cron"),
    ("crond", "crond"),
    ("dnf-automatic", "dnf-automatic"),
    ("fwupd", "fwupd"),
    ("packagekitd", "packagekit"),
    ("snapd", "snapd"),
    ("tracker-miner-f", "tracker-miner-fs-3"),
    ("unattended-upgr", "unattended-upgrades"),
    ("updatedb", "plocate-updatedb"),
    ("updatedb.mlocat", "mlocate"),
];

/// Whether a process of that name exists.
#[must_use]
pub fn is_active(root: &Root, program: &str) -> bool {
    names(root).iter().any(|name| name == program)
}

/// The services that may begin to work without being asked, by their names.
#[must_use]
pub fn background(root: &Root) -> Vec<&'static str> {
    let names = names(root);
    let known = BACKGROUND.iter().filter(|(program, _)| names.iter().any(|name| name == program));
    known.map(|(_, service)| *service).collect()
}

/// The names of all processes.
fn names(root: &Root) -> Vec<String> {
    let processes = root.numbered("/proc", "");
    processes.into_iter().filter_map(|pid| root.read(&format!("/proc/{pid}/comm")).ok()).collect()
}
