//! The result of a search inside merges, in words.

use tacho_experiment::bisect::MergeNote;
use tacho_record::Revision;

/// In a line.
pub fn merge_note(merge: &Revision, note: MergeNote) -> String {
    let short = merge.short();
    match note {
        MergeNote::NoCommits => format!("{short} is a merge that brought no commits"),
        MergeNote::Searching => format!("{short} is a merge: searching its commits"),
        MergeNote::Undecided => format!(
            "merge {short} is verified as the cause; it is undecided which of its commits made \
             the change"
        ),
        MergeNote::NotReproduced => {
            format!("the change of {short} was not found again among the commits of the merge")
        }
        MergeNote::OtherWay => format!(
            "the changes found among the commits of the merge are opposite to the change of {short}"
        ),
        MergeNote::Itself => {
            format!("no single commit of merge {short} makes the change: the merge itself does")
        }
        MergeNote::ItselfInPart => format!(
            "the commits of merge {short} explain only a part of its effect: the merge itself \
             made the rest"
        ),
        MergeNote::ItselfOr(others) => {
            format!("the cause is {short} itself, or {}", others.words().unwrap_or_default())
        }
        MergeNote::OrOthers(others) => format!(
            "{short} is a merge, but {} may have done it instead: the merge is not searched",
            others.words().unwrap_or_default()
        ),
    }
}
