//! Classifies one line of a build's output.
//!
//! The position of the word `error` decides, because compilers quote source, warnings and commands
//! that contain `error:` as well.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// A message of several lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// The next line is the message.
    NextLine,
    /// The message is an indented paragraph, as cmake writes it.
    Paragraph,
    /// Causes follow, each after a line of its own, as cargo writes them.
    Causes,
    /// The next line is a cause.
    Cause,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorLine {
    Sign(LineSign),
    /// Marks below a line of source: `    ^~~~`.
    Carets,
    /// A command failed since its program was not found (`Error 127`).
    NotFound,
    /// `make` continues although a command failed.
    Ignored,
    Other,
}

/// The signs of an error in a line, the least informative first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LineSign {
    /// A program complains: `cp: cannot stat 'x'`. Others go on after it, so the last one counts.
    Complaint,
    /// An error without a place in source, or the end of a traceback.
    Error { is_last: bool },
    /// An error at a place in source, or of the linker. The others follow from the first.
    Placed,
    /// A program that is not there, of which `make` says that the build failed for it.
    MissingProgram,
}

impl LineSign {
    /// Whether the last of several such lines is the best one, rather than the first.
    pub(super) fn is_last_best(self) -> bool {
        matches!(self, Self::Complaint | Self::Error { is_last: true })
    }
}

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new($pattern).expect("the pattern is valid: a test reads each")
        });
    };
}

pattern!(COLOURS, r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07");
pattern!(CARETS, r"^[ \t]*[\^~][\^~ \t-]*$");
pattern!(QUOTE, r"^\s*\d*\s*\|");
pattern!(MILD, r"(?i)^(?:[^|]*?: )?(?:warning|note|remark|info|hint)\b(?:\[[^\]]*\])?:");
pattern!(
    PLACED,
    r"(?i)^[^:|]+(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)):? (?:fatal |internal compiler )?error\b"
);
pattern!(INTERNAL, r"^\S+: (?:internal compiler error|out of memory allocating)\b");
pattern!(
    LINKER,
    r"(?x)
    ^\S*:.*(?:undefined\ reference\ to\ |multiple\ definition\ of\ |undefined\ symbol:\x20
    |duplicate\ symbol|cannot\ find\ -l|recompile\ with\ -f)"
);
pattern!(ERROR, r"(?i)^(?:[^\s:|]+: )*\[?(?:fatal |syntax )?error(?:\[\w+\]|\])?(?:: | at | in )");
pattern!(NPM, r"^npm (?:error|ERR!) ");
pattern!(EXCEPTION, r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|NotFound)(?:: |$)");
pattern!(PANIC, r"^\s*thread '.*panicked at ");
pattern!(MAKE, r"^\S*make\S*: \*\*\* ");
pattern!(PLACE, r"^[^\s:|]+:\d+(?::\d+)?: ");
pattern!(
    COMPLAINT,
    r"(?ix)
    ^[^\s:|]+:\ .*(?:\bcannot\ |\bcan't\ |\bcould\ not\ |\bcouldn't\ |no\ such\ |not\ found|\bfail
    |unable\ to|\binvalid\ |denied|\bunknown\ |unrecogni[sz]ed|unexpected|\bmissing\ |\bfatal
    |not\ recognized|\bgarbage\b|no\ space\ left|\billegal\ |\berror\b|command\ not)"
);
pattern!(
    MISSING,
    r"(?x)
    (?:^|:\ )(?:\S*sh:\ (?:line\ )?(?:\d+:\ )?(?:exec:\ )?|\S*make\S*:\ |\S*env:\ [‘']?)
    (?P<program>[^\s:’']+)[’']?:\x20
    (?:(?:[Cc]ommand\ )?not\ found|No\ such\ file\ or\ directory|Permission\ denied)$"
);
pattern!(IGNORED, r"^\S*make\S*: \[.*\] .*\(ignored\)$");
pattern!(
    SUMMARY,
    r"(?x)
    ^\S*make\S*:\ (?:\*\*\*\ (?:\[.*\]\ Error\ \d+|Waiting\ for)|Target\ .*\ not\ remade
        |Entering\ dir|Leaving\ dir)
    | ld\ returned\ \d | linker\ command\ failed | linking\ with\ .*\ failed | command\ .*\ failed
    | could\ not\ compile | build\ stopped | being\ treated\ as\ errors
    | Error\ is\ not\ recoverable
    | subprocess-exited-with-error | aborting\ due\ to | ^compilation\ terminated | ^FAILED:
    | ^\d+\ (?:error|warning)s?\b.*generated | complete\ log\ of\ this\ run | ^Some\ errors\ have
    | ^For\ more\ information | ^See\ (?:also|https?:) | onfiguring\ incomplete | ^Call\ Stack
    | exit(?:ed)?\ (?:with\ )?(?:code|status) | failed\ to\ run\ custom\ build\ command
    | didn't\ exit\ successfully
    | stack\ backtrace | ^Traceback | ^\s*-->
    | ^npm\ (?:error|ERR!)\ (?:code|errno|syscall|path|dest|file|\w+$)
    | \bIn\ function\b | \bin\ function\ [`']
    | ^In\ file\ included | ^\s+from\ "
);

impl ErrorLine {
    pub(super) fn of(line: &str) -> Self {
        if CARETS.is_match(line) {
            return Self::Carets;
        }
        // Most lines are commands and progress; the others name their program, or are npm's.
        if !line.contains(':') && !line.starts_with("npm ") {
            return Self::Other;
        }
        if line.ends_with(" Error 127") && SUMMARY.is_match(line) {
            return Self::NotFound;
        }
        if IGNORED.is_match(line) {
            return Self::Ignored;
        }
        let text = stripped(line);
        let is_meant = |sign: &LineSign| match sign {
            LineSign::Placed => !is_mild(text),
            _ => !is_noise(text),
        };
        sign(text).filter(is_meant).map_or(Self::Other, Self::Sign)
    }
}

fn sign(line: &str) -> Option<LineSign> {
    let first = LineSign::Error { is_last: false };
    let last = LineSign::Error { is_last: true };
    if [&PLACED, &LINKER, &INTERNAL].iter().any(|it| it.is_match(line)) {
        Some(LineSign::Placed)
    } else if line.starts_with("fatal: ") {
        // A message of git, which makefiles often ask in vain for a version.
        Some(LineSign::Complaint)
    } else if PANIC.is_match(line) || EXCEPTION.is_match(line) {
        Some(last)
    } else if ERROR.is_match(line) || NPM.is_match(line) || line.starts_with("CMake Error") {
        Some(first)
    } else if MAKE.is_match(line) {
        Some(last)
    } else if PLACE.is_match(line) {
        Some(first)
    } else if COMPLAINT.is_match(line) {
        Some(LineSign::Complaint)
    } else {
        None
    }
}

/// Whether the line has no own information: a warning, quoted source, or that something failed.
pub(super) fn is_noise(line: &str) -> bool {
    is_mild(line) || SUMMARY.is_match(line)
}

/// Whether the line is a warning, a note or quoted source.
fn is_mild(line: &str) -> bool {
    QUOTE.is_match(line) || MILD.is_match(line)
}

/// The program that is not installed, where the line says so.
pub(super) fn missing_program(line: &str) -> Option<&str> {
    Some(MISSING.captures(line.trim())?.name("program")?.as_str())
}

/// How the message goes on after this line, if it does.
pub(super) fn opens(line: &str) -> Option<Message> {
    if PANIC.is_match(line) {
        // Older compilers write the message into the same line.
        return line.ends_with(':').then_some(Message::NextLine);
    }
    if line.starts_with("CMake Error") {
        return Some(Message::Paragraph);
    }
    line.starts_with("error: ").then_some(Message::Causes)
}

/// The line without what only introduces it.
pub(super) fn stripped(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("= note: ").unwrap_or(line)
}

/// The line without sequences that set colours or titles.
pub(super) fn uncoloured(line: &str) -> Cow<'_, str> {
    COLOURS.replace_all(line, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_word_stands_decides() {
        let placed = [
            "a.c:1:5: error: x",
            "a.c:3: fatal error: y.h: No such file",
            "b.c(12): error C2065: z",
        ];
        for line in placed {
            assert_eq!(ErrorLine::of(line), ErrorLine::Sign(LineSign::Placed), "{line}");
        }
        let mild = [
            "a.c:1:5: warning: ‘error: ’ directive writing 7 bytes",
            "    3 | report(\"error: x\");",
            "cc -DERROR='x: error: y' -c a.c",
            "checking for strerror... not found",
            "a.c:1:5: note: error: x",
            "make[1]: *** [Makefile:12: all] Error 2",
            "collect2: error: ld returned 1 exit status",
            "error: could not compile `x` (bin \"x\") due to 2 previous errors",
        ];
        for line in mild {
            assert_eq!(ErrorLine::of(line), ErrorLine::Other, "{line}");
        }
        assert_eq!(ErrorLine::of("make: *** [makefile:56: ytab.o] Error 127"), ErrorLine::NotFound);
        assert_eq!(ErrorLine::of("make: [Makefile:3: x] Error 1 (ignored)"), ErrorLine::Ignored);
        assert_eq!(ErrorLine::of("   ^~~~~ ~~"), ErrorLine::Carets);
    }
}
