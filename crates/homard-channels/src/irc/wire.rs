//! Lines from a server: cut out of the stream, read, and reduced to what we act on.
//!
//! Reading never fails on what a server sends: a line that is too long is passed over, bytes that are not UTF-8 are
//! read as Latin-1, and what cannot be understood is [`IrcReply::Other`].

use std::io;

use irc_proto::{CapSubCommand, Command, Message, Prefix};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Longest line that is read: 8191 bytes of tags and 512 of message, and room for servers that allow more.
const MAX_LINE: usize = 16 * 1024;
/// How much is asked for at once.
const READ_SIZE: usize = 4 * 1024;

/// The number of the server's welcome.
const WELCOME: u16 = 1;

/// The lines of a connection. Stopping a wait for a line loses nothing.
#[derive(Debug)]
pub(super) struct Lines<R> {
    from: R,
    held: Vec<u8>,
    /// How much of `held` is known to have no end of line.
    scanned: usize,
    /// Whether the line under way is too long and is being passed over.
    passing_over: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, held: Vec::new(), scanned: 0, passing_over: false }
    }

    /// The next line that can be understood or not; `None` at the end of the connection.
    pub(super) async fn next(&mut self) -> io::Result<Option<Incoming>> {
        loop {
            if let Some(line) = self.cut() {
                return Ok(Some(Incoming::read(&line)));
            }
            self.held.reserve(READ_SIZE);
            if self.from.read_buf(&mut self.held).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// The next whole line that is already here.
    fn cut(&mut self) -> Option<String> {
        loop {
            let unseen = self.held.get(self.scanned..).unwrap_or_default();
            let Some(at) = unseen.iter().position(|byte| *byte == b'\n') else {
                self.scanned = self.held.len();
                if self.held.len() > MAX_LINE {
                    self.held.clear();
                    self.scanned = 0;
                    self.passing_over = true;
                }
                return None;
            };
            let line: Vec<u8> = self.held.drain(..=self.scanned + at).collect();
            self.scanned = 0;
            if std::mem::take(&mut self.passing_over) || line.len() > MAX_LINE {
                tracing::warn!("the IRC server sent a line of more than {MAX_LINE} bytes; it is passed over");
                continue;
            }
            let line = decode(line);
            let line = line.trim_end_matches(['\r', '\n']);
            if !line.is_empty() {
                return Some(line.to_owned());
            }
        }
    }
}

/// Text as people mean it: UTF-8, or what came before it.
fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|not_utf8| not_utf8.into_bytes().into_iter().map(char::from).collect())
}

/// One line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Incoming {
    pub(super) tags: Tags,
    /// Who sent it; `None` when the server did.
    pub(super) from: Option<Mask>,
    pub(super) said: IrcReply,
}

/// What a server may add to a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tags {
    /// The server's id for a message.
    pub(super) msgid: Option<String>,
    /// When it was said, in milliseconds since 1970.
    pub(super) time: Option<i64>,
    /// The account with which the sender is logged in at the server.
    pub(super) account: Option<String>,
    /// Whether the sender says that it is a program.
    pub(super) bot: bool,
}

/// Who somebody is on a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mask {
    pub(super) nick: String,
    pub(super) user: String,
    pub(super) host: String,
}

/// What a line says, as far as we act on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum IrcReply {
    Privmsg {
        to: String,
        text: String,
    },
    Notice {
        text: String,
    },
    Join(String),
    Part(String),
    Kick {
        channel: String,
        who: String,
        reason: String,
    },
    Nick(String),
    Topic {
        channel: String,
        topic: String,
    },
    Ping(String),
    Pong(String),
    Error(String),
    /// What the server can do: the verb, the list, and whether more of it follows.
    Cap {
        verb: &'static str,
        list: String,
        more: bool,
    },
    Authenticate(String),
    /// We are in, under this nick.
    Welcome(String),
    /// A reply with a number; its first word, our nick, is left out.
    Number(u16, Vec<String>),
    #[default]
    Other,
}

impl Incoming {
    /// Reads a line without its end.
    pub(super) fn read(line: &str) -> Self {
        let Ok(message) = line.parse::<Message>() else { return Self::default() };
        let from = match message.prefix {
            Some(Prefix::Nickname(nick, user, host)) if !nick.is_empty() => Some(Mask { nick, user, host }),
            Some(Prefix::Nickname(..) | Prefix::ServerName(_)) | None => None,
        };
        let mut tags = Tags::default();
        for irc_proto::message::Tag(name, value) in message.tags.unwrap_or_default() {
            tags.take(&name, value);
        }
        Self { tags, from, said: IrcReply::of(message.command) }
    }
}

impl Tags {
    fn take(&mut self, name: &str, value: Option<String>) {
        let value = value.filter(|value| !value.is_empty());
        match name {
            "msgid" | "draft/msgid" => self.msgid = value,
            "time" => {
                let time = value.and_then(|time| time.parse::<jiff::Timestamp>().ok());
                self.time = time.map(jiff::Timestamp::as_millisecond);
            }
            "account" => self.account = value,
            "bot" | "draft/bot" => self.bot = true,
            _ => {}
        }
    }
}

impl IrcReply {
    fn of(command: Command) -> Self {
        match command {
            Command::PRIVMSG(to, text) => Self::Privmsg { to, text },
            Command::NOTICE(_, text) => Self::Notice { text },
            Command::JOIN(channel, ..) => Self::Join(channel),
            Command::PART(channel, _) => Self::Part(channel),
            Command::KICK(channel, who, reason) => {
                Self::Kick { channel, who, reason: reason.unwrap_or_default() }
            }
            Command::NICK(nick) => Self::Nick(nick),
            Command::TOPIC(channel, topic) => Self::Topic { channel, topic: topic.unwrap_or_default() },
            Command::PING(token, _) => Self::Ping(token),
            Command::PONG(first, second) => Self::Pong(second.unwrap_or(first)),
            Command::ERROR(why) => Self::Error(why),
            Command::CAP(_, verb, first, second) => Self::cap(verb, first, second),
            Command::AUTHENTICATE(data) => Self::Authenticate(data),
            Command::Response(number, args) => Self::number(number as u16, args),
            Command::Raw(word, args) => Self::raw(&word, args),
            _ => Self::Other,
        }
    }

    fn cap(verb: CapSubCommand, first: Option<String>, second: Option<String>) -> Self {
        let verb = match verb {
            CapSubCommand::LS => "LS",
            CapSubCommand::ACK => "ACK",
            CapSubCommand::NAK => "NAK",
            _ => return Self::Other,
        };
        // A star before the list says that the list goes on in another line.
        let more = second.is_some() && first.as_deref() == Some("*");
        Self::Cap { verb, list: second.or(first).unwrap_or_default(), more }
    }

    fn number(number: u16, args: Vec<String>) -> Self {
        let mut args = args.into_iter();
        let nick = args.next().unwrap_or_default();
        if number == WELCOME { Self::Welcome(nick) } else { Self::Number(number, args.collect()) }
    }

    /// What the reader of lines has no name for: numbers beyond its list, and known words in other forms.
    fn raw(word: &str, args: Vec<String>) -> Self {
        if let Ok(number) = word.parse::<u16>() {
            return Self::number(number, args);
        }
        let mut args = args.into_iter();
        match (word.to_ascii_uppercase().as_str(), args.next(), args.next()) {
            ("PRIVMSG", Some(to), Some(text)) => {
                let rest: String = args.map(|word| format!(" {word}")).collect();
                Self::Privmsg { to, text: text + &rest }
            }
            ("ERROR", why, _) => Self::Error(why.unwrap_or_default()),
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests;
