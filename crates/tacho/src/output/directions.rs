//! The better directions that only names and units suggest.

use tacho_record::{Direction, Plan, RateHint, in_backticks};

/// At most this many names are given.
const NAMED: usize = 4;

/// The place where a user sets the direction.
#[derive(Clone, Copy)]
pub enum DirectionSetting {
    /// On the command line.
    Option,
    /// In the plan.
    Plan,
}

impl DirectionSetting {
    /// How that is typed.
    fn typed(self, better: Direction) -> String {
        match self {
            Self::Option => format!("`--better {}`", better.word()),
            Self::Plan => format!("`better = \"{}\"` in the plan", better.word()),
        }
    }
}

/// Says it beside the answer, in a line for each direction.
pub fn announce(guessed: impl IntoIterator<Item = (String, RateHint)>, setting: DirectionSetting) {
    for line in lines(guessed, setting) {
        super::note("note", &line);
    }
}

/// Announces the directions of metrics that a plan reads from output, if their names suggest them.
pub fn announce_plan(plan: &Plan, is_shown: impl Fn(&str) -> bool) {
    let metrics = plan.benchmarks.iter().flat_map(|benchmark| &benchmark.metrics);
    let metrics = metrics.filter(|it| is_shown(&it.metric.name));
    announce(
        metrics.filter_map(|it| Some((it.metric.name.clone(), it.guessed?))),
        DirectionSetting::Plan,
    );
}

fn lines(
    guessed: impl IntoIterator<Item = (String, RateHint)>,
    setting: DirectionSetting,
) -> Vec<String> {
    let (certain, possible): (Vec<_>, Vec<_>) =
        guessed.into_iter().partition(|(_, hint)| *hint == RateHint::Certain);
    let [higher, lower] = [Direction::Higher, Direction::Lower].map(|it| setting.typed(it));
    let certain = named(certain).map(|names| {
        format!("higher is taken as better for {names}, by name or unit; {lower} changes that")
    });
    let possible = named(possible).map(|names| {
        format!("lower is taken as better for {names}; if more is better, use {higher}")
    });
    certain.into_iter().chain(possible).collect()
}

/// The names, each once; `None` if there are none.
fn named(all: Vec<(String, RateHint)>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.truncate(NAMED);
    (!names.is_empty()).then(|| in_backticks(names) + &more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_direction_is_said_once_with_how_to_change_it() {
        let of = |name: &str, hint| (name.to_owned(), hint);
        let all = [
            of("ops/s", RateHint::Certain),
            of("score", RateHint::Possible),
            of("ops/s", RateHint::Certain),
        ];
        assert_eq!(
            lines(all.clone(), DirectionSetting::Option),
            [
                "higher is taken as better for `ops/s`, by name or unit; `--better lower` changes \
                 that",
                "lower is taken as better for `score`; if more is better, use `--better higher`"
            ]
        );
        assert!(
            lines(all, DirectionSetting::Plan)[0]
                .contains("`better = \"lower\"` in the plan changes")
        );
        assert!(lines([], DirectionSetting::Plan).is_empty());
        let many = (0..6).map(|at| of(&format!("s{at}/s"), RateHint::Certain));
        assert!(lines(many, DirectionSetting::Option)[0].contains("`s3/s` and 2 more, by name"));
    }
}
