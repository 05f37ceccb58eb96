//! Bars, sums and money for a terminal of any width, in colour or not.

use homard_protocol::methods::usage::{BudgetStatus, UsageDay, UsageTotals};

use crate::commands::{Cx, words};
use crate::report::{Console, Mark};

/// Columns where nobody knows better.
const DEFAULT_WIDTH: usize = 80;
/// The widest anything is drawn; longer lines are hard to follow.
const MAX_WIDTH: usize = 120;
/// The narrowest a bar may be and still tell something.
const MIN_BAR: usize = 8;
/// Space between columns.
const GAP: &str = "  ";
/// A full block and the seven partial ones, in eighths from small to large.
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
/// The share of a budget beyond which it is worth a look.
const NEARLY_USED: f64 = 0.8;

/// How the terminal can be drawn on.
pub(super) struct Look {
    pub(super) width: usize,
    /// Whether it shows more than ASCII.
    pub(super) blocks: bool,
    pub(super) console: Console,
}

impl Look {
    pub(super) fn of(cx: &Cx) -> Self {
        let width = terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0));
        let env = |name| cx.source.environment.get(name).filter(|value| !value.is_empty());
        let language = env("LC_ALL").or_else(|| env("LC_CTYPE")).or_else(|| env("LANG"));
        // Who says nothing has a modern terminal; who says something else than UTF-8 means it.
        let utf8 =
            language.is_none_or(|language| language.to_ascii_lowercase().replace('-', "").contains("utf8"));
        let blocks = utf8 && env("TERM") != Some("dumb");
        Self { width: width.min(MAX_WIDTH), blocks, console: cx.console }
    }

    pub(super) fn strong(&self, text: &str) -> String {
        self.console.mark(Mark::Strong, text)
    }

    fn bar(&self, share: f64, width: usize, mark: Mark) -> String {
        let bar = bar(share, width, self.blocks);
        if bar.is_empty() { bar } else { self.console.mark(mark, &bar) }
    }
}

/// A bar of up to `width` characters; anything above nothing shows.
pub(super) fn bar(share: f64, width: usize, blocks: bool) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    if !blocks {
        let full = (share * width as f64).round() as usize;
        return "#".repeat(if share > 0.0 { full.max(1) } else { 0 });
    }
    let eighths = (share * width as f64 * 8.0).round() as usize;
    let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
    let mut bar = "█".repeat(eighths / 8);
    if let Some(&part) = EIGHTHS.get(eighths % 8).filter(|&&part| part != ' ') {
        bar.push(part);
    }
    bar
}

/// Dollars, with as many decimals as say something; a dash for nothing.
pub(super) fn money(usd: f64) -> String {
    match usd {
        0.0 => "–".to_owned(),
        usd if usd < 0.000_05 => "<$0.0001".to_owned(),
        usd if usd < 0.1 => format!("${usd:.4}"),
        usd if usd < 1_000.0 => format!("${usd:.2}"),
        usd => format!("${usd:.0}"),
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

/// Below this many columns only the figures that matter most are shown.
const ROOMY: usize = 60;

/// A named sum.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) totals: UsageTotals,
}

const FIGURES: [&str; 6] = ["CALLS", "TOKENS", "PROMPT", "ANSWER", "CACHED", "COST"];

/// Which of the figures there is room for.
fn fits(look: &Look, place: usize) -> bool {
    look.width >= ROOMY || matches!(place, 0 | 1 | 5)
}

fn figures(totals: &UsageTotals) -> [String; 6] {
    let prompt = totals.input.saturating_add(totals.cache_read).saturating_add(totals.cache_write);
    [
        totals.calls.to_string(),
        words::tokens(totals.total_tokens),
        words::tokens(prompt),
        words::tokens(totals.output),
        percent(totals.cache_hit()),
        cost(totals),
    ]
}

/// What calls cost; not known where none of them had a price.
fn cost(totals: &UsageTotals) -> String {
    let unknown = totals.total_cost <= 0.0 && totals.missing_cost_entries > 0;
    if unknown { "unknown".to_owned() } else { money(totals.total_cost) }
}

/// Sums below each other, names to the left and numbers to the right.
pub(super) fn summary(look: &Look, rows: &[(String, UsageTotals)]) -> Vec<String> {
    let rows: Vec<_> = rows.iter().map(|(name, totals)| named(look, name, figures(totals))).collect();
    aligned(look, &named(look, "", FIGURES.map(str::to_owned)), &rows)
}

fn named(look: &Look, name: &str, figures: [String; 6]) -> Vec<String> {
    let shown =
        figures.into_iter().enumerate().filter(|(place, _)| fits(look, *place)).map(|(_, figure)| figure);
    std::iter::once(name.to_owned()).chain(shown).collect()
}

fn aligned(look: &Look, heading: &[String], rows: &[Vec<String>]) -> Vec<String> {
    let widths = widths(std::iter::once(heading).chain(rows.iter().map(Vec::as_slice)));
    let mut lines = vec![look.strong(&line(heading, &widths))];
    lines.extend(rows.iter().map(|row| line(row, &widths)));
    lines
}

fn widths<'a>(rows: impl Iterator<Item = &'a [String]>) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    widths
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cell = |(place, (cell, &width)): (usize, (&String, &usize))| match place {
        0 => format!("{cell:<width$}"),
        _ => format!("{cell:>width$}"),
    };
    let cells: Vec<String> = row.iter().zip(widths).enumerate().map(cell).collect();
    cells.join(GAP).trim_end().to_owned()
}

/// What bars compare: money where there is any, else tokens.
fn measure(totals: &[&UsageTotals]) -> impl Fn(&UsageTotals) -> f64 + use<> {
    let money = totals.iter().any(|totals| totals.total_cost > 0.0);
    move |totals: &UsageTotals| if money { totals.total_cost } else { totals.total_tokens as f64 }
}

/// One bar for each day, oldest first.
pub(super) fn day_chart(look: &Look, days: &[UsageDay]) -> Vec<String> {
    let all: Vec<&UsageTotals> = days.iter().map(|day| &day.totals).collect();
    let size = measure(&all);
    let top = all.iter().map(|totals| size(totals)).fold(0.0, f64::max);
    let rows: Vec<Vec<String>> = days
        .iter()
        .map(|day| vec![day.date.clone(), words::tokens(day.totals.total_tokens), cost(&day.totals)])
        .collect();
    let widths = widths(rows.iter().map(Vec::as_slice));
    let taken: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let room = look.width.saturating_sub(taken).max(MIN_BAR);
    let bars = all.iter().map(|totals| look.bar(size(totals) / top, room, Mark::Good));
    let lines = rows.iter().map(|row| line(row, &widths)).zip(bars);
    lines.map(|(line, bar)| format!("{line}{GAP}{bar}").trim_end().to_owned()).collect()
}

/// Names and their sums, the first `limit` of them, each with its share as a bar.
pub(super) fn totals_table(look: &Look, heading: &str, rows: &[Row], limit: usize) -> Vec<String> {
    let all: Vec<&UsageTotals> = rows.iter().map(|row| &row.totals).collect();
    let size = measure(&all);
    let whole: f64 = all.iter().map(|totals| size(totals)).sum();
    let shown = rows.get(..limit.min(rows.len())).unwrap_or_default();
    let cells: Vec<Vec<String>> =
        shown.iter().map(|row| named(look, &row.name, figures(&row.totals))).collect();
    let lines = aligned(look, &named(look, heading, FIGURES.map(str::to_owned)), &cells);
    // Colours take no room: the plain text is what counts, and only the heading is marked.
    let taken = lines.iter().skip(1).map(|line| line.chars().count()).max().unwrap_or(0) + GAP.len();
    let room = look.width.saturating_sub(taken);
    let bars = shown.iter().map(|row| match room {
        0..MIN_BAR => String::new(),
        _ => look.bar(size(&row.totals) / whole, room, Mark::Good),
    });
    let bars = std::iter::once(String::new()).chain(bars);
    let mut out: Vec<String> =
        lines.iter().zip(bars).map(|(line, bar)| format!("{line}{GAP}{bar}").trim_end().to_owned()).collect();
    if shown.len() < rows.len() {
        out.push(format!("and {} more", rows.len() - shown.len()));
    }
    out
}

/// The owner's limits.
pub(super) fn budget_lines(look: &Look, budgets: &[BudgetStatus], now: i64) -> Vec<String> {
    let amount = |value: f64, unit: &str| match unit {
        "usd" => format!("${value:.2}"),
        _ => words::tokens(value.max(0.0) as u64),
    };
    let rows: Vec<Vec<String>> = budgets
        .iter()
        .map(|budget| {
            let resets = budget.resets_at.map_or_else(
                || "never".to_owned(),
                |at| format!("in {}", words::span(u64::try_from(at.saturating_sub(now)).unwrap_or(0))),
            );
            vec![
                budget
                    .whose
                    .as_ref()
                    .map_or_else(|| budget.path.clone(), |whose| format!("{} of {whose}", budget.path)),
                amount(budget.used, &budget.unit),
                amount(budget.limit, &budget.unit),
                resets,
            ]
        })
        .collect();
    let heading = ["BUDGET", "USED", "OF", "RESETS"].map(str::to_owned);
    let lines = aligned(look, &heading, &rows);
    let bars = budgets.iter().map(|budget| {
        let share = if budget.limit > 0.0 { budget.used / budget.limit } else { 1.0 };
        let mark = match share {
            share if share >= 1.0 => Mark::Bad,
            share if share >= NEARLY_USED => Mark::Warning,
            _ => Mark::Good,
        };
        look.bar(share, MIN_BAR * 2, mark)
    });
    let bars = std::iter::once(String::new()).chain(bars);
    lines.iter().zip(bars).map(|(line, bar)| format!("{line}{GAP}{bar}").trim_end().to_owned()).collect()
}
