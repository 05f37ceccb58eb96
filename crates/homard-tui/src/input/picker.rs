//! A list to choose from, narrowed by typing.

use homard_runtime::Arrange as _;

use super::fuzzy::fits;

/// What is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PickerKind {
    Sessions,
    Agents,
    Models,
    Thinking,
}

/// One thing to choose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// What is handed over when it is chosen.
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) about: String,
    /// Whether it holds now.
    pub(crate) is_present: bool,
}

/// A list to choose from.
#[derive(Debug)]
pub(crate) struct Picker {
    pub(crate) kind: PickerKind,
    pub(crate) query: String,
    choices: Vec<Choice>,
    pub(crate) at: usize,
    /// Whether the gateway has answered.
    pub(crate) is_loaded: bool,
}

impl Picker {
    pub(crate) fn new(kind: PickerKind) -> Self {
        Self { kind, query: String::new(), choices: Vec::new(), at: 0, is_loaded: false }
    }

    pub(crate) fn title(&self) -> &'static str {
        match self.kind {
            PickerKind::Sessions => "Conversations",
            PickerKind::Agents => "Agents",
            PickerKind::Models => "Models",
            PickerKind::Thinking => "How hard to think",
        }
    }

    pub(crate) fn fill(&mut self, choices: Vec<Choice>) {
        self.choices = choices;
        self.is_loaded = true;
        self.at = self.found().iter().position(|choice| choice.is_present).unwrap_or(0);
    }

    /// What fits what was typed, best first.
    pub(crate) fn found(&self) -> Vec<&Choice> {
        if self.query.is_empty() {
            return self.choices.iter().collect();
        }
        let rank = |choice: &Choice| {
            let by_label = fits(&self.query, &choice.label).or_else(|| fits(&self.query, &choice.id));
            by_label.or_else(|| fits(&self.query, &choice.about).map(|rank| rank + 2_000))
        };
        let mut found: Vec<_> =
            self.choices.iter().filter_map(|choice| rank(choice).map(|rank| (rank, choice))).collect();
        found.arrange_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, choice)| choice).collect()
    }

    pub(crate) fn chosen(&self) -> Option<&Choice> {
        self.found().get(self.at).copied()
    }

    pub(crate) fn narrow(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.query);
        self.at = 0;
    }

    pub(crate) fn step(&mut self, step: isize) {
        let last = self.found().len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(step).min(last);
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, Picker, PickerKind};

    fn choice(id: &str, label: &str, is_present: bool) -> Choice {
        Choice { id: id.into(), label: label.into(), about: String::new(), is_present }
    }

    #[test]
    fn typing_narrows_a_list_and_what_holds_is_chosen_first() {
        let mut picker = Picker::new(PickerKind::Models);
        picker.fill(vec![
            choice("a/opus", "Opus", false),
            choice("b/sonnet", "Sonnet", true),
            choice("c/o1", "o1", false),
        ]);
        assert_eq!(picker.chosen().unwrap().id, "b/sonnet");
        picker.narrow(|query| query.push('o'));
        assert_eq!(picker.found().len(), 3);
        picker.narrow(|query| query.push('1'));
        assert_eq!(picker.chosen().unwrap().id, "c/o1");
        picker.step(5);
        assert_eq!(picker.at, 0);
        picker.narrow(|query| query.push('z'));
        assert_eq!(picker.chosen(), None);
    }
}
