//! An account on a bench: the fake server, the adapter, and the relay's end of the inbox.

use std::sync::Arc;

use homard_channel::{
    Address, ChannelError, ChatKind, Content, Inbound, InboundEvent, Inbox, InboxItem, Outbound, RichText,
    SharedChannel,
};
use homard_channels::{Parts, entry};
use homard_config::Environment;
use homard_protocol::{AccountId, ChannelId, PeerId, ThreadId};
use homard_runtime::{Clock, Tasks};
use homard_testkit::FakeTelegram;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

pub(crate) const ADA: i64 = 42;
pub(crate) const CREW: i64 = -100_200;

pub(crate) struct Bench {
    pub(crate) fake: Arc<FakeTelegram>,
    pub(crate) home: TempDir,
    pub(crate) channel: SharedChannel,
}

/// A listening account; what it hears is read and acknowledged here.
pub(crate) struct Listening {
    heard: mpsc::Receiver<InboxItem>,
    ended: Option<oneshot::Receiver<Result<(), ChannelError>>>,
    cancel: CancellationToken,
    pub(crate) inbox: Inbox,
    _tasks: Tasks,
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with(&json!({})).await
    }

    /// With more in its section; a proxy there becomes the fake itself, which takes whole addresses too.
    pub(crate) async fn with(more: &Value) -> Self {
        let fake = Arc::new(FakeTelegram::start().await.unwrap());
        let home = tempfile::tempdir().unwrap();
        let channel = account(&fake, &home, more);
        Self { fake, home, channel }
    }

    /// The same account, made anew, as after a restart.
    pub(crate) fn restarted(&self) -> SharedChannel {
        account(&self.fake, &self.home, &json!({}))
    }

    pub(crate) fn listen(&self) -> Listening {
        listen(&self.channel)
    }

    pub(crate) fn to(&self, chat: i64, content: Content) -> Outbound {
        Outbound {
            address: address(chat, None),
            key: "k".to_owned(),
            reply_to: None,
            silent: false,
            no_previews: false,
            content,
        }
    }

    pub(crate) fn offset(&self) -> Option<i64> {
        let file = self.home.path().join("telegram").join("update-offset-default.json");
        let text = std::fs::read(file).ok()?;
        serde_json::from_slice::<Value>(&text).unwrap()["lastUpdateId"].as_i64()
    }
}

fn account(fake: &FakeTelegram, home: &TempDir, more: &Value) -> SharedChannel {
    let mut section = json!({"botToken": fake.token(), "apiRoot": fake.url()});
    section.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    if section.get("proxy").is_some() {
        section["proxy"] = json!(fake.url());
    }
    let parts = Parts {
        channel: ChannelId::parse("telegram").unwrap(),
        account: AccountId::default_account(),
        section,
        env: Environment::from_pairs::<&str, &str>([]),
        state_dir: home.path().to_owned(),
        clock: Clock::system(),
        commands: vec![("status".to_owned(), "How it is".to_owned()), ("stop".to_owned(), "Stop".to_owned())],
        ingress: homard_channel::Ingress::default(),
    };
    (entry("telegram").unwrap().build)(parts).unwrap()
}

pub(crate) fn listen(channel: &SharedChannel) -> Listening {
    let (to_relay, heard) = mpsc::channel(4);
    let inbox = Inbox::new(to_relay, Clock::system());
    let cancel = CancellationToken::new();
    let (end, ended) = oneshot::channel();
    let tasks = Tasks::new();
    let (channel, inner, token) = (Arc::clone(channel), inbox.clone(), cancel.clone());
    tasks.spawn(async move {
        let result = channel.listen(inner, token).await;
        end.send(result).ok();
    });
    Listening { heard, ended: Some(ended), cancel, inbox, _tasks: tasks }
}

impl Listening {
    /// The next thing heard, acknowledged.
    pub(crate) async fn next(&mut self) -> InboundEvent {
        let (heard, kept) = self.next_unkept().await;
        kept.send(()).unwrap();
        heard
    }

    /// The next thing heard, not yet acknowledged.
    pub(crate) async fn next_unkept(&mut self) -> InboxItem {
        let waiting = tokio::time::timeout(homard_testkit::WAIT_CAP, self.heard.recv()).await;
        waiting.expect("something is heard in time").expect("the adapter listens")
    }

    pub(crate) async fn next_message(&mut self) -> Inbound {
        match self.next().await {
            InboundEvent::Message(message) => *message,
            other => panic!("a message, not {other:?}"),
        }
    }

    /// How listening ends when it is cancelled.
    pub(crate) async fn stop(mut self) -> Result<(), ChannelError> {
        self.cancel.cancel();
        self.end().await
    }

    /// How listening ends by itself.
    pub(crate) async fn end(&mut self) -> Result<(), ChannelError> {
        let ended = self.ended.take().expect("asked once");
        tokio::time::timeout(homard_testkit::WAIT_CAP, ended).await.expect("it ends in time").unwrap()
    }
}

pub(crate) fn address(chat: i64, thread: Option<&str>) -> Address {
    Address {
        channel: ChannelId::parse("telegram").unwrap(),
        account: AccountId::default_account(),
        chat: if chat > 0 { ChatKind::Direct } else { ChatKind::Group },
        to: PeerId::parse(&chat.to_string()).unwrap(),
        thread: thread.map(|thread| ThreadId::parse(thread).unwrap()),
    }
}

pub(crate) fn text(formatted: &str, plain: &str) -> Content {
    let words = RichText { formatted: formatted.to_owned(), plain: plain.to_owned() };
    Content::Text { words, buttons: Vec::new() }
}
