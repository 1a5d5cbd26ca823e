//! Parsers of what others wrote, on any bytes: for `fuzz/`, and no part of the interface.
//!
//! Each must answer any input, with a result or an error.

use crate::artifacts::manifest::ArtifactManifest;
use crate::detect::{cmake, make};
use crate::history::{cvs, log};
use crate::quirks::patch::QuirkPatch;

/// The output of git for a history.
pub fn git_log(bytes: &[u8]) {
    let _ = log::parse(bytes);
}

/// The output of cvs for a module.
pub fn cvs_log(bytes: &[u8]) {
    if let Ok(files) = cvs::rlog::parse(bytes) {
        for file in &files {
            let _ = cvs::file::CvsLine { branch: None }.history(file);
            for (branch, _) in file.symbols.iter().take(3) {
                let _ = cvs::file::CvsLine { branch: Some(branch) }.history(file);
            }
        }
    }
}

/// A patch of a quirk, or of `tacho try`.
pub fn patch(bytes: &[u8]) {
    let _ = QuirkPatch::parse("it.patch", bytes.to_vec());
}

/// The manifest of an unpacked build.
pub fn manifest(bytes: &[u8]) {
    if let Some(manifest) = ArtifactManifest::from_bytes(bytes) {
        assert_eq!(ArtifactManifest::from_bytes(&manifest.to_bytes()).as_ref(), Some(&manifest));
    }
}

/// The build files of a repository, as `tacho init` reads them.
pub fn build_files(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = make::program(&text);
    let _ = cmake::programs(&text, "it");
}
