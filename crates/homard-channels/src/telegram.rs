//! Telegram, by its Bot API.
//!
//! `settings` is what the owner wrote, `api` the road to the server, `poll` and `webhook` the two ways of hearing,
//! `hear` what an update means, `say` how things are said, `fetch` how files come, `menu` the commands people see.
//! The token is part of every address; `api` is the only file that knows it, and no error carries an address.

mod api;
mod errors;
mod fetch;
mod fragments;
mod hear;
mod menu;
mod offset;
mod poll;
mod probe;
mod receiver;
mod recent;
mod say;
mod settings;
mod webhook;
mod wire;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homard_channel::{
    Abilities, Ability, Act, Attachment, Channel, ChannelError, ChatKind, Dialect, Fetched, Inbox, Ingress,
    KnownNearby, MediaKind, Outbound, PollLimits, Probe, Receipt, SectionKeys, SharedChannel, TableMode,
    TextUnit, Threads,
};
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::{Clock, Mutex};
use tokio_util::sync::CancellationToken;

use crate::registry::{BuildError, ChannelEntry, Parts};
use api::Api;
use recent::Recent;
use settings::Settings;

/// Its line in the table of platforms.
pub(crate) const ENTRY: ChannelEntry = ChannelEntry {
    id: "telegram",
    aliases: &["tg"],
    label: "Telegram",
    summary: "a bot of yours, made with @BotFather; direct chats, groups, topics and channels",
    secrets: &["botToken", "tokenFile", "webhookSecret"],
    keys: SectionKeys { own: settings::schema, inert: settings::INERT_KEYS },
    details: settings::details,
    is_configured: settings::is_configured,
    build,
};

const ABILITIES: Abilities = Abilities {
    chats: &[ChatKind::Direct, ChatKind::Group, ChatKind::Channel],
    // The server takes 4096 once formatting is read; the rest is room for formatting.
    text_limit: 4_000,
    unit: TextUnit::Utf16,
    caption_limit: Some(1_024),
    dialect: Dialect::Html,
    tables: TableMode::Code,
    threads: Threads::Topic,
    // The server shows it for five seconds.
    typing: Some(Duration::from_secs(5)),
    media: &[
        MediaKind::Image,
        MediaKind::Animation,
        MediaKind::Video,
        MediaKind::VideoNote,
        MediaKind::Audio,
        MediaKind::Voice,
        MediaKind::Document,
        MediaKind::Sticker,
    ],
    media_in_limit: 100 * 1024 * 1024,
    polls: Some(PollLimits { options: 10, open_for: Duration::from_secs(600) }),
    native_commands: Some(menu::MAX_COMMANDS),
    acts: &[
        Act::Reply,
        Act::Edit,
        Act::Delete,
        Act::React,
        Act::Pin,
        Act::Buttons,
        Act::ManageThreads,
        Act::Silent,
    ],
    // There is no key by which the server could tell a second sending from a first.
    dedupes_sends: Ability::Lacks,
    native_mentions: Ability::Has,
    coalesce: None,
    // A poll waits half a minute; four in a row without an answer are too many.
    silence_limit: Duration::from_secs(120),
};

/// One bot.
pub(crate) struct Telegram {
    id: ChannelId,
    account: AccountId,
    settings: Settings,
    api: Api,
    /// Names and descriptions for the menu.
    commands: Vec<(String, String)>,
    offset_file: PathBuf,
    /// Where updates may be brought.
    ingress: Ingress,
    clock: Clock,
    /// The bot's name, once the server has told it.
    username: Mutex<Option<String>>,
    /// What the bot wrote lately; reactions to it are of interest.
    recent: Recent,
}

fn build(parts: Parts) -> Result<SharedChannel, BuildError> {
    let settings = Settings::read(&parts)?;
    let api = Api::new(&settings)?;
    let commands = menu::commands(&parts.commands, &settings.custom_commands);
    let offset_file = offset::file(&parts.state_dir, &parts.account);
    Ok(Arc::new(Telegram {
        id: parts.channel,
        account: parts.account,
        recent: Recent::new(parts.clock.clone()),
        settings,
        api,
        commands,
        offset_file,
        ingress: parts.ingress,
        clock: parts.clock,
        username: Mutex::default(),
    }))
}

impl Telegram {
    fn username(&self) -> Option<String> {
        self.username.lock().clone()
    }

    fn learn_username(&self, username: Option<String>) {
        *self.username.lock() = username;
    }
}

impl Channel for Telegram {
    fn id(&self) -> ChannelId {
        self.id.clone()
    }

    fn account(&self) -> AccountId {
        self.account.clone()
    }

    fn abilities(&self) -> Abilities {
        ABILITIES
    }

    async fn listen(&self, inbox: Inbox, cancel: CancellationToken) -> Result<(), ChannelError> {
        match &self.settings.webhook {
            Some(webhook) => webhook::listen(self, webhook, inbox, cancel).await,
            None => poll::listen(self, inbox, cancel).await,
        }
    }

    async fn deliver(&self, outbound: Outbound) -> Result<Receipt, ChannelError> {
        say::deliver(self, &outbound).await
    }

    async fn find_sent(
        &self,
        outbound: Outbound,
        known: KnownNearby,
    ) -> Result<Option<Receipt>, ChannelError> {
        say::find_sent(self, &outbound, &known).await
    }

    async fn fetch(&self, file: Attachment, limit: u64) -> Result<Fetched, ChannelError> {
        fetch::fetch(&self.api, file, limit).await
    }

    async fn probe(&self) -> Result<Probe, ChannelError> {
        probe::probe(self).await
    }
}
