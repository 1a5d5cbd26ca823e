//! A revision, as `tacho show REV` shows it.

use std::collections::BTreeMap;

use serde::Serialize;
use tacho_record::{Bisection, Build, Commit, CvsNumbers, Metric, Revision, first_of};
use tacho_report::block::Block;
use tacho_report::build::{OUTDATED, line, quirks};
use tacho_report::revision::numbered;

use super::answer::BuildAnswer;
use super::measured_benchmark::{MeasuredAnswer, MeasuredBenchmark};
use super::{bisect, blocks, text};

/// How many files of a commit are named.
const FILES: usize = 6;

/// All that is known of one revision.
pub struct RevisionDetails {
    pub revision: Revision,
    /// Its commit, where it is known.
    pub commit: Option<Commit>,
    /// The bisections that named it, oldest first.
    pub named_by: Vec<Bisection>,
    /// The bisections that measured it, oldest first, where nothing else did.
    pub measured_by: Vec<Bisection>,
    /// The same of comparisons.
    pub compared_in: Vec<ComparisonOfRevision>,
    pub hosts: Vec<HostDetails>,
}

/// A comparison that measured a revision.
pub struct ComparisonOfRevision {
    /// The number of its run.
    pub run: i64,
    /// The run in words: `compare main with HEAD`.
    pub words: String,
    /// How many rows have each verdict.
    pub verdicts: String,
}

/// A revision on one host.
pub struct HostDetails {
    pub host: String,
    pub build: Option<Build>,
    /// Whether the build is by another recipe than the plan's present one, which was not tried yet.
    pub outdated: bool,
    pub benchmarks: Vec<MeasuredBenchmark>,
}

/// A revision in JSON.
#[derive(Serialize)]
pub struct KnownAnswer<'a> {
    revision: &'a Revision,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<&'a BTreeMap<String, CvsNumbers>>,
    /// The names of the bisections that named it, oldest first.
    named_by: Vec<&'a str>,
    /// The numbers of the runs that compared it, oldest first, where nothing else measured it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    compared_in: Vec<i64>,
    hosts: Vec<HostAnswer<'a>>,
}

/// A revision on one host, in JSON.
#[derive(Serialize)]
struct HostAnswer<'a> {
    host: &'a str,
    build: Option<BuildAnswer>,
    outdated: bool,
    benchmarks: Vec<MeasuredAnswer<'a>>,
}

impl ComparisonOfRevision {
    /// Says that the run measured the revision, its result, and how to see all of it.
    fn line(&self) -> String {
        let Self { run, words, verdicts } = self;
        let came = if verdicts.is_empty() { String::new() } else { format!(": {verdicts}") };
        format!("measured in run {run}, {words}{came}: `tacho show run:{run}`")
    }
}

impl RevisionDetails {
    /// All of it in JSON.
    pub fn answer(&self) -> KnownAnswer<'_> {
        let numbers = self
            .commit
            .as_ref()
            .map(|commit| &commit.numbers)
            .filter(|numbers| !numbers.is_empty());
        let hosts = self.hosts.iter().map(HostDetails::answer).collect();
        let named_by = self.named_by.iter().map(|bisection| bisection.name.as_str()).collect();
        let compared_in = self.compared_in.iter().map(|it| it.run).collect();
        KnownAnswer { revision: &self.revision, numbers, named_by, compared_in, hosts }
    }

    /// All of it for people, with these metrics, and each sample if requested.
    pub fn text(&self, metrics: &[Metric], samples: bool) -> String {
        let of_host = |host: &HostDetails| host.parts(metrics, samples, &self.revision);
        let hosts = self.hosts.iter().flat_map(of_host);
        blocks::parts_in_terminal(&[self.head()].into_iter().chain(hosts).collect::<Vec<_>>())
    }

    /// The revision, its commit, and what measured it beside `tacho track`.
    fn head(&self) -> Vec<Block> {
        let Revision { id, tags, subject, author, date, .. } = &self.revision;
        let tags = tags.iter().filter(|tag| *tag != id).map(|tag| format!("  {tag}"));
        let lead = format!("revision {id}{}", tags.collect::<String>());
        let commit = [format!("{}  {author}", text::day(*date)), subject.clone()];
        let commit = commit.into_iter().filter(|_| !subject.is_empty());
        let measured = self.measured_by.iter().filter_map(|it| bisect::measured_line(it, id));
        let compared = self.compared_in.iter().map(ComparisonOfRevision::line);
        let named = self.named_by.iter().filter_map(|it| bisect::named_line(it, id));
        let files = self.commit.as_ref().and_then(files);
        let items = commit.chain(files).chain(measured).chain(compared).chain(named);
        [Block::Lead(lead)].into_iter().chain(items.map(Block::Item)).collect()
    }
}

/// The files of a commit of CVS with their numbers, which nothing else shows; `None` for other
/// systems.
fn files(commit: &Commit) -> Option<String> {
    let numbered = first_of(commit.numbers.keys().map(|file| numbered(commit, file)), FILES);
    Some(numbered).filter(|files| !files.is_empty())
}

impl HostDetails {
    fn answer(&self) -> HostAnswer<'_> {
        let benchmarks = self.benchmarks.iter().map(MeasuredBenchmark::answer).collect();
        let build = self.build.as_ref().map(BuildAnswer::from);
        HostAnswer { host: &self.host, build, outdated: self.outdated, benchmarks }
    }

    /// The build, and a part a benchmark.
    fn parts(&self, metrics: &[Metric], samples: bool, revision: &Revision) -> Vec<Vec<Block>> {
        let build = self.build.as_ref().map_or_else(|| "not built".into(), line);
        let again = format!("{OUTDATED}: `tacho track {}` builds it again", revision.short());
        let again = Some(again).filter(|_| self.outdated);
        let quirks = self.build.as_ref().and_then(quirks);
        let head = [format!("on {}: {build}", self.host)].into_iter().chain(again).chain(quirks);
        let mut parts = vec![head.map(Block::Sentence).collect()];
        for measured in &self.benchmarks {
            parts.push(measured.blocks(metrics, &revision.id));
            parts.extend(samples.then(|| vec![Block::Table(measured.samples(metrics))]));
        }
        parts
    }
}
