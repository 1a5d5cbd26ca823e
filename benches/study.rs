//! What `tacho compare` says of real programs: `cargo bench -p tacho --bench study`, on a quiet machine.
//!
//! *same*: five programs against themselves, idle and beside a load that comes and goes; hyperfine in blocks with a rank test beside,
//! where it is installed. *power*: a loop that is slower by so many per cent of its instructions, beside a rank test of 30 rounds.
//! *carry*: a program that slows its successor. *start*: what `tacho` itself takes. `TACHO_STUDY=same,power` chooses among
//! them, `TACHO_TRIALS` (10) scales all: 40 for four hundred comparisons.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tacho_stats::compare::{Influence, Look, RankTest, Rules, Sample, Sides, after_predecessors, compare};

/// Rounds at the most.
const ROUNDS: &str = "30";
/// The chance of an error that is asked for.
const ERROR: f64 = 0.05;

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let chosen = std::env::var("TACHO_STUDY").unwrap_or_else(|_| "start,same,power,carry".to_owned());
    let trials: u32 = std::env::var("TACHO_TRIALS").map_or(10, |trials| trials.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab { folder: folder.path() };
    for study in chosen.split(',') {
        match study {
            "start" => lab.start(),
            "same" => lab.same(trials),
            "power" => lab.power(trials),
            "carry" => lab.carry(),
            other => println!("there is no study `{other}`"),
        }
    }
}

/// A folder in which everything is executed.
struct Lab<'a> {
    folder: &'a Path,
}

/// How often it was said what, and what that took.
#[derive(Default)]
struct Said {
    trials: u32,
    told: u32,
    same: u32,
    rounds: f64,
    seconds: f64,
    beside: Option<u32>,
}

impl Said {
    fn add(&mut self, answer: &Value, seconds: f64) {
        let row = &answer["rows"][0];
        self.trials += 1;
        self.told += u32::from(matches!(row["verdict"].as_str(), Some("faster" | "slower")));
        self.same += u32::from(row["verdict"] == "same");
        self.rounds += row["rounds"].as_f64().unwrap_or_default();
        self.seconds += seconds;
    }

    fn line(&self) -> String {
        let share = |number: u32| 100.0 * f64::from(number) / f64::from(self.trials);
        let each = |sum: f64| sum / f64::from(self.trials);
        let beside = self.beside.map_or("–".to_owned(), |told| format!("{:.1} %", share(told)));
        format!(
            "{:.1} % | {:.1} % | {:.1} | {:.1} s | {beside}",
            share(self.told),
            share(self.same),
            each(self.rounds),
            each(self.seconds)
        )
    }
}

impl Lab<'_> {
    fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.folder).stdin(Stdio::null()).stderr(Stdio::null());
        command.env("TACHO_LOCK", self.folder.join("lock"));
        command
    }

    /// What `tacho` answers in JSON, and how many seconds that takes.
    fn tacho(&self, words: &[&str]) -> (Value, f64) {
        let began = Instant::now();
        let output = self.command(env!("CARGO_BIN_EXE_tacho"), words).output().unwrap();
        (serde_json::from_slice(&output.stdout).unwrap(), began.elapsed().as_secs_f64())
    }

    fn compare(&self, a: &str, b: &str) -> (Value, f64) {
        self.tacho(&["compare", "--command", a, b, "-r", ROUNDS, "--json"])
    }

    /// The wall times of both commands, executed in as many rounds, and whether a rank test tells them apart.
    fn rank_test(&self, a: &str, b: &str) -> bool {
        let (answer, _) = self.tacho(&["bench", "--json", "-r", ROUNDS, "-n", "a", "-n", "b", a, b]);
        let times = |side: usize| -> Vec<f64> {
            let samples = answer["commands"][side]["samples"].as_array().unwrap();
            samples.iter().filter_map(|sample| sample["values"]["wall"].as_f64()).collect()
        };
        differ(&times(0), &times(1))
    }

    /// hyperfine, one command after the other; nothing where it is not installed.
    fn hyperfine(&self, a: &str, b: &str) -> Option<bool> {
        let words = ["-N", "-w", "1", "-r", ROUNDS, "--style", "none", "--export-json", "h.json", a, b];
        let status = self.command("hyperfine", &words).stdout(Stdio::null()).status().ok()?;
        let text = status.success().then(|| std::fs::read(self.folder.join("h.json")).unwrap())?;
        let report: Value = serde_json::from_slice(&text).unwrap();
        let times = |side: usize| -> Vec<f64> {
            let times = report["results"][side]["times"].as_array();
            times.into_iter().flatten().filter_map(Value::as_f64).collect()
        };
        Some(differ(&times(0), &times(1)))
    }

    /// Five programs against themselves.
    fn same(&self, trials: u32) {
        let line =
            |n: u64| format!("{} {:x} the quick brown fox {n}\n", n * 7919 % 10007, n.pow(3) % 1_000_003);
        let text: String = (0..60_000).map(line).collect();
        std::fs::write(self.folder.join("text"), text).unwrap();
        let programs = [
            "gzip -c text",
            "sort text",
            "sha256sum text text text text",
            "awk '{ s += $1 } END { print s }' text",
            "grep -c fox.*9 text",
        ];
        println!("\nA against A, {trials} times each\n");
        println!(
            "| program | host | told to differ | same | rounds | takes | hyperfine in blocks, rank test |"
        );
        println!("|---|---|---:|---:|---:|---:|---:|");
        for loaded in [false, true] {
            for program in programs {
                let load = loaded.then(Load::new);
                let mut said = Said::default();
                for _ in 0..trials {
                    let (answer, seconds) = self.compare(program, program);
                    said.add(&answer, seconds);
                    if let Some(differs) = self.hyperfine(program, program) {
                        *said.beside.get_or_insert(0) += u32::from(differs);
                    }
                }
                drop(load);
                println!("| `{program}` | {} | {} |", if loaded { "loaded" } else { "idle" }, said.line());
            }
        }
    }

    /// A loop with more instructions.
    fn power(&self, trials: u32) {
        self.compile_spin();
        let base = self.calibrated();
        println!("\nA loop of {base} turns, and of more: {trials} times each\n");
        println!("| slower by | told to differ | same | rounds | takes | rank test of 30 rounds |");
        println!("|---:|---:|---:|---:|---:|---:|");
        for percent in [0, 1, 2, 5, 10] {
            let (a, b) = (format!("./spin {base}"), format!("./spin {}", base * (100 + percent) / 100));
            let mut said = Said { beside: Some(0), ..Said::default() };
            for _ in 0..trials {
                let (answer, seconds) = self.compare(&a, &b);
                said.add(&answer, seconds);
                *said.beside.get_or_insert(0) += u32::from(self.rank_test(&a, &b));
            }
            println!("| {percent} % | {} |", said.line());
        }
    }

    fn compile_spin(&self) {
        let source = "#include <stdlib.h>\nint main(int n, char **v) {\n  (void)n;\n  for (volatile unsigned long i = strtoul(v[1], 0, 10); i; i--) {}\n}\n";
        std::fs::write(self.folder.join("spin.c"), source).unwrap();
        assert!(self.command("cc", &["-O1", "-o", "spin", "spin.c"]).status().unwrap().success());
    }

    /// Turns that take some 50 ms.
    fn calibrated(&self) -> u64 {
        let turns: u64 = 10_000_000;
        let time = || {
            let began = Instant::now();
            self.command("./spin", &[&turns.to_string()]).status().unwrap();
            began.elapsed().as_secs_f64()
        };
        let fastest = (0..5).map(|_| time()).fold(f64::INFINITY, f64::min);
        // Hundreds, so that each per cent is a whole number of turns.
        let wanted = 0.05 / fastest * turns as f64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive, and far below 2⁵³
        let hundreds = (wanted / 100.0) as u64;
        hundreds * 100
    }

    /// A program after which the next one takes a fifth longer: it leaves word that it was there.
    fn carry(&self) {
        self.compile_spin();
        let base = self.calibrated();
        let after = |own: &str| {
            format!("if [ -e warm ]; then rm warm; ./spin {}; else ./spin {base}; fi; {own}", base * 6 / 5)
        };
        let commands = [after("touch warm"), after(":"), after("true")];
        let mut words = vec!["bench", "--json", "-r", ROUNDS];
        words.extend(commands.iter().map(String::as_str));
        let (answer, _) = self.tacho(&words);
        let mut sequence = Vec::new();
        for (subject, command) in (0_u32..).zip(answer["commands"].as_array().unwrap()) {
            for sample in command["samples"].as_array().unwrap() {
                let place = (sample["round"].as_u64(), sample["position"].as_u64());
                sequence.push((place, (subject, sample["values"]["wall"].as_f64().unwrap())));
            }
        }
        sequence.sort_by_key(|(place, _)| *place);
        let sequence: Vec<(u32, f64)> = sequence.into_iter().map(|(_, sample)| sample).collect();
        println!("\nThree commands; what comes after the first has a fifth more to do\n");
        match Influence::of(&after_predecessors(&sequence), 1) {
            None => println!("too few executions"),
            Some(found) => {
                println!("p = {:.4} that who was executed before does not matter", found.p);
                for group in &found.groups {
                    println!(
                        "after command {}: {:+.1} % ({} executions)",
                        group.beside,
                        100.0 * group.residual,
                        group.count
                    );
                }
            }
        }
    }

    /// What `tacho` itself takes.
    fn start(&self) {
        let median = |words: &[&str], own: &dyn Fn(&Value) -> f64| {
            let one = |_| {
                let began = Instant::now();
                let output = self.command(env!("CARGO_BIN_EXE_tacho"), words).output().unwrap();
                let took = began.elapsed().as_secs_f64();
                took - serde_json::from_slice(&output.stdout).map_or(0.0, |answer| own(&answer))
            };
            let mut all: Vec<f64> = (0..21).map(one).collect();
            all.sort_by(f64::total_cmp);
            1e3 * all[10]
        };
        println!("\n`tacho --version` takes {:.1} ms", median(&["--version"], &|_| 0.0));
        let wall = |answer: &Value| {
            let samples = answer["commands"][0]["samples"].as_array().cloned().unwrap_or_default();
            samples.iter().filter_map(|sample| sample["values"]["wall"].as_f64()).sum::<f64>() / 1e9
        };
        let own = median(&["bench", "-r", "1", "--json", "true"], &wall);
        println!("`tacho bench -r 1 true` takes {own:.1} ms besides `true`");
    }
}

/// Whether a rank test tells these apart.
fn differ(a: &[f64], b: &[f64]) -> bool {
    let samples = |values: &[f64]| values.iter().copied().map(Sample::new).collect::<Vec<_>>();
    let (a, b) = (samples(a), samples(b));
    let look = Look::only(a.len().min(b.len()), ERROR);
    match compare(&Sides { a: &a, b: &b, control: &[] }, &Rules::default(), look).rank_test {
        RankTest::MannWhitney(p) | RankTest::Wilcoxon(p) => p <= ERROR,
    }
}

/// A busy thread that comes and goes, until dropped.
struct Load {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Load {
    fn new() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            for turn in 0_u64.. {
                // Between 0.1 and 1.5 s, without a pattern that rounds could follow.
                let until = Instant::now() + Duration::from_millis(100 + turn * turn * 7919 % 1400);
                while Instant::now() < until && !told.load(Ordering::Relaxed) {
                    if turn.is_multiple_of(2) {
                        std::hint::spin_loop();
                    } else {
                        std::thread::sleep(Duration::from_millis(10));
                    }
                }
                if told.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}
