//! The first and the last row: where one is, and how things stand.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use crate::app::{App, Link, SearchState};
use crate::text::amounts::{elapsed, money, tokens};
use crate::text::clean::clean_line;
use crate::text::wrap::{columns, fit};

const BETWEEN: &str = " · ";
/// Above this share of its window, in hundredths, a conversation is condensed soon.
const NEARLY_FULL: u64 = 80;

/// Which agent and conversation, and which model answers.
pub(super) fn header(app: &App, buffer: &mut Buffer, area: Rect) {
    let theme = app.screen.theme;
    let width = usize::from(area.width);
    let facts = &app.chat.facts;
    let model = if width >= 60 { facts.model.clone() } else { String::new() };
    let place = clean_line(&app.place.session);
    let text = match facts.title.as_str() {
        "" => place,
        title => format!("{title}{BETWEEN}{place}"),
    };
    let room = width.saturating_sub(columns(&model) + columns("homard  ") + 2);
    let line = Line::from(vec![
        Span::styled("homard  ", theme.heading()),
        Span::styled(fit(&text, room), theme.strong()),
    ]);
    buffer.set_line(area.x, area.y, &line, area.width);
    let x = area.right().saturating_sub(u16::try_from(columns(&model)).unwrap_or(0));
    buffer.set_stringn(x, area.y, model, width, theme.dim());
}

/// What happens, how full the conversation is and what it cost; or what is searched for, or a word about the last key.
pub(super) fn line(app: &App, buffer: &mut Buffer, area: Rect, now: i64) {
    if area.is_empty() {
        return;
    }
    let theme = app.screen.theme;
    let width = usize::from(area.width);
    if let Some(search) = &app.screen.search {
        buffer.set_stringn(area.x, area.y, fit(&search_text(search), width), width, theme.strong());
        return;
    }
    if let Some(notice) = &app.notice {
        let style = if notice.is_bad { theme.bad() } else { theme.good() };
        buffer.set_stringn(area.x, area.y, fit(&notice.text, width), width, style);
        return;
    }
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut used = 0;
    for (text, style) in parts(app, now) {
        let gap = if used > 0 { columns(BETWEEN) } else { 0 };
        // What does not fit any more is left out; the first part is cut instead.
        if used > 0 && used + gap + columns(&text) > width {
            continue;
        }
        if gap > 0 {
            spans.push(Span::styled(BETWEEN, theme.dim()));
        }
        let text = fit(&text, width);
        used += gap + columns(&text);
        spans.push(Span::styled(text, style));
    }
    buffer.set_line(area.x, area.y, &Line::from(spans), area.width);
}

fn search_text(search: &SearchState) -> String {
    let found = match (search.query.is_empty(), search.hits.len()) {
        (true, _) => String::new(),
        (false, 0) => "  (not found)".to_owned(),
        (false, count) => format!("  ({} of {count})", search.at + 1),
    };
    format!("search: {}{found}", search.query)
}

/// Where the cursor is while one searches.
pub(super) fn search_cursor(app: &App, area: Rect) -> Option<Position> {
    let search = app.screen.search.as_ref().filter(|search| search.is_typing)?;
    let x = u16::try_from(columns("search: ") + columns(&search.query)).unwrap_or(0);
    Some(Position { x: area.x.saturating_add(x).min(area.right().saturating_sub(1)), y: area.y })
}

/// The parts, the most telling first.
fn parts(app: &App, now: i64) -> Vec<(String, Style)> {
    let theme = app.screen.theme;
    let facts = &app.chat.facts;
    let mut parts = vec![state(app, now)];
    if let Some(trouble) = app.chat.trouble() {
        parts.push((trouble.to_owned(), theme.warning()));
    }
    if let Some((used, limit)) = facts.used.zip(facts.limit) {
        let full = (used.saturating_mul(100) / limit.max(1)).min(100);
        let style = if full >= NEARLY_FULL { theme.warning() } else { theme.plain() };
        parts.push((format!("context {}/{} {full}%", tokens(used), tokens(limit)), style));
    }
    if let Some(cost) = facts.cost {
        parts.push((format!("turn {}", money(cost)), theme.plain()));
    }
    if !facts.thinking.is_empty() && facts.thinking != "off" {
        parts.push((format!("thinking {}", facts.thinking), theme.dim()));
    }
    if app.chat.older.loading {
        parts.push(("reading older messages…".to_owned(), theme.dim()));
    }
    parts.push(("? help".to_owned(), theme.dim()));
    parts
}

fn state(app: &App, now: i64) -> (String, Style) {
    let theme = app.screen.theme;
    match &app.link {
        Link::Connecting => ("connecting…".to_owned(), theme.warning()),
        Link::Down(why) => (format!("not connected, trying again: {}", clean_line(why)), theme.bad()),
        Link::Up => match app.chat.doing() {
            None => ("ready".to_owned(), theme.good()),
            Some((phase, began)) => {
                let ms = u64::try_from(now.saturating_sub(began)).unwrap_or(0);
                let phase = if phase.is_empty() { "working" } else { phase };
                (format!("● {} {}", clean_line(&phase.replace('_', " ")), elapsed(ms)), theme.warning())
            }
        },
    }
}
