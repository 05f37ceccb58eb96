//! What is seen of the conversation: its rows at this width, how far back one looks, and what is searched for.

use std::collections::HashMap;

use ratatui_core::text::Line;

use crate::chat::item::ChatItem;
use crate::text::theme::Theme;
use crate::view::item_rows;

/// The screen.
#[derive(Debug)]
pub(crate) struct Screen {
    pub(crate) width: u16,
    pub(crate) height: u16,
    pub(crate) theme: Theme,
    pub(crate) shows: ShownParts,
    /// How many rows below the last one shown there are; none while the newest are followed.
    back: usize,
    /// How many rows the conversation had, and how many were seen, when it was last drawn.
    total: usize,
    pub(crate) seen: usize,
    /// Whether rows came above since then.
    grew_above: bool,
    pub(crate) search: Option<SearchState>,
    laid: HashMap<String, Laid>,
}

/// Which parts are shown whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ShownParts {
    pub(crate) tools: bool,
    pub(crate) thinking: bool,
}

/// What is searched for in the conversation.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SearchState {
    pub(crate) query: String,
    /// Where it occurs, oldest first: a message, and which of its rows that have it.
    pub(crate) hits: Vec<(String, usize)>,
    pub(crate) at: usize,
    /// Whether letters are typed into it.
    pub(crate) is_typing: bool,
}

#[derive(Debug)]
struct Laid {
    revision: u64,
    rows: Vec<Line<'static>>,
}

impl Screen {
    pub(crate) fn new(width: u16, height: u16, theme: Theme) -> Self {
        Self {
            width,
            height,
            theme,
            shows: ShownParts { tools: false, thinking: false },
            back: 0,
            total: 0,
            seen: 0,
            grew_above: false,
            search: None,
            laid: HashMap::new(),
        }
    }

    pub(crate) fn resize(&mut self, width: u16, height: u16) {
        if width != self.width {
            self.laid.clear();
        }
        (self.width, self.height) = (width, height);
    }

    /// Lays out whatever is not yet, and keeps what one looks at in its place. Returns where each line begins.
    pub(crate) fn lay(&mut self, items: &[ChatItem]) -> Vec<usize> {
        let width = usize::from(self.width);
        let mut starts = Vec::with_capacity(items.len());
        let mut total = 0;
        for item in items {
            let known = self.laid.get(&item.id).filter(|laid| laid.revision == item.revision);
            let count = match known {
                Some(laid) => laid.rows.len(),
                None => {
                    let rows = item_rows(item, width, self.theme, self.shows);
                    let count = rows.len();
                    self.laid.insert(item.id.clone(), Laid { revision: item.revision, rows });
                    count
                }
            };
            starts.push(total);
            total += count;
        }
        if self.back > 0 && !self.grew_above {
            self.back = (self.back + total).saturating_sub(self.total);
        }
        self.grew_above = false;
        self.total = total;
        if self.laid.len() > 2 * items.len() + 64 {
            let known: std::collections::HashSet<&str> = items.iter().map(|item| item.id.as_str()).collect();
            self.laid.retain(|id, _| known.contains(id.as_str()));
        }
        starts
    }

    /// The rows to be drawn, oldest first, of what [`lay`](Self::lay) laid out.
    pub(crate) fn rows<'a>(
        &'a mut self,
        items: &[ChatItem],
        starts: &[usize],
        seen: usize,
    ) -> Vec<&'a Line<'static>> {
        self.seen = seen;
        self.back = self.back.min(self.total.saturating_sub(seen));
        let end = self.total - self.back;
        let from = end.saturating_sub(seen);
        let first = starts.partition_point(|start| *start <= from).saturating_sub(1);
        let mut rows = Vec::with_capacity(seen);
        for (item, start) in items.iter().zip(starts).skip(first) {
            if *start >= end {
                break;
            }
            let Some(laid) = self.laid.get(&item.id) else { continue };
            let skip = from.saturating_sub(*start);
            let take = (end - *start).saturating_sub(skip);
            rows.extend(laid.rows.iter().skip(skip).take(take));
        }
        rows
    }

    /// How many rows are below what is seen.
    pub(crate) fn below(&self) -> usize {
        self.back
    }

    /// Moves back (or forward); tells whether the beginning is reached.
    pub(crate) fn scroll(&mut self, rows: isize) -> bool {
        let farthest = self.total.saturating_sub(self.seen);
        self.back = self.back.saturating_add_signed(rows).min(farthest);
        self.back == farthest
    }

    pub(crate) fn page(&self) -> isize {
        isize::try_from(self.seen.saturating_sub(1).max(1)).unwrap_or(1)
    }

    pub(crate) fn follow(&mut self) {
        self.back = 0;
    }

    pub(crate) fn rows_above_grow(&mut self) {
        self.grew_above = true;
    }

    /// Shows more or less of some lines: all are laid out anew.
    pub(crate) fn set_shows(&mut self, shows: ShownParts) {
        self.shows = shows;
        self.laid.clear();
    }

    /// Looks for what was typed, from the newest line on.
    pub(crate) fn find(&mut self, items: &[ChatItem]) {
        let Some(wanted) = self.search.as_ref().map(|search| search.query.to_lowercase()) else { return };
        let mut hits = Vec::new();
        if !wanted.is_empty() {
            self.lay(items);
            for item in items.iter().filter(|item| item.words().to_lowercase().contains(&wanted)) {
                // Words that a row's end cuts in two, or that are folded away, are found all the same.
                let rows = self.laid.get(&item.id).map_or(0, |laid| rows_with(laid, &wanted).count());
                hits.extend((0..rows.max(1)).map(|row| (item.id.clone(), row)));
            }
        }
        if let Some(search) = &mut self.search {
            search.at = hits.len().saturating_sub(1);
            search.hits = hits;
        }
        self.show_hit(items);
    }

    /// Goes to the hit before or after.
    pub(crate) fn step_hit(&mut self, items: &[ChatItem], step: isize) {
        if let Some(search) = &mut self.search {
            let count = search.hits.len().max(1);
            search.at = search.at.checked_add_signed(step).map_or(count - 1, |at| at % count);
        }
        self.show_hit(items);
    }

    fn show_hit(&mut self, items: &[ChatItem]) {
        let Some(((id, nth), wanted)) = self
            .search
            .as_ref()
            .and_then(|search| Some((search.hits.get(search.at)?.clone(), search.query.to_lowercase())))
        else {
            return;
        };
        let starts = self.lay(items);
        let Some(start) = items.iter().position(|item| item.id == id).and_then(|at| starts.get(at)) else {
            return;
        };
        let inside = self.laid.get(&id).and_then(|laid| rows_with(laid, &wanted).nth(nth));
        let row = start + inside.unwrap_or(0);
        let end = (row + self.seen / 2 + 1).min(self.total);
        self.back = self.total - end;
    }
}

/// Which rows of a message have this, in small letters.
fn rows_with<'l>(laid: &'l Laid, wanted: &'l str) -> impl Iterator<Item = usize> + 'l {
    let rows = laid.rows.iter().enumerate();
    rows.filter(move |(_, row)| row.to_string().to_lowercase().contains(wanted)).map(|(at, _)| at)
}
