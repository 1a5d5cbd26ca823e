//! Services of the system, by `systemctl`.

use std::io;
use std::process::{Command, Stdio};

use crate::root::Root;

/// Whether the service is active; an error where there are no services that we could stop.
pub fn is_active(root: &Root, name: &str) -> Result<bool, String> {
    if !root.is_this_machine() {
        return Err("these are the files of another machine".to_owned());
    }
    // As `sd_booted(3)` asks.
    if !std::path::Path::new("/run/systemd/system").exists() {
        return Err("this system was not started by systemd".to_owned());
    }
    let missing = |_| "`systemctl` is missing: this system has no systemd".to_owned();
    let is_active = systemctl(&["is-active", "--quiet", name]).map_err(missing)?;
    // An inactive service may not exist: then stopping it would silently do nothing.
    if !is_active && !systemctl(&["cat", name]).map_err(missing)? {
        return Err(format!("there is no service `{name}`"));
    }
    Ok(is_active)
}

/// Stops it.
pub fn stop(name: &str) -> io::Result<()> {
    done(&["stop", name])
}

/// Starts it.
pub fn start(name: &str) -> io::Result<()> {
    done(&["start", name])
}

fn done(arguments: &[&str]) -> io::Result<()> {
    let failed = || io::Error::other(format!("`systemctl {}` failed", arguments.join(" ")));
    if systemctl(arguments)? { Ok(()) } else { Err(failed()) }
}

fn systemctl(arguments: &[&str]) -> io::Result<bool> {
    let mut command = Command::new("systemctl");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command.status()?.success())
}
