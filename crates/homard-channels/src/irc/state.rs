//! Who and where we are on a server: nick, channels, what the server can do; and our own business with it.
//!
//! Reads lines and puts what is to be written into the queue; it owns no connection.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use homard_channel::{ChannelError, Inbound};
use homard_runtime::Arrange as _;
use tokio::time::Instant;

use super::casemap::CaseMapping;
use super::hearing::{BotContext, IrcPlace, SpokenLine};
use super::plain;
use super::queue::{QueuedLine, SendQueue, Ticket};
use super::register::Welcome;
use super::settings::{Room, Settings};
use super::wire::{Incoming, IrcReply, Mask};

/// Bytes of a line, its end included.
const LINE: usize = 512;
/// Longest host a server shows of us.
const HOST: usize = 63;
/// Longest user name a server shows of us, with its `~`.
const USER: usize = 11;
/// However long names are, this much text goes into a line.
const LEAST_TEXT: usize = 100;
/// After a kick we come back once, after this long.
const REJOIN_AFTER: Duration = Duration::from_secs(5);
/// A second kick within this time means that we are not wanted.
const KICK_MEMORY: Duration = Duration::from_secs(600);
/// A channel for registered nicks is tried again when NickServ had time to believe us.
const JOIN_AGAIN_AFTER: Duration = Duration::from_secs(10);
/// After the ghost of our nick was sent away, we take the nick.
const TAKE_NICK_AFTER: Duration = Duration::from_secs(3);
/// How often we try to get our nick back.
const TAKE_NICK_EVERY: Duration = Duration::from_secs(300);
/// How long to wait when a server says that we talk to too many people, and does not say for how long.
const TARGET_WAIT: Duration = Duration::from_secs(60);
/// Channels named in one line, and their bytes.
const JOINED_AT_ONCE: usize = 10;
const JOIN_BYTES: usize = 300;
/// Pieces of advice that are kept, the newest.
const MAX_ADVICE: usize = 20;

/// Something we do later.
#[derive(Debug, Clone, PartialEq, Eq)]
enum DeferredStep {
    Join(Room),
    TakeNick,
}

/// What others may know of the connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ConnectionState {
    pub(super) nick: String,
    pub(super) rooms: Vec<String>,
    pub(super) caps: Vec<String>,
    pub(super) logged_in: bool,
    pub(super) advice: Vec<String>,
}

/// Who and where we are.
#[derive(Debug)]
pub(super) struct State {
    settings: Arc<Settings>,
    cx: BotContext,
    nick: String,
    caps: BTreeSet<String>,
    logged_in: bool,
    mapping: CaseMapping,
    /// What names of channels begin with.
    room_marks: String,
    /// What may stand before a channel to speak only to some of it.
    status_marks: String,
    /// Where we are: folded and as spelled.
    rooms: BTreeMap<String, String>,
    topics: BTreeMap<String, String>,
    kicked: BTreeMap<String, Instant>,
    /// Channels for registered nicks that were tried again.
    tried_again: BTreeSet<String>,
    errands: Vec<(Instant, DeferredStep)>,
    advice: Vec<String>,
}

impl State {
    pub(super) fn new(settings: Arc<Settings>, cx: BotContext, welcome: Welcome) -> Self {
        Self {
            settings,
            cx,
            nick: welcome.nick,
            caps: welcome.caps,
            logged_in: welcome.logged_in,
            mapping: CaseMapping::default(),
            room_marks: "#&".to_owned(),
            status_marks: "@+".to_owned(),
            rooms: BTreeMap::new(),
            topics: BTreeMap::new(),
            kicked: BTreeMap::new(),
            tried_again: BTreeSet::new(),
            errands: Vec::new(),
            advice: welcome.advice,
        }
    }

    /// The first things we do: prove our nick, get it back, join.
    pub(super) fn begin(&mut self, queue: &mut SendQueue, now: Instant) {
        let settings = Arc::clone(&self.settings);
        let has_nick = self.mapping.same(&self.nick, &settings.nick);
        if !has_nick {
            tracing::warn!(nick = %self.nick, wanted = %settings.nick, "the IRC nick is taken; using another");
            self.advise(format!("The nick `{}` is taken; we are `{}`.", settings.nick, self.nick));
        }
        if let Some(nickserv) = &settings.nickserv {
            let (service, password) = (&nickserv.service, nickserv.password.expose());
            if !has_nick {
                queue.business(format!("PRIVMSG {service} :GHOST {} {password}", settings.nick));
            } else if !self.logged_in {
                queue.business(format!("PRIVMSG {service} :IDENTIFY {password}"));
            }
            if let Some(email) = nickserv.register.as_ref().filter(|_| has_nick) {
                queue.business(format!("PRIVMSG {service} :REGISTER {password} {email}"));
            }
        }
        if !has_nick {
            let after = if settings.nickserv.is_some() { TAKE_NICK_AFTER } else { TAKE_NICK_EVERY };
            self.errands.push((now + after, DeferredStep::TakeNick));
        }
        join(&settings.rooms).into_iter().for_each(|line| queue.business(line));
    }

    /// When the next errand is due.
    pub(super) fn next_errand(&self) -> Option<Instant> {
        self.errands.iter().map(|(at, _)| *at).min()
    }

    /// Does what is due.
    pub(super) fn run_errands(&mut self, queue: &mut SendQueue, now: Instant) {
        let due: Vec<DeferredStep> =
            self.errands.extract_if(.., |(at, _)| *at <= now).map(|(_, errand)| errand).collect();
        for errand in due {
            match errand {
                DeferredStep::Join(room) => join(&[room]).into_iter().for_each(|line| queue.business(line)),
                DeferredStep::TakeNick if self.mapping.same(&self.nick, &self.settings.nick) => {}
                DeferredStep::TakeNick => {
                    queue.business(format!("NICK {}", self.settings.nick));
                    self.errands.push((now + TAKE_NICK_EVERY, DeferredStep::TakeNick));
                }
            }
        }
    }

    pub(super) fn standing(&self) -> ConnectionState {
        ConnectionState {
            nick: self.nick.clone(),
            rooms: self.rooms.values().cloned().collect(),
            caps: self.caps.iter().cloned().collect(),
            logged_in: self.logged_in,
            advice: self.advice.clone(),
        }
    }

    /// A message of ours as the lines that carry it. A channel we are not in is joined first, unless we were kicked.
    pub(super) fn job(&self, to: &str, text: &str, ticket: Ticket) -> QueuedLine {
        let target = self.mapping.fold(to);
        let codes = self.settings.dialect == homard_channel::Dialect::IrcCodes;
        let budget = self.budget(to).min(self.settings.text_limit);
        let mut lines: Vec<String> = plain::lines_of(text, budget, codes)
            .into_iter()
            .map(|line| format!("PRIVMSG {to} :{line}"))
            .collect();
        let is_outside = self.is_room(to) && !self.rooms.contains_key(&target);
        if is_outside && !lines.is_empty() && !self.kicked.contains_key(&target) {
            let known = self.settings.rooms.iter().find(|room| self.mapping.same(&room.name, to)).cloned();
            let room = known.unwrap_or_else(|| Room { name: to.to_owned(), key: None });
            lines.splice(0..0, join(&[room]));
        }
        QueuedLine::new(target, lines, ticket)
    }

    /// How much text fits into a line when the server passes it on with our whole name before it.
    fn budget(&self, to: &str) -> usize {
        let user = USER.max(self.settings.username.len() + 1);
        let head = ":!@ PRIVMSG  :\r\n".len() + self.nick.len() + user + HOST + to.len();
        LINE.saturating_sub(head).max(LEAST_TEXT)
    }

    fn is_room(&self, name: &str) -> bool {
        name.starts_with(|mark| self.room_marks.contains(mark))
    }

    fn is_us(&self, mask: Option<&Mask>) -> bool {
        mask.is_some_and(|mask| self.mapping.same(&mask.nick, &self.nick))
    }

    /// Takes a line of the server; returns the message in it.
    ///
    /// # Errors
    /// When the server ends the connection.
    pub(super) fn hear(
        &mut self,
        line: &Incoming,
        queue: &mut SendQueue,
        now: Instant,
    ) -> Result<Option<Inbound>, ChannelError> {
        let ours = self.is_us(line.from.as_ref());
        match &line.said {
            IrcReply::Ping(token) => queue.urgent(format!("PONG :{token}")),
            IrcReply::Pong(word) => queue.answered(word),
            IrcReply::Privmsg { to, text } => return Ok(self.privmsg(line, (to, text), queue, now)),
            IrcReply::Notice { text } => self.notice(line.from.as_ref(), text),
            IrcReply::Join(room) if ours => self.joined(room),
            IrcReply::Part(room) if ours => self.left(room),
            IrcReply::Kick { channel, who, reason } if self.mapping.same(who, &self.nick) => {
                self.was_kicked(channel, reason, now);
            }
            IrcReply::Nick(nick) if ours => self.renamed(nick, queue),
            IrcReply::Topic { channel, topic } => self.topic(channel, topic),
            IrcReply::Number(number, words) => self.number(*number, words, queue, now),
            IrcReply::Error(why) => {
                return Err(ChannelError::Unreachable(format!(
                    "the IRC server closed the connection: {why}"
                )));
            }
            _ => {}
        }
        Ok(None)
    }

    fn privmsg(
        &mut self,
        line: &Incoming,
        (to, text): (&str, &str),
        queue: &mut SendQueue,
        now: Instant,
    ) -> Option<Inbound> {
        let mask = line.from.as_ref()?;
        let bare = to.trim_start_matches(|mark| self.status_marks.contains(mark));
        let room = if self.is_room(bare) { Some(bare) } else { Some(to).filter(|to| self.is_room(to)) };
        if self.is_us(Some(mask)) {
            if let Some(id) = &line.tags.msgid {
                queue.echoed(&self.mapping.fold(to), id);
            }
            return None;
        }
        if room.is_none() && !self.mapping.same(to, &self.nick) {
            return None;
        }
        if let Some((verb, rest)) = plain::ctcp(text)
            && !verb.eq_ignore_ascii_case("ACTION")
        {
            if let Some(answer) = answer_to(verb, rest) {
                queue.casually(format!("NOTICE {} :\u{1}{answer}\u{1}", mask.nick), now);
            }
            return None;
        }
        if self.settings.nickserv.as_ref().is_some_and(|it| self.mapping.same(&it.service, &mask.nick)) {
            return None;
        }
        let spoken = SpokenLine { mask, tags: &line.tags, room, text };
        let place = IrcPlace { our_nick: &self.nick, mapping: self.mapping, topics: &self.topics };
        self.cx.message(spoken, place)
    }

    /// Notices are never answered; what the service says about our password is worth knowing.
    fn notice(&mut self, from: Option<&Mask>, text: &str) {
        let Some(nickserv) = &self.settings.nickserv else { return };
        if !from.is_some_and(|mask| self.mapping.same(&mask.nick, &nickserv.service)) {
            return;
        }
        let lower = text.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if says(&["invalid password", "password incorrect", "incorrect password", "access denied"]) {
            tracing::warn!(service = %nickserv.service, "the nick's password was not accepted");
            let service = nickserv.service.clone();
            self.advise(format!("{service} does not accept the password in `nickserv.password`."));
        } else if says(&["you are now identified", "password accepted", "you are successfully identified"]) {
            self.logged_in = true;
        }
    }

    fn joined(&mut self, room: &str) {
        let folded = self.mapping.fold(room);
        tracing::info!(channel = room, "joined");
        self.advice.retain(|advice| !advice.starts_with(&about_room(room)));
        self.rooms.insert(folded, room.to_owned());
    }

    fn left(&mut self, room: &str) {
        let folded = self.mapping.fold(room);
        tracing::info!(channel = room, "left");
        self.rooms.remove(&folded);
        self.topics.remove(&folded);
    }

    /// We come back once. Who kicks us again soon does not want us.
    fn was_kicked(&mut self, room: &str, reason: &str, now: Instant) {
        self.left(room);
        let folded = self.mapping.fold(room);
        self.kicked.retain(|_, at| now.duration_since(*at) < KICK_MEMORY);
        if self.kicked.insert(folded, now).is_some() {
            tracing::warn!(channel = room, reason, "kicked again; staying out");
            self.advise(format!("{} we were kicked twice ({reason}) and stay out.", about_room(room)));
            return;
        }
        tracing::warn!(channel = room, reason, "kicked; coming back once");
        let known = self.settings.rooms.iter().find(|known| self.mapping.same(&known.name, room)).cloned();
        let room = known.unwrap_or_else(|| Room { name: room.to_owned(), key: None });
        self.errands.push((now + REJOIN_AFTER, DeferredStep::Join(room)));
    }

    fn renamed(&mut self, nick: &str, queue: &mut SendQueue) {
        tracing::info!(from = %self.nick, to = nick, "our IRC nick changed");
        nick.clone_into(&mut self.nick);
        if !self.mapping.same(&self.nick, &self.settings.nick) {
            return;
        }
        self.advice.retain(|advice| !advice.starts_with("The nick "));
        if let Some(nickserv) = self.settings.nickserv.as_ref().filter(|_| !self.logged_in) {
            queue.business(format!("PRIVMSG {} :IDENTIFY {}", nickserv.service, nickserv.password.expose()));
        }
    }

    fn topic(&mut self, room: &str, topic: &str) {
        let folded = self.mapping.fold(room);
        if self.rooms.contains_key(&folded) {
            self.topics.insert(folded, topic.to_owned());
        }
    }

    fn number(&mut self, number: u16, words: &[String], queue: &mut SendQueue, now: Instant) {
        let first = words.first().map_or("", String::as_str);
        let last = words.last().map_or("", String::as_str);
        match number {
            5 => self.supports(words, queue),
            332 => self.topic(first, last),
            900 => self.logged_in = true,
            433 | 436 if !self.is_room(first) => {
                tracing::debug!(nick = first, "the nick is still taken");
            }
            400..=599 | 716 => self.refused(number, (first, last), queue, now),
            _ => {}
        }
    }

    /// What the server says of itself.
    fn supports(&mut self, words: &[String], queue: &mut SendQueue) {
        for word in words {
            match word.split_once('=').unwrap_or((word, "")) {
                ("CASEMAPPING", name) => self.mapping = CaseMapping::named(name),
                ("CHANTYPES", marks) => marks.clone_into(&mut self.room_marks),
                ("STATUSMSG", marks) => marks.clone_into(&mut self.status_marks),
                ("BOT", mode) if mode.len() == 1 => {
                    queue.business(format!("MODE {} +{mode}", self.nick));
                }
                _ => {}
            }
        }
    }

    /// The server did not do what we asked, about `what`: a person or a channel.
    fn refused(&mut self, number: u16, (what, words): (&str, &str), queue: &mut SendQueue, now: Instant) {
        let folded = self.mapping.fold(what);
        if let Some(hint) =
            join_hint(number).filter(|_| self.is_room(what) && !self.rooms.contains_key(&folded))
        {
            let room = self.settings.rooms.iter().find(|room| self.mapping.same(&room.name, what)).cloned();
            match room {
                Some(room) if number == 477 && self.tried_again.insert(folded.clone()) => {
                    self.errands.push((now + JOIN_AGAIN_AFTER, DeferredStep::Join(room)));
                }
                _ => {
                    tracing::warn!(channel = what, number, "could not join: {words}");
                    self.advise(format!("{} could not join: {words}. {hint}", about_room(what)));
                }
            }
        }
        let error = match number {
            439 => ChannelError::Wait(seconds_in(words).unwrap_or(TARGET_WAIT)),
            401 => ChannelError::Permanent(format!("nobody called `{what}` is there: {words}")),
            _ => ChannelError::Permanent(format!("the IRC server did not pass it on to `{what}`: {words}")),
        };
        if !queue.refuse(&folded, error) {
            tracing::debug!(number, what, "the IRC server refused: {words}");
        }
    }

    fn advise(&mut self, advice: String) {
        if self.advice.contains(&advice) {
            return;
        }
        if self.advice.len() >= MAX_ADVICE {
            self.advice.remove(0);
        }
        self.advice.push(advice);
    }
}

fn about_room(room: &str) -> String {
    format!("`{room}`:")
}

/// Lines that join channels; those with keys come first, as the protocol wants it.
fn join(rooms: &[Room]) -> Vec<String> {
    let mut sorted: Vec<&Room> = rooms.iter().collect();
    sorted.arrange_by_key(|room| room.key.is_none());
    let mut lines = Vec::new();
    let (mut names, mut keys): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut bytes = 0;
    for room in sorted {
        let key = room.key.as_ref().map(homard_config::Secret::expose);
        let size = room.name.len() + key.map_or(0, str::len) + 2;
        if !names.is_empty() && (names.len() >= JOINED_AT_ONCE || bytes + size > JOIN_BYTES) {
            lines.push(format!("JOIN {} {}", names.join(","), keys.join(",")).trim_end().to_owned());
            names.clear();
            keys.clear();
            bytes = 0;
        }
        names.push(&room.name);
        keys.extend(key);
        bytes += size;
    }
    if !names.is_empty() {
        lines.push(format!("JOIN {} {}", names.join(","), keys.join(",")).trim_end().to_owned());
    }
    lines
}

/// What the owner can do when a channel does not let us in; `None` when the number is about something else.
fn join_hint(number: u16) -> Option<&'static str> {
    Some(match number {
        403 | 476 | 479 => "Check its name in `channels`.",
        405 => "We are in too many channels; take some out of `channels`.",
        437 => "The name is held back for a while; it will be free again.",
        471 => "It is full.",
        473 => "Ask somebody there to invite our nick, or to take the mode +i away.",
        474 => "We are banned there; ask its operators.",
        475 => "Write its key behind its name in `channels`: `#name key`.",
        477 => "It wants a registered nick; set `nickserv` or `sasl`.",
        489 | 520 => "It wants an encrypted connection; leave `tls` on.",
        _ => return None,
    })
}

/// Answers to programs that ask what we are.
fn answer_to(verb: &str, rest: &str) -> Option<String> {
    match verb.to_ascii_uppercase().as_str() {
        "VERSION" => Some(format!("VERSION Homard {}", env!("CARGO_PKG_VERSION"))),
        "PING" if rest.len() <= 64 => Some(format!("PING {}", plain::without_codes(rest))),
        "CLIENTINFO" => Some("CLIENTINFO ACTION CLIENTINFO PING VERSION".to_owned()),
        _ => None,
    }
}

/// The first number in a text, as seconds.
fn seconds_in(words: &str) -> Option<Duration> {
    let digits: String =
        words.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).take(4).collect();
    digits.parse().ok().filter(|seconds| *seconds > 0).map(Duration::from_secs)
}

#[cfg(test)]
mod tests;
