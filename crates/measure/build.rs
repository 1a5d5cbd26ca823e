//! Compiles the launcher (`launcher/launcher.c` and what it includes) into a static program, which
//! the library carries.

use std::env;
use std::path::PathBuf;

/// All of the launcher's source.
const FOLDER: &str = "launcher";
const SOURCE: &str = "launcher/launcher.c";

fn main() {
    println!("cargo::rerun-if-changed={FOLDER}");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut compiler =
        cc::Build::new().pic(false).opt_level(1).debug(false).get_compiler().to_command();
    // No library and no start-up code, nothing that would call either, and few pages.
    compiler.args([
        "-std=gnu11",
        "-Wall",
        "-Wextra",
        "-ffreestanding",
        "-fno-builtin",
        "-fno-stack-protector",
    ]);
    compiler.args([
        "-fno-asynchronous-unwind-tables",
        "-fno-pie",
        "-nostdlib",
        "-nostartfiles",
        "-static",
    ]);
    compiler.args(["-no-pie", "-Wl,-z,noseparate-code", "-Wl,--build-id=none", "-Wl,-s"]);
    let status = compiler.arg(SOURCE).arg("-o").arg(folder.join("launcher")).status();
    assert!(
        status.as_ref().is_ok_and(std::process::ExitStatus::success),
        "cannot compile `{SOURCE}` with {compiler:?}: {status:?}"
    );
}
