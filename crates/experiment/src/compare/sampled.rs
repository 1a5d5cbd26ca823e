//! The samples that the rows of a run are judged from, side by side.

use std::collections::BTreeMap;

use tacho_record::{BenchmarkKey, Comparing, Run, Sample};
use tacho_report::host::HostLoad;
use tacho_store::Store;

use super::earlier_sides::had;
use crate::ExperimentError;
use crate::analysis::host_load::host_load;

/// The samples of a side at a benchmark.
#[derive(Clone, Debug)]
pub struct SideSamples {
    /// The benchmark, without the parameters that the sides fix.
    pub benchmark: BenchmarkKey,
    /// The first, the second, or the first once more: the control.
    pub side: usize,
    /// The index of its build, if there are several of one source.
    pub layout: Option<usize>,
    /// The run that executed it.
    pub run: i64,
    /// All of its samples, in the order in which they were taken.
    pub samples: Vec<Sample>,
}

/// All samples from which a run on these terms was judged, by benchmark; without those of files.
pub fn sampled(
    store: &mut Store,
    run: &Run,
    terms: &Comparing,
) -> Result<Vec<SideSamples>, ExperimentError> {
    if !(terms.executes(0) && terms.executes(1)) {
        return of_earlier(store, Some(run), terms);
    }
    let cells = store.cells(run.number)?;
    let each = (cells.len() / terms.rows.len().max(1)).max(1);
    let [a, b] = terms.sides.each_ref().map(|side| side.program.builds());
    let mut all = Vec::new();
    for (at, (id, _)) in cells.into_iter().enumerate() {
        let Some((benchmark, _)) = terms.rows.get(at / each) else { break };
        let (side, build, builds) = match at % each {
            build if build < a => (0, build, a),
            build if build < a + b => (1, build - a, b),
            build => (2, build - a - b, a),
        };
        let layout = (builds > 1).then_some(build);
        let (benchmark, samples) = (benchmark.clone(), store.samples(id)?);
        all.push(SideSamples { benchmark, side, layout, run: run.number, samples });
    }
    Ok(all)
}

/// The host's other load in each of the runs that this one is judged from, if it is to be reported.
pub fn loads(
    store: &mut Store,
    run: Option<&Run>,
    terms: &Comparing,
) -> Result<Vec<(i64, HostLoad)>, ExperimentError> {
    let all = match run {
        Some(run) => sampled(store, run, terms)?,
        None => of_earlier(store, None, terms)?,
    };
    let mut programs: BTreeMap<i64, Vec<&[Sample]>> = BTreeMap::new();
    for one in &all {
        programs.entry(one.run).or_default().push(&one.samples);
    }
    let loads = programs.into_iter().map(|(run, programs)| (run, host_load(&programs)));
    Ok(loads.filter(|(_, load)| !load.is_none()).collect())
}

/// The same where a side at least was not executed in this run.
fn of_earlier(
    store: &mut Store,
    run: Option<&Run>,
    terms: &Comparing,
) -> Result<Vec<SideSamples>, ExperimentError> {
    let sides = [had(store, run, terms, 0)?, had(store, run, terms, 1)?];
    let mut all = Vec::new();
    for (at, (benchmark, _)) in terms.rows.iter().enumerate() {
        for (side, of) in sides.iter().enumerate() {
            let earlier = terms.earlier[side].map(|earlier| earlier.run);
            let Some(executed) = earlier.or(run.map(|run| run.number)) else { continue };
            let (benchmark, samples) = (benchmark.clone(), of[at].samples.clone());
            all.push(SideSamples { benchmark, side, layout: None, run: executed, samples });
        }
    }
    Ok(all)
}
