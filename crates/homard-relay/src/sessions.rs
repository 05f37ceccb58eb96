//! What goes on between conversations and beside them: who may reach which, messages between them, helpers, commands in the background, undo.

pub(crate) mod access;
pub(crate) mod asides;
pub(crate) mod background;
pub(crate) mod changes;
pub(crate) mod session_send;
pub(crate) mod sessions_view;
pub(crate) mod subagents;
pub(crate) mod undo;
