//! How things look. Only the sixteen colours of every terminal are used, so that the owner's own palette decides; with
//! none, weight and underlines say the same.

use ratatui_core::style::{Color, Modifier, Style};

/// The looks of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Theme {
    color: bool,
}

impl Theme {
    /// With colours or without.
    pub(crate) fn new(color: bool) -> Self {
        Self { color }
    }

    fn paint(self, color: Color) -> Style {
        if self.color { Style::new().fg(color) } else { Style::new() }
    }

    pub(crate) fn plain(self) -> Style {
        Style::new()
    }

    pub(crate) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What stands back. Terminals that cannot dim show it as usual.
    pub(crate) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(crate) fn user(self) -> Style {
        self.paint(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn heading(self) -> Style {
        self.paint(Color::Magenta).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn code(self) -> Style {
        self.paint(Color::Yellow)
    }

    pub(crate) fn link(self) -> Style {
        self.paint(Color::Blue).add_modifier(Modifier::UNDERLINED)
    }

    pub(crate) fn good(self) -> Style {
        self.paint(Color::Green)
    }

    pub(crate) fn warning(self) -> Style {
        self.paint(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn bad(self) -> Style {
        self.paint(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn keyword(self) -> Style {
        self.paint(Color::Magenta)
    }

    pub(crate) fn quoted(self) -> Style {
        self.paint(Color::Green)
    }

    pub(crate) fn number(self) -> Style {
        self.paint(Color::Cyan)
    }

    /// What is chosen in a list, and what was searched for.
    pub(crate) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }
}
