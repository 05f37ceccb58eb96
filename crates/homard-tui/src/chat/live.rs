//! The text of a run while it streams. The gateway tells one growing text per run, with tools in between; this cuts it
//! into the segments people see.

/// A run under way.
#[derive(Debug, Default)]
pub(super) struct LiveRun {
    pub(super) id: String,
    /// Everything it said so far.
    text: String,
    /// Where in `text` the present segment begins.
    base: usize,
    pub(super) segment: usize,
    pub(super) thought: usize,
    pub(super) phase: String,
    /// What went wrong on the way to an answer, until there is one.
    pub(super) trouble: Option<String>,
    /// Whether the gateway has confirmed that it knows this run.
    pub(super) acknowledged: bool,
    pub(super) began: i64,
}

impl LiveRun {
    pub(super) fn new(id: &str, now: i64) -> Self {
        Self { id: id.to_owned(), began: now, ..Self::default() }
    }

    /// The segment being written.
    pub(super) fn current(&self) -> &str {
        self.text.get(self.base..).unwrap_or_default().trim_start_matches('\n')
    }

    /// Takes the whole text as the gateway knows it, which repairs anything missed; else what is new of it. A text that
    /// does not begin with what is settled already is taken as the present segment alone.
    pub(super) fn hear(&mut self, whole: Option<&str>, delta: &str) {
        let Some(whole) = whole else {
            self.text.push_str(delta);
            return;
        };
        let settled = self.text.get(..self.base).unwrap_or_default();
        if whole.starts_with(settled) {
            self.text = whole.to_owned();
        } else {
            self.text.truncate(self.base);
            self.text.push_str(whole);
        }
    }

    /// Ends the present segment.
    pub(super) fn seal(&mut self) {
        if !self.current().trim().is_empty() {
            self.base = self.text.len();
            self.segment += 1;
        }
    }

    /// Starts over from stored segments and the whole text, after a reload or a gap.
    pub(super) fn resume(&mut self, whole: &str, stored: &[&str]) {
        let mut base = 0;
        for text in stored.iter().map(|text| text.trim()) {
            let found = whole.get(base..).and_then(|rest| rest.find(text));
            base = found.map_or(base, |at| base + at + text.len());
        }
        whole.clone_into(&mut self.text);
        self.base = base;
        self.segment = stored.len();
    }
}

#[cfg(test)]
mod tests {
    use super::LiveRun;

    #[test]
    fn a_text_is_cut_where_tools_were_used_and_repaired_by_snapshots() {
        let mut run = LiveRun::new("r", 0);
        run.hear(Some("Let me look."), "");
        run.seal();
        run.seal();
        run.hear(Some("Let me look.\n\nFound"), "Found");
        assert_eq!((run.current(), run.segment), ("Found", 1));
        run.hear(None, " it");
        assert_eq!(run.current(), "Found it");
        run.hear(Some("Only the present part"), "");
        assert_eq!(run.current(), "Only the present part");
        run.resume("Let me look.\n\nFound it", &["Let me look."]);
        assert_eq!((run.current(), run.segment), ("Found it", 1));
    }
}
