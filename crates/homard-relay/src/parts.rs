//! The parts of the relay: each a folder with its own methods, and a list of the others it may ask.
//!
//! All parts share what [`Inner`] keeps (settings, store, clock, tasks and the state of each part). What a part may ask
//! of another is what its line here names; nothing else compiles.

use std::sync::Arc;

use crate::relay::Inner;

/// Makes a part, and the ways from it to those it may ask.
macro_rules! part {
    ($(#[$about:meta])* $seen:vis $name:ident asks $($way:ident => $other:ident),* $(,)?) => {
        $(#[$about])*
        #[derive(Clone)]
        $seen struct $name {
            inner: Arc<Inner>,
        }

        impl $name {
            pub(crate) fn of(inner: Arc<Inner>) -> Self {
                Self { inner }
            }

            pub(crate) fn inner(&self) -> &Arc<Inner> {
                &self.inner
            }

            $(
                pub(crate) fn $way(&self) -> $other {
                    $other::of(Arc::clone(&self.inner))
                }
            )*
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

part! {
    /// What is heard on chat platforms: kept, gathered, routed, judged.
    pub Intake asks dispatch => Dispatch, outgoing => Outgoing, platforms => Platforms
}
part! {
    /// What is done about a message whose sender may speak: stop, begin anew, obey, or ask the model.
    pub(crate) Dispatch asks commands => ChatCommands, intake => Intake, sessions => Sessions, setup => TurnSetup, turns => Turns
}
part! {
    /// Commands in chats.
    pub(crate) ChatCommands asks dispatch => Dispatch, outgoing => Outgoing, sessions => Sessions, setup => TurnSetup,
        subagent_commands => SubagentCommands, turns => Turns
}
part! {
    /// Commands about subagents.
    pub(crate) SubagentCommands asks sessions => Sessions, subagents => Subagents
}
part! {
    /// Turns: accepted, waiting, under way, stopped, begun again after a restart.
    pub Turns asks commands => ChatCommands, messages => MessageActions, outgoing => Outgoing, sessions => Sessions,
        setup => TurnSetup, subagents => Subagents
}
part! {
    /// What a turn is made of: tools and policy, skills, prompt, programs' wishes.
    pub TurnSetup asks turns => Turns
}
part! {
    /// Conversations: looking at them, writing between them, beginning them anew, undoing what was done in them.
    pub Sessions asks setup => TurnSetup, subagents => Subagents, turns => Turns
}
part! {
    /// Agents that work for another.
    pub(crate) Subagents asks messages => MessageActions, sessions => Sessions, setup => TurnSetup, turns => Turns
}
part! {
    /// What goes out to chat platforms, kept until it has arrived.
    pub Outgoing asks
}
part! {
    /// Acts on a chat platform that somebody asks for: sending, reacting, editing, finding the place.
    pub MessageActions asks outgoing => Outgoing, sessions => Sessions
}
part! {
    /// The accounts that are connected, and the strangers who write to them.
    pub Platforms asks intake => Intake, outgoing => Outgoing
}
