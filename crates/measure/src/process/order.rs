//! A request in the launcher's terms, and an error of it in the words of the request.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{env, io};

use super::answer::LaunchStep;
use super::cgroup::GroupFiles;
use super::environment::environment;
use super::settings::{self, Settings};
use crate::{Request, check_no_pipe};

/// How long a child may take to take its conditions upon itself.
const REHEARSAL: Duration = Duration::from_secs(10);

/// The default path of programs: what the C library assumes.
const USUAL_PATH: &str = "/bin:/usr/bin";

/// The longest time, which is no limit.
const NEVER: u64 = i64::MAX as u64;

/// How many requests are remembered: more commands than that by turns are rare, and each costs some
/// KiB.
const REMEMBERED: usize = 32;

/// An order that is sent ahead is no longer than that, in bytes: the launcher takes it in one go,
/// and so soon that it does not matter.
const LONGEST_AHEAD: usize = 16 * 1024;

/// `struct order` of the launcher, and what comes with it.
pub struct LauncherOrder {
    limit: Duration,
    pub grace: Duration,
    pub patience: Duration,
    settings: Settings,
    words: Arc<OrderWords>,
    /// Whether it follows the active order, or is dropped.
    is_ahead: bool,
    /// Standard input, if it is not nothing.
    pub stdin: Option<File>,
    /// The files of its control group.
    pub group: GroupFiles,
}

/// The texts of an order: always the same for the same request.
#[derive(Debug, Default)]
struct OrderWords {
    /// How many candidates, arguments and variables there are, in this order.
    counts: [usize; 3],
    /// The folder, the candidates, the arguments, the variables; a zero after each.
    strings: Vec<u8>,
}

/// Makes orders. The words of the last orders are kept: the same commands are repeated, and work
/// must not be repeated between two executions.
#[derive(Debug, Default)]
pub struct Orders(VecDeque<KnownOrder>);

/// A request that was executed.
#[derive(Debug)]
struct KnownOrder {
    request: Request,
    words: Arc<OrderWords>,
    /// The cost of its last execution.
    last: Option<ExecutionCost>,
}

/// The cost of an execution.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionCost {
    /// Its wall time.
    pub wall: Duration,
    /// Its processor time, that of all its processes.
    pub cpu: Duration,
    /// How long it waited for a processor.
    pub waiting: Duration,
}

impl Orders {
    /// The order for that request, in that control group; or why it cannot be executed, in one
    /// line.
    pub fn order(&mut self, request: &Request, group: GroupFiles) -> Result<LauncherOrder, String> {
        Ok(LauncherOrder {
            limit: request.timeout,
            grace: request.grace,
            patience: request.patience,
            settings: Settings::new(request, &group)?,
            words: self.words(request)?,
            is_ahead: false,
            stdin: request.stdin.as_deref().map(open).transpose()?,
            group,
        })
    }

    fn words(&mut self, request: &Request) -> Result<Arc<OrderWords>, String> {
        let words = self.unpadded(request)?;
        Ok(match request.padding {
            None => words,
            Some((name, bytes)) => Arc::new(words.padded(name, bytes)),
        })
    }

    fn unpadded(&mut self, request: &Request) -> Result<Arc<OrderWords>, String> {
        if let Some(known) = self.0.iter().find(|known| has_the_words_of(&known.request, request)) {
            return Ok(Arc::clone(&known.words));
        }
        let words = Arc::new(OrderWords::of(request)?);
        self.0.truncate(REMEMBERED - 1);
        self.0.push_front(KnownOrder {
            request: request.clone(),
            words: Arc::clone(&words),
            last: None,
        });
        Ok(words)
    }

    /// Remembers what an execution of that request used.
    pub fn remember(&mut self, request: &Request, spent: Option<ExecutionCost>) {
        if let Some(known) =
            self.0.iter_mut().find(|known| has_the_words_of(&known.request, request))
        {
            known.last = spent;
        }
    }

    /// The cost of the last execution of a request, if known.
    pub fn last(&self, request: &Request) -> Option<ExecutionCost> {
        self.0.iter().find(|known| has_the_words_of(&known.request, request))?.last
    }
}

/// Whether both requests give the same words; the number of padding bytes is added to them later.
fn has_the_words_of(known: &Request, request: &Request) -> bool {
    let variable = |request: &Request| request.padding.map(|(name, _)| name);
    known.command == request.command
        && known.directory == request.directory
        && known.environment == request.environment
        && known.conditions.environment == request.conditions.environment
        && known.conditions.inherit == request.conditions.inherit
        && variable(known) == variable(request)
}

impl OrderWords {
    fn of(request: &Request) -> Result<Self, String> {
        let program = request.command.first().ok_or("there is no command to execute")?;
        let mut environment = environment_of(request);
        if let Some((name, _)) = request.padding {
            // Ours, where we were executed so ourselves.
            environment.remove(OsStr::new(name));
        }
        let candidates = candidates(program, environment.get(OsStr::new("PATH")));
        let mut strings = Strings::default();
        strings.push([request.directory.as_os_str()]);
        let counts = [
            strings.push(candidates.iter().map(OsString::as_os_str)),
            strings.push(request.command.iter().map(OsStr::new)),
            strings.push_pairs(&environment),
        ];
        if strings.broken {
            return Err(format!("cannot start `{program}`: nul byte found in provided data"));
        }
        Ok(Self { counts, strings: strings.bytes })
    }

    /// The same with one variable more, of this many bytes.
    fn padded(&self, name: &str, bytes: usize) -> Self {
        let [candidates, arguments, variables] = self.counts;
        let mut strings = Vec::with_capacity(self.strings.len() + name.len() + bytes + 2);
        strings.extend_from_slice(&self.strings);
        strings.extend_from_slice(name.as_bytes());
        strings.push(b'=');
        strings.resize(strings.len() + bytes, b'X');
        strings.push(0);
        Self { counts: [candidates, arguments, variables + 1], strings }
    }
}

impl LauncherOrder {
    /// The order to take the conditions of that request upon itself, and to execute nothing.
    pub fn rehearsal(request: &Request, group: GroupFiles) -> Result<Self, String> {
        let settings = Settings::new(request, &group)?;
        Ok(Self {
            limit: REHEARSAL,
            grace: REHEARSAL,
            patience: request.patience,
            settings,
            words: Arc::new(OrderWords { counts: [0; 3], strings: vec![0] }),
            is_ahead: false,
            stdin: None,
            group,
        })
    }

    /// The same as one that is to follow the one that is executed; `None` if that would be too
    /// long.
    pub fn ahead(self) -> Option<Self> {
        let is_short = Self::HEAD + self.strings().len() <= LONGEST_AHEAD;
        is_short.then_some(Self { is_ahead: true, ..self })
    }

    /// Whether it follows the active order.
    pub fn is_ahead(&self) -> bool {
        self.is_ahead
    }

    /// The fixed part, as `struct order` has it; readings of the host are due at that time of the
    /// monotonic clock.
    pub fn head(&self, due: Duration) -> [u8; Self::HEAD] {
        let nanoseconds =
            |time: Duration| u64::try_from(time.as_nanos()).map_or(NEVER, |it| it.min(NEVER));
        let [candidates, arguments, variables] = self.words.counts.map(|count| count as u64);
        let (groups, bytes) = (self.group.join.len() as u64, self.strings().len() as u64);
        let numbers = [self.limit, self.grace, self.patience, due]
            .map(nanoseconds)
            .into_iter()
            .chain(self.settings.numbers(self.is_ahead))
            .chain([groups, bytes, candidates, arguments, variables]);
        let mut head = [0; Self::HEAD];
        for (place, number) in head.as_chunks_mut().0.iter_mut().zip(numbers) {
            *place = number.to_ne_bytes();
        }
        head
    }

    /// The folder, the candidates, the arguments, the variables; a zero after each.
    pub fn strings(&self) -> &[u8] {
        &self.words.strings
    }

    /// The size of the fixed part, in bytes.
    const HEAD: usize = (4 + Settings::NUMBERS + 5) * 8;

    /// The memory that it takes at the launcher, in bytes: the strings, and a pointer to each, on
    /// whole pages.
    pub fn memory(&self) -> u64 {
        let pointers = self.words.counts.iter().sum::<usize>() + 4;
        ((self.strings().len() + pointers * size_of::<usize>())
            .next_multiple_of(rustix::param::page_size())) as u64
    }
}

/// Strings, each ended by a zero.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    /// Whether there was a zero in one.
    broken: bool,
}

impl Strings {
    fn push<'a>(&mut self, strings: impl IntoIterator<Item = &'a OsStr>) -> usize {
        strings.into_iter().map(|string| self.end_with(&[string])).count()
    }

    fn push_pairs(&mut self, pairs: &BTreeMap<OsString, OsString>) -> usize {
        pairs.iter().map(|(name, value)| self.end_with(&[name, OsStr::new("="), value])).count()
    }

    fn end_with(&mut self, parts: &[&OsStr]) {
        for part in parts.iter().map(|part| part.as_bytes()) {
            self.broken |= part.contains(&0);
            self.bytes.extend_from_slice(part);
        }
        self.bytes.push(0);
    }
}

/// The candidates for a program: itself, if it names a folder, otherwise a file of that name in
/// each folder of the path.
pub(super) fn candidates(program: &str, path: Option<&OsString>) -> Vec<OsString> {
    if program.contains('/') || program.is_empty() {
        return vec![program.into()];
    }
    let path = path.map_or(OsStr::new(USUAL_PATH), OsString::as_os_str);
    env::split_paths(path).map(|folder| folder.join(program).into_os_string()).collect()
}

fn open(file: &Path) -> Result<File, String> {
    let opened = check_no_pipe(file).and_then(|()| File::open(file));
    opened.map_err(|error| format!("cannot open `{}` for standard input: {error}", file.display()))
}

/// Every system takes this many bytes of arguments and environment.
const FEW: usize = 128 * 1024;

/// Why the system refused to start it, in one line and in the words of the request.
pub fn why_not(request: &Request, step: LaunchStep, error: &io::Error) -> String {
    if step != LaunchStep::Starting {
        return settings::why_not(request, step, error).why;
    }
    let program = request.command.first().map_or("", String::as_str);
    let directory = &request.directory;
    if !directory.is_dir() {
        return format!("the folder `{}` to execute it in does not exist", directory.display());
    }
    let path = directory.join(program);
    let named = program.contains('/');
    match error.raw_os_error() {
        Some(libc::E2BIG) => {
            let bytes: usize = request.command.iter().map(|word| word.len() + 1).sum();
            let environment: usize =
                environment_of(request).iter().map(|(name, it)| name.len() + it.len() + 2).sum();
            if request.limits.address_space.is_some() && bytes + environment < FEW {
                format!("`{program}` cannot be started within its limit on address space")
            } else if environment > bytes {
                format!("the environment of `{program}` is too large: {environment} bytes")
            } else {
                format!("the argument list of `{program}` is too long: {bytes} bytes")
            }
        }
        Some(libc::ENOENT) if named && path.exists() => {
            format!("the interpreter that `{program}` names does not exist")
        }
        Some(libc::ENOENT) if named => format!("`{program}` does not exist"),
        Some(libc::ENOENT) => format!("command not found: `{program}`"),
        // A folder of `PATH` that we may not enter makes this of any command that is in none of the
        // others.
        Some(libc::EACCES) if !named && !is_on_path(request, program) => {
            format!("command not found: `{program}`")
        }
        Some(libc::EACCES) if named && path.is_dir() => {
            format!("`{program}` is a folder, not a program")
        }
        Some(libc::EACCES) => format!("`{program}` is not executable: permission denied"),
        _ => format!("cannot start `{program}`: {error}"),
    }
}

/// All variables that it has.
pub(super) fn environment_of(request: &Request) -> BTreeMap<OsString, OsString> {
    let mut environment = environment(&request.conditions);
    environment.extend(request.environment.iter().map(|(name, value)| (name.into(), value.into())));
    environment
}

/// Whether a file of that name, executable or not, is in a folder of the `PATH` that the subject
/// would have had.
fn is_on_path(request: &Request, program: &str) -> bool {
    let path = environment_of(request).remove(OsStr::new("PATH")).unwrap_or_default();
    env::split_paths(&path).any(|folder| request.directory.join(folder).join(program).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pads_comes_last_and_once_and_costs_no_new_words() {
        let given = |environment: &[(&str, &str)], padding| Request {
            environment: environment
                .iter()
                .map(|(name, it)| ((*name).into(), (*it).into()))
                .collect(),
            padding,
            ..Request::new(["true"])
        };
        let mut orders = Orders::default();
        let plain = orders.words(&given(&[("A", "1")], None)).unwrap();
        for bytes in [0, 3, 4095] {
            let padded =
                orders.words(&given(&[("A", "1"), ("PAD", "ours")], Some(("PAD", bytes)))).unwrap();
            let expected =
                [&plain.strings[..], b"PAD=", "X".repeat(bytes).as_bytes(), b"\0"].concat();
            assert_eq!((&padded.strings, padded.counts[2]), (&expected, plain.counts[2] + 1));
        }
        assert_eq!(orders.0.len(), 2, "one for all that are padded");
        let [wall, cpu, waiting] = [2, 1, 0].map(Duration::from_millis);
        let spent = ExecutionCost { wall, cpu, waiting };
        let padded = |bytes| given(&[("A", "1"), ("PAD", "ours")], Some(("PAD", bytes)));
        orders.remember(&padded(7), Some(spent));
        let known = |request| orders.last(&request).map(|spent| spent.wall);
        assert_eq!((known(padded(9)), known(given(&[("A", "1")], None))), (Some(spent.wall), None));
    }
}
