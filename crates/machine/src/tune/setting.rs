//! The settings of `tacho tune`: `turbo=off`.

use std::fmt;
use std::str::FromStr;

use crate::cpu_list::CpuList;

/// A setting of the machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TuneSetting {
    // In the order in which they are made; put back in the reverse one.
    /// A service is stopped.
    Stop(String),
    /// The scheduler shares CPUs among sessions.
    Autogroup(bool),
    /// A counter of each CPU watches for a hung kernel.
    Watchdog(bool),
    /// How much of the address space is random: 0, 1 or 2.
    Aslr(u8),
    /// When large pages are given out: `always`, `madvise` or `never`.
    HugePages(String),
    /// Memory moves between nodes.
    NumaBalancing(bool),
    /// Samples per second that `perf` may take.
    PerfRate(u32),
    /// The governor of all CPUs. Before turbo: some drivers switch turbo with the governor.
    Governor(String),
    /// CPUs may exceed their base frequency.
    Turbo(bool),
    /// The second threads of cores are used. After the governor: a CPU that is off has none.
    Smt(bool),
    /// The CPUs that interrupts go to.
    Interrupts(CpuList),
    /// CPUs set aside for the command. Last: their CPUs must be on.
    Shield(CpuList),
    /// The niceness of the command.
    Nice(i32),
}

/// All settings: name, what may be written behind `=`, what it is without one, what it does.
pub const SETTINGS: [(&str, &str, Option<&str>, &str); 13] = [
    ("aslr", "0|1|2", None, "how far addresses are random"),
    ("autogroup", "on|off", Some("off"), "whether CPUs are shared among sessions"),
    ("governor", "NAME", Some("performance"), "what decides the frequency of each CPU"),
    ("irq", "CPUS", None, "the CPUs that interrupts go to"),
    ("nice", "-20..19", None, "the niceness of the command"),
    ("numa-balancing", "on|off", Some("off"), "whether the kernel moves memory between nodes"),
    ("perf-rate", "N", Some("1"), "samples per second that perf may take"),
    ("shield", "CPUS", None, "CPUs that only the command may use"),
    ("smt", "on|off", Some("off"), "whether second threads of cores are used"),
    ("stop", "SERVICE", None, "a service to stop"),
    ("thp", "always|madvise|never", Some("madvise"), "when large pages are given out"),
    ("turbo", "on|off", Some("off"), "whether CPUs may exceed their base frequency"),
    ("watchdog", "on|off", Some("off"), "whether a counter watches for a hung kernel"),
];

/// A text that is no setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The setting needs a value.
    #[error("`{name}` needs a value: `{name}={values}`")]
    NoValue {
        /// Its name.
        name: &'static str,
        /// The values that it takes.
        values: &'static str,
    },
    /// No setting has this name.
    #[error("unknown setting \
             `{name}`{}", .nearest.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default())]
    Unknown {
        /// The name.
        name: String,
        /// The setting whose name is nearest.
        nearest: Option<&'static str>,
    },
    /// The setting does not take this value.
    #[error("`{name}` cannot be `{value}`: it takes {values}")]
    Value {
        /// The name of the setting.
        name: &'static str,
        /// The value.
        value: String,
        /// The values that it takes.
        values: &'static str,
    },
}

impl FromStr for TuneSetting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let (name, value) =
            text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let Some(&(name, values, usual, _)) = SETTINGS.iter().find(|(known, ..)| *known == name)
        else {
            return Err(SettingError::Unknown { name: name.to_owned(), nearest: nearest(name) });
        };
        let value = value.or(usual).ok_or(SettingError::NoValue { name, values })?;
        let wrong = || SettingError::Value { name, value: value.to_owned(), values };
        Self::of(name, value).ok_or_else(wrong)
    }
}

impl TuneSetting {
    fn of(name: &str, value: &str) -> Option<Self> {
        let cpus = || value.parse::<CpuList>().ok().filter(|cpus| !cpus.is_empty());
        Some(match name {
            "aslr" => Self::Aslr(value.parse().ok().filter(|level| *level <= 2)?),
            "autogroup" => Self::Autogroup(switch(value)?),
            "governor" => Self::Governor(word(value)?),
            "irq" => Self::Interrupts(cpus()?),
            "nice" => Self::Nice(value.parse().ok().filter(|nice| (-20..=19).contains(nice))?),
            "numa-balancing" => Self::NumaBalancing(switch(value)?),
            "perf-rate" => Self::PerfRate(value.parse().ok().filter(|rate| *rate > 0)?),
            "shield" => Self::Shield(cpus()?),
            "smt" => Self::Smt(switch(value)?),
            "stop" => Self::Stop(word(value)?),
            "thp" => Self::HugePages(
                Some(value).filter(|it| ["always", "madvise", "never"].contains(it))?.to_owned(),
            ),
            "turbo" => Self::Turbo(switch(value)?),
            "watchdog" => Self::Watchdog(switch(value)?),
            _ => return None,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Aslr(_) => "aslr",
            Self::Autogroup(_) => "autogroup",
            Self::Governor(_) => "governor",
            Self::HugePages(_) => "thp",
            Self::Interrupts(_) => "irq",
            Self::Nice(_) => "nice",
            Self::NumaBalancing(_) => "numa-balancing",
            Self::PerfRate(_) => "perf-rate",
            Self::Shield(_) => "shield",
            Self::Smt(_) => "smt",
            Self::Stop(_) => "stop",
            Self::Turbo(_) => "turbo",
            Self::Watchdog(_) => "watchdog",
        }
    }
}

impl fmt::Display for TuneSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=", self.name())?;
        match self {
            Self::Aslr(level) => write!(f, "{level}"),
            Self::Autogroup(on)
            | Self::NumaBalancing(on)
            | Self::Smt(on)
            | Self::Turbo(on)
            | Self::Watchdog(on) => f.write_str(if *on { "on" } else { "off" }),
            Self::Governor(text) | Self::HugePages(text) | Self::Stop(text) => f.write_str(text),
            Self::Interrupts(cpus) | Self::Shield(cpus) => write!(f, "{cpus}"),
            Self::Nice(nice) => write!(f, "{nice}"),
            Self::PerfRate(rate) => write!(f, "{rate}"),
        }
    }
}

fn switch(value: &str) -> Option<bool> {
    match value {
        "on" | "1" => Some(true),
        "off" | "0" => Some(false),
        _ => None,
    }
}

/// A name of letters, digits and a few signs, which is neither an option nor a path.
fn word(value: &str) -> Option<String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.@:".contains(c);
    (!value.is_empty() && !value.starts_with('-') && value.chars().all(fine))
        .then(|| value.to_owned())
}

fn nearest(name: &str) -> Option<&'static str> {
    let near = SETTINGS.iter().map(|(known, ..)| (strsim::osa_distance(known, name), *known));
    near.min().filter(|(distance, _)| *distance <= name.len() / 2).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_read_as_it_is_written() {
        for text in [
            "turbo=off",
            "governor=schedutil",
            "shield=2-3",
            "nice=-5",
            "aslr=0",
            "thp=never",
            "stop=cron",
        ] {
            assert_eq!(text.parse::<TuneSetting>().unwrap().to_string(), text);
        }
        assert_eq!("turbo".parse::<TuneSetting>().unwrap(), TuneSetting::Turbo(false));
        assert_eq!("governor".parse::<TuneSetting>().unwrap().to_string(), "governor=performance");
    }

    #[test]
    fn mistakes_are_explained() {
        let error = |text: &str| text.parse::<TuneSetting>().unwrap_err().to_string();
        assert_eq!(error("turob"), "unknown setting `turob`; did you mean `turbo`?");
        assert_eq!(error("shield"), "`shield` needs a value: `shield=CPUS`");
        assert_eq!(error("aslr=3"), "`aslr` cannot be `3`: it takes 0|1|2");
        assert_eq!(error("stop=--now"), "`stop` cannot be `--now`: it takes SERVICE");
        assert_eq!(error("governor=../x y"), "`governor` cannot be `../x y`: it takes NAME");
    }
}
