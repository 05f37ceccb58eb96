//! What the person types: the text field, what completes it, and lists to choose from. Pure.

pub(crate) mod complete;
pub(crate) mod editor;
pub(crate) mod fuzzy;
pub(crate) mod paths;
pub(crate) mod picker;
