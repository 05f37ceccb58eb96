//! What keys do. Every key is in the table of [`help`](crate::view::help) as well.

use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::commands::{self, SendMode};
use super::{App, Effect, Overlay, Request};
use crate::input::complete::CompletionLine;
use crate::input::paths::{at_word, dragged};
use crate::input::picker::{Picker, PickerKind};
use crate::text::clean::clean;

const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;

pub(super) fn press(app: &mut App, key: KeyEvent, now: i64) -> Vec<Effect> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    app.notice = None;
    if key.modifiers.contains(CTRL) && key.code == KeyCode::Char('c') {
        return interrupt(app);
    }
    app.composer.leaving = false;
    if key.modifiers.contains(CTRL) && key.code == KeyCode::Char('z') {
        return vec![Effect::Suspend];
    }
    if app.overlay.is_some() {
        return in_overlay(app, key);
    }
    if app.questions.is_taken_up {
        return in_question(app, key);
    }
    if app.screen.search.as_ref().is_some_and(|search| search.is_typing) {
        in_search(app, key);
        return Vec::new();
    }
    let effects = match anywhere(app, key) {
        Some(effects) => return effects,
        None => in_text(app, key, now),
    };
    effects.into_iter().chain(complete(app)).collect()
}

/// Ctrl-C: first what is written goes, then the program.
fn interrupt(app: &mut App) -> Vec<Effect> {
    if app.overlay.take().is_some() || !app.composer.editor.is_empty() {
        app.composer.editor.clear();
        app.composer.completion.close("");
        return Vec::new();
    }
    if app.composer.leaving {
        return vec![Effect::Quit];
    }
    app.composer.leaving = true;
    app.tell(if app.chat.is_running() {
        "Ctrl-C again leaves, and the run goes on; Esc stops it"
    } else {
        "Ctrl-C again leaves"
    });
    Vec::new()
}

/// Keys that mean the same whatever is being written.
fn anywhere(app: &mut App, key: KeyEvent) -> Option<Vec<Effect>> {
    let effects = match (key.modifiers & (CTRL | ALT), key.code) {
        (CTRL, KeyCode::Char('p')) => commands::open_picker(app, PickerKind::Sessions),
        (CTRL, KeyCode::Char('g')) => commands::open_picker(app, PickerKind::Agents),
        (CTRL, KeyCode::Char('l')) => commands::open_picker(app, PickerKind::Models),
        (ALT, KeyCode::Char('t')) => commands::open_picker(app, PickerKind::Thinking),
        (CTRL, KeyCode::Char('o')) => {
            commands::toggle_tools(app);
            Vec::new()
        }
        (CTRL, KeyCode::Char('t')) => {
            commands::toggle_thinking(app);
            Vec::new()
        }
        (CTRL, KeyCode::Char('f')) => {
            commands::start_search(app, "");
            Vec::new()
        }
        (CTRL, KeyCode::Char('x')) => {
            commands::quote_shell(app);
            Vec::new()
        }
        (ALT | CTRL, KeyCode::Up) => commands::take_back(app),
        (_, KeyCode::PageUp) => scroll_back(app, app.screen.page()),
        (_, KeyCode::PageDown) => {
            app.screen.scroll(-app.screen.page());
            Vec::new()
        }
        (CTRL, KeyCode::Home) => scroll_back(app, isize::MAX / 2),
        (CTRL, KeyCode::End) => {
            app.screen.follow();
            Vec::new()
        }
        (_, KeyCode::F(1)) => {
            app.overlay = Some(Overlay::Help { from: 0 });
            Vec::new()
        }
        _ => return None,
    };
    Some(effects)
}

/// Looks further back; at the beginning of what is held, older messages are asked for.
pub(super) fn scroll_back(app: &mut App, rows: isize) -> Vec<Effect> {
    let is_at_start = app.screen.scroll(rows);
    let older = &mut app.chat.older;
    if !is_at_start || !older.has_more || older.loading {
        return Vec::new();
    }
    older.loading = true;
    let (offset, limit) = (Some(older.offset), app.wishes.history_limit);
    vec![Effect::Ask(Request::History { session: app.place.session.clone(), limit, offset })]
}

fn in_text(app: &mut App, key: KeyEvent, now: i64) -> Vec<Effect> {
    let open = app.composer.completion.is_open();
    let bare = key.modifiers & (CTRL | ALT);
    match (bare, key.code) {
        (KeyModifiers::NONE, KeyCode::Tab) if open => accept(app),
        (KeyModifiers::NONE, KeyCode::Tab) if app.questions.first().is_some() => {
            take_up(app);
            Vec::new()
        }
        (KeyModifiers::NONE, KeyCode::Up) if open => step_completion(app, -1),
        (KeyModifiers::NONE, KeyCode::Down) if open => step_completion(app, 1),
        (KeyModifiers::NONE, KeyCode::Esc) if open => {
            let before = app.composer.editor.before().to_owned();
            app.composer.completion.close(&before);
            Vec::new()
        }
        (KeyModifiers::NONE, KeyCode::Esc) if app.screen.search.take().is_some() => Vec::new(),
        (KeyModifiers::NONE, KeyCode::Esc) if app.screen.below() > 0 => {
            app.screen.follow();
            Vec::new()
        }
        (KeyModifiers::NONE, KeyCode::Esc) if app.shell.running > 0 => vec![Effect::StopShell],
        (KeyModifiers::NONE, KeyCode::Esc) if app.chat.is_running() => commands::abort(app),
        (KeyModifiers::NONE, KeyCode::Enter) if !key.modifiers.contains(KeyModifiers::SHIFT) => {
            enter(app, now)
        }
        (CTRL, KeyCode::Char('s')) => submit(app, SendMode::Steer, now),
        (CTRL, KeyCode::Char('d')) if app.composer.editor.is_empty() => vec![Effect::Quit],
        (KeyModifiers::NONE, KeyCode::Char('?')) if app.composer.editor.is_empty() => {
            app.overlay = Some(Overlay::Help { from: 0 });
            Vec::new()
        }
        (KeyModifiers::NONE, KeyCode::Backspace) if app.composer.editor.is_empty() => {
            app.composer.files.pop();
            Vec::new()
        }
        _ => {
            edit(app, key);
            Vec::new()
        }
    }
}

/// From now on keys answer the question, where a row of it is seen.
fn take_up(app: &mut App) {
    if app.screen.height < crate::view::ROWS_FOR_QUESTION {
        app.complain("too few rows to show what is asked: make the terminal taller");
    } else {
        app.questions.is_taken_up = true;
    }
}

fn edit(app: &mut App, key: KeyEvent) {
    let width = usize::from(app.screen.width).saturating_sub(crate::view::PROMPT_COLUMNS);
    let editor = &mut app.composer.editor;
    match (key.modifiers & (CTRL | ALT), key.code) {
        (_, KeyCode::Enter) | (CTRL, KeyCode::Char('j')) => editor.insert("\n"),
        (CTRL, KeyCode::Char('a')) | (_, KeyCode::Home) => editor.home(),
        (CTRL, KeyCode::Char('e')) | (_, KeyCode::End) => editor.end(),
        (CTRL, KeyCode::Char('b')) | (KeyModifiers::NONE, KeyCode::Left) => editor.left(),
        (KeyModifiers::NONE, KeyCode::Right) => editor.right(),
        (ALT, KeyCode::Char('b')) | (_, KeyCode::Left) => editor.word_left(),
        (ALT, KeyCode::Char('f')) | (_, KeyCode::Right) => editor.word_right(),
        (CTRL, KeyCode::Char('w')) | (ALT | CTRL, KeyCode::Backspace) => editor.cut_word(),
        (CTRL, KeyCode::Char('u')) => editor.cut_to_start(),
        (CTRL, KeyCode::Char('k')) => editor.cut_to_end(),
        (CTRL, KeyCode::Char('y')) => editor.yank(),
        (CTRL, KeyCode::Char('h')) | (_, KeyCode::Backspace) => editor.backspace(),
        (CTRL, KeyCode::Char('d')) | (_, KeyCode::Delete) => editor.delete(),
        (KeyModifiers::NONE, KeyCode::Up) => editor.up(width),
        (KeyModifiers::NONE, KeyCode::Down) => editor.down(width),
        (KeyModifiers::NONE, KeyCode::Char(letter)) => editor.insert(letter.encode_utf8(&mut [0; 4])),
        _ => {}
    }
}

/// Enter: accepts what completes a command, continues a line that ends with a backslash, or sends.
fn enter(app: &mut App, now: i64) -> Vec<Effect> {
    if app.composer.completion.is_open() {
        let before = app.composer.editor.before().to_owned();
        let whole = app.composer.completion.chosen().is_some_and(|line| line.text.trim_end() == before);
        let effects = accept(app);
        // A command that takes no words is sent at once; what was typed in full already, too.
        let is_done =
            app.composer.editor.text().starts_with('/') && !app.composer.editor.text().ends_with(' ');
        return if whole || is_done { submit(app, SendMode::Queue, now) } else { effects };
    }
    if app.composer.editor.before().ends_with('\\') {
        app.composer.editor.replace_before(1, "\n");
        return Vec::new();
    }
    submit(app, SendMode::Queue, now)
}

fn submit(app: &mut App, way: SendMode, now: i64) -> Vec<Effect> {
    let text = app.composer.editor.take();
    app.composer.completion.close("");
    commands::submit(app, text.trim_end(), way, now)
}

/// Puts what is chosen in the place of the word; a file is attached as well.
fn accept(app: &mut App) -> Vec<Effect> {
    let Some(line) = app.composer.completion.chosen().cloned() else { return Vec::new() };
    let editor = &mut app.composer.editor;
    app.composer.completion.lines.clear();
    let Some(word) = at_word(editor.before()) else {
        editor.set(line.text);
        return Vec::new();
    };
    editor.replace_before(word.len(), &line.text);
    if line.text.ends_with('/') {
        return vec![Effect::List(line.text)];
    }
    editor.insert(" ");
    vec![Effect::Read { path: PathBuf::from(line.text), instead: None }]
}

fn step_completion(app: &mut App, step: isize) -> Vec<Effect> {
    app.composer.completion.step(step);
    Vec::new()
}

/// After a key: what completes the text now.
fn complete(app: &mut App) -> Option<Effect> {
    let composer = &mut app.composer;
    composer.completion.look(composer.editor.before(), &composer.commands).map(Effect::List)
}

pub(super) fn files_found(app: &mut App, word: &str, lines: Vec<CompletionLine>) {
    if at_word(app.composer.editor.before()).as_deref() == Some(word) {
        app.composer.completion.fill(lines);
    }
}

/// What was pasted is text, unless it is a file that was dragged here.
pub(super) fn paste(app: &mut App, text: &str) -> Vec<Effect> {
    app.notice = None;
    if let Some(Overlay::Picker(picker)) = &mut app.overlay {
        let line = crate::text::clean::clean_line(text);
        picker.narrow(|query| query.push_str(&line));
        return Vec::new();
    }
    if app.overlay.is_some() || app.questions.is_taken_up {
        return Vec::new();
    }
    // Terminals send the ends of lines as the Enter key does.
    let text = clean(&text.replace("\r\n", "\n").replace('\r', "\n"));
    match dragged(&text)
        .filter(|_| app.composer.editor.is_empty() || app.composer.editor.before().ends_with(' '))
    {
        Some(path) => vec![Effect::Read { path, instead: Some(text) }],
        None => {
            app.composer.editor.insert(&text);
            Vec::new()
        }
    }
}

fn in_overlay(app: &mut App, key: KeyEvent) -> Vec<Effect> {
    match &mut app.overlay {
        Some(Overlay::Help { from }) => match key.code {
            KeyCode::Down | KeyCode::Char('j') => *from = from.saturating_add(1),
            KeyCode::Up | KeyCode::Char('k') => *from = from.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => *from = from.saturating_add(10),
            KeyCode::PageUp => *from = from.saturating_sub(10),
            _ => app.overlay = None,
        },
        Some(Overlay::Consent(_)) => match key.code {
            KeyCode::Char('y' | 'Y') => return commands::consent(app, true),
            KeyCode::Char('n' | 'N') => return commands::consent(app, false),
            // Not now: the next such line asks again.
            KeyCode::Esc => app.overlay = None,
            _ => {}
        },
        Some(Overlay::Picker(picker)) => return in_picker(app_picker(picker, key), app),
        None => {}
    }
    Vec::new()
}

/// What a key does in a list.
enum Picked {
    Nothing,
    Closed,
    /// Something was chosen, or only typed.
    Taken(PickerKind, Option<String>, String),
}

fn app_picker(picker: &mut Picker, key: KeyEvent) -> Picked {
    match (key.modifiers & (CTRL | ALT), key.code) {
        (_, KeyCode::Esc) => return Picked::Closed,
        (_, KeyCode::Enter) => {
            let chosen = picker.chosen().map(|choice| choice.id.clone());
            return Picked::Taken(picker.kind, chosen, picker.query.clone());
        }
        (_, KeyCode::Up) | (CTRL, KeyCode::Char('p')) => picker.step(-1),
        (_, KeyCode::Down) | (CTRL, KeyCode::Char('n')) => picker.step(1),
        (_, KeyCode::PageUp) => picker.step(-10),
        (_, KeyCode::PageDown) => picker.step(10),
        (CTRL, KeyCode::Char('u')) => picker.narrow(String::clear),
        (_, KeyCode::Backspace) => picker.narrow(|query| {
            query.pop();
        }),
        (KeyModifiers::NONE, KeyCode::Char(letter)) => picker.narrow(|query| query.push(letter)),
        _ => {}
    }
    Picked::Nothing
}

fn in_picker(picked: Picked, app: &mut App) -> Vec<Effect> {
    match picked {
        Picked::Nothing => Vec::new(),
        Picked::Closed => {
            app.overlay = None;
            Vec::new()
        }
        Picked::Taken(kind, Some(id), _) => {
            app.overlay = None;
            commands::choose(app, kind, &id)
        }
        // A conversation nobody began yet: its name is what was typed.
        Picked::Taken(PickerKind::Sessions, None, name) if !name.trim().is_empty() => {
            app.overlay = None;
            commands::open_named(app, name.trim())
        }
        Picked::Taken(..) => Vec::new(),
    }
}

fn in_question(app: &mut App, key: KeyEvent) -> Vec<Effect> {
    match key.code {
        KeyCode::Esc | KeyCode::Tab => app.questions.put_down(),
        KeyCode::Down | KeyCode::PageDown => {
            app.questions.scrolled = app.questions.scrolled.saturating_add(1);
        }
        KeyCode::Up | KeyCode::PageUp => app.questions.scrolled = app.questions.scrolled.saturating_sub(1),
        KeyCode::Char(letter) if !key.modifiers.intersects(CTRL | ALT) => {
            return decide(app, letter);
        }
        _ => {}
    }
    Vec::new()
}

fn decide(app: &mut App, letter: char) -> Vec<Effect> {
    let Some((asked, decision)) = app.questions.first().zip(app.questions.decision(letter)) else {
        return Vec::new();
    };
    let request = Request::Decide { kind: asked.kind, id: asked.id.clone(), decision };
    // One press, one answer: the next question has to be taken up anew.
    app.questions.put_down();
    vec![Effect::Ask(request)]
}

fn in_search(app: &mut App, key: KeyEvent) {
    let items = app.chat.items();
    match key.code {
        KeyCode::Esc => app.screen.search = None,
        KeyCode::Up | KeyCode::Enter => app.screen.step_hit(items, -1),
        KeyCode::Down => app.screen.step_hit(items, 1),
        KeyCode::Backspace => {
            if let Some(search) = &mut app.screen.search {
                search.query.pop();
            }
            app.screen.find(items);
        }
        KeyCode::Char(letter) if !key.modifiers.intersects(CTRL | ALT) => {
            if let Some(search) = &mut app.screen.search {
                search.query.push(letter);
            }
            app.screen.find(items);
        }
        _ => {}
    }
}
