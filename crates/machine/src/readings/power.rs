//! The source of power, and the profile of the firmware.

use crate::root::{FactReading, Root, missing};

const SUPPLIES: &str = "/sys/class/power_supply";
/// The profile that the firmware follows.
pub const PROFILE: &str = "/sys/firmware/acpi/platform_profile";

/// The source of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// A battery alone.
    Battery,
    /// The mains.
    Mains,
}

/// The source of power, on machines with a battery.
pub fn supply(root: &Root) -> FactReading<Supply> {
    let read = |name: &String, file: &str| root.read(&format!("{SUPPLIES}/{name}/{file}"));
    let supplies = root.names(SUPPLIES);
    let of_kind = |wanted: &str| {
        supplies
            .iter()
            .filter(|name| read(name, "type").is_ok_and(|kind| kind == wanted))
            .collect::<Vec<_>>()
    };
    let mains = [of_kind("Mains"), of_kind("USB")].concat();
    let is_device = |name: &&&String| read(name, "scope").is_ok_and(|scope| scope == "Device");
    let batteries = of_kind("Battery").iter().filter(|name| !is_device(name)).count();
    if mains.iter().any(|name| read(name, "online").is_ok_and(|online| online == "1")) {
        return Ok(Supply::Mains);
    }
    if batteries > 0 { Ok(Supply::Battery) } else { Err(missing(&[&format!("{SUPPLIES}/BAT*")])) }
}
