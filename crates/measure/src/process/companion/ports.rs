//! Ports of this host: whether something listens on one, and one on which nothing does.
//!
//! Read from the kernel's tables, and not found out by connecting: a server that serves one client
//! would have served it then.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

/// The states in these tables that mean that it can be reached: TCP listens, UDP is open.
const TABLES: [(&str, &str); 4] = [("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")];

/// The sockets that can be reached at that port, by their inodes; `proc` is `/proc`.
pub fn sockets_at(proc: &Path, port: u16) -> Vec<u64> {
    let tables = TABLES.iter().filter_map(|(name, state)| {
        let text = fs::read_to_string(proc.join("net").join(name)).ok()?;
        Some(text.lines().skip(1).filter_map(|line| socket(line, state, port)).collect::<Vec<_>>())
    });
    tables.flatten().collect()
}

/// The inode of a socket, if the line of a table is one at that port and in that state.
fn socket(line: &str, state: &str, port: u16) -> Option<u64> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let (_, its_port) = fields.get(1)?.rsplit_once(':')?;
    let is_it = u16::from_str_radix(its_port, 16).ok()? == port && *fields.get(3)? == state;
    is_it.then(|| fields.get(9)?.parse().ok()).flatten()
}

/// The process with one of these sockets, as far as visible: `nginx (process 812)`.
pub fn holder(proc: &Path, sockets: &[u64]) -> Option<String> {
    let links: Vec<String> = sockets.iter().map(|inode| format!("socket:[{inode}]")).collect();
    let processes = fs::read_dir(proc).ok()?.flatten();
    processes.map(|entry| entry.path()).find_map(|process| {
        let pid: u32 = process.file_name()?.to_str()?.parse().ok()?;
        let mut files = fs::read_dir(process.join("fd")).ok()?.flatten();
        let has = files.any(|file| {
            fs::read_link(file.path())
                .is_ok_and(|link| links.iter().any(|wanted| link.as_os_str() == wanted.as_str()))
        });
        let name = has.then(|| fs::read_to_string(process.join("comm")).ok()).flatten()?;
        Some(format!("`{}` (process {pid})", name.trim()))
    })
}

/// A port that is free at this moment, of those that the system gives out itself.
pub fn free() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use proptest::prelude::*;

    use super::*;

    const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when \
        retrnsmt   uid  timeout inode\n   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 \
        00:00000000 00000000     0        0 1001 1 0 100 0 0 10 0\n   1: 0100007F:1F91 \
        0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 1002 1 0 20 4 30 \
        10 -1\n";
    const UDP6: &str = "  sl  local_address  remote_address  st tx_queue rx_queue tr tm->when \
        retrnsmt uid timeout inode ref\n  12: 00000000000000000000000000000000:0035 \
        00000000000000000000000000000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 1003 \
        2 0 0\n";

    #[test]
    fn a_port_is_taken_where_something_listens_and_not_where_it_talks() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("net")).unwrap();
        fs::write(folder.path().join("net/tcp"), TCP).unwrap();
        fs::write(folder.path().join("net/udp6"), UDP6).unwrap();
        assert_eq!(sockets_at(folder.path(), 8080), [1001]);
        assert_eq!(sockets_at(folder.path(), 8081), [0; 0]);
        assert_eq!(sockets_at(folder.path(), 53), [1003]);
        assert_eq!(sockets_at(Path::new("/nowhere"), 53), [0; 0]);
    }

    #[test]
    fn a_real_port_is_free_then_taken_by_us() {
        let proc = Path::new("/proc");
        let port = free().unwrap();
        assert_eq!(sockets_at(proc, port), [0; 0]);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
        let sockets = sockets_at(proc, port);
        assert_eq!(sockets.len(), 1);
        let us = format!("(process {})", std::process::id());
        assert!(holder(proc, &sockets).is_some_and(|holder| holder.ends_with(&us)));
        drop(listener);
        let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert_eq!(sockets_at(proc, udp.local_addr().unwrap().port()).len(), 1);
    }

    proptest! {
        #[test]
        fn any_line_is_a_socket_or_none(line in "[ 0-9A-F:]{0,80}", port: u16) {
            let _ = socket(&line, "0A", port);
        }
    }
}
