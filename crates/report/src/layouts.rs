//! One source linked in several orders: what follows from it, in words.

use tacho_record::Unit;
use tacho_stats::levels::{Levels, Repetition};

use crate::words::{count, executions, percent, precision};

/// The levels, and what differs at each beyond the one before.
pub const BANDS: [(&str, &str); 3] = [
    ("keep", "values of one execution"),
    ("restart", "executions of one build, beyond that"),
    ("relink", "builds of one source, beyond that"),
];

/// The standard deviation of each of [`BANDS`], as far as it is known.
#[must_use]
pub fn deviations(levels: &Levels) -> [Option<f64>; 3] {
    [levels.keep, Some(levels.restart), levels.relink]
}

/// What follows from the levels, a clause each. `cost` is how many executions a build takes as long
/// as; for `wanted` it is said how often to repeat.
#[must_use]
pub fn conclusions(levels: &Levels, unit: &Unit, cost: f64, wanted: Option<f64>) -> Vec<String> {
    let mean = levels.interval.map(|(low, high)| {
        let [mean, low, high] = [levels.mean, low, high].map(|value| unit.show(value));
        let layouts = count(levels.layouts, "layout");
        format!(
            "mean {mean}, {low} … {high} with 95 %: by {layouts}, however often each was executed"
        )
    });
    let repetition = wanted.and_then(|wanted| repetition(levels, cost, wanted));
    let all = [mean, by_chance(levels), relinking(levels, cost), repetition];
    all.into_iter().flatten().collect()
}

/// By how much two builds of one source differ by chance.
#[must_use]
pub fn by_chance(levels: &Levels) -> Option<String> {
    let chance = levels.by_chance().filter(|chance| *chance > 0.0).map(percent)?;
    Some(format!("two builds differ by more than {chance} in one of twenty cases, by layout alone"))
}

/// How often to repeat for a mean that is known that precisely.
#[must_use]
pub fn repetition(levels: &Levels, cost: f64, wanted: f64) -> Option<String> {
    let repetition = levels.repetition(wanted, cost)?;
    let layouts = count(repetition.layouts as usize, "layout");
    let (wanted, each) = (precision(wanted), executions(repetition));
    Some(format!("for {wanted}: {layouts}, {each} each; a build takes as long as {cost:.0}"))
}

/// What is known of relinking where it does not differ significantly from restarting.
fn relinking(levels: &Levels, cost: f64) -> Option<String> {
    let bound = levels.relink_at_most.filter(|_| !levels.is_told()).map(percent)?;
    if levels.one_stands_for_all() {
        return Some(format!(
            "relinking is not distinguished from restarting: it adds at most {bound}, with 95 %: \
             one build stands for all"
        ));
    }
    let more = levels.would_tell(cost).map_or_else(
        || "no number of executions that is worth its time would".to_owned(),
        |Repetition { layouts, processes }| {
            let of = count(layouts as usize, "layout");
            format!(
                "{of} of {processes} executions each would probably (`-n {layouts} -r {processes}`)"
            )
        },
    );
    Some(format!(
        "too noisy to distinguish relinking from restarting: it adds at most {bound}, with 95 %; \
         {more}"
    ))
}

/// What helps to know the mean better, where relinking and restarting differ significantly.
#[must_use]
pub fn advice(levels: &Levels) -> &'static str {
    match levels.relink {
        None => "one layout says nothing of others",
        Some(_) if !levels.is_told() => "",
        Some(relink) if relink > levels.restart => {
            "linking again moves it more than starting again: only more layouts make the mean \
             surer, and a small difference between two builds may be their layout, not their code"
        }
        Some(_) => {
            "starting again moves it more than linking again: more executions help, until what \
             linking adds is left; a small difference between two builds may still be their \
             layout, not their code"
        }
    }
}
