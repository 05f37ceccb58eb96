//! IRC: one account on one server.
//!
//! [`settings`] reads the owner's section; [`dial`] and [`register`] come in; [`session`] works on the connection,
//! with [`state`] for who and where we are, [`queue`] and [`pace`] for what we say and how fast, [`hearing`] for
//! what others say; [`wire`], [`plain`] and [`casemap`] are the language.
//!
//! Lines are read with the `irc-proto` crate. The connection is our own: the client of the `irc` crate sends from a
//! queue without end and never tells when a line has left, so that nobody could say whether a message arrived; it
//! stops at text that is not UTF-8; and it cannot wait for SASL before it goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use homard_channel::{
    Abilities, Ability, Attachment, Channel, ChannelError, ChatKind, Content, Fetched, Inbox, Outbound,
    Probe, Receipt, SectionKeys, SharedChannel, TableMode, TextUnit, Threads,
};
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::{Clip, Clock, OrCancel};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::registry::{BuildError, ChannelEntry, Parts, own_schema};

mod casemap;
mod dial;
mod hearing;
mod pace;
mod plain;
mod queue;
mod register;
mod session;
mod settings;
mod state;
mod wire;

use hearing::BotContext;
use pace::Pace;
use queue::Ticket;
use session::{Ask, IrcSession, Presence, Purpose};
use settings::{IrcSection, Settings, Tls};
use state::ConnectionState;

/// The line of the table.
pub(crate) const ENTRY: ChannelEntry = ChannelEntry {
    id: "irc",
    aliases: &["internet-relay-chat"],
    label: "IRC",
    summary: "channels and private messages on an IRC server, over TLS",
    secrets: &[
        "password",
        "passwordFile",
        "nickserv.password",
        "nickserv.passwordFile",
        "sasl.password",
        "sasl.passwordFile",
    ],
    keys: SectionKeys { own: own_schema::<IrcSection>, inert: &[] },
    details: settings::details,
    is_configured: settings::is_configured,
    build,
};

/// Longest silence of a healthy connection: we ask after a minute, and an answer may take half of one.
const SILENCE_LIMIT: Duration = Duration::from_secs(120);
/// How long an answer to a probe may take.
const PROBE_WITHIN: Duration = Duration::from_secs(10);
/// How often the pace is halved, at most, after a server said that we speak too fast.
const MAX_STRAIN: u32 = 3;
/// Pieces of a streamed answer are gathered to this many characters, for this long.
const COALESCE: (usize, Duration) = (300, Duration::from_millis(1_000));

fn build(parts: Parts) -> Result<SharedChannel, BuildError> {
    let settings = Settings::read(&parts)?;
    Ok(Arc::new(Irc {
        channel: parts.channel,
        account: parts.account,
        settings: Arc::new(settings),
        clock: parts.clock,
        presence: Presence::default(),
        strain: AtomicU32::new(0),
    }))
}

/// One account on one server.
#[derive(Debug)]
pub(crate) struct Irc {
    channel: ChannelId,
    account: AccountId,
    settings: Arc<Settings>,
    clock: Clock,
    presence: Presence,
    /// How often a server ended the connection because we spoke too fast.
    strain: AtomicU32,
}

impl Channel for Irc {
    fn id(&self) -> ChannelId {
        self.channel.clone()
    }

    fn account(&self) -> AccountId {
        self.account.clone()
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            chats: &[ChatKind::Direct, ChatKind::Group],
            text_limit: self.settings.text_limit,
            unit: TextUnit::Bytes,
            caption_limit: None,
            dialect: self.settings.dialect,
            tables: TableMode::Code,
            threads: Threads::None,
            typing: None,
            media: &[],
            media_in_limit: 0,
            polls: None,
            native_commands: None,
            acts: &[],
            dedupes_sends: Ability::Lacks,
            native_mentions: Ability::Has,
            coalesce: Some(COALESCE),
            silence_limit: SILENCE_LIMIT,
        }
    }

    async fn listen(&self, inbox: Inbox, cancel: CancellationToken) -> Result<(), ChannelError> {
        let entering = dial::enter(&self.settings, &self.settings.nick);
        let Ok(entered) = entering.or_cancel(&cancel).await else { return Ok(()) };
        let entered = entered?;
        inbox.alive();
        tracing::info!(account = %self.account, host = %self.settings.host, nick = %entered.welcome.nick, "connected");
        let purpose = Purpose {
            settings: Arc::clone(&self.settings),
            cx: BotContext::new(self.channel.clone(), self.account.clone(), self.clock.clone()),
            inbox,
            presence: self.presence.clone(),
            pace: self.pace(),
        };
        let ended = IrcSession::new(entered, purpose).run(cancel).await;
        if let Err(ChannelError::Unreachable(why)) = &ended
            && why.to_ascii_lowercase().contains("flood")
        {
            tracing::warn!(account = %self.account, "the IRC server says that we speak too fast; speaking slower");
            self.strain.fetch_add(1, Ordering::Relaxed);
        }
        ended
    }

    async fn deliver(&self, outbound: Outbound) -> Result<Receipt, ChannelError> {
        let to = outbound.address.to.as_str();
        if to.contains([' ', ',', '\u{7}']) || to.starts_with([':', '@', '$']) {
            return Err(ChannelError::Permanent(format!("`{to}` is neither a nick nor a channel")));
        }
        let text = text_of(outbound.content)?;
        self.say(to.to_owned(), text).await
    }

    async fn fetch(&self, _file: Attachment, _limit: u64) -> Result<Fetched, ChannelError> {
        Err(ChannelError::Permanent("IRC messages carry no files".to_owned()))
    }

    async fn probe(&self) -> Result<Probe, ChannelError> {
        if self.presence.asks().is_some() {
            let answer = tokio::time::timeout(PROBE_WITHIN, self.say(String::new(), String::new())).await;
            let silent = |_elapsed| ChannelError::Unreachable("the IRC server does not answer".to_owned());
            answer.map_err(silent)??;
            if let Some(standing) = self.presence.standing() {
                return Ok(self.told(standing, true));
            }
        }
        // Under another nick, so that a connection that is just being made keeps ours.
        let nick = probing_nick(&self.settings.nick);
        let entered = dial::enter(&self.settings, &nick).await?;
        let (caps, logged_in) = (entered.welcome.caps, entered.welcome.logged_in);
        entered.writer.quit().await;
        let standing = ConnectionState {
            nick: self.settings.nick.clone(),
            caps: caps.into_iter().collect(),
            logged_in,
            ..ConnectionState::default()
        };
        Ok(self.told(standing, false))
    }
}

impl Irc {
    /// The pace of the next connection: slower when servers complained.
    fn pace(&self) -> Pace {
        let strain = self.strain.load(Ordering::Relaxed).min(MAX_STRAIN);
        let Pace { burst, interval } = self.settings.pace;
        Pace { burst: (burst >> strain).max(1), interval: interval.saturating_mul(1 << strain) }
    }

    /// Says something and waits until the server has taken it.
    async fn say(&self, to: String, text: String) -> Result<Receipt, ChannelError> {
        let gone = || ChannelError::Unreachable("not connected to the IRC server".to_owned());
        let asks = self.presence.asks().ok_or_else(gone)?;
        let (ticket, outcome) = Ticket::new();
        // What cannot be handed over tells so by its ticket.
        asks.send(Ask { to, text, ticket }).await.ok();
        outcome.await.unwrap_or_else(|_dropped| Err(gone()))
    }

    fn told(&self, standing: ConnectionState, connected: bool) -> Probe {
        let ConnectionState { nick, rooms, caps, logged_in, advice } = standing;
        let facts: Value = json!({
            "host": self.settings.host,
            "port": self.settings.port,
            "tls": self.settings.tls != Tls::Off,
            "connected": connected,
            "channels": rooms,
            "capabilities": caps,
            "loggedIn": logged_in,
        });
        Probe { id: Some(nick.clone()), username: Some(nick), facts, advice }
    }
}

/// The text that stands for a message. Files can only be named by an address that others can open.
fn text_of(content: Content) -> Result<String, ChannelError> {
    let text = match content {
        Content::Text { words, .. } => words.formatted,
        Content::Media { file, caption } => {
            let address = file.path.to_string_lossy().into_owned();
            if !address.starts_with("https://") && !address.starts_with("http://") {
                let name = file.name;
                return Err(ChannelError::Permanent(format!(
                    "IRC carries no files; `{name}` would need an address that others can open"
                )));
            }
            format!("{}\nAttachment: {address}", caption.formatted)
        }
        Content::Poll { .. }
        | Content::Edit { .. }
        | Content::Delete { .. }
        | Content::React { .. }
        | Content::Pin { .. }
        | Content::NewThread { .. }
        | Content::Typing { .. } => {
            return Err(ChannelError::Permanent("IRC knows only text".to_owned()));
        }
    };
    if text.trim().is_empty() {
        return Err(ChannelError::Permanent("there is nothing to say".to_owned()));
    }
    Ok(text)
}

/// A nick for a short visit.
fn probing_nick(nick: &str) -> String {
    let short = nick.clip_chars(5).to_owned();
    let tail = uuid::Uuid::new_v4().simple().to_string().clip_chars(3).to_owned();
    format!("{short}-{tail}")
}

#[cfg(test)]
mod tests;
