//! Versions of the compilers and of the C library.

use std::process::{Command, Stdio};

use tacho_record::NOT_AVAILABLE;

use crate::root::{FactReading, Root, lacks, missing};

/// The programs whose versions are requested.
pub const PROGRAMS: [&str; 6] = ["cc", "c++", "clang", "ld", "rustc", "python3"];

/// The first line of what a program says of its version.
pub fn version(root: &Root, program: &str) -> FactReading<String> {
    if !root.is_this_machine() {
        return Err(format!("{NOT_AVAILABLE}these are the files of another machine"));
    }
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|_| missing(&[&format!("`{program}`")]))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.map(str::to_owned).ok_or_else(|| lacks(&format!("`{program} --version`"), "version"))
}

/// The possible paths of the C library.
const LIBC: [&str; 6] = [
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/lib/aarch64-linux-gnu/libc.so.6",
    "/lib64/libc.so.6",
    "/usr/lib/libc.so.6",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];

/// The version of the C library, as the library itself says it.
pub fn libc(root: &Root) -> FactReading<String> {
    let path = LIBC.iter().find(|path| root.has(path));
    let missing = || format!("{NOT_AVAILABLE}no C library is where systems keep it");
    let path = path.ok_or_else(missing)?;
    let text = root.read_exactly(path)?;
    let found = text.find("GNU C Library ").map(|at| &text[at..]);
    let line = found.and_then(|rest| rest.split(['\n', '\0']).next());
    let glibc = line.map(|line| line.trim_end_matches(['.', ' ']).to_owned());
    glibc
        .or_else(|| path.contains("musl").then(|| "musl".to_owned()))
        .ok_or_else(|| lacks(path, "GNU C Library"))
}
