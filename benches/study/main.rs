//! What `tacho compare` says of real programs: `cargo bench -p tacho --bench study`, on a quiet
//! machine.
//!
//! *null*: five programs against themselves, hyperfine in blocks with a rank test beside, where it
//! is installed. *power*: a loop that is slower by so many per cent of its instructions (callgrind
//! says how many they are), beside a rank test of 30 rounds of the same error. *carry*: a program
//! that slows its successor. *start*: what `tacho` itself takes.
//!
//! `TACHO_STUDY=null,power` chooses among them. `TACHO_TRIALS` (10) is how many comparisons each
//! makes, all programs or slow-downs by turns; `TACHO_MINUTES` after how many minutes a study
//! begins no more of them; `TACHO_LOAD=1` has a load come and go beside. `TACHO_RESULTS=FILE` adds
//! each comparison to that file: the tables are of all that it has, so that slots add up.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

mod ledger;
mod load;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ledger::Trial;
use load::Load;
use serde_json::Value;
use tacho_stats::compare::{
    ComparisonRules, Influence, Look, RankTest, SampleValue, Sides, after_predecessors, compare,
};

/// Rounds at the most.
const ROUNDS: &str = "30";
/// The chance of an error that is requested.
const ERROR: f64 = 0.05;
/// How much slower B is, in per cent.
const SLOWER: [u64; 5] = [0, 1, 2, 5, 10];

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is
    // nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let set = |name: &str| std::env::var(name).ok();
    let chosen = set("TACHO_STUDY").unwrap_or_else(|| "start,null,power,carry".to_owned());
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab { folder: folder.path() };
    for study in chosen.split(',') {
        match study {
            "start" => lab.start(),
            "null" | "power" => {
                let slot = Slot {
                    lab: &lab,
                    study,
                    trials: set("TACHO_TRIALS").map_or(10, |trials| trials.parse().unwrap()),
                    minutes: set("TACHO_MINUTES")
                        .map_or(f64::INFINITY, |minutes| minutes.parse().unwrap()),
                    is_loaded: set("TACHO_LOAD").is_some_and(|load| load != "0"),
                    results: set("TACHO_RESULTS")
                        .map_or_else(|| folder.path().join("results"), PathBuf::from),
                };
                slot.measure();
            }
            "carry" => lab.carry(),
            other => println!("there is no study `{other}`"),
        }
    }
}

/// A part of a study.
struct Slot<'a> {
    lab: &'a Lab<'a>,
    study: &'a str,
    trials: usize,
    minutes: f64,
    is_loaded: bool,
    results: PathBuf,
}

impl Slot<'_> {
    /// Makes the comparisons, one at a time, and shows all that the file then has.
    fn measure(&self) {
        let before =
            ledger::read(&self.results).iter().filter(|trial| trial.study == self.study).count();
        let load = self.is_loaded.then(|| Load::new(before as u64));
        let began = Instant::now();
        let base = if self.study == "null" { self.lab.write_text() } else { self.lab.base() };
        let mut done = 0;
        while done < self.trials && began.elapsed().as_secs_f64() < 60.0 * self.minutes {
            // Where the last slot stopped, so that each case has as many.
            let turn = before + done;
            let trial = if self.study == "null" { self.null(turn) } else { self.power(base, turn) };
            ledger::append(&self.results, &trial);
            done += 1;
        }
        drop(load);
        let each = began.elapsed().as_secs_f64() / done.max(1) as f64;
        println!("\n{}: {done} comparisons, {each:.1} s each\n", self.study);
        print!("{}", ledger::table(self.study, &ledger::read(&self.results)));
    }

    fn host(&self) -> &'static str {
        if self.is_loaded { "loaded" } else { "idle" }
    }

    /// A program against itself.
    fn null(&self, turn: usize) -> Trial {
        let program = PROGRAMS[turn % PROGRAMS.len()];
        let (answer, seconds) = self.lab.compare(program, program);
        let began = Instant::now();
        let rank_test = self.lab.hyperfine(program, program);
        let what = (self.study, self.host(), format!("`{program}`"));
        let trial = Trial::of(&answer, what, Some(1.0), seconds);
        Trial {
            rank_test,
            rank_test_seconds: rank_test.map(|_| began.elapsed().as_secs_f64()),
            ..trial
        }
    }

    /// A loop against one with more turns.
    fn power(&self, base: Spin, turn: usize) -> Trial {
        let percent = SLOWER[turn % SLOWER.len()];
        let (a, b) = (base.command(0), base.command(percent));
        let (answer, seconds) = self.lab.compare(&a, &b);
        let (told, took) = self.lab.rank_test(&a, &b);
        // What starts and ends a program is not slower: of wall time it is a little less.
        let truth = (percent == 0).then_some(1.0);
        let trial = Trial::of(
            &answer,
            (self.study, self.host(), format!("{percent:2} % slower")),
            truth,
            seconds,
        );
        Trial { rank_test: Some(told), rank_test_seconds: Some(took), ..trial }
    }
}

/// Programs that every Debian has, of 20 to 40 ms on an idle virtual machine of 2026.
const PROGRAMS: [&str; 5] = [
    "gzip -c third",
    "sort third",
    "sha256sum text text",
    "awk '{ s += $1 } END { print s }' text",
    "perl -ne '$n{$1}++ if /fox (\\d+)/; END { print scalar keys %n }' third",
];

/// A loop of so many turns.
#[derive(Clone, Copy, Default)]
struct Spin {
    turns: u64,
    /// Instructions of a turn, and those outside of the loop.
    each: f64,
    other: f64,
}

impl Spin {
    /// The loop that has so many per cent more instructions in all.
    fn command(self, percent: u64) -> String {
        let all = self.other + self.each * self.turns as f64;
        let more = all * percent as f64 / 100.0 / self.each;
        format!("./spin {:.0}", self.turns as f64 + more)
    }
}

/// A folder in which everything is executed.
struct Lab<'a> {
    folder: &'a Path,
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

    /// Whether a rank test tells the wall times of both apart, executed in all rounds; and how many
    /// seconds that takes.
    fn rank_test(&self, a: &str, b: &str) -> (bool, f64) {
        let (answer, seconds) =
            self.tacho(&["bench", "--json", "-r", ROUNDS, "-n", "a", "-n", "b", a, b]);
        let times = |side: usize| -> Vec<f64> {
            let samples = answer["commands"][side]["samples"].as_array().unwrap();
            samples.iter().filter_map(|sample| sample["values"]["wall"].as_f64()).collect()
        };
        (differ(&times(0), &times(1)), seconds)
    }

    /// hyperfine, one command after the other; nothing where it is not installed.
    fn hyperfine(&self, a: &str, b: &str) -> Option<bool> {
        let words =
            ["-N", "-w", "1", "-r", ROUNDS, "--style", "none", "--export-json", "h.json", a, b];
        let status = self.command("hyperfine", &words).stdout(Stdio::null()).status().ok()?;
        let text = status.success().then(|| std::fs::read(self.folder.join("h.json")).unwrap())?;
        let report: Value = serde_json::from_slice(&text).unwrap();
        let times = |side: usize| -> Vec<f64> {
            let times = report["results"][side]["times"].as_array();
            times.into_iter().flatten().filter_map(Value::as_f64).collect()
        };
        Some(differ(&times(0), &times(1)))
    }

    /// What the programs read.
    fn write_text(&self) -> Spin {
        let line = |n: u64| {
            format!("{} {:x} the quick brown fox {n}\n", n * 7919 % 10007, n.pow(3) % 1_000_003)
        };
        let lines = |count: u64| (0..count).map(line).collect::<String>();
        std::fs::write(self.folder.join("text"), lines(60_000)).unwrap();
        std::fs::write(self.folder.join("third"), lines(20_000)).unwrap();
        Spin::default()
    }

    fn compile_spin(&self) {
        let source = "#include <stdlib.h>\nint main(int n, char **v) {\n  (void)n;\n  for \
            (volatile unsigned long i = strtoul(v[1], 0, 10); i; i--) {}\n}\n";
        std::fs::write(self.folder.join("spin.c"), source).unwrap();
        assert!(self.command("cc", &["-O1", "-o", "spin", "spin.c"]).status().unwrap().success());
    }

    /// A loop that takes some 30 ms, and what it is made of.
    fn base(&self) -> Spin {
        self.compile_spin();
        let few = 100_000;
        let counts = [few, 2 * few].map(|turns| self.instructions(turns));
        let [Some(one), Some(two)] = counts else {
            println!("without valgrind, all instructions are taken to be in the loop");
            return Spin { turns: self.calibrated(), each: 1.0, other: 0.0 };
        };
        let each = (two - one) / few as f64;
        let spin = Spin { turns: self.calibrated(), each, other: one - each * few as f64 };
        println!("\n{} turns of {each:.2} instructions, and {:.0} others", spin.turns, spin.other);
        spin
    }

    /// How many instructions a loop of so many turns has, by callgrind.
    fn instructions(&self, turns: u64) -> Option<f64> {
        let words =
            ["--tool=callgrind", "--callgrind-out-file=/dev/null", "./spin", &turns.to_string()];
        let output = self.command("valgrind", &words).stderr(Stdio::piped()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text.lines().find(|line| line.contains("Collected"))?;
        line.rsplit(' ').next()?.parse().ok()
    }

    /// Turns that take some 30 ms.
    fn calibrated(&self) -> u64 {
        let turns: u64 = 5_000_000;
        let time = || {
            let began = Instant::now();
            self.command("./spin", &[&turns.to_string()]).status().unwrap();
            began.elapsed().as_secs_f64()
        };
        let fastest = (0..9).map(|_| time()).fold(f64::INFINITY, f64::min);
        let wanted = Duration::from_millis(30).as_secs_f64() / fastest * turns as f64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // positive, and far below 2⁵³
        let whole = wanted as u64;
        whole
    }

    /// A program after which the next one takes a fifth longer: it leaves word that it was there.
    fn carry(&self) {
        self.compile_spin();
        let base = self.calibrated();
        let after = |own: &str| {
            format!(
                "if [ -e warm ]; then rm warm; ./spin {}; else ./spin {base}; fi; {own}",
                base * 6 / 5
            )
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
    let samples = |values: &[f64]| values.iter().copied().map(SampleValue::new).collect::<Vec<_>>();
    let (a, b) = (samples(a), samples(b));
    let look = Look::only(a.len().min(b.len()), ERROR);
    match compare(&Sides { a: &a, b: &b, control: &[] }, &ComparisonRules::default(), look)
        .rank_test
    {
        RankTest::MannWhitney(p) | RankTest::Wilcoxon(p) => p <= ERROR,
    }
}
