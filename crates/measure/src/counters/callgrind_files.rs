//! The files that callgrind leaves: for each process a log, and files with counts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// All that it left.
#[derive(Debug, Default)]
pub struct CallgrindFiles {
    /// By the number of the process.
    processes: BTreeMap<u32, CallgrindProcess>,
    /// Valgrind's complaint, if any.
    pub complaint: Option<String>,
}

/// A process, and the programs that it was one after the other.
#[derive(Debug, Default)]
struct CallgrindProcess {
    log: Option<CallgrindLog>,
    parts: Vec<CallgrindPart>,
}

/// The log of the last program that a process was.
#[derive(Debug, PartialEq, Eq)]
struct CallgrindLog {
    parent: Option<u32>,
    /// Whether callgrind began with this process: the process is not forked from another one since
    /// its last exec.
    began: bool,
}

/// One file: what was counted in some stretch of a program.
#[derive(Debug, PartialEq, Eq)]
struct CallgrindPart {
    /// The start of the stretch, in basic blocks since the program began; the count of a forked
    /// process continues that of its parent.
    from: u64,
    why: DumpReason,
    command: String,
    instructions: u64,
}

/// Why a file was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DumpReason {
    /// The process ended.
    End,
    /// The process was about to call exec.
    Exec,
    /// The process was about to fork.
    Fork,
}

impl CallgrindFiles {
    /// Reads the files in a folder; other files are left out.
    pub fn read(folder: &Path) -> Self {
        let mut files = Self::default();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if let (Some(name), Ok(text)) = (entry.file_name().to_str(), fs::read(entry.path())) {
                files.add(name, &String::from_utf8_lossy(&text));
            }
        }
        files
    }

    fn add(&mut self, name: &str, text: &str) -> Option<()> {
        let (kind, rest) = name.split_once('.')?;
        let pid = rest.split('.').next()?.parse().ok()?;
        let process = self.processes.entry(pid).or_default();
        if kind == "log" {
            process.log = Some(CallgrindLog::parse(text));
            self.complaint = self.complaint.take().or_else(|| complaint(text));
        } else {
            process.parts.push(CallgrindPart::parse(text)?);
        }
        Some(())
    }
}

impl CallgrindLog {
    fn parse(text: &str) -> Self {
        let parent =
            text.lines().find_map(|line| line.split_once("Parent PID: ")?.1.trim().parse().ok());
        Self { parent, began: text.contains("For interactive control, run 'callgrind_control") }
    }
}

/// The first line of a log in which valgrind says that it cannot do something.
fn complaint(text: &str) -> Option<String> {
    let mut lines =
        text.lines().map(|line| line.rsplit_once("== ").map_or(line, |(_, rest)| rest).trim());
    let words = ["unhandled instruction", "Unrecognised instruction"];
    let found = lines.find(|line| {
        line.starts_with("valgrind: ") || words.iter().any(|word| line.contains(word))
    });
    found.map(str::to_owned)
}

impl CallgrindPart {
    fn parse(text: &str) -> Option<Self> {
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
        let why = match value("desc: Trigger:")? {
            "Program termination" => DumpReason::End,
            trigger if trigger.contains("exec") => DumpReason::Exec,
            _ => DumpReason::Fork,
        };
        let range = value("desc: Timerange: Basic block")?;
        Some(Self {
            from: range.split(' ').next()?.parse().ok()?,
            why,
            command: value("cmd:")?.to_owned(),
            instructions: value("totals:")?.split(' ').next()?.parse().ok()?,
        })
    }
}

/// The instructions of all processes; or why that is not known.
pub fn sum(files: &CallgrindFiles) -> Result<u64, String> {
    if files.processes.is_empty() {
        return Err("callgrind did not begin".to_owned());
    }
    let parts = files.processes.values().flat_map(|process| &process.parts);
    let split_off = parts.filter(|part| part.why == DumpReason::Fork).count();
    // One of them was there at first.
    if split_off >= files.processes.len() {
        let missing = split_off + 1 - files.processes.len();
        return Err(format!(
            "{missing} of its processes were killed before callgrind could write what it had \
             counted"
        ));
    }
    files.processes.iter().map(|(pid, process)| instructions(files, *pid, process)).sum()
}

fn instructions(
    files: &CallgrindFiles,
    pid: u32,
    process: &CallgrindProcess,
) -> Result<u64, String> {
    if !process.parts.iter().any(|part| part.why == DumpReason::End) {
        return Err(format!(
            "process {pid} was killed before callgrind could write what it had counted"
        ));
    }
    let began = process.log.as_ref().is_some_and(|log| log.began);
    if !began && process.parts.iter().any(|part| part.from == 0) {
        return Err(format!(
            "callgrind did not see that process {pid} was forked, so its instructions count twice"
        ));
    }
    let parent = process.log.as_ref().and_then(|log| files.processes.get(&log.parent?));
    // Split off unseen, then another program: only the short time between the two is its own.
    let is_of_parent = |part: &CallgrindPart| {
        let same = |other: &CallgrindPart| other.command == part.command;
        part.from == 0
            && part.why == DumpReason::Exec
            && parent.is_some_and(|parent| parent.parts.iter().any(same))
    };
    Ok(process.parts.iter().filter(|part| !is_of_parent(part)).map(|part| part.instructions).sum())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A file as callgrind 3.19 writes it.
    fn part(command: &str, from: u64, trigger: &str, instructions: u64) -> String {
        format!(
            "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd:  \
             {command}\npart: 1\n\n\ndesc: I1 cache: \ndesc: Timerange: Basic block {from} - \
             {}\ndesc: Trigger: {trigger}\n\npositions: line\nevents: Ir\nsummary: \
             {instructions}\n\nob=(1) /usr/lib/ld.so\nfn=(0) x\n0 3\ntotals: {instructions}\n",
            from + 9
        )
    }

    fn log(pid: u32, parent: u32, began: bool) -> String {
        let preamble =
            format!("=={pid}== Command: x\n=={pid}== Parent PID: {parent}\n=={pid}== \n");
        let interactive =
            format!("=={pid}== For interactive control, run 'callgrind_control -h'.\n");
        preamble + if began { &interactive } else { "" }
    }

    fn files(all: &[(&str, String)]) -> CallgrindFiles {
        let mut files = CallgrindFiles::default();
        for (name, text) in all {
            files.add(name, text);
        }
        files
    }

    const END: &str = "Program termination";
    const FORK: &str = "--dump-before=fork";
    const EXEC: &str = "--dump-before=execve";

    #[test]
    fn what_was_split_off_counts_from_there_on() {
        let files = files(&[
            ("log.10", log(10, 2, true)),
            ("out.10.1", part("a", 0, FORK, 1000)),
            ("out.10", part("a", 90, END, 100)),
            ("log.11", log(11, 10, false)),
            ("out.11", part("a", 90, END, 10)),
        ]);
        assert_eq!(sum(&files), Ok(1110));
    }

    #[test]
    fn what_became_another_program_counts_with_what_it_did_before() {
        let files = files(&[
            ("log.10", log(10, 2, true)),
            ("out.10.1", part("sh", 0, EXEC, 1000)),
            ("out.10", part("a", 0, END, 100)),
        ]);
        assert_eq!(sum(&files), Ok(1100));
    }

    #[test]
    fn what_was_split_off_unseen_is_never_counted_twice() {
        let parent = [("log.10", log(10, 2, true)), ("out.10", part("a", 0, END, 1000))];
        let child = [("log.11", log(11, 10, false)), ("out.11", part("a", 0, END, 1010))];
        let why = sum(&files(&[parent.clone(), child].concat())).unwrap_err();
        assert_eq!(
            why,
            "callgrind did not see that process 11 was forked, so its instructions count twice"
        );
        let child = [
            ("log.11", log(11, 10, true)),
            ("out.11.1", part("a", 0, EXEC, 990)),
            ("out.11", part("b", 0, END, 5)),
        ];
        assert_eq!(sum(&files(&[parent.as_slice(), &child].concat())), Ok(1005));
    }

    #[test]
    fn what_was_killed_is_missed() {
        let parent = [
            ("log.10", log(10, 2, true)),
            ("out.10.1", part("a", 0, FORK, 5)),
            ("out.10", part("a", 0, END, 1)),
        ];
        let program = [("log.11", log(11, 10, true))];
        let why = sum(&files(&[parent.as_slice(), &program].concat())).unwrap_err();
        assert_eq!(why, "process 11 was killed before callgrind could write what it had counted");
        let why = sum(&files(&parent)).unwrap_err();
        assert_eq!(
            why,
            "1 of its processes were killed before callgrind could write what it had counted"
        );
        assert_eq!(sum(&CallgrindFiles::default()).unwrap_err(), "callgrind did not begin");
    }

    #[test]
    fn a_complaint_is_found() {
        let unknown = "==5== valgrind: Unrecognised instruction at address 0x1.\n";
        let other = "valgrind: /bin/su: Permission denied.\n";
        assert_eq!(
            complaint(unknown).unwrap(),
            "valgrind: Unrecognised instruction at address 0x1."
        );
        assert_eq!(complaint(other).unwrap(), "valgrind: /bin/su: Permission denied.");
        assert_eq!(complaint(&log(5, 4, true)), None);
    }

    proptest! {
        #[test]
        fn whatever_is_there_is_read_without_panic(
            name in "(out|log)[.][0-9.]{0,12}",
            text in "(?s).{0,200}",
        ) {
            let _ = sum(&files(&[(&name, text)]));
        }
    }
}
