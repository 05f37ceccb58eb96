//! Coming in: from the first line to the server's welcome.
//!
//! Reads lines and says which to write; it owns no connection. Capabilities are agreed on first, then who we are is
//! proven (the server's password, SASL), then a nick is found that is free.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_channel::ChannelError;
use homard_runtime::Clip;

use super::settings::Settings;
use super::wire::{Incoming, IrcReply};

/// What we use where a server offers it.
const WANTED: [&str; 6] =
    ["account-tag", "draft/message-tags-0.2", "echo-message", "message-tags", "msgid", "server-time"];
/// The way of proving an account.
const SASL: &str = "sasl";
/// A proof is sent in pieces of this many bytes.
const SASL_PIECE: usize = 400;
/// After so many nicks that were taken we give up for now.
const MAX_NICKS: usize = 6;
/// How much of a nick is kept when a number must fit behind it: servers with the oldest limit allow nine.
const SHORT_NICK: usize = 7;
/// How long to stay away when a server says that we come too often.
const TOO_OFTEN: std::time::Duration = std::time::Duration::from_secs(60);

/// What a line of the server leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RegisterStep {
    /// These lines are to be written; often none.
    Write(Vec<String>),
    In(Welcome),
}

/// What is known when we are in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Welcome {
    /// Our nick, as the server says.
    pub(super) nick: String,
    /// What was agreed on.
    pub(super) caps: BTreeSet<String>,
    /// Whether our account is proven already.
    pub(super) logged_in: bool,
    /// What the owner should know.
    pub(super) advice: Vec<String>,
}

/// Coming in, step by step.
#[derive(Debug)]
pub(super) struct Registration<'a> {
    settings: &'a Settings,
    nick: String,
    tried: usize,
    offered: BTreeSet<String>,
    /// What the server said about the ways of proving an account; empty when it did not say.
    mechanisms: String,
    caps: BTreeSet<String>,
    logged_in: bool,
    advice: Vec<String>,
}

impl<'a> Registration<'a> {
    /// Begins under a nick; returns the first lines.
    pub(super) fn begin(settings: &'a Settings, nick: &str) -> (Self, Vec<String>) {
        let mut lines = vec!["CAP LS 302".to_owned()];
        if let Some(password) = &settings.password {
            lines.push(format!("PASS :{}", password.expose()));
        }
        lines.push(format!("NICK {nick}"));
        lines.push(format!("USER {} 0 * :{}", settings.username, settings.realname));
        let registration = Self {
            settings,
            nick: nick.to_owned(),
            tried: 1,
            offered: BTreeSet::new(),
            mechanisms: String::new(),
            caps: BTreeSet::new(),
            logged_in: false,
            advice: Vec::new(),
        };
        (registration, lines)
    }

    /// Takes a line of the server.
    ///
    /// # Errors
    /// When the server does not let us in.
    pub(super) fn hear(&mut self, line: &Incoming) -> Result<RegisterStep, ChannelError> {
        let lines = match &line.said {
            IrcReply::Ping(token) => vec![format!("PONG :{token}")],
            IrcReply::Cap { verb, list, more } => self.capabilities(verb, list, *more)?,
            IrcReply::Authenticate(asked) if asked == "+" => self.proof(),
            IrcReply::Welcome(nick) => return self.welcome(nick),
            IrcReply::Number(number, words) => return self.number(*number, words),
            IrcReply::Error(why) => return Err(self.shut_out(why)),
            _ => Vec::new(),
        };
        Ok(RegisterStep::Write(lines))
    }

    fn number(&mut self, number: u16, words: &[String]) -> Result<RegisterStep, ChannelError> {
        let words_of_server = words.last().map_or("", String::as_str);
        let lines = match number {
            903 | 907 => {
                self.logged_in = true;
                self.end()
            }
            902 | 904 | 905 | 906 | 908 => self.unproven(number, words_of_server)?,
            433 | 436 | 437 => self.other_nick()?,
            432 if self.tried > 1 => self.other_nick()?,
            432 => {
                let nick = &self.nick;
                return Err(ChannelError::Refused(format!(
                    "the IRC server does not allow the nick `{nick}` ({words_of_server}); choose another in `nick`"
                )));
            }
            464 => return Err(wrong_password(words_of_server)),
            465 | 466 => {
                return Err(ChannelError::Refused(format!(
                    "the IRC server has banned us: {words_of_server}"
                )));
            }
            _ => Vec::new(),
        };
        Ok(RegisterStep::Write(lines))
    }

    fn capabilities(&mut self, verb: &str, list: &str, more: bool) -> Result<Vec<String>, ChannelError> {
        match verb {
            "LS" => {
                for offer in list.split_whitespace() {
                    let (name, value) = offer.split_once('=').unwrap_or((offer, ""));
                    if name == SASL {
                        value.clone_into(&mut self.mechanisms);
                    }
                    self.offered.insert(name.to_owned());
                }
                if more { Ok(Vec::new()) } else { self.ask() }
            }
            "ACK" => {
                self.caps.extend(list.split_whitespace().map(|name| name.trim_start_matches('~').to_owned()));
                let prove = self.caps.contains(SASL) && !self.logged_in;
                Ok(if prove { vec!["AUTHENTICATE PLAIN".to_owned()] } else { self.end() })
            }
            "NAK" if self.must_prove() => Err(no_sasl()),
            "NAK" => Ok(self.end()),
            _ => Ok(Vec::new()),
        }
    }

    /// Asks for what is offered and wanted.
    fn ask(&mut self) -> Result<Vec<String>, ChannelError> {
        let mut wanted: Vec<&str> =
            WANTED.iter().copied().filter(|name| self.offered.contains(*name)).collect();
        if self.settings.sasl.is_some() {
            let plain = self.mechanisms.is_empty()
                || self.mechanisms.split(',').any(|name| name.eq_ignore_ascii_case("PLAIN"));
            if self.offered.contains(SASL) && plain {
                wanted.push(SASL);
            } else if self.must_prove() {
                return Err(no_sasl());
            }
        }
        if wanted.is_empty() { Ok(self.end()) } else { Ok(vec![format!("CAP REQ :{}", wanted.join(" "))]) }
    }

    #[expect(clippy::unused_self, reason = "reads as a step among the others")]
    fn end(&self) -> Vec<String> {
        vec!["CAP END".to_owned()]
    }

    /// Account and password, as PLAIN writes them, in pieces.
    fn proof(&self) -> Vec<String> {
        let Some(sasl) = &self.settings.sasl else { return vec!["AUTHENTICATE *".to_owned()] };
        let proof = STANDARD.encode(format!("\0{}\0{}", sasl.account, sasl.password.expose()));
        let mut lines: Vec<String> = proof
            .as_bytes()
            .chunks(SASL_PIECE)
            .map(|piece| format!("AUTHENTICATE {}", String::from_utf8_lossy(piece)))
            .collect();
        if proof.len() % SASL_PIECE == 0 {
            lines.push("AUTHENTICATE +".to_owned());
        }
        lines
    }

    fn must_prove(&self) -> bool {
        self.settings.sasl.as_ref().is_some_and(|sasl| sasl.is_required)
    }

    fn unproven(&mut self, number: u16, words: &str) -> Result<Vec<String>, ChannelError> {
        // 908 only lists what could be used instead; the verdict follows.
        if number == 908 {
            return Ok(Vec::new());
        }
        let account = self.settings.sasl.as_ref().map_or("", |sasl| sasl.account.as_str());
        let why = format!(
            "the IRC server did not accept the account `{account}` with its password over SASL ({number}: {words})"
        );
        if self.must_prove() {
            return Err(ChannelError::Refused(format!("{why}; check `sasl` in the channel's section")));
        }
        tracing::warn!("{why}; NickServ is asked instead");
        self.advice.push(why);
        Ok(self.end())
    }

    /// The next nick to try: with underscores, then short with a number.
    fn other_nick(&mut self) -> Result<Vec<String>, ChannelError> {
        let wanted = &self.settings.nick;
        if self.tried >= MAX_NICKS {
            return Err(ChannelError::Unreachable(format!(
                "the nick `{wanted}` and everything like it is taken on the IRC server"
            )));
        }
        self.nick = match self.tried {
            1 => format!("{wanted}_"),
            2 => format!("{wanted}__"),
            number => {
                let short = wanted.clip_chars(SHORT_NICK).to_owned();
                format!("{short}{number}")
            }
        };
        self.tried += 1;
        Ok(vec![format!("NICK {}", self.nick)])
    }

    fn welcome(&mut self, nick: &str) -> Result<RegisterStep, ChannelError> {
        if self.must_prove() && !self.logged_in {
            return Err(no_sasl());
        }
        Ok(RegisterStep::In(Welcome {
            nick: if nick.is_empty() { self.nick.clone() } else { nick.to_owned() },
            caps: std::mem::take(&mut self.caps),
            logged_in: self.logged_in,
            advice: std::mem::take(&mut self.advice),
        }))
    }

    /// What a server's last words mean before it let us in.
    fn shut_out(&self, why: &str) -> ChannelError {
        let lower = why.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if says(&["password", "access denied", "not authorized", "not authorised"]) {
            return wrong_password(why);
        }
        if says(&["banned", "k-line", "k:line", "g-line", "z-line"]) {
            return ChannelError::Refused(format!("the IRC server has banned us: {why}"));
        }
        if says(&["throttl", "too fast", "too many", "try again later", "reconnecting"]) {
            return ChannelError::Wait(TOO_OFTEN);
        }
        ChannelError::Unreachable(format!("the IRC server closed the connection: {why}"))
    }
}

fn wrong_password(words: &str) -> ChannelError {
    ChannelError::Refused(format!("the IRC server wants another password ({words}); check `password`"))
}

fn no_sasl() -> ChannelError {
    ChannelError::Refused(
        "the IRC server offers no SASL PLAIN, but `sasl` is configured; use `nickserv` instead".to_owned(),
    )
}

#[cfg(test)]
mod tests;
