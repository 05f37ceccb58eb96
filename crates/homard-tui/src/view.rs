//! The picture: what the [`App`] holds, on any number of rows and columns. Nothing is decided here.

pub(crate) mod help;
mod overlay;
mod rows;
mod status;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

pub(crate) use rows::item_rows;

use crate::app::{App, Overlay};
use crate::text::amounts::size;
use crate::text::clean::clean_line;
use crate::text::wrap::{columns, fit};

/// What stands before the text field.
const PROMPT: &str = "› ";
pub(crate) const PROMPT_COLUMNS: usize = 2;
/// Fewer rows than this, and the frame around the conversation goes.
const ROWS_FOR_HEADER: u16 = 8;
const ROWS_FOR_RULE: u16 = 12;
/// With fewer, nothing of a question is seen but how to answer it.
pub(crate) const ROWS_FOR_QUESTION: u16 = 4;
/// Most rows of the text field, and of messages that wait.
const FIELD_ROWS: usize = 8;
const WAITING_ROWS: usize = 3;

/// Draws everything. `now` is the time, for what shows how long something takes.
pub(crate) fn draw(app: &mut App, frame: &mut Frame<'_>, now: i64) {
    let area = frame.area();
    if area.is_empty() {
        return;
    }
    let parts = Parts::of(app, area);
    let buffer = frame.buffer_mut();
    if let Some(header) = parts.header {
        status::header(app, buffer, header);
    }
    transcript(app, buffer, parts.transcript);
    waiting(app, buffer, parts.waiting);
    overlay::question(app, buffer, parts.question, now);
    if let Some(rule) = parts.rule {
        let line = "─".repeat(usize::from(rule.width));
        buffer.set_string(rule.x, rule.y, line, app.screen.theme.dim());
    }
    let cursor = field(app, buffer, parts.field);
    status::line(app, buffer, parts.status, now);
    overlay::completion(app, buffer, parts.transcript, parts.waiting.bottom().max(parts.question.bottom()));
    let cursor = overlay::draw(app, buffer, parts.transcript)
        .or_else(|| status::search_cursor(app, parts.status))
        .or(cursor);
    if let Some(cursor) = cursor.filter(|_| !app.questions.is_taken_up || app.overlay.is_some()) {
        frame.set_cursor_position(cursor);
    }
}

/// Where everything is, from the top.
struct Parts {
    header: Option<Rect>,
    transcript: Rect,
    waiting: Rect,
    question: Rect,
    rule: Option<Rect>,
    field: Rect,
    status: Rect,
}

impl Parts {
    fn of(app: &App, area: Rect) -> Self {
        let mut top = area.y;
        let mut bottom = area.bottom();
        let row = |y: u16| Rect { x: area.x, y, width: area.width, height: 1 };
        let mut below = |count: u16, top: u16| {
            let count = count.min(bottom.saturating_sub(top));
            bottom -= count;
            Rect { x: area.x, y: bottom, width: area.width, height: count }
        };
        let header = (area.height >= ROWS_FOR_HEADER).then(|| {
            top += 1;
            row(area.y)
        });
        let status = below(1, top);
        let field = below(field_rows(app, area), top);
        let rule = (area.height >= ROWS_FOR_RULE).then(|| below(1, top));
        let room = field.y.saturating_sub(top);
        let wanted = overlay::question_rows(app, usize::from(area.width));
        let question = below(wanted.min(room.saturating_sub(room / 4).max(1)), top);
        let count = app.chat.waiting.len().min(WAITING_ROWS).min(usize::from(area.height) / 6);
        let waiting = below(u16::try_from(count).unwrap_or(0), top);
        let transcript = Rect { x: area.x, y: top, width: area.width, height: waiting.y.saturating_sub(top) };
        Self { header, transcript, waiting, question, rule, field, status }
    }
}

fn field_rows(app: &App, area: Rect) -> u16 {
    let width = usize::from(area.width).saturating_sub(PROMPT_COLUMNS);
    let rows = app.composer.editor.rows(width).len() + usize::from(!app.composer.files.is_empty());
    let most = FIELD_ROWS.min(usize::from(area.height) / 3).max(1);
    u16::try_from(rows.min(most)).unwrap_or(1)
}

fn transcript(app: &mut App, buffer: &mut Buffer, area: Rect) {
    app.screen.width = area.width;
    if app.chat.items().is_empty() {
        welcome(app, buffer, area);
        return;
    }
    let starts = app.screen.lay(app.chat.items());
    let wanted = app.screen.search.as_ref().map(|search| search.query.to_lowercase()).unwrap_or_default();
    let found = app.screen.theme.selected();
    let rows = app.screen.rows(app.chat.items(), &starts, usize::from(area.height));
    // Few rows stand at the bottom, next to where one writes.
    let first = area.bottom().saturating_sub(u16::try_from(rows.len()).unwrap_or(area.height));
    for (y, row) in (first..area.bottom()).zip(rows) {
        buffer.set_line(area.x, y, row, area.width);
        if !wanted.is_empty() {
            mark(buffer, Rect { y, height: 1, ..area }, row, &wanted, found);
        }
    }
    if app.screen.below() > 0 && area.height > 2 {
        let text = format!(" {} rows below · Esc returns ", app.screen.below());
        let text = fit(&text, usize::from(area.width));
        let x = area.right().saturating_sub(u16::try_from(columns(&text)).unwrap_or(0));
        buffer.set_string(x, area.bottom() - 1, text, app.screen.theme.selected());
    }
}

/// Marks where a row holds what is searched for.
fn mark(buffer: &mut Buffer, area: Rect, row: &Line<'_>, wanted: &str, style: ratatui_core::style::Style) {
    let text = row.to_string();
    for (at, _) in text.char_indices() {
        let Some(rest) = text.get(at..) else { continue };
        let end = rest
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .find(|end| rest.get(..*end).is_some_and(|part| part.to_lowercase().len() >= wanted.len()));
        let Some(part) = end.and_then(|end| rest.get(..end)).filter(|part| part.to_lowercase() == wanted)
        else {
            continue;
        };
        let x = area
            .x
            .saturating_add(u16::try_from(columns(text.get(..at).unwrap_or_default())).unwrap_or(u16::MAX));
        let width = u16::try_from(columns(part)).unwrap_or(0);
        if x < area.right() {
            buffer.set_style(Rect { x, width: width.min(area.right() - x), ..area }, style);
        }
    }
}

fn welcome(app: &App, buffer: &mut Buffer, area: Rect) {
    let theme = app.screen.theme;
    let words: [(&str, ratatui_core::style::Style); 4] = if app.chat.loaded {
        [
            ("Say something and press Enter.", theme.strong()),
            ("/ lists commands, @ attaches a file,", theme.dim()),
            ("! runs a command on this machine,", theme.dim()),
            ("? shows all keys.", theme.dim()),
        ]
    } else {
        [("Reading the conversation…", theme.dim()), ("", theme.dim()), ("", theme.dim()), ("", theme.dim())]
    };
    let first = area.bottom().saturating_sub(u16::try_from(words.len()).unwrap_or(0) + 1).max(area.y);
    for (y, (text, style)) in (first..area.bottom()).zip(words) {
        buffer.set_stringn(area.x, y, text, usize::from(area.width), style);
    }
}

/// Messages that wait, the newest last.
fn waiting(app: &App, buffer: &mut Buffer, area: Rect) {
    let theme = app.screen.theme;
    let all = &app.chat.waiting;
    let hidden = all.len().saturating_sub(usize::from(area.height));
    for (y, waiting) in (area.y..area.bottom()).zip(all.iter().skip(hidden)) {
        let kind = if waiting.steer { "to the run: " } else { "waits: " };
        let width = usize::from(area.width).saturating_sub(columns(kind) + 2);
        let line = Line::from(vec![
            Span::styled("  ", theme.dim()),
            Span::styled(kind, theme.warning()),
            Span::styled(fit(&clean_line(&waiting.text), width), theme.dim()),
        ]);
        buffer.set_line(area.x, y, &line, area.width);
    }
}

/// The text field, and where its cursor is.
fn field(app: &App, buffer: &mut Buffer, area: Rect) -> Option<Position> {
    let theme = app.screen.theme;
    let mut area = area;
    let files = &app.composer.files;
    if !files.is_empty() && area.height > 1 {
        let names: Vec<String> =
            files.iter().map(|file| format!("+ {} ({})", file.name(), size(file.bytes))).collect();
        buffer.set_stringn(area.x, area.y, names.join("  "), usize::from(area.width), theme.good());
        area = Rect { y: area.y + 1, height: area.height - 1, ..area };
    }
    let width = usize::from(area.width).saturating_sub(PROMPT_COLUMNS);
    let editor = &app.composer.editor;
    let rows = editor.rows(width);
    let (row, column) = editor.place(&rows);
    let shown = usize::from(area.height);
    let hidden = (row + 1).saturating_sub(shown);
    for (number, (y, part)) in (area.y..area.bottom()).zip(rows.iter().skip(hidden)).enumerate() {
        let prompt = if number + hidden == 0 { PROMPT } else { "  " };
        buffer.set_stringn(area.x, y, prompt, usize::from(area.width), theme.user());
        let text = editor.text().get(part.from..part.to).unwrap_or_default();
        buffer.set_stringn(area.x + 2, y, text.replace('\t', " "), width, theme.plain());
    }
    if editor.is_empty() {
        let hint = hint(app);
        buffer.set_stringn(area.x + 2, area.y, fit(hint, width), width, theme.dim());
    }
    let x = area.x.saturating_add(u16::try_from(column + PROMPT_COLUMNS).unwrap_or(u16::MAX));
    let y = area.y.saturating_add(u16::try_from(row.saturating_sub(hidden)).unwrap_or(0));
    Some(Position { x: x.min(area.right().saturating_sub(1)), y: y.min(area.bottom().saturating_sub(1)) })
}

fn hint(app: &App) -> &'static str {
    if app.questions.is_taken_up {
        ""
    } else if app.questions.first().is_some() {
        "Tab answers the question above"
    } else if app.chat.is_running() {
        "Enter queues, Ctrl-S steers the run, Esc stops it"
    } else if matches!(app.overlay, Some(Overlay::Picker(_))) {
        ""
    } else {
        "Write a message"
    }
}

#[cfg(test)]
mod tests;
