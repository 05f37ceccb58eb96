//! Tables as they fit: side by side where there is room, columns wrapped where there is a little, and one field under
//! the other where there is none.

use ratatui_core::text::{Line, Span};

use super::theme::Theme;
use super::wrap::{Lead, columns, wrap};

/// The narrowest a column is made before the table is told as a list.
const NARROWEST: usize = 6;
const BETWEEN: &str = " │ ";

pub(super) type Cell = Vec<Span<'static>>;

/// A table on its way through the reader.
#[derive(Default)]
pub(super) struct Grid {
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Grid {
    pub(super) fn lines(self, width: usize, theme: Theme) -> Vec<Line<'static>> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        if count == 0 {
            return Vec::new();
        }
        match self.widths(count, width) {
            Some(widths) => self.beside(&widths, theme),
            None => self.below(width, theme),
        }
    }

    /// How wide each column may be; nothing when they would be too narrow to read.
    fn widths(&self, count: usize, width: usize) -> Option<Vec<usize>> {
        let mut widths: Vec<usize> = (0..count)
            .map(|at| {
                self.rows.iter().filter_map(|row| row.get(at)).map(cell_width).max().unwrap_or(0).max(1)
            })
            .collect();
        let room = width.checked_sub(columns(BETWEEN) * (count - 1))?;
        while widths.iter().sum::<usize>() > room {
            let widest = widths.iter_mut().max()?;
            if *widest <= NARROWEST {
                return None;
            }
            *widest -= 1;
        }
        Some(widths)
    }

    fn beside(self, widths: &[usize], theme: Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for (number, row) in self.rows.into_iter().enumerate() {
            let cells: Vec<Vec<Line<'static>>> = widths
                .iter()
                .enumerate()
                .map(|(at, width)| wrap(row.get(at).map_or(&[], Vec::as_slice), *width, &Lead::default()))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for level in 0..height {
                let mut spans = Vec::new();
                for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
                    if at > 0 {
                        spans.push(Span::styled(BETWEEN, theme.dim()));
                    }
                    let found = cell.get(level).cloned().unwrap_or_default();
                    let missing = width.saturating_sub(found.width());
                    spans.extend(found.spans);
                    spans.push(Span::raw(" ".repeat(missing)));
                }
                lines.push(Line::from(spans));
            }
            if number == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(Line::styled(rule.join("─┼─"), theme.dim()));
            }
        }
        lines
    }

    fn below(self, width: usize, theme: Theme) -> Vec<Line<'static>> {
        let mut rows = self.rows.into_iter();
        let heads = rows.next().unwrap_or_default();
        let mut lines = Vec::new();
        for (number, row) in rows.enumerate() {
            if number > 0 {
                lines.push(Line::default());
            }
            for (at, cell) in row.into_iter().enumerate() {
                let mut spans = heads.get(at).cloned().unwrap_or_default();
                if !spans.is_empty() {
                    spans.push(Span::styled(": ", theme.dim()));
                }
                spans.extend(cell);
                lines.extend(wrap(&spans, width, &Lead::pair("", "  ", theme.plain())));
            }
        }
        lines
    }
}

fn cell_width(cell: &Cell) -> usize {
    cell.iter().map(|span| columns(&span.content)).sum()
}
