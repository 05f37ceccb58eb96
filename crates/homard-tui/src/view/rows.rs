//! One line of a conversation as rows.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use crate::app::ShownParts;
use crate::chat::item::{ChatItem, ItemBody, SendState, ToolCard, ToolState};
use crate::text::amounts::duration;
use crate::text::clean::{clean, clean_line};
use crate::text::markdown::markdown;
use crate::text::theme::Theme;
use crate::text::wrap::{Lead, columns, fit, wrap_text};

/// Most rows of a tool's input or output that are shown, from its end.
const TOOL_ROWS: usize = 200;

/// The rows of a line, at this width.
pub(crate) fn item_rows(
    item: &ChatItem,
    width: usize,
    theme: Theme,
    shows: ShownParts,
) -> Vec<Line<'static>> {
    let mut rows = vec![Line::default()];
    match &item.body {
        ItemBody::User { text, files, sender, state } => {
            rows.extend(user(text, sender.as_deref(), width, theme));
            for file in files {
                rows.push(Line::styled(fit(&format!("  + {file}"), width), theme.good()));
            }
            match state {
                SendState::Sending | SendState::Sent => {}
                SendState::Unsent => {
                    rows.push(Line::styled(
                        fit("  is sent when the gateway is there again", width),
                        theme.warning(),
                    ));
                }
                SendState::Refused(why) => rows.extend(said(&format!("not sent: {why}"), theme.bad(), width)),
            }
        }
        ItemBody::Text { text, ending, .. } => {
            rows.extend(markdown(&clean(text), width, theme));
            if let Some(ending) = ending {
                rows.push(Line::styled(fit(&format!("  ({})", ending.words()), width), theme.warning()));
            }
        }
        ItemBody::Thinking { text, streaming } => return thinking(text, *streaming, width, theme, shows),
        ItemBody::Tool(card) => return tool(card, width, theme, shows),
        ItemBody::Error(text) => rows.extend(said(&format!("error: {}", clean(text)), theme.bad(), width)),
        ItemBody::Note(text) => rows.extend(said(&clean(text), theme.dim(), width)),
        ItemBody::Shell { command, output, end } => {
            rows.extend(shell(command, output, end.as_deref(), width, theme));
        }
    }
    rows
}

fn said(text: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    wrap_text(text, style, width, &Lead::of("  ", style))
}

fn user(text: &str, sender: Option<&str>, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let text = clean(text);
    let text = match sender {
        Some(sender) => format!("{sender}: {text}"),
        None => text,
    };
    wrap_text(&text, theme.strong(), width, &Lead::pair("› ", "  ", theme.user()))
}

fn thinking(
    text: &str,
    streaming: bool,
    width: usize,
    theme: Theme,
    shows: ShownParts,
) -> Vec<Line<'static>> {
    if shows.thinking {
        return wrap_text(clean(text).trim(), theme.dim(), width, &Lead::of("  ┊ ", theme.dim()));
    }
    let last = clean_line(text.trim_end().rsplit('\n').next().unwrap_or_default());
    let verb = if streaming { "thinking" } else { "thought" };
    vec![Line::styled(fit(&format!("  ┊ {verb}: {last}"), width), theme.dim())]
}

fn tool(card: &ToolCard, width: usize, theme: Theme, shows: ShownParts) -> Vec<Line<'static>> {
    let (mark, style) = match card.state {
        ToolState::Running => ("●", theme.warning()),
        ToolState::Done => ("✓", theme.good()),
        ToolState::Failed => ("✗", theme.bad()),
        ToolState::Unanswered => ("–", theme.dim()),
    };
    let mut end = card.took_ms.map(|ms| format!("  {}", duration(ms))).unwrap_or_default();
    if let Some(code) = card.exit_code.filter(|code| *code != 0) {
        end.push_str(&format!("  exit {code}"));
    }
    let name = fit(&card.name, width.saturating_sub(4));
    let used = 4 + columns(&name) + 2 + columns(&end);
    let summary = if shows.tools { String::new() } else { fit(&card.summary, width.saturating_sub(used)) };
    let mut rows = vec![Line::from(vec![
        Span::styled(format!("  {mark} "), style),
        Span::styled(name, theme.strong()),
        Span::styled(format!("  {summary}"), theme.plain()),
        Span::styled(end, theme.dim()),
    ])];
    if shows.tools {
        rows.extend(tail(&card.input, theme.plain(), &Lead::of("    │ ", theme.dim()), width));
        rows.extend(tail(&card.output, theme.dim(), &Lead::of("    ", theme.dim()), width));
    } else if matches!(card.state, ToolState::Running | ToolState::Failed) {
        let last = clean(&card.output).trim_end().rsplit('\n').next().map(clean_line).unwrap_or_default();
        if !last.is_empty() {
            rows.push(Line::styled(fit(&format!("    {last}"), width), theme.dim()));
        }
    }
    rows
}

/// The last rows of a text.
fn tail(text: &str, style: Style, lead: &Lead, width: usize) -> Vec<Line<'static>> {
    let text = clean(text);
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut rows = wrap_text(text.trim_end(), style, width, lead);
    let hidden = rows.len().saturating_sub(TOOL_ROWS);
    if hidden > 0 {
        rows.drain(..hidden);
        rows.insert(0, Line::styled(fit(&format!("    … {hidden} rows above are left out"), width), style));
    }
    rows
}

fn shell(command: &str, output: &str, end: Option<&str>, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut rows =
        wrap_text(&clean(command), theme.strong(), width, &Lead::pair("! ", "  ", theme.warning()));
    rows.extend(tail(output, theme.plain(), &Lead::of("  ", theme.plain()), width));
    rows.push(Line::styled(fit(&format!("  {}", end.unwrap_or("runs…")), width), theme.dim()));
    rows
}
