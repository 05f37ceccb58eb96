//! Looking at files: rights, databases, who listens on a port. Nothing is written, not even by SQLite.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_runtime::Arrange as _;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rusqlite::{Connection, OpenFlags};

use crate::scene::Depth;

/// Rights of everybody but the owner.
pub(crate) const OTHERS: u32 = 0o077;
/// The rights to write of everybody but the owner.
pub(crate) const OTHERS_WRITE: u32 = 0o022;
const BUSY: Duration = Duration::from_secs(2);
/// Most problems of one database that are told.
const MAX_PROBLEMS: u32 = 5;

/// The rights of a file or folder, links followed; `None` when it is not there.
pub(crate) fn mode(path: &Path) -> Option<u32> {
    fs::metadata(path).ok().map(|about| about.mode() & 0o7777)
}

/// The names in a folder, sorted; none where it cannot be read.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.arrange();
    found
}

pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Opens a database so that nothing beside it is made, where no gateway writes to it and its log of writes is empty.
pub(crate) fn open_database(path: &Path, is_in_use: bool) -> rusqlite::Result<Connection> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let is_still = !is_in_use && fs::metadata(log).map_or(true, |about| about.len() == 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = if is_still {
        let escaped = utf8_percent_encode(&path.to_string_lossy(), NON_ALPHANUMERIC).to_string();
        let address = format!("file:{}?immutable=1", escaped.replace("%2F", "/"));
        Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)?
    } else {
        Connection::open_with_flags(path, flags)?
    };
    conn.busy_timeout(BUSY)?;
    Ok(conn)
}

/// What SQLite finds wrong with a database; empty when it is whole.
pub(crate) fn database_problems(conn: &Connection, depth: Depth) -> Vec<String> {
    let check = match depth {
        Depth::Quick => "quick_check",
        Depth::Deep => "integrity_check",
    };
    let asked = conn.prepare(&format!("PRAGMA {check}({MAX_PROBLEMS})")).and_then(|mut asked| {
        asked.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<String>>>()
    });
    match asked {
        Ok(lines) => lines.into_iter().filter(|line| line != "ok").collect(),
        Err(error) => vec![error.to_string()],
    }
}

/// Who listens on a port of this machine, by name and number, where the system tells.
pub(crate) fn listener_on(port: u16) -> Option<String> {
    let sockets =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
    let inode =
        sockets.iter().flat_map(|table| table.lines()).find_map(|line| listening_inode(line, port))?;
    let link = format!("socket:[{inode}]");
    entries(Path::new("/proc")).into_iter().find_map(|process| {
        let pid: u32 = name_of(&process).parse().ok()?;
        let holds = entries(&process.join("fd"))
            .iter()
            .any(|file| fs::read_link(file).is_ok_and(|to| to.to_string_lossy() == link));
        let name = || fs::read_to_string(process.join("comm")).unwrap_or_default();
        holds.then(|| format!("{} (process {pid})", name().trim()))
    })
}

/// The inode of a line of `/proc/net/tcp` that says that somebody listens on the port.
fn listening_inode(line: &str, port: u16) -> Option<&str> {
    const LISTENS: &str = "0A";
    let mut words = line.split_whitespace();
    let local = words.nth(1)?.rsplit_once(':')?.1;
    let state = words.nth(1)?;
    (u16::from_str_radix(local, 16) == Ok(port) && state == LISTENS).then(|| words.nth(5)).flatten()
}

/// Whether a program can be found.
pub(crate) fn in_path(program: &str, path: Option<&str>) -> bool {
    std::env::split_paths(path.unwrap_or_default()).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::{listener_on, listening_inode};

    #[test]
    fn a_line_of_the_kernels_table_names_the_socket_that_listens() {
        let line = "   0: 0100007F:4965 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 424242 1 0 100 0 0 10 0";
        assert_eq!(listening_inode(line, 18_789), Some("424242"));
        assert_eq!(listening_inode(line, 18_790), None);
        assert_eq!(listening_inode(&line.replace(" 0A ", " 01 "), 18_789), None);
        assert_eq!(listening_inode("  sl  local_address", 1), None);
    }

    #[test]
    fn whoever_listens_is_found_by_name() {
        let socket = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = socket.local_addr().unwrap().port();
        let who = listener_on(port).unwrap();
        assert!(who.ends_with(&format!("(process {})", std::process::id())), "{who}");
    }
}
