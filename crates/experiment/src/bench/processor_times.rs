//! The processor time of a command.

use tacho_record::{LimitedExecutions, Sample};
use tacho_stats::summary::median;
use tacho_stats::{Bound, BoundedValue};

/// Processor time in the program and in the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProcessorTimes {
    /// In the program, in nanoseconds.
    pub user: Option<BoundedValue>,
    /// In the kernel, in nanoseconds.
    pub sys: Option<BoundedValue>,
    /// The means of both.
    pub means: [Option<BoundedValue>; 2],
}

impl ProcessorTimes {
    /// The times from the values of both and those that were cut off, in the order of the
    /// executions.
    pub fn of(
        user: Option<&(Vec<f64>, LimitedExecutions)>,
        sys: Option<&(Vec<f64>, LimitedExecutions)>,
    ) -> Self {
        let means = [user, sys].map(|it| it.and_then(mean));
        let ([Some(in_user), Some(in_sys)], Some((user, _)), Some((sys, _))) = (means, user, sys)
        else {
            return Self { user: means[0], sys: means[1], means };
        };
        let all: Vec<f64> = user.iter().zip(sys).map(|(user, sys)| user + sys).collect();
        let sum = in_user.value + in_sys.value;
        let is_cut_off = in_user.bound != in_sys.bound
            || in_user.bound != Bound::Exact
            || user.len() != sys.len();
        let scale = median(&all).filter(|_| sum > 0.0 && !is_cut_off).map_or(1.0, |it| it / sum);
        let part = |mean: BoundedValue| Some(BoundedValue { value: mean.value * scale, ..mean });
        Self { user: part(in_user), sys: part(in_sys), means }
    }
}

/// The median of processor time by wall time: only of executions that have a share, which those
/// with processes left behind do not.
pub(super) fn cpu_percent(counted: &[&Sample]) -> Option<f64> {
    let has = |it: &&&Sample| it.value("cpu-percent").is_some();
    let share = |it: &&Sample| Some(it.value("cpu")? / it.value("wall")?);
    let shares: Vec<f64> =
        counted.iter().filter(has).filter_map(share).filter(|it| it.is_finite()).collect();
    median(&shares).map(|share| 100.0 * share)
}

/// The mean of values and of those that were cut off, of which each may have been more; `None` if
/// one of them is entirely unknown.
fn mean((values, limited): &(Vec<f64>, LimitedExecutions)) -> Option<BoundedValue> {
    let number = (values.len() + limited.bounds.len()) as f64;
    let sum: f64 = values.iter().chain(&limited.bounds).sum();
    let is_known = number > 0.0 && limited.bounds.len() == limited.count as usize;
    is_known.then(|| BoundedValue::least(sum / number, limited.count > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_execution_moves_neither_time() {
        let of = |values: &[f64]| (values.to_vec(), LimitedExecutions::default());
        let (user, sys) = (of(&[3.0, 3.0, 2.0, 90.0]), of(&[1.0, 1.0, 2.0, 10.0]));
        let times = ProcessorTimes::of(Some(&user), Some(&sys));
        let values = [times.user, times.sys].map(|it| it.unwrap().value);
        // 98 of 112 are in the program.
        assert_eq!(values, [3.5, 0.5]);
    }
}
