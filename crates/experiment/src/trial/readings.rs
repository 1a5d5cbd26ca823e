//! Metrics in the output of an execution: requested before it, read after it.
//!
//! How values are found in a text is `measure::Parser`'s; here is which text, what must be kept for
//! it, and what becomes of what was found.

use std::borrow::Cow;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use tacho_measure::{CapturedOutput, Execution, OutputRequest, Parser, check_no_pipe};
use tacho_record::plan::{OutputPlace, PlannedMetric};
use tacho_record::{Metric, MetricName, median_of_replicates};

/// An output that metrics are read from may be that long, in bytes (docs/src/method).
pub const LONGEST_OUTPUT: usize = 16 << 20;
/// The largest number of replicates of a metric that are kept of one execution; of more, only their
/// median is kept (docs/src/method).
pub const MOST_REPLICATES: usize = 100;
/// The largest number of values that are kept of one execution, below the store's limit.
const MOST_VALUES: usize = 1000;
/// How much of a file's end is shown, in bytes, as of the outputs.
const TAIL: usize = 4096;

/// The metrics of a benchmark that are read from its output.
#[derive(Clone, Debug, Default)]
pub struct OutputMetrics(Vec<OutputMetric>);

#[derive(Clone, Debug)]
struct OutputMetric {
    name: MetricName,
    place: ReadingPlace,
    parser: Parser,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ReadingPlace {
    File(PathBuf),
    Stderr,
    Stdout,
}

/// Why a metric could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The metric and the reason, in one line.
    pub why: String,
    /// The end of what was to be read.
    pub tail: Vec<u8>,
}

impl OutputMetrics {
    /// The readings among these metrics; files are paths from that folder.
    #[must_use]
    pub fn new(metrics: &[PlannedMetric], plan_folder: &Path) -> Self {
        let read = |planned: &PlannedMetric| {
            let PlannedMetric { metric, reading, .. } = planned;
            let reading = reading.as_ref()?;
            let place = match &reading.place {
                OutputPlace::File(path) => ReadingPlace::File(plan_folder.join(path)),
                OutputPlace::Stderr => ReadingPlace::Stderr,
                OutputPlace::Stdout => ReadingPlace::Stdout,
            };
            let parser = Parser::new(reading, &metric.unit);
            Some(OutputMetric { name: Metric::shared_name(&metric.name), place, parser })
        };
        Self(metrics.iter().filter_map(read).collect())
    }

    /// The requests for standard output and standard error; `stdout` is the one without readings.
    #[must_use]
    pub fn looks(
        &self,
        stdout: Option<OutputRequest>,
    ) -> (Option<OutputRequest>, Option<OutputRequest>) {
        let reads = |place: &ReadingPlace| self.0.iter().any(|metric| metric.place == *place);
        let kept = |look: OutputRequest| OutputRequest { keep: Some(LONGEST_OUTPUT), ..look };
        let stdout = if reads(&ReadingPlace::Stdout) {
            Some(kept(stdout.unwrap_or_default()))
        } else {
            stdout
        };
        (stdout, reads(&ReadingPlace::Stderr).then(|| kept(OutputRequest::default())))
    }

    /// Whether some metrics are in files.
    #[must_use]
    pub fn has_files(&self) -> bool {
        self.0.iter().any(|metric| matches!(metric.place, ReadingPlace::File(_)))
    }

    /// Removes the files that are to be read, so that an execution never gets the output of another
    /// one.
    pub fn remove_files(&self) -> Result<(), String> {
        for metric in &self.0 {
            let ReadingPlace::File(path) = &metric.place else { continue };
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(format!("cannot remove `{}`: {error}", path.display()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The values of all metrics, replicates one after the other; or why one of them has none.
    pub fn read(&self, execution: &Execution) -> Result<Vec<(MetricName, f64)>, Unreadable> {
        let mut values = Vec::new();
        let limit = MOST_REPLICATES.min(MOST_VALUES / self.0.len().max(1)).max(1);
        for OutputMetric { name, place, parser } in &self.0 {
            let unreadable =
                |why: String, tail| Unreadable { why: format!("`{name}`: {why}"), tail };
            let text = Text::of(place, execution).map_err(|why| unreadable(why, Vec::new()))?;
            let too_long = || format!("the output is longer than {} MiB", LONGEST_OUTPUT >> 20);
            let whole = text.whole.ok_or_else(|| unreadable(too_long(), text.tail.clone()))?;
            let found = parser.values(&whole).map_err(|why| unreadable(why, text.tail.clone()))?;
            let kept = if found.len() > limit {
                Vec::from_iter(median_of_replicates(found))
            } else {
                found
            };
            values.extend(kept.into_iter().map(|value| (name.clone(), value)));
        }
        Ok(values)
    }
}

/// The text at a place.
struct Text<'a> {
    /// All of it, unless it is too long.
    whole: Option<Cow<'a, [u8]>>,
    tail: Vec<u8>,
}

impl<'a> Text<'a> {
    fn of(place: &ReadingPlace, execution: &'a Execution) -> Result<Self, String> {
        let captured = |captured: Option<&'a CapturedOutput>, tail: &[u8]| Self {
            whole: captured.and_then(CapturedOutput::whole).map(Cow::Borrowed),
            tail: captured.map_or(tail, |captured| &captured.tail).to_vec(),
        };
        match place {
            ReadingPlace::File(path) => Self::of_file(path),
            ReadingPlace::Stderr => Ok(captured(execution.stderr.as_ref(), &execution.stderr_tail)),
            ReadingPlace::Stdout => Ok(captured(execution.stdout.as_ref(), &[])),
        }
    }

    fn of_file(path: &Path) -> Result<Self, String> {
        let mut content = Vec::new();
        // A byte more than may be there shows that there is more.
        let limit = LONGEST_OUTPUT as u64 + 1;
        let opened = check_no_pipe(path).and_then(|()| File::open(path));
        let read = opened.and_then(|file| file.take(limit).read_to_end(&mut content));
        match read {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(format!("`{}` was not written", path.display()))
            }
            Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
            Ok(_) => {
                let tail = content[content.len().saturating_sub(TAIL)..].to_vec();
                let whole = (content.len() <= LONGEST_OUTPUT).then_some(Cow::Owned(content));
                Ok(Self { whole, tail })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;
    use tacho_measure::ExecutionEnd;
    use tacho_record::plan::parse;

    use super::*;

    fn metrics(tables: &str, folder: &Path) -> OutputMetrics {
        let text =
            format!("[[benchmark]]\nname = 'a'\ncommand = 'a'\nmetrics = ['wall', {tables}]\n");
        let plan = parse(&text, "tacho.toml").unwrap_or_else(|errors| panic!("{errors}"));
        OutputMetrics::new(&plan.benchmarks[0].metrics, folder)
    }

    fn execution() -> Execution {
        Execution::of(ExecutionEnd::Exited(0), Timestamp::UNIX_EPOCH, Duration::ZERO)
    }

    #[test]
    fn only_what_is_read_is_kept() {
        let nowhere = Path::new("/nowhere");
        let keep = OutputRequest::keep(LONGEST_OUTPUT);
        let stdout = metrics("{ name = 'a', from = 'key:a' }", nowhere);
        assert_eq!(stdout.looks(None), (Some(keep.clone()), None));
        let searched = OutputRequest { search: Some("x".into()), ..keep.clone() };
        assert_eq!(stdout.looks(Some(OutputRequest::search("x"))).0, Some(searched));
        let stderr = metrics("{ name = 'a', from = 'time:real' }", nowhere);
        assert_eq!(
            stderr.looks(Some(OutputRequest::digest())),
            (Some(OutputRequest::digest()), Some(keep))
        );
        let file = metrics("{ name = 'a', from = 'key:a', file = 'f' }", nowhere);
        assert_eq!(file.looks(None), (None, None));
    }

    #[test]
    fn each_metric_is_read_from_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let metrics = metrics(
            "{ name = 'a', from = 'key:a', unit = 'ms' }, { name = 'b', from = 'key:b', stream = \
             'stderr' },
             { name = 'c', from = 'csv:c', file = 'out.csv' }",
            folder.path(),
        );
        std::fs::write(folder.path().join("out.csv"), "c\n7\n").unwrap();
        metrics.remove_files().unwrap();
        let said = Execution {
            stdout: Some(CapturedOutput::keeping("a: 2\na: 3\n")),
            stderr: Some(CapturedOutput::keeping("b=5\n")),
            ..execution()
        };
        let missing = metrics.read(&said).unwrap_err();
        let file = folder.path().join("out.csv");
        assert_eq!(missing.why, format!("`c`: `{}` was not written", file.display()));
        std::fs::write(file, "c\n8\n9\n").unwrap();
        let values = [("a", 2e6), ("a", 3e6), ("b", 5.0), ("c", 8.0), ("c", 9.0)];
        assert_eq!(metrics.read(&said).unwrap(), values.map(|(name, value)| (name.into(), value)));
    }

    #[test]
    fn what_is_not_there_or_too_long_is_said_with_the_end_of_the_output() {
        let metrics = metrics("{ name = 'a', from = 'key:a' }", Path::new("/nowhere"));
        let said = |stdout| metrics.read(&Execution { stdout: Some(stdout), ..execution() });
        let nothing = said(CapturedOutput::keeping("b: 2\n")).unwrap_err();
        assert_eq!(nothing.why, "`a`: no line begins with `a=` or `a:`");
        assert_eq!(nothing.tail, b"b: 2\n");
        let cut = CapturedOutput { bytes: 99, ..CapturedOutput::keeping("a: 2\n") };
        assert_eq!(said(cut).unwrap_err().why, "`a`: the output is longer than 16 MiB");
    }

    #[test]
    fn a_named_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let metrics = metrics("{ name = 'a', from = 'key:a', file = 'f' }", folder.path());
        let file = folder.path().join("f");
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        let why = format!("`a`: cannot read `{}`: it is a named pipe", file.display());
        assert_eq!(metrics.read(&execution()).unwrap_err().why, why);
    }

    #[test]
    fn of_many_replicates_their_median_is_kept() {
        let metrics = metrics("{ name = 'a', from = 'json:/a' }", Path::new("/nowhere"));
        let print = |count: usize| {
            let numbers: Vec<String> = (0..count).map(|number| number.to_string()).collect();
            let stdout = CapturedOutput::keeping(format!("{{\"a\": [{}]}}", numbers.join(",")));
            metrics.read(&Execution { stdout: Some(stdout), ..execution() }).unwrap()
        };
        assert_eq!(print(MOST_REPLICATES).len(), MOST_REPLICATES);
        assert_eq!(print(MOST_REPLICATES + 1), [("a".into(), 50.0)]);
    }
}
