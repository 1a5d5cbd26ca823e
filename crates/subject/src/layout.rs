//! Layouts of a program: the same source, linked in another order.
//!
//! A build honours it by the variables that builds honour anyway: `LDFLAGS` (make, autotools, and
//! `cmake` when it configures) and `RUSTFLAGS` (cargo). `TACHO_LAYOUT` is the number itself, for a
//! build that links in its own way.

use std::env;
use std::path::Path;

/// Linkers that can shuffle, the best first: the program that is looked for, how compilers call it,
/// and its option.
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
        let there =
            |program: &str| folders.iter().any(|folder| folder.as_ref().join(program).is_file());
        let linker = wanted.copied().find(|linker| there(linker.0))?;
        Some(Self { name: linker.1, option: linker.2 })
    }

    /// The layout with this number, with the variables for a build; the build's own flags come
    /// first.
    #[must_use]
    pub fn layout(self, number: u32) -> Layout {
        let flags = format!("-fuse-ld={} -Wl,{}{number}", self.name, self.option);
        let rust =
            format!("-Clink-arg=-fuse-ld={} -Clink-arg=-Wl,{}{number}", self.name, self.option);
        let number_too = ("TACHO_LAYOUT".to_owned(), number.to_string());
        Layout {
            number,
            fixed: None,
            variables: vec![after("LDFLAGS", &flags), after("RUSTFLAGS", &rust), number_too],
        }
    }
}

/// An order that is the same each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedOrder {
    /// Each function begins at a multiple of 64 bytes, and code is in a segment of its own. The
    /// compiler does this, with any linker.
    Aligned,
    /// Sections, and so functions, are sorted by name.
    Sorted,
}

impl FixedOrder {
    /// All.
    pub const ALL: [Self; 2] = [Self::Sorted, Self::Aligned];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Aligned => "aligned",
            Self::Sorted => "sorted",
        }
    }

    /// The fixed order of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fixed| fixed.name() == name)
    }

    /// The layout; `None` if no linker on this host can do it. Of `mold`, `lld` and GNU ld only the
    /// last sorts without a script of its own.
    #[must_use]
    pub fn layout(self) -> Option<Layout> {
        let path = env::var_os("PATH").unwrap_or_default();
        self.among(&env::split_paths(&path).collect::<Vec<_>>())
    }

    fn among(self, folders: &[impl AsRef<Path>]) -> Option<Layout> {
        let (compiled, linked, rust) = match self {
            Self::Aligned => (
                "-falign-functions=64",
                "-Wl,-z,separate-code",
                "-Cllvm-args=-align-all-functions=6",
            ),
            Self::Sorted => (
                "-ffunction-sections",
                "-fuse-ld=bfd -Wl,--sort-section=name",
                "-Clink-arg=-fuse-ld=bfd -Clink-arg=-Wl,--sort-section=name",
            ),
        };
        let is_there =
            self == Self::Aligned || folders.iter().any(|it| it.as_ref().join("ld.bfd").is_file());
        // With the compiler and not in CFLAGS, since that would replace what a Makefile has there:
        // its -O2 above all.
        let with_own = |variable: &str, usual: &str| {
            let own = env::var(variable).ok().filter(|own| !own.is_empty());
            (variable.to_owned(), format!("{} {compiled}", own.as_deref().unwrap_or(usual)))
        };
        is_there.then(|| Layout {
            number: 0,
            fixed: Some(self),
            variables: vec![
                with_own("CC", "cc"),
                with_own("CXX", "c++"),
                after("LDFLAGS", linked),
                after("RUSTFLAGS", rust),
                ("TACHO_LAYOUT".to_owned(), self.name().to_owned()),
            ],
        })
    }
}

/// A variable with these flags after those that it has.
fn after(variable: &str, flags: &str) -> (String, String) {
    match env::var(variable) {
        Ok(own) if !own.is_empty() => (variable.to_owned(), format!("{own} {flags}")),
        _ => (variable.to_owned(), flags.to_owned()),
    }
}

/// One layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The seed of its order; 0 where that is no shuffled one.
    pub number: u32,
    /// The fixed order, if the layout is not shuffled.
    pub fixed: Option<FixedOrder>,
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
    fn a_fixed_order_needs_a_linker_that_has_it() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(FixedOrder::Sorted.among(&[folder.path()]), None);
        let aligned = FixedOrder::Aligned.among(&[folder.path()]).unwrap();
        assert!(
            aligned
                .variables
                .iter()
                .any(|(name, value)| name == "CC" && value.ends_with(" -falign-functions=64"))
        );
        std::fs::write(folder.path().join("ld.bfd"), "").unwrap();
        let sorted = FixedOrder::Sorted.among(&[folder.path()]).unwrap();
        assert!(
            sorted.variables.iter().any(|(_, value)| value.ends_with("-Wl,--sort-section=name"))
        );
        assert_eq!(
            FixedOrder::named("sorted").zip(sorted.fixed),
            Some((FixedOrder::Sorted, FixedOrder::Sorted))
        );
        assert_eq!(FixedOrder::named("gap"), None);
    }

    #[test]
    fn a_layout_is_told_in_the_words_of_each_build() {
        let layout = Linker { name: "mold", option: "--shuffle-sections=" }.layout(7);
        let of =
            |name: &str| &layout.variables.iter().find(|(variable, _)| variable == name).unwrap().1;
        assert!(of("LDFLAGS").ends_with("-fuse-ld=mold -Wl,--shuffle-sections=7"));
        assert!(
            of("RUSTFLAGS")
                .ends_with("-Clink-arg=-fuse-ld=mold -Clink-arg=-Wl,--shuffle-sections=7")
        );
        assert_eq!(of("TACHO_LAYOUT"), "7");
    }
}
