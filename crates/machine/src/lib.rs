//! The machine: what it is, whether it is fit to measure on, and its settings.
//!
//! `readings` read the kernel's files through one path root ([`Root`]). [`Facts`] list them;
//! `doctor` judges them; `tune` changes them and puts them back. This crate executes no benchmark
//! and knows no plan: floor 2, on `record` alone.

mod cpu_list;
pub mod doctor;
mod facts;
mod host;
mod packages;
mod readings;
mod root;
mod tools;
pub mod tune;

pub use cpu_list::{CpuList, CpuListError};
pub use facts::{Fact, FactChange, Facts, PACKAGES, host_name};
pub use host::{facts_of_now, host};
pub use packages::{PackageChange, PackageList};
pub use root::{FactReading, Root};
