//! Layouts of a program: the same source, linked in another order.
//!
//! A build honours it by the variables that builds honour anyway: `LDFLAGS` (make, autotools, and `cmake` when it configures)
//! and `RUSTFLAGS` (cargo). `TACHO_LAYOUT` is the number itself, for a build that links in its own way.

use std::env;
use std::path::Path;

/// Linkers that can shuffle, the best first: the program that is looked for, how compilers call it, and its option.
const LINKERS: [(&str, &str, &str); 2] =
    [("mold", "mold", "--shuffle-sections="), ("ld.lld", "lld", "--shuffle-sections=*=")];

/// A linker that can shuffle what it links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linker {
    /// As compilers call it.
    pub name: &'static str,
    option: &'static str,
}

impl Linker {
    /// The first that there is on this host, or that of this name.
    #[must_use]
    pub fn find(name: Option<&str>) -> Option<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<_> = env::split_paths(&path).collect();
        Self::among(&folders, name)
    }

    fn among(folders: &[impl AsRef<Path>], name: Option<&str>) -> Option<Self> {
        let wanted = LINKERS.iter().filter(|linker| name.is_none_or(|name| name == linker.1));
        let there = |program: &str| folders.iter().any(|folder| folder.as_ref().join(program).is_file());
        let linker = wanted.copied().find(|linker| there(linker.0))?;
        Some(Self { name: linker.1, option: linker.2 })
    }

    /// What a build is told, so that it has the layout of that number; its own flags come first.
    #[must_use]
    pub fn layout(self, number: u32) -> Layout {
        let flags = format!("-fuse-ld={} -Wl,{}{number}", self.name, self.option);
        let rust = format!("-Clink-arg=-fuse-ld={} -Clink-arg=-Wl,{}{number}", self.name, self.option);
        let after = |variable: &str, flags: String| match env::var(variable) {
            Ok(own) if !own.is_empty() => (variable.to_owned(), format!("{own} {flags}")),
            _ => (variable.to_owned(), flags),
        };
        let number_too = ("TACHO_LAYOUT".to_owned(), number.to_string());
        Layout { number, variables: vec![after("LDFLAGS", flags), after("RUSTFLAGS", rust), number_too] }
    }
}

/// One layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The seed of its order.
    pub number: u32,
    /// The environment that makes it.
    pub variables: Vec<(String, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_linker_that_is_there_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path()];
        assert_eq!(Linker::among(&folders, None), None);
        std::fs::write(folder.path().join("ld.lld"), "").unwrap();
        assert_eq!(Linker::among(&folders, None).unwrap().name, "lld");
        std::fs::write(folder.path().join("mold"), "").unwrap();
        assert_eq!(Linker::among(&folders, None).unwrap().name, "mold");
        assert_eq!(Linker::among(&folders, Some("lld")).unwrap().name, "lld");
        assert_eq!(Linker::among(&folders, Some("bfd")), None);
    }

    #[test]
    fn a_layout_is_told_in_the_words_of_each_build() {
        let layout = Linker { name: "mold", option: "--shuffle-sections=" }.layout(7);
        let of = |name: &str| &layout.variables.iter().find(|(variable, _)| variable == name).unwrap().1;
        assert!(of("LDFLAGS").ends_with("-fuse-ld=mold -Wl,--shuffle-sections=7"));
        assert!(of("RUSTFLAGS").ends_with("-Clink-arg=-fuse-ld=mold -Clink-arg=-Wl,--shuffle-sections=7"));
        assert_eq!(of("TACHO_LAYOUT"), "7");
    }
}
