//! The place of the last change, revision by revision, for one setting of the grid.

use super::course::HistoryReadings;
use super::prior::{BACK, JUMPS, Setting};
use super::state::{Chances, Gaussian, Mixture};

/// Hypotheses that are less likely than this beside the likeliest are dropped,
const HARDLY: f64 = 1e-8;
/// and none begins from those below this.
const NO_SOURCE: f64 = 1e-6;
/// The variance of the first level around the first reading.
const VAGUE: f64 = 1.0;

/// The result of the filter.
#[derive(Clone, Debug)]
pub(super) struct FilterResult {
    /// The logarithm of the likelihood of all readings.
    pub evidence: f64,
    /// At the end: where the last change was, 0 for none, with the probability.
    pub last: Vec<(usize, f64)>,
    /// For each revision, given a change there: where the change before was, with the probability.
    pub links: Vec<Vec<(usize, f64)>>,
}

/// The hypothesis that the last change was at `since`.
#[derive(Clone, Copy)]
struct Hypothesis<const D: usize> {
    since: usize,
    weight: f64,
    belief: Gaussian<D>,
}

/// Filters all readings.
pub(super) fn filter(course: &HistoryReadings, setting: &Setting) -> FilterResult {
    match course.open {
        0 => run::<2>(course, setting),
        1 => run::<4>(course, setting),
        2 => run::<5>(course, setting),
        _ => run::<8>(course, setting),
    }
}

fn run<const D: usize>(course: &HistoryReadings, setting: &Setting) -> FilterResult {
    let first = course.builds[0][0].steps[0].level;
    let mut belief = Gaussian::<D>::vague(first, VAGUE);
    let mut evidence = belief.observe(&course.builds[0], &setting.chances).ln();
    let mut alive = vec![Hypothesis { since: 0, weight: 1.0, belief }];
    let mut links = vec![Vec::new()];
    for revision in 1..course.builds.len() {
        let (born, sources) = born(&alive, course, revision, setting);
        for one in &mut alive {
            one.belief.wander(setting.chances.walk);
            one.weight *= (1.0 - setting.rate)
                * one.belief.observe(&course.builds[revision], &setting.chances);
        }
        alive.push(born);
        let total: f64 = alive.iter().map(|one| one.weight).sum();
        evidence += total.ln();
        let most = alive.iter().map(|one| one.weight).fold(0.0, f64::max);
        alive.retain(|one| one.weight > HARDLY * most);
        for one in &mut alive {
            one.weight /= total;
        }
        links.push(sources);
    }
    let last = alive.iter().map(|one| (one.since, one.weight)).collect();
    FilterResult { evidence, last, links }
}

/// The hypothesis that there is a change at this revision, and from which it comes.
fn born<const D: usize>(
    alive: &[Hypothesis<D>],
    course: &HistoryReadings,
    revision: usize,
    setting: &Setting,
) -> (Hypothesis<D>, Vec<(usize, f64)>) {
    let builds = &course.builds[revision];
    let mut mixture = Mixture::at(alive[0].belief.mean);
    let mut sources = Vec::new();
    for one in alive.iter().filter(|one| one.weight > NO_SOURCE) {
        let back = if one.since == 0 { 0.0 } else { BACK };
        let mut weight = 0.0;
        let mut take = |share: f64, mut belief: Gaussian<D>, chances: &Chances| {
            let likely = one.weight * share * belief.observe(builds, chances);
            weight += likely;
            mixture.add(likely, &belief);
        };
        for (share, size) in JUMPS {
            let jump = size * size;
            let share = share / (0.8 / (1.0 - back));
            take(share, one.belief.jumped(jump), setting.after_jump(jump));
        }
        if back > 0.0 {
            take(back, one.belief.returned(), &setting.chances);
        }
        sources.push((one.since, weight));
    }
    let (weight, belief) = mixture.merged();
    for source in &mut sources {
        source.1 /= weight;
    }
    (Hypothesis { since: revision, weight: weight * setting.rate, belief }, sources)
}
