//! The outcome of a bisection. `record::bisection` has the kept forms of these types, since `stats`
//! uses no other crate of Tachograph.

/// How large a change is: `0.05` is 5 % more, of failures and differences the difference itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectEstimate {
    /// The best guess.
    pub estimate: f64,
    /// The 95 % interval.
    pub interval: (f64, f64),
}

/// The revision that did it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BisectorCulprit {
    /// The first usable revision that has the change.
    pub revision: usize,
    /// The last revision known to be without it. Revisions between both are unusable, or in a long
    /// row of unusable ones: any of them may be the cause.
    pub parent: usize,
    /// How likely it is, of all revisions and *no change*.
    pub posterior: f64,
    /// The change from the parent to the culprit, from all samples of both.
    pub effect: EffectEstimate,
    /// How many fresh pairs of parent and culprit verified it.
    pub pairs: usize,
    /// How many further builds beside it were asked whether it is more than layout.
    pub neighbours: usize,
}

/// Revisions of which one may have done it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BisectorSuspects {
    /// The first that may be the cause.
    pub first: usize,
    /// The last, the first known to have the change.
    pub last: usize,
    /// How likely it is that the cause is among them.
    pub posterior: f64,
}

/// Why nothing was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCulpritReason {
    /// The budget is spent.
    Budget,
    /// No usable revision was found near an end, or an end failed later.
    End,
    /// Fresh samples did not confirm what the search had found, several times.
    NotConfirmed,
    /// Builds differ among themselves enough that one revision cannot be distinguished from its
    /// neighbours.
    Builds,
    /// No further measurement would help.
    Exhausted,
    /// The number of samples that a whole bisection needs with such noise does not show whether
    /// anything changed, and no limit on its duration was given.
    Noise,
}

/// How a bisection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BisectorFinding {
    /// Culprits are named and verified.
    Verified,
    /// The ends do not differ by what was requested, here and now.
    NotReproduced,
    /// The suspects are all that can be said.
    Undecided(NoCulpritReason),
}

/// The result of a side of a culprit, if all changes are searched for. A side with another culprit
/// has the results of that culprit's sides.
#[derive(Clone, Debug, PartialEq)]
pub struct BisectorSide {
    /// The revision that it begins after: measured, and not in question.
    pub good: usize,
    /// The last of it.
    pub bad: usize,
    /// The side holds no change as large as requested ([`BisectorFinding::NotReproduced`]), or the
    /// reason why that is undecided.
    pub finding: BisectorFinding,
    /// If undecided: the smallest set that holds the cause, if there is one.
    pub suspects: Vec<BisectorSuspects>,
}

/// The estimates of one tested revision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RevisionEstimate {
    /// The revision's place among the candidates.
    pub revision: usize,
    /// How many samples it has.
    pub samples: usize,
    /// Their median, of failures their share.
    pub level: f64,
    /// The standard error of the level: of ratios relative, else in the unit.
    pub error: f64,
}

/// The outcome of a bisection, with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct BisectorOutcome {
    /// How it ended.
    pub finding: BisectorFinding,
    /// The named and verified culprits, in the order of verification.
    pub culprits: Vec<BisectorCulprit>,
    /// If all changes are searched for: the result of each side that holds no other culprit, in
    /// order.
    pub sides: Vec<BisectorSide>,
    /// If no culprit is verified: the smallest set that holds one with 95 %, likeliest first.
    pub suspects: Vec<BisectorSuspects>,
    /// How likely it is that nothing changed.
    pub nothing: f64,
    /// The usable ends, which are not those given where they could not be used.
    pub ends: (usize, usize),
    /// The change from end to end.
    pub change: Option<EffectEstimate>,
    /// The part of that change that the verified culprits do not explain; `None` without culprits.
    pub left_over: Option<EffectEstimate>,
    /// Whether that part is too large to be chance.
    pub more: bool,
    /// All revisions that have values, in order.
    pub ladder: Vec<RevisionEstimate>,
    /// All revisions that had none, and why.
    pub unusable: Vec<(usize, UnusableReason)>,
    /// How sure it is that the host's speed moved meanwhile; 0 where it is not clear, and of a
    /// metric without noise.
    pub drift: f64,
    /// If nothing is named because builds vary: their standard deviation on the scale of the
    /// effects. `None` if the variation is not shown.
    pub between_builds: Option<f64>,
    /// Builds made.
    pub builds: usize,
    /// Samples taken.
    pub samples: usize,
}

/// The stage of a bisection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BisectorStage {
    /// Both ends are measured until a change is certain or excluded.
    Proving,
    /// The revision is looked for.
    Searching,
    /// The finding is measured again.
    Verifying,
    /// The bisection has ended.
    Finished,
}

/// How far a bisection has come.
#[derive(Clone, Debug, PartialEq)]
pub struct BisectorState {
    /// The stage.
    pub stage: BisectorStage,
    /// How likely each stretch between tested revisions is to hold the cause, in order.
    pub belief: Vec<BisectorSuspects>,
    /// The outcome. Before the end it has what is known so far, with a finding that means nothing.
    pub outcome: Box<BisectorOutcome>,
    /// The sides of culprits that are still to be searched, in order, as though they ended here.
    pub open: Vec<BisectorSide>,
}

/// Why a revision has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnusableReason {
    /// The revision could not be built.
    NotBuilt,
    /// The command crashed, or exited with a wrong status.
    Crashed,
    /// The command reached its time limit.
    TimedOut,
    /// The answer was wrong.
    WrongAnswer,
    /// The output has no such metric.
    NoMetric,
    /// A command that passes or fails said that it can decide neither, as by status 125 to `git
    /// bisect run`.
    Skipped,
}
