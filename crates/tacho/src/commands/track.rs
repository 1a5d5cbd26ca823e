//! `tacho track`: measure a range of revisions, then show it.

use crate::commands::selection::{narrowed, select, selection, with_reference};
use crate::counters::{counters, counting, uncounted};
use std::io::IsTerminal;
use std::time::Instant;

use serde::Serialize;
use tacho_experiment::analysis::execution_times::busy_share;
use tacho_experiment::analysis::host_load::host_load;
use tacho_experiment::analysis::planned_metrics::{UnreadMetrics, most_samples, untidy_benchmarks};
use tacho_experiment::analysis::reference;
use tacho_experiment::analysis::track_details::TrackedSession;
use tacho_experiment::analysis::tracked_series::TrackedSeries;
use tacho_experiment::build::edited_recipe::measured_by_other_recipes;
use tacho_experiment::machine;
use tacho_experiment::pending::link;
use tacho_experiment::present_line::keep_to_line;
use tacho_experiment::{TrackForecast, TrackResult, track};
use tacho_record::plan::Source;
use tacho_record::{
    BuildGap, Counter, Plan, ReferenceMode, Revision, RuleError, RuleRequest, Sample, Series,
    in_backticks, percentage,
};
use tacho_report::busy_host_hint::{CALLGRIND, WaysOut};
use tacho_report::host;
use tacho_report::series::LEFT_BEHIND_HINT;

use tacho_store::{HostId, Store};
use tacho_subject::{SelectedRevisions, history};

use super::changes::found;
use super::session::{CommandSession, SessionRequest};
use super::{layout_options, lookup, missing, run_words, survey, verdicts};
use crate::cli::{GlobalArgs, ShownMetricArgs, TrackArgs};
use crate::commands::edited::report_edits;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::answer::versioned;
use crate::output::track_report::{NEW_METRIC, TrackReport, measure_new};
use crate::output::{self, table, text};
use crate::project::Project;

/// Measures what is requested by name.
pub fn measure(global: &GlobalArgs, command: &TrackArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    let project = Project::open(global)?;
    let command = &counting_metrics(&project, command);
    check_metrics(&project, command)?;
    let few = survey::is_survey(command);
    let mut request = request(command)?;
    // The budget of a survey includes builds, so it is no rule of its runs.
    let budget = request.budget.take_if(|_| few);
    let plan = narrowed(&project.plan, &command.benchmark)?.with_rule(request)?;
    let mut plan = command.reference.applied(plan);
    plan.measure.reference.programs.get_or_insert(ReferenceMode::Cheap);
    let plan =
        layout_options::tracked(&counting(plan, &counters(&command.counter)?), command.rounds)?;
    output::directions::announce_plan(&plan, |_| true);
    if command.schedule.missing {
        return missing::execute(global, command, &project, &plan);
    }
    if few {
        return survey::execute(global, command, &project, plan, budget);
    }
    if command.dry_run {
        let revisions = select(&project, command)?.revisions;
        let forecast = match project.store_to_read() {
            Ok(mut store) => {
                report_edits(&mut store, &plan, |_| true)?;
                let is_retrying = command.retry_failed;
                forecast(&project, &mut store, plan.clone(), (&revisions, is_retrying))?
            }
            Err(_) => None,
        };
        return dry_run(&plan, &revisions, forecast, command.shown.json);
    }
    // A mistyped revision leaves no empty store behind.
    let is_quick = matches!(project.plan.subject.source, Source::Git(_));
    if is_quick && project.store_to_read().is_err() {
        history(&project.plan.subject, &project.folder)?.select(&selection(command)?)?;
    }
    let mut session = CommandSession::open(&project, command.begin.wait)?;
    let waited = began.elapsed();
    let mut selected = select(&project, command)?;
    // Revisions that link runs, or are the reference, are measured and not shown.
    let asked = selected.revisions.clone();
    session.keep_to_line(&project, &selected)?;
    let links = session.with_link(&project, &plan, &mut selected)?;
    let plan = with_reference(&project, plan, &mut selected)?;
    session.check_builds(&project, (&plan, &selected), command)?;
    report_edits(&mut session.store, &plan, |_| true)?;
    session.report_edited_recipe(&project, &selected.revisions)?;
    let tracked = session.track(&project, plan.clone(), (&selected, &asked), global, command)?;
    if tracked.run.is_some() && !links.is_empty() {
        let off = "`link = 0` in `[measure]` turns this off";
        let links = links.join(", ");
        output::note("note", &format!("{links} was measured again, to link the runs ({off})"));
    }
    let is_reference_asked =
        command.reference.reference.is_some_and(|mode| mode != ReferenceMode::Off);
    // The table calls better or worse what `tacho changes` reports.
    let found = found::look(&project, &mut session.store)?;
    let series = session.series(&project, &plan, &asked, command)?;
    session.report_left_behind(&plan, tracked.run)?;
    session.report_noise(tracked.run)?;
    session.report_environment(tracked.run)?;
    session.report_load(tracked.run, (&plan, command))?;
    verdicts::report_short(&mut session.store, tracked.run, &series)?;
    session.report_reference(tracked.run, is_reference_asked)?;
    let unbuilt = BuildGap::of(&selected.revisions, &tracked.builds);
    let is_beside = |it: &&Revision| !asked.iter().any(|one| one.id == it.id);
    let beside: Vec<String> =
        selected.revisions.iter().filter(is_beside).map(|it| it.id.clone()).collect();
    let shown = TrackedSession {
        tracked: &tracked,
        series: TrackedSeries(&series),
        revisions: &selected.revisions,
        unbuilt: &unbuilt,
        links: &beside,
        rule: &plan.measure.rule,
        total: began.elapsed().saturating_sub(waited),
    };
    let report = TrackReport(shown.details(&mut session.store)?);
    report.print(command.shown.json)?;
    if !tracked.interrupted {
        if !command.shown.json {
            verdicts::report_unjudged(&found, &series);
            if shown.series.has_values() {
                verdicts::report_other_metrics(&found, &series);
            }
        }
        let samples = most_samples((&mut session.store, session.host_id))?;
        report.print_lacking(samples);
        if tracked.run.is_none() && command.shown.metric.is_empty() && shown.series.has_values() {
            session.report_new_metrics(&plan, samples)?;
        }
    }
    Ok(Exit::of(tracked.interrupted, shown.series.is_whole()))
}

/// The options, with the counters among the displayed metrics, which are counted too.
fn counting_metrics(project: &Project, command: &TrackArgs) -> TrackArgs {
    let mut command = command.clone();
    command.counter.extend(uncounted(&project.plan, &command.shown.metric));
    command
}

/// Checks that the metrics to show exist: a mistyped one is reported before anything is measured.
fn check_metrics(project: &Project, command: &TrackArgs) -> Result<(), CliError> {
    let is_counted = |name: &String| Counter::named(name).is_some();
    let metric = command.shown.metric.iter().filter(|name| !is_counted(name)).cloned().collect();
    let shown = ShownMetricArgs { metric, ..command.shown.clone() };
    let stored = match project.store_to_read() {
        Ok(mut store) => store.metrics()?,
        // A store that does not exist yet, or cannot be opened, is reported when it is needed.
        Err(_) => Vec::new(),
    };
    for (_, key) in project.plan.keyed_benchmarks() {
        lookup::metrics(project, &stored, &key, &shown)?;
    }
    Ok(())
}

/// The stopping rule from the options.
fn request(command: &TrackArgs) -> Result<RuleRequest, RuleError> {
    let typed = &command.stopping;
    Ok(RuleRequest {
        rounds: command.rounds,
        precision: typed.precision.as_deref().map(percentage).transpose()?,
        precision_metric: typed.precision_metric.clone(),
        min_rounds: typed.min_rounds,
        max_rounds: typed.max_rounds,
        budget: typed.budget.as_deref().map(tacho_record::duration).transpose()?,
        warmup: typed.warmup.as_deref().map(str::parse).transpose()?,
        quiet_wait: typed.quiet_wait.as_deref().map(tacho_record::duration).transpose()?,
    })
}

/// The intended steps, in JSON.
#[derive(Serialize)]
struct TrackDryAnswer<'a> {
    revisions: Vec<&'a str>,
    benchmarks: usize,
    /// How many of them would be built.
    builds: usize,
    /// The most executions that are missing.
    executions: usize,
    /// Whether the warmup is additional, since its length is unknown in advance.
    warm_up_besides: bool,
}

/// What tracking these revisions would cost, by what is kept of this host; `None` if nothing is.
fn forecast(
    project: &Project,
    store: &mut Store,
    mut plan: Plan,
    (revisions, is_retrying): (&[Revision], bool),
) -> Result<Option<TrackForecast>, CliError> {
    tacho_experiment::versions::resolve(store, &mut plan)?;
    let (recipes, name) = (project.recipes(revisions), tacho_machine::host().name);
    let host = store.hosts()?.into_iter().find(|(_, host)| host.name == name);
    let Some((host, _)) = host else { return Ok(None) };
    report_edited_recipe((store, host), project, revisions)?;
    let terms = (&plan, &recipes, is_retrying);
    Ok(Some(TrackForecast::of((store, host), terms, revisions)?))
}

/// Says how many measured revisions an edited recipe builds again.
fn report_edited_recipe(
    (store, host): (&mut Store, HostId),
    project: &Project,
    revisions: &[Revision],
) -> Result<(), CliError> {
    // Why they are not known is reported when revisions are built.
    let Ok(recipes) = project.known_recipes(revisions) else { return Ok(()) };
    let other =
        measured_by_other_recipes(store, host, (&project.plan.subject, &recipes), revisions)?;
    if other > 0 {
        let revisions = text::count(other, "measured revision");
        let are = if other == 1 { "is" } else { "are" };
        output::note(
            "note",
            &format!(
                "the build recipe was edited: {revisions} {are} built again, and measured again \
                 where artifacts differ"
            ),
        );
    }
    Ok(())
}

/// Says what would be done; without a store all of it.
fn dry_run(
    plan: &Plan,
    revisions: &[Revision],
    forecast: Option<TrackForecast>,
    json: bool,
) -> Result<Exit, CliError> {
    let cells = plan.keyed_benchmarks().len();
    let rule = &plan.measure.rule;
    let rounds = rule.max_rounds as usize + rule.warmup.executions().unwrap_or(0) as usize;
    let all = (revisions.len(), revisions.len() * cells * rounds);
    let (builds, executions) = forecast.map_or(all, |it| (it.builds, it.executions));
    let [failed, skipped] = forecast.map_or([0, 0], |it| [it.failed, it.skipped]);
    if json {
        output::print_json(&versioned(TrackDryAnswer {
            revisions: revisions.iter().map(|revision| revision.id.as_str()).collect(),
            benchmarks: cells,
            builds,
            executions,
            warm_up_besides: rule.warmup.executions().is_none(),
        }))?;
        return Ok(Exit::Success);
    }
    let besides = if rule.warmup.executions().is_none() { " besides the warmup" } else { "" };
    let built = revisions.len() - builds - failed - skipped;
    let others = [(built, "already built"), (failed, "failed before"), (skipped, "skipped")];
    let others = others.iter().filter(|(number, _)| *number > 0);
    let others: Vec<String> = others.map(|(number, what)| format!("{number} {what}")).collect();
    let built = match others.join(", ") {
        others if others.is_empty() => others,
        others => format!(" ({others})"),
    };
    let would = if (builds, executions) == (0, 0) {
        format!("would build and execute nothing{built}\n")
    } else {
        format!(
            "would build {}{built} and execute {} {}: at most {}{besides}\n",
            text::count(builds, "revision"),
            text::count(cells, "benchmark"),
            text::rule(rule),
            text::count(executions, "missing execution"),
        )
    };
    let would = text::wrap(&would, Some(output::table_width()));
    output::print(&format!("{}\n{would}", table::revisions(revisions)))?;
    Ok(Exit::Success)
}

impl CommandSession {
    /// Reports metrics of the plan from outputs or counters that have no value, since nothing was
    /// executed after they were added. Builds have up to this many `samples`.
    fn report_new_metrics(&mut self, plan: &Plan, samples: u32) -> Result<(), CliError> {
        let Some(UnreadMetrics { names: unread, are_counted }) =
            UnreadMetrics::of((&mut self.store, self.host_id), plan)?
        else {
            return Ok(());
        };
        let have = if unread.len() == 1 { "has" } else { "have" };
        let names = in_backticks(&unread);
        output::note("note", &format!("{names} {have} no values: {NEW_METRIC}"));
        output::note("hint", &measure_new(&unread.join(","), are_counted, samples));
        Ok(())
    }

    /// Processes that are left behind were killed: what they were to do is not done, and not
    /// measured.
    pub(super) fn report_left_behind(
        &mut self,
        plan: &Plan,
        run: Option<i64>,
    ) -> Result<(), CliError> {
        for (key, untidy) in untidy_benchmarks((&mut self.store, self.host_id), plan, run)? {
            let executions = text::count(untidy, "execution");
            output::note(
                "note",
                &format!("{executions} of `{key}` left processes behind, which were killed"),
            );
            output::note("hint", LEFT_BEHIND_HINT);
        }
        Ok(())
    }

    /// Reports the influence of the host on the run: the waits, and the repeated rounds.
    pub(super) fn report_noise(&mut self, run: Option<i64>) -> Result<(), CliError> {
        let Some(run) = run else { return Ok(()) };
        let (waits, disturbed) = (self.store.waits(run)?, self.store.disturbed(run)?);
        for line in host::noise(&waits, &disturbed) {
            output::note("note", &line);
        }
        Ok(())
    }

    /// Reports the use of the host by others, in the words of `bench` and `compare`, and the
    /// metrics that are least disturbed.
    pub(super) fn report_load(
        &mut self,
        run: Option<i64>,
        (plan, command): (&Plan, &TrackArgs),
    ) -> Result<(), CliError> {
        let mut first = plan.benchmarks.iter().map(|it| it.metrics.first());
        let is_by_cpu = match command.shown.metric.as_slice() {
            [] => first.all(|it| it.is_some_and(|planned| planned.metric.name == "cpu")),
            shown => shown.iter().any(|name| name == "cpu"),
        };
        let Some(run) = run else { return Ok(()) };
        let samples = self.warn_of_load(run)?;
        if let Some(samples) = samples {
            let counts = samples.iter().flatten().any(|it| it.value(CALLGRIND).is_some());
            let ways = WaysOut {
                cpu: (!is_by_cpu).then_some("`--metric cpu` shows"),
                busy_share: busy_share(samples.iter().flatten()),
                callgrind: (text::has_callgrind() && !counts)
                    .then_some("`--counter instructions=callgrind`"),
                quiet_wait: true,
                ..WaysOut::default()
            };
            output::note("hint", &ways.line());
        }
        Ok(())
    }

    /// Says which variables of the environment differ from those of the run before: another `PATH`
    /// may name another program.
    fn report_environment(&mut self, run: Option<i64>) -> Result<(), CliError> {
        let run = run.map(|run| self.store.run(run)).transpose()?.flatten();
        let Some(run) = run else { return Ok(()) };
        if let Some((last, names)) = machine::other_environment(&mut self.store, &run)? {
            let (names, differ) =
                (in_backticks(&names), if names.len() == 1 { "differs" } else { "differ" });
            output::note(
                "note",
                &format!(
                    "{names} {differ} from run {last}, which may change what is executed: `tacho \
                     show run:{last}` has its environment"
                ),
            );
        }
        Ok(())
    }

    /// The same without what is disturbed less; the samples of the run, if others used the host.
    pub(super) fn warn_of_load(&mut self, run: i64) -> Result<Option<Vec<Vec<Sample>>>, CliError> {
        let mut samples = Vec::new();
        for (measurement, _) in self.store.cells(run)? {
            samples.push(self.store.samples(measurement)?);
        }
        let load = host_load(&samples.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for clause in load.clauses("meanwhile") {
            output::note("warning", &clause);
        }
        Ok((!load.is_none()).then_some(samples))
    }

    /// Reports the result of the run's fixed programs for the machine; without `is_asked` only a
    /// movement.
    pub(super) fn report_reference(
        &mut self,
        run: Option<i64>,
        is_asked: bool,
    ) -> Result<(), CliError> {
        let run = run.map(|run| self.store.run(run)).transpose()?.flatten();
        let Some(run) = run else { return Ok(()) };
        match reference::summary(&mut self.store, &run)? {
            Some(summary) if is_asked || !summary.moved.is_empty() => {
                output::note("note", &host::reference(&summary));
            }
            None if is_asked => output::note("note", host::REFERENCE_NOT_EXECUTED),
            _ => {}
        }
        Ok(())
    }

    /// Adds older revisions that link the run to earlier ones if the range has none; their names.
    fn with_link(
        &mut self,
        project: &Project,
        plan: &Plan,
        selected: &mut SelectedRevisions,
    ) -> Result<Vec<String>, CliError> {
        let of_host = (&mut self.store, self.host_id);
        let links = link::before_range(of_host, plan, &selected.revisions)?;
        if links.is_empty() {
            return Ok(Vec::new());
        }
        // Its present place in history; a revision that left history is not measured.
        let history = history(&project.plan.subject, &project.folder)?;
        let links: Vec<Revision> =
            links.iter().filter_map(|it| history.find(&it.id).ok()).collect();
        let names = links.iter().map(|it| format!("`{}`", it.short())).collect();
        for revision in links {
            selected.add(revision);
        }
        Ok(names)
    }

    /// Leaves what is on no line with the newest of these out of history, and says so.
    pub(super) fn keep_to_line(
        &mut self,
        project: &Project,
        selected: &SelectedRevisions,
    ) -> Result<(), CliError> {
        let history = history(&project.plan.subject, &project.folder)?;
        let left_out = keep_to_line(&mut self.store, history.as_ref(), selected)?;
        if left_out > 0 {
            let (revisions, are) = (
                text::count(left_out, "measured revision"),
                if left_out == 1 { "is" } else { "are" },
            );
            output::note(
                "note",
                &format!(
                    "{revisions} {are} left out until tracked again: on another branch, or \
                     replaced by an amend or a rebase"
                ),
            );
        }
        Ok(())
    }

    /// Says how many builds all of history asks for, and asks what is meant where these are many.
    fn check_builds(
        &mut self,
        project: &Project,
        (plan, selected): (&Plan, &SelectedRevisions),
        command: &TrackArgs,
    ) -> Result<(), CliError> {
        let is_narrowed =
            !command.revisions.is_empty() || command.every.is_some() || command.tags.is_some();
        if is_narrowed || command.yes {
            return Ok(());
        }
        let recipes = project.recipes(&selected.revisions);
        let here = (&mut self.store, self.host_id);
        let forecast = TrackForecast::of(here, (plan, &recipes, false), &selected.revisions)?;
        let building = forecast.building;
        let time = match (building, forecast.executing) {
            (Some(building), Some(executing)) => format!(
                ", about {} to build and {} to execute",
                text::duration(building),
                text::duration(executing)
            ),
            (Some(building), None) => format!(", about {} to build", text::duration(building)),
            (None, _) => String::new(),
        };
        let builds = format!("{}{time}", text::count(forecast.builds, "build"));
        if forecast.needs_consent() {
            return Err(CliError::ManyBuilds { builds, is_time_known: building.is_some() });
        }
        if forecast.is_announced(std::io::stderr().is_terminal()) {
            output::note("note", &format!("all of history: {builds}"));
        }
        Ok(())
    }

    /// Another recipe makes other builds, whose samples are separate from earlier ones.
    pub(super) fn report_edited_recipe(
        &mut self,
        project: &Project,
        revisions: &[Revision],
    ) -> Result<(), CliError> {
        report_edited_recipe((&mut self.store, self.host_id), project, revisions)
    }

    fn track(
        &mut self,
        project: &Project,
        plan: Plan,
        (selected, asked): (&SelectedRevisions, &[Revision]),
        global: &GlobalArgs,
        command: &TrackArgs,
    ) -> Result<TrackResult, CliError> {
        self.know(selected)?;
        let wanted = SessionRequest {
            counted: counters(&command.counter)?.into_iter().map(|asked| asked.counter).collect(),
            measure_equal: command.measure_equal,
            retry_failed: command.retry_failed,
            seed: command.begin.seed,
            quiet: global.quiet || command.shown.json,
            asked: run_words::asked(&command.revisions, asked),
            ..SessionRequest::new(plan, &selected.revisions)
        };
        self.measure(project, wanted, track)
    }

    pub(super) fn series(
        &mut self,
        project: &Project,
        plan: &Plan,
        revisions: &[Revision],
        command: &TrackArgs,
    ) -> Result<Vec<Series>, CliError> {
        let keys: Vec<_> = plan.keyed_benchmarks().into_iter().map(|(_, key)| key).collect();
        let host = (self.host_id, self.host.name.as_str());
        let mut read = |shown: &ShownMetricArgs| {
            lookup::all_series(project, &mut self.store, host, &keys, shown, revisions)
        };
        let mut series = read(&command.shown)?;
        if command.shown.metric.is_empty() && !command.counter.is_empty() {
            let metric =
                counters(&command.counter)?.iter().map(|it| it.counter.name().to_owned()).collect();
            let mut counted = read(&ShownMetricArgs { metric, ..command.shown.clone() })?;
            // The plan's first metric may be one of them.
            counted.retain(|one| series.iter().all(|shown| shown.key != one.key));
            series.extend(counted);
        }
        lookup::report_scaled(&mut self.store, self.host_id, &series)?;
        Ok(series)
    }
}
