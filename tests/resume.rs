//! Killed at any moment, the same command ends with exactly the samples of an undisturbed run.
//!
//! The subject itself kills `tacho`, at a moment that the test chooses: in a build, in an
//! execution, or between two samples (in the next one's `prepare`). Nothing here waits and hopes.

use crate::harness::Project;

/// Kills the `tacho` above when the counter of that moment reaches the number in `kill-at`.
///
/// Each moment has its counter; a kill disarms itself, so that the next session lives.
pub const KILLER: &str = r#"
moment=$1
armed=$(cat "$KILL_FOLDER/armed" 2>/dev/null) || exit 0
count=$(cat "$KILL_FOLDER/$moment" 2>/dev/null || echo 0)
echo $((count + 1)) > "$KILL_FOLDER/$moment"
[ "$armed" = "$moment $count" ] || exit 0
rm "$KILL_FOLDER/armed"
above=$PPID
until [ "$(cat /proc/$above/comm)" = tacho ]; do
  above=$(sed 's/.*) . \([0-9]*\) .*/\1/' /proc/$above/stat)
done
kill -9 "$above"
sleep 60
"#;

const PLAN: &str = r#"
[subject]
build = "sh $KILL_FOLDER/killer build; cp prog built"
artifacts = ["built"]

[measure]
rounds = 3
conditions = { inherit-environment = ["KILL_FOLDER"] }

[[benchmark]]
name = "one"
command = "sh -c 'sh $KILL_FOLDER/killer execution; . {build}/built'"
prepare = "sh $KILL_FOLDER/killer between"
expect = { stdout = "same" }

[[benchmark]]
name = "two"
command = "sh {build}/built"
expect = { stdout = "same" }
"#;

/// As [`KILLER`], but with Ctrl-C's signal, in the first execution.
const INTERRUPTER: &str = r#"
[ "$1" = execution ] || exit 0
above=$PPID
until [ "$(cat /proc/$above/comm)" = tacho ]; do
  above=$(sed 's/.*) . \([0-9]*\) .*/\1/' /proc/$above/stat)
done
kill -INT "$above"
sleep 60
"#;

/// Three revisions × two benchmarks × (warmup + three rounds).
const SAMPLES: usize = 3 * 2 * 4;

struct Killed {
    project: Project,
}

impl Killed {
    fn new() -> Self {
        let project = Project::scripts(3).plan(PLAN);
        std::fs::create_dir(project.path().join(".kill")).unwrap();
        let killed = Self { project };
        std::fs::write(killed.folder().join("killer"), KILLER).unwrap();
        killed
    }

    fn folder(&self) -> std::path::PathBuf {
        self.project.path().join(".kill")
    }

    /// Tracks, to be killed at that occurrence of that moment; says whether it was.
    fn track(&self, moment: Option<(&str, u32)>) -> bool {
        for counter in ["build", "execution", "between"] {
            let _ = std::fs::remove_file(self.folder().join(counter));
        }
        if let Some((moment, count)) = moment {
            std::fs::write(self.folder().join("armed"), format!("{moment} {count}")).unwrap();
        }
        let mut command = self.project.command(["track", "--seed", "7", "--quiet"]);
        let output = command.env("KILL_FOLDER", self.folder()).output().unwrap();
        if moment.is_none() {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        !output.status.success()
    }
}

/// The samples of a run that nobody disturbed.
fn undisturbed() -> Vec<String> {
    let undisturbed = Killed::new();
    undisturbed.track(None);
    let places = undisturbed.project.places();
    assert_eq!(places.len(), SAMPLES);
    places
}

#[test]
fn ten_kills_lose_nothing_repeat_nothing_and_tear_nothing() {
    let kills = [
        ("build", 1),
        ("build", 0),
        ("between", 0),
        ("execution", 2),
        ("between", 1),
        ("execution", 0),
        ("between", 3),
        ("execution", 1),
        ("between", 0),
        ("execution", 0),
        ("between", 1),
        ("execution", 0),
    ];
    let expected = undisturbed();
    let killed = Killed::new();
    let died = kills.iter().filter(|&&kill| killed.track(Some(kill))).count();
    assert_eq!(died, kills.len(), "not all kills came");
    killed.track(None);
    assert_eq!(killed.project.places(), expected);
}

#[test]
fn a_kill_loses_no_sample_that_was_taken() {
    let killed = Killed::new();
    assert!(killed.track(Some(("between", 4))));
    let before = killed.project.places();
    assert!(before.len() >= 4, "{before:?}");
    assert!(killed.track(Some(("between", 2))));
    let after = killed.project.places();
    assert!(before.iter().all(|place| after.contains(place)));
}

#[test]
fn a_run_took_the_time_in_which_it_measured_not_the_pause() {
    let killed = Killed::new();
    assert!(killed.track(Some(("between", 4))));
    let pause = std::time::Duration::from_millis(1500);
    std::thread::sleep(pause);
    killed.track(None);
    let run = &killed.project.tacho("log --json").succeeds().json()["runs"][0];
    let time = |key: &str| run[key].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let from_end_to_end = time("ended").duration_since(time("started")).as_secs_f64();
    let took = run["took"].as_f64().unwrap();
    assert!(
        took > 0.0 && took <= from_end_to_end - pause.as_secs_f64(),
        "{took} of {from_end_to_end}"
    );
}

#[test]
fn an_interrupt_ends_the_child_and_says_how_to_go_on() {
    let killed = Killed::new();
    std::fs::write(killed.folder().join("killer"), INTERRUPTER).unwrap();
    let mut command = killed.project.command(["track", "--quiet"]);
    let output = command.env("KILL_FOLDER", killed.folder()).output().unwrap();
    let answer = crate::harness::Answer::of(&output).exits(130);
    assert!(answer.stdout.contains("interrupted: the same command resumes"), "{}", answer.stdout);
}

#[test]
fn with_another_path_a_new_run_begins() {
    let killed = Killed::new();
    let command = |path: &str| {
        let mut command = killed.project.command(["compare", "HEAD~1", "HEAD", "--quiet"]);
        let programs = std::env::var("PATH").unwrap();
        command.env("KILL_FOLDER", killed.folder()).env("PATH", format!("{programs}{path}"));
        crate::harness::Answer::of(&command.output().unwrap())
    };
    std::fs::write(killed.folder().join("killer"), INTERRUPTER).unwrap();
    command("").exits(130);
    std::fs::write(killed.folder().join("killer"), "exit 0\n").unwrap();
    let other = command(":/other").exits(0);
    assert!(
        other.stderr.contains("note: `PATH` differs from interrupted run 1: it may "),
        "{}",
        other.stderr
    );
    let runs = killed.project.tacho("log --json").succeeds().json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 2, "{runs}");
}
