//! `tacho try`: a revision with and without a diff.
//!
//! A diff is a quirk that is in no plan: it is built as one, in tacho's own checkout and by a
//! recipe of its own, and both builds are compared as any two are. All is built before anything is
//! measured.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use tacho_experiment::compare::{ComparisonResult, compare as compare_sides, rows_of};
use tacho_record::plan::{Quirk, Subject};
use tacho_record::{BenchmarkKey, Comparing, Metric, Plan, Program, Revision, Side, StopCondition};
use tacho_report::build::why_not;
use tacho_subject::{Layout, history};

use super::compare::exit_status::exit;
use super::compare::fail_on::{fail_on, metrics};
use super::edited;
use super::layout_options;
use super::patches::{Patch, renamed};
use super::session::{CommandSession, SessionRequest};
use crate::cli::{GlobalArgs, TryArgs};
use crate::commands::defaults::{rule, share};
use crate::commands::selection::narrowed;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::exit::Exit;
use crate::output;
use crate::output::answer::versioned;
use crate::output::compare::report::CompareReport;
use crate::output::compare::{CompareAnswer, FailOnGate};
use crate::project::Project;

/// What is no difference, by default.
pub(super) const MARGIN: f64 = 0.01;

/// One diff, or all together.
pub(super) struct Diff {
    /// As they were typed.
    pub(super) names: Vec<String>,
    /// The plan that applies them to whatever it builds.
    pub(super) plan: Plan,
    /// What the base with them built to, or why it did not.
    pub(super) built: Result<Program, String>,
}

/// What came of one.
pub(super) struct TryOutcome {
    patches: Vec<String>,
    pub(super) terms: Comparing,
    pub(super) compared: ComparisonResult,
    pub(super) build: Option<Duration>,
}

/// The answer in JSON; docs/src/formats says what each key means.
#[derive(Serialize)]
struct TryAnswer<'a> {
    base: &'a str,
    tries: Vec<PatchAnswer<'a>>,
}

#[derive(Serialize)]
struct PatchAnswer<'a> {
    patches: &'a [String],
    #[serde(flatten)]
    compared: CompareAnswer<'a>,
}

pub fn execute(global: &GlobalArgs, command: &TryArgs) -> Result<Exit, CliError> {
    if command.patch.is_empty() {
        return Err(CliError::NoPatch);
    }
    let fail_on = fail_on(&command.terms)?;
    let project = Project::open(global)?.counting(&command.terms.counter, &command.terms.metric)?;
    let rounds = layout_options::rounds(&command.terms, &project.plan);
    let wishes = rule(rounds, command.terms.budget.as_deref())?;
    let plan = narrowed(&project.plan, &command.terms.benchmark)?.with_rule(wishes)?;
    let plan = command.terms.reference.applied(plan);
    let history = history(&project.plan.subject, &project.folder)?;
    let base = history.find(&command.base)?;
    let is_revision =
        |path: &Path| !path.exists() && path.to_str().is_some_and(|it| history.find(it).is_ok());
    if let Some(path) = command.patch.iter().find(|path| is_revision(path)) {
        return Err(CliError::RevisionAsPatch { name: path.display().to_string() });
    }
    let terms = terms(&project, &plan, command, &base)?;
    let is_compared =
        |name: &str| terms.rows.iter().any(|(_, of)| of.iter().any(|it| it.name == name));
    output::directions::announce_plan(&plan, is_compared);
    let patches = command
        .patch
        .iter()
        .map(|path| Patch::typed(&project, path))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(twice) = named_twice(&patches) {
        return Err(CliError::PatchTwice { name: twice.name.clone() });
    }
    check(&project, &plan, &base, &patches)?;
    // What is piped is most likely the edits themselves.
    let is_input = command.patch.iter().any(|path| Patch::is_input(path));
    let mut uncommitted = String::new();
    if !is_input {
        edited::announce(&project, std::slice::from_ref(&base));
        uncommitted = edited::markdown(&project, std::slice::from_ref(&base));
    }
    let (quiet, layouts) =
        (global.quiet || command.form.json, layout_options::layouts(&command.terms, &plan)?);
    let session = CommandSession::open(&project, command.begin.wait)?;
    let mut trying = Trying { session, project: &project, base, layouts, build: None, quiet };
    trying.session.store.put_revisions(std::slice::from_ref(&trying.base))?;
    trying.look_at_order(&plan, command)?;
    let Some((without, diffs)) = trying.builds(&plan, combinations(&patches))? else {
        return Ok(Exit::Interrupted);
    };
    let mut tried = Vec::new();
    for diff in diffs {
        let one = trying.one(diff, &without, &terms, command.begin.seed)?;
        let is_over = exit(&one.compared, fail_on.as_ref(), false) == Exit::Interrupted;
        tried.push(one);
        if is_over {
            break;
        }
    }
    print((command, &uncommitted), &trying.base, &tried, fail_on.as_ref())?;
    let exits = tried.iter().map(|tried| exit(&tried.compared, fail_on.as_ref(), false));
    Ok(exits.max().unwrap_or(Exit::Success))
}

/// What a diff does to a revision, by one benchmark and metric: asked on the way of another
/// command.
pub(super) struct TryRequest {
    pub(super) plan: Plan,
    pub(super) row: (BenchmarkKey, Metric),
    pub(super) base: Revision,
    /// What the diff is called, and where it is.
    pub(super) patch: (String, PathBuf),
    pub(super) wait: bool,
    pub(super) seed: Option<u64>,
    pub(super) quiet: bool,
}

/// Builds and compares; none when interrupted before there was something to compare.
pub(super) fn ask(project: &Project, asked: TryRequest) -> Result<Option<TryOutcome>, CliError> {
    let TryRequest { plan, row: (key, metric), base, patch: (name, path), wait, seed, quiet } =
        asked;
    let side = Side {
        name: base.short().to_owned(),
        program: Program::Revision { revision: base.id.clone() },
    };
    let rows = vec![(key, vec![metric])];
    let terms =
        Comparing::between([side.clone(), side], rows, MARGIN, StopCondition::Settled(None));
    let typed = Patch { name, path: path.to_string_lossy().into_owned() };
    let (session, layouts) = (CommandSession::open(project, wait)?, Vec::new());
    let mut trying = Trying { session, project, base, layouts, build: None, quiet };
    trying.session.store.put_revisions(std::slice::from_ref(&trying.base))?;
    let Some((without, diffs)) = trying.builds(&plan, vec![vec![typed]])? else { return Ok(None) };
    let Some(diff) = diffs.into_iter().next() else { return Ok(None) };
    trying.one(diff, &without, &terms, seed).map(Some)
}

/// On which terms all are compared; the sides are still empty.
fn terms(
    project: &Project,
    plan: &Plan,
    command: &TryArgs,
    base: &Revision,
) -> Result<Comparing, CliError> {
    let fail_on = fail_on(&command.terms)?;
    let program = Program::Revision { revision: base.id.clone() };
    let side = Side { name: command.base.clone(), program };
    let refused =
        |why| CompareMistake::NotComparable { a: side.name.clone(), b: side.name.clone(), why };
    let keys = rows_of(plan, [&side.program, &side.program]).map_err(refused)?;
    let row = |key: BenchmarkKey| -> Result<(BenchmarkKey, Vec<Metric>), CliError> {
        let metrics = metrics(project, &key, &command.terms)?;
        Ok((key, metrics))
    };
    let rows = keys.into_iter().map(row).collect::<Result<_, _>>()?;
    let margin = share("--margin", &command.terms.margin)?;
    let until = StopCondition::Settled(fail_on.as_ref().and_then(FailOnGate::limit));
    Ok(Comparing {
        estimator: command.terms.estimator(),
        fail_on: fail_on.as_ref().map(|it| it.kept(&[])),
        ..Comparing::between([side.clone(), side], rows, margin, until)
    })
}

/// That all are diffs, before anything is built.
fn check(
    project: &Project,
    plan: &Plan,
    base: &Revision,
    patches: &[Patch],
) -> Result<(), CliError> {
    let paths = patches.iter().map(|patch| patch.path.clone()).collect();
    let subject = patched(plan, paths).subject;
    let recipes = tacho_subject::recipes(&subject, &project.folder, std::slice::from_ref(base));
    recipes.map(drop).map_err(|error| renamed(error.into(), patches))
}

/// A diff that stands there a second time.
fn named_twice(patches: &[Patch]) -> Option<&Patch> {
    let before = |at: usize| patches[..at].iter().any(|other| other.path == patches[at].path);
    (1..patches.len()).find(|at| before(*at)).map(|at| &patches[at])
}

/// Each alone, and several all together.
fn combinations(patches: &[Patch]) -> Vec<Vec<Patch>> {
    let mut all: Vec<_> = patches.iter().map(|patch| vec![patch.clone()]).collect();
    if patches.len() > 1 {
        all.push(patches.to_vec());
    }
    all
}

/// The plan that applies these patches to whatever it builds.
fn patched(plan: &Plan, patches: Vec<String>) -> Plan {
    let quirk = Quirk { is_tried: true, patches, ..Quirk::named("try", "it is tried") };
    let quirks = plan.subject.quirks.iter().cloned().chain([quirk]).collect();
    Plan { subject: Subject { quirks, ..plan.subject.clone() }, ..plan.clone() }
}

/// All that one call of the command needs.
pub(super) struct Trying<'a> {
    pub(super) session: CommandSession,
    pub(super) project: &'a Project,
    pub(super) base: Revision,
    /// Those in which all is linked; none: as it is built.
    pub(super) layouts: Vec<Layout>,
    /// How long one took to build.
    pub(super) build: Option<Duration>,
    pub(super) quiet: bool,
}

impl Trying<'_> {
    /// Says whether the order in which all is linked has no effect on the base.
    fn look_at_order(&mut self, plan: &Plan, command: &TryArgs) -> Result<(), CliError> {
        let Some(order) = &command.terms.order else { return Ok(()) };
        let Some(Ok(program)) = self.built(plan)? else { return Ok(()) };
        let of = (&self.base, &program);
        let found =
            layout_options::ordered(&mut self.session, self.project, (plan, self.quiet), of)?;
        layout_options::report_order(order, self.base.short(), found.as_ref());
        Ok(())
    }

    /// What the base builds to without any diff, and with each; none when interrupted.
    fn builds(
        &mut self,
        plan: &Plan,
        combinations: Vec<Vec<Patch>>,
    ) -> Result<Option<(Program, Vec<Diff>)>, CliError> {
        let name = self.base.short().to_owned();
        let Some(without) = self.built(plan)? else { return Ok(None) };
        // The log of a layout is not that of the revision.
        let without = without.map_err(|why| match self.layouts.as_slice() {
            [] => CliError::NotBuilt { name, why },
            _ => CliError::NotLaidOut { name, why },
        })?;
        let mut diffs = Vec::new();
        for combination in combinations {
            let plan = patched(plan, combination.iter().map(|patch| patch.path.clone()).collect());
            let Some(built) = self.built(&plan)? else { return Ok(None) };
            let called =
                |why: String| combination.iter().fold(why, |why, patch| patch.renamed(&why));
            let names = combination.iter().map(|patch| patch.name.clone()).collect();
            diffs.push(Diff { names, plan, built: built.map_err(called) });
        }
        Ok(Some((without, diffs)))
    }

    /// What the base builds to by that plan, or why it does not; none when interrupted.
    pub(super) fn built(
        &mut self,
        plan: &Plan,
    ) -> Result<Option<Result<Program, String>>, CliError> {
        if !self.layouts.is_empty() {
            return self.laid_out(plan);
        }
        let (base, quiet) = (&self.base, self.quiet);
        let revisions = std::slice::from_ref(base);
        let wanted = SessionRequest {
            quiet,
            retry_failed: true,
            ..SessionRequest::new(plan.clone(), revisions)
        };
        let build = self
            .session
            .measure(self.project, wanted, |bench, question| bench.build_at_hand(question, base));
        let Some(build) = build? else { return Ok(None) };
        let program = |artifact| Program::Build { artifact, revision: base.id.clone() };
        let state = &build.state;
        Ok(Some(state.artifact().map(program).ok_or_else(|| why_not(state))))
    }

    /// The same in several layouts.
    fn laid_out(&mut self, plan: &Plan) -> Result<Option<Result<Program, String>>, CliError> {
        let of = (&self.base, self.base.short());
        let program = layout_options::program(
            &mut self.session,
            self.project,
            (plan.clone(), self.quiet),
            of,
            &self.layouts,
        );
        Ok(match program? {
            Ok((program, took)) => {
                self.build = Some(took);
                Some(Ok(program))
            }
            Err(ComparisonResult::NotBuilt { why, .. }) => Some(Err(why)),
            Err(_) => None,
        })
    }

    /// Compares the base with and without a diff.
    pub(super) fn one(
        &mut self,
        diff: Diff,
        without: &Program,
        terms: &Comparing,
        seed: Option<u64>,
    ) -> Result<TryOutcome, CliError> {
        let mut terms = terms.clone();
        terms.sides[0].program = without.clone();
        terms.sides[1].name = diff.names.join(" + ");
        // A quirk's name is no diff's.
        if terms.quirk.is_none() {
            terms.patches.clone_from(&diff.names);
        }
        let compared = match diff.built {
            Err(why) => ComparisonResult::NotBuilt { side: terms.sides[1].name.clone(), why },
            Ok(program) => {
                terms.sides[1].program = program;
                let revisions = std::slice::from_ref(&self.base);
                let wanted = SessionRequest {
                    seed,
                    quiet: self.quiet,
                    ..SessionRequest::new(diff.plan, revisions)
                };
                self.session.measure(self.project, wanted, |bench, question| {
                    compare_sides(bench, question, &terms)
                })?
            }
        };
        Ok(TryOutcome { patches: diff.names, terms, compared, build: self.build })
    }
}

/// Prints what came of all; in Markdown also which `edits` are measured nowhere.
fn print(
    (command, edits): (&TryArgs, &str),
    base: &Revision,
    tried: &[TryOutcome],
    fail_on: Option<&FailOnGate>,
) -> Result<(), CliError> {
    let report = |tried| CompareReport { fail_on, ..TryOutcome::report(tried, base) };
    let reports: Vec<CompareReport<'_>> = tried.iter().map(report).collect();
    if command.form.json {
        let answers = tried.iter().zip(&reports);
        let answers = answers
            .map(|(tried, report)| PatchAnswer {
                patches: &tried.patches,
                compared: report.answer(),
            })
            .collect();
        output::print_json(&versioned(TryAnswer { base: &base.id, tries: answers }))?;
    } else {
        let described =
            reports.iter().map(|it| if command.form.markdown { it.markdown() } else { it.text() });
        let described = described.filter(|it| !it.is_empty());
        let edits = if command.form.markdown { edits } else { "" };
        output::print(&(described.collect::<Vec<_>>().join("\n") + edits))?;
    }
    for report in &reports {
        report.announce();
    }
    Ok(())
}

impl TryOutcome {
    pub(super) fn report(&self, base: &Revision) -> CompareReport<'_> {
        let [without, with] = &self.terms.sides;
        let described = [
            format!("{} (the revision {})", without.name, base.short()),
            format!("{} with {}", without.name, with.name),
        ];
        CompareReport {
            terms: &self.terms,
            described,
            compared: &self.compared,
            build: self.build,
            is_kept: true,
            fail_on: None,
            lone: Default::default(),
        }
    }
}
