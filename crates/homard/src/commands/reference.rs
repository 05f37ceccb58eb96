//! Commands about the program itself: its book, its words for shells, its manual.

pub(crate) mod completion;
pub(crate) mod docs;
pub(crate) mod help;
pub(crate) mod protocol;
