//! Disturbances: changed conditions of a machine while a program is measured.

use serde::{Deserialize, Serialize};

/// A changed condition while a program is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "disturbance", rename_all = "kebab-case")]
pub enum Disturbance {
    /// Memory is at random addresses, or it is not, whichever is not usual.
    Addresses {
        /// Whether memory is at random addresses.
        random: bool,
    },
    /// All processors were busy right before.
    Burst,
    /// The system has no files in memory.
    Cold {
        /// Whether it forgets all files, or those of the program alone.
        all: bool,
    },
    /// Another process keeps a processor busy.
    Companion {
        /// The place.
        place: CompanionPlace,
        /// The processor that it keeps busy.
        number: u32,
    },
    /// The program has only this processor.
    Cpu {
        /// The processor's number.
        number: u32,
    },
    /// The environment is longer by a random number of bytes, another one each time.
    Environment,
    /// All processors run at one frequency.
    Frequency {
        /// Whether that is the highest; else it is the lowest.
        high: bool,
    },
    /// Memory comes in huge pages, or it does not, whichever is not usual.
    HugePages {
        /// Whether memory comes in huge pages.
        allowed: bool,
    },
    /// Both are linked in another order.
    Layout {
        /// The seed of the order.
        number: u32,
    },
    /// The program has little more memory than it needs.
    Memory {
        /// The available memory, in bytes.
        bytes: u64,
    },
    /// The kernel prefers other processes.
    Nice {
        /// Its niceness.
        value: i32,
    },
    /// The program has only the processors of one socket.
    Socket {
        /// The socket's number.
        number: u32,
    },
    /// Its files are on another file system.
    Storage {
        /// Whether that is in memory; else it is on a disk.
        memory: bool,
    },
    /// The same program is executed beside it all the time.
    Twice,
}

/// The cause to name for a program that is faster beside a busy core.
const CLOCK: &str = "the clock frequency";

/// The place of the processor that a companion keeps busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompanionPlace {
    /// On a core that the program does not need.
    OtherCore,
    /// On the processor that the program has alone.
    SameCpu,
    /// On the other thread of the core that the program has alone.
    Sibling,
}

impl Disturbance {
    /// All names, in the order in which they are probed.
    pub const NAMES: [&'static str; 17] = [
        "core",
        "sibling",
        "same-cpu",
        "one-cpu",
        "socket",
        "frequency-low",
        "frequency-high",
        "environment",
        "addresses",
        "layout",
        "cold",
        "memory",
        "burst",
        "twice",
        "storage",
        "nice",
        "huge-pages",
    ];

    /// Its name, as it is typed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Addresses { .. } => "addresses",
            Self::Burst => "burst",
            Self::Cold { .. } => "cold",
            Self::Companion { place: CompanionPlace::OtherCore, .. } => "core",
            Self::Companion { place: CompanionPlace::SameCpu, .. } => "same-cpu",
            Self::Companion { place: CompanionPlace::Sibling, .. } => "sibling",
            Self::Cpu { .. } => "one-cpu",
            Self::Environment => "environment",
            Self::Frequency { high: true } => "frequency-high",
            Self::Frequency { high: false } => "frequency-low",
            Self::HugePages { .. } => "huge-pages",
            Self::Layout { .. } => "layout",
            Self::Memory { .. } => "memory",
            Self::Nice { .. } => "nice",
            Self::Socket { .. } => "socket",
            Self::Storage { .. } => "storage",
            Self::Twice => "twice",
        }
    }

    /// What distinguishes it from others of its name: a processor, a socket or an order of linking.
    #[must_use]
    pub fn number(self) -> Option<u32> {
        match self {
            Self::Companion { number, .. }
            | Self::Cpu { number }
            | Self::Layout { number }
            | Self::Socket { number } => Some(number),
            _ => None,
        }
    }

    /// In words, after *with*.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Addresses { random: true } => "memory at random addresses".to_owned(),
            Self::Addresses { random: false } => {
                "memory at the same addresses each time".to_owned()
            }
            Self::Burst => "all processors busy right before".to_owned(),
            Self::Cold { all: true } => "the file cache empty".to_owned(),
            Self::Cold { all: false } => "its own files not in the file cache".to_owned(),
            Self::Companion { place: CompanionPlace::OtherCore, number } => {
                format!("another core busy (processor {number})")
            }
            Self::Companion { place: CompanionPlace::SameCpu, number } => {
                format!("processor {number} shared with a busy process")
            }
            Self::Companion { place: CompanionPlace::Sibling, number } => {
                format!("the other thread of its core busy (processor {number})")
            }
            Self::Cpu { number } => format!("processor {number} alone"),
            Self::Environment => "an environment of random length".to_owned(),
            Self::Frequency { high: true } => "the clock fixed high".to_owned(),
            Self::Frequency { high: false } => "the clock fixed low".to_owned(),
            Self::HugePages { allowed: true } => "huge pages".to_owned(),
            Self::HugePages { allowed: false } => "no huge pages".to_owned(),
            Self::Layout { number } => format!("another order of linking ({number})"),
            Self::Memory { bytes: 0 } => "hardly more memory than it needs".to_owned(),
            Self::Memory { bytes } => {
                format!("{} of memory at most", crate::Unit::Bytes.show(bytes as f64))
            }
            Self::Nice { value } => format!("niceness {value}"),
            Self::Socket { number } => format!("socket {number} alone"),
            Self::Storage { memory: true } => "its files in memory (tmpfs)".to_owned(),
            Self::Storage { memory: false } => "its files on a disk".to_owned(),
            Self::Twice => "a second instance beside it".to_owned(),
        }
    }

    /// In words, for a sentence: `the difference is gone when …`.
    #[must_use]
    pub fn when(self) -> String {
        let text = match self {
            Self::Addresses { random: true } => "when memory is at random addresses",
            Self::Addresses { random: false } => "when memory is at the same addresses each time",
            Self::Burst => "when all processors were busy right before",
            Self::Cold { .. } => "when the file cache is empty",
            Self::Companion { place: CompanionPlace::OtherCore, .. } => "when another core is busy",
            Self::Companion { place: CompanionPlace::SameCpu, .. } => {
                "when the program shares its processor with a busy process"
            }
            Self::Companion { place: CompanionPlace::Sibling, .. } => {
                "when the other thread of the program's core is busy"
            }
            Self::Cpu { .. } => "when the program may use only one processor",
            Self::Environment => "when the environment has another length",
            Self::Frequency { high: true } => "when the clock is fixed high",
            Self::Frequency { high: false } => "when the clock is fixed low",
            Self::HugePages { allowed: true } => "when memory comes in huge pages",
            Self::HugePages { allowed: false } => "when memory does not come in huge pages",
            Self::Layout { .. } => "when the program is linked in another order",
            Self::Memory { .. } => "when the program has hardly more memory than it needs",
            Self::Nice { .. } => "when the kernel prefers other processes",
            Self::Socket { number } => {
                return format!("when the program may use only the processors of socket {number}");
            }
            Self::Storage { memory: true } => "when the files of the program are in memory",
            Self::Storage { memory: false } => "when the files of the program are on a disk",
            Self::Twice => "when a second instance is executed beside the program",
        };
        text.to_owned()
    }

    /// The likely cause of a difference that disappears under a disturbance. `faster`: whether one
    /// of the programs is faster under it.
    #[must_use]
    pub fn blames(self, faster: bool) -> &'static str {
        match self {
            Self::Companion { place, .. } if faster && place != CompanionPlace::SameCpu => CLOCK,
            Self::Frequency { .. } => CLOCK,
            Self::Companion { place: CompanionPlace::OtherCore, .. } => {
                "what the cores share (caches, memory)"
            }
            Self::Companion { place: CompanionPlace::Sibling, .. } => {
                "what the threads of a core share"
            }
            Self::Companion { place: CompanionPlace::SameCpu, .. } | Self::Nice { .. } => {
                "how the kernel assigns processors"
            }
            Self::Burst => "the state that a busy machine leaves behind",
            Self::Cpu { .. } => "how its processes are spread over processors",
            Self::Socket { .. } => "the socket",
            Self::Environment => "the length of the environment, which moves the stack",
            Self::Addresses { .. } => "addresses of memory",
            Self::Layout { .. } => "the layout of the code",
            Self::Cold { .. } => "which files the system has in memory",
            Self::Memory { .. } => "free memory",
            Self::Storage { .. } => "the file system",
            Self::HugePages { .. } => "the size of pages",
            Self::Twice => "what two instances share",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_of_kept_bisections_are_read() {
        let kept = r#"{"disturbance":"cpu","number":7}"#;
        let read: Disturbance = serde_json::from_str(kept).unwrap();
        assert_eq!(read, Disturbance::Cpu { number: 7 });
        assert_eq!(serde_json::to_string(&read).unwrap(), kept);
        let companion = Disturbance::Companion { place: CompanionPlace::OtherCore, number: 3 };
        let text = r#"{"disturbance":"companion","place":"other-core","number":3}"#;
        assert_eq!(serde_json::to_string(&companion).unwrap(), text);
        assert_eq!(companion.name(), "core");
    }
}
