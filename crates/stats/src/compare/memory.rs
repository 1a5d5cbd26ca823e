//! Results that are asked for thousands of times with the same few numbers, when labels are
//! exchanged.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

/// Results by what they were worked out from.
pub(super) struct SerialMemory<K, V>(RefCell<HashMap<K, V>>);

impl<K, V> Default for SerialMemory<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Eq + Hash, V: Clone> SerialMemory<K, V> {
    /// The result, worked out if it is not there; all are forgotten when there are too many.
    pub fn get(&self, key: K, work_out: impl FnOnce() -> V) -> V {
        if let Some(value) = self.0.borrow().get(&key) {
            return value.clone();
        }
        let value = work_out();
        let mut all = self.0.borrow_mut();
        if all.len() >= 10_000 {
            all.clear();
        }
        all.insert(key, value.clone());
        value
    }
}
