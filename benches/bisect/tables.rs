//! Trials of cells, kept in a file so that several sessions add up, and the table that they come
//! to.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tacho_stats::bisect::{
    Bisector, BisectorOutcome, BisectorStage, BuildVariation, NextStep, ObservedValues,
};

use crate::bound;
use crate::cells::{self, Cell, Expected};
use crate::world::{self, BisectWorld, WorldScatter};

/// What came of the trials of a cell.
#[derive(Clone, Default)]
struct CellTally {
    trials: u64,
    /// The largest step was named.
    right: f64,
    /// Another one was.
    other: f64,
    /// A row of revisions that cannot be built was, and the step is in it.
    stretch: f64,
    /// What is no step was named.
    wrong: f64,
    samples: f64,
    builds: f64,
    cost: f64,
    /// Trials that named nobody and gave a set, how many revisions those have, and how many hold a
    /// step.
    sets: f64,
    in_sets: f64,
    held: f64,
    seconds: f64,
    /// Samples by what they were for.
    parts: [f64; PARTS.len()],
}

/// What samples are for.
const PARTS: [&str; 4] = ["proof", "search", "pairs", "neighbours"];

/// Bisects, and counts what samples are for.
fn bisect(world: &mut BisectWorld, cell: &Cell) -> (BisectorOutcome, [usize; PARTS.len()]) {
    let mut bisection = Bisector::new(cell.rules, world.candidates).unwrap();
    let mut parts = [0; PARTS.len()];
    loop {
        let portions = match bisection.next() {
            NextStep::Finished(outcome) => return (*outcome, parts),
            NextStep::Measure(portions) => portions,
        };
        let part = match bisection.stage() {
            BisectorStage::Proving => 0,
            BisectorStage::Searching => 1,
            // Pairs come alone; neighbours with both sides in between.
            _ if portions.len() <= 2 => 2,
            _ => 3,
        };
        for portion in portions {
            let observation = world::observe(world, portion);
            let unusable = matches!(observation.seen, ObservedValues::Unusable(_));
            parts[part] += usize::from(!unusable) * portion.samples;
            bisection.observe(&observation);
            if unusable {
                break;
            }
        }
    }
}

/// One trial as a line of the file, without cell and number.
fn trial(cell: &Cell, seed: u64) -> String {
    let mut world = cell.world(seed);
    let began = Instant::now();
    let (outcome, parts) = bisect(&mut world, cell);
    let parts = parts.map(|part| part.to_string()).join("\t");
    let seconds = began.elapsed().as_secs_f64();
    let size: usize = outcome.suspects.iter().map(|of| of.last - of.first + 1).sum();
    format!(
        "{}\t{}\t{}\t{}\t{size}\t{}\t{seconds:.4}\t{parts}",
        came(&world, &outcome),
        world.samples,
        world.builds(),
        world.cost(),
        u8::from(held(&world, &outcome)),
    )
}

/// The revisions that made a change, the largest first.
fn truth(world: &BisectWorld) -> Vec<usize> {
    let mut steps: Vec<&(usize, f64)> = world.steps.iter().filter(|step| step.1 != 0.0).collect();
    steps.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    steps.into_iter().map(|step| world.first_usable(step.0)).collect()
}

fn came(world: &BisectWorld, outcome: &BisectorOutcome) -> &'static str {
    let Some(named) = outcome.culprits.first().map(|culprit| culprit.revision) else {
        return "none";
    };
    match truth(world).iter().position(|at| *at == named) {
        Some(0) => "right",
        Some(_) => "other",
        None if within(world, outcome) => "stretch",
        None => "wrong",
    }
}

/// Whether the step is among the revisions that cannot be built between the culprit and its parent,
/// where one of them could have been and was not tried: that the culprit is one of all these is
/// what is told.
fn within(world: &BisectWorld, outcome: &BisectorOutcome) -> bool {
    let Some(culprit) = outcome.culprits.first() else { return false };
    let between = culprit.parent + 1..culprit.revision;
    let holds = world.steps.iter().any(|step| step.1 != 0.0 && between.contains(&step.0));
    holds && !between.into_iter().any(|at| world.built[at] && !world.broken[at])
}

fn held(world: &BisectWorld, outcome: &BisectorOutcome) -> bool {
    let among = |at: usize| outcome.suspects.iter().any(|of| of.first <= at && at <= of.last);
    truth(world).into_iter().any(among)
}

impl CellTally {
    /// Takes up a trial.
    fn add(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split('\t').collect();
        let [came, samples, builds, cost, size, held, seconds, parts @ ..] = words.as_slice()
        else {
            return None;
        };
        let numbers =
            [samples, builds, cost, size, held, seconds].map(|text| text.parse::<f64>().ok());
        let [Some(samples), Some(builds), Some(cost), Some(size), Some(held), Some(seconds)] =
            numbers
        else {
            return None;
        };
        let is = |word: &str| f64::from(u8::from(*came == word));
        self.trials += 1;
        self.right += is("right");
        self.other += is("other");
        self.stretch += is("stretch");
        self.wrong += is("wrong");
        self.samples += samples;
        self.builds += builds;
        self.cost += cost;
        let set = f64::from(u8::from(size > 0.0));
        self.sets += set;
        self.in_sets += size;
        self.held += set * held;
        self.seconds += seconds;
        for (sum, part) in self.parts.iter_mut().zip(parts) {
            *sum += part.parse::<f64>().unwrap_or(0.0);
        }
        Some(())
    }

    fn share(&self, of: f64) -> f64 {
        of / self.trials.max(1) as f64
    }

    /// What of the promises it misses.
    fn missed(&self, cell: &Cell) -> String {
        let least = match cell.scatter {
            WorldScatter::None => 0.0,
            WorldScatter::Gaussian(sd) => sd,
            WorldScatter::Drifting(sd) => sd.max(0.05),
            _ => 0.05,
        };
        let has = |word: &str| cell.is(word);
        let mut missed = Vec::new();
        let mut promise = |word: &'static str, kept: bool| missed.extend((!kept).then_some(word));
        if has("layouts") {
            let told = cell.rules.builds != BuildVariation::Alike;
            promise("wrong", !told || cell.step < 0.05 || self.share(self.wrong) <= 0.02);
        } else if cell.expected == Expected::Silence {
            promise("silent", self.share(self.wrong) <= 0.01);
        } else {
            promise("wrong", self.share(self.wrong) <= 0.005);
            if cell.step >= least - 1e-9 {
                promise("right", self.share(self.right + self.other + self.stretch) >= 0.97);
                promise(
                    "cost",
                    !(has("steps") && has("b=10") && has("q=0")) || self.times(cell) <= 2.5,
                );
                let most = (cell.candidates as f64).log2() + 4.0;
                // A build as cheap as a sample is worth more of them.
                let counts = has("steps") && has("q=0") && !has("b=1");
                promise("builds", !counts || self.share(self.builds) <= most);
            }
        }
        missed.join(", ")
    }

    /// The cost by the least that is possible.
    fn times(&self, cell: &Cell) -> f64 {
        let (samples, builds) = bound::least(cell.candidates, cell.scatter, cell.step);
        self.share(self.cost) / (samples + cell.rules.build_cost * builds)
    }

    fn row(&self, cell: &Cell) -> String {
        let percent = |of: f64| format!("{:.1}", 100.0 * self.share(of));
        let named = self.right + self.other + self.stretch + self.wrong;
        let none = self.trials as f64 - named;
        let times =
            if cell.step == 0.0 { String::new() } else { format!("{:.2}", self.times(cell)) };
        let sets = if self.sets == 0.0 {
            String::new()
        } else {
            format!("{:.0} of {:.0}, {:.1} each", self.held, self.sets, self.in_sets / self.sets)
        };
        let numbers =
            [self.samples, self.builds, self.cost].map(|sum| format!("{:.1}", self.share(sum)));
        [
            cell.name.clone(),
            self.trials.to_string(),
            percent(self.right),
            percent(self.other),
            percent(self.stretch),
            percent(self.wrong),
            percent(none),
            numbers.join(" | "),
            self.parts.map(|part| format!("{:.0}", self.share(part))).join(" + "),
            times,
            sets,
            format!("{:.0}", 1e3 * self.share(self.seconds)),
            self.missed(cell),
        ]
        .join(" | ")
    }
}

/// The trials of earlier sessions.
fn kept(path: Option<&PathBuf>) -> BTreeMap<String, CellTally> {
    let text = path.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    let mut all: BTreeMap<String, CellTally> = BTreeMap::new();
    for line in text.lines() {
        // The name of the cell, the number of the trial, what came of it.
        if let [name, _, came] = line.splitn(3, '\t').collect::<Vec<_>>().as_slice() {
            all.entry((*name).to_owned()).or_default().add(came);
        }
    }
    all
}

/// Has so many trials of each cell of these words made, those that are kept among them, and prints
/// what all come to.
pub fn print(words: &str, trials: u64) {
    let cells: Vec<Cell> = cells::all().into_iter().filter(|cell| cell.is(words)).collect();
    let path = std::env::var_os("TACHO_RESULTS").map(PathBuf::from);
    let minutes = std::env::var("TACHO_MINUTES").ok().map(|text| text.parse::<f64>().unwrap());
    let until = minutes.map(|minutes| Instant::now() + Duration::from_secs_f64(60.0 * minutes));
    let mut all = kept(path.as_ref());
    let mut file =
        path.map(|path| OpenOptions::new().create(true).append(true).open(path).unwrap());
    // A trial of each cell in turn: whenever it ends, all have about as many.
    'trials: for seed in 0..trials {
        for cell in &cells {
            let tally = all.entry(cell.name.clone()).or_default();
            if tally.trials > seed {
                continue;
            }
            if until.is_some_and(|until| Instant::now() > until) {
                break 'trials;
            }
            let came = trial(cell, seed);
            tally.add(&came);
            if let Some(file) = &mut file {
                writeln!(file, "{}\t{seed}\t{came}", cell.name).unwrap();
            }
        }
    }
    let parts = PARTS.join(" + ");
    println!(
        "| cell | trials | right % | other step % | stretch % | wrong % | undecided % | samples | \
         builds | cost | {parts} | × least | sets that hold a step | ms a trial | missed |"
    );
    println!("|{}", "---|".repeat(15));
    for cell in &cells {
        println!("| {} |", all.get(&cell.name).cloned().unwrap_or_default().row(cell));
    }
}
