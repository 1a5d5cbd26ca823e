//! The target of a sweep's page.

use std::path::{Path, PathBuf};

use tacho_site::SweepPage;

use super::request::SweepRequest;
use crate::commands::bench::exports::check_writable;
use crate::error::CliError;
use crate::output::sweep::PageFacts;

/// A file for a page, and what the page has beside the answer.
pub struct PageTarget {
    path: PathBuf,
    pub facts: PageFacts,
}

impl PageTarget {
    /// A file that can be written, as found out before anything is measured for it.
    pub fn new(path: &Path, asked: &SweepRequest) -> Result<Self, CliError> {
        check_writable(path)?;
        let names: Vec<&str> = asked.varied().map(|(name, _)| name.as_str()).collect();
        let commands = asked.question.commands.len();
        let title =
            if names.is_empty() { format!("{commands} variants") } else { names.join(" and ") };
        let words = std::env::args().skip(1);
        let typed = shell_words::join(std::iter::once("tacho".to_owned()).chain(words));
        let facts = PageFacts { title, typed, grid: asked.positions() };
        Ok(Self { path: path.to_owned(), facts })
    }

    /// Writes the page.
    pub fn write(&self, page: &SweepPage) -> Result<(), CliError> {
        std::fs::write(&self.path, page.html()).map_err(CliError::writing(&self.path))
    }
}
