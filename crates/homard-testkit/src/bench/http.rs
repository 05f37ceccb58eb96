//! One blocking `GET`: waiting for readiness wants finer steps than a runtime's timer, and nothing else runs.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Result, anyhow};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks for `path` and returns status and body.
pub(super) fn get(port: u16, path: &str) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| anyhow!("not HTTP: {answer}"))?;
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    Ok((status.ok_or_else(|| anyhow!("no status: {head}"))?, body.to_owned()))
}
