//! The names that may have been meant by one that is not known.

/// The number of names that are listed if none is similar.
const LISTED: usize = 8;

/// The names that may have been meant, of a list such as `` `wall`, `cpu` ``; if none is similar,
/// the first of them.
pub fn near(name: &str, known: &str) -> String {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_', ' '], "");
    let names: Vec<&str> = known.split(", ").collect();
    let wanted = plain(name);
    let far = |known: &str| {
        let known = plain(known.trim_matches('`'));
        let begins = wanted.len() > 2 && (known.starts_with(&wanted) || known.ends_with(&wanted));
        if begins && known != wanted { 1 } else { strsim::osa_distance(&known, &wanted) }
    };
    let most = (wanted.len() / 3).max(1);
    let least = names
        .iter()
        .map(|known| far(known))
        .min()
        .filter(|least| *least <= most && *least < wanted.len());
    if let Some(least) = least {
        let near: Vec<&str> =
            names.into_iter().filter(|known| far(known) == least).take(3).collect();
        return format!("did you mean {}?", near.join(" or "));
    }
    let holds = |known: &&str| wanted.len() > 2 && plain(known).contains(&wanted);
    let is_part = |known: &&str| {
        let mut parts = known.trim_matches('`').split(['-', '_', ' ']);
        wanted.len() > 4 && parts.any(|part| strsim::osa_distance(part, &wanted) <= most)
    };
    let mut within: Vec<&str> = names.iter().copied().filter(holds).take(3).collect();
    if within.is_empty() {
        within = names.iter().copied().filter(is_part).take(3).collect();
    }
    if !within.is_empty() {
        return format!("did you mean {}?", within.join(" or "));
    }
    let rest = names.len().saturating_sub(LISTED);
    let listed = names[..names.len().min(LISTED)].join(", ");
    if rest == 0 { format!("known: {listed}") } else { format!("known: {listed} and {rest} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metric_that_was_meant_is_named() {
        let known = "`wall`, `cpu`, `user`, `sys`, `peak-memory`, `peak-memory-tree`, \
            `block-input`, `block-output`, `work`";
        assert_eq!(near("wal", known), "did you mean `wall`?");
        assert_eq!(near("peakmemory", known), "did you mean `peak-memory`?");
        assert_eq!(near("memory", known), "did you mean `peak-memory`?");
        assert_eq!(near("mem", known), "did you mean `peak-memory` or `peak-memory-tree`?");
        assert_eq!(near("memroy", known), "did you mean `peak-memory` or `peak-memory-tree`?");
        assert_eq!(near("Block_Outptu", known), "did you mean `block-output`?");
        let far = near("instructions", known);
        assert!(far.starts_with("known: `wall`, `cpu`, ") && far.ends_with(" and 1 more"), "{far}");
        // One letter is no misspelt other one.
        assert_eq!(near("x", "`a`, `b`"), "known: `a`, `b`");
        assert_eq!(near("x", "`wall`, `cpu`"), "known: `wall`, `cpu`");
    }
}
