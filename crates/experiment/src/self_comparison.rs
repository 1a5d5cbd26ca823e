//! The host's noise: programs of several lengths, each compared with itself for a stated time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_measure::{Execution, ExecutionEnd, Executor, MeasureError, Request};
use tacho_stats::compare::TwoModes;
use tacho_stats::forecast::Forecast;
use tacho_stats::interleaved::{Fit, InterleavedExecution, MovementQuestion, spells};
use tacho_stats::summary::median;

/// Lengths of the programs, and how many rounds of each are executed in one turn: the short ones
/// cost little.
const LENGTHS: [(Duration, u32); 3] =
    [(Duration::ZERO, 20), (Duration::from_millis(20), 5), (Duration::from_millis(200), 1)];
/// Additions of a shell from which its speed is found, and how often they are executed.
const TRIAL: f64 = 50_000.0;
const TRIALS: usize = 5;
/// A host whose speed is within this factor of what was found earlier executes the same programs.
const SAME_SPEED: f64 = 2.0;
/// Executions of a round of `tacho compare`, which has a control; a round here has two.
const COMPARED: f64 = 3.0;
const EXECUTED: f64 = 2.0;
/// No program is given longer than this.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The times that are forecast, in minutes.
pub const MINUTES: [u32; 3] = [1, 10, 60];

/// The host's noise that one program shows.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseOfLength {
    /// The program in a few words.
    pub program: String,
    /// How many additions it makes; `None`: it is no loop.
    pub additions: Option<f64>,
    /// The median of its wall time, in nanoseconds.
    pub takes: f64,
    /// How many rounds it was compared with itself.
    pub rounds: u32,
    /// How long a round took, in seconds, with all between the executions.
    pub round: f64,
    /// The differences that comparisons of it will find; `None` with too few rounds.
    pub forecast: Option<Forecast>,
    /// From how many measurements the forecast is, this one among them.
    pub measurements: usize,
    /// How much longer executions take at the host's slow speed than at its fast one, as a share.
    pub uneven: f64,
    /// Whether the samples show that the host's speed moves.
    pub moves: bool,
    /// The speeds that the host went through: how much slower than usual each was, as a share, in
    /// order of time.
    pub speeds: Vec<f64>,
    /// Two times that the program takes in turn, in nanoseconds, on a host whose speed is steady.
    pub modes: Option<TwoModes>,
    /// The median of the wall times of each whole minute, in nanoseconds, in order of time.
    pub levels: Vec<f64>,
}

/// The distances between the levels of minutes, as shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriftOverMinutes {
    /// The median difference of a minute's level from that of the minute before.
    pub neighbours: f64,
    /// How much higher the highest is than the lowest.
    pub range: f64,
}

impl NoiseOfLength {
    /// How the level moved; `None` with fewer than two whole minutes.
    #[must_use]
    pub fn drift(&self) -> Option<DriftOverMinutes> {
        let differences: Vec<f64> =
            self.levels.windows(2).map(|pair| (pair[1] / pair[0] - 1.0).abs()).collect();
        let high = self.levels.iter().copied().fold(0.0, f64::max);
        let low = self.levels.iter().copied().fold(f64::INFINITY, f64::min);
        Some(DriftOverMinutes { neighbours: median(&differences)?, range: high / low - 1.0 })
    }

    /// The smallest difference that a comparison of this many minutes, which executes a control
    /// too, finds four times in five.
    #[must_use]
    pub fn detectable(&self, minutes: u32) -> Option<f64> {
        let rounds = 60.0 * f64::from(minutes) / (self.round * COMPARED / EXECUTED);
        self.forecast.map(|forecast| forecast.detectable(rounds))
    }
}

/// One program that is compared with itself.
struct ComparedNoise {
    name: String,
    additions: Option<f64>,
    request: Request,
    rounds_a_turn: u32,
    executions: Vec<InterleavedExecution>,
    walls: Vec<f64>,
    /// The minute in which each of them was measured.
    minutes: Vec<u64>,
    rounds: u32,
    spent: Duration,
}

/// Compares programs with themselves, in turns, for that time. Interrupted, it answers with what it
/// has. `earlier` is how many additions a millisecond the loops of earlier measurements were made
/// for: on a host of about that speed the same loops are executed again, so that what was found can
/// be compared over time.
pub fn measure(
    executor: &mut dyn Executor,
    (time, earlier): (Duration, Option<f64>),
    seed: u64,
    interrupt: &AtomicBool,
    mut progress: impl FnMut(Duration),
) -> Result<Vec<NoiseOfLength>, MeasureError> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut programs = programs(executor, earlier)?;
    let begin = executor.now();
    loop {
        for program in &mut programs {
            for _ in 0..program.rounds_a_turn {
                program.round(executor, (begin, &mut random))?;
            }
        }
        let spent = since(executor, begin);
        progress(spent);
        if spent >= time || interrupt.load(Ordering::Relaxed) {
            let whole = spent.as_secs() / MINUTE;
            return Ok(programs.into_iter().map(|program| program.noise(whole)).collect());
        }
    }
}

/// The seconds of a minute.
const MINUTE: u64 = 60;

/// The time since then.
fn since(executor: &mut dyn Executor, then: Timestamp) -> Duration {
    Duration::try_from(executor.now().duration_since(then)).unwrap_or_default()
}

/// How many additions a shell makes in a millisecond of CPU time, so that work beside it does not
/// make its loops shorter.
fn speed(executor: &mut dyn Executor) -> Result<f64, MeasureError> {
    let mut differences = Vec::new();
    for _ in 0..TRIALS {
        let empty = work(executor, &looping(1.0))?;
        let full = work(executor, &looping(TRIAL))?;
        differences.push(full.saturating_sub(empty).as_secs_f64().max(1e-6));
    }
    Ok(TRIAL / (1000.0 * median(&differences).unwrap_or(1e-6)))
}

/// `true`, and loops of a shell of known lengths.
fn programs(
    executor: &mut dyn Executor,
    earlier: Option<f64>,
) -> Result<Vec<ComparedNoise>, MeasureError> {
    let now = speed(executor)?;
    let is_same = |earlier: &f64| (SAME_SPEED.recip()..=SAME_SPEED).contains(&(now / earlier));
    let a_millisecond = earlier.filter(is_same).unwrap_or(now);
    Ok(LENGTHS
        .iter()
        .map(|&(length, rounds_a_turn)| {
            let milliseconds = length.as_millis();
            let additions = (milliseconds as f64 * a_millisecond).round().max(1.0);
            let (name, additions, request) = if length.is_zero() {
                ("`true`".to_owned(), None, request(&["true"]))
            } else {
                (format!("{milliseconds} ms of work"), Some(additions), looping(additions))
            };
            ComparedNoise {
                name,
                additions,
                request,
                rounds_a_turn,
                executions: Vec::new(),
                walls: Vec::new(),
                minutes: Vec::new(),
                rounds: 0,
                spent: Duration::ZERO,
            }
        })
        .collect())
}

fn request(words: &[&str]) -> Request {
    Request { timeout: TIMEOUT, ..Request::new(words.iter().copied()) }
}

/// Work that every system can do without a compiler.
fn looping(additions: f64) -> Request {
    let script = format!("i=0; while [ $i -lt {additions:.0} ]; do i=$((i+1)); done");
    request(&["sh", "-c", &script])
}

fn wall(executor: &mut dyn Executor, request: &Request) -> Result<Duration, MeasureError> {
    executed(executor, request).map(|execution| execution.wall)
}

/// Its CPU time, or its wall time where that is not known.
fn work(executor: &mut dyn Executor, request: &Request) -> Result<Duration, MeasureError> {
    let execution = executed(executor, request)?;
    Ok(execution.usage.cpu().filter(|cpu| !cpu.is_zero()).unwrap_or(execution.wall))
}

fn executed(executor: &mut dyn Executor, request: &Request) -> Result<Execution, MeasureError> {
    let execution = executor.execute(request);
    match execution.ended {
        ExecutionEnd::Exited(0) => Ok(execution),
        ExecutionEnd::Interrupted => Err(MeasureError::Interrupted),
        ended => {
            Err(MeasureError::Instrument { why: format!("`{}`: {ended:?}", request.command[0]) })
        }
    }
}

impl ComparedNoise {
    /// Both sides once, in random order, in a measurement that began then.
    fn round(
        &mut self,
        executor: &mut dyn Executor,
        (measurement, random): (Timestamp, &mut impl Rng),
    ) -> Result<(), MeasureError> {
        let begin = executor.now();
        let minute = since(executor, measurement).as_secs() / MINUTE;
        let mut order = [0, 1];
        order.shuffle(random);
        for program in order {
            let wall = wall(executor, &self.request)?.as_nanos() as f64;
            self.walls.push(wall);
            self.minutes.push(minute);
            self.executions.push(InterleavedExecution {
                program,
                round: self.rounds,
                value: wall.max(1.0).ln(),
            });
        }
        self.rounds += 1;
        self.spent += since(executor, begin);
        Ok(())
    }

    /// The medians of the minutes before this one.
    fn levels(&self, whole: u64) -> Vec<f64> {
        let of_minute = |minute| {
            let here = self.minutes.iter().zip(&self.walls).filter(|(at, _)| **at == minute);
            median(&here.map(|(_, wall)| *wall).collect::<Vec<f64>>())
        };
        (0..whole).filter_map(of_minute).collect()
    }

    /// The findings in this many whole minutes, and after them.
    fn noise(self, whole: u64) -> NoiseOfLength {
        let fit = Fit::of(&self.executions, 2);
        let moving = fit.as_ref().filter(|fit| fit.host_moves(MovementQuestion::Once));
        let speeds = moving.map(|fit| {
            spells(&fit.rest, fit.usual, LONG)
                .into_iter()
                .map(|spell| spell.slower.exp_m1())
                .collect()
        });
        let moves = moving.is_some();
        NoiseOfLength {
            // Two speeds of the host are not two modes of the program.
            modes: if moves { None } else { TwoModes::of(&self.walls) },
            levels: self.levels(whole),
            takes: median(&self.walls).unwrap_or(0.0),
            rounds: self.rounds,
            round: self.spent.as_secs_f64() / f64::from(self.rounds.max(1)),
            forecast: Forecast::of(&self.executions),
            measurements: 1,
            uneven: fit.as_ref().map_or(0.0, Fit::uneven),
            moves,
            speeds: speeds.unwrap_or_default(),
            program: self.name,
            additions: self.additions,
        }
    }
}

/// A spell of this many executions is a speed of the host.
const LONG: usize = 10;

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_measure::ScriptedExecutor;

    use super::*;

    /// A host on which a shell takes 1 µs an addition, and everything this much longer in the
    /// second half of each minute.
    fn host<'a>(slower: f64) -> ScriptedExecutor<'a> {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        ScriptedExecutor::new(move |request: &Request, at: Timestamp| {
            let script = request.command.last().cloned().unwrap_or_default();
            let additions = script.split(' ').find_map(|word| word.parse::<f64>().ok());
            let noise = 1.0 + 0.02 * (f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5);
            let speed = if at.as_second() % 60 < 30 { 1.0 } else { 1.0 + slower };
            let wall = (1e-3 + additions.unwrap_or(0.0) * 1e-6) * noise * speed;
            Execution::of(ExecutionEnd::Exited(0), at, Duration::from_secs_f64(wall))
        })
    }

    fn of(slower: f64, time: u64) -> Vec<NoiseOfLength> {
        let stop = AtomicBool::new(false);
        measure(&mut host(slower), (Duration::from_secs(time), None), 1, &stop, |_| {}).unwrap()
    }

    #[test]
    fn a_steady_host_is_known_after_a_minute() {
        let found = of(0.0, 60);
        let names: Vec<&str> = found.iter().map(|it| it.program.as_str()).collect();
        assert_eq!(names, ["`true`", "20 ms of work", "200 ms of work"]);
        for it in &found {
            assert!(!it.moves && it.speeds.is_empty() && it.rounds > 60, "{it:?}");
            // Noise of ± 1 % is even: its standard deviation is 0.58 %, that of a round's ratio √2
            // times as much; 3.2 of them are found by a last look.
            let rounds = 60.0 / (1.5 * it.round);
            let expected = 3.2 * 0.0058 * std::f64::consts::SQRT_2 / rounds.sqrt();
            let ratio = it.detectable(1).unwrap() / expected;
            assert!((0.6..1.5).contains(&ratio), "{ratio}: {it:?}");
            assert!(it.detectable(60).unwrap() < it.detectable(10).unwrap());
        }
        assert!((found[2].takes / 200e6 - 1.0).abs() < 0.05, "{:?}", found[2]);
    }

    #[test]
    fn a_host_of_two_speeds_is_said_to_move() {
        // Fast, slow, fast, slow: half a minute each, the last one shorter.
        let found = of(0.3, 110);
        for it in &found {
            assert!(it.moves && (it.uneven - 0.3).abs() < 0.05, "{it:?}");
            assert_eq!(it.speeds.len(), 4, "{it:?}");
        }
    }

    /// What is found in five minutes on a host that gets this much slower each minute, of programs
    /// of which each fifth execution takes this many times as long.
    fn drifting(a_minute: f64, mode: f64) -> Vec<NoiseOfLength> {
        let mut random = ChaCha8Rng::seed_from_u64(6);
        let mut number = 0_u32;
        let mut host = ScriptedExecutor::new(move |_: &Request, at: Timestamp| {
            number += 1;
            let noise = 1.0 + 0.004 * (f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5);
            let slower = (1.0 + a_minute).powi(i32::try_from(at.as_second() / 60 % 60).unwrap());
            let mode = if number.is_multiple_of(5) { mode } else { 1.0 };
            let wall = Duration::from_secs_f64(0.05 * noise * slower * mode);
            Execution::of(ExecutionEnd::Exited(0), at, wall)
        });
        let time = Duration::from_secs(310);
        measure(&mut host, (time, None), 1, &AtomicBool::new(false), |_| {}).unwrap()
    }

    #[test]
    fn drift_over_minutes_is_seen_in_whole_minutes() {
        for it in drifting(0.01, 1.0) {
            let drift = it.drift().unwrap();
            assert_eq!(it.levels.len(), 5, "{it:?}");
            assert!((drift.neighbours - 0.01).abs() < 0.002, "{drift:?}");
            assert!((drift.range - 0.04).abs() < 0.005, "{drift:?}");
        }
        assert!(drifting(0.0, 1.0).iter().all(|it| it.drift().unwrap().range < 0.002));
        assert_eq!(of(0.0, 110)[0].drift(), None);
    }

    #[test]
    fn two_modes_of_a_program_are_found_on_a_steady_host() {
        for it in drifting(0.0, 1.4) {
            let modes = it.modes.unwrap();
            assert!((modes.high / modes.low - 1.4).abs() < 0.02, "{modes:?}");
            assert!((modes.upper_share - 0.2).abs() < 0.05, "{modes:?}");
        }
        assert!(drifting(0.0, 1.0).iter().all(|it| it.modes.is_none()));
        // Two speeds of the host are not two modes of the program.
        assert!(of(0.3, 110).iter().all(|it| it.modes.is_none()));
    }

    #[test]
    fn a_host_of_about_the_same_speed_executes_the_same_programs() {
        let stop = AtomicBool::new(true);
        let additions = |earlier| {
            let measured = measure(&mut host(0.0), (Duration::ZERO, earlier), 1, &stop, |_| {});
            measured.unwrap()[1].additions.unwrap()
        };
        // 1 µs an addition: 20,000 in 20 ms.
        assert!((additions(None) / 20_000.0 - 1.0).abs() < 0.01);
        assert!((additions(Some(1300.0)) - 26_000.0).abs() < 1e-9);
        assert!((additions(Some(2500.0)) / 20_000.0 - 1.0).abs() < 0.01);
    }

    #[test]
    fn interrupted_it_answers_with_what_it_has() {
        let hour = Duration::from_secs(3600);
        let found =
            measure(&mut host(0.0), (hour, None), 1, &AtomicBool::new(true), |_| {}).unwrap();
        assert_eq!((found[2].rounds, found[2].forecast), (1, None));
    }
}
