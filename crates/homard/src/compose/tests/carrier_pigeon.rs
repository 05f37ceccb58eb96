//! Pigeons between lofts: a platform that is nowhere else in the house, written as CONTRIBUTING says.
//!
//! One line is one thing said. `LISTEN ring secret` asks a loft for what arrives; it answers with `FROM id sender text`
//! and is told `GOT id` once that is kept. `TO peer text` sends a bird, and `TOOK id` says that it flew.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::{
    Abilities, Ability, AccountParts, Attachment, BuildError, Channel, ChannelEntry, ChannelError, ChatKind,
    Content, Conversation, Details, Dialect, Fetched, Inbound, InboundEvent, Inbox, Outbound, Probe, Receipt,
    SectionKeys, Sender, SharedChannel, TableMode, TextUnit, Threads,
};
use homard_channels::own_schema;
use homard_config::{Environment, SecretText};
use homard_protocol::{AccountId, ChannelId, PeerId};
use homard_runtime::{Clock, OrCancel as _};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

/// The line of the table.
pub(super) const ENTRY: ChannelEntry = ChannelEntry {
    id: "carrier_pigeon",
    aliases: &["pigeon"],
    label: "Carrier pigeon",
    summary: "short notes by bird",
    secrets: &["secret"],
    keys: SectionKeys { own: own_schema::<PigeonSection>, inert: &[] },
    details: |_section| Vec::new(),
    is_configured,
    build,
};

/// A bird carries little.
const TEXT_LIMIT: usize = 200;
/// Birds are slow.
const SILENCE_LIMIT: Duration = Duration::from_secs(600);

/// The section, as written.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-form" = { "people": "Names on rings, separated by commas.", "named": "ring" }))]
struct PigeonSection {
    /// Where the loft is: a name and a port.
    #[schemars(title = "Loft", extend("x-form" = { "needed": true, "example": "loft.example:2000" }))]
    loft: Option<String>,
    /// What stands on the ring of our birds.
    #[schemars(extend("x-form" = { "needed": true, "initial": "homard" }))]
    ring: Option<String>,
    /// What the keeper of the loft asks for.
    #[schemars(extend("x-form" = { "needed": true }))]
    secret: Option<SecretText>,
}

fn is_configured(section: &Value, _env: &Environment) -> bool {
    ["loft", "ring", "secret"].iter().all(|key| section.get(key).is_some())
}

fn build(parts: AccountParts) -> Result<SharedChannel, BuildError> {
    let bad = |problem: String| BuildError::BadValue { path: "carrier_pigeon".to_owned(), problem };
    let section: PigeonSection =
        serde_json::from_value(parts.section).map_err(|error| bad(error.to_string()))?;
    let (Some(loft), Some(ring), Some(SecretText::Text(secret))) =
        (section.loft, section.ring, section.secret)
    else {
        return Err(BuildError::Incomplete("pigeons need `loft`, `ring` and `secret`".to_owned()));
    };
    let (channel, account, clock) = (parts.channel, parts.account, parts.clock);
    Ok(Arc::new(CarrierPigeon { channel, account, clock, loft, ring, secret: secret.0 }))
}

/// Birds of one ring at one loft.
struct CarrierPigeon {
    channel: ChannelId,
    account: AccountId,
    clock: Clock,
    loft: String,
    ring: String,
    secret: String,
}

impl Channel for CarrierPigeon {
    fn id(&self) -> ChannelId {
        self.channel.clone()
    }

    fn account(&self) -> AccountId {
        self.account.clone()
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            chats: &[ChatKind::Direct],
            text_limit: TEXT_LIMIT,
            unit: TextUnit::Chars,
            caption_limit: None,
            dialect: Dialect::Plain,
            tables: TableMode::Bullets,
            threads: Threads::None,
            typing: None,
            media: &[],
            media_in_limit: 0,
            polls: None,
            native_commands: None,
            acts: &[],
            dedupes_sends: Ability::Lacks,
            native_mentions: Ability::Lacks,
            coalesce: None,
            silence_limit: SILENCE_LIMIT,
        }
    }

    async fn listen(&self, inbox: Inbox, cancel: CancellationToken) -> Result<(), ChannelError> {
        let mut loft = self.connect().await?;
        loft.write(&format!("LISTEN {} {}", self.ring, self.secret)).await?;
        inbox.alive();
        while let Ok(line) = loft.read().or_cancel(&cancel).await {
            let Some(message) = self.heard(&line?) else { continue };
            let received = format!("GOT {}", message.message_id);
            if inbox.put(InboundEvent::Message(Box::new(message))).await.is_err() {
                return Ok(());
            }
            loft.write(&received).await?;
        }
        Ok(())
    }

    async fn deliver(&self, outbound: Outbound) -> Result<Receipt, ChannelError> {
        let Content::Text { words, .. } = outbound.content else {
            return Err(ChannelError::Permanent("birds carry only text".to_owned()));
        };
        let mut loft = self.connect().await?;
        loft.write(&format!("TO {} {}", outbound.address.to, words.formatted.replace('\n', " "))).await?;
        let answer = loft.read().await.map_err(|error| ChannelError::Unknown(error.to_string()))?;
        let id = answer.strip_prefix("TOOK ");
        let id = id.ok_or_else(|| ChannelError::Permanent(format!("the loft said `{answer}`")))?;
        Ok(Receipt { message_id: id.to_owned(), went_to: None })
    }

    async fn fetch(&self, _file: Attachment, _limit: u64) -> Result<Fetched, ChannelError> {
        Err(ChannelError::Permanent("birds carry no files".to_owned()))
    }

    async fn probe(&self) -> Result<Probe, ChannelError> {
        Ok(Probe { id: Some(self.ring.clone()), username: Some(self.ring.clone()), ..Probe::default() })
    }
}

impl CarrierPigeon {
    async fn connect(&self) -> Result<Loft, ChannelError> {
        let stream = TcpStream::connect(&self.loft).await;
        Ok(Loft(BufReader::new(stream.map_err(|error| ChannelError::Unreachable(error.to_string()))?)))
    }

    fn heard(&self, line: &str) -> Option<Inbound> {
        let mut parts = line.strip_prefix("FROM ")?.splitn(3, ' ');
        let (id, sender, text) = (parts.next()?, PeerId::parse(parts.next()?).ok()?, parts.next()?);
        Some(Inbound {
            channel: self.channel.clone(),
            account: self.account.clone(),
            conversation: Conversation::Direct { peer: sender.clone(), thread: None },
            sender: Sender::Peer { id: sender, name: None },
            message_id: id.to_owned(),
            text: text.to_owned(),
            images: Vec::new(),
            timestamp: self.clock.now_ms(),
            details: Details::default(),
        })
    }
}

/// A connection to a loft.
struct Loft(BufReader<TcpStream>);

impl Loft {
    async fn write(&mut self, line: &str) -> Result<(), ChannelError> {
        let written = self.0.get_mut().write_all(format!("{line}\n").as_bytes()).await;
        written.map_err(|error| ChannelError::Unreachable(error.to_string()))
    }

    async fn read(&mut self) -> Result<String, ChannelError> {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).await;
        match read.map_err(|error| ChannelError::Unreachable(error.to_string()))? {
            0 => Err(ChannelError::Unreachable("the loft closed".to_owned())),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}
