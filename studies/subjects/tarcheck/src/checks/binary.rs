//! Checks of content by its first bytes.

use super::{File, Finding};

pub(super) fn prebuilt(file: &File) -> Option<Finding> {
    let content = file.content;
    let what = match content {
        [0x7f, b'E', b'L', b'F', ..] => "ELF",
        [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..] | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] => "Mach-O",
        // Fat Mach-O files begin like this too, with a small number of architectures where Java has
        // its version.
        [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, count, ..] if *count < 30 => "Mach-O",
        [0xca, 0xfe, 0xba, 0xbe, ..] => "Java class",
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => "WebAssembly",
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', b'\n', ..] => "static library",
        [b'M', b'Z', ..] if is_portable_executable(content) => "Windows executable",
        [_, _, b'\r', b'\n', ..] if file.extension() == b"pyc" => "Python bytecode",
        _ => return None,
    };
    Some(Finding::note(what))
}

/// The header's place is at 0x3c; any text may begin with `MZ`.
fn is_portable_executable(content: &[u8]) -> bool {
    let Some(place) = content.get(0x3c..0x40).and_then(|bytes| bytes.first_chunk::<4>()) else {
        return false;
    };
    let place = u32::from_le_bytes(*place) as usize;
    content.get(place..).is_some_and(|header| header.starts_with(b"PE\0\0"))
}

pub(super) fn archive(file: &File) -> Option<Finding> {
    let what = match file.content {
        [b'P', b'K', 3, 4, ..] => "zip",
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => "rar",
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => "7z",
        content if content.get(257..262) == Some(b"ustar") => "tar",
        content => match unpack::Format::detect(content) {
            unpack::Format::Plain | unpack::Format::Lzma => return None,
            unpack::Format::Gzip => "gzip",
            unpack::Format::Xz => "xz",
            unpack::Format::Zstd => "zstd",
            unpack::Format::Bzip2 => "bzip2",
            unpack::Format::Lz4 => "lz4",
        },
    };
    Some(Finding::note(what))
}

/// Extensions of files that hold text and nothing else.
const TEXT: [&[u8]; 24] = [
    b"c", b"h", b"cc", b"cpp", b"hpp", b"rs", b"go", b"py", b"pl", b"pm", b"rb", b"sh", b"js",
    b"ts", b"java", b"md", b"txt", b"toml", b"json", b"xml", b"html", b"css", b"yml", b"yaml",
];

pub(super) fn nul_in_text(file: &File) -> Option<Finding> {
    if !TEXT.contains(&file.extension()) {
        return None;
    }
    let at = memchr::memchr(0, file.content)?;
    let is_utf16 = matches!(file.content, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    Some(Finding::at(file, at, if is_utf16 { "UTF-16" } else { "" }))
}
