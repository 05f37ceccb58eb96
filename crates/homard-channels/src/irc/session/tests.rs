//! A connection over time, without a network.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::{ChannelError, Inbox, InboxItem};
use homard_client::ByteStream;
use homard_config::Environment;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::{Clock, Tasks};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{IrcSession, Presence, Purpose};
use crate::irc::dial::{OpenConnection, Writer};
use crate::irc::hearing::BotContext;
use crate::irc::queue::Ticket;
use crate::irc::register::Welcome;
use crate::irc::settings::Settings;
use crate::irc::wire::Lines;
use crate::registry::Parts;

struct Stage {
    server: BufReader<DuplexStream>,
    presence: Presence,
    heard: mpsc::Receiver<InboxItem>,
    end: oneshot::Receiver<Result<(), ChannelError>>,
    cancel: CancellationToken,
    tasks: Tasks,
}

impl Stage {
    fn set() -> Self {
        let parts = Parts {
            channel: ChannelId::parse("irc").unwrap(),
            account: AccountId::default_account(),
            section: json!({"host": "h", "nick": "homard"}),
            env: Environment::default(),
            state_dir: "/".into(),
            clock: Clock::fixed(0),
            commands: Vec::new(),
            ingress: homard_channel::Ingress::default(),
        };
        let settings = Arc::new(Settings::read(&parts).unwrap());
        let (ours, server) = duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(Box::new(ours) as Box<dyn ByteStream>);
        let welcome = Welcome { nick: "homard".into(), ..Welcome::default() };
        let entered = OpenConnection { lines: Lines::new(reader), writer: Writer(writer), welcome };
        let (to_relay, heard) = mpsc::channel(1);
        let presence = Presence::default();
        let purpose = Purpose {
            pace: settings.pace,
            settings,
            cx: BotContext::new(parts.channel, parts.account, parts.clock.clone()),
            inbox: Inbox::new(to_relay, parts.clock),
            presence: presence.clone(),
        };
        let session = IrcSession::new(entered, purpose);
        let (ended, end) = oneshot::channel();
        let (cancel, tasks) = (CancellationToken::new(), Tasks::new());
        let stop = cancel.clone();
        tasks.spawn(async move {
            ended.send(session.run(stop).await).ok();
        });
        Self { server: BufReader::new(server), presence, heard, end, cancel, tasks }
    }

    async fn reads(&mut self) -> String {
        let mut line = String::new();
        self.server.read_line(&mut line).await.unwrap();
        line.trim_end().to_owned()
    }

    async fn says(&mut self, line: &str) {
        self.server.write_all(format!("{line}\r\n").as_bytes()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn silence_is_asked_about_and_then_taken_for_death() {
    let mut stage = Stage::set();
    let begun = Instant::now();
    assert_eq!(stage.reads().await, "PING :are-you-there");
    assert_eq!(begun.elapsed().as_secs(), 60);
    stage.says(":s PONG s :are-you-there").await;
    assert_eq!(stage.reads().await, "PING :are-you-there");
    assert_eq!(begun.elapsed().as_secs(), 120);
    let end = stage.end.await.unwrap();
    assert!(matches!(&end, Err(ChannelError::Unreachable(why)) if why.contains("said nothing")), "{end:?}");
    assert_eq!(begun.elapsed().as_secs(), 150);
    assert!(stage.presence.asks().is_none());
    stage.tasks.finish(Duration::ZERO).await;
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_keeps_the_pace() {
    let mut stage = Stage::set();
    let begun = Instant::now();
    let (ticket, outcome) = Ticket::new();
    let text = "x\n".repeat(10);
    let ask = super::Ask { to: "mia".into(), text, ticket };
    stage.presence.asks().unwrap().send(ask).await.unwrap();
    let mut times = Vec::new();
    for _ in 0..10 {
        assert_eq!(stage.reads().await, "PRIVMSG mia :x");
        times.push(begun.elapsed().as_secs());
    }
    assert_eq!(times, [0, 0, 0, 0, 2, 4, 6, 8, 10, 12]);
    assert_eq!(stage.reads().await, "PING :homard-1");
    stage.says(":s PONG s :homard-1").await;
    assert!(outcome.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_confirm_does_not_hold_up_a_stop() {
    let mut stage = Stage::set();
    let (ticket, outcome) = Ticket::new();
    let ask = super::Ask { to: "mia".into(), text: "x".into(), ticket };
    stage.presence.asks().unwrap().send(ask).await.unwrap();
    assert_eq!(stage.reads().await, "PRIVMSG mia :x");
    let begun = Instant::now();
    stage.cancel.cancel();
    assert_eq!(stage.end.await.unwrap(), Ok(()));
    assert_eq!(begun.elapsed().as_secs(), 3);
    assert!(matches!(outcome.await.unwrap(), Err(ChannelError::Unknown(_))));
}

#[tokio::test(start_paused = true)]
async fn when_the_relay_keeps_nothing_the_server_is_no_longer_read() {
    let mut stage = Stage::set();
    for n in 0..600 {
        stage.says(&format!(":mia!m@h PRIVMSG homard :{n}")).await;
    }
    // Nobody keeps anything for an hour; that is not the server's silence.
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(stage.end.try_recv().is_err());
    for n in 0..600 {
        let (heard, kept) = stage.heard.recv().await.unwrap();
        let homard_channel::InboundEvent::Message(message) = heard else { panic!("{heard:?}") };
        assert_eq!(message.text, n.to_string());
        kept.send(()).unwrap();
    }
    stage.heard.close();
    stage.says(":mia!m@h PRIVMSG homard :too late").await;
    stage.says(":s PONG s :x").await;
    assert_eq!(stage.end.await.unwrap(), Ok(()));
}
