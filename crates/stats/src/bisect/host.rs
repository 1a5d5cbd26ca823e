//! Levels of builds beside a host whose own level moves meanwhile.
//!
//! What is seen is the level of a build, that of the host, and noise. All are estimated together: builds that are measured again and again (the
//! ends, parent and culprit) tell what the host did, which is then no part of what builds differ by. The host stays,
//! or wanders, or jumps once, and each is as likely as it explains what was seen (Laplace's approximation).

use std::collections::BTreeSet;

use super::filter::Tail;
use super::noise::own_scale;
use super::path::{Estimate, Moves, Seen};
use super::record::Record;

/// What the host did.
#[derive(Clone, Debug)]
pub(super) struct Host {
    /// How likely it is that its level moved.
    pub(super) moved: f64,
    /// What the likeliest kinds of it make of the levels.
    pub(super) fits: Vec<Fit>,
}

/// Levels of builds by one kind of host.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// How likely this kind is.
    pub(super) share: f64,
    /// Of one sample.
    pub(super) scale: f64,
    /// Above the first one, in the order of the revisions.
    pub(super) levels: Vec<f64>,
    /// Of these, row by row.
    pub(super) covariance: Vec<f64>,
}

/// One kind of host, and of noise.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// Of one sample.
    scale: f64,
    freedom: f64,
    /// By how much the level wanders in the time of a sample, in variances of one.
    walk: f64,
    /// At which place of its path it jumps.
    jump: Option<usize>,
    ln_prior: f64,
}

impl Kind {
    fn moves(&self) -> bool {
        self.walk > STAYS || self.jump.is_some()
    }
}

/// One kind, and what it makes of all.
struct Explained {
    kind: Kind,
    /// The logarithm of how well it explains what was seen, beside others; and of how likely that makes it.
    evidence: f64,
    worth: f64,
    estimate: Estimate,
}

impl Host {
    /// From all that was seen of these revisions; levels may be so far apart.
    pub(super) fn of(revisions: &[usize], far: f64, least: f64, record: &Record) -> Self {
        let seen = Seen::of(revisions, far, &record.readings);
        let scale = own_scale(&record.readings).0.max(least);
        let mut all = Vec::new();
        for walk in walks() {
            all.extend(kinds(scale, walk).map(|kind| explained(&seen, kind)));
        }
        let best = |moves: bool| likeliest(all.iter().filter(|of| of.kind.moves() == moves));
        let likely = [best(false), best(true)].map(|of| of.map(|of| of.kind));
        for kind in likely.into_iter().flatten() {
            // Without the jump noise looks larger than it is.
            let jumping = likeliest(&jumps(&seen, kind)).and_then(|of| of.kind.jump);
            let walk = (kind.walk, kind.ln_prior);
            let anew: Vec<Explained> =
                kinds(scale, walk).map(|kind| explained(&seen, Kind { jump: jumping, ..kind })).collect();
            let kind = likeliest(&anew).map_or(kind, |of| Kind { jump: None, ..of.kind });
            all.extend(jumps(&seen, kind));
        }
        Self::among(all)
    }

    fn among(mut all: Vec<Explained>) -> Self {
        let most = all.iter().map(|of| of.worth).fold(f64::NEG_INFINITY, f64::max);
        for of in &mut all {
            of.worth = (of.worth - most).exp();
        }
        let sum: f64 = all.iter().map(|of| of.worth).sum();
        let moved = all.iter().filter(|of| of.kind.moves()).map(|of| of.worth).sum::<f64>() / sum;
        all.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        let likely = all.into_iter().take(MOST).filter(|of| of.worth > KEPT * sum);
        let fit = |of: Explained| {
            let Estimate { levels, covariance, .. } = of.estimate;
            Fit { share: of.worth / sum, scale: of.kind.scale, levels, covariance }
        };
        Self { moved, fits: likely.map(fit).collect() }
    }
}

fn likeliest<'a>(all: impl IntoIterator<Item = &'a Explained>) -> Option<&'a Explained> {
    all.into_iter().max_by(|a, b| a.evidence.total_cmp(&b.evidence))
}

/// How far hosts wander, and how likely each is, as a logarithm: one stays.
fn walks() -> impl Iterator<Item = (f64, f64)> {
    let each = WANDERS / WALKS.len() as f64;
    [(STAYS, (1.0 - WANDERS).ln())].into_iter().chain(WALKS.map(|walk| (walk, each.ln())))
}

/// All kinds of noise on such a host.
fn kinds(scale: f64, (walk, ln_prior): (f64, f64)) -> impl Iterator<Item = Kind> {
    SCALES.into_iter().flat_map(move |part| {
        FREEDOM.map(|freedom| Kind { scale: part * scale, freedom, walk, jump: None, ln_prior })
    })
}

/// The same kind with a jump: at places far apart first, then at all beside the likeliest of these.
fn jumps(seen: &Seen, kind: Kind) -> Vec<Explained> {
    let places = seen.inner(LASTS);
    let stride = places.len().div_ceil(COARSE).max(1);
    let ln_prior = kind.ln_prior + (JUMPS / seen.places() as f64).ln();
    let of = |at: usize| explained(seen, Kind { jump: Some(at), ln_prior, ..kind });
    let mut all: Vec<Explained> = places.clone().step_by(stride).map(of).collect();
    all.sort_by(|a, b| b.evidence.total_cmp(&a.evidence));
    let likely = all.iter().take(LIKELIEST).filter_map(|of| of.kind.jump);
    let beside = likely.flat_map(|at| (at + 1).saturating_sub(stride)..at + stride);
    let is_new = |at: &usize| places.contains(at) && !(at - places.start).is_multiple_of(stride);
    let fine: BTreeSet<usize> = beside.filter(is_new).collect();
    all.extend(fine.into_iter().map(of));
    all
}

fn explained(seen: &Seen, kind: Kind) -> Explained {
    let moves = Moves { walk: kind.walk * kind.scale * kind.scale, jump: kind.jump };
    let estimate = seen.estimate(kind.scale, Tail::new(kind.freedom, 1.0), moves);
    Explained { kind, evidence: estimate.ln_evidence, worth: estimate.ln_evidence + kind.ln_prior, estimate }
}

/// The scale of noise, by what differences of samples tell of it, which a host that moves makes larger.
const SCALES: [f64; 4] = [0.5, 0.7, 1.0, 1.4];

/// Heavy tails, and such as Gaussian noise has.
const FREEDOM: [f64; 2] = [3.0, 30.0];

/// So many hosts wander, so far; one that stays does so little that it is of no matter.
const WANDERS: f64 = 1.0 / 3.0;
const WALKS: [f64; 3] = [0.05, 0.3, 2.0];
const STAYS: f64 = 1e-5;

/// So many jump; what fewer samples than this show, before or after it, may as well be outliers.
const JUMPS: f64 = 0.1;
const LASTS: usize = 4;

/// So many places of a jump are looked at first, and all beside so many of these.
const COARSE: usize = 32;
const LIKELIEST: usize = 2;

/// So many kinds are kept at most, of those that are likelier than this.
const MOST: usize = 12;
const KEPT: f64 = 0.02;
