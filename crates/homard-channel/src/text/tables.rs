//! Tables, which few platforms can show.

use unicode_width::UnicodeWidthStr as _;

use super::layout::{Atom, Layout, Style, words_of};
use super::tree::{Emphasis, Inline};
use crate::abilities::TableMode;

/// Widest column that is filled up with spaces; wider cells stand out.
const MAX_WIDTH: usize = 60;

type Row = Vec<Vec<Inline>>;

/// Lays a table out as the owner or the platform wants it.
pub(super) fn lay_out(layout: &mut Layout, rows: Vec<Row>) {
    match layout.shape().tables {
        TableMode::Code => in_code(layout, &rows),
        TableMode::Bullets => as_list(layout, rows),
        TableMode::Off => as_written(layout, rows),
    }
}

/// Aligned, in a code block.
fn in_code(layout: &mut Layout, rows: &[Row]) {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| words_of(cell).trim().to_owned()).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let widths = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        widths.max().unwrap_or_default().clamp(3, MAX_WIDTH)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (n, row) in rows.iter().enumerate() {
        text.push('|');
        for (column, width) in widths.iter().enumerate() {
            let cell = row.get(column).map(String::as_str).unwrap_or_default();
            text.push(' ');
            text.push_str(cell);
            text.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.width())));
            text.push_str(" |");
        }
        text.push('\n');
        if n == 0 {
            text.push('|');
            for width in &widths {
                text.extend(std::iter::repeat_n('-', width + 2));
                text.push('|');
            }
            text.push('\n');
        }
    }
    layout.code_block(String::new(), &text);
}

/// A list, one item per row: the first cell, and below it each other with its column's name.
fn as_list(layout: &mut Layout, rows: Vec<Row>) {
    let mut rows = rows.into_iter();
    let head = rows.next().unwrap_or_default();
    let items: Vec<Row> = rows.collect();
    if items.is_empty() {
        return as_written(layout, vec![head]);
    }
    for (n, row) in items.into_iter().enumerate() {
        if n > 0 {
            layout.push(Atom::Gap { apart: false });
        }
        layout.within(Style::Item(None), |layout| item(layout, &head, row));
    }
}

fn item(layout: &mut Layout, head: &Row, row: Row) {
    for (column, cell) in row.into_iter().enumerate() {
        let name = head.get(column).filter(|name| !name.is_empty());
        if column == 0 {
            layout.within(Style::Emphasis(Emphasis::Bold), |layout| layout.inlines(cell));
        } else if !cell.is_empty() {
            layout.push(Atom::Line);
            if let Some(name) = name {
                layout.inlines(name.clone());
                layout.text(": ");
            }
            layout.inlines(cell);
        }
    }
}

/// With bars, as in Markdown.
fn as_written(layout: &mut Layout, rows: Vec<Row>) {
    for (n, row) in rows.into_iter().enumerate() {
        if n > 0 {
            layout.push(Atom::Line);
        }
        let columns = row.len();
        layout.text("|");
        for cell in row {
            layout.text(" ");
            layout.inlines(cell);
            layout.text(" |");
        }
        if n == 0 {
            layout.push(Atom::Line);
            layout.text(&format!("|{}", " --- |".repeat(columns)));
        }
    }
}
