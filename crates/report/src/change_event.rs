//! The joint meaning of the changes of an event.

use tacho_record::{Change, ChangeVerdict};

use crate::change::effect;

/// The joint meaning of the changes of an event: trade-offs between metrics, and differences
/// between wall time and CPU time.
#[must_use]
pub fn together<'a>(changes: impl IntoIterator<Item = &'a Change>) -> Option<String> {
    let all: Vec<&Change> = changes.into_iter().collect();
    let lines: Vec<String> =
        trade_off(all.iter().copied()).into_iter().chain(beside_cpu_time(&all)).collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}

/// The trade-off, if one metric surely got worse and another one better.
fn trade_off<'a>(changes: impl IntoIterator<Item = &'a Change>) -> Option<String> {
    let (mut better, mut worse) = (0, 0);
    for change in changes.into_iter().filter(|change| change.is_sure()) {
        *(if change.verdict() == ChangeVerdict::Better { &mut better } else { &mut worse }) += 1;
    }
    (worse > 0 && better > 0).then(|| format!("a trade-off: {worse} worse, {better} better"))
}

/// Says that wall time and CPU time of a benchmark changed differently, if their intervals exclude
/// each other.
fn beside_cpu_time(all: &[&Change]) -> Option<String> {
    let of = |name: &'static str| {
        all.iter().filter(move |it| it.series.metric.name == name && it.finding.kind.is_of_level())
    };
    let apart = |(wall, cpu): &(&&Change, &&Change)| {
        let is_same =
            wall.series.benchmark == cpu.series.benchmark && wall.series.host == cpu.series.host;
        let ends = wall.interval().zip(cpu.interval());
        is_same && ends.is_some_and(|(wall, cpu)| wall.1 < cpu.0 || cpu.1 < wall.0)
    };
    let (wall, cpu) =
        of("wall").flat_map(|wall| of("cpu").map(move |cpu| (wall, cpu))).find(apart)?;
    let [wall, cpu] = [wall, cpu].map(|it| effect(it));
    Some(format!(
        "wall time changed by {wall}, CPU time by {cpu}: the rest is waiting, on a busy host for a \
         CPU too, or another number of busy threads"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::tests::change;

    #[test]
    fn wall_time_that_changes_otherwise_than_cpu_time_is_said() {
        let of = |metric: &str, interval: (f64, f64)| {
            let mut one = change(0.001, "");
            one.series.metric = tacho_record::Metric::built_in(metric).unwrap();
            one.finding.effect = Some(f64::midpoint(interval.0, interval.1));
            one.finding.interval = Some(interval);
            one
        };
        let (wall, cpu) = (of("wall", (0.4, 0.6)), of("cpu", (0.25, 0.29)));
        let said = "wall time changed by +50.0 %, CPU time by +27.0 %: the rest is waiting, on a \
                    busy host for a CPU too, or another number of busy threads";
        assert_eq!(together([&wall, &cpu]).as_deref(), Some(said));
        assert_eq!(together([&of("wall", (0.2, 0.6)), &cpu]), None, "both agree");
    }

    #[test]
    fn only_what_is_sure_takes_part_in_a_trade_off() {
        let [mut better, worse] = [0.01, 0.01].map(|p| change(p, ""));
        better.finding.after = 90.0;
        let of = |better: &Change| trade_off([better, &worse]);
        assert_eq!(of(&better).as_deref(), Some("a trade-off: 1 worse, 1 better"));
        better.finding.interval = Some((-0.2, 0.01));
        assert_eq!(of(&better), None);
    }
}
