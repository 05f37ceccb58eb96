//! What lies over the conversation: lists, help, questions.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::text::{Line, Span};

use super::help::KEYS;
use crate::app::{App, Overlay};
use crate::input::complete::SHOWN;
use crate::input::picker::Picker;
use crate::text::amounts::elapsed;
use crate::text::theme::Theme;
use crate::text::wrap::{Lead, chop, columns, fit, wrap_text};

/// Columns of a label before what is said about it.
const LABEL_COLUMNS: usize = 30;

/// Draws what lies over the conversation; where the cursor is then.
pub(super) fn draw(app: &App, buffer: &mut Buffer, area: Rect) -> Option<Position> {
    match app.overlay.as_ref()? {
        Overlay::Help { from } => {
            clear(buffer, area);
            help(app.screen.theme, *from, buffer, area);
            None
        }
        Overlay::Picker(picker) => {
            clear(buffer, area);
            Some(list(picker, app.screen.theme, buffer, area))
        }
        Overlay::Consent(_) => None,
    }
}

fn clear(buffer: &mut Buffer, area: Rect) {
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            if let Some(cell) = buffer.cell_mut(Position { x, y }) {
                cell.reset();
            }
        }
    }
}

fn list(picker: &Picker, theme: Theme, buffer: &mut Buffer, area: Rect) -> Position {
    let width = usize::from(area.width);
    let found = picker.found();
    let prompt = format!("{}: ", picker.title());
    let query = fit(&picker.query, width.saturating_sub(columns(&prompt) + 1));
    let line = Line::from(vec![Span::styled(prompt.clone(), theme.heading()), Span::raw(query.clone())]);
    buffer.set_line(area.x, area.y, &line, area.width);
    let room = usize::from(area.height).saturating_sub(1);
    let first = (picker.at + 1).saturating_sub(room);
    let labels = LABEL_COLUMNS.min(width / 2);
    if found.is_empty() && area.height > 1 {
        let words = match (picker.is_loaded, picker.query.is_empty()) {
            (false, _) => "asking the gateway…",
            (true, true) => "nothing to choose from",
            (true, false) if picker.kind == crate::input::picker::PickerKind::Sessions => {
                "Enter begins a conversation of this name"
            }
            (true, false) => "nothing fits",
        };
        buffer.set_stringn(area.x, area.y + 1, words, width, theme.dim());
    }
    for (number, (y, choice)) in (area.y + 1..area.bottom()).zip(found.iter().skip(first)).enumerate() {
        let mark = if choice.is_present { "* " } else { "  " };
        let label = fit(&choice.label, labels);
        let gap = labels.saturating_sub(columns(&label)) + 1;
        let about = fit(&choice.about, width.saturating_sub(2 + columns(&label) + gap));
        let line = Line::from(vec![
            Span::styled(mark, theme.good()),
            Span::styled(label, theme.strong()),
            Span::raw(" ".repeat(gap)),
            Span::styled(about, theme.dim()),
        ]);
        buffer.set_line(area.x, y, &line, area.width);
        if number + first == picker.at {
            buffer.set_style(Rect { y, height: 1, ..area }, theme.selected());
        }
    }
    let x = u16::try_from(columns(&prompt) + columns(&query)).unwrap_or(0);
    Position { x: area.x.saturating_add(x).min(area.right().saturating_sub(1)), y: area.y }
}

fn help(theme: Theme, from: usize, buffer: &mut Buffer, area: Rect) {
    let rows = help_rows(theme, usize::from(area.width));
    let most = rows.len().saturating_sub(usize::from(area.height));
    for (y, row) in (area.y..area.bottom()).zip(rows.iter().skip(from.min(most))) {
        buffer.set_line(area.x, y, row, area.width);
    }
}

fn help_rows(theme: Theme, width: usize) -> Vec<Line<'static>> {
    let wide = if width >= 60 { 28 } else { 0 };
    let mut rows = vec![Line::styled(fit("Keys (arrows scroll, any other key closes)", width), theme.dim())];
    for (key, about) in KEYS {
        if key.is_empty() {
            rows.push(Line::styled(*about, theme.heading()));
        } else if wide > 0 {
            let line = format!("  {key:<wide$}");
            let about = fit(about, width.saturating_sub(columns(&line)));
            rows.push(Line::from(vec![Span::styled(line, theme.strong()), Span::raw(about)]));
        } else {
            rows.push(Line::styled(fit(&format!("  {key}"), width), theme.strong()));
            rows.extend(wrap_text(about, theme.plain(), width, &Lead::of("    ", theme.plain())));
        }
    }
    rows
}

/// Draws what completes the text, right above where one writes.
pub(super) fn completion(app: &App, buffer: &mut Buffer, area: Rect, bottom: u16) {
    let completion = &app.composer.completion;
    if !completion.is_open() || app.overlay.is_some() {
        return;
    }
    let theme = app.screen.theme;
    let bottom = bottom.min(buffer.area.bottom());
    let room = usize::from(bottom.saturating_sub(area.y)).min(SHOWN);
    let count = completion.lines.len().min(room);
    let first = (completion.at + 1).saturating_sub(count);
    let top = bottom.saturating_sub(u16::try_from(count).unwrap_or(0));
    let width = usize::from(area.width);
    for (number, (y, line)) in (top..bottom).zip(completion.lines.iter().skip(first)).enumerate() {
        clear(buffer, Rect { y, height: 1, ..area });
        let text = fit(line.text.trim_end(), LABEL_COLUMNS.min(width.saturating_sub(2)));
        let gap = " ".repeat(LABEL_COLUMNS.min(width / 3).saturating_sub(columns(&text)) + 1);
        let about = fit(&line.about, width.saturating_sub(2 + columns(&text) + columns(&gap)));
        let row = Line::from(vec![
            Span::raw("  "),
            Span::styled(text, theme.strong()),
            Span::raw(gap),
            Span::styled(about, theme.dim()),
        ]);
        buffer.set_line(area.x, y, &row, area.width);
        if number + first == completion.at {
            buffer.set_style(Rect { y, height: 1, ..area }, theme.selected());
        }
    }
}

/// How many rows a question would like to have.
pub(super) fn question_rows(app: &App, width: usize) -> u16 {
    let rows = match &app.overlay {
        Some(Overlay::Consent(command)) => consent(command, app.screen.theme, width).len(),
        _ => match app.questions.first() {
            Some(_) => asked(app, width, 0, Title::Whole).len() + 1,
            None => 0,
        },
    };
    u16::try_from(rows).unwrap_or(u16::MAX)
}

/// Draws the question that waits.
pub(super) fn question(app: &App, buffer: &mut Buffer, area: Rect, now: i64) {
    if area.is_empty() {
        return;
    }
    let theme = app.screen.theme;
    let width = usize::from(area.width);
    if let Some(Overlay::Consent(command)) = &app.overlay {
        paint(buffer, area, &consent(command, theme, width));
        return;
    }
    let mut rows = asked(app, width, now, Title::Whole);
    // The last row says what can be answered, however long the question is; the one before it that there is more.
    let is_long = rows.len() >= usize::from(area.height);
    let body = Rect { height: area.height - 1 - u16::from(is_long && area.height > 2), ..area };
    if is_long {
        // Nobody says yes to what is not shown: where there is little room, it is what would be done that has it.
        let title = if body.height > 1 { Title::OneRow } else { Title::Nowhere };
        rows = asked(app, width, now, title);
    }
    let most = rows.len().saturating_sub(usize::from(body.height));
    let from = app.questions.scrolled.min(most);
    paint(buffer, body, rows.get(from..).unwrap_or_default());
    if body.height + 2 == area.height {
        let left = most - from;
        let more = if left > 0 {
            format!("  ▼ {left} more rows: Tab, then arrows")
        } else {
            "  ▲ arrows scroll back".to_owned()
        };
        buffer.set_stringn(area.x, body.bottom(), fit(&more, width), width, theme.selected());
    }
    let choices = choices(app);
    let style = if app.questions.is_taken_up { theme.selected() } else { theme.warning() };
    buffer.set_stringn(area.x, area.bottom() - 1, fit(&choices, width), width, style);
}

fn choices(app: &App) -> String {
    let always = if app.questions.first().is_some_and(|asked| asked.can_always) { "  a always" } else { "" };
    let others = match app.questions.count() {
        0 | 1 => String::new(),
        count => format!("  ({} more wait)", count - 1),
    };
    if app.questions.is_taken_up {
        format!("  o once{always}  d deny  Esc later{others}")
    } else {
        format!("  Tab to answer: o once{always}  d deny{others}")
    }
}

fn paint(buffer: &mut Buffer, area: Rect, rows: &[Line<'_>]) {
    for (y, row) in (area.y..area.bottom()).zip(rows) {
        buffer.set_line(area.x, y, row, area.width);
    }
}

/// How much room what stands above a question takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Title {
    Whole,
    OneRow,
    Nowhere,
}

/// What is asked, with the whole of what would be done.
fn asked(app: &App, width: usize, now: i64, title: Title) -> Vec<Line<'static>> {
    let Some(asked) = app.questions.first() else { return Vec::new() };
    let theme = app.screen.theme;
    let left = elapsed(asked.left_ms(now));
    let mut rows = Vec::new();
    for (number, line) in asked.lines(&left).into_iter().enumerate() {
        if number == 0 {
            match title {
                Title::Whole => rows.extend(wrap_text(&line, theme.warning(), width, &Lead::default())),
                Title::OneRow => rows.push(Line::styled(fit(&line, width), theme.warning())),
                Title::Nowhere => {}
            }
            continue;
        }
        // Nothing of it may be lost, and its spaces mean something.
        let line = line.replace('\t', "    ");
        let indent = (line.len() - line.trim_start().len()).min(width / 3);
        let lead = Lead { first: Vec::new(), rest: vec![Span::raw(" ".repeat(indent))] };
        rows.extend(chop(&[Span::styled(line, theme.plain())], width, &lead));
    }
    rows
}

fn consent(command: &str, theme: Theme, width: usize) -> Vec<Line<'static>> {
    let mut rows =
        wrap_text("Run commands on this machine, as you?", theme.warning(), width, &Lead::default());
    let shown = homard_runtime::visible(command);
    for line in shown.split('\n') {
        rows.extend(chop(
            &[Span::styled(line.to_owned(), theme.strong())],
            width,
            &Lead::of("  ", theme.plain()),
        ));
    }
    rows.extend(wrap_text(
        "y yes, until you leave   n no, until you leave   Esc not now",
        theme.plain(),
        width,
        &Lead::default(),
    ));
    rows
}
