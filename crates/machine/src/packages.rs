//! The packages that the system has installed: a list, its digest, and the difference of two lists.

use std::collections::BTreeMap;
use std::fmt;
use std::process::Command;

use serde::{Deserialize, Serialize};
use tacho_record::Digest;

use crate::root::{FactReading, Root, missing};

const DPKG: &str = "/var/lib/dpkg/status";
const APK: &str = "/lib/apk/db/installed";
const PACMAN: &str = "/var/lib/pacman/local";

/// The versions of all installed packages, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageList(pub BTreeMap<String, String>);

impl PackageList {
    /// Reads the packages of Debian, Alpine and Arch from their files, and those of RPM with the
    /// program `rpm`.
    pub fn read(root: &Root) -> FactReading<Self> {
        if let Ok(text) = root.read(DPKG) {
            return Ok(Self::of_dpkg(&text));
        }
        if let Ok(text) = root.read(APK) {
            return Ok(Self::of_apk(&text));
        }
        let folders = root.names(PACMAN);
        if !folders.is_empty() {
            return Ok(Self::of_pacman(&folders));
        }
        let of_rpm = || root.is_this_machine().then(Self::of_rpm).flatten();
        of_rpm().ok_or_else(|| missing(&[DPKG, APK, PACMAN, "`rpm`"]))
    }

    /// The list in a text of lines `NAME VERSION`, as [`fmt::Display`] writes it.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        Self(lines.map(|(name, version)| (name.to_owned(), version.to_owned())).collect())
    }

    /// A digest of all names and versions: equal digests, equal packages.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.to_string())
    }

    /// The differences, by name.
    #[must_use]
    pub fn changes(before: &Self, now: &Self) -> Vec<PackageChange> {
        let names = before.0.keys().chain(now.0.keys()).collect::<std::collections::BTreeSet<_>>();
        let change = |name: &String| {
            let (before, now) = (before.0.get(name).cloned(), now.0.get(name).cloned());
            (before != now).then(|| PackageChange { name: name.clone(), before, now })
        };
        names.into_iter().filter_map(change).collect()
    }

    fn of_dpkg(text: &str) -> Self {
        let package = |block: &str| {
            let field = |key: &str| {
                block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
            };
            let installed = field("Status")?.ends_with(" installed");
            installed.then_some((field("Package")?.to_owned(), field("Version")?.to_owned()))
        };
        Self(text.split("\n\n").filter_map(package).collect())
    }

    fn of_apk(text: &str) -> Self {
        let package = |block: &str| {
            let field = |key: &str| block.lines().find_map(|line| line.strip_prefix(key));
            Some((field("P:")?.to_owned(), field("V:")?.to_owned()))
        };
        Self(text.split("\n\n").filter_map(package).collect())
    }

    /// Folders `NAME-VERSION-RELEASE`.
    fn of_pacman(folders: &[String]) -> Self {
        let package = |folder: &String| {
            let (rest, release) = folder.rsplit_once('-')?;
            let (name, version) = rest.rsplit_once('-')?;
            Some((name.to_owned(), format!("{version}-{release}")))
        };
        Self(folders.iter().filter_map(package).collect())
    }

    fn of_rpm() -> Option<Self> {
        let format = "%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE}\n";
        let output = Command::new("rpm").args(["-qa", "--queryformat", format]).output().ok()?;
        let list = Self::parse(&String::from_utf8_lossy(&output.stdout));
        (output.status.success() && !list.0.is_empty()).then_some(list)
    }
}

impl fmt::Display for PackageList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, version)| writeln!(f, "{name} {version}"))
    }
}

/// A package whose version differs between two lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageChange {
    /// Its name.
    pub name: String,
    /// Its version before; none: it was not installed.
    pub before: Option<String>,
    /// Its version now; none: it is not installed any more.
    pub now: Option<String>,
}

impl fmt::Display for PackageChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match (&self.before, &self.now) {
            (Some(before), Some(now)) => {
                write!(f, "{name} {before} → {}", differing_end(before, now))
            }
            (None, Some(now)) => write!(f, "{name} {now} installed"),
            (Some(before), None) => write!(f, "{name} {before} removed"),
            (None, None) => write!(f, "{name}"),
        }
    }
}

/// The end of the newer version where only a numbered word at the end differs: `u14` of
/// `2.36-9+deb12u14`.
fn differing_end<'a>(before: &str, now: &'a str) -> &'a str {
    let same = before.bytes().zip(now.bytes()).take_while(|(a, b)| a == b).count();
    let is_ascii = now.is_ascii() && before.is_ascii();
    let bytes = now.as_bytes();
    let back = |from: usize, is: fn(&u8) -> bool| {
        from - bytes[..from].iter().rev().take_while(|b| is(b)).count()
    };
    let digits = back(same, u8::is_ascii_digit);
    let word = back(digits, u8::is_ascii_alphabetic);
    let rest_is_number = bytes[digits..].iter().all(u8::is_ascii_digit) && before.len() > same;
    if is_ascii && word < digits && rest_is_number { &now[word..] } else { now }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STATUS: &str = "\
Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36-9+deb12u13

Package: gone
Status: deinstall ok config-files
Version: 1.0
";

    #[test]
    fn lists_are_read_from_the_files_of_three_systems() {
        let libc = |version: &str| PackageList([("libc6".to_owned(), version.to_owned())].into());
        assert_eq!(PackageList::of_dpkg(STATUS), libc("2.36-9+deb12u13"));
        let apk = PackageList::of_apk("C:Q1\nP:musl\nV:1.2.4-r2\nA:x86_64\n\nP:zlib\nV:1.3-r0\n");
        assert_eq!(apk.to_string(), "musl 1.2.4-r2\nzlib 1.3-r0\n");
        let pacman =
            PackageList::of_pacman(&["gcc-libs-14.2.1-1".to_owned(), "ALPM_DB_VERSION".to_owned()]);
        assert_eq!(pacman.to_string(), "gcc-libs 14.2.1-1\n");
    }

    #[test]
    fn a_difference_names_packages_and_shortens_versions() {
        let before = PackageList::parse("gcc 12.2.0-14\nlibc6 2.36-9+deb12u13\nold 1\n");
        let now = PackageList::parse("gcc 13.1.0-1\nlibc6 2.36-9+deb12u14\nnew 2\n");
        let lines: Vec<String> =
            PackageList::changes(&before, &now).iter().map(ToString::to_string).collect();
        let expected = [
            "gcc 12.2.0-14 → 13.1.0-1",
            "libc6 2.36-9+deb12u13 → u14",
            "new 2 installed",
            "old 1 removed",
        ];
        assert_eq!(lines, expected);
        assert_ne!(before.digest(), now.digest());
        assert!(PackageList::changes(&now, &now).is_empty());
    }

    #[test]
    fn versions_are_shortened_only_at_a_numbered_word_at_the_end() {
        assert_eq!(differing_end("1.2", "1.3"), "1.3");
        assert_eq!(differing_end("6.1.0-21", "6.1.0-22"), "6.1.0-22");
        assert_eq!(differing_end("1-deb12u1", "1-deb12u10"), "1-deb12u10");
        assert_eq!(differing_end("1~rc1+b1", "1~rc2+b1"), "1~rc2+b1");
    }

    proptest! {
        #[test]
        fn any_two_versions_have_a_difference(before in ".{0,20}", now in ".{0,20}") {
            prop_assert!(now.ends_with(differing_end(&before, &now)));
        }
    }
}
