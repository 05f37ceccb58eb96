//! The same program in plain lines: for screen readers, slow lines, pipes and programs. Nothing is drawn over, every line
//! is printed once, and everything is answered by typing a line.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, IsTerminal, Write};

use homard_client::Client;
use homard_client::questions::OpenQuestion;
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_runtime::off_thread;
use rustix::process::{Signal, getpid, kill_process};
use tokio::sync::mpsc;

use crate::app::commands::{self, SendMode};
use crate::app::{App, Effect, Link, Overlay, Request, Screen};
use crate::chat::item::{ChatItem, ItemBody, SendState, ToolCard, ToolState};
use crate::runner::{
    Connector, EffectRunner, GatewayLink, LoopStep, Signalled, Signals, TuiError, TuiOptions, new_id,
};
use crate::text::amounts::{duration, elapsed};
use crate::text::clean::clean;
use crate::text::theme::Theme;
use crate::view::help::KEYS;

/// What may wait to be taken in.
const INBOX: usize = 256;
/// Lines of a list that are printed.
const LISTED: usize = 40;

/// Chats in plain lines until the person leaves, or until the input ends and everything is answered.
pub(crate) async fn run(
    first: Client,
    connector: &impl Connector,
    options: TuiOptions,
) -> Result<(), TuiError> {
    let mut app = App::new(options.wishes, Screen::new(80, 24, Theme::new(false)), new_id);
    let (inbox, mut arrived) = mpsc::channel(INBOX);
    let (typing, mut typed) = mpsc::channel(INBOX);
    drop(off_thread(move || read_lines(&typing)));
    let hands = EffectRunner::new(inbox, options.machine);
    let mut line = GatewayLink::up(first, connector);
    let mut signals = Signals::listen()?;
    let is_manned = io::stdin().is_terminal();
    // Who pipes a message in wants its answer, and not what was said before.
    let mut printer = Printer { is_brief: !is_manned, ..Printer::default() };
    let (mut open, mut awaited) = (true, 0_usize);
    loop {
        let hears = open && takes_lines(&app, is_manned, awaited);
        let now = options.clock.now_ms();
        let effects = tokio::select! {
            said = typed.recv(), if hears => match said {
                Some(said) => type_line(&mut app, &said, now),
                None => {
                    open = false;
                    Vec::new()
                }
            },
            Some(msg) = arrived.recv() => {
                awaited = awaited.saturating_sub(1);
                app.update(msg, now)
            }
            msg = line.next() => app.update(msg, now),
            signalled = signals.next() => match signalled {
                Signalled::End => break,
                Signalled::Suspend => vec![Effect::Suspend],
            },
        };
        let mut is_over = false;
        for effect in effects {
            match hands.perform(effect, line.client()) {
                LoopStep::Go => {}
                LoopStep::Later => awaited += 1,
                LoopStep::Suspend => kill_process(getpid(), Signal::STOP).map_err(io::Error::from)?,
                LoopStep::Quit => is_over = true,
            }
        }
        printer.print(&mut app, now, &mut io::stdout().lock())?;
        let is_settled = app.chat.loaded && !app.chat.is_running() && !app.chat.has_unsent() && awaited == 0;
        if is_over || (!open && is_settled) {
            break;
        }
    }
    hands.stop().await;
    Ok(())
}

/// Whether the next line may be said. A list that was asked for comes first, so that its number is meant for it; and
/// lines from a pipe wait their turn, so that each is answered before the next is said.
fn takes_lines(app: &App, is_manned: bool, awaited: usize) -> bool {
    let is_listing = matches!(&app.overlay, Some(Overlay::Picker(picker)) if !picker.is_loaded);
    let is_answered = !app.chat.is_running() && !app.chat.has_unsent() && awaited == 0;
    let is_free = is_manned || is_answered || app.questions.first().is_some();
    app.chat.loaded && !is_listing && is_free
}

fn read_lines(typing: &mpsc::Sender<String>) {
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if typing.blocking_send(line).is_err() {
            return;
        }
    }
}

/// What a typed line means, with what waits for one.
fn type_line(app: &mut App, line: &str, now: i64) -> Vec<Effect> {
    app.notice = None;
    match &app.overlay {
        Some(Overlay::Consent(_)) => {
            let is_yes = matches!(line.trim().to_lowercase().as_str(), "y" | "yes");
            return commands::consent(app, is_yes);
        }
        Some(Overlay::Picker(picker)) => {
            let (kind, found) = (picker.kind, picker.found());
            let number = line.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let id = number.and_then(|at| found.get(at)).map(|choice| choice.id.clone());
            let id = id.or_else(|| {
                found.iter().find(|choice| choice.id == line.trim()).map(|choice| choice.id.clone())
            });
            app.overlay = None;
            return match id {
                Some(id) => commands::choose(app, kind, &id),
                None => {
                    app.tell("nothing was chosen");
                    Vec::new()
                }
            };
        }
        Some(Overlay::Help { .. }) | None => app.overlay = None,
    }
    if let Some((asked, decision)) = app.questions.first().zip(answer(app.questions.first(), line)) {
        let request = Request::Decide { kind: asked.kind, id: asked.id.clone(), decision };
        return vec![Effect::Ask(request)];
    }
    commands::submit(app, line.trim_end(), SendMode::Queue, now)
}

/// What a line says to a question; nothing is taken for a yes that is not one.
fn answer(asked: Option<&OpenQuestion>, line: &str) -> Option<ApprovalDecision> {
    match line.trim().to_lowercase().as_str() {
        "once" => Some(ApprovalDecision::AllowOnce),
        "always" if asked.is_some_and(|asked| asked.can_always) => Some(ApprovalDecision::AllowAlways),
        "deny" => Some(ApprovalDecision::Deny),
        _ => None,
    }
}

/// What has been printed.
#[derive(Debug, Default)]
pub(crate) struct Printer {
    /// How much of each line's words.
    printed: HashMap<String, usize>,
    whole: HashSet<String>,
    session: String,
    /// Whether what a conversation had before is left out.
    is_brief: bool,
    link: Option<Link>,
    question: Option<String>,
    overlay: Option<String>,
}

impl Printer {
    /// Prints what is new.
    pub(crate) fn print(&mut self, app: &mut App, now: i64, out: &mut impl Write) -> io::Result<()> {
        if app.chat.loaded && app.place.session != self.session {
            self.session.clone_from(&app.place.session);
            self.printed.clear();
            self.whole.clear();
            writeln!(out, "conversation: {}", clean(&self.session))?;
            if self.is_brief {
                let past = app.chat.items().iter().filter(|item| is_over(&item.body));
                self.whole.extend(past.map(|item| item.id.clone()));
            }
        }
        if self.link.as_ref() != Some(&app.link) {
            match &app.link {
                Link::Down(why) => writeln!(out, "not connected, trying again: {}", clean(why))?,
                Link::Up if matches!(self.link, Some(Link::Down(_))) => writeln!(out, "connected again")?,
                Link::Up | Link::Connecting => {}
            }
            self.link = Some(app.link.clone());
        }
        if app.chat.loaded {
            for item in app.chat.items() {
                self.item(item, out)?;
            }
        }
        self.question(app, now, out)?;
        self.overlay(app, out)?;
        if let Some(notice) = app.notice.take() {
            writeln!(out, "{}", clean(&notice.text))?;
        }
        out.flush()
    }

    fn item(&mut self, item: &ChatItem, out: &mut impl Write) -> io::Result<()> {
        if self.whole.contains(&item.id) {
            return Ok(());
        }
        match &item.body {
            ItemBody::Text { text, streaming, ending } => {
                let text = clean(text);
                let done = *self.printed.get(&item.id).unwrap_or(&0);
                // Whole lines only: half of one would be read twice.
                let end = if *streaming { text.rfind('\n').map_or(0, |at| at + 1) } else { text.len() };
                if end > done {
                    let name = if done == 0 { "assistant: " } else { "" };
                    writeln!(
                        out,
                        "{name}{}",
                        text.get(done..end).unwrap_or_default().trim_end_matches('\n')
                    )?;
                    self.printed.insert(item.id.clone(), end);
                }
                if let Some(ending) = ending {
                    writeln!(out, "({})", ending.words())?;
                }
                if !streaming {
                    self.whole.insert(item.id.clone());
                }
            }
            body => {
                if let Some(line) = line_of(body) {
                    writeln!(out, "{}", clean(&line))?;
                    self.whole.insert(item.id.clone());
                }
            }
        }
        Ok(())
    }

    fn question(&mut self, app: &App, now: i64, out: &mut impl Write) -> io::Result<()> {
        let id = app.questions.first().map(|asked| asked.id.to_string());
        if let Some(asked) = app.questions.first().filter(|_| id != self.question) {
            for line in asked.lines(&elapsed(asked.left_ms(now))) {
                writeln!(out, "{line}")?;
            }
            let always = if asked.can_always { "`always`, " } else { "" };
            writeln!(out, "type `once`, {always}or `deny`, and Enter")?;
        }
        self.question = id;
        Ok(())
    }

    fn overlay(&mut self, app: &App, out: &mut impl Write) -> io::Result<()> {
        let (name, lines) = match &app.overlay {
            None => (None, Vec::new()),
            Some(Overlay::Help { .. }) => (Some("help".to_owned()), help()),
            Some(Overlay::Consent(command)) => {
                let question =
                    format!("run commands on this machine, as you? {}", homard_runtime::visible(command));
                (
                    Some(format!("consent {command}")),
                    vec![question, "type `yes` or `no`, and Enter".to_owned()],
                )
            }
            Some(Overlay::Picker(picker)) if picker.is_loaded => {
                let mut lines = vec![format!("{}:", picker.title())];
                for (number, choice) in (1..).zip(picker.found()).take(LISTED) {
                    let mark = if choice.is_present { " (now)" } else { "" };
                    lines.push(format!("{number}. {} {}{mark}", choice.label, choice.about));
                }
                lines.push("type a number and Enter, or Enter alone to leave it".to_owned());
                (Some(format!("list {}", picker.title())), lines)
            }
            Some(Overlay::Picker(_)) => (None, Vec::new()),
        };
        if name != self.overlay {
            for line in lines {
                writeln!(out, "{}", clean(&line))?;
            }
        }
        self.overlay = name;
        Ok(())
    }
}

/// Whether nothing will be added to it.
fn is_over(body: &ItemBody) -> bool {
    match body {
        ItemBody::Text { streaming, .. } => !streaming,
        ItemBody::User { state, .. } => matches!(state, SendState::Sent),
        body => line_of(body).is_some(),
    }
}

/// A line for everything that is said at once; nothing while it is not over.
fn line_of(body: &ItemBody) -> Option<String> {
    match body {
        ItemBody::User { text, sender, state, files } => match state {
            SendState::Refused(why) => Some(format!("not sent: {why}")),
            SendState::Sending | SendState::Unsent => None,
            SendState::Sent => {
                let name = sender.as_deref().unwrap_or("you");
                let files =
                    if files.is_empty() { String::new() } else { format!(" (files: {})", files.join(", ")) };
                Some(format!("{name}: {text}{files}"))
            }
        },
        ItemBody::Tool(card) if card.state != ToolState::Running => Some(tool_line(card)),
        ItemBody::Error(text) => Some(format!("error: {text}")),
        ItemBody::Note(text) => Some(text.clone()),
        ItemBody::Shell { command, output, end: Some(end) } => {
            Some(format!("command: {command}\n{}\n{end}", output.trim_end()))
        }
        ItemBody::Text { .. } | ItemBody::Thinking { .. } | ItemBody::Tool(_) | ItemBody::Shell { .. } => {
            None
        }
    }
}

fn tool_line(card: &ToolCard) -> String {
    let end = match card.state {
        ToolState::Done => "done",
        ToolState::Failed => "failed",
        ToolState::Running | ToolState::Unanswered => "no answer",
    };
    let took = card.took_ms.map(|ms| format!(" in {}", duration(ms))).unwrap_or_default();
    format!("tool {}: {} ({end}{took})", card.name, card.summary)
}

fn help() -> Vec<String> {
    let mut lines = vec!["type a message and Enter; lines that begin with / are commands:".to_owned()];
    lines.extend(crate::input::complete::OWN.iter().map(|(name, about)| format!("/{name}: {about}")));
    let begins = KEYS.iter().filter(|(key, _)| matches!(*key, "!"));
    lines.extend(begins.map(|(key, about)| format!("{key}: {about}")));
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Printer, takes_lines, type_line};
    use crate::app::{Msg, Reply};
    use crate::testing::{NOW, app, delta, question, read, short, text, user};

    fn printed(printer: &mut Printer, app: &mut crate::app::App) -> String {
        let mut out = Vec::new();
        printer.print(app, NOW, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_line_is_printed_once_and_nothing_steers_the_terminal() {
        let mut app = app(80, 24, &[user("a", "hello")], json!({}));
        let mut printer = Printer::default();
        assert_eq!(printed(&mut printer, &mut app), "conversation: agent:main:main\nyou: hello\n");
        app.update(Msg::Heard(delta("a", "one\u{1b}[2J\ntw")), NOW);
        assert_eq!(printed(&mut printer, &mut app), "assistant: one\n");
        read(&mut app, &[user("a", "hello"), text("one\u{1b}[2J\ntwo")], json!({}));
        assert_eq!(printed(&mut printer, &mut app), "two\n");
        app.update(Msg::Lost("gone".into()), NOW);
        assert_eq!(printed(&mut printer, &mut app), "not connected, trying again: gone\n");
        assert_eq!(printed(&mut printer, &mut app), "");
    }

    #[test]
    fn what_is_piped_in_is_answered_without_what_was_said_before() {
        let before = [user("a", "hello"), text("well met")];
        let mut app = app(80, 24, &before, json!({}));
        let mut printer = Printer { is_brief: true, ..Printer::default() };
        assert_eq!(printed(&mut printer, &mut app), "conversation: agent:main:main\n");
        app.update(Msg::Heard(delta("b", "here\nI am")), NOW);
        assert_eq!(printed(&mut printer, &mut app), "assistant: here\n");
    }

    #[test]
    fn lines_answer_what_was_asked() {
        let mut app = app(80, 24, &[], json!({}));
        assert_eq!(short(&type_line(&mut app, "/models", NOW)), ["Models { session: \"agent:main:main\" }"]);
        assert!(!takes_lines(&app, true, 0));
        app.update(Msg::Reply(Reply::Models(Ok(Vec::new()))), NOW);
        assert!(takes_lines(&app, false, 0) && !takes_lines(&app, false, 1));
        assert!(type_line(&mut app, "9", NOW).is_empty());
        app.update(Msg::Heard(question("q1", "ls")), NOW);
        assert_eq!(short(&type_line(&mut app, "once", NOW)), ["decide q1 AllowOnce"]);
        assert_eq!(short(&type_line(&mut app, "yes please", NOW)), ["send: yes please"]);
        assert!(takes_lines(&app, false, 1), "a question is answered while a run waits for it");
    }
}
