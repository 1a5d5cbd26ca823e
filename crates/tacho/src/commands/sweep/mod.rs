//! `tacho sweep`: a command over the values of a parameter.

pub mod mistake;
mod page_target;
mod plan_benchmark;
pub mod request;
mod values;

use tacho_experiment::bench::Standings;
use tacho_experiment::sweep::{
    LoadQuestion, MetricLimit, MissingCurve, OptimumQuestion, SweepAnswer, SweepQuestion,
    find_optimum, front, highest_load, sweep,
};
use tacho_record::Metric;
use tacho_site::SweepPage;
use tacho_stats::sweep::LoadGoal;

use self::mistake::SweepMistake;
use self::page_target::PageTarget;
use self::request::SweepRequest;
use super::Exit;
use super::bench::{cannot_be_had, record};
use super::defaults::share;
use super::session::CommandSession;
use crate::cli::{GlobalArgs, SweepArgs};
use crate::error::CliError;
use crate::output;
use crate::output::answer::print_answer;
use crate::output::bench::BenchProgress;
use crate::output::sweep::{LoadReport, OptimumReport, PageFacts, StepProgress, SweepReport};
use crate::project::current_folder;

/// The share of trials that may break the limit, where nothing else is requested.
const EXCEED: f64 = 0.5;

pub fn execute(global: &GlobalArgs, command: &SweepArgs) -> Result<Exit, CliError> {
    let folder = current_folder()?;
    let mut asked = SweepRequest::of(global, command, &folder)?;
    if command.highest_load.is_none() && command.keep.is_some() {
        return Err(SweepMistake::KeepAlone.into());
    }
    let load = command.keep.as_ref().map(|keep| load(command, &asked, keep)).transpose()?;
    let page = command.page.as_deref().map(|path| PageTarget::new(path, &asked)).transpose()?;
    let session = CommandSession::locked("tacho sweep", command.execution.wait, None)?;
    asked.question.conditions = record(&session, &asked.question);
    let is_quiet = global.quiet || command.json || command.markdown;
    let mut at = SweepContext { session, is_quiet, page };
    if let Some(mut question) = load {
        question.bench.conditions.clone_from(&asked.question.conditions);
        at.highest_load(command, &asked, &question)
    } else if command.search.is_some() {
        at.search(command, &asked)
    } else {
        at.grid(command, &asked)
    }
}

/// The highest load, as it was typed.
fn load(command: &SweepArgs, asked: &SweepRequest, keep: &str) -> Result<LoadQuestion, CliError> {
    let known: Vec<Metric> =
        asked.question.metrics.iter().map(|planned| planned.metric.clone()).collect();
    let received =
        command.received.as_ref().map(|name| request::named(name, &asked.question.metrics));
    let exceed = command.exceed.as_deref().map(exceed).transpose()?;
    Ok(LoadQuestion {
        bench: asked.question.clone(),
        limit: MetricLimit::parse(keep, &known).map_err(SweepMistake::from)?,
        received: received.transpose()?,
        goal: LoadGoal {
            duration_sum: f64::from(command.trials),
            exceed_ratio: exceed.unwrap_or(EXCEED),
            width: 1,
        },
    })
}

/// A share that may be nothing, which other shares may not.
fn exceed(text: &str) -> Result<f64, CliError> {
    let is_nothing = text.trim().trim_end_matches('%').trim_end().parse() == Ok(0.0);
    if is_nothing { Ok(0.0) } else { Ok(share("--exceed", text)?) }
}

/// The folder of execution, and the receiver of reports.
struct SweepContext {
    session: CommandSession,
    is_quiet: bool,
    /// The target of the page, if one is written.
    page: Option<PageTarget>,
}

impl SweepContext {
    /// Writes the page.
    fn write(&self, page: impl FnOnce(&PageFacts) -> SweepPage) -> Result<(), CliError> {
        self.page.as_ref().map_or(Ok(()), |target| target.write(&page(&target.facts)))
    }

    fn grid(&mut self, command: &SweepArgs, asked: &SweepRequest) -> Result<Exit, CliError> {
        let question = sweep_question(asked);
        let mut progress = BenchProgress::new(&question.bench, self.is_quiet);
        let found = self.session.execute(&mut progress, |context| sweep(context, &question));
        progress.clear();
        let found = found.map_err(cannot_be_had)?;
        let standings =
            Standings::of(&question.bench, &found.answer.samples, asked.floor, asked.margin);
        let front = front(&standings, asked.floor);
        let exit = grid_exit(&found, progress.is_troubled());
        let report = SweepReport {
            names: &asked.names(),
            host: &self.session.host,
            question: &question,
            found: &found,
            standings: &standings,
            front: &front,
        };
        self.write(|facts| report.page(facts))?;
        if command.json {
            output::print_json(&output::answer::versioned(report.answer()))?;
        } else if command.markdown {
            output::print(&report.markdown())?;
        } else {
            output::print(&report.text())?;
            report.print_notes(command.verbose);
        }
        report_no_curve(found.curve.as_ref().err());
        Ok(exit)
    }

    fn search(&mut self, command: &SweepArgs, asked: &SweepRequest) -> Result<Exit, CliError> {
        let question = OptimumQuestion::of(sweep_question(asked));
        let mut progress = StepProgress::new(self.is_quiet);
        let found = self.session.execute(&mut progress, |context| find_optimum(context, &question));
        progress.clear();
        let found = found.map_err(cannot_be_had)?;
        let report = OptimumReport {
            names: &asked.names(),
            host: &self.session.host,
            question: &question.sweep,
            found: &found,
        };
        self.write(|facts| report.page(facts))?;
        let text = || if command.markdown { report.markdown() } else { report.text() };
        print_answer(command.json, || report.answer(), text)?;
        report_no_curve(found.curve.as_ref().err());
        let has_failed = found.rows.iter().any(|row| row.failed.0 > 0);
        Ok(Exit::of(found.is_interrupted, !has_failed && found.curve.is_ok()))
    }

    fn highest_load(
        &mut self,
        command: &SweepArgs,
        asked: &SweepRequest,
        question: &LoadQuestion,
    ) -> Result<Exit, CliError> {
        let mut progress = StepProgress::new(self.is_quiet);
        let found = self.session.execute(&mut progress, |context| highest_load(context, question));
        progress.clear();
        let found = found.map_err(cannot_be_had)?;
        let report =
            LoadReport { names: &asked.names(), host: &self.session.host, question, found: &found };
        self.write(|facts| report.page(facts))?;
        let text = || if command.markdown { report.markdown() } else { report.text() };
        print_answer(command.json, || report.answer(), text)?;
        if let Some((load, why, output)) = &found.failure {
            output::note("error", &format!("`{}` failed: {why}", asked.label(*load)));
            for line in output::text::last_lines(output, 8) {
                output::aside(&format!("  | {line}"));
            }
        }
        Ok(Exit::of(found.is_interrupted, found.failure.is_none()))
    }
}

fn sweep_question(asked: &SweepRequest) -> SweepQuestion {
    SweepQuestion {
        bench: asked.question.clone(),
        objective: asked.objective.clone(),
        limits: asked.limits.clone(),
        positions: asked.positions(),
        floor: asked.floor,
        margin: asked.margin,
    }
}

/// Says beside the answer that there is none.
fn report_no_curve(why: Option<&MissingCurve>) {
    if let Some(why) = why {
        output::note("error", &format!("no curve: {why}"));
    }
}

fn grid_exit(found: &SweepAnswer, is_troubled: bool) -> Exit {
    let has_failed = found.rows.iter().any(|row| row.failed.0 > 0) || found.curve.is_err();
    Exit::of(found.answer.interrupted, !is_troubled && !has_failed)
}
