//! What should be said beside the numbers of a comparison.

use tacho_experiment::compare::{Row, Rows};
use tacho_record::Unit;
use tacho_stats::compare::{Because, Choice, Estimate, Estimator, Modes, Note, Told, Verdict};

use super::answer::{between_runs, places};
use super::family::in_order;
use super::{Report, is_measured, of};
use crate::output::text;

/// From this gain on pairing is told of.
const PAIRING: f64 = 1.5;
/// From this difference between two processors on it is told of.
const PLACES: f64 = 0.01;

impl Report<'_> {
    /// All of them, in lines.
    pub(super) fn notes(&self, all: &Rows) -> String {
        self.of_rows(all)
            + &self.beside_control(all)
            + &self.at_once(all)
            + &self.carried(all)
            + &self.of_several_runs(all)
    }

    /// That A, executed a second time, differs from itself by no less than what is told of B.
    pub(super) fn beside_control(&self, all: &Rows) -> String {
        let mut out = String::new();
        let decides = |row: &&Row| row.comparison.notes.contains(&Note::NotBeyondControl);
        let is_told = |row: &&Row| row.verdict != Verdict::Unclear || decides(row);
        for row in in_order(&all.rows).into_iter().filter(is_told) {
            let ratio = |estimate: Option<Estimate>| estimate.and_then(|it| it.ratio);
            let (told, control) = (ratio(row.comparison.estimate), ratio(row.comparison.control));
            let Some((told, control)) = told.zip(control) else { continue };
            if is_beyond(control, told, self.terms.margin) {
                let [same, other] = [control, told].map(text::change);
                out += &format!(
                    "{} {}:\n  {} differs from itself by {same} here, which is no less than {other}\n",
                    row.benchmark,
                    row.metric.name,
                    self.names()[0],
                );
            }
        }
        out
    }

    /// That both were executed at the same time, and what the processors differ by.
    pub(super) fn at_once(&self, all: &Rows) -> String {
        let Some([first, second]) = self.terms.duet else { return String::new() };
        let mut out = format!(
            "executed at the same time on processors {first} and {second},\n  swapped each round; no control\n"
        );
        for row in in_order(&all.rows) {
            let Some(places) = places(&row.comparison).filter(|it| it.ln().abs() >= PLACES) else { continue };
            out += &format!(
                "{} {}:\n  processor {first} has {} beside {second}, which was taken away\n",
                row.benchmark,
                row.metric.name,
                text::change(places)
            );
        }
        out
    }

    /// After which side executions differ.
    pub(super) fn carried(&self, all: &Rows) -> String {
        let Some(carried) = &all.carried else { return String::new() };
        let side = &self.terms.sides[carried.side].name;
        format!(
            "warning: what is executed after {side} ({}) differs by {}\n\
             hint: a `prepare` can bring about the same state before each execution, such as `sleep 1`\n",
            carried.benchmark,
            text::change(1.0 + carried.share)
        )
    }

    /// That what is compared is not of one run, and what that costs.
    fn of_several_runs(&self, all: &Rows) -> String {
        let found = all.rows.iter().filter_map(|row| between_runs(&row.comparison));
        let Some(most) = found.max_by(|one, other| one.deviation.total_cmp(&other.deviation)) else {
            return String::new();
        };
        let names = self.names();
        let kept: Vec<&str> =
            (0..2).filter(|side| !self.terms.executes(*side)).map(|side| names[side]).collect();
        let from = if most.assumed {
            "assumed, as too little is known of this host"
        } else {
            "as earlier runs show"
        };
        let mut out = format!(
            "not measured today: {}; the interval has in it what runs of one program differ by (up to {}, {from})\n",
            kept.join(" and "),
            text::percent(most.deviation)
        );
        for otherwise in &self.terms.otherwise {
            out += &format!("not alike: {otherwise}\n");
        }
        out
    }
}

/// Whether what the control differs by is no less than what is told, and more than what counts as none.
fn is_beyond(control: f64, told: f64, margin: f64) -> bool {
    let size = |ratio: f64| ratio.ln().abs();
    size(control) > margin.ln_1p().max(size(told))
}

impl Report<'_> {
    /// Modes, why another ratio decides, and what pairing is worth.
    fn of_rows(&self, all: &Rows) -> String {
        let mut out = String::new();
        for row in in_order(&all.rows).into_iter().filter(|row| is_measured(row)) {
            let name = format!("{} {}", row.benchmark, row.metric.name);
            if let Some(modes) = &row.comparison.modes {
                let is_today = between_runs(&row.comparison).is_none();
                let told = two_modes(modes, self.names(), &row.metric.unit, is_today);
                out += &format!("{name}: {told}\n");
            }
            out += &decided(&name, &row.comparison.choice);
            let gain = row.comparison.choice.pairing_gain;
            if let Some(gain) = gain.filter(|gain| *gain >= PAIRING && gain.is_finite()) {
                out += &format!(
                    "{name}: without pairing by rounds {gain:.1} times as many would have been needed\n"
                );
            }
        }
        out
    }
}

/// Where two modes are, who is how often in the upper one, and what of that is compared; of what was not measured today the shares
/// are those of that run.
pub fn two_modes(modes: &Modes, [first, second]: [&str; 2], unit: &Unit, is_today: bool) -> String {
    let around = |(low, high): (f64, f64)| format!("around {} and {}", unit.show(low), unit.show(high));
    if modes.told == Told::Means {
        let of = |name: &str, levels: Option<(f64, f64)>| Some(format!("{name} {}", around(levels?)));
        let each =
            [of(first, modes.a), of(second, modes.b)].into_iter().flatten().collect::<Vec<_>>().join(", ");
        return format!("two modes ({each}): compared by the means");
    }
    let at = modes.a.or(modes.b).map_or_else(String::new, |levels| format!(", {}", around(levels)));
    let [a, b] = [modes.upper_share_a, modes.upper_share_b].map(text::percent);
    let points = |share: f64| {
        let sign = if share < 0.0 { '−' } else { '+' };
        format!("{sign}{:.1}", share.abs() * 100.0)
    };
    let (low, high) = modes.difference;
    let is_between = low <= 0.0 && high >= 0.0;
    let compared = match modes.told {
        Told::Shares => "; the shares differ, so it is compared by the means",
        Told::SharesOnly => {
            "; the shares differ, but it is not certain by now that the means follow them, so the ratio is that of the levels"
        }
        Told::Levels if is_today && is_between => {
            "; no certain difference of shares, so the ratio is that of the levels"
        }
        Told::Levels if is_today => {
            "; not certain enough by now to compare by the means, so the ratio is that of the levels"
        }
        Told::Levels => "; the ratio is that of the levels, as shares may be others in each run",
        Told::Rounds => "; both in the same rounds, with which they are taken away",
        Told::Means | Told::Given => "",
    };
    let difference = points(modes.upper_share_b - modes.upper_share_a);
    let interval = format!("{} … {}", points(low), points(high));
    format!(
        "two modes{at}: {a} of {first} and {b} of {second} in the upper one ({difference} points, 95 %: {interval}){compared}"
    )
}

/// That another ratio than the usual one decides, since it was sharper where nothing differed.
fn decided(name: &str, choice: &Choice) -> String {
    let width = |of: Estimator| choice.widths.iter().find(|(one, _)| *one == of).map(|(_, width)| *width);
    let usual = [Estimator::RoundRatios, Estimator::AllRatios].into_iter().find(|it| width(*it).is_some());
    let Some((usual, sharper)) = usual.zip(width(choice.estimator)).filter(|(it, _)| *it != choice.estimator)
    else {
        return String::new();
    };
    let by = match choice.because {
        Because::Control => "A and its control",
        Because::Pairing => "both as if alike",
        _ => return String::new(),
    };
    let [sharper, wider] = [sharper, width(usual).unwrap_or(f64::INFINITY)].map(text::percent);
    format!(
        "{name}: decided by {}, which {by} showed to be sharper:\n  ± {sharper}, that of {} ± {wider}\n",
        of(choice.estimator),
        of(usual)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_that_differs_by_no_less_is_told() {
        assert!(is_beyond(1.03, 1.02, 0.01) && is_beyond(0.97, 1.02, 0.01), "either way");
        assert!(is_beyond(1.02, 1.0, 0.01), "of what is the same too");
        assert!(!is_beyond(1.005, 1.0, 0.01), "within what counts as none");
        assert!(!is_beyond(1.03, 1.05, 0.01) && !is_beyond(1.0, 1.0, 0.0));
    }

    #[test]
    fn why_another_ratio_decides_is_told() {
        let widths = vec![(Estimator::RoundRatios, 0.014), (Estimator::Minimum, 0.006)];
        let choice = |estimator| Choice {
            estimator,
            because: Because::Control,
            widths: widths.clone(),
            pairing_gain: None,
        };
        assert_eq!(
            decided("sort wall", &choice(Estimator::Minimum)),
            "sort wall: decided by minima, which A and its control showed to be sharper:\n  ± 0.6 %, that of rounds ± 1.4 %\n"
        );
        assert_eq!(decided("sort wall", &choice(Estimator::RoundRatios)), "", "as usual");
        let modes = Choice { because: Because::Modes, ..choice(Estimator::Minimum) };
        assert_eq!(decided("sort wall", &modes), "", "the modes decide");
        let asked = Choice { widths: Vec::new(), because: Because::Asked, ..choice(Estimator::Minimum) };
        assert_eq!(decided("sort wall", &asked), "", "as it was asked for");
    }

    #[test]
    fn what_is_compared_of_modes_is_told() {
        let modes = |told: Told| Modes {
            a: Some((100e6, 122e6)),
            b: Some((100e6, 122e6)),
            upper_share_a: 0.2,
            upper_share_b: 0.7,
            difference: (0.224, 0.669),
            p: 0.0002,
            told,
        };
        let of = |told: Told| two_modes(&modes(told), ["old", "new"], &Unit::Nanoseconds, true);
        assert_eq!(
            of(Told::Shares),
            "two modes, around 100.0 ms and 122.0 ms: 20.0 % of old and 70.0 % of new in the upper one \
             (+50.0 points, 95 %: +22.4 … +66.9); the shares differ, so it is compared by the means"
        );
        let certain = of(Told::SharesOnly);
        assert!(
            certain.contains("); the shares differ, but it is not certain by now that the means follow them")
        );
        let beyond = of(Told::Levels);
        assert!(beyond.contains("); not certain enough by now to compare by the means"), "{beyond}");
        let between = Modes { difference: (-0.1, 0.4), ..modes(Told::Levels) };
        let between = two_modes(&between, ["old", "new"], &Unit::Nanoseconds, true);
        assert!(between.ends_with("); no certain difference of shares, so the ratio is that of the levels"));
        let earlier = two_modes(&modes(Told::Levels), ["old", "new"], &Unit::Nanoseconds, false);
        assert!(earlier.ends_with("as shares may be others in each run"), "{earlier}");
        assert_eq!(
            of(Told::Means),
            "two modes (old around 100.0 ms and 122.0 ms, new around 100.0 ms and 122.0 ms): compared by the means"
        );
    }
}
