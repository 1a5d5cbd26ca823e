//! The meaning of a probe, in one sentence.

use tacho_record::{Disturbance, Probing};
use tacho_report::words::change;
use tacho_stats::probe::{Dependence, DisturbanceEffect, PairProbe, UsualDifference};

use super::answer::{ProbeFinding, ProbeRow, ProbeVerdict};

/// A level that is lower by this share is a program that is faster.
const FASTER: f64 = 0.97;

/// `the factor of 2.1 holds under all 11 disturbances`.
#[must_use]
pub fn sentence(terms: &Probing, row: &ProbeRow) -> String {
    let all = match &terms.under[..] {
        [only] => only.when(),
        all => format!("under all {} disturbances", all.len()),
    };
    match (&row.finding, row.verdict()) {
        (ProbeFinding::Pair(pair), ProbeVerdict::Upheld) => {
            format!("the {} holds {all}", size(pair))
        }
        (ProbeFinding::Pair(pair), ProbeVerdict::Depends(which)) => depends(terms, pair, &which),
        (_, ProbeVerdict::NoDifference) => {
            let any = match &terms.under[..] {
                [only] => only.when(),
                all => format!("under any of {} disturbances", all.len()),
            };
            format!("there is no difference, as usual or {any}")
        }
        (ProbeFinding::Pair(pair), ProbeVerdict::Undecided { is_usual }) => {
            match row.failures.first().and_then(Option::as_deref) {
                Some(failure) if pair.usual.is_none() => {
                    format!("undecided: executions failed: {failure}")
                }
                _ => undecided(terms, pair, is_usual),
            }
        }
        (_, ProbeVerdict::Levels(which)) => levels(terms, row, &which),
        (ProbeFinding::Levels(_), _) => String::new(),
    }
}

/// `factor of 2.1`, `difference of +5.2 %`.
fn size(pair: &PairProbe) -> String {
    match pair.usual {
        Some(usual) if usual.ratio >= 2.0 || usual.ratio <= 0.5 => {
            format!("factor of {:.1}", usual.ratio.max(1.0 / usual.ratio))
        }
        Some(usual) => format!("difference of {}", change(usual.ratio)),
        None => "difference".to_owned(),
    }
}

/// Whether a program is faster with the disturbance than without.
fn is_faster(effect: &DisturbanceEffect) -> bool {
    effect.levels.iter().flatten().any(|level| level.ratio < FASTER && level.high < 1.0)
}

fn depends(terms: &Probing, pair: &PairProbe, which: &[usize]) -> String {
    let becomes = |at: usize| match pair.effects[at].dependence {
        Dependence::Appears => "appears",
        Dependence::Gone => "is gone",
        Dependence::Turned => "is reversed",
        _ => "is less than half",
    };
    let mut parts: Vec<(&str, Vec<String>)> = Vec::new();
    for &at in which {
        let (word, when) = (becomes(at), terms.under[at].when());
        match parts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, all)) if !all.contains(&when) => all.push(when),
            Some(_) => {}
            None => parts.push((word, vec![when])),
        }
    }
    let said: Vec<String> =
        parts.iter().map(|(word, whens)| format!("{word} {}", whens.join(" and "))).collect();
    let mut blamed: Vec<&str> = Vec::new();
    for &at in which {
        let blame = terms.under[at].blames(is_faster(&pair.effects[at]));
        if !blamed.contains(&blame) {
            blamed.push(blame);
        }
    }
    let said = said.join(", and ");
    let but = match which.len() {
        _ if terms.under.len() == which.len() => String::new(),
        _ => holding(terms, pair),
    };
    format!(
        "the difference {said}: the difference depends on {}, not on the program{but}",
        blamed.join(", and on ")
    )
}

/// `; it holds under the other 10 disturbances`.
fn holding(terms: &Probing, pair: &PairProbe) -> String {
    let kept = pair.effects.iter().filter(|it| it.dependence == Dependence::Holds).count();
    match kept {
        0 => String::new(),
        kept => format!(" (it holds under {kept} of {} disturbances)", terms.under.len()),
    }
}

fn undecided(terms: &Probing, pair: &PairProbe, is_usual: bool) -> String {
    if is_usual {
        return "undecided: more rounds are needed to see whether the two differ".to_owned();
    }
    let open: Vec<Disturbance> = (terms.under.iter().zip(&pair.effects))
        .filter(|(_, effect)| effect.dependence == Dependence::Unknown)
        .map(|(under, _)| *under)
        .collect();
    let names: Vec<&str> = open.iter().map(|under| under.name()).collect();
    let what = match pair.difference {
        UsualDifference::Differs => "the difference holds",
        _ => "there is no difference",
    };
    let (decided, all) = (terms.under.len() - open.len(), terms.under.len());
    let names = names.join(", ");
    match decided {
        0 => format!("undecided: more rounds are needed for all disturbances ({names})"),
        _ => format!(
            "undecided: {what} under {decided} of {all} disturbances, and more rounds are \
             needed for {names}"
        ),
    }
}

fn levels(terms: &Probing, row: &ProbeRow, which: &[usize]) -> String {
    let ProbeFinding::Levels(levels) = &row.finding else { return String::new() };
    let far = |at: &usize| levels[*at].level.map_or(0.0, |it| it.ratio.ln().abs());
    let most = which.iter().copied().max_by(|one, other| far(one).total_cmp(&far(other)));
    let open = levels.iter().filter(|it| it.differs.is_none()).count();
    let rest = if open > 0 { format!("; {open} undecided") } else { String::new() };
    match (most.and_then(|at| Some((at, levels[at].level?))), &terms.under[..]) {
        (None, [only]) if open > 0 => format!("{}: undecided", only.name()),
        (None, [only]) => format!("{} does not visibly change the level", only.name()),
        (Some((_, level)), [only]) => {
            format!("{} changes the level ({})", only.name(), change(level.ratio))
        }
        (None, _) => {
            format!("none of {} disturbances visibly changes the level{rest}", terms.under.len())
        }
        (Some((at, level)), _) => format!(
            "{} of {} disturbances change the level, most of all {} ({}){rest}",
            which.len(),
            terms.under.len(),
            terms.under[at].name(),
            change(level.ratio)
        ),
    }
}
