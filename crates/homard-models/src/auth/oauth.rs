//! Logging in at a provider: in a browser on this machine, in one elsewhere, or with a code on another device.
//!
//! Nothing here touches the stored profiles: a login ends in tokens, and `Profiles` keeps them.

mod browser;
mod claims;
mod client;
mod device;
mod listener;
mod token;

pub use browser::{BrowserLogin, Code};
pub use client::{BorrowedClient, OAuthClient};
pub use device::DeviceLogin;
pub use listener::Listener;

pub(crate) use claims::{claim, expiry};
pub(crate) use token::{TokenError, TokenServer, Tokens};

use super::code_assist::ProjectError;

/// Why a login did not end in tokens. Carries no secret.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The provider has no such way to log in.
    #[error("`{provider}` has no login of this kind; use `homard models auth add --provider {provider}`")]
    NotOffered { provider: String },
    /// The vendor lets only its own program in, and that one is not here.
    #[error(
        "this login is made in the name of the vendor's own program, and no `{}` was found here; install it (`{}`), or set {} \
         and {}", .0.program, .0.install, .0.id_env.last().unwrap_or(&"its id"), .0.secret_env.last().unwrap_or(&"its secret")
    )]
    NoClient(BorrowedClient),
    /// Logged in, but there is nothing the account may use.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// What was pasted holds no code.
    #[error("this is neither the code nor the address the browser ended at; copy it again")]
    NoCode,
    /// The answer belongs to another login.
    #[error("this answer belongs to another login; start again and use the newest page")]
    WrongState,
    /// The person or the provider said no.
    #[error("the provider refused the login ({code})")]
    Refused {
        /// The provider's word for it.
        code: &'static str,
    },
    /// Nobody answered in time.
    #[error("nobody finished the login in time; start again")]
    TooLate,
    /// The port the browser comes back to is in use.
    #[error(
        "could not listen on port {port} for the browser: {source}; close the program that uses it, or paste the address"
    )]
    Port {
        port: u16,
        #[source]
        source: std::io::Error,
    },
    /// The token server could not be reached or understood.
    #[error("the provider's token server failed: {0}")]
    Server(String),
    /// The tokens came but could not be kept.
    #[error(transparent)]
    Store(#[from] super::StoreError),
    #[error("the login was stopped")]
    Stopped,
    /// The machine gives no random numbers, or the row's addresses are no addresses.
    #[error("the login could not be prepared: {0}")]
    Unprepared(&'static str),
}

impl From<TokenError> for LoginError {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Revoked => Self::Refused { code: "invalid_grant" },
            TokenError::Pending | TokenError::SlowDown | TokenError::Late => Self::TooLate,
            TokenError::Refused { code } => Self::Refused { code },
            TokenError::Unreachable(why) => Self::Server(why),
        }
    }
}

#[cfg(test)]
mod tests;
