//! What went wrong with a call, and what that means for whoever asked.

use std::time::Duration;

use homard_channel::ChannelError;

/// How long to wait when the server says only "too many".
const DEFAULT_WAIT: Duration = Duration::from_secs(1);

/// Why a call did not do what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ApiError {
    /// The server said no.
    #[error("{description}")]
    Refusal {
        code: u16,
        description: String,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
        /// Where the chat is now.
        moved_to: Option<i64>,
    },
    /// The server was not reached; nothing was done.
    #[error("{0}")]
    NotReached(String),
    /// The connection broke, the server fell silent or stumbled: it may have done it.
    #[error("{0}")]
    Lost(String),
    /// The answer is longer than anybody reads.
    #[error("the server's answer is longer than {0} bytes")]
    TooLong(usize),
    /// Nothing was sent because it could not be sent.
    #[error("{0}")]
    NotSendable(String),
}

impl ApiError {
    /// Whether the server's words hold these.
    pub(super) fn says(&self, words: &str) -> bool {
        matches!(self, Self::Refusal { description, .. } if description.contains(words))
    }

    /// Where the chat is now, if that is the trouble.
    pub(super) fn moved_to(&self) -> Option<i64> {
        match self {
            Self::Refusal { moved_to, .. } => *moved_to,
            Self::NotReached(_) | Self::Lost(_) | Self::TooLong(_) | Self::NotSendable(_) => None,
        }
    }
}

impl From<ApiError> for ChannelError {
    /// A token the server does not know makes 401, or 404 when it is not even shaped like one. Every 5xx counts as
    /// "nobody knows": the web server in front answers them when the one behind is slow to.
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Refusal { code: 401 | 404, description, .. } => Self::Refused(description),
            ApiError::Refusal { code: 429, retry_after, .. } => {
                Self::Wait(retry_after.unwrap_or(DEFAULT_WAIT))
            }
            ApiError::Refusal { code: 409, description, .. } => Self::Unreachable(description),
            ApiError::Refusal { description, .. } => Self::Permanent(in_words(description)),
            ApiError::NotReached(why) => Self::Unreachable(why),
            ApiError::Lost(why) => Self::Unknown(why),
            error @ ApiError::TooLong(_) => Self::Unknown(error.to_string()),
            ApiError::NotSendable(why) => Self::Permanent(why),
        }
    }
}

/// The server's shorter words, for people.
fn in_words(description: String) -> String {
    if description.contains("VOICE_MESSAGES_FORBIDDEN") {
        return "they take no voice messages; send text instead".to_owned();
    }
    description
}
