//! A server that speaks in lines of the test's choosing, for adapters whose platform nobody else has.

use anyhow::{Context as _, Result};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::client::capped;

/// A listening socket; the test answers every connection itself.
#[derive(Debug)]
pub struct LineServer {
    listener: TcpListener,
}

impl LineServer {
    /// Listens on a free port of this machine.
    ///
    /// # Errors
    /// When the system has none.
    pub async fn start() -> Result<Self> {
        Ok(Self { listener: TcpListener::bind(("127.0.0.1", 0)).await? })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the system does not know it.
    pub fn port(&self) -> Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    /// The next one who connects.
    ///
    /// # Errors
    /// When nobody does.
    pub async fn accept(&self) -> Result<LinePeer> {
        let connected = capped("somebody to connect", async { Ok(self.listener.accept().await?) }).await?;
        Ok(LinePeer { stream: BufReader::new(connected.0) })
    }
}

/// One who connected to a [`LineServer`].
#[derive(Debug)]
pub struct LinePeer {
    stream: BufReader<TcpStream>,
}

impl LinePeer {
    /// The next line they send.
    ///
    /// # Errors
    /// When none comes, or they leave.
    pub async fn next(&mut self) -> Result<String> {
        let mut line = String::new();
        let reading = async { Ok(self.stream.read_line(&mut line).await?) };
        let read = capped("a line", reading).await?;
        let whole = line.strip_suffix('\n').filter(|_| read > 0);
        whole.map(str::to_owned).context("they left before a whole line was sent")
    }

    /// Sends them a line.
    ///
    /// # Errors
    /// When they left.
    pub async fn send(&mut self, line: &str) -> Result<()> {
        Ok(self.stream.get_mut().write_all(format!("{line}\n").as_bytes()).await?)
    }
}
