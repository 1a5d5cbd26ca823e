//! The advice for unclear results on a host with other work: one list for all commands, the
//! cheapest way first.

use tacho_record::is_mostly_busy;

/// The metric of instructions that callgrind counts.
pub const CALLGRIND: &str = "callgrind-instructions";

/// The abilities of this host beyond executing one program after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostAbilities {
    /// Whether callgrind is installed.
    pub callgrind: bool,
    /// Whether two programs can be executed at the same time.
    pub several_cpus: bool,
}

/// The ways that are open here.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaysOut<'a> {
    /// How CPU time is requested: `` `-m cpu` compares ``; `None` if it is no other way.
    pub cpu: Option<&'a str>,
    /// Busy time by wall time of what was executed, if that is known: what sleeps or waits shows
    /// nothing in its CPU time.
    pub busy_share: Option<f64>,
    /// How callgrind is requested: `` `--counter instructions=callgrind` ``; `None` if it is not
    /// installed, or counts already.
    pub callgrind: Option<&'a str>,
    /// Whether two programs can be executed at the same time.
    pub duet: bool,
    /// Whether the command can wait until the host is quiet, and does not wait yet.
    pub quiet_wait: bool,
}

impl WaysOut<'_> {
    /// Each as a clause, the cheapest first; one at least.
    #[must_use]
    pub fn ways(&self) -> Vec<String> {
        let is_idle = self.busy_share.is_some() && !is_mostly_busy(self.busy_share);
        let cpu = self.cpu.filter(|_| is_mostly_busy(self.busy_share));
        let ways = [
            cpu.map(|asked| format!("{asked} the CPU time, which varies less")),
            self.callgrind
                .filter(|_| !is_idle)
                .map(|asked| format!("{asked} counts instructions, which hardly vary")),
            self.duet.then(|| {
                "`--duet` executes both at the same time, so other work disturbs both".to_owned()
            }),
            self.quiet_wait.then(|| "`--quiet-wait=10m` waits until the host is quiet".to_owned()),
        ];
        let ways: Vec<String> = ways.into_iter().flatten().collect();
        if ways.is_empty() { vec!["measure again when the host is quiet".to_owned()] } else { ways }
    }

    /// All of them in one line.
    #[must_use]
    pub fn line(&self) -> String {
        self.ways().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_way_is_first_and_cpu_time_only_where_it_shows_something() {
        let all = WaysOut {
            cpu: Some("`-m cpu` compares"),
            busy_share: Some(0.98),
            callgrind: Some("`--counter instructions=callgrind`"),
            duet: true,
            quiet_wait: true,
        };
        assert_eq!(
            all.line(),
            "`-m cpu` compares the CPU time, which varies less; `--counter instructions=callgrind` \
             counts instructions, which hardly vary; `--duet` executes both at the same time, so \
             other work disturbs both; `--quiet-wait=10m` waits until the host is quiet"
        );
        let starts = |busy_share: Option<f64>, with: &str| {
            let line = WaysOut { busy_share, ..all }.line();
            assert!(line.starts_with(with), "{line}");
        };
        starts(None, "`--counter instructions=callgrind`");
        // What sleeps has hardly any instructions either.
        starts(Some(0.02), "`--duet`");
        assert_eq!(WaysOut::default().line(), "measure again when the host is quiet");
    }
}
