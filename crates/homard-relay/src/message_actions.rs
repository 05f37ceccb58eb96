//! Doing things on chat platforms on purpose: the `message` tool, `send`, `poll`, `message.action` and whoever else
//! wants something said outside the conversation that asks for it.
//!
//! One walk for all of them: find the place ([`target`], [`route`]), ask whether it may be done (the owner's
//! settings, the platform's abilities), make messages of it ([`parts`], [`files`]), send them through the outbox, and
//! write what was said into the conversation it was said in ([`mirror`]).

mod action;
mod arguments;
mod files;
mod mirror;
mod parts;
pub(crate) mod route;
mod session_files;
mod target;
mod unasked;

use std::time::Duration;

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_channel::{Abilities, Address, Content, Outbound};
use homard_config::Config;
use homard_policy::accounts::ChannelAccount;
use homard_protocol::{AgentId, RunId, SessionKey};
use homard_store::StoreError;
use homard_tools::{Caller, HookAbout, HookRefusal};
use serde::Serialize;

use crate::delivery::outbox::SendError;
use crate::hook_points::message_out;
use crate::parts::MessageActions;
use crate::turn_setup::sandbox;

pub use action::{Action, FileForm, FileWanted, MessageAction, Place, PollDraft, Post, Writing};
pub use files::FileError;
pub use target::ChannelName;

pub(crate) use files::{FileFolders, is_address, take as take_file};
pub(crate) use route::is_same_place;
pub(crate) use session_files::SessionFiles;

/// How long somebody waits for a receipt; the message goes out later all the same.
const SEND_WAIT: Duration = Duration::from_secs(30);

/// What the platforms are called.
#[derive(Debug, Default)]
pub(crate) struct Names(Vec<ChannelName>);

impl Names {
    pub(crate) fn new(names: Vec<ChannelName>) -> Self {
        Self(names)
    }

    pub(crate) fn all(&self) -> &[ChannelName] {
        &self.0
    }

    /// Whether there is a platform of that id; where none was named, nobody can say that there is not.
    fn knows(&self, id: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|name| name.id == id)
    }

    /// What people call a platform.
    pub(crate) fn label<'a>(&'a self, id: &'a str) -> &'a str {
        self.all().iter().find(|name| name.id == id).map_or(id, |name| name.label)
    }
}

/// On whose behalf something is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActingFor {
    /// Whose files may be sent, and whose words they are.
    pub agent: AgentId,
    /// The conversation that asks, where one does: what is not said goes by it, and the owner's rules for writing to
    /// other conversations hold.
    pub session: Option<SessionKey>,
    /// The run that asks.
    pub run: Option<RunId>,
    /// Whether the owner's `actions` switches hold: they are for agents.
    pub gated: bool,
    /// For whom: others than the owner do not have all files.
    pub caller: Caller,
}

impl ActingFor {
    /// An operator, who may do what the platform can.
    #[must_use]
    pub fn operator(agent: AgentId) -> Self {
        Self { agent, session: None, run: None, gated: false, caller: Caller::Owner }
    }
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionOutcome {
    pub action: &'static str,
    pub channel: String,
    pub to: String,
    /// By which of our accounts.
    pub account_id: String,
    /// The thread it went to, or that was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The platform's ids for what was sent, in order.
    pub message_ids: Vec<String>,
    /// Whether some of it is kept and goes out later.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// Whether nothing was sent, as wished.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// Nobody said on which platform, and there is none.
    #[error("Channel is required (no configured channels detected).")]
    NoChannel,
    /// Nobody said on which platform, and there are several.
    #[error("Channel is required when multiple channels are configured: {}", .0.join(", "))]
    WhichChannel(Vec<String>),
    /// There is no such platform.
    #[error("unsupported channel: {0}")]
    UnknownChannel(String),
    /// Nobody said to whom.
    #[error("a target is needed: this conversation is on no chat platform; write one as <platform>:<id>")]
    NoTarget,
    #[error("{0}")]
    BadTarget(String),
    /// The platform cannot do that.
    #[error("Channel {channel} does not support action {action}.")]
    Unsupported {
        channel: String,
        /// What it cannot do.
        action: &'static str,
    },
    /// The owner has turned it off.
    #[error("the owner has turned this off (channels.{channel}.actions.{gate})")]
    TurnedOff { channel: String, gate: &'static str },
    /// The owner does not want it.
    #[error("not allowed: {0}")]
    NotAllowed(String),
    /// A filter of the house does not let it out.
    #[error("not sent: {0}")]
    HeldBack(#[from] HookRefusal),
    /// An argument cannot be used.
    #[error("{0}")]
    Invalid(String),
    /// A file is not sent.
    #[error(transparent)]
    File(#[from] FileError),
    /// It could not be sent.
    #[error(transparent)]
    Send(#[from] SendError),
    /// Something could not be looked up or kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A place that was found, with who serves it.
struct FoundPlace {
    address: Address,
    abilities: Abilities,
    account: Arc<ChannelAccount>,
    /// Where the one who asks is, if that is on a platform.
    from: Option<Address>,
}

impl FoundPlace {
    /// Whether it is the conversation that asks.
    fn is_here(&self) -> bool {
        self.from.as_ref().is_some_and(|from| route::is_same_place(from, &self.address))
    }
}

impl MessageActions {
    /// Does one thing on a chat platform and waits for the receipt.
    ///
    /// # Errors
    /// When the place is unknown, the owner or the platform does not allow it, or it could not be sent.
    pub fn act<'a>(
        &'a self,
        action: Action,
        acting: &'a ActingFor,
    ) -> BoxFuture<'a, Result<ActionOutcome, ActError>> {
        async move {
            let config = self.inner().config();
            let Action { deed, to, key, dry_run } = action;
            let found = self.find(&config, &to, acting).await?;
            self.check(&config, &deed, &found, acting)?;
            let mut acted = ActionOutcome {
                action: deed.name(),
                channel: found.address.channel.to_string(),
                to: found.address.to.to_string(),
                account_id: found.address.account.to_string(),
                thread_id: found.address.thread.as_ref().map(ToString::to_string),
                message_ids: Vec::new(),
                pending: false,
                dry_run,
            };
            if dry_run {
                return Ok(acted);
            }
            let subject = Some(found.address.channel.as_str());
            let about = HookAbout { session: acting.session.as_ref(), run: acting.run.as_ref(), subject };
            let said = message_out(self.inner(), about, deed_text(&deed)).await?;
            let words = self.marked(&config, &said, &found);
            let folders = self.folders(&config, acting);
            let shape = found.account.rules.speaking.shape(Some(&found.abilities));
            let parts = parts::parts(deed, words, &found.abilities, shape, &folders).await?;
            self.send_parts(parts, (&found.address, acting.gated), &key, &mut acted).await?;
            if !said.is_empty() {
                if let Some(run) = acting.run.as_ref().and_then(|id| self.runs().get(id)) {
                    run.delivery.said(found.address.clone(), said.clone());
                }
                if !found.is_here() {
                    self.mirror(&found.address, found.abilities.threads, acting, said).await;
                }
            }
            Ok(acted)
        }
        .boxed()
    }

    /// Sends one part after the other. What was sent before a part fails stays sent, and that is said. An agent's words
    /// (`by_agent`) may lead somewhere others chose, so platforms do not look.
    async fn send_parts(
        &self,
        parts: Vec<parts::Part>,
        (address, by_agent): (&Address, bool),
        key: &str,
        acted: &mut ActionOutcome,
    ) -> Result<(), ActError> {
        let mut address = address.clone();
        for (number, part) in parts.into_iter().enumerate() {
            let begins_thread = matches!(part.content, Content::NewThread { .. });
            let outbound = Outbound {
                address: address.clone(),
                key: format!("{key}:{number}"),
                reply_to: part.reply_to,
                silent: part.silent,
                no_previews: by_agent,
                content: part.content,
            };
            match self.outgoing().send(outbound, SEND_WAIT).await {
                Ok(receipt) => {
                    if begins_thread {
                        let thread = receipt.went_to.as_ref().and_then(|to| to.thread.clone());
                        address.thread = thread.or(address.thread);
                        acted.thread_id = address.thread.as_ref().map(ToString::to_string);
                    }
                    acted.message_ids.extend((!receipt.message_id.is_empty()).then_some(receipt.message_id));
                }
                Err(SendError::Later(why)) => {
                    tracing::info!(%why, key, "a message is kept and goes out later");
                    acted.pending = true;
                    if begins_thread {
                        return Err(SendError::Later(why).into());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Whether it may be done.
    fn check(
        &self,
        config: &Config,
        deed: &MessageAction,
        found: &FoundPlace,
        acting: &ActingFor,
    ) -> Result<(), ActError> {
        let channel = || found.address.channel.to_string();
        if !deed.fits(&found.abilities) {
            return Err(ActError::Unsupported { channel: channel(), action: deed.name() });
        }
        if let MessageAction::Poll(ballot) = deed {
            ballot.check(&found.abilities).map_err(ActError::Invalid)?;
        }
        if acting.gated {
            let (gates, usual) = deed.gates();
            let allowed = found.account.allows(gates, usual);
            allowed.map_err(|gate| ActError::TurnedOff { channel: channel(), gate })?;
        }
        let Some(from) = &found.from else { return Ok(()) };
        if route::is_same_place(from, &found.address) {
            return Ok(());
        }
        let rules = &config.tools.message;
        let is_same_platform = from.channel == found.address.channel;
        match (is_same_platform, rules.within_platform, rules.across_platforms) {
            (true, false, _) => Err(ActError::NotAllowed(format!(
                "writing to other conversations on {} is turned off (tools.message.crossContext.allowWithinProvider)",
                from.channel
            ))),
            (false, _, false) => Err(ActError::NotAllowed(format!(
                "this conversation is on {}; writing from it to {} is turned off (tools.message.crossContext.allowAcrossProviders)",
                from.channel, found.address.channel
            ))),
            (true, true, _) | (false, _, true) => Ok(()),
        }
    }

    /// The text as it is shown, marked when it comes from another conversation.
    fn marked(&self, config: &Config, said: &str, found: &FoundPlace) -> String {
        let Some(from) = found.from.as_ref().filter(|_| !found.is_here() && !said.is_empty()) else {
            return said.to_owned();
        };
        let label = self.channel_names().label(from.channel.as_str());
        config
            .tools
            .message
            .marker
            .as_ref()
            .map_or_else(|| said.to_owned(), |marker| marker.around(said, label))
    }

    fn folders(&self, config: &Config, acting: &ActingFor) -> files::FileFolders {
        let agent = config.agents.agent(&acting.agent).unwrap_or(config.agents.default_agent());
        let sandboxed = acting.session.as_ref().filter(|key| sandbox::of(agent, key).is_some());
        files::FileFolders {
            workspace: sandboxed.map_or_else(|| agent.workspace.clone(), |key| sandbox::folder(agent, key)),
            home: self.inner().home().to_owned(),
            media: self.inner().paths().state_dir.join("media"),
            records: self.inner().paths().records(),
            session: acting.session.clone().map(|key| SessionFiles {
                key,
                store: self.inner().store().clone(),
                changes: self.replaced_files().clone(),
            }),
            caller: acting.caller,
        }
    }
}

/// What a deed says in words, for the conversation it is done in.
fn deed_text(deed: &MessageAction) -> String {
    match deed {
        MessageAction::Send(post) => post.text.clone(),
        MessageAction::NewThread { text, .. } => text.clone().unwrap_or_default(),
        MessageAction::Edit { text, .. } => text.clone(),
        MessageAction::Poll(_)
        | MessageAction::React { .. }
        | MessageAction::Delete { .. }
        | MessageAction::Pin { .. } => String::new(),
    }
}
