//! How a program ends that was refused memory: the kernel reports that nowhere, so it is read from
//! the end itself.

use tacho_measure::{Execution, ExecutionEnd};

/// The signals that end such a program: by its own abort, by use of memory that it did not get, or
/// before its start. SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGKILL, SIGSEGV.
const SIGNALS: [i32; 6] = [4, 5, 6, 7, 9, 11];

/// The messages of programs, libraries and languages in this case, in lower case: the C library
/// (`ENOMEM`, the dynamic loader), C++, Rust, Python, Java, Go, V8, Perl and many tools.
const WORDS: [&str; 15] = [
    "allocation failed",
    "bad_alloc",
    "cannot allocate",
    "could not reserve enough space",
    "enomem",
    "error while loading shared libraries",
    "failed to allocate",
    "failed to map segment",
    "heap space",
    "insufficient memory",
    "memory allocation of",
    "memory exhausted",
    "memoryerror",
    "not enough memory",
    "out of memory",
];

/// Whether a program ended because it requested more address space than allowed.
pub fn was_refused_memory(execution: &Execution) -> bool {
    match execution.ended {
        ExecutionEnd::Killed(signal) => SIGNALS.contains(&signal),
        // A shell says so of its child.
        ExecutionEnd::Exited(code) if SIGNALS.contains(&(code - 128)) => true,
        ExecutionEnd::Exited(_) => {
            let stdout = execution.stdout.as_ref().map_or(&[][..], |stdout| &stdout.tail);
            [&execution.stderr_tail, stdout].into_iter().any(says_so)
        }
        _ => false,
    }
}

fn says_so(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text).to_lowercase();
    WORDS.iter().any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;

    use super::*;

    fn of(ended: ExecutionEnd, said: &str) -> bool {
        let execution = Execution::of(ended, Timestamp::UNIX_EPOCH, Duration::ZERO);
        was_refused_memory(&Execution { stderr_tail: said.into(), ..execution })
    }

    #[test]
    fn what_was_refused_memory_says_so_or_dies_of_it() {
        let said = [
            "x: error while loading shared libraries: libc.so.6: failed to map segment from \
             shared object",
            "terminate called after throwing an instance of 'std::bad_alloc'",
            "sort: memory exhausted",
            "fork: Cannot allocate memory",
            "Traceback (most recent call last):\nMemoryError",
            "fatal error: runtime: out of memory",
        ];
        assert!(said.iter().all(|said| of(ExecutionEnd::Exited(1), said)));
        assert!([6, 9, 11].into_iter().all(|signal| of(ExecutionEnd::Killed(signal), "")));
        assert!(of(ExecutionEnd::Exited(139), ""), "as a shell says it");
    }

    #[test]
    fn another_end_is_a_failure() {
        assert!(!of(ExecutionEnd::Exited(1), "usage: x FILE"));
        assert!(!of(ExecutionEnd::Exited(2), ""));
        assert!(
            !of(ExecutionEnd::Killed(15), "") && !of(ExecutionEnd::Killed(8), ""),
            "ended by somebody, divided by zero"
        );
        assert!(!of(ExecutionEnd::Exited(143), ""));
        assert!(!of(ExecutionEnd::TimedOut, "out of memory"));
    }
}
