//! Recipes: by what each revision is built.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Digest;

/// The recipe of each revision: that of the plan, and where quirks apply, one of its own.
///
/// So a quirk that is added or edited makes other builds of the revisions that it is for, and of no
/// others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recipes {
    usual: Digest,
    quirky: BTreeMap<String, QuirkRecipe>,
}

/// The recipe of a revision with quirks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QuirkRecipe {
    /// The digest of all that decides what is built.
    pub recipe: Digest,
    /// The names of the quirks, in the order in which they act.
    pub quirks: Vec<String>,
}

impl Recipes {
    /// The same recipe for all, without a quirk.
    #[must_use]
    pub fn usual(usual: Digest) -> Self {
        Self { usual, quirky: BTreeMap::new() }
    }

    /// With that recipe for that revision.
    pub fn insert(&mut self, revision: String, quirky: QuirkRecipe) {
        self.quirky.insert(revision, quirky);
    }

    /// The recipe of a revision.
    #[must_use]
    pub fn of(&self, revision: &str) -> Digest {
        self.quirky.get(revision).map_or(self.usual, |quirky| quirky.recipe)
    }

    /// The names of the quirks of a revision.
    #[must_use]
    pub fn quirks(&self, revision: &str) -> &[String] {
        self.quirky.get(revision).map_or(&[], |quirky| &quirky.quirks)
    }

    /// The recipes of these revisions as one digest: the usual one where no quirk applies.
    #[must_use]
    pub fn together<'a>(&self, revisions: impl IntoIterator<Item = &'a str>) -> Digest {
        let quirky: Vec<_> =
            revisions.into_iter().filter_map(|it| self.quirky.get_key_value(it)).collect();
        if quirky.is_empty() {
            return self.usual;
        }
        let lines =
            quirky.iter().map(|(revision, quirky)| format!("{revision} {}\n", quirky.recipe));
        Digest::of(format!("recipes 1\n{}\n{}", self.usual, lines.collect::<String>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quirk_makes_another_recipe_of_its_own_revisions_only() {
        let usual = Digest::of("make");
        let mut recipes = Recipes::usual(usual);
        recipes.insert(
            "b".into(),
            QuirkRecipe { recipe: Digest::of("other"), quirks: vec!["q".into()] },
        );
        assert_eq!((recipes.of("a"), recipes.of("b")), (usual, Digest::of("other")));
        assert_eq!((recipes.quirks("a").len(), recipes.quirks("b").len()), (0, 1));
        assert_eq!(recipes.together(["a", "c"]), usual);
        assert_ne!(recipes.together(["a", "b"]), usual);
    }
}
