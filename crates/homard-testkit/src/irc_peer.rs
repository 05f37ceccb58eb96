//! Somebody else on an IRC server, who speaks the protocol in lines of their own and hears everything.

use std::collections::VecDeque;

use anyhow::{Result, bail};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use crate::client::capped;

/// One connection of a person. `PING` is answered by itself.
#[derive(Debug)]
pub struct IrcPeer {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    nick: String,
    /// Lines that were read while another was waited for.
    unread: VecDeque<String>,
    /// The beginning of a line that has not come to its end.
    partial: Vec<u8>,
}

impl IrcPeer {
    /// Connects to a port of this machine, without a word.
    ///
    /// # Errors
    /// When nobody listens there.
    pub async fn connect(port: u16) -> Result<Self> {
        let (reader, writer) = TcpStream::connect(("127.0.0.1", port)).await?.into_split();
        let (reader, unread) = (BufReader::new(reader), VecDeque::new());
        Ok(Self { reader, writer, nick: String::new(), unread, partial: Vec::new() })
    }

    /// Says who it is and waits for the welcome.
    ///
    /// # Errors
    /// When the server does not welcome them.
    pub async fn register(&mut self, nick: &str) -> Result<()> {
        nick.clone_into(&mut self.nick);
        self.send(&format!("NICK {nick}")).await?;
        self.send(&format!("USER {nick} 0 * :{nick}")).await?;
        self.until(" 001 ").await?;
        Ok(())
    }

    /// Their nick.
    #[must_use]
    pub fn nick(&self) -> &str {
        &self.nick
    }

    /// Sends one line as it is.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn send(&mut self, line: &str) -> Result<()> {
        self.writer.write_all(format!("{line}\r\n").as_bytes()).await?;
        Ok(())
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn send_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.write_all(bytes).await?;
        Ok(())
    }

    /// Joins a channel and waits until it is in.
    ///
    /// # Errors
    /// When it is not let in.
    pub async fn join(&mut self, channel: &str) -> Result<()> {
        self.send(&format!("JOIN {channel}")).await?;
        self.until(" 366 ").await?;
        Ok(())
    }

    /// Says something to a person or a channel.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn say(&mut self, to: &str, text: &str) -> Result<()> {
        self.send(&format!("PRIVMSG {to} :{text}")).await
    }

    /// The next line, without its end. Lines passed over by [`until`](IrcPeer::until) do not come again.
    ///
    /// # Errors
    /// When the connection ends or nothing comes.
    pub async fn line(&mut self) -> Result<String> {
        if let Some(line) = self.unread.pop_front() {
            return Ok(line);
        }
        capped("a line from the IRC server", self.read_line()).await
    }

    /// May be let go of at any point: what was read of a line stays.
    async fn read_line(&mut self) -> Result<String> {
        loop {
            if self.reader.read_until(b'\n', &mut self.partial).await? == 0 {
                bail!("the IRC server closed the connection");
            }
            let bytes = std::mem::take(&mut self.partial);
            let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned();
            match line.strip_prefix("PING ") {
                Some(token) => self.send(&format!("PONG {token}")).await?,
                None => return Ok(line),
            }
        }
    }

    /// Reads until a line contains `part`, and returns that line.
    ///
    /// # Errors
    /// When none comes; the error holds what came instead.
    pub async fn until(&mut self, part: &str) -> Result<String> {
        let mut passed = Vec::new();
        loop {
            match self.line().await {
                Ok(line) if line.contains(part) => return Ok(line),
                Ok(line) => passed.push(line),
                Err(error) => bail!("{error:#}, waiting for `{part}`; heard: {passed:#?}"),
            }
        }
    }

    /// The next thing `nick` says to `to`, a channel or this person.
    ///
    /// # Errors
    /// When they say nothing.
    pub async fn hears(&mut self, nick: &str, to: &str) -> Result<String> {
        let (head, middle) = (format!(":{nick}!"), format!(" PRIVMSG {to} "));
        loop {
            let line = self.until(&middle).await?;
            if let Some((before, text)) = line.split_once(&middle)
                && before.starts_with(&head)
            {
                return Ok(text.strip_prefix(':').unwrap_or(text).to_owned());
            }
        }
    }

    /// Waits until `nick` has joined `channel`, in which this person is already.
    ///
    /// # Errors
    /// When they do not come.
    pub async fn sees_join(&mut self, nick: &str, channel: &str) -> Result<()> {
        let head = format!(":{nick}!");
        loop {
            let line = self.until(" JOIN ").await?;
            if line.starts_with(&head) && line.trim_end().ends_with(channel) {
                return Ok(());
            }
        }
    }

    /// Every line that has come by now and was not passed over.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn heard(&mut self) -> Result<Vec<String>> {
        self.settle().await?;
        Ok(self.unread.drain(..).collect())
    }

    /// Waits for a line that contains `part`, and keeps all that come for [`heard`](IrcPeer::heard).
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn arrives(&mut self, part: &str) -> Result<()> {
        loop {
            let line = self.read_line().await?;
            let is_it = line.contains(part);
            self.unread.push_back(line);
            if is_it {
                return Ok(());
            }
        }
    }

    /// Whether everything sent so far has been worked off by the server; lines that come meanwhile are kept.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn settle(&mut self) -> Result<()> {
        self.send("PING :settled").await?;
        let mut kept = VecDeque::new();
        loop {
            let line = self.line().await?;
            if line.contains(" PONG ") && line.ends_with("settled") {
                self.unread.append(&mut kept);
                return Ok(());
            }
            kept.push_back(line);
        }
    }
}
