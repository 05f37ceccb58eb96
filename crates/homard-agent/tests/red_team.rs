//! Injected instructions, and a model that obeys all of them: nothing acts on the world without the owner's yes.
//!
//! `cases` are the attacks of `cases.jsonl`, one line each; `stories` are the ones that take several
//! conversations, and what the owner's answers do. The tools are the real ones where this crate has them; the
//! ones that need more of the house are stood in for by tools that only count.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod stories;
#[cfg(test)]
mod world;
