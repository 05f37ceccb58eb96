//! By which way the message of a run came in, whether an event starts one, and why one was stopped: words that stand in
//! the database and on the wire.

use crate::word::words;

words! {
    /// By which way the message of a run came in.
    TurnSource {
        Channel = "channel",
        /// `chat.send`: a person at the page or in another client.
        Chat = "chat.send",
        /// `agent`: a program on the protocol.
        Agent = "agent",
        /// A program that talks as if to a model, and waits on its request.
        HttpChat = "http-chat",
        /// The same over the newer API.
        HttpResponses = "http-responses",
        /// A hook whose caller waits on its request.
        HttpHook = "http-hook",
        Hook = "hook",
        Cron = "cron",
        /// The agent looks around by itself.
        Heartbeat = "heartbeat",
        /// An event that somebody was to be told.
        Wake = "wake",
        /// The same, told by a program on the protocol.
        SystemEvent = "system-event",
        Node = "node",
        /// A task for a subagent.
        Subagent = "subagent",
        /// What a subagent found.
        Announce = "announce",
        SessionsSend = "sessions_send",
        Compact = "sessions.compact",
        /// What was to be said after a restart.
        Restart = "restart",
    }
}

impl TurnSource {
    /// Whether the sender waits on a connection that cannot be carried over to another process.
    #[must_use]
    pub fn is_attended(self) -> bool {
        matches!(self, Self::HttpChat | Self::HttpResponses | Self::HttpHook)
    }

    /// Whether another run may be waiting for this one.
    #[must_use]
    pub fn is_nested(self) -> bool {
        self == Self::SessionsSend
    }
}

words! {
    /// Whether an event starts a turn.
    #[derive(Default)]
    WakeMode {
        /// At once, or when the turn under way is over.
        #[default]
        Now = "now",
        /// It is told with the next turn, whoever asks for it.
        NextHeartbeat = "next-heartbeat",
    }
}

words! {
    /// Why a run was stopped.
    StopCause {
        Stop = "stop",
        /// The conversation begins anew.
        Reset = "reset",
        Rpc = "rpc",
        /// A program asked over HTTP.
        Http = "http",
        /// The program that waited for it is gone.
        Disconnect = "disconnect",
        /// It took too long.
        Timeout = "timeout",
        /// A newer message takes its place.
        Interrupt = "interrupt",
        /// Too many messages waited.
        QueueOverflow = "queue-overflow",
        /// The conversation it worked for was stopped.
        Parent = "parent",
        /// The agent it worked for asked.
        Subagents = "subagents",
        /// Its job took too long.
        Cron = "cron",
        /// Its conversation was deleted.
        Delete = "delete",
        Restart = "restart",
    }
}
