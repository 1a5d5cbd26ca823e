//! Builds, and stretches of history without one, in words.

use tacho_record::{Build, BuildGap, BuildState, Unit};

use crate::words::{count, duration};

/// How many gaps are named where there are more.
const NAMED: usize = 3;

/// Why there is no build, in one line, without the word for how it ended; `built` where there is.
#[must_use]
pub fn why(state: &BuildState) -> String {
    match state {
        BuildState::Built { .. } => "built".to_owned(),
        BuildState::Failed { why, .. } | BuildState::Skipped { why } => why.clone(),
        BuildState::TimedOut { limit } => format!("timed out after {}", duration(*limit)),
    }
}

/// The same with the word: `failed: no header`, `skipped: too old`, `timed out after 5.00 s`.
#[must_use]
pub fn ended(state: &BuildState) -> String {
    match state {
        BuildState::Failed { .. } | BuildState::Skipped { .. } => {
            format!("{}: {}", state.word(), why(state))
        }
        BuildState::Built { .. } | BuildState::TimedOut { .. } => why(state),
    }
}

/// The same, of a failure its reason alone.
#[must_use]
pub fn why_not(state: &BuildState) -> String {
    match state {
        BuildState::Failed { why, .. } => why.clone(),
        _ => ended(state),
    }
}

/// The hint how to see why the build of a revision failed.
#[must_use]
pub fn log_hint(name: &str) -> String {
    format!("`tacho show {name} --build-log` shows the build log")
}

/// The hint how to build again what failed.
pub const RETRY: &str = "`--retry-failed` builds again";

/// What to do about a program that a build needs and that is not there; `nearest` is an installed
/// one of almost that name.
#[must_use]
pub fn absent_hint(program: &str, nearest: Option<&str>) -> String {
    match nearest {
        _ if program.contains('/') => format!(
            "`{program}` is not in the checkout, which has only committed files: let `build` make \
             it"
        ),
        Some(nearest) => format!("did you mean `{nearest}`? `{program}` is not installed"),
        None => format!("`{program}` is not installed, or not in `PATH`"),
    }
}

/// How a build ended, in one line: `built in 3.00 s, 12.00 MiB, artifacts 0123456789ab`.
#[must_use]
pub fn line(build: &Build) -> String {
    let took = duration(build.took);
    match &build.state {
        BuildState::Built { artifact, size, layouts } => {
            let layouts = layouts.map(|number| format!(" in {}", count(number as usize, "layout")));
            let (layouts, size) = (layouts.unwrap_or_default(), Unit::Bytes.show(*size as f64));
            format!("built in {took}{layouts}, {size}, artifacts {}", artifact.short())
        }
        BuildState::Failed { why, .. } => format!("build failed after {took}: {why}"),
        BuildState::Skipped { .. } => ended(&build.state),
        BuildState::TimedOut { .. } => format!("build {} after {took}", build.state.word()),
    }
}

/// The remark on a build that the plan would now make in another way.
pub const OUTDATED: &str = "built before the plan or its quirks were edited";

/// The quirks of a build, if any: `with quirks: libc, zlib`.
#[must_use]
pub fn quirks(build: &Build) -> Option<String> {
    let noun = if build.quirks.len() == 1 { "quirk" } else { "quirks" };
    (!build.quirks.is_empty()).then(|| format!("with {noun}: {}", build.quirks.join(", ")))
}

/// The state of a gap: `8 revisions, could not be built`, or `8 of 13 revisions tried, none of
/// these could be built`.
#[must_use]
pub fn gap_words(gap: &BuildGap) -> String {
    let how = match (gap.is_skipped(), gap.tried == gap.among()) {
        (true, true) => "skipped",
        (true, false) => "and all of these were skipped",
        (false, true) => "could not be built",
        (false, false) => "and none of these could be built",
    };
    format!("{}, {how}", tried_of(gap.tried, gap.among()))
}

/// `8 revisions`, or `8 of 13 revisions tried`.
fn tried_of(tried: usize, among: usize) -> String {
    let all = count(among, "revision");
    if tried == among { all } else { format!("{tried} of {all} tried") }
}

/// The largest gaps in order of history, and in words how many others there are.
#[must_use]
pub fn largest_gaps(all: &[BuildGap]) -> (Vec<&BuildGap>, Option<String>) {
    let mut named: Vec<&BuildGap> = all.iter().collect();
    named.sort_by_key(|gap| std::cmp::Reverse(gap.tried));
    let rest = named.split_off(NAMED.min(named.len()));
    named.sort_by_key(|gap| gap.first.order);
    let tried = rest.iter().map(|gap| gap.tried).sum();
    let among = rest.iter().map(|gap| gap.among()).fold(0, usize::saturating_add);
    let others = (!rest.is_empty())
        .then(|| format!("{} more, {}", count(rest.len(), "stretch"), tried_of(tried, among)));
    (named, others)
}

/// The largest gaps, a line each, and how many others there are.
#[must_use]
pub fn gap_lines(all: &[BuildGap]) -> Vec<String> {
    let (named, others) = largest_gaps(all);
    let line = |gap: &BuildGap| {
        let (first, last) = (gap.first.short(), gap.last.short());
        let place = if first == last { first.to_owned() } else { format!("{first}..{last}") };
        format!("{place} ({})", gap_words(gap))
    };
    let lines = named.into_iter().map(line).chain(others);
    lines.map(|line| format!("not judged: {line}")).collect()
}

/// The same by host, whose name is said where there are several.
#[must_use]
pub fn gap_lines_by_host(all: &[(String, BuildGap)], several_hosts: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for of_host in all.chunk_by(|one, other| one.0 == other.0) {
        let host = if several_hosts { format!(" on {}", of_host[0].0) } else { String::new() };
        let gaps: Vec<BuildGap> = of_host.iter().map(|(_, gap)| gap.clone()).collect();
        lines.extend(gap_lines(&gaps).into_iter().map(|line| line + &host));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tacho_record::Revision;

    use super::*;

    #[test]
    fn the_largest_gaps_are_named_and_the_others_counted() {
        let at = |name: &str, order: u64| Revision { order, ..Revision::bare(name) };
        let gap = |first: u64, tried: usize, last: &str| BuildGap {
            first: at("aaa", first),
            last: at(last, first + tried as u64 - 1),
            tried,
            state: BuildState::failed("no"),
        };
        let all = [(1, 1, "aaa"), (5, 8, "bbb"), (20, 2, "ccc"), (30, 3, "ddd"), (40, 2, "eee")];
        let all: Vec<BuildGap> = all.map(|(first, tried, last)| gap(first, tried, last)).into();
        assert_eq!(
            gap_lines(&all),
            [
                "not judged: aaa..bbb (8 revisions, could not be built)",
                "not judged: aaa..ccc (2 revisions, could not be built)",
                "not judged: aaa..ddd (3 revisions, could not be built)",
                "not judged: 2 stretches more, 3 revisions",
            ]
        );
        let skipped = BuildState::Skipped { why: "known".to_owned() };
        let one = BuildGap { state: skipped.clone(), ..gap(1, 1, "aaa") };
        assert_eq!(gap_lines(&[one]), ["not judged: aaa (1 revision, skipped)"]);
        let failed = BuildGap { last: at("zzz", 13), ..gap(1, 8, "zzz") };
        let why = "8 of 13 revisions tried, and none of these could be built";
        assert_eq!(gap_words(&failed), why);
        let skipped = BuildGap { state: skipped, ..failed.clone() };
        assert_eq!(gap_words(&skipped), "8 of 13 revisions tried, and all of these were skipped");
        let many: Vec<BuildGap> = (1..=4).map(|_| failed.clone()).collect();
        assert_eq!(gap_lines(&many)[3], "not judged: 1 stretch more, 8 of 13 revisions tried");
        assert_eq!(gap_lines(&[]), Vec::<String>::new());
    }

    #[test]
    fn why_there_is_no_build_is_said_with_and_without_how_it_ended() {
        let failed = BuildState::failed("no header");
        let skipped = BuildState::Skipped { why: "too old".to_owned() };
        let timed_out = BuildState::TimedOut { limit: Duration::from_secs(5) };
        let all = [&failed, &skipped, &timed_out];
        assert_eq!(all.map(why), ["no header", "too old", "timed out after 5.00 s"]);
        let ends = ["failed: no header", "skipped: too old", "timed out after 5.00 s"];
        assert_eq!(all.map(ended), ends);
        assert_eq!(all.map(why_not)[..2], ["no header", "skipped: too old"]);
    }
}
