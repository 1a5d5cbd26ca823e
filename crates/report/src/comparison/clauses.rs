//! The limits and explanations of a verdict, in clauses.
//!
//! A clause has no capital and no full stop. A terminal prints it in a line, and a page as a
//! [`sentence`].

use tacho_record::{BenchmarkKey, LimitedExecutions, Unit, factor};
use tacho_stats::Bound;
use tacho_stats::compare::{
    ChoiceReason, Comparison, Estimate, Estimator, EstimatorChoice, Note, SampleSizes, Size,
    Verdict,
};

use crate::words::{count, moved, percent, precision, uncorrected_cost};

/// A gain in samples below this is not worth a word.
pub(crate) const GAIN: f64 = 1.5;
/// A host whose speed moves by less is not worth a word.
const LITTLE: f64 = 0.01;
/// More rounds than this are not given as a number.
const MOST_MORE: usize = 1000;

/// The name of medians that are not at the host's usual speed.
pub(super) const UNCORRECTED: &str = "uncorrected medians";

/// The names of both sides.
pub type SideNames<'a> = [&'a str; 2];

/// The names for a clause that names no side.
pub const NO_NAMES: SideNames<'static> = ["\0"; 2];

/// The clause as a sentence; a name keeps its first letter as it is.
#[must_use]
pub fn sentence(clause: &str, names: SideNames<'_>) -> String {
    let mut letters = clause.chars();
    let begins_with_name = names.iter().any(|name| clause.starts_with(name));
    match letters.next().filter(|_| !begins_with_name) {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => format!("{clause}."),
    }
}

/// Says that both sides are the same, within a margin; sides that are equal everywhere, such as all
/// zeros, need no ratio.
#[must_use]
pub fn same(estimate: Option<&Estimate>, margin: f64) -> String {
    match estimate {
        Some(Estimate { ratio: None, .. }) => "same, no difference".to_owned(),
        _ => format!("same, within {}", precision(margin)),
    }
}

/// The word for better: only a time or a rate is faster.
#[must_use]
pub fn faster(unit: &Unit) -> &'static str {
    if unit.is_of_time() { "faster" } else { "better" }
}

/// The word for worse: only a time or a rate is slower.
#[must_use]
pub fn slower(unit: &Unit) -> &'static str {
    if unit.is_of_time() { "slower" } else { "worse" }
}

/// The verdict of a row by itself, in values of this unit, where it is not significant beside the
/// others.
#[must_use]
pub fn clear_alone(alone: Verdict, unit: &Unit) -> Option<String> {
    let alone = match alone {
        Verdict::Faster => faster(unit),
        Verdict::Slower => slower(unit),
        Verdict::Same => "same",
        Verdict::Unclear => return None,
    };
    Some(format!("alone, the row would be {alone}; as one of several rows, it needs more evidence"))
}

/// The words for an unclear row without a known remedy.
pub(crate) const UNKNOWN_ROUNDS: &str = "it is unknown how many more rounds would decide";

/// The estimator of a ratio, in a word.
#[must_use]
pub fn of(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::Neighbours => "neighbours in time",
        Estimator::RoundRatios => "rounds",
        Estimator::AllRatios => "all pairs",
        Estimator::Median => "medians",
        Estimator::Mean => "means",
        Estimator::Minimum => "minima",
        Estimator::Runs => "runs",
    }
}

/// The estimator of the second ratio, in a word.
#[must_use]
pub(crate) fn of_second(comparison: &Comparison) -> Option<&'static str> {
    let second = comparison.second?;
    let is_moved = comparison.choice.because == ChoiceReason::HostMoves;
    Some(match second.estimator {
        // The medians beside it are corrected to the host's usual speed.
        Estimator::Median if is_moved => UNCORRECTED,
        estimator => of(estimator),
    })
}

/// The way to settle an unclear row, or the reason why there is none. For sides in several layouts
/// the way is a number of layouts. `time` gives the duration of a number of rounds, `what` the
/// question that they would decide if it is not obvious. `None` if nothing is known.
#[must_use]
pub fn missing(
    comparison: &Comparison,
    names: SideNames<'_>,
    unit: &Unit,
    layouts: Option<usize>,
    (time, what): (impl Fn(usize) -> String, &str),
) -> Option<String> {
    if let Some((more, layouts)) = comparison.more.zip(layouts) {
        // More executions of the same builds would not.
        let rounds = comparison.counts.rounds.max(1) as f64;
        let layouts = layouts as f64 * (1.0 + more.rounds as f64 / rounds);
        return Some(format!("about {:.0} layouts would decide", layouts.ceil()));
    }
    if let Some(refuted) = refuted(comparison, names) {
        return Some(refuted);
    }
    match comparison.more {
        Some(more) if more.rounds <= MOST_MORE => {
            let plural = if more.rounds == 1 { "" } else { "s" };
            let rounds = more.rounds;
            Some(format!("{rounds} more round{plural} ({}) would decide{what}", time(rounds)))
        }
        more => beyond_rounds(comparison, names, unit).or_else(|| {
            Some(format!("over {MOST_MORE} more rounds would decide{what}"))
                .filter(|_| more.is_some())
        }),
    }
}

/// Why no number of rounds that a user would wait for settles what nothing is against.
#[must_use]
pub(crate) fn beyond_rounds(
    comparison: &Comparison,
    names: SideNames<'_>,
    unit: &Unit,
) -> Option<String> {
    if comparison.estimate.is_none_or(|it| it.difference_interval.is_none()) {
        return too_few(comparison, names);
    }
    let is_limited = comparison.notes.iter().any(|note| matches!(note, Note::Limited(..)));
    if let Some(why) =
        unbounded(comparison, names).filter(|_| is_limited && comparison.more.is_none())
    {
        return Some(why);
    }
    let is_coarse = |note: &Note| if let Note::Coarse(step) = note { Some(*step) } else { None };
    if let Some(step) =
        comparison.notes.iter().find_map(is_coarse).filter(|_| comparison.more.is_none())
    {
        return Some(format!(
            "the values come in steps of {}, which hide the difference",
            unit.show(step)
        ));
    }
    // Only without a difference anywhere are they the same; so small a one more rounds may never
    // distinguish from none.
    let has_ratio = comparison.estimate.is_some_and(|it| it.ratio.is_some());
    (!has_ratio).then(|| "values of zero or below have no ratio".to_owned())
}

/// Says that too few rounds give no interval, how many would give one, and whether all executions
/// of a side reached a limit.
fn too_few(comparison: &Comparison, names: SideNames<'_>) -> Option<String> {
    let SampleSizes { a, b, .. } = comparison.counts;
    let have = a.min(b);
    let limited = comparison.notes.iter().find_map(|note| match *note {
        Note::Limited(of_a, of_b) => Some([of_a == a, of_b == b]),
        _ => None,
    });
    let all = match limited {
        Some([true, true]) => "; all executions of both reached a limit".to_owned(),
        Some([true, false]) => format!("; all executions of {} reached a limit", names[0]),
        Some([false, true]) => format!("; all executions of {} reached a limit", names[1]),
        _ => String::new(),
    };
    let few = match comparison.fewest {
        Some(fewest) => format!("an interval of this ratio needs {fewest} rounds"),
        None => format!("too few for an interval: {}", count(have, "round")),
    };
    (have > 0).then(|| few + &all)
}

/// The reason against a verdict that no number of rounds removes.
#[must_use]
pub(crate) fn refuted(comparison: &Comparison, names: SideNames<'_>) -> Option<String> {
    let has = |note: Note| comparison.notes.contains(&note);
    if has(Note::NotBeyondControl) {
        return Some(format!("{} against itself differs by at least as much", names[0]));
    }
    // Too few rounds for an interval come first: CPU times would be as few.
    let has_interval = comparison.estimate.is_some_and(|it| it.difference_interval.is_some());
    if let Some(waited) = waited(comparison, names).filter(|_| has_interval) {
        return Some(waited);
    }
    if !has(Note::Contradicted) {
        return may_have_modes(comparison);
    }
    let (first, second) = comparison.estimate.zip(comparison.second)?;
    let [first, second] = [first, second].map(|it| of(it.estimator));
    Some(format!("the ratio of {first} and that of {second} contradict each other"))
}

/// How long each side waited for a CPU, where that is against a verdict, and what their CPU times
/// say.
#[must_use]
pub fn waited(comparison: &Comparison, [a, b]: SideNames<'_>) -> Option<String> {
    let it = comparison.waited()?;
    let by_cpu = it.by_cpu.map_or_else(String::new, |(ratio, (low, high))| {
        format!(
            "; the ratio of their CPU times is × {} ({} … {})",
            factor(ratio),
            factor(low),
            factor(high)
        )
    });
    let is_part = it.shares.iter().any(|side| side.unread > 0.0);
    let waited = if is_part { "may have waited" } else { "waited" };
    let unread = " (the waiting of children and other threads is not read)";
    let beside = if is_part { unread } else { "" };
    let waited = match it.shares.map(|side| format!("{:.0} %", 100.0 * side.share())) {
        [of_a, of_b] if of_a == of_b => format!("both {waited} for a CPU {of_a} of the time"),
        [of_a, of_b] => format!("{a} {waited} for a CPU {of_a} of the time, {b} {of_b}"),
    };
    Some(format!("{waited}{beside}, which may be the reason{by_cpu}"))
}

/// Says that a side may have two modes, if nothing else contradicts *same*.
fn may_have_modes(comparison: &Comparison) -> Option<String> {
    (comparison.size == Size::Within && comparison.may_have_modes()).then(|| {
        "some values lie apart: more rounds would show whether these are outliers".to_owned()
    })
}

/// Says that only lower bounds are known of one side or both, or that the interval is open for this
/// reason; `None` otherwise.
#[must_use]
pub(crate) fn unbounded(comparison: &Comparison, [a, b]: SideNames<'_>) -> Option<String> {
    let estimate = comparison.estimate?;
    let too_few = |name: &str| Some(format!("too few executions of {name} ended below the limit"));
    match estimate.ratio_bound {
        Bound::Exact => match estimate.interval? {
            (low, _) if low <= 0.0 => too_few(a),
            (_, high) if high.is_infinite() => too_few(b),
            _ => None,
        },
        Bound::AtLeast => Some(format!("only a lower bound of {b} is known")),
        Bound::AtMost => Some(format!("only a lower bound of {a} is known")),
        Bound::Unknown => Some("only lower bounds of both are known".to_owned()),
    }
}

/// The executions of both sides that reached a limit, and the consequence for their numbers; `None`
/// if there are none.
#[must_use]
pub fn limited(sides: [&LimitedExecutions; 2], names: SideNames<'_>) -> Option<String> {
    let count = |(side, name): (&LimitedExecutions, &str)| {
        let plural = if side.count == 1 { "" } else { "s" };
        (side.count > 0).then(|| format!("{} execution{plural} of {name}", side.count))
    };
    let why = sides.iter().find_map(|side| side.why.as_deref())?;
    let counted: Vec<String> = sides.into_iter().zip(names).filter_map(count).collect();
    let what = if sides.iter().all(|side| side.bounds.is_empty()) {
        "their values of this metric are unknown"
    } else {
        "their true values may be larger"
    };
    Some(format!("{why} ({}): {what}", counted.join(", ")))
}

/// The words for a row for which one side or both have no values; `None` if both have values.
#[must_use]
pub fn unmeasured(
    benchmark: &BenchmarkKey,
    names: SideNames<'_>,
    lacks: [bool; 2],
) -> Option<String> {
    match lacks {
        [true, true] => Some(format!("neither side has measurements of `{benchmark}`")),
        [true, false] => Some(format!("`{}` has no measurements of `{benchmark}`", names[0])),
        [false, true] => Some(format!("`{}` has no measurements of `{benchmark}`", names[1])),
        [false, false] => None,
    }
}

/// The place of two modes, the share of each side in the upper one, and the consequence for the
/// ratio.
#[must_use]
pub(crate) fn two_modes(
    comparison: &Comparison,
    medians: [f64; 2],
    [first, second]: SideNames<'_>,
    unit: &Unit,
) -> Option<String> {
    let modes = comparison.modes?;
    let around = |name: &str, levels: Option<(f64, f64)>| {
        levels.map(|(low, high)| format!("{name} near {} or {}", unit.show(low), unit.show(high)))
    };
    let each: Vec<String> =
        [around(first, modes.a), around(second, modes.b)].into_iter().flatten().collect();
    let [a, b] = [modes.upper_share_a, modes.upper_share_b].map(percent);
    let difference = points(modes.upper_share_b - modes.upper_share_a);
    let (low, high) = modes.difference;
    let interval = format!("{} … {}", points(low), points(high));
    let compared = match comparison.choice.because {
        ChoiceReason::Modes => "; the ratio is that of the means",
        ChoiceReason::Earlier => "; in another run the shares of the modes may differ",
        _ => "",
    };
    let beyond = match (modes.a, modes.b) {
        (Some(levels), None) => outside(levels, medians[1]).map(|at| format!("{second} is {at}")),
        (None, Some(levels)) => outside(levels, medians[0]).map(|at| format!("{first} is {at}")),
        _ => None,
    };
    if let Some(beyond) = beyond {
        return Some(format!("two modes ({}): {beyond}{compared}", each.join(", ")));
    }
    Some(format!(
        "two modes ({}): {a} of {first} and {b} of {second} are in the upper mode, a difference of \
         {difference} points (95 % interval {interval}){compared}",
        each.join(", ")
    ))
}

/// The place of a median that is neither in nor near one of two modes.
fn outside((low, high): (f64, f64), median: f64) -> Option<&'static str> {
    let near = (high - low) / 2.0;
    match median {
        _ if median > high + near => Some("above both"),
        _ if median < low - near => Some("below both"),
        _ => None,
    }
}

/// How uneven the host was, and what comparing neighbours in time gained, where they decide; of
/// other ratios that they are not corrected for that, but for those of layouts and of rounds.
#[must_use]
pub fn uneven(choice: &EstimatorChoice) -> Option<String> {
    let by = moved(choice.uneven.filter(|by| *by >= LITTLE)?);
    let slow = match choice.because {
        ChoiceReason::HostMoves => {
            format!("the host's speed moved {by}, so executions next to each other are compared")
        }
        ChoiceReason::Levels => format!("the host's speed moved {by}"),
        _ if choice.estimator.is_paired() => format!("the host's speed moved {by}"),
        _ => {
            let of = of(choice.estimator);
            format!("the host's speed moved {by}, and the ratio of {of} is not corrected for that")
        }
    };
    Some(match choice.gain.filter(|gain| *gain >= GAIN) {
        Some(gain) => format!("{slow}; {}", uncorrected_cost(gain)),
        None => slow,
    })
}

/// Says that each side has one count, and how exactly a count is assumed to repeat.
#[must_use]
pub fn once(comparison: &Comparison) -> Option<String> {
    comparison.notes.iter().find_map(|note| match note {
        Note::Once(deviation) => Some(format!(
            "counted once; the interval includes the variation between counts of one program \
             ({:.2} %)",
            100.0 * deviation
        )),
        _ => None,
    })
}

/// The source of the difference between runs of one program.
#[must_use]
pub(crate) fn from_runs(is_assumed: bool) -> &'static str {
    if is_assumed { "assumed: this host has few earlier runs" } else { "as earlier runs show" }
}

/// The smallest and the largest of differences that would have been detected, if they differ as
/// they are printed; 0 is that of a row where it is not known.
#[must_use]
pub(crate) fn could_see(least: impl Iterator<Item = f64>) -> Option<String> {
    let (mut known, mut rows) = (Vec::new(), 0);
    least.for_each(|it| {
        rows += 1;
        known.extend(Some(it).filter(|it| *it > 0.0));
    });
    let low = known.iter().copied().reduce(f64::min)?;
    let high = known.iter().copied().fold(low, f64::max);
    let of = if known.len() < rows {
        format!(" for {} of {rows} rows", known.len())
    } else {
        String::new()
    };
    Some(match [low, high].map(percent) {
        [low, high] if low == high => low + &of,
        [low, high] if of.is_empty() => format!("{low} to {high}, depending on the row"),
        [low, high] => format!("{low} to {high}{of}"),
    })
}

/// A difference of shares, with its sign: `−12.5`.
fn points(share: f64) -> String {
    let sign = if share < 0.0 { '−' } else { '+' };
    format!("{sign}{:.1}", share.abs() * 100.0)
}

#[cfg(test)]
mod tests {
    use tacho_stats::compare::{ComparisonRules, Look, SampleValue, Sides, WaitNote, compare};
    use tacho_stats::waiting::WaitedShare;

    use super::*;

    const NAMES: SideNames<'static> = ["old", "new"];

    fn samples(values: impl IntoIterator<Item = f64>) -> Vec<SampleValue> {
        (0..).zip(values).map(|(round, value)| SampleValue::new(value).in_round(round)).collect()
    }

    fn compared(a: &[SampleValue], b: &[SampleValue], control: &[SampleValue]) -> Comparison {
        let rules =
            ComparisonRules { estimator: Some(Estimator::AllRatios), ..ComparisonRules::default() };
        compare(&Sides { a, b, control }, &rules, Look::only(a.len(), 0.05))
    }

    fn why(comparison: &Comparison) -> Option<String> {
        missing(comparison, NAMES, &Unit::Nanoseconds, None, (|rounds| format!("{rounds} s"), ""))
    }

    #[test]
    fn a_sentence_begins_with_a_capital_or_a_name() {
        assert_eq!(sentence("too few rounds", NAMES), "Too few rounds.");
        assert_eq!(
            sentence("old has no measurements of sort", NAMES),
            "old has no measurements of sort."
        );
    }

    #[test]
    fn what_a_control_is_against_is_settled_by_no_number_of_rounds() {
        let side =
            |centre: f64| samples((0..10).map(|n| centre * (1.0 + 0.001 * f64::from(n * 7 % 10))));
        let (a, b, control) = (side(100.0), side(103.0), side(104.0));
        let refuted = compared(&a, &b, &control);
        assert_eq!((refuted.verdict, refuted.more), (Verdict::Unclear, None));
        assert_eq!(
            why(&refuted).as_deref(),
            Some("old against itself differs by at least as much")
        );
        let wide =
            |centre: f64| samples((0..10).map(|n| centre * (1.0 + 0.02 * f64::from(n * 7 % 10))));
        let open = compared(&wide(100.0), &wide(103.0), &wide(100.0));
        let worded = why(&open).unwrap();
        assert!(worded.ends_with(" would decide") && worded.contains(" more rounds ("), "{worded}");
        let few = compared(&a[..3], &b[..3], &[]);
        assert_eq!(why(&few).as_deref(), Some("an interval of this ratio needs 4 rounds"));
        let at_limit: Vec<SampleValue> =
            samples([400.0; 3]).into_iter().map(SampleValue::at_least).collect();
        let cut_off = compared(&a[..3], &at_limit, &[]);
        assert_eq!(
            why(&cut_off).as_deref(),
            Some("an interval of this ratio needs 4 rounds; all executions of new reached a limit")
        );
        assert_eq!(
            why(&compared(&at_limit[..1], &at_limit[..1], &[])).as_deref(),
            Some(
                "an interval of this ratio needs 4 rounds; all executions of both reached a limit"
            )
        );
        let [a, b] = [0.0, 7.0].map(|value| samples([value; 3]));
        assert_eq!(why(&compared(&a, &b, &[])).as_deref(), Some("1 more round (1 s) would decide"));
        let ticks = || samples((0..12).map(|n| if n % 2 == 0 { 4e6 } else { 8e6 }));
        let coarse = compared(&ticks(), &ticks(), &[]);
        assert_eq!((coarse.verdict, coarse.more), (Verdict::Unclear, None));
        assert_eq!(
            why(&coarse).as_deref(),
            Some("the values come in steps of 4.000 ms, which hide the difference")
        );
        let around_zero = [0.0, 1.0, -1.0, 0.5, 0.2, 0.1];
        let apart = compared(&samples(around_zero), &samples([0.5; 6]), &[]);
        let rounds = apart.more.unwrap().rounds;
        assert_eq!(why(&apart).unwrap(), format!("{rounds} more rounds ({rounds} s) would decide"));
        let none = compared(&samples(around_zero), &samples(around_zero.map(|value| -value)), &[]);
        let none = Comparison { more: None, ..none };
        assert_eq!(why(&none).as_deref(), Some("values of zero or below have no ratio"));
    }

    #[test]
    fn what_was_never_measured_has_its_reason() {
        let key = BenchmarkKey::plain("gauss");
        let why = |lacks| unmeasured(&key, NAMES, lacks);
        assert_eq!(why([true, false]).unwrap(), "`old` has no measurements of `gauss`");
        assert_eq!(why([false, true]).unwrap(), "`new` has no measurements of `gauss`");
        assert_eq!(why([true, true]).unwrap(), "neither side has measurements of `gauss`");
        assert_eq!(why([false, false]), None);
    }

    #[test]
    fn an_uneven_host_is_reported_with_what_is_corrected_for_it() {
        let by = |estimator, because, gain| EstimatorChoice {
            estimator,
            because,
            uneven: Some(0.78),
            levels: None,
            gain,
        };
        let choice = |because, gain| by(Estimator::Neighbours, because, gain);
        assert_eq!(
            uneven(&choice(ChoiceReason::HostMoves, Some(12.3))).unwrap(),
            "the host's speed moved by 78 %, so executions next to each other are compared; \
             without that, 12 times as many samples would be needed"
        );
        let [slight, unknown] =
            [Some(1.2), None].map(|gain| uneven(&choice(ChoiceReason::HostMoves, gain)));
        assert_eq!(slight, unknown, "a slight gain is not worth a word");
        for (estimator, because, of) in [
            (Estimator::Minimum, ChoiceReason::Asked, "minima"),
            (Estimator::AllRatios, ChoiceReason::Steady, "all pairs"),
            (Estimator::Mean, ChoiceReason::Modes, "means"),
        ] {
            let expected = format!(
                "the host's speed moved by 78 %, and the ratio of {of} is not corrected for that"
            );
            assert_eq!(uneven(&by(estimator, because, None)), Some(expected));
        }
        let of_rounds = uneven(&by(Estimator::RoundRatios, ChoiceReason::Asked, None));
        assert_eq!(of_rounds.unwrap(), "the host's speed moved by 78 %");
        let of_layouts = uneven(&choice(ChoiceReason::Levels, None));
        assert_eq!(of_layouts.unwrap(), "the host's speed moved by 78 %");
    }

    #[test]
    fn waiting_that_is_not_read_is_said_to_be_that() {
        let side = samples((0..30).map(|n| 100e6 + f64::from(n * 7 % 13)));
        let sides = Sides { a: &side, b: &side, control: &[] };
        let compared = compare(&sides, &ComparisonRules::default(), Look::only(30, 0.05));
        let said = |shares: [(f64, f64); 2]| {
            let shares = shares.map(|(read, unread)| WaitedShare { read, unread });
            let notes = vec![Note::Waited(WaitNote { shares, by_cpu: None })];
            waited(&Comparison { notes, ..compared.clone() }, NAMES).unwrap()
        };
        assert_eq!(
            said([(0.1, 0.0), (0.25, 0.0)]),
            "old waited for a CPU 10 % of the time, new 25 %, which may be the reason"
        );
        assert_eq!(
            said([(0.1, 0.0), (0.02, 0.54)]),
            "old may have waited for a CPU 10 % of the time, new 56 % (the waiting of children and \
             other threads is not read), which may be the reason"
        );
    }

    #[test]
    fn modes_are_named_with_what_is_compared() {
        let side = |upper: u32| {
            let mode = move |n: u32| if n % 10 < upper { 122e6 } else { 100e6 };
            samples((0..30).map(move |n| mode(n) * (1.0 + 0.0001 * f64::from(n * 7 % 13))))
        };
        let (a, b) = (side(2), side(7));
        let sides = Sides { a: &a, b: &b, control: &[] };
        let compared = compare(&sides, &ComparisonRules::default(), Look::only(30, 0.05));
        assert_eq!(
            two_modes(&compared, [100e6, 122e6], NAMES, &Unit::Nanoseconds).unwrap(),
            "two modes (old near 100.1 ms or 122.1 ms, new near 100.1 ms or 122.1 ms): 20.0 % of \
             old and 70.0 % of new are in the upper mode, a difference of +50.0 points (95 % \
             interval +25.1 … +67.0); the ratio is that of the means"
        );
        let b = samples((0..30).map(|n| 300e6 + f64::from(n * 7 % 13)));
        let sides = Sides { a: &a, b: &b, control: &[] };
        let compared = compare(&sides, &ComparisonRules::default(), Look::only(30, 0.05));
        let said = two_modes(&compared, [100e6, 300e6], NAMES, &Unit::Nanoseconds).unwrap();
        let beyond = "two modes (old near 100.1 ms or 122.1 ms): new is above both";
        assert!(said.starts_with(beyond), "{said}");
    }

    #[test]
    fn the_smallest_differences_are_told_as_they_are_printed() {
        let worded = |least: &[f64]| could_see(least.iter().copied());
        assert_eq!(worded(&[0.01, 0.01]).as_deref(), Some("1.0 %"));
        assert_eq!(worded(&[0.01, 0.0, 0.01]).as_deref(), Some("1.0 % for 2 of 3 rows"));
        assert_eq!(worded(&[0.05, 0.01, 0.0]).as_deref(), Some("1.0 % to 5.0 % for 2 of 3 rows"));
        assert_eq!(worded(&[0.05, 0.01]).as_deref(), Some("1.0 % to 5.0 %, depending on the row"));
        assert_eq!(worded(&[]), None);
    }
}
