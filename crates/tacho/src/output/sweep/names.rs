//! The names of the values of a sweep.

/// What values are called, and which of them are more than values.
pub struct ValueNames {
    /// One a command.
    pub labels: Vec<String>,
    /// The command with the values that are used today.
    pub default: Option<usize>,
    /// The command that does only what cannot be left out.
    pub floor: Option<usize>,
    /// Whether several commands are compared, and not the values of one alone.
    pub has_variants: bool,
}

impl ValueNames {
    /// What a command is called.
    pub fn label(&self, command: usize) -> String {
        self.labels[command].clone()
    }
}
