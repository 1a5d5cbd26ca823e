//! The bytes that a group's processes read from devices and wrote to them, by `io.stat`.
//!
//! The file has a line a device. Devices may be stacked on others (encrypted, logical, mirrored,
//! made of a file). The same bytes may then be in several lines, or only in the upper one: the
//! kernel writes the data of an encrypted device to the lower one on its own behalf. So neither the
//! sum nor one layer is the real amount.

use std::ops::AddAssign;

use crate::Blocks;
use crate::host::HostFiles;

/// The file, of version 2.
pub const FILE: &str = "io.stat";

/// The layer of a device in a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    /// The device is on no other one, as nearly all.
    Bottom,
    /// The device is on others, and others are on it.
    Middle,
    /// The device is on others.
    Top,
}

/// The amounts for devices: in each direction the larger one of the top and the bottom layer.
pub fn sum(text: &str, files: &HostFiles) -> Blocks {
    let (mut top, mut bottom) = (Blocks::default(), Blocks::default());
    for (device, blocks) in text.lines().filter_map(line) {
        match layer(files, device) {
            Layer::Bottom => bottom += blocks,
            Layer::Middle => {}
            Layer::Top => top += blocks,
        }
    }
    Blocks { read: top.read.max(bottom.read), written: top.written.max(bottom.written) }
}

/// A line is `8:16 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0`; one without
/// bytes is of a device that only has settings. Linux 5.15 and 5.16 end no line of such a device,
/// so that it precedes the next one on its line.
fn line(line: &str) -> Option<(&str, Blocks)> {
    let words = line.split_ascii_whitespace();
    let device = words.clone().take_while(|word| !word.contains('=')).last()?;
    let value = |name: &str| words.clone().find_map(|word| word.strip_prefix(name)?.parse().ok());
    Some((device, Blocks { read: value("rbytes=")?, written: value("wbytes=")? }))
}

/// By the folder that the system has of each device.
fn layer(files: &HostFiles, device: &str) -> Layer {
    let folder = format!("/sys/dev/block/{device}");
    let has = |name: &str| !files.names(&format!("{folder}/{name}")).is_empty();
    let is_stacked = has("slaves") || files.read(&format!("{folder}/loop/backing_file")).is_ok();
    // On a part of it counts as on it.
    let held = || {
        has("holders") || files.names(&folder).iter().any(|part| has(&format!("{part}/holders")))
    };
    match is_stacked {
        false => Layer::Bottom,
        true if held() => Layer::Middle,
        true => Layer::Top,
    }
}

impl AddAssign for Blocks {
    fn add_assign(&mut self, other: Self) {
        self.read = self.read.saturating_add(other.read);
        self.written = self.written.saturating_add(other.written);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    /// A host with these files below `/sys/dev/block`.
    fn host(folders: &[&str]) -> (tempfile::TempDir, HostFiles) {
        let root = tempfile::tempdir().unwrap();
        for folder in folders {
            fs::create_dir_all(root.path().join("sys/dev/block").join(folder)).unwrap();
        }
        let files = HostFiles::below(root.path());
        (root, files)
    }

    #[test]
    fn two_disks_are_added() {
        // The manual's example; a third device has no more than a setting.
        let text = "8:16 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0\n8:0 \
            rbytes=90430464 wbytes=299008000 rios=8950 wios=1252 dbytes=50331648 dios=3021\n253:1 \
            \n";
        let (_root, files) = host(&["8:0/slaves", "8:16/slaves"]);
        assert_eq!(sum(text, &files), Blocks { read: 91_889_664, written: 613_781_504 });
        assert_eq!(sum("", &files), Blocks::default(), "it touched none");
    }

    #[test]
    fn devices_without_numbers_may_stand_before_one_with() {
        // As https://github.com/canonical/lxd/issues/10052 shows it, of Linux 5.15: detached
        // devices, and one that was used.
        let text = "7:7 7:6 7:5 7:4 rbytes=28672 wbytes=0 rios=22 wios=0 dbytes=0 dios=0";
        assert_eq!(line(text), Some(("7:4", Blocks { read: 28_672, written: 0 })));
        // As https://github.com/green-coding-solutions/green-metrics-tool/pull/1837 does, of a
        // group that was just made.
        assert_eq!((line("252:0 "), line("rbytes=1 wbytes=1"), line("")), (None, None, None));
    }

    #[test]
    fn what_an_encrypted_device_wrote_is_in_its_own_line_alone() {
        // As https://github.com/systemd/systemd/issues/33482 shows it, of a disk with an encrypted
        // part.
        let text = "8:0 rbytes=16728064 wbytes=0 rios=350 wios=2 dbytes=0 dios=0\n\
                    254:0 rbytes=16728064 wbytes=7294976 rios=350 wios=816 dbytes=0 dios=0\n";
        let (_root, files) = host(&["8:0/sda2/holders/dm-0", "8:0/slaves", "254:0/slaves/sda2"]);
        assert_eq!(sum(text, &files), Blocks { read: 16_728_064, written: 7_294_976 });
    }

    #[test]
    fn layers_between_are_counted_once() {
        // Logical volumes on a mirror of two disks, of which one was read.
        let text = "8:0 rbytes=3036119040 wbytes=4096 rios=9 wios=1\n8:16 rbytes=0 wbytes=4096 \
            rios=0 wios=1\n9:3 rbytes=3036119040 wbytes=4096 rios=9 wios=1\n253:35 \
            rbytes=3036119040 wbytes=4096 rios=9 wios=1\n";
        let mirror =
            ["9:3/slaves/sda", "9:3/slaves/sdb", "9:3/md3p1/holders/dm-35", "253:35/slaves/md3p1"];
        let (_root, files) = host(&mirror);
        assert_eq!(sum(text, &files), Blocks { read: 3_036_119_040, written: 8192 });
    }

    #[test]
    fn a_device_made_of_a_file_stands_on_another() {
        let (root, files) = host(&["7:0/loop"]);
        fs::write(root.path().join("sys/dev/block/7:0/loop/backing_file"), "/srv/image\n").unwrap();
        let text =
            "7:0 rbytes=4096 wbytes=8192 rios=1 wios=1\n8:0 rbytes=4096 wbytes=0 rios=1 wios=0\n";
        assert_eq!(sum(text, &files), Blocks { read: 4096, written: 8192 });
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[0-9a-z:= \n]{0,200}") {
            let _ = sum(&text, &HostFiles::below(Path::new("/nowhere")));
        }
    }
}
