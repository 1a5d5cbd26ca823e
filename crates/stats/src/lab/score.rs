//! How well the causes of changes are said in simulated labs; shared with `benches/`.

use super::world::{DrawnLab, LabWorld, PlantedStep};
use super::{
    DetectedChange, LabCause, LabChange, LabNumbers, LabSeries, LabValue, Options, ReferenceLevel,
    SeriesValue, SlowResponse, causes, detect,
};

/// A change within this number of nights of a planted one is that one.
const NEAR: usize = 3;

/// The planted changes of labs, and the answers about them.
#[derive(Clone, Copy, Debug, Default)]
pub struct LabScore {
    /// Reported changes that the machine alone made …
    pub machines: usize,
    /// … and those of them that are said to be the machine's.
    pub said: usize,
    /// Planted changes of programs, on any host,
    pub planted: usize,
    /// those of them that were found,
    pub found: usize,
    /// and those that are said to be the machine's.
    pub blamed: usize,
    /// Changes reported where nothing was planted, but what is said to be the machine's …
    pub invented: usize,
    /// … and those that are.
    pub excused: usize,
}

impl LabScore {
    /// The score of one lab.
    pub fn of(world: LabWorld, seed: u64) -> Self {
        let drawn = world.draw(seed);
        let lab = lab(&drawn);
        let said = causes(&lab);
        let mut score = Self::default();
        for (series, causes) in lab.series.iter().zip(&said) {
            score.add(series, causes, &drawn.planted);
        }
        score
    }

    /// The score of labs with these seeds together.
    pub fn of_all(world: LabWorld, seeds: impl Iterator<Item = u64>) -> Self {
        seeds.map(|seed| Self::of(world, seed)).fold(Self::default(), |a, b| Self {
            machines: a.machines + b.machines,
            said: a.said + b.said,
            planted: a.planted + b.planted,
            found: a.found + b.found,
            blamed: a.blamed + b.blamed,
            invented: a.invented + b.invented,
            excused: a.excused + b.excused,
        })
    }

    fn add(&mut self, series: &LabSeries, causes: &[LabCause], planted: &[PlantedStep]) {
        let own = |one: &&PlantedStep| (one.host, one.series) == (series.host, series.benchmark);
        let planted: Vec<&PlantedStep> = planted.iter().filter(own).collect();
        self.planted += planted.iter().filter(|one| one.program != 0.0).count();
        let mut seen: Vec<usize> = Vec::new();
        for (change, cause) in series.changes.iter().zip(causes) {
            let is_machines = matches!(cause, LabCause::Machine(_));
            let near = |one: &&&PlantedStep| one.night.abs_diff(change.place) <= NEAR;
            // Of two that are near, the program's.
            let mut all: Vec<&&PlantedStep> = planted.iter().filter(near).collect();
            all.sort_by_key(|one| (one.program == 0.0, one.night.abs_diff(change.place)));
            match all.first() {
                Some(one) if one.program != 0.0 => {
                    if !seen.contains(&one.night) {
                        seen.push(one.night);
                        self.found += 1;
                    }
                    self.blamed += usize::from(is_machines);
                }
                Some(_) => {
                    self.machines += 1;
                    self.said += usize::from(is_machines);
                }
                None => {
                    self.invented += usize::from(!is_machines);
                    self.excused += usize::from(is_machines);
                }
            }
        }
    }
}

/// A drawn lab with the changes that the detector finds.
fn lab(drawn: &DrawnLab) -> LabNumbers {
    let mut lab =
        LabNumbers { series: Vec::new(), references: vec![Vec::new(); drawn.values.len()] };
    for &(host, program, night, ln, variance) in &drawn.reference {
        lab.references[host].push(ReferenceLevel { program, run: number(night), ln, variance });
    }
    for (host, of_host) in drawn.values.iter().enumerate() {
        for (benchmark, values) in of_host.iter().enumerate() {
            let points: Vec<SeriesValue> =
                values.iter().map(|ln| SeriesValue::of(100.0 * ln.exp())).collect();
            let changes = detect(&points, &Options::default()).changes;
            let value =
                |(place, &ln): (usize, &f64)| LabValue { place, runs: vec![number(place)], ln };
            lab.series.push(LabSeries {
                host,
                benchmark,
                metric: 0,
                response: SlowResponse::Rise,
                values: values.iter().enumerate().map(value).collect(),
                changes: changes.iter().map(as_logarithm).collect(),
            });
        }
    }
    lab
}

fn number(night: usize) -> u32 {
    u32::try_from(night).unwrap_or(u32::MAX)
}

fn as_logarithm(change: &DetectedChange) -> LabChange {
    let (low, high) = (change.interval.0.ln_1p(), change.interval.1.ln_1p());
    LabChange {
        place: change.index,
        range: change.range.clone(),
        effect: change.effect.ln_1p(),
        error: (high - low) / (2.0 * 1.96),
    }
}
