//! What the manual says that the program knows better: the table of methods, the schema, the reference pages.

pub(crate) mod book;
pub(crate) mod protocol;
pub(crate) mod schema;
