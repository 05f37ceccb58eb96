//! The text field: several lines, the keys of a shell, and what was written before.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::text::wrap::columns;

/// How many texts are remembered.
const HISTORY_MAX: usize = 200;

/// A text being written.
#[derive(Debug, Default)]
pub(crate) struct Editor {
    text: String,
    /// Where the cursor is, in bytes; always between characters people see.
    cursor: usize,
    /// What was cut last.
    cut: String,
    /// What was written before, oldest first.
    history: Vec<String>,
    /// Which of it is shown, and what was being written when it was called up.
    browsing: Option<(usize, String)>,
}

/// One row of the text field: where in the text it begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EditorRow {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Editor {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// What stands before the cursor.
    pub(crate) fn before(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    fn after(&self) -> &str {
        self.text.get(self.cursor..).unwrap_or_default()
    }

    /// Replaces everything.
    pub(crate) fn set(&mut self, text: impl Into<String>) {
        self.text = text.into();
        self.cursor = self.text.len();
        self.browsing = None;
    }

    /// Takes everything out, and remembers it.
    pub(crate) fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        self.cursor = 0;
        self.browsing = None;
        self.remember(&text);
        text
    }

    /// Empties the field; what was in it can be called up again.
    pub(crate) fn clear(&mut self) {
        self.take();
    }

    /// Adds a text to those that can be called up.
    pub(crate) fn remember(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() || self.history.last().is_some_and(|last| last == text) {
            return;
        }
        self.history.push(text.to_owned());
        if self.history.len() > HISTORY_MAX {
            self.history.remove(0);
        }
    }

    pub(crate) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        self.browsing = None;
    }

    /// Puts a text in the place of the last `bytes` before the cursor.
    pub(crate) fn replace_before(&mut self, bytes: usize, text: &str) {
        let from = self.cursor.saturating_sub(bytes);
        self.text.replace_range(from..self.cursor, text);
        self.cursor = from + text.len();
    }

    pub(crate) fn backspace(&mut self) {
        let from = self.left_of();
        self.remove(from, self.cursor);
    }

    pub(crate) fn delete(&mut self) {
        let to = self.right_of();
        self.remove(self.cursor, to);
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.cursor = from;
        self.browsing = None;
    }

    fn left_of(&self) -> usize {
        self.before().grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn right_of(&self) -> usize {
        self.cursor + self.after().graphemes(true).next().map_or(0, str::len)
    }

    pub(crate) fn left(&mut self) {
        self.cursor = self.left_of();
    }

    pub(crate) fn right(&mut self) {
        self.cursor = self.right_of();
    }

    /// Where the word before the cursor begins.
    fn word_left_of(&self) -> usize {
        let trimmed = self.before().trim_end();
        trimmed.rfind(char::is_whitespace).map_or(0, |at| {
            at + trimmed.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        })
    }

    pub(crate) fn word_left(&mut self) {
        self.cursor = self.word_left_of();
    }

    pub(crate) fn word_right(&mut self) {
        let after = self.after();
        let skipped = after.len() - after.trim_start().len();
        let rest = after.trim_start();
        self.cursor += skipped + rest.find(char::is_whitespace).unwrap_or(rest.len());
    }

    fn line_start(&self) -> usize {
        self.before().rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.cursor + self.after().find('\n').unwrap_or(self.after().len())
    }

    pub(crate) fn home(&mut self) {
        self.cursor = self.line_start();
    }

    pub(crate) fn end(&mut self) {
        self.cursor = self.line_end();
    }

    pub(crate) fn cut_word(&mut self) {
        self.cut_range(self.word_left_of(), self.cursor);
    }

    pub(crate) fn cut_to_start(&mut self) {
        self.cut_range(self.line_start(), self.cursor);
    }

    pub(crate) fn cut_to_end(&mut self) {
        // At the end of a line its break goes.
        let to = if self.line_end() == self.cursor { self.right_of() } else { self.line_end() };
        self.cut_range(self.cursor, to);
    }

    fn cut_range(&mut self, from: usize, to: usize) {
        if from < to {
            self.text.get(from..to).unwrap_or_default().clone_into(&mut self.cut);
            self.remove(from, to);
        }
    }

    pub(crate) fn yank(&mut self) {
        let cut = self.cut.clone();
        self.insert(&cut);
    }

    /// One row up, or to what was written before when there is none.
    pub(crate) fn up(&mut self, width: usize) {
        if !self.step_row(width, -1) {
            self.browse(-1);
        }
    }

    /// One row down, or back to what was being written.
    pub(crate) fn down(&mut self, width: usize) {
        if !self.step_row(width, 1) {
            self.browse(1);
        }
    }

    fn step_row(&mut self, width: usize, step: isize) -> bool {
        let rows = self.rows(width);
        let (row, column) = self.place(&rows);
        let Some(target) = row.checked_add_signed(step).and_then(|row| rows.get(row)) else { return false };
        let text = self.text.get(target.from..target.to).unwrap_or_default();
        let mut used = 0;
        let mut at = target.from;
        for grapheme in text.graphemes(true) {
            if used >= column {
                break;
            }
            used += columns(grapheme);
            at += grapheme.len();
        }
        self.cursor = at;
        true
    }

    fn browse(&mut self, step: isize) {
        let at = self.browsing.as_ref().map_or(self.history.len(), |(at, _)| *at);
        let Some(next) = at.checked_add_signed(step).filter(|next| *next <= self.history.len()) else {
            return;
        };
        let draft = match self.browsing.take() {
            Some((_, draft)) => draft,
            None => self.text.clone(),
        };
        self.text = self.history.get(next).unwrap_or(&draft).clone();
        self.cursor = self.text.len();
        self.browsing = (next < self.history.len()).then_some((next, draft));
    }

    /// The rows of the field at this width.
    pub(crate) fn rows(&self, width: usize) -> Vec<EditorRow> {
        let width = width.max(1);
        let mut rows = Vec::new();
        let mut from = 0;
        let mut used = 0;
        for (at, grapheme) in self.text.grapheme_indices(true) {
            if grapheme == "\n" || grapheme == "\r\n" {
                rows.push(EditorRow { from, to: at });
                from = at + grapheme.len();
                used = 0;
                continue;
            }
            let wide = columns(grapheme);
            if used + wide > width && used > 0 {
                rows.push(EditorRow { from, to: at });
                from = at;
                used = 0;
            }
            used += wide;
        }
        rows.push(EditorRow { from, to: self.text.len() });
        // The cursor behind a full row stands on a row of its own.
        if used >= width && self.cursor == self.text.len() {
            rows.push(EditorRow { from: self.text.len(), to: self.text.len() });
        }
        rows
    }

    /// In which row and column the cursor is.
    pub(crate) fn place(&self, rows: &[EditorRow]) -> (usize, usize) {
        let row = rows.iter().rposition(|row| row.from <= self.cursor).unwrap_or(0);
        let from = rows.get(row).map_or(0, |row| row.from);
        (row, columns(self.text.get(from..self.cursor).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::Editor;

    fn typed(text: &str) -> Editor {
        let mut editor = Editor::default();
        editor.insert(text);
        editor
    }

    #[test]
    fn keys_change_the_text_as_in_a_shell() {
        type Key = fn(&mut Editor);
        let cases: [(&str, &[Key], &str, &str); 9] = [
            ("one two", &[Editor::cut_word], "one ", "one "),
            ("one two", &[Editor::cut_word, Editor::yank, Editor::yank], "one twotwo", "one twotwo"),
            ("one two", &[Editor::home, Editor::cut_to_end], "", ""),
            ("one\ntwo", &[Editor::home], "one\ntwo", "one\n"),
            ("one\ntwo", &[Editor::home, Editor::backspace], "onetwo", "one"),
            ("one two", &[Editor::word_left, Editor::word_left, Editor::word_right], "one two", "one"),
            ("a👨\u{200d}👩", &[Editor::backspace], "a", "a"),
            ("ab", &[Editor::left, Editor::delete], "a", "a"),
            ("ab\ncd", &[Editor::cut_to_start], "ab\n", "ab\n"),
        ];
        for (text, keys, wanted, before) in cases {
            let mut editor = typed(text);
            for key in keys {
                key(&mut editor);
            }
            assert_eq!((editor.text(), editor.before()), (wanted, before), "{text:?}");
        }
    }

    #[test]
    fn rows_wrap_and_the_cursor_is_found_in_them() {
        let editor = typed("abcdef\ngh");
        let rows = editor.rows(4);
        assert_eq!(rows.iter().map(|row| (row.from, row.to)).collect::<Vec<_>>(), [(0, 4), (4, 6), (7, 9)]);
        assert_eq!(editor.place(&rows), (2, 2));
        let full = typed("abcd");
        assert_eq!(full.place(&full.rows(4)), (1, 0));
    }

    #[test]
    fn up_and_down_move_in_the_text_first_and_then_through_what_was_written() {
        let mut editor = typed("first");
        editor.take();
        editor.insert("second");
        editor.take();
        editor.insert("a\nb");
        editor.up(80);
        assert_eq!(editor.before(), "a");
        editor.up(80);
        assert_eq!(editor.text(), "second");
        editor.up(80);
        editor.up(80);
        assert_eq!(editor.text(), "first");
        editor.down(80);
        editor.down(80);
        assert_eq!(editor.text(), "a\nb");
        editor.down(80);
        assert_eq!(editor.text(), "a\nb");
    }
}
