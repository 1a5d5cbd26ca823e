//! How much repetition at each level adds: linked again, started again, gone on.
//!
//! Kalibera & Jones, "Rigorous Benchmarking in Reasonable Time", ISMM 2013: the variance of the
//! means at each level holds that of the levels below it; what is left when that is taken out is
//! the level's own. From them follows how often to repeat at each level so that a mean is known
//! best for its cost (their section 6), and how many times at the topmost for a precision. Values
//! become logarithms, so that all is relative.

use crate::distribution::{fisher_quantile, student_quantile};
use crate::summary::{mean, median};

/// No level below the topmost is repeated more often.
const MOST: u32 = 1000;
/// Below this what linking adds does not matter.
const LITTLE: f64 = 0.01;
/// The probability that the recommended repetition is conclusive.
const LIKELY: f64 = 0.8;
/// The largest numbers of layouts, and of executions of each, that `would_decide` recommends.
const TELLING: (u32, f64) = (200, 10_000.0);
/// No topmost level is.
const MOST_LAYOUTS: u32 = 10_000;

/// The values of one execution.
pub type Process = Vec<f64>;

/// The values of several layouts: each has executions, and each of these has values.
#[derive(Clone, Copy, Debug)]
pub struct LayoutValues<'a>(pub &'a [Vec<Process>]);

/// How far values differ at each level, as standard deviations of the logarithms: 0.01 is 1 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// The geometric mean of the medians of layouts: a few slow executions do not raise it above
    /// what is shown of each.
    pub mean: f64,
    /// The 95 % interval of the mean of all layouts, from the layouts, which may be few; `None` for
    /// a single one.
    pub interval: Option<(f64, f64)>,
    /// The deviation of values of one execution; `None` if executions have one value each.
    pub keep: Option<f64>,
    /// The deviation of executions of one build, beyond that.
    pub restart: f64,
    /// The deviation of builds of one source with different link orders, beyond that. `None` for a
    /// single one.
    pub relink: Option<f64>,
    /// The 95 % upper bound. An estimate of 0 means that relinking is not distinguished from
    /// restarting, not that it has no effect.
    pub relink_at_most: Option<f64>,
    /// The 95 % lower bound; 0 if relinking is not distinguished from restarting.
    pub relink_at_least: Option<f64>,
    /// The deviation of the means of layouts, including all below.
    pub means: Option<f64>,
    /// How many layouts.
    pub layouts: usize,
    /// How many executions each has: the harmonic mean.
    pub processes: f64,
    /// The variance of the means of executions, values of one execution included.
    each: f64,
}

/// How often to repeat at each level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// Layouts.
    pub layouts: u32,
    /// Executions of each; of 1000 it is that or more.
    pub processes: u32,
}

impl Repetition {
    /// Whether more executions would be better still.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.processes >= MOST
    }
}

impl Levels {
    /// `None` where a value is not above 0, or no build was executed twice.
    #[must_use]
    pub fn of(measured: LayoutValues<'_>) -> Option<Self> {
        Self::together(&[measured])
    }

    /// The same of several programs, taken to vary alike: what each level adds, pooled. Then the
    /// mean is that of all, `layouts` the most that one of them has, and there is no interval.
    #[must_use]
    pub fn together(programs: &[LayoutValues<'_>]) -> Option<Self> {
        let programs: Vec<Vec<Vec<Vec<f64>>>> =
            programs.iter().map(|program| in_logs(*program)).collect::<Option<_>>()?;
        let layouts = || programs.iter().flatten();
        let values = pooled(layouts().flatten().map(Vec::as_slice)).map(|(variance, _)| variance);
        let per_process = harmonic(layouts().flatten().map(Vec::len));
        let processes: Vec<Vec<f64>> =
            layouts().map(|of| of.iter().map(|of| mean(of)).collect()).collect();
        let (of_processes, below) = pooled(processes.iter().map(Vec::as_slice))?;
        let per_layout = harmonic(processes.iter().map(Vec::len));
        let mut of_layouts = processes.iter().map(|of| mean(of));
        let means: Vec<Vec<f64>> =
            programs.iter().map(|of| of_layouts.by_ref().take(of.len()).collect()).collect();
        let of_layouts = pooled(means.iter().map(Vec::as_slice));
        let of_means = of_layouts.map(|(variance, _)| variance);
        let relinked = of_layouts.map(|found| bounds(found, (of_processes / per_layout, below)));
        let own =
            |variance: f64, below: f64, times: f64| (variance - below / times).max(0.0).sqrt();
        let medians: Vec<f64> = layouts().filter_map(|of| median_of(of)).collect();
        let middle = mean(&medians);
        let of_medians = pooled(std::iter::once(medians.as_slice()));
        let reach = of_medians.filter(|_| programs.len() == 1).map(|(variance, below)| {
            student_quantile(0.975, below) * (variance / medians.len() as f64).sqrt()
        });
        Some(Self {
            mean: middle.exp(),
            interval: reach.map(|reach| ((middle - reach).exp(), (middle + reach).exp())),
            keep: values.map(f64::sqrt),
            restart: own(of_processes, values.unwrap_or(0.0), per_process),
            relink: of_means.map(|variance| own(variance, of_processes, per_layout)),
            relink_at_most: relinked.map(|(_, most)| most),
            relink_at_least: relinked.map(|(least, _)| least),
            means: of_means.map(f64::sqrt),
            layouts: means.iter().map(Vec::len).max().unwrap_or(0),
            processes: per_layout,
            each: of_processes,
        })
    }

    /// Whether the variation from linking is distinguished from the variation from restarting.
    #[must_use]
    pub fn is_detected(&self) -> bool {
        self.relink_at_least.is_some_and(|least| least > 0.0)
    }

    /// Whether linking is not shown to add anything, and if it does, adds less than 1 %: then one
    /// build represents all builds.
    #[must_use]
    pub fn one_represents_all(&self) -> bool {
        !self.is_detected() && self.relink_at_most.is_some_and(|most| most < LITTLE)
    }

    /// Whether linking is not shown to add variation, but may add a relevant amount: the
    /// measurements are too noisy to show it.
    #[must_use]
    pub fn is_too_noisy(&self) -> bool {
        !self.is_detected() && self.relink_at_most.is_some_and(|most| most >= LITTLE)
    }

    /// How often to repeat so that it would probably be known what linking adds, at the least cost,
    /// where a build costs as much as this many executions; `None` where what was measured shows
    /// it, or no number of executions that a user would wait for would.
    ///
    /// Were it nothing, its bound would be below 1 % with a chance of 80 %.
    #[must_use]
    pub fn would_decide(&self, build: f64) -> Option<Repetition> {
        if !self.is_too_noisy() {
            return None;
        }
        let least = u32::try_from(self.layouts).unwrap_or(u32::MAX).max(2);
        let enough = |layouts: u32| {
            let processes = self.processes_that_decide(f64::from(layouts))?;
            // If this number should have shown it already, chance prevented it, and twice the
            // number is recommended.
            let twice = 2.0 * self.layouts as f64 * self.processes / f64::from(layouts);
            Some((layouts, processes.max(twice).max(self.processes).ceil()))
        };
        let cost =
            |(layouts, processes): &(u32, f64)| f64::from(*layouts) * (build.max(1.0) + processes);
        let all =
            (least..=TELLING.0.max(least)).filter_map(enough).filter(|(_, it)| *it <= TELLING.1);
        let (layouts, processes) = all.min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most TELLING"
        )]
        Some(Repetition { layouts, processes: processes as u32 })
    }

    /// How many executions of each of this many layouts would probably bring the bound below 1 %,
    /// if linking adds nothing.
    fn processes_that_decide(&self, layouts: f64) -> Option<f64> {
        let mut processes = self.processes.max(2.0);
        // The more executions, the less they depend on their own number.
        for _ in 0..4 {
            let (above, below) = (layouts - 1.0, layouts * (processes - 1.0));
            let ratio = fisher_quantile(LIKELY, above, below).max(1.0)
                / fisher_quantile(0.05, above, below);
            processes = (self.each * (ratio - 1.0) / LITTLE.powi(2)).max(2.0);
        }
        processes.is_finite().then_some(processes)
    }

    /// How often to repeat, for a mean that is known to ± that share with 95 %, where a build costs
    /// as much as this many executions: of all that reach it what costs least.
    ///
    /// For many layouts these are √(c · restart² / relink²) executions each (Kalibera & Jones,
    /// section 6). `None` for a single layout: nothing is known of others; and where it is [too
    /// noisy](Self::is_too_noisy) to show it.
    #[must_use]
    pub fn repetition(&self, precision: f64, build: f64) -> Option<Repetition> {
        let relink = self.relink.filter(|_| !self.is_too_noisy())?;
        let each = self.restart.powi(2) + self.keep.unwrap_or(0.0).powi(2);
        let build = build.max(1.0);
        let mut best: Option<(f64, Repetition)> = None;
        for layouts in 2..=MOST_LAYOUTS {
            let count = f64::from(layouts);
            if best.is_some_and(|(cost, _)| cost <= count * (build + 1.0)) {
                break;
            }
            // The part left to the executions of one layout.
            let reach = precision * count.sqrt() / student_quantile(0.975, count - 1.0);
            let room = reach.powi(2) - relink.powi(2);
            let processes = (each / room).ceil().max(1.0);
            let cost = count * (build + processes);
            if room > 0.0
                && processes <= f64::from(MOST)
                && best.is_none_or(|(least, _)| cost < least)
            {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "between 1 and 1000"
                )]
                let processes = processes as u32;
                best = Some((cost, Repetition { layouts, processes }));
            }
        }
        let most = Repetition { layouts: MOST_LAYOUTS, processes: MOST };
        Some(best.map_or(most, |(_, repetition)| repetition))
    }

    /// The difference between two builds of one source that one in twenty such pairs exceeds, by
    /// their layout alone; `None` where it is [too noisy](Self::is_too_noisy) to say.
    #[must_use]
    pub fn by_chance(&self) -> Option<f64> {
        self.relink
            .filter(|_| !self.is_too_noisy())
            .map(|relink| (1.96 * std::f64::consts::SQRT_2 * relink).exp_m1())
    }
}

/// The 95 % bounds of the standard deviation that a level adds: from the variance of its means and
/// the part that comes from the level below, each with its degrees of freedom.
///
/// Their ratio, by what it would be on average, has Fisher's F distribution. One that is smaller
/// than if the level added nothing counts as that for the upper one: it is a sign of chance, and
/// not of the level.
fn bounds((means, above): (f64, f64), (part, below): (f64, f64)) -> (f64, f64) {
    let left = |ratio: f64, means: f64| (means / ratio - part).max(0.0).sqrt();
    let least = left(fisher_quantile(0.95, above, below), means);
    (least, left(fisher_quantile(0.05, above, below), means.max(part)))
}

/// The logarithms of what was measured, without what was not; `None` if a value is not above 0.
fn in_logs(measured: LayoutValues<'_>) -> Option<Vec<Vec<Vec<f64>>>> {
    let layout =
        |of: &Vec<Process>| of.iter().filter(|of| !of.is_empty()).map(logs).collect::<Option<_>>();
    let mut layouts: Vec<Vec<Vec<f64>>> = measured.0.iter().map(layout).collect::<Option<_>>()?;
    layouts.retain(|layout| !layout.is_empty());
    Some(layouts)
}

fn logs(values: &Process) -> Option<Vec<f64>> {
    values.iter().map(|value| (*value > 0.0 && value.is_finite()).then(|| value.ln())).collect()
}

/// The logarithm of the median of the medians of executions, which is what is shown of a layout:
/// between two in the middle it is their mean, and not that of their logarithms.
fn median_of(processes: &[Vec<f64>]) -> Option<f64> {
    let value = |of: &Vec<f64>| median(&of.iter().map(|log| log.exp()).collect::<Vec<_>>());
    median(&processes.iter().filter_map(value).collect::<Vec<_>>()).map(f64::ln)
}

/// The variance within groups, of all groups together, and its degrees of freedom; `None` where no
/// group has two values.
fn pooled<'a>(groups: impl Iterator<Item = &'a [f64]>) -> Option<(f64, f64)> {
    let (mut squares, mut freedom) = (0.0, 0);
    for group in groups.filter(|group| group.len() > 1) {
        let middle = mean(group);
        squares += group.iter().map(|value| (value - middle).powi(2)).sum::<f64>();
        freedom += group.len() - 1;
    }
    (freedom > 0).then(|| (squares / freedom as f64, freedom as f64))
}

/// The harmonic mean of how many there are: what the variance of means of unequal groups is divided
/// by.
fn harmonic(counts: impl Iterator<Item = usize>) -> f64 {
    let (number, sum) =
        counts.fold((0.0, 0.0), |(number, sum), count| (number + 1.0, sum + 1.0 / count as f64));
    number / sum
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::draw::gaussian;

    /// Values with these standard deviations, relink, restart and keep.
    fn made(counts: [usize; 3], sd: [f64; 3], seed: u64) -> Vec<Vec<Process>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut layout = || {
            let of_layout = sd[0] * gaussian(&mut rng);
            let mut process = || {
                let of_process = of_layout + sd[1] * gaussian(&mut rng);
                (0..counts[2])
                    .map(|_| 100.0 * (of_process + sd[2] * gaussian(&mut rng)).exp())
                    .collect()
            };
            (0..counts[1]).map(|_| process()).collect()
        };
        (0..counts[0]).map(|_| layout()).collect()
    }

    #[test]
    fn what_each_level_adds_is_found_on_average() {
        let sd = [0.02, 0.01, 0.03];
        let mut sums = [0.0; 3];
        for seed in 0..200 {
            let levels = Levels::of(LayoutValues(&made([8, 6, 5], sd, seed))).unwrap();
            let found = [levels.relink.unwrap(), levels.restart, levels.keep.unwrap()];
            sums.iter_mut().zip(found).for_each(|(sum, sd)| *sum += sd * sd / 200.0);
        }
        for (sum, sd) in sums.into_iter().zip(sd) {
            // Cut off at 0, small ones are a little too large.
            assert!((sum.sqrt() / sd - 1.0).abs() < 0.15, "{} is not {sd}", sum.sqrt());
        }
    }

    #[test]
    fn the_interval_is_that_of_layouts_and_holds_the_truth() {
        let mut held = 0;
        for seed in 0..400 {
            let levels =
                Levels::of(LayoutValues(&made([5, 20, 1], [0.03, 0.01, 0.0], seed))).unwrap();
            let (low, high) = levels.interval.unwrap();
            held += usize::from(low < 100.0 && 100.0 < high);
        }
        // 95 % of 400 is 380, with a standard deviation of 4.4; executions taken for independent
        // hold it in about half.
        assert!((366..=394).contains(&held), "{held}");
    }

    #[test]
    fn the_mean_is_among_what_is_shown_of_layouts() {
        // A third of the executions of each layout took half as long again.
        let layout = |usual: f64| {
            (0..9).map(|n| vec![if n < 3 { 1.5 * usual } else { usual }]).collect::<Vec<_>>()
        };
        let levels = Levels::of(LayoutValues(&[layout(100.0), layout(102.0), layout(104.0)]));
        let levels = levels.unwrap();
        let (low, high) = levels.interval.unwrap();
        assert!((levels.mean - 102.0).abs() < 0.1, "{levels:?}");
        assert!((96.0..100.0).contains(&low) && (104.0..108.0).contains(&high), "{levels:?}");
    }

    #[test]
    fn what_linking_adds_is_seldom_more_than_the_bound() {
        let mut held = 0;
        for seed in 0..400 {
            let levels =
                Levels::of(LayoutValues(&made([5, 10, 1], [0.01, 0.02, 0.0], seed))).unwrap();
            held += usize::from(levels.relink_at_most.unwrap() >= 0.01);
        }
        // 95 % of 400 is 380, with a standard deviation of 4.4.
        assert!(held >= 366, "{held}");
    }

    #[test]
    fn what_adds_nothing_is_seldom_told_to_and_what_adds_much_is() {
        let detected = |relink: f64| {
            let levels = |seed| {
                Levels::of(LayoutValues(&made([5, 10, 1], [relink, 0.02, 0.0], seed))).unwrap()
            };
            (0..400).map(levels).filter(Levels::is_detected).count()
        };
        // 5 % of 400 is 20, with a standard deviation of 4.4; of 4 % beside 2 % nearly all are
        // told.
        assert!(
            (6..=34).contains(&detected(0.0)) && detected(0.04) >= 380,
            "{} {}",
            detected(0.0),
            detected(0.04)
        );
    }

    #[test]
    fn what_is_said_to_tell_probably_does() {
        let noisy = (0..).map(|seed| {
            Levels::of(LayoutValues(&made([5, 10, 1], [0.0, 0.1, 0.0], seed))).unwrap()
        });
        let noisy = noisy.into_iter().find(Levels::is_too_noisy).unwrap();
        assert!(
            !noisy.one_represents_all() && noisy.relink_at_most.unwrap() < noisy.restart * 2.0,
            "{noisy:?}"
        );
        assert_eq!(
            (noisy.repetition(0.01, 1.0), noisy.by_chance()),
            (None, None),
            "no advice without evidence"
        );
        for build in [1.0, 100.0] {
            let more = noisy.would_decide(build).unwrap();
            assert!(more.layouts >= 5 && more.layouts * more.processes >= 100, "{more:?}");
            let counts = [more.layouts as usize, more.processes as usize, 1];
            let again = |seed| {
                Levels::of(LayoutValues(&made(counts, [0.0, noisy.restart, 0.0], seed))).unwrap()
            };
            let detected = (1000..1050).map(again).filter(Levels::one_represents_all).count();
            // 40 of 50 are expected, with a standard deviation of 2.8.
            assert!(detected >= 30, "{detected} {more:?}");
        }
        // The dearer a build, the fewer of them.
        let layouts = |build: f64| noisy.would_decide(build).unwrap().layouts;
        assert!(layouts(1000.0) < layouts(1.0), "{} {}", layouts(1000.0), layouts(1.0));
        let hopeless = Levels { each: 100.0, ..noisy };
        assert_eq!(hopeless.would_decide(1.0), None);
    }

    #[test]
    fn an_estimate_of_none_is_no_evidence_of_none() {
        let of = |counts, sd| {
            let sets = (0..).map(|seed| Levels::of(LayoutValues(&made(counts, sd, seed))).unwrap());
            sets.into_iter().find(|levels| levels.relink == Some(0.0)).unwrap()
        };
        let few = of([2, 3, 1], [0.01, 0.02, 0.0]);
        assert!(few.relink_at_most.unwrap() > 0.02 && few.is_too_noisy(), "{few:?}");
        assert!(!few.one_represents_all(), "{few:?}");
        let many = of([40, 20, 1], [0.0, 0.02, 0.0]);
        assert!(many.relink_at_most.unwrap() < 0.01 && many.one_represents_all(), "{many:?}");
        // However much starting again adds: a bound of 26 % is none that one build stands for all
        // with.
        let loud = of([5, 10, 1], [0.0, 0.6, 0.0]);
        assert!(loud.relink_at_most.unwrap() < loud.restart && loud.is_too_noisy(), "{loud:?}");
        let equal = Levels::of(LayoutValues(&vec![vec![vec![5.0], vec![5.0]]; 3])).unwrap();
        assert!(equal.relink_at_most == Some(0.0) && equal.one_represents_all(), "{equal:?}");
    }

    #[test]
    fn several_programs_tell_of_levels_together() {
        let sd = [0.02, 0.01, 0.0];
        let mut sums = [0.0; 2];
        for seed in 0..100 {
            // Programs of which each is faster than the one before, which is no layout.
            let programs: Vec<Vec<Vec<Process>>> = (0..6_u32)
                .map(|n| made([3, 5, 1], sd, seed * 6 + u64::from(n)))
                .zip(1..)
                .map(|(of, n)| {
                    of.iter()
                        .map(|of| of.iter().map(|of| vec![of[0] / f64::from(n)]).collect())
                        .collect()
                })
                .collect();
            let measured: Vec<LayoutValues<'_>> =
                programs.iter().map(|of| LayoutValues(of)).collect();
            let levels = Levels::together(&measured).unwrap();
            assert_eq!((levels.interval, levels.layouts), (None, 3));
            sums[0] += levels.relink.unwrap().powi(2) / 100.0;
            sums[1] += levels.restart.powi(2) / 100.0;
        }
        for (sum, sd) in sums.into_iter().zip(sd) {
            assert!((sum.sqrt() / sd - 1.0).abs() < 0.1, "{} is not {sd}", sum.sqrt());
        }
    }

    #[test]
    fn repetition_follows_from_what_varies_and_what_it_costs() {
        let levels = |relink: f64, restart: f64| Levels {
            mean: 1.0,
            interval: None,
            keep: None,
            restart,
            relink: Some(relink),
            relink_at_most: Some(relink),
            relink_at_least: Some(relink),
            means: Some(relink),
            layouts: 5,
            processes: 10.0,
            each: restart * restart,
        };
        // 19 layouts leave (0.01 √19 / 2.101)² − 0.02² = 0.0000304 to executions, of which 4 have
        // 0.000025: 19 · 104 in all. 18 would need 23 each, 20 two.
        let repetition = |relink, restart, build| {
            let it = levels(relink, restart).repetition(0.01, build).unwrap();
            (it.layouts, it.processes)
        };
        assert_eq!(repetition(0.02, 0.01, 100.0), (19, 4));
        assert_eq!(repetition(0.02, 0.01, 1.0), (22, 1));
        assert_eq!((repetition(0.0, 0.01, 100.0), repetition(0.0, 0.01, 1.0)), ((3, 7), (7, 1)));
        assert_eq!(repetition(0.0, 0.0, 1.0), (2, 1), "nothing varies");
        assert_eq!(repetition(1.0, 0.01, 1.0), (10_000, 1000), "out of reach");
        let reached = levels(0.02, 0.01).repetition(0.01, 1.0).unwrap();
        assert!(
            levels(1.0, 0.01).repetition(0.01, 1.0).unwrap().is_cut_off() && !reached.is_cut_off()
        );
        assert!((levels(0.02, 0.0).by_chance().unwrap() - 0.057).abs() < 0.001);
    }

    #[test]
    fn what_cannot_be_said_is_not() {
        assert_eq!(Levels::of(LayoutValues(&[])), None);
        assert_eq!(
            Levels::of(LayoutValues(&[vec![vec![1.0]]])),
            None,
            "nothing was executed twice"
        );
        assert_eq!(Levels::of(LayoutValues(&[vec![vec![1.0], vec![-1.0]]])), None);
        let one = Levels::of(LayoutValues(&[vec![vec![1.0], vec![1.1]]])).unwrap();
        assert_eq!(
            (one.relink, one.interval, one.keep, one.repetition(0.01, 1.0)),
            (None, None, None, None)
        );
    }
}
