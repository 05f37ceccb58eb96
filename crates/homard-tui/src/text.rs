//! From what models, tools and people wrote to rows of a terminal. Everything here is pure, and nothing that comes out
//! can steer a terminal.

pub(crate) mod amounts;
pub(crate) mod clean;
mod code;
pub(crate) mod markdown;
mod table;
pub(crate) mod theme;
pub(crate) mod wrap;
