//! An IRC account under test, and the relay's end of its inbox.

use anyhow::{Context, Result, bail};
use homard_channel::{
    Address, ChannelError, ChatKind, Content, Inbound, InboundEvent, Inbox, InboxItem, Outbound, Receipt,
    RichText, SharedChannel,
};
use homard_channels::{Parts, entry};
use homard_config::Environment;
use homard_protocol::{AccountId, ChannelId, IdError, PeerId};
use homard_runtime::{Clock, Tasks};
use homard_testkit::{Ngircd, WAIT_CAP};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// An account that may be listening.
pub(crate) struct Bot {
    pub(crate) channel: SharedChannel,
    tasks: Tasks,
    inbox: Inbox,
    heard: mpsc::Receiver<InboxItem>,
}

/// One `listen` under way.
pub(crate) struct Listening {
    cancel: CancellationToken,
    end: oneshot::Receiver<Result<(), ChannelError>>,
}

impl Bot {
    /// An account with these keys over the usual ones, on a port without TLS, and never made to wait.
    pub(crate) fn on(port: u16, more: &Value) -> Result<Self> {
        let mut section = json!({
            "host": "127.0.0.1", "port": port, "tls": false, "nick": "homard",
            "channels": ["#den"], "flood": {"burst": 100, "intervalMs": 0},
        });
        if let (Some(section), Some(more)) = (section.as_object_mut(), more.as_object()) {
            section.extend(more.clone());
        }
        let entry = entry("irc").context("IRC is not in the table")?;
        let clock = Clock::system();
        let parts = Parts {
            channel: ChannelId::parse("irc")?,
            account: AccountId::default_account(),
            section,
            env: Environment::default(),
            state_dir: std::env::temp_dir(),
            clock: clock.clone(),
            commands: Vec::new(),
            ingress: homard_channel::Ingress::default(),
        };
        let (to_relay, heard) = mpsc::channel(8);
        let inbox = Inbox::new(to_relay, clock);
        Ok(Self { channel: (entry.build)(parts)?, tasks: Tasks::new(), inbox, heard })
    }

    /// An account that is listening, and has joined `#den`, in which `ngircd` shows it.
    pub(crate) async fn at(server: &Ngircd) -> Result<(Self, Listening)> {
        let bot = Self::on(server.port(), &json!({}))?;
        let listening = bot.listen();
        bot.is_in("#den").await?;
        Ok((bot, listening))
    }

    /// Begins to listen.
    pub(crate) fn listen(&self) -> Listening {
        let (cancel, (ended, end)) = (CancellationToken::new(), oneshot::channel());
        let (channel, inbox, stop) = (self.channel.clone(), self.inbox.clone(), cancel.clone());
        self.tasks.spawn(async move {
            let end = channel.listen(inbox, stop).await;
            ended.send(end).ok();
        });
        Listening { cancel, end }
    }

    /// Waits until the account is in a channel.
    pub(crate) async fn is_in(&self, room: &str) -> Result<()> {
        self.until(|facts| {
            facts["channels"].as_array().is_some_and(|rooms| rooms.iter().any(|it| it == room))
        })
        .await
    }

    /// Waits until a probe of the connection says so. A probe waits for the server, so this does not spin.
    pub(crate) async fn until(&self, is_so: impl Fn(&Value) -> bool) -> Result<()> {
        let wait = async {
            loop {
                match self.channel.probe().await {
                    Ok(probe)
                        if probe.facts.get("connected") == Some(&json!(true)) && is_so(&probe.facts) =>
                    {
                        return;
                    }
                    _ => tokio::task::yield_now().await,
                }
            }
        };
        timeout(WAIT_CAP, wait).await.context("the account did not get there")
    }

    /// The next message; it is kept at once.
    pub(crate) async fn hears(&mut self) -> Result<Inbound> {
        let (heard, kept) = self.next().await?;
        kept.send(()).ok();
        let InboundEvent::Message(message) = heard else { bail!("not a message: {heard:?}") };
        Ok(*message)
    }

    /// The next thing, not kept yet.
    pub(crate) async fn next(&mut self) -> Result<InboxItem> {
        timeout(WAIT_CAP, self.heard.recv()).await.context("nothing was heard")?.context("nobody listens")
    }

    /// Says something.
    pub(crate) async fn says(&self, to: &str, text: &str) -> Result<Receipt, ChannelError> {
        let outbound = outbound(to, text).map_err(|error| ChannelError::Permanent(error.to_string()))?;
        self.channel.deliver(outbound).await
    }
}

impl Listening {
    /// Waits for its end.
    pub(crate) async fn end(self) -> Result<Result<(), ChannelError>> {
        Ok(timeout(WAIT_CAP, self.end).await.context("it did not end")??)
    }

    /// Asks it to end and waits for that.
    pub(crate) async fn stop(self) -> Result<Result<(), ChannelError>> {
        self.cancel.cancel();
        self.end().await
    }
}

/// A text on its way to a person or channel.
fn outbound(to: &str, text: &str) -> Result<Outbound, IdError> {
    let chat = if to.starts_with('#') { ChatKind::Group } else { ChatKind::Direct };
    Ok(Outbound {
        address: Address {
            channel: ChannelId::parse("irc")?,
            account: AccountId::default_account(),
            chat,
            to: PeerId::parse(to)?,
            thread: None,
        },
        key: "key".to_owned(),
        reply_to: None,
        silent: false,
        no_previews: false,
        content: Content::Text { words: RichText::plain(text), buttons: Vec::new() },
    })
}
