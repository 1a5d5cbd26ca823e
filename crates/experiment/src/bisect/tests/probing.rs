//! Culprits measured under disturbances.

use super::*;

/// Probed with all that needs no linker, and with another order of linking, which is not to be had
/// here.
fn probing(under: fn(usize, &Conditions) -> f64) -> Scene {
    let mut scene = Scene::step(16, 5, 20.0);
    scene.asked.probe = vec![
        Disturbance::Environment,
        Disturbance::Addresses { random: false },
        Disturbance::Cpu { number: 1 },
        Disturbance::Layout { number: 1 },
    ];
    (scene.under, scene.noise) = (Some(under), 0.005);
    scene
}

fn probed(standing: &BisectionState) -> Vec<ProbeOutcome> {
    standing.probes.iter().map(|probe| probe.probed).collect()
}

#[test]
fn an_effect_that_is_always_there_depends_on_nothing() {
    // Pinned, all are slower.
    let standing = probing(|_, with| if with.cpus.is_some() { 30.0 } else { 0.0 }).standing();
    assert_eq!((standing.found, standing.stage), (Some(BisectionEnd::Verified), Stage::Finished));
    assert_eq!(
        probed(&standing),
        [ProbeOutcome::Holds, ProbeOutcome::Holds, ProbeOutcome::Holds, ProbeOutcome::NotAvailable]
    );
    let [first, .., last] = standing.probes.as_slice() else { panic!("{:?}", standing.probes) };
    assert!((first.effect.unwrap().estimate - 0.2).abs() < 0.02 && first.why.is_none());
    assert_eq!(
        (last.pairs, last.why.as_deref()),
        (0, Some("its build has no way to choose the linker"))
    );
}

#[test]
fn an_effect_that_is_gone_or_turns_depends_on_the_machine() {
    // At the same addresses the earlier ones are as slow, on one processor slower.
    let standing = probing(|place, with| match (with.aslr, &with.cpus) {
        (Some(false), _) if place < 5 => 20.0,
        (_, Some(_)) if place < 5 => 60.0,
        _ => 0.0,
    })
    .standing();
    assert_eq!(standing.found, Some(BisectionEnd::DependsOnMachine));
    assert_eq!(
        probed(&standing)[..3],
        [ProbeOutcome::Holds, ProbeOutcome::Gone, ProbeOutcome::Turned]
    );
    assert_eq!(named(&standing), [(4, 5)], "what was measured under disturbances names nobody");
    assert_eq!(
        standing.ladder.iter().map(|rung| rung.samples).sum::<usize>() + {
            2 * standing.probes.iter().map(|probe| probe.pairs).sum::<usize>()
        },
        standing.samples
    );
}

#[test]
fn killed_while_probing_it_comes_to_the_same() {
    let none = |_: usize, _: &Conditions| 0.0;
    let undisturbed = probing(none);
    let expected = (undisturbed.standing(), undisturbed.steps());
    let executions = expected.0.samples + expected.0.builds;
    let probing_from =
        executions - 2 * expected.0.probes.iter().map(|probe| probe.pairs).sum::<usize>();
    comes_to_the_same(
        || probing(none),
        &expected,
        [probing_from, probing_from + 1, probing_from + 4, executions],
    );
}

/// Samples that reached a limit are the least that it would have been: an effect may hold by them,
/// and is not known to be gone.
#[test]
fn what_is_said_by_bounds_alone_is_said_only_where_they_allow_it() {
    use crate::bisect::probes::is_known;
    use tacho_stats::Bound::{AtLeast, AtMost, Exact, Unknown};
    use tacho_stats::bisect::ProbeDecision;
    let known =
        |said, effect| [Exact, AtLeast, AtMost, Unknown].map(|bound| is_known(said, effect, bound));
    assert_eq!(known(ProbeDecision::Holds, 0.1), [true, true, false, false]);
    assert_eq!(known(ProbeDecision::Gone, 0.1), [true, false, true, false]);
    assert_eq!(known(ProbeDecision::Turned, -0.1), [true, true, false, false]);
    assert_eq!(known(ProbeDecision::Holds, -0.1), [true, false, true, false]);
    assert_eq!(known(ProbeDecision::More, 0.1), [true; 4]);
}
