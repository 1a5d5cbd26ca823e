//! One file a part of the machine: reads the kernel's files, and judges nothing.
//!
//! `facts` lists these readings, `doctor` judges them, `tune` changes what they show. They know
//! only [`Root`].

pub mod frequency;
pub mod groups;
pub mod kernel;
pub mod memory;
pub mod power;
pub mod processor;
pub mod services;
pub mod storage;

use std::collections::BTreeMap;

use crate::root::{FactReading, Root, missing};

/// The folder of all CPUs.
pub const CPUS: &str = "/sys/devices/system/cpu";

/// The content of a file of each CPU that has it.
pub fn each_cpu(root: &Root, file: &str) -> FactReading<Vec<(u32, String)>> {
    let cpus = root.numbered(CPUS, "cpu");
    let values: Vec<_> = cpus
        .into_iter()
        .filter_map(|cpu| Some((cpu, root.read(&format!("{CPUS}/cpu{cpu}/{file}")).ok()?)))
        .collect();
    if values.is_empty() { Err(missing(&[&format!("{CPUS}/cpu*/{file}")])) } else { Ok(values) }
}

/// The distinct values, with their numbers where there are several: `performance × 12, schedutil ×
/// 3`.
pub fn counted<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let mut counts = BTreeMap::<&str, usize>::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    if counts.len() == 1 {
        return counts.keys().copied().collect();
    }
    counts.iter().map(|(value, count)| format!("{value} × {count}")).collect::<Vec<_>>().join(", ")
}
