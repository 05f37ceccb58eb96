//! Reaching a server: the socket, its encryption, and coming in.

use std::time::Duration;

use homard_channel::ChannelError;
use homard_client::{ByteStream, encrypt};
use tokio::io::{AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::register::{RegisterStep, Registration, Welcome};
use super::settings::{Settings, Tls};
use super::wire::Lines;

/// How long the socket and its encryption may take.
const CONNECT_WITHIN: Duration = Duration::from_secs(15);
/// How long the server may take to let us in; it may look up who we are first.
const ENTER_WITHIN: Duration = Duration::from_secs(30);
/// A server that takes nothing for so long is gone.
const WRITE_WITHIN: Duration = Duration::from_secs(30);

/// A connection on which we are in.
pub(super) struct OpenConnection {
    pub(super) lines: Lines<ReadHalf<Box<dyn ByteStream>>>,
    pub(super) writer: Writer<WriteHalf<Box<dyn ByteStream>>>,
    pub(super) welcome: Welcome,
}

/// Connects and comes in under `nick`, or another when that is taken.
///
/// # Errors
/// When the server cannot be reached or does not let us in.
pub(super) async fn enter(settings: &Settings, nick: &str) -> Result<OpenConnection, ChannelError> {
    let place = format!("{}:{}", settings.host, settings.port);
    let stream = timeout(CONNECT_WITHIN, connect(settings, &place)).await.map_err(|_elapsed| {
        ChannelError::Unreachable(format!("{place} did not answer within {} s", CONNECT_WITHIN.as_secs()))
    })??;
    let (reader, writer) = tokio::io::split(stream);
    let (mut lines, mut writer) = (Lines::new(reader), Writer(writer));
    let welcome = timeout(ENTER_WITHIN, register(settings, nick, &mut lines, &mut writer)).await;
    let welcome = welcome.map_err(|_elapsed| {
        let seconds = ENTER_WITHIN.as_secs();
        ChannelError::Unreachable(format!("{place} did not let us in within {seconds} s"))
    })??;
    Ok(OpenConnection { lines, writer, welcome })
}

async fn connect(settings: &Settings, place: &str) -> Result<Box<dyn ByteStream>, ChannelError> {
    let host = settings.host.as_str();
    let stream = TcpStream::connect((host, settings.port)).await;
    let stream = stream.map_err(|error| ChannelError::Unreachable(format!("{place}: {error}")))?;
    // Lines are short and should not wait for each other.
    stream.set_nodelay(true).ok();
    let pin = match settings.tls {
        Tls::Off => return Ok(Box::new(stream)),
        Tls::System => None,
        Tls::Pinned(pin) => Some(pin),
    };
    encrypt(stream, host, place, pin).await.map_err(|error| {
        let why = std::error::Error::source(&error).map(|why| format!(": {why}")).unwrap_or_default();
        ChannelError::Unreachable(format!("{error}{why}"))
    })
}

async fn register(
    settings: &Settings,
    nick: &str,
    lines: &mut Lines<ReadHalf<Box<dyn ByteStream>>>,
    writer: &mut Writer<WriteHalf<Box<dyn ByteStream>>>,
) -> Result<Welcome, ChannelError> {
    let (mut registration, first) = Registration::begin(settings, nick);
    writer.write(&first).await?;
    loop {
        let line = lines.next().await.map_err(|error| lost(&error))?.ok_or_else(ended)?;
        match registration.hear(&line)? {
            RegisterStep::Write(lines) => writer.write(&lines).await?,
            RegisterStep::In(welcome) => return Ok(welcome),
        }
    }
}

/// The connection broke.
pub(super) fn lost(error: &std::io::Error) -> ChannelError {
    ChannelError::Unreachable(format!("lost the connection to the IRC server: {error}"))
}

/// The connection ended without a word.
pub(super) fn ended() -> ChannelError {
    ChannelError::Unreachable("the IRC server closed the connection".to_owned())
}

/// Writes lines.
#[derive(Debug)]
pub(super) struct Writer<W>(pub(super) W);

impl<W: AsyncWrite + Unpin> Writer<W> {
    /// Writes lines at once, each up to its first line break.
    ///
    /// # Errors
    /// When the server does not take them.
    pub(super) async fn write(&mut self, lines: &[String]) -> Result<(), ChannelError> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        for line in lines {
            text.push_str(line.split(['\r', '\n', '\0']).next().unwrap_or_default());
            text.push_str("\r\n");
        }
        let written = timeout(WRITE_WITHIN, async {
            self.0.write_all(text.as_bytes()).await?;
            self.0.flush().await
        });
        match written.await {
            Ok(written) => written.map_err(|error| lost(&error)),
            Err(_elapsed) => {
                let seconds = WRITE_WITHIN.as_secs();
                Err(ChannelError::Unreachable(format!("the IRC server took nothing for {seconds} s")))
            }
        }
    }

    /// Says good-bye; what does not go through any more does not matter.
    pub(super) async fn quit(mut self) {
        let goodbye = async {
            self.write(&["QUIT :bye".to_owned()]).await.ok();
            self.0.shutdown().await.ok();
        };
        timeout(Duration::from_secs(1), goodbye).await.ok();
    }
}
