//! Compiles the launcher (`launcher/launcher.c` and what it includes) and the reference
//! (`reference/reference.c`) into static programs, which the library carries.

use std::env;
use std::path::PathBuf;

/// The folders of all sources, and each program's.
const FOLDERS: [&str; 2] = ["launcher", "reference"];
const SOURCES: [(&str, &str); 2] =
    [("launcher", "launcher/launcher.c"), ("reference", "reference/reference.c")];

fn main() {
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for (program, source) in SOURCES {
        compile(source, &folder.join(program));
    }
}

fn compile(source: &str, program: &std::path::Path) {
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
    // No word of the compiler's version: the same code is the same program.
    compiler.args([
        "-fno-ident",
        "-fno-asynchronous-unwind-tables",
        "-fno-pie",
        "-nostdlib",
        "-nostartfiles",
        "-static",
    ]);
    compiler.args(["-no-pie", "-Wl,-z,noseparate-code", "-Wl,--build-id=none", "-Wl,-s"]);
    let status = compiler.arg(source).arg("-o").arg(program).status();
    assert!(
        status.as_ref().is_ok_and(std::process::ExitStatus::success),
        "cannot compile `{source}` with {compiler:?}: {status:?}"
    );
}
