//! The names of signals.

/// The signals that end a program, by their numbers on Linux (x86, Arm and most others; signal(7)).
const NAMES: [&str; 31] = [
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
];

/// The description of an end by a signal: `killed by signal 11 (SIGSEGV)`.
#[must_use]
pub fn killed_by(number: i32) -> String {
    format!("killed by {}", signal(number))
}

/// A signal in words: `signal 19 (SIGSTOP)`.
pub(crate) fn signal(number: i32) -> String {
    let name = usize::try_from(number).ok().and_then(|number| NAMES.get(number.checked_sub(1)?));
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    format!("signal {number}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names_unless_they_are_real_time_ones() {
        assert_eq!(killed_by(1), "killed by signal 1 (SIGHUP)");
        assert_eq!(killed_by(9), "killed by signal 9 (SIGKILL)");
        assert_eq!(killed_by(31), "killed by signal 31 (SIGSYS)");
        assert_eq!([killed_by(34), killed_by(0)], ["killed by signal 34", "killed by signal 0"]);
    }
}
