//! Names one after the other, as messages and answers have them.

use std::fmt::Display;

/// Names in backticks: `` `a`, `b` ``.
#[must_use]
pub fn in_backticks(names: impl IntoIterator<Item = impl Display>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The first of these names, and how many there are besides: `a, b and 3 more`; a single further
/// one by its name.
#[must_use]
pub fn first_of(names: impl IntoIterator<Item = impl Display>, most: usize) -> String {
    let names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    match names.len().saturating_sub(most) {
        0 | 1 => names.join(", "),
        more => format!("{} and {more} more", names[..most].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_up_to_a_number() {
        assert_eq!(in_backticks([""; 0]), "");
        assert_eq!(in_backticks(["a", "b", "c"]), "`a`, `b`, `c`");
        assert_eq!(first_of(["a", "b", "c"], 3), "a, b, c");
        assert_eq!(first_of([1, 2, 3], 2), "1, 2, 3");
        assert_eq!(first_of([1, 2, 3, 4], 2), "1, 2 and 2 more");
    }
}
