//! What may stand in the file, what is wrong with it, and what of it does something.

pub(crate) mod channel_sections;
pub(crate) mod inert;
pub(crate) mod schema;
pub(crate) mod validate;
