//! What is named, by what metric, and what is kept of it.

use tacho_record::Build;

use super::*;

#[test]
fn a_step_is_named_and_all_of_it_is_kept() {
    let scene = Scene::step(64, 23, 20.0);
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(BisectionEnd::Verified), vec![(22, 23)]));
    assert_eq!((standing.stage, standing.more), (Stage::Finished, false));
    let effect = standing.culprits[0].effect;
    assert!((effect.estimate - 0.2).abs() < 0.01, "{effect:?}");
    assert_eq!(standing.ladder[0].level, 100e6);
    assert!(
        standing.builds <= 10 && standing.samples <= 40,
        "{} {}",
        standing.builds,
        standing.samples
    );
    let mut store = scene.store();
    let run = store.run(1).unwrap().unwrap();
    assert_eq!((run.purpose, run.state), (Purpose::Bisect, RunState::Finished));
    let cells = store.cells(1).unwrap();
    assert_eq!(cells.len(), standing.builds, "a cell each build");
    let samples: usize = cells
        .iter()
        .map(|(id, _)| store.samples(*id).unwrap().iter().filter(|it| it.counts()).count())
        .sum();
    assert_eq!(samples, standing.samples);
    let lab = store.hosts().unwrap()[0].0;
    assert!(store.counts(lab).unwrap().is_empty(), "they are no part of any series");
}

#[test]
fn noise_takes_more_samples_and_neighbours() {
    let mut scene = Scene::step(32, 9, 5.0);
    scene.noise = 0.01;
    let standing = scene.standing();
    assert_eq!(named(&standing), [(8, 9)]);
    assert!(standing.culprits[0].neighbours >= 2);
    let belief: f64 = standing.belief.iter().map(|it| it.posterior).sum::<f64>() + standing.nothing;
    assert!((belief - 1.0).abs() < 1e-6 || standing.nothing == 0.0, "{belief}");
}

#[test]
fn where_nothing_changed_nothing_is_named() {
    let mut scene = Scene::step(64, 64, 0.0);
    scene.noise = 0.01;
    let standing = scene.standing();
    assert_eq!((standing.found, standing.builds), (Some(BisectionEnd::NotReproduced), 2));
    // A break and its repair hide each other from the ends.
    let repaired: Vec<f64> =
        (0..32).map(|place| if (8..16).contains(&place) { 150.0 } else { 100.0 }).collect();
    assert_eq!(Scene::new(repaired).standing().found, Some(BisectionEnd::NotReproduced));
}

#[test]
fn what_is_known_of_the_place_saves_builds() {
    let plain = Scene::step(256, 77, 20.0).standing();
    let mut scene = Scene::step(256, 77, 20.0);
    scene.asked.prior =
        (0..256_usize).map(|place| f64::from(u8::from(place.abs_diff(76) < 3))).collect();
    let known = scene.standing();
    assert_eq!(named(&known), named(&plain));
    assert!(known.builds + 2 <= plain.builds, "{} {}", known.builds, plain.builds);
    // Where it is wrong, it only costs builds.
    scene.asked.prior.rotate_right(100);
    scene.again = true;
    assert_eq!(named(&scene.standing()), named(&plain));
}

#[test]
fn what_the_host_did_is_kept_beside_each_sample() {
    let mut scene = Scene::step(16, 5, 20.0);
    assert!(
        scene.standing().ladder.iter().all(|rung| rung.beside.is_none()),
        "nothing is read here"
    );
    (scene.others, scene.again) = (Some(0.5), true);
    for rung in scene.standing().ladder {
        let beside = rung.beside.unwrap();
        assert_eq!((beside.samples, beside.frequency), (rung.samples, None));
        assert!((beside.other_cpus.unwrap() - 0.5).abs() < 0.1, "{beside:?}");
    }
    for step in scene.store().observed(2).unwrap() {
        if let StepResult::Samples { values, host, .. } = step.seen {
            assert_eq!(values.len(), host.len());
            assert!(
                host.iter().all(|it| it.contains_key("host-other-cpu") && it.contains_key("wall"))
            );
        }
    }
}

#[test]
fn a_single_commit_is_proved_and_verified_too() {
    assert_eq!(named(&Scene::step(2, 1, 20.0).standing()), [(0, 1)]);
    assert_eq!(Scene::step(2, 2, 0.0).standing().found, Some(BisectionEnd::NotReproduced));
}

#[test]
fn the_earlier_end_may_be_the_slower_one() {
    let standing = Scene::step(32, 20, -30.0).standing();
    assert_eq!(named(&standing), [(19, 20)]);
    assert!(standing.culprits[0].effect.estimate < -0.29);
}

#[test]
fn all_changes_are_found_where_all_are_requested() {
    let level = |place: usize| {
        100.0 + if place >= 7 { 30.0 } else { 0.0 } + if place >= 21 { 60.0 } else { 0.0 }
    };
    let mut scene = Scene::new((0..32).map(level).collect());
    let one = scene.standing();
    assert_eq!((one.culprits.len(), one.more), (1, true), "more is left over");
    scene.asked.all = true;
    let mut all = named(&scene.standing());
    all.sort_unstable();
    assert_eq!(all, [(6, 7), (20, 21)]);
}

#[test]
fn what_goes_up_and_down_again_is_searched_in_parts_where_all_is_requested() {
    let mut scene = Scene::new(vec![100.0, 109.0, 101.4]);
    (scene.asked.all, scene.noise) = (true, 0.005);
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(BisectionEnd::Verified), vec![(1, 2)]));
    assert_eq!(standing.sides.len(), 1, "the rise may be the layout of one build");
}

/// Keeps this revision's build, as a command before did.
fn keep_build(scene: &Scene, order: u64) {
    let mut store = scene.store();
    let host = store.hosts().unwrap()[0].0;
    let revision = format!("r{order}");
    let build = Build {
        state: scene.builds[&revision].clone(),
        revision,
        recipe: Digest::of("scripted"),
        quirks: Vec::new(),
        onto: Vec::new(),
        tools: BTreeMap::new(),
        started: Timestamp::UNIX_EPOCH,
        took: Duration::ZERO,
        log: None,
    };
    store.put_build(host, &build).unwrap();
}

#[test]
fn a_known_build_between_two_of_the_same_program_is_measured_where_all_is_requested() {
    let mut scene = Scene::new((0..48).map(|at| if at == 9 { 130.0 } else { 100.0 }).collect());
    let built =
        |name: &str| BuildState::Built { artifact: Digest::of(name), size: 1, layouts: None };
    let artifact = |order: u64| built(if order == 10 { "slow" } else { "usual" });
    scene.builds = (1..=48).map(|order| (format!("r{order}"), artifact(order))).collect();
    scene.asked.all = true;
    assert_eq!(named(&scene.standing()), [], "one commit among six of the same program");
    keep_build(&scene, 10);
    scene.again = true;
    let mut all = named(&scene.standing());
    all.sort_unstable();
    assert_eq!(all, [(8, 9), (9, 10)]);
}

#[test]
fn what_comes_and_goes_after_a_culprit_is_found_or_told_to_be_undecided() {
    let level = |place: usize| match place {
        0..12 => 100.0,
        12..25 => 120.0,
        25..40 => 111.6,
        _ => 122.8,
    };
    let mut scene = Scene::new((0..50).map(level).collect());
    (scene.asked.all, scene.asked.least) = (true, 0.04);
    let nothing =
        |side: &CulpritSide| side.found == BisectionEnd::NotReproduced && side.suspects.is_empty();
    let budget = BisectionEnd::Undecided { reason: UndecidedReason::Budget };
    let (mut open, mut all) = (0, false);
    for builds in 3..50 {
        scene.asked.most_builds = Some(builds);
        let standing = scene.standing();
        let named = standing.culprits.len();
        if named == 3 && !standing.has_open_sides() {
            assert!(
                standing.sides.len() >= 4 && standing.sides.iter().all(nothing),
                "{standing:?}"
            );
            all = true;
            break;
        }
        if named == 0 {
            assert_eq!(standing.found, Some(budget));
            continue;
        }
        // Where it has not looked yet is never said to hold nothing.
        open += 1;
        assert_eq!(standing.found, Some(BisectionEnd::Verified));
        for at in
            [12, 25, 40].iter().filter(|at| !standing.culprits.iter().any(|it| it.place == **at))
        {
            let on = |side: &&CulpritSide| side.first <= *at && *at <= side.last;
            assert!(
                standing.sides.iter().filter(on).all(|side| side.found == budget),
                "{at}: {standing:?}"
            );
            assert!(standing.sides.iter().any(|side| on(&side)), "{at}: {standing:?}");
        }
    }
    assert!(open > 0 && all);
}

#[test]
fn equal_artifacts_are_one_program() {
    let built =
        |text: &str| BuildState::Built { artifact: Digest::of(text), size: 1, layouts: None };
    let mut scene = Scene::step(32, 12, 20.0);
    for place in 0..32 {
        // Three revisions each build to the same.
        scene.builds.insert(format!("r{}", place + 1), built(&format!("{}", place / 3)));
    }
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(BisectionEnd::Verified), vec![(11, 12)]));
    assert!(standing.ladder.iter().any(|rung| rung.same_to > rung.place));
    // In a store of its own: what is built already stays what it is.
    let mut scene = Scene::step(32, 12, 20.0);
    for place in 0..32 {
        scene.builds.insert(format!("r{}", place + 1), built("same"));
    }
    let same = scene.bisect().bisection.standing;
    // One end was executed before the other was built.
    assert_eq!(
        (same.found, same.samples, same.nothing),
        (Some(BisectionEnd::NotReproduced), 1, 1.0)
    );
}

#[test]
fn the_same_program_as_the_one_before_is_no_suspect() {
    let built = |place: u64| BuildState::Built {
        artifact: Digest::of(format!("{}", place / 2)),
        size: 1,
        layouts: None,
    };
    let mut scene = Scene::step(16, 8, 20.0);
    scene.builds = (0..16).map(|place| (format!("r{}", place + 1), built(place))).collect();
    (scene.asked.budget, scene.noise) = (Some(1.0), 0.3);
    scene.standing();
    (1..=16).for_each(|order| keep_build(&scene, order));
    scene.again = true;
    let standing = scene.standing();
    let places: Vec<usize> = standing.suspects.iter().flat_map(|it| it.first..=it.last).collect();
    assert!(places.len() > 1 && places.iter().all(|place| place.is_multiple_of(2)), "{places:?}");
}

#[test]
fn a_program_that_comes_back_is_one_row_and_its_sides_hold_no_suspect() {
    let built = |text: char| BuildState::Built {
        artifact: Digest::of([text as u8]),
        size: 1,
        layouts: None,
    };
    let programs: Vec<char> = "aaaabaaacccc".chars().collect();
    let level = |program: &char| match program {
        'a' => 100.0,
        'b' => 100.5,
        _ => 130.0,
    };
    let mut scene = Scene::new(programs.iter().map(level).collect());
    for (place, program) in programs.iter().enumerate() {
        scene.builds.insert(format!("r{}", place + 1), built(*program));
    }
    let mut scene = scene.without([2]);
    (scene.asked.all, scene.noise) = (true, 0.01);
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(BisectionEnd::Verified), vec![(7, 8)]));
    let rungs: Vec<(usize, usize)> =
        standing.ladder.iter().map(|rung| (rung.place, rung.same_to)).collect();
    assert_eq!(rungs, [(0, 3), (4, 4), (8, 11)], "{standing:#?}");
    assert_eq!(standing.ladder[0].also, [5, 6, 7]);
    assert_eq!(standing.unusable.iter().map(|it| it.place).collect::<Vec<_>>(), [2]);
    let is_settled = |side: &CulpritSide| side.found == BisectionEnd::NotReproduced;
    // Histories that begin at other moments have other noise.
    let settled = (1..=40).filter(|start| {
        scene.clock.set(Timestamp::from_millisecond(start * 1_234_567).unwrap());
        scene.again = true;
        let standing = scene.standing();
        assert_eq!(named(&standing), [(7, 8)]);
        standing.sides.iter().all(is_settled)
    });
    let settled = settled.count();
    assert!(settled >= 36, "9 of 10: {settled}");
}

#[test]
fn a_number_in_the_output_is_bisected_with_few_samples() {
    let mut scene = Scene::step(64, 64, 0.0);
    scene.benchmark = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n\
        metrics = [{ name = 'errors', from = 'regex:ok ([0-9]+)' }]";
    scene.asked =
        BisectionRequest { by: ValueComparison::Difference, least: 1.0, ..asked("errors") };
    for place in 0..64 {
        scene.prints.insert(format!("r{}", place + 1), if place < 50 { "ok 0" } else { "ok 3" });
    }
    let standing = scene.standing();
    assert_eq!(named(&standing), [(49, 50)]);
    assert!(standing.samples <= 40, "{}", standing.samples);
}

#[test]
fn memory_is_bisected_by_its_pages() {
    let mut scene = Scene::step(64, 64, 0.0);
    scene.asked = asked("peak-memory");
    // 3 % more from there on, and 0.4 % of noise.
    scene.pages = Some(|place| if place < 41 { 1000 } else { 1030 });
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(BisectionEnd::Verified), vec![(40, 41)]));
    assert!((standing.culprits[0].effect.estimate - 0.03).abs() < 0.005, "{:?}", standing.culprits);
    // Of one that is not told its memory has no values.
    scene.pages = None;
    scene.again = true;
    let standing = scene.standing();
    assert_eq!(standing.found, Some(BisectionEnd::Undecided { reason: UndecidedReason::Command }));
    assert_eq!(standing.unusable[0].lack.why, "it has no `peak-memory`");
}

#[test]
fn a_least_effect_above_all_is_a_ratio_up_or_down() {
    let of = |after: f64, least: f64| {
        let mut scene =
            Scene::new((0..32).map(|place| if place < 12 { 100.0 } else { after }).collect());
        scene.asked.least = least;
        (scene.noise, scene.again) = (0.01, true);
        scene.standing()
    };
    for (after, least) in [(320.0, 2.0), (31.0, 2.0), (160.0, 0.5), (102.5, 0.02)] {
        assert_eq!(named(&of(after, least)), [(11, 12)], "{after} {least}");
    }
    for (after, least) in [(110.0, 2.0), (91.0, 2.0), (102.0, 0.5)] {
        assert_eq!(of(after, least).found, Some(BisectionEnd::NotReproduced), "{after} {least}");
    }
}

#[test]
fn sizes_and_build_times_need_no_execution() {
    let mut scene = Scene::step(32, 32, 0.0);
    for place in 0..32 {
        let size = if place < 17 { 1000 } else { 1500 };
        let artifact = Digest::of(format!("{place}"));
        scene
            .builds
            .insert(format!("r{}", place + 1), BuildState::Built { artifact, size, layouts: None });
    }
    scene.asked = BisectionRequest { of: ValueSource::Artifacts, ..asked("artifact-size") };
    scene.killed_at = Some(1);
    let standing = scene.standing();
    assert_eq!(named(&standing), [(16, 17)]);
    // Every scripted build takes a second.
    scene.asked = BisectionRequest { of: ValueSource::Build, ..asked("build-time") };
    let standing = scene.standing();
    assert_eq!(
        (standing.found, standing.builds),
        (Some(BisectionEnd::NotReproduced), standing.samples)
    );
    let steps = scene.store().observed(2).unwrap();
    assert!(steps.iter().all(|step| step.seen == StepResult::of_values(vec![1e9])), "{steps:?}");
}

/// All that a session takes counts, what comes before the first sample too.
#[test]
fn a_budget_is_the_time_of_the_session() {
    let mut scene = Scene::step(64, 5, 3.0);
    (scene.load, scene.asked.budget) = (|_| 20.0, Some(1.5));
    let open = scene.standing();
    assert_eq!(
        open.found,
        Some(BisectionEnd::Undecided { reason: UndecidedReason::Budget }),
        "{open:?}"
    );
    // The warmup took two seconds, the build one.
    assert_eq!((open.samples, open.builds), (0, 1), "{open:?}");
}
