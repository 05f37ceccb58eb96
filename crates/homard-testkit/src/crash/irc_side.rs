//! Somebody on a real IRC server, while the gateway is killed.
//!
//! A server keeps nothing for those who are away and is told by nobody that a line was received. So what was said in the
//! moment of a kill, or before the gateway is back, may never have been heard, and no program can promise more. This
//! person does as people do: what the gateway has not kept is said again, once it stays. What it has kept is owed.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::conversations::Conversations;
use super::dice::Dice;
use super::judge::{SeenMessage, marks};
use crate::irc_peer::IrcPeer;
use crate::ngircd::Ngircd;

/// Who writes, and the room where they do so, too.
const NICK: &str = "ann";
const ROOM: &str = "#crash";
/// How the gateway is called there.
const US: &str = "homard";
/// How long it is waited for the gateway to come back before something is said.
const BACK_WITHIN: Duration = Duration::from_millis(600);
/// How long something that was said may be on its way before it is said again.
const ON_ITS_WAY: Duration = Duration::from_secs(5);

/// The server and the person.
pub(super) struct IrcSide {
    server: Ngircd,
    peer: IrcPeer,
    /// What was heard from the gateway.
    pub(super) heard: Vec<SeenMessage>,
    /// Whether the gateway is in the room.
    is_there: bool,
    said_last: Instant,
    /// How often something was said again.
    pub(super) repeats: usize,
}

impl IrcSide {
    /// A server of its own, and somebody on it.
    ///
    /// # Errors
    /// When `ngircd` is not installed or does not start.
    pub(super) async fn start() -> Result<Self> {
        let server = Ngircd::start().await?;
        let mut peer = server.peer(NICK).await?;
        peer.join(ROOM).await?;
        let (heard, said_last) = (Vec::new(), Instant::now());
        Ok(Self { server, peer, heard, is_there: false, said_last, repeats: 0 })
    }

    /// The gateway's account there.
    pub(super) fn account(&self) -> Value {
        json!({
            "host": "127.0.0.1", "port": self.server.port(), "tls": false, "nick": US, "channels": [ROOM],
            "dmPolicy": "open", "allowFrom": ["*"], "groupPolicy": "open", "flood": {"intervalMs": 0},
            "groups": {"*": {"requireMention": false}},
        })
    }

    /// Where something is said next, as the gateway calls the place.
    pub(super) fn some_place(dice: &mut Dice) -> String {
        let name = if dice.below(2) == 0 { NICK } else { ROOM };
        format!("irc:{name}")
    }

    /// Says something at a place, once the gateway is seen to be there or does not come.
    ///
    /// # Errors
    /// When the server is gone.
    pub(super) async fn say(&mut self, place: &str, text: &str) -> Result<()> {
        self.listen().await?;
        if !self.is_there {
            // Whoever does not come in time is spoken to all the same, as people do.
            let _came = tokio::time::timeout(BACK_WITHIN, self.peer.arrives(" JOIN ")).await;
        }
        let to = if place.ends_with(ROOM) { ROOM } else { US };
        self.said_last = Instant::now();
        self.peer.say(to, text).await
    }

    /// Says again what the gateway never kept; whether there was any.
    ///
    /// # Errors
    /// When the server or the gateway's tables cannot be read.
    pub(super) async fn repeat(
        &mut self,
        owed: &[(String, String)],
        conversations: &Conversations,
        database: &Path,
    ) -> Result<bool> {
        let kept = kept(conversations, database)?;
        let is_unkept = |(mark, place): &&(String, String)| place.starts_with("irc:") && !kept.contains(mark);
        let unkept: Vec<_> = owed.iter().filter(is_unkept).collect();
        if unkept.is_empty() || self.said_last.elapsed() < ON_ITS_WAY {
            return Ok(!unkept.is_empty());
        }
        for (mark, place) in unkept {
            self.repeats += 1;
            self.say(place, &format!("please answer {mark}")).await?;
        }
        Ok(true)
    }

    /// Listens to what has come by now.
    ///
    /// # Errors
    /// When the server is gone.
    pub(super) async fn listen(&mut self) -> Result<()> {
        for line in self.peer.heard().await? {
            let Some((_, words)) = line.split_once(' ').filter(|_| line.starts_with(&format!(":{US}")))
            else {
                continue;
            };
            match words.split(' ').next() {
                Some("JOIN") => self.is_there = true,
                Some("QUIT") => self.is_there = false,
                _ => self.heard.extend(said(words)),
            }
        }
        Ok(())
    }

    /// Waits until something is said there.
    ///
    /// # Errors
    /// When the server is gone.
    pub(super) async fn is_spoken(&mut self) -> Result<()> {
        self.peer.arrives(" PRIVMSG ").await
    }
}

/// What the gateway said, without its name.
fn said(words: &str) -> Option<SeenMessage> {
    let (to, text) = words.strip_prefix("PRIVMSG ")?.split_once(" :")?;
    let place = format!("irc:{}", to.to_ascii_lowercase());
    Some(SeenMessage { place, number: None, text: text.trim().to_owned() })
}

/// The marks the gateway knows of: said in a conversation, or waiting for it.
fn kept(conversations: &Conversations, database: &Path) -> Result<BTreeSet<String>> {
    let db = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut asked = db.prepare(
        "SELECT payload FROM inbox WHERE payload <> '' UNION ALL SELECT message FROM runs WHERE message IS NOT NULL",
    )?;
    let waiting = asked.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    Ok(waiting.iter().flat_map(|text| marks(text)).chain(conversations.asked()).collect())
}
