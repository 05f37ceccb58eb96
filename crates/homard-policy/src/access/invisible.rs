//! Characters nobody sees: joiners, marks that turn the reading direction, fillers, variation selectors.

/// Whether a character leaves no mark, so that two texts with and without it look the same.
pub(super) fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
        || (letter.is_control() && !letter.is_whitespace())
}

/// The text without them.
pub(super) fn visible(text: &str) -> String {
    text.chars().filter(|letter| !is_invisible(*letter)).collect()
}

/// Whether there is one in it.
pub(super) fn hides_something(text: &str) -> bool {
    text.chars().any(is_invisible)
}
