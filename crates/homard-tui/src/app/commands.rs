//! What is done with a finished line: a message, a command of this program, or a command for this machine's shell.

use std::path::PathBuf;

use homard_protocol::methods::chat::ChatSendParams;
use homard_protocol::{QueueMode, RunId, SessionRef, Word};
use serde_json::{Map, Value};

use super::{App, AttachedFile, Effect, Link, Overlay, Request, STOPPING, SearchState, ShownParts};
use crate::chat::item::{ChatItem, ItemBody};
use crate::input::complete::SAME;
use crate::input::picker::{Choice, Picker, PickerKind};
use crate::text::amounts::size;
use crate::text::clean::{clean, clean_line};

/// Most files that go with one message, as on the page.
const FILES_MAX: usize = 20;
/// How much of what a command printed is put into a message.
const SENT_OUTPUT: usize = 20_000;

/// What becomes of a message while a run is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendMode {
    /// It waits its turn.
    Queue,
    /// It goes to the run under way.
    Steer,
}

/// Does what a line asks for.
pub(crate) fn submit(app: &mut App, text: &str, way: SendMode, now: i64) -> Vec<Effect> {
    if text.trim().is_empty() && app.composer.files.is_empty() {
        return Vec::new();
    }
    if let Some(command) = text.strip_prefix('!').filter(|command| !command.trim().is_empty()) {
        return shell(app, command.trim());
    }
    match own_command(text) {
        Some((name, words)) => obey(app, &name, &words),
        None => send(app, text.to_owned(), way, now),
    }
}

/// A command of this program; what follows the name may choose without a list.
fn own_command(text: &str) -> Option<(String, String)> {
    let (name, words) = match text.trim().strip_prefix('/')?.split_once(char::is_whitespace) {
        Some((name, words)) => (name, words.trim()),
        None => (text.trim().strip_prefix('/')?, ""),
    };
    let name = name.to_lowercase();
    let name = SAME.iter().find(|(word, _)| *word == name).map_or(name, |(_, same)| (*same).to_owned());
    let is_own = crate::input::complete::OWN.iter().any(|(own, _)| *own == name);
    // With words these are the gateway's: `/model x` and `/think x` choose there.
    is_own.then(|| (name, words.to_owned()))
}

fn obey(app: &mut App, name: &str, words: &str) -> Vec<Effect> {
    match name {
        "help" => app.overlay = Some(Overlay::Help { from: 0 }),
        "sessions" if !words.is_empty() => return open_named(app, words),
        "sessions" => return open_picker(app, PickerKind::Sessions),
        "agents" if !words.is_empty() => return choose(app, PickerKind::Agents, words),
        "agents" => return open_picker(app, PickerKind::Agents),
        "models" if !words.is_empty() => return choose(app, PickerKind::Models, words),
        "models" => return open_picker(app, PickerKind::Models),
        "thinking" if !words.is_empty() => return choose(app, PickerKind::Thinking, words),
        "thinking" => return open_picker(app, PickerKind::Thinking),
        "attach" if words.is_empty() => app.complain("say which file: /attach PATH"),
        "attach" => return vec![Effect::Read { path: PathBuf::from(words), instead: None }],
        "search" => start_search(app, words),
        "tools" => toggle_tools(app),
        "abort" => return abort(app),
        "quit" => return vec![Effect::Quit],
        _ => {}
    }
    Vec::new()
}

/// Sends a message with the files that wait for one.
pub(crate) fn send(app: &mut App, text: String, way: SendMode, now: i64) -> Vec<Effect> {
    let steer = way == SendMode::Steer && app.chat.is_running();
    let Ok(run) = RunId::parse(&(app.new_id)()) else { return Vec::new() };
    let files: Vec<_> = app.composer.files.drain(..).map(|file| file.wire).collect();
    let mut params = message(app.place.session.as_str().into(), text, run);
    params.attachments = (!files.is_empty()).then_some(files);
    params.thinking = app.wishes.thinking.clone().map(Word::of);
    params.deliver = app.wishes.deliver.then_some(true);
    params.timeout_ms = app.wishes.timeout_ms;
    params.queue_mode = steer.then(|| QueueMode::Steer.into());
    app.screen.follow();
    app.chat.send(params.clone(), steer, now);
    if app.link == Link::Up {
        return vec![Effect::Ask(Request::Send(Box::new(params)))];
    }
    app.chat.not_sent(params.idempotency_key.as_str(), None);
    Vec::new()
}

/// A message with nothing but its words.
fn message(session_key: SessionRef, message: String, idempotency_key: RunId) -> ChatSendParams {
    ChatSendParams {
        session_key,
        message,
        idempotency_key,
        agent_id: None,
        session_id: None,
        thinking: None,
        deliver: None,
        attachments: None,
        timeout_ms: None,
        queue_mode: None,
        suppress_command_interpretation: None,
        reply_to_id: None,
        originating_channel: None,
        originating_to: None,
        originating_account_id: None,
        originating_thread_id: None,
        mentions: None,
        work_context: None,
        intent: None,
        fast_mode: None,
        fast_auto_on_seconds: None,
        tool_bindings: None,
        system_input_provenance: None,
        system_provenance_receipt: None,
        expected_leaf_entry_id: None,
        expected_session_routing_contract: None,
        expected_permission_mode: None,
        expected_tool_overrides: None,
    }
}

/// Stops what runs, and what waits with it; its words go back to where they were written.
pub(super) fn abort(app: &mut App) -> Vec<Effect> {
    if !app.chat.is_running() {
        app.tell("nothing is running");
        return Vec::new();
    }
    let words: Vec<String> = app.chat.waiting.iter().map(|waiting| waiting.text.clone()).collect();
    if !words.is_empty() {
        let draft = app.composer.editor.text().trim().to_owned();
        let parts: Vec<String> =
            std::iter::once(draft).chain(words).filter(|part| !part.is_empty()).collect();
        app.composer.editor.set(parts.join("\n\n"));
    }
    app.tell(STOPPING);
    vec![Effect::Ask(Request::Abort { session: app.place.session.clone() })]
}

/// Takes back the newest message that waits.
pub(super) fn take_back(app: &mut App) -> Vec<Effect> {
    let Some(waiting) = app.chat.waiting.last() else {
        app.tell("no message waits");
        return Vec::new();
    };
    let request = Request::TakeBack {
        session: app.place.session.clone(),
        run: waiting.run.clone(),
        text: waiting.text.clone(),
    };
    vec![Effect::Ask(request)]
}

pub(super) fn start_search(app: &mut App, words: &str) {
    let query = words.to_owned();
    app.screen.search = Some(SearchState { is_typing: true, query, ..SearchState::default() });
    app.screen.find(app.chat.items());
}

pub(super) fn toggle_tools(app: &mut App) {
    let shows = app.screen.shows;
    app.screen.set_shows(ShownParts { tools: !shows.tools, ..shows });
    app.tell(if shows.tools { "tools: one line each" } else { "tools: shown whole" });
}

pub(super) fn toggle_thinking(app: &mut App) {
    let shows = app.screen.shows;
    app.screen.set_shows(ShownParts { thinking: !shows.thinking, ..shows });
    app.tell(if shows.thinking { "thoughts: one line each" } else { "thoughts: shown whole" });
}

/// Opens a list to choose from.
pub(super) fn open_picker(app: &mut App, kind: PickerKind) -> Vec<Effect> {
    let mut picker = Picker::new(kind);
    let session = app.place.session.clone();
    let request = match kind {
        PickerKind::Sessions => Request::Sessions,
        PickerKind::Agents => Request::Agents,
        PickerKind::Models => Request::Models { session },
        PickerKind::Thinking => {
            picker.fill(levels(app));
            app.overlay = Some(Overlay::Picker(picker));
            return Vec::new();
        }
    };
    app.overlay = Some(Overlay::Picker(picker));
    vec![Effect::Ask(request)]
}

fn levels(app: &App) -> Vec<Choice> {
    let facts = &app.chat.facts;
    let choice = |level: &homard_protocol::session_row::ThinkingLevelOption| Choice {
        id: level.id.to_string(),
        label: clean_line(&level.label),
        about: String::new(),
        is_present: level.id.to_string() == facts.thinking,
    };
    facts.levels.iter().map(choice).collect()
}

/// Takes what was chosen.
pub(crate) fn choose(app: &mut App, kind: PickerKind, id: &str) -> Vec<Effect> {
    let setting = |name: &str| {
        let settings = Map::from_iter([(name.to_owned(), Value::String(id.to_owned()))]);
        vec![Effect::Ask(Request::Patch { session: app.place.session.clone(), settings })]
    };
    match kind {
        PickerKind::Sessions => app.open(id.to_owned()),
        PickerKind::Agents => app.open(format!("agent:{id}:main")),
        PickerKind::Models => setting("model"),
        PickerKind::Thinking => setting("thinkingLevel"),
    }
}

/// A conversation by its key, or by a name under the present agent.
pub(crate) fn open_named(app: &mut App, name: &str) -> Vec<Effect> {
    let agent =
        app.place.session.strip_prefix("agent:").and_then(|rest| rest.split(':').next()).unwrap_or("main");
    let key = if name.contains(':') || name == "global" {
        name.to_owned()
    } else {
        format!("agent:{agent}:{name}")
    };
    app.open(key)
}

/// Runs a command on this machine, once the person has said that such may be.
fn shell(app: &mut App, command: &str) -> Vec<Effect> {
    match app.shell.allowed {
        Some(true) => start_shell(app, command),
        Some(false) => {
            app.complain("commands on this machine were declined; start anew to be asked again");
            Vec::new()
        }
        None => {
            app.overlay = Some(Overlay::Consent(command.to_owned()));
            Vec::new()
        }
    }
}

pub(crate) fn consent(app: &mut App, is_given: bool) -> Vec<Effect> {
    let Some(Overlay::Consent(command)) = app.overlay.take() else { return Vec::new() };
    app.shell.allowed = Some(is_given);
    if is_given { start_shell(app, &command) } else { Vec::new() }
}

fn start_shell(app: &mut App, command: &str) -> Vec<Effect> {
    app.shell.count += 1;
    app.shell.running += 1;
    let id = format!("shell:{}", app.shell.count);
    let body = ItemBody::Shell { command: command.to_owned(), output: String::new(), end: None };
    app.chat.append(ChatItem::new(id.clone(), None, body));
    app.screen.follow();
    vec![Effect::Shell { id, command: command.to_owned() }]
}

pub(super) fn shell_ended(app: &mut App, id: String, output: String, end: String) {
    app.shell.running = app.shell.running.saturating_sub(1);
    let command = app.chat.items().iter().find(|item| item.id == id).and_then(|item| match &item.body {
        ItemBody::Shell { command, .. } => Some(command.clone()),
        _ => None,
    });
    let Some(command) = command else { return };
    app.shell.last = Some((command.clone(), output.clone()));
    app.chat.append(ChatItem::new(id, None, ItemBody::Shell { command, output, end: Some(end) }));
    app.tell("Ctrl-X puts the command and what it printed into your message");
}

/// Puts what a command printed into the message being written.
pub(crate) fn quote_shell(app: &mut App) {
    let Some((command, output)) = app.shell.last.take() else {
        app.tell("no command was run here: begin a line with ! to run one");
        return;
    };
    let output = clean(&output);
    let from = output.ceil_char_boundary(output.len().saturating_sub(SENT_OUTPUT));
    let shown = output.get(from..).unwrap_or_default().trim_end();
    app.composer.editor.insert(&format!("I ran `{command}` on my machine:\n\n```\n{shown}\n```\n\n"));
}

pub(super) fn file_read(app: &mut App, file: Result<AttachedFile, String>, instead: Option<String>) {
    match (file, instead) {
        (Ok(_), _) if app.composer.files.len() >= FILES_MAX => {
            app.complain(format!("at most {FILES_MAX} files go with one message"));
        }
        (Ok(file), _) => {
            app.tell(format!(
                "attached {} ({}); Backspace in an empty line takes it off",
                file.name(),
                size(file.bytes)
            ));
            app.composer.files.push(file);
        }
        (Err(_), Some(text)) => app.composer.editor.insert(&text),
        (Err(why), None) => app.complain(why),
    }
}
