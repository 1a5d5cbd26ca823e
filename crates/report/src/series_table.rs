//! The table of a series: its heads, and the notes below it.

use tacho_record::Series;

use crate::median_difference::apart_means;
use crate::series::{
    ANOTHER_RECIPE_MEANS, LOOKED_AT_MEANS, OTHER_RECIPE_MEANS, PointRow, RUN_BEGINS,
    is_of_other_recipe, rows, uneven_runs, unseen_changes,
};

/// The heads of the columns; a medium may have them in another order.
pub const HEADS: [&str; 9] =
    ["revision", "date", "subject", "n", "median", "95 %", "spread", "change", "state"];

/// The meaning of marks and gaps in the table, and the reliability of its numbers, in clauses.
#[must_use]
pub fn below(series: &Series) -> Vec<String> {
    let rows = rows(series, &series.points);
    let has_interval = |row: &PointRow| row.summary.is_some_and(|it| it.interval.is_some());
    let is_looked_at = rows.iter().any(|row| row.point.looked_at && has_interval(row));
    let has_other = series.points.iter().any(is_of_other_recipe);
    let begins_recipe = rows.iter().any(|row| row.begins_recipe);
    let begins_run = rows.iter().any(PointRow::is_border_of_runs);
    let looked_at = is_looked_at.then(|| format!("* this interval is {LOOKED_AT_MEANS}"));
    let recipes =
        [has_other.then_some(OTHER_RECIPE_MEANS), begins_recipe.then_some(ANOTHER_RECIPE_MEANS)];
    let apart = apart_means(rows.iter().filter_map(|row| row.change));
    let fixed = recipes.into_iter().flatten().chain(apart).chain(begins_run.then_some(RUN_BEGINS));
    let of_series = [unseen_changes(series), uneven_runs(series)].into_iter().flatten();
    looked_at.into_iter().chain(fixed.map(str::to_owned)).chain(of_series).collect()
}
