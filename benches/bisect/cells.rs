//! The cells that are simulated: every noise, step, number of revisions and price of a build; what
//! else makes bisections err; builds that differ by layout.

use tacho_stats::bisect::{BisectionRules, BuildVariation};

use crate::world::{BisectWorld, WorldScatter};

/// What is to come of it.
#[derive(Clone, Copy, PartialEq)]
pub enum Expected {
    /// A step is named.
    Named,
    /// Nothing is.
    Silence,
}

/// One cell.
pub struct Cell {
    /// In words, by which it is chosen.
    pub name: String,
    pub expected: Expected,
    pub candidates: usize,
    pub scatter: WorldScatter,
    /// The largest step, of which the bound is.
    pub step: f64,
    pub rules: BisectionRules,
    make: Box<dyn Fn(BisectWorld) -> BisectWorld>,
}

impl Cell {
    fn new(name: String, scatter: WorldScatter, step: f64, rules: BisectionRules) -> Self {
        let expected = if step == 0.0 { Expected::Silence } else { Expected::Named };
        Self {
            name,
            expected,
            candidates: 256,
            scatter,
            step,
            rules,
            make: Box::new(|world| world),
        }
    }

    fn made(self, make: impl Fn(BisectWorld) -> BisectWorld + 'static) -> Self {
        Self { make: Box::new(make), ..self }
    }

    /// The history of one trial.
    pub fn world(&self, seed: u64) -> BisectWorld {
        (self.make)(BisectWorld::new(self.candidates, self.step, self.scatter, seed))
    }

    /// Whether all these are among the words of its name, and those after a `-` are not.
    pub fn is(&self, words: &str) -> bool {
        let has = |word: &str| self.name.split(' ').any(|of| of == word);
        words
            .split_whitespace()
            .all(|word| word.strip_prefix('-').map_or_else(|| has(word), |word| !has(word)))
    }
}

/// The kinds of noise.
const NOISES: [(&str, WorldScatter); 6] = [
    ("gaussian-1%", WorldScatter::Gaussian(0.01)),
    ("gaussian-3%", WorldScatter::Gaussian(0.03)),
    ("gaussian-10%", WorldScatter::Gaussian(0.1)),
    ("lognormal", WorldScatter::Lognormal),
    ("bimodal", WorldScatter::Bimodal),
    ("drifting-3%", WorldScatter::Drifting(0.03)),
];

/// What is known of layout: that there is none, or nothing.
const LAYOUTS: [(&str, BuildVariation); 2] =
    [("alike", BuildVariation::Alike), ("unknown", BuildVariation::Unknown)];

fn rules(least: f64, builds: BuildVariation, build_cost: f64) -> BisectionRules {
    BisectionRules { least, builds, build_cost, ..BisectionRules::default() }
}

/// All of them.
pub fn all() -> Vec<Cell> {
    let mut all = steps();
    for (layout, builds) in LAYOUTS {
        all.extend(scenarios(layout, builds));
    }
    for (layout, builds) in LAYOUTS.into_iter().chain([("known", BuildVariation::Vary(0.01))]) {
        all.extend(layouts(layout, builds));
    }
    all
}

/// One step in every noise (`steps`).
fn steps() -> Vec<Cell> {
    let mut all = Vec::new();
    for (layout, builds) in LAYOUTS {
        for candidates in [64, 256, 1024] {
            for build_cost in [1.0, 10.0, 100.0] {
                for broken in [0.0, 0.1] {
                    for (noise, scatter) in NOISES {
                        for step in [0.02, 0.05, 0.2] {
                            let name = format!(
                                "steps {noise} step-{}% N={candidates} b={build_cost} q={broken} \
                                 {layout}",
                                step * 100.0
                            );
                            let cell =
                                Cell::new(name, scatter, step, rules(step, builds, build_cost));
                            all.push(Cell { candidates, ..cell }.made(move |mut world| {
                                world.build_cost = build_cost;
                                if broken > 0.0 { world.with_broken(broken) } else { world }
                            }));
                        }
                    }
                }
            }
        }
    }
    all
}

/// The host is slower from this sample on, by so much.
fn slower(after: usize, by: f64) -> impl Fn(BisectWorld) -> BisectWorld + 'static {
    move |mut world| {
        world.slower = Some((after, by.ln_1p()));
        world
    }
}

/// What else makes bisections err (`scenarios`).
fn scenarios(layout: &str, builds: BuildVariation) -> Vec<Cell> {
    let mut all = Vec::new();
    let cell = |name: &str, scatter: WorldScatter, step: f64, least: f64| {
        Cell::new(format!("scenarios {name} {layout}"), scatter, step, rules(least, builds, 10.0))
    };
    for (noise, scatter) in NOISES {
        for least in [0.02, 0.05] {
            let asked = least * 100.0;
            // 2 % in noise of 10 % take thousands of samples to exclude.
            if scatter != WorldScatter::Gaussian(0.1) || least > 0.02 {
                all.push(cell(&format!("nothing {noise} asked-{asked}%"), scatter, 0.0, least));
            }
        }
        let since = cell(&format!("nothing-slower-since {noise} asked-5%"), scatter, 0.0, 0.05);
        all.push(since.made(slower(0, 0.2)));
        if scatter == WorldScatter::Gaussian(0.1) {
            continue;
        }
        let two = |name: &str| cell(&format!("{name} {noise} step-5%"), scatter, 0.05, 0.05);
        all.push(two("half-more").made(|world| world.with_step(0.025)));
        // From end to end that is 2.4 %.
        let back = cell(&format!("half-back {noise} step-5% asked-2%"), scatter, 0.05, 0.02);
        all.push(back.made(|world| world.with_step(-0.025)));
        let repair = two("all-back").made(|world| world.with_step(1.0 / 1.05 - 1.0));
        all.push(Cell { expected: Expected::Silence, ..repair });
        all.push(two("slower-on-the-way").made(slower(20, 0.1)));
    }
    let drifting = |name: &str, sd: f64, lasts: f64| {
        let cell = cell(&format!("{name} step-5%"), WorldScatter::Drifting(sd), 0.05, 0.05);
        cell.made(move |mut world| {
            world.drift_lasts = lasts;
            world
        })
    };
    all.push(drifting("drifting-10%", 0.1, 50.0));
    all.push(drifting("drifting-fast", 0.03, 10.0));
    all.push(drifting("drifting-slow", 0.03, 300.0));
    all.push(drifting("drifting-1%", 0.01, 50.0));
    all
}

/// Builds that differ by 1 % (`layouts`).
fn layouts(layout: &str, builds: BuildVariation) -> Vec<Cell> {
    let one = ("gaussian-1%", WorldScatter::Gaussian(0.01));
    let three = ("gaussian-3%", WorldScatter::Gaussian(0.03));
    let bimodal = ("bimodal", WorldScatter::Bimodal);
    let of = |((noise, scatter), step, least): ((&str, WorldScatter), f64, f64)| {
        let name =
            format!("layouts {noise} step-{}% asked-{}% {layout}", step * 100.0, least * 100.0);
        Cell::new(name, scatter, step, rules(least, builds, 10.0))
            .made(|world| world.with_layout(0.01))
    };
    let cells = [
        (one, 0.02, 0.02),
        (one, 0.05, 0.05),
        (three, 0.05, 0.05),
        (bimodal, 0.05, 0.05),
        (one, 0.2, 0.2),
        (one, 0.0, 0.02),
        (one, 0.0, 0.05),
        (three, 0.0, 0.05),
    ];
    let apart =
        [("none", WorldScatter::None), ("gaussian-0.3%", WorldScatter::Gaussian(0.003)), one].map(
            |noise| {
                let cell = of((noise, 0.0, 0.02));
                Cell { name: cell.name.replacen("layouts", "layouts ends-apart", 1), ..cell }
                    .made(ends_apart)
            },
        );
    cells.map(of).into_iter().chain(apart).collect()
}

/// Nothing changed, but the ends happen to lie farther apart than what is requested.
fn ends_apart(mut world: BisectWorld) -> BisectWorld {
    let last = world.candidates - 1;
    loop {
        world = world.with_layout(0.01);
        if (world.layout[0] - world.layout[last]).abs() >= 0.02 {
            return world;
        }
    }
}
