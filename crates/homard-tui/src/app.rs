//! The program without its terminal and its socket: keys, events and answers in, requests and a picture out. Everything
//! that decides is here and pure; [`runner`](crate::runner) does what it asks for, [`view`](crate::view) draws it.

pub(crate) mod commands;
mod keys;
mod questions;
mod replies;
mod screen;

use std::path::PathBuf;

use crossterm::event::KeyEvent;
use homard_client::ClientError;
use homard_client::questions::{Change, OpenQuestion};
use homard_protocol::methods::approvals::{ApprovalDecision, ApprovalKind};
use homard_protocol::methods::chat::agent::{AgentsListResult, ModelSummary};
use homard_protocol::methods::chat::startup::SlashCommand;
use homard_protocol::methods::chat::{Attachment, ChatHistoryResult, ChatSendParams};
use homard_protocol::session_row::SessionRow;
use homard_protocol::{ApprovalId, RunAnswer};
use serde_json::{Map, Value};

pub(crate) use questions::Questions;
pub(crate) use screen::{Screen, SearchState, ShownParts};

use crate::chat::Chat;
use crate::input::complete::{Completion, CompletionLine, KnownCommand, known};
use crate::input::editor::Editor;
use crate::input::picker::Picker;
use crate::wire::GatewayNews;

/// How many messages are read again after a change; those above them stay where they join.
const REFRESH: u32 = 60;
/// Said until a run that was asked to stop has ended.
const STOPPING: &str = "stopping…";

/// What the person asked for on the command line.
#[derive(Debug, Clone, Default)]
pub struct StartOptions {
    /// The conversation to open; the default agent's main one otherwise.
    pub session: Option<String>,
    /// What to say first.
    pub message: Option<String>,
    /// Whether answers are delivered to the conversation's channel, too.
    pub deliver: bool,
    /// How hard to think, for what is sent from here.
    pub thinking: Option<String>,
    /// How many messages are read at first.
    pub history_limit: u32,
    /// How long a run may take.
    pub timeout_ms: Option<u64>,
}

/// Something that happened to the program.
#[derive(Debug)]
pub(crate) enum Msg {
    Key(KeyEvent),
    Paste(String),
    /// The wheel of a mouse was turned: so many rows back.
    Wheel(isize),
    Resize(u16, u16),
    /// A second passed while something shows time.
    Tick,
    Connected(Greeting),
    /// The connection is gone; why, in words.
    Lost(String),
    Heard(GatewayNews),
    /// Events were lost on the way.
    Missed,
    Reply(Reply),
    ShellEnded {
        id: String,
        output: String,
        end: String,
    },
    File {
        file: Result<AttachedFile, String>,
        instead: Option<String>,
    },
    Files {
        word: String,
        lines: Vec<CompletionLine>,
    },
}

/// Something the program wants done.
#[derive(Debug)]
pub(crate) enum Effect {
    Ask(Request),
    Shell {
        id: String,
        command: String,
    },
    /// End the commands that run on this machine.
    StopShell,
    /// Read a file to attach it; `instead` is typed when it is none.
    Read {
        path: PathBuf,
        instead: Option<String>,
    },
    /// List files whose path begins so.
    List(String),
    Suspend,
    Quit,
}

/// What the gateway said about itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Greeting {
    pub(crate) main_session: String,
    pub(crate) version: String,
}

/// Something to ask the gateway.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    History {
        session: String,
        limit: u32,
        offset: Option<u64>,
    },
    Send(Box<ChatSendParams>),
    Abort {
        session: String,
    },
    /// Stop one message before it is begun.
    TakeBack {
        session: String,
        run: String,
        text: String,
    },
    /// Hear what is said in a conversation, whoever says it.
    Watch {
        session: String,
    },
    Sessions,
    Agents,
    Models {
        session: String,
    },
    Commands {
        session: String,
    },
    Patch {
        session: String,
        settings: Map<String, Value>,
    },
    Questions,
    Decide {
        kind: ApprovalKind,
        id: ApprovalId,
        decision: ApprovalDecision,
    },
}

/// What the gateway answered.
#[derive(Debug)]
pub(crate) enum Reply {
    History {
        session: String,
        limit: u32,
        offset: Option<u64>,
        page: Result<Box<ChatHistoryResult>, CallFailure>,
    },
    Sent {
        run: String,
        answer: Result<RunAnswer, CallFailure>,
    },
    Aborted(Result<bool, CallFailure>),
    TakenBack {
        run: String,
        text: String,
        done: Result<bool, CallFailure>,
    },
    Sessions(Result<Vec<SessionRow>, CallFailure>),
    Agents(Result<Box<AgentsListResult>, CallFailure>),
    Models(Result<Vec<ModelSummary>, CallFailure>),
    Commands(Result<Vec<SlashCommand>, CallFailure>),
    Patched(Result<(), CallFailure>),
    Questions(Result<Vec<OpenQuestion>, CallFailure>),
    Decided {
        id: ApprovalId,
        done: Result<(), CallFailure>,
    },
    /// Heard from now on, or not by an older gateway.
    Watching,
}

/// Why a request came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallFailure {
    pub(crate) words: String,
    /// Whether nobody said no: the connection went away meanwhile.
    pub(crate) is_lost: bool,
}

impl From<ClientError> for CallFailure {
    fn from(error: ClientError) -> Self {
        // What may be tried again counts as not heard, such as a message to a gateway that is just stopping.
        let is_retryable = error.shape().is_some_and(|shape| shape.retryable == Some(true));
        let is_lost = is_retryable || matches!(error, ClientError::Closed(_) | ClientError::Timeout { .. });
        let words = match error.shape() {
            Some(shape) => shape.message.clone(),
            None => error.to_string(),
        };
        Self { words, is_lost }
    }
}

/// A file that goes with the next message.
#[derive(Debug, Clone)]
pub(crate) struct AttachedFile {
    pub(crate) bytes: u64,
    pub(crate) wire: Attachment,
}

impl AttachedFile {
    pub(crate) fn name(&self) -> &str {
        self.wire.file_name.as_deref().unwrap_or_default()
    }
}

/// Whether somebody is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Link {
    Connecting,
    Up,
    Down(String),
}

/// Which conversation is shown.
#[derive(Debug, Default)]
pub(crate) struct ChatPlace {
    pub(crate) session: String,
    /// The default agent's main conversation.
    pub(crate) home: String,
    pub(crate) version: String,
    loading: Loading,
}

/// Whether the history is being read, and again after that.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Loading {
    #[default]
    No,
    Yes,
    Again,
}

/// What lies over the conversation.
#[derive(Debug)]
pub(crate) enum Overlay {
    Help {
        from: usize,
    },
    Picker(Picker),
    /// May commands be run here? The first waits.
    Consent(String),
}

/// Commands run on this machine.
#[derive(Debug, Default)]
pub(crate) struct LocalShell {
    /// Whether the person said yes or no.
    pub(crate) allowed: Option<bool>,
    /// What ran last, to be sent.
    pub(crate) last: Option<(String, String)>,
    count: u64,
    running: usize,
}

/// A word about what just happened; gone with the next key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) text: String,
    pub(crate) is_bad: bool,
}

/// What the person is writing, with everything that goes with it.
#[derive(Debug, Default)]
pub(crate) struct Composer {
    pub(crate) editor: Editor,
    pub(crate) completion: Completion,
    pub(crate) files: Vec<AttachedFile>,
    pub(crate) commands: Vec<KnownCommand>,
    /// Whether Ctrl-C was pressed and waits to be pressed again.
    leaving: bool,
}

/// The program.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) link: Link,
    pub(crate) place: ChatPlace,
    pub(crate) chat: Chat,
    pub(crate) composer: Composer,
    pub(crate) questions: Questions,
    pub(crate) overlay: Option<Overlay>,
    pub(crate) screen: Screen,
    pub(crate) shell: LocalShell,
    pub(crate) notice: Option<Notice>,
    wishes: StartOptions,
    /// Makes the names of runs; tests know theirs.
    new_id: fn() -> String,
}

impl App {
    pub(crate) fn new(wishes: StartOptions, screen: Screen, new_id: fn() -> String) -> Self {
        let composer = Composer { commands: known(&[]), ..Composer::default() };
        Self {
            link: Link::Connecting,
            place: ChatPlace::default(),
            chat: Chat::default(),
            composer,
            questions: Questions::default(),
            overlay: None,
            screen,
            shell: LocalShell::default(),
            notice: None,
            wishes,
            new_id,
        }
    }

    /// Takes what happened and tells what to do.
    pub(crate) fn update(&mut self, msg: Msg, now: i64) -> Vec<Effect> {
        match msg {
            Msg::Key(key) => keys::press(self, key, now),
            Msg::Paste(text) => keys::paste(self, &text),
            Msg::Wheel(rows) => keys::scroll_back(self, rows),
            Msg::Resize(width, height) => {
                self.screen.resize(width, height);
                if height < crate::view::ROWS_FOR_QUESTION {
                    // What is not seen any more is not answered.
                    self.questions.put_down();
                }
                Vec::new()
            }
            Msg::Tick if self.link == Link::Up && self.chat.has_unsent() => self.resend(now),
            Msg::Tick => Vec::new(),
            Msg::Connected(greeting) => self.connected(greeting, now),
            Msg::Lost(why) => {
                self.link = Link::Down(why);
                self.place.loading = Loading::No;
                self.chat.older.loading = false;
                Vec::new()
            }
            Msg::Heard(happened) => self.hear(happened, now),
            Msg::Missed => self.refresh_all(),
            Msg::Reply(reply) => replies::take(self, reply, now),
            Msg::ShellEnded { id, output, end } => {
                commands::shell_ended(self, id, output, end);
                Vec::new()
            }
            Msg::File { file, instead } => {
                commands::file_read(self, file, instead);
                Vec::new()
            }
            Msg::Files { word, lines } => {
                keys::files_found(self, &word, lines);
                Vec::new()
            }
        }
    }

    /// Whether time passes on the screen.
    pub(crate) fn shows_time(&self) -> bool {
        self.chat.is_running() || self.chat.has_unsent() || self.questions.first().is_some()
    }

    /// Sends what could not be sent, under the same names: what was taken after all is not taken twice.
    fn resend(&mut self, now: i64) -> Vec<Effect> {
        self.chat.resend(now).into_iter().map(|params| Effect::Ask(Request::Send(Box::new(params)))).collect()
    }

    fn connected(&mut self, greeting: Greeting, now: i64) -> Vec<Effect> {
        self.link = Link::Up;
        self.place.home = greeting.main_session;
        self.place.version = greeting.version;
        if self.place.session.is_empty() {
            self.place.session = self.wishes.session.clone().unwrap_or_else(|| self.place.home.clone());
        }
        let mut effects = self.refresh_all();
        effects.push(Effect::Ask(Request::Commands { session: self.place.session.clone() }));
        effects.extend(self.resend(now));
        if let Some(text) = self.wishes.message.take() {
            effects.extend(commands::send(self, text, commands::SendMode::Queue, now));
        }
        effects
    }

    /// Reads everything again: after a connection or a gap nothing is sure.
    fn refresh_all(&mut self) -> Vec<Effect> {
        self.place.loading = Loading::No;
        let session = self.place.session.clone();
        let mut effects = vec![Effect::Ask(Request::Watch { session }), Effect::Ask(Request::Questions)];
        effects.extend(self.refresh());
        effects
    }

    /// Reads the newest messages; what is asked for meanwhile shares one more reading after it.
    fn refresh(&mut self) -> Vec<Effect> {
        if self.place.loading != Loading::No {
            self.place.loading = Loading::Again;
            return Vec::new();
        }
        let limit =
            if self.chat.loaded { REFRESH.min(self.wishes.history_limit) } else { self.wishes.history_limit };
        self.read_history(limit)
    }

    fn read_history(&mut self, limit: u32) -> Vec<Effect> {
        self.place.loading = Loading::Yes;
        vec![Effect::Ask(Request::History { session: self.place.session.clone(), limit, offset: None })]
    }

    /// Opens another conversation.
    pub(crate) fn open(&mut self, session: String) -> Vec<Effect> {
        self.chat = Chat::default();
        self.place.session = session;
        self.screen.follow();
        self.screen.search = None;
        if self.link != Link::Up {
            return Vec::new();
        }
        let mut effects = self.refresh_all();
        effects.push(Effect::Ask(Request::Commands { session: self.place.session.clone() }));
        effects
    }

    fn hear(&mut self, happened: GatewayNews, now: i64) -> Vec<Effect> {
        let here = self.place.session.as_str();
        let again = match happened {
            GatewayNews::Chat(step) => step.session_key == here && self.chat.hear_chat(&step, now),
            GatewayNews::Agent(step) => step.session_key == here && self.chat.hear_agent(step, now),
            GatewayNews::Said(step) => step.session_key == here && self.chat.hear_said(&step),
            GatewayNews::Changed(step) => step.session_key == here && self.hear_changed(&step.reason),
            GatewayNews::Question(Change::Asked(asked)) => {
                self.questions.add(asked);
                false
            }
            GatewayNews::Question(Change::Ended(ended)) => {
                if let Some(words) = self.questions.end(&ended) {
                    self.tell(words);
                }
                false
            }
            GatewayNews::Ending(_) => false,
        };
        if !self.chat.is_running() && self.notice.as_ref().is_some_and(|notice| notice.text == STOPPING) {
            self.notice = None;
        }
        if again { self.refresh() } else { Vec::new() }
    }

    fn hear_changed(&mut self, reason: &str) -> bool {
        match reason {
            // What was said is in another transcript from now on.
            "reset" | "new" | "delete" => {
                self.chat = Chat::default();
                true
            }
            "patch" => true,
            _ => false,
        }
    }

    pub(crate) fn tell(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), is_bad: false });
    }

    pub(crate) fn complain(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), is_bad: true });
    }
}

#[cfg(test)]
mod tests;
