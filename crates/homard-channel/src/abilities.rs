//! What a platform can do, as data the relay looks at before it asks.

/// What a platform can do. The relay checks here first, so an adapter is never asked for the impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// Longest text of one message, in characters as the platform counts them.
    pub text_limit: usize,
    /// Whether a sent message can be changed.
    pub edits: Ability,
    /// Whether a message can be reacted to.
    pub reactions: Ability,
    /// Whether conversations have threads.
    pub threads: Ability,
    /// Whether people can be shown that somebody is typing.
    pub typing: Ability,
}

/// Yes or no, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// It can.
    Has,
    /// It cannot.
    Lacks,
}
