//! What the model says on its way to people: marks that are not meant for them are taken out, and long answers
//! are cut into blocks.
//!
//! `markup` knows the marks, `tags` finds them in a text that comes in pieces, `answer` does the same to a
//! finished answer, `recover` finds calls written as text, `blocks` cuts what is left. Nothing here waits or knows who listens.

mod answer;
mod blocks;
mod markup;
mod recover;
mod tags;

pub(crate) use answer::clean;
pub use blocks::{BlockChunker, BlockLimits, BreakAt, Coalescer};
pub use markup::Directive;
pub(crate) use recover::recover_calls;
pub use tags::{MAX_HELD, Piece, TagFilter};
