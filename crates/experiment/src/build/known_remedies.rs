//! Possible remedies for failed builds: flags for a C compiler. They are always tried, never
//! assumed to help.

use tacho_record::plan::Quirk;

/// A possible remedy for builds that fail with a certain error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// For a C compiler.
    pub flags: &'static str,
    /// Why they are needed, as a quirk says it.
    pub why: &'static str,
}

/// The texts of errors, and their remedies.
const KNOWN: [(&str, Remedy); 7] = [
    (
        "multiple definition of",
        Remedy {
            flags: "-O2 -fcommon",
            why: "variables are defined in several files, which gcc 10 refuses",
        },
    ),
    (
        "implicit declaration of function",
        Remedy {
            flags: "-O2 -Wno-error=implicit-function-declaration",
            why: "functions are used without a declaration, which this compiler refuses",
        },
    ),
    (
        "-Wimplicit-int",
        Remedy {
            flags: "-O2 -Wno-error=implicit-int",
            why: "types are left out, which this compiler refuses",
        },
    ),
    (
        "-Wincompatible-pointer-types",
        Remedy {
            flags: "-O2 -Wno-error=incompatible-pointer-types",
            why: "pointers of other types are passed, which this compiler refuses",
        },
    ),
    (
        "-Wint-conversion",
        Remedy {
            flags: "-O2 -Wno-error=int-conversion",
            why: "numbers are used as pointers, which this compiler refuses",
        },
    ),
    (
        "two or more data types in declaration specifiers",
        Remedy { flags: "-O2 -std=gnu17", why: "`bool` is defined, which C23 defines itself" },
    ),
    (
        "[-Werror",
        Remedy {
            flags: "-O2 -Wno-error",
            why: "this compiler warns of more, and `-Werror` is set",
        },
    ),
];

/// The possible remedy for builds that fail with this error; most errors have none.
#[must_use]
pub fn remedy_of(error: &str) -> Option<Remedy> {
    KNOWN.into_iter().find(|(sign, _)| error.contains(sign)).map(|(_, remedy)| remedy)
}

/// A way to give a build the flags of a remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemedyRoute {
    /// In the environment, where the makefile sets no flags of its own.
    Environment(Remedy),
    /// As words of the build command, which override what the makefile sets.
    Build(Remedy, String),
}

impl Remedy {
    /// The ways to give these flags to a build by this command, the least intrusive first.
    #[must_use]
    pub fn cures(self, build: Option<&str>) -> Vec<RemedyRoute> {
        let mut cures = vec![RemedyRoute::Environment(self)];
        let make =
            build.filter(|build| build.split_whitespace().any(|word| word.ends_with("make")));
        cures.extend(
            make.map(|build| RemedyRoute::Build(self, format!("{build} CFLAGS='{}'", self.flags))),
        );
        cures
    }
}

impl RemedyRoute {
    /// The remedy that it applies.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        let (Self::Environment(remedy) | Self::Build(remedy, _)) = self;
        *remedy
    }

    /// As a quirk for all of history.
    #[must_use]
    pub fn quirk(&self, name: &str) -> Quirk {
        let mut quirk = Quirk::named(name, self.remedy().why);
        match self {
            Self::Environment(remedy) => {
                quirk.environment.insert("CFLAGS".to_owned(), remedy.flags.to_owned());
            }
            Self::Build(_, build) => quirk.build = Some(build.clone()),
        }
        quirk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_go_into_the_environment_first_and_into_the_words_of_make() {
        assert_eq!(remedy_of("a.c:1:2: error: unknown type"), None);
        let remedy = remedy_of("ld: multiple definition of `x'").unwrap();
        assert_eq!(remedy.cures(None), [RemedyRoute::Environment(remedy)]);
        assert_eq!(remedy.cures(Some("sh cmake.sh")), [RemedyRoute::Environment(remedy)]);
        let made = remedy.cures(Some("make -j2"));
        assert_eq!(made[1], RemedyRoute::Build(remedy, "make -j2 CFLAGS='-O2 -fcommon'".into()));
        assert_eq!(made[1].quirk("q").build.as_deref(), Some("make -j2 CFLAGS='-O2 -fcommon'"));
        assert_eq!(made[0].quirk("q").environment["CFLAGS"], "-O2 -fcommon");
    }
}
