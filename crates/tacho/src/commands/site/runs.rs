//! The executions of a run, read back from the store for its page.

use std::collections::HashMap;

use tacho_record::{
    BenchmarkKey, Cell, Digest, Direction, Metric, ProbeSide, Purpose, Revision, Run, Sample, Unit,
    short_name, shown,
};
use tacho_site::{RunBenchmark, RunExecution, RunExecutions, RunProgram};
use tacho_store::{MeasurementId, Store};

use crate::error::CliError;

/// The executions of a run, by benchmark.
pub fn executions(
    store: &mut Store,
    number: i64,
    revisions: &[Revision],
) -> Result<RunExecutions, CliError> {
    let Some(run) = store.run(number)? else { return Ok(RunExecutions::default()) };
    let cells = store.cells(number)?;
    let names = names(store, &run, &cells)?;
    let programs = programs(&names, revisions);
    let number_of = |it: &RunProgram| programs.iter().position(|one| one == it).unwrap_or(0);
    let mut benchmarks: Vec<RunBenchmark> = Vec::new();
    for ((id, cell), program) in cells.iter().zip(&names) {
        let samples = store.samples(*id)?;
        let place = benchmarks.iter().position(|one| one.benchmark == cell.benchmark);
        let place = place.unwrap_or_else(|| {
            benchmarks.push(empty(&cell.benchmark));
            benchmarks.len() - 1
        });
        let (one, program) = (&mut benchmarks[place], number_of(program));
        let metric = one.metric.name.clone();
        one.executions.extend(samples.iter().map(|sample| execution(sample, program, &metric)));
    }
    Ok(RunExecutions { programs, benchmarks })
}

/// The program of each cell, in their order.
fn names(
    store: &mut Store,
    run: &Run,
    cells: &[(MeasurementId, Cell)],
) -> Result<Vec<RunProgram>, CliError> {
    if let (Purpose::Compare, Some(terms)) = (run.purpose, store.comparing(run.number)?) {
        let [a, b] = terms.sides.each_ref().map(|side| {
            let name = shown(&side.name);
            let revision = side.program.revision().map(str::to_owned);
            (RunProgram { name, revision }, side.program.builds())
        });
        let again =
            RunProgram { name: format!("{} again", a.0.name), revision: a.0.revision.clone() };
        let executed = [terms.executes(0), terms.executes(1), terms.control];
        let sides = [a.clone(), b, (again, a.1)].into_iter().zip(executed);
        let of_row: Vec<RunProgram> = sides
            .filter(|(_, executed)| *executed)
            .flat_map(|((program, builds), _)| std::iter::repeat_n(program, builds))
            .collect();
        return Ok(of_row.iter().cycle().take(cells.len()).cloned().collect());
    }
    if let (Purpose::Probe, Some(terms)) = (run.purpose, store.probing(run.number)?) {
        let states: Vec<String> = ["as usual".to_owned()]
            .into_iter()
            .chain(terms.under.iter().map(|under| format!("with {}", under.words())))
            .collect();
        let program = |state: &String, side: &ProbeSide| RunProgram {
            name: format!("{} {state}", shown(&side.side.name)),
            revision: side.side.program.revision().map(str::to_owned),
        };
        let of_row: Vec<RunProgram> = (states.iter())
            .flat_map(|state| terms.sides.iter().map(move |side| program(state, side)))
            .collect();
        return Ok(of_row.iter().cycle().take(cells.len()).cloned().collect());
    }
    Ok(of_revisions(run, cells))
}

/// A program a revision; of layouts, one a build.
fn of_revisions(run: &Run, cells: &[(MeasurementId, Cell)]) -> Vec<RunProgram> {
    let mut builds: HashMap<Digest, usize> = HashMap::new();
    let mut one = |cell: &Cell| {
        let number = builds.len() + 1;
        let number = *builds.entry(cell.artifact).or_insert(number);
        if run.purpose == Purpose::Layouts {
            return RunProgram { name: format!("layout {number}"), revision: None };
        }
        let revision = Some(cell.revision.clone());
        RunProgram { name: short_name(&cell.revision).to_owned(), revision }
    };
    cells.iter().map(|(_, cell)| one(cell)).collect()
}

/// Each program once: revisions in order of history, others as they come.
fn programs(names: &[RunProgram], revisions: &[Revision]) -> Vec<RunProgram> {
    let orders: HashMap<&str, u64> =
        revisions.iter().map(|it| (it.id.as_str(), it.order)).collect();
    let mut programs: Vec<RunProgram> = Vec::new();
    for one in names {
        if !programs.contains(one) {
            programs.push(one.clone());
        }
    }
    let order = |it: &RunProgram| orders.get(it.revision.as_deref().unwrap_or_default()).copied();
    programs.sort_by_key(order);
    programs
}

/// The benchmark without executions. Wall time shows what the host does, whatever else is measured.
fn empty(benchmark: &BenchmarkKey) -> RunBenchmark {
    let metric =
        Metric { name: "wall".to_owned(), unit: Unit::Nanoseconds, better: Direction::Lower };
    RunBenchmark { benchmark: benchmark.clone(), metric, executions: Vec::new() }
}

fn execution(sample: &Sample, program: usize, metric: &str) -> RunExecution {
    RunExecution {
        program,
        place: sample.place,
        at: sample.at,
        value: sample.value(metric),
        counts: sample.counts(),
        failed: sample.outcome.is_failure(),
    }
}
