//! What a build that failed complains of, and whether another one complains of the same.

use tacho_record::is_shown;

/// What a build that failed says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    error: String,
    reason: String,
}

impl Complaint {
    /// From its log; where that says nothing, from how it ended.
    #[must_use]
    pub fn new(log: &str, how: String) -> Self {
        let error = first_error(log).unwrap_or(how);
        // One cause names other symbols and files as a program grows: what mends it tells that it is one.
        let reason = remedy(&error).map_or_else(|| plain(&error), |(flags, _)| flags.to_owned());
        Self { error, reason }
    }

    /// The first line that says what is wrong.
    #[must_use]
    pub fn error(&self) -> &str {
        &self.error
    }

    /// Whether the reason is the same: the first errors are, without where in the source and on this machine they are, or are mended
    /// by the same.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.reason == other.reason
    }
}

/// A line without what differs although the reason does not: absolute paths, positions in files, addresses and numbers.
fn plain(line: &str) -> String {
    let words = line.split_whitespace().filter_map(|word| {
        let bare = word.trim_matches(|c: char| "'`\"‘’“”()[]<>,;".contains(c));
        let is_dropped = bare.starts_with('/') || bare.contains("0x") || is_position(bare);
        (!is_dropped).then(|| numberless(word))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether that is `file:12:`, `file:12:5:` or `file:(section`.
fn is_position(word: &str) -> bool {
    let mut parts = word.split(':');
    let is_file = parts.next().is_some_and(|file| !file.is_empty());
    let second = parts.next().unwrap_or_default();
    is_file && !second.is_empty() && (second.starts_with('(') || second.bytes().all(|b| b.is_ascii_digit()))
}

/// The word with `#` for each number in it that is no part of a name.
fn numberless(word: &str) -> String {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let pieces = word.split_inclusive(|c| !is_of_name(c)).map(|piece| {
        let name = piece.trim_end_matches(|c| !is_of_name(c));
        let is_number = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
        if is_number { format!("#{}", &piece[name.len()..]) } else { piece.to_owned() }
    });
    pieces.collect()
}

/// The first line of a build's log that says what is wrong, cleaned of what would disturb a terminal.
#[must_use]
pub fn first_error(log: &str) -> Option<String> {
    const SIGNS: [&str; 8] = [
        "error:",
        "error[",
        "fatal",
        "undefined reference",
        "multiple definition",
        "no such file",
        "not found",
        "does not apply",
    ];
    let said = |line: &&str| !line.starts_with("# ") && !line.trim().is_empty();
    let tells = |line: &&str| {
        let line = line.to_lowercase();
        SIGNS.iter().any(|sign| line.contains(sign))
    };
    let lines = || log.lines().filter(said);
    let line = lines().find(tells).or_else(|| lines().next_back())?;
    Some(line.trim().chars().filter(|c| is_shown(*c)).take(300).collect())
}

/// What is known to mend such an error: flags for a C compiler, and why.
#[must_use]
pub fn remedy(log: &str) -> Option<(&'static str, &'static str)> {
    const KNOWN: [(&str, &str, &str); 7] = [
        ("multiple definition of", "-O2 -fcommon", "gcc 10 no longer merges definitions"),
        (
            "implicit declaration of function",
            "-O2 -Wno-error=implicit-function-declaration",
            "gcc 14 wants every function to be declared",
        ),
        ("-Wimplicit-int", "-O2 -Wno-error=implicit-int", "gcc 14 wants every type to be named"),
        (
            "-Wincompatible-pointer-types",
            "-O2 -Wno-error=incompatible-pointer-types",
            "gcc 14 no longer lets pointers of other types pass",
        ),
        ("-Wint-conversion", "-O2 -Wno-error=int-conversion", "gcc 14 no longer makes pointers of numbers"),
        ("two or more data types in declaration specifiers", "-O2 -std=gnu17", "C23 has `bool` of its own"),
        ("[-Werror", "-O2 -Wno-error", "newer compilers warn of more"),
    ];
    KNOWN.into_iter().find(|(sign, ..)| log.contains(sign)).map(|(_, flags, why)| (flags, why))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_error_is_the_one_that_explains_the_others() {
        let log = "# builds x\ncc -c a.c\na.c:1:5: error: unknown type\nmake: *** [a.o] Error 1\n# failed\n";
        assert_eq!(first_error(log).as_deref(), Some("a.c:1:5: error: unknown type"));
        assert_eq!(first_error("# builds\none\ntwo\n").as_deref(), Some("two"));
        assert_eq!(first_error("# builds\n"), None);
        assert_eq!(remedy("ld: multiple definition of `x'").unwrap().0, "-O2 -fcommon");
        assert_eq!(remedy("error: unknown type"), None);
    }

    fn alike(one: &str, other: &str) -> bool {
        Complaint::new(one, String::new()).is_like(&Complaint::new(other, String::new()))
    }

    #[test]
    fn the_same_reason_elsewhere_is_the_same() {
        let same = [
            ("a.c:1:5: error: unknown type name 'u8'", "lib/b.c:20:1: error: unknown type name 'u8'"),
            (
                "/usr/bin/ld: a.c:(.text+0x5): undefined reference to `log'",
                "/opt/ld: b.c:(.text+0x99): undefined reference to `log'",
            ),
            (
                "multiple definition of `x'; first defined here",
                "multiple definition of `y'; first defined here",
            ),
            ("error: expected 3 arguments", "error: expected 12 arguments"),
            ("cp: cannot stat '/tmp/a': No such file", "cp: cannot stat '/tmp/b': No such file"),
            ("prog: fault at 0x7ffe12 not found", "prog: fault at 0x12 not found"),
        ];
        for (one, other) in same {
            assert!(alike(one, other), "{one} and {other}: {} and {}", plain(one), plain(other));
        }
        let others = [
            ("a.c:1:5: error: unknown type name 'u8'", "a.c:1:5: error: unknown type name 'u16'"),
            (
                "a.c:3:10: fatal error: sys/sysctl.h: No such file",
                "a.c:3:10: fatal error: asm/page.h: No such file",
            ),
            ("undefined reference to `log2'", "undefined reference to `log10'"),
            ("cp: cannot stat 'one': No such file", "cp: cannot stat 'two': No such file"),
        ];
        for (one, other) in others {
            assert!(!alike(one, other), "{one} and {other}: {}", plain(one));
        }
        let timed_out = || Complaint::new("", "its build timed out".into());
        assert!(timed_out().is_like(&timed_out()));
        assert_eq!(timed_out().error(), "its build timed out");
    }

    proptest! {
        #[test]
        fn where_it_is_does_not_matter(said in "[a-z' ]{0,30}", one in 1..999_u32, other in 1..999_u32) {
            let at = |line: u32| format!("src/f{line}.c:{line}:{}: error: {said}", line + 1);
            prop_assert!(alike(&at(one), &at(other)));
            let other = at(one) + " otherwise";
            prop_assert!(!alike(&at(one), &other));
        }
    }
}
