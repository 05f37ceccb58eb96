//! By which way a message came in, and why a run was stopped: closed lists, written as words only in the store and on
//! the wire.

use serde::{Deserialize, Serialize};

/// Makes an enum whose values are words.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $value,)*
        }

        impl $name {
            /// The word for it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }

            /// What a word means.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$value),)*
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// By which way a message came in.
    Source {
        /// A chat platform.
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
        /// A hook.
        Hook = "hook",
        /// A job.
        Cron = "cron",
        /// The agent looks around by itself.
        Heartbeat = "heartbeat",
        /// An event that somebody was to be told.
        Wake = "wake",
        /// The same, told by a program on the protocol.
        SystemEvent = "system-event",
        /// A node.
        Node = "node",
        /// A task for a subagent.
        Subagent = "subagent",
        /// What a subagent found.
        Announce = "announce",
        /// Another conversation.
        SessionsSend = "sessions_send",
        /// `sessions.compact`.
        Compact = "sessions.compact",
        /// What was to be said after a restart.
        Restart = "restart",
    }
}

impl Source {
    /// Whether the sender waits on a connection that cannot be carried over to another process.
    #[must_use]
    pub fn is_attended(self) -> bool {
        matches!(self, Self::HttpChat | Self::HttpResponses | Self::HttpHook)
    }

    /// Whether another run may be waiting for this one.
    pub(crate) fn is_nested(self) -> bool {
        self == Self::SessionsSend
    }
}

words! {
    /// Why a run was stopped.
    StopCause {
        /// Somebody said stop.
        Stop = "stop",
        /// The conversation begins anew.
        Reset = "reset",
        /// A client asked.
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
        /// The gateway stops.
        Restart = "restart",
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, StopCause};

    #[test]
    fn words_are_read_as_they_are_written() {
        for source in [Source::Channel, Source::HttpHook, Source::Compact, Source::Restart] {
            assert_eq!(Source::parse(source.as_str()), Some(source));
            let kept = serde_json::to_string(&source).unwrap();
            assert_eq!(kept, format!("\"{}\"", source.as_str()));
        }
        assert_eq!(StopCause::parse("queue-overflow"), Some(StopCause::QueueOverflow));
        assert_eq!(Source::parse("pigeon"), None);
    }
}
