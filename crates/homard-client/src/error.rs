//! What can go wrong between a program and a gateway, and what the person can do about it.

use homard_protocol::ErrorShape;
use serde_json::Value;

use crate::connection::Closed;
use crate::tls::Fingerprint;

/// Why a call did not work. [`hint`](ClientError::hint) says what to do, where something can be done.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address cannot be read.
    #[error("not a gateway address: `{url}`")]
    BadUrl {
        /// As given, without anything that could be a secret.
        url: String,
    },
    /// A fingerprint that is none.
    #[error("`{text}` is not a SHA-256 fingerprint")]
    BadFingerprint {
        /// The beginning of what was given.
        text: String,
    },
    /// Encryption could not be set up on this side.
    #[error("could not set up TLS for {url}")]
    TlsSetup {
        url: String,
        #[source]
        source: rustls::Error,
    },
    /// The gateway shows another certificate than the pinned one.
    #[error("{url} shows another certificate than the pinned one: wanted {wanted}, got {shown}")]
    WrongCertificate { url: String, wanted: Fingerprint, shown: Fingerprint },
    /// Nothing on this machine vouches for the gateway's certificate.
    #[error("the certificate of {url} is not trusted")]
    UntrustedCertificate {
        url: String,
        #[source]
        source: std::io::Error,
    },
    /// Somebody answers, but not in TLS.
    #[error("{url} does not speak TLS")]
    NotTls {
        url: String,
        #[source]
        source: std::io::Error,
    },
    /// The encryption could not be agreed on.
    #[error("could not agree on encryption with {url}")]
    TlsFailed {
        url: String,
        #[source]
        source: std::io::Error,
    },
    #[error("no gateway is running at {url}")]
    NotRunning {
        url: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The network did not let us through.
    #[error("could not reach {url}")]
    Unreachable {
        url: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Somebody listens there, but not a gateway.
    #[error("{url} does not answer like a gateway")]
    NotAGateway {
        url: String,
        #[source]
        source: tokio_websockets::Error,
    },
    /// The handshake took too long.
    #[error("{url} did not finish the handshake within {seconds} s")]
    HandshakeTimeout {
        url: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The gateway answered `connect` with an error.
    #[error("the gateway refused the connection: {}", .error.message)]
    Refused { error: Box<ErrorShape> },
    /// The gateway answered a request with an error.
    #[error("`{method}` was refused: {}", .error.message)]
    Rejected { method: String, error: Box<ErrorShape> },
    /// No answer in time.
    #[error("`{method}` was not answered within {seconds} s")]
    Timeout {
        method: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The connection ended; requests under way are never repeated by the client.
    #[error("the connection to the gateway ended: {0}")]
    Closed(Closed),
    /// An answer in a shape this client does not know.
    #[error("could not understand the answer to `{method}`")]
    BadAnswer {
        method: String,
        #[source]
        source: homard_runtime::json::ReadError,
    },
    /// Parameters that cannot be written as JSON.
    #[error("could not write the parameters of `{method}`")]
    BadParams {
        method: String,
        #[source]
        source: serde_json::Error,
    },
}

impl ClientError {
    /// What a person can do about it, in one sentence.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::BadUrl { .. } => {
                Some("write it as ws://host:port, for example ws://127.0.0.1:18789".into())
            }
            Self::BadFingerprint { .. } => {
                Some("the gateway prints it when it starts: 64 hexadecimal digits, with or without colons".into())
            }
            Self::TlsSetup { .. } => Some("check that the certificates of this system are installed".into()),
            Self::WrongCertificate { .. } => Some(
                "somebody may be in between; if you changed the certificate yourself, pin the fingerprint the \
                 gateway prints when it starts"
                    .into(),
            ),
            Self::UntrustedCertificate { .. } => Some(
                "pin it with --tls-fingerprint or gateway.remote.tlsFingerprint; the gateway prints the fingerprint \
                 when it starts"
                    .into(),
            ),
            Self::NotTls { .. } => Some("use ws:// if it is on this machine or behind a tunnel".into()),
            Self::TlsFailed { .. } => Some("look into the gateway's log: `homard logs`".into()),
            Self::NotRunning { .. } => Some("start it with `homard gateway`".into()),
            Self::Unreachable { .. } => {
                Some("check the address and that the machine is on the network".into())
            }
            Self::NotAGateway { .. } => Some(
                "another program may use this port (`homard gateway --port N` takes a different one), or the gateway \
                 speaks TLS (use wss://)"
                    .into(),
            ),
            Self::HandshakeTimeout { .. } => {
                Some("the gateway may be starting or overloaded; `homard logs` says more".into())
            }
            Self::Refused { error } => refusal_hint(error),
            Self::Rejected { error, .. } => rejection_hint(error),
            Self::Timeout { .. } => {
                Some("give it more time with --timeout, or look into `homard logs`".into())
            }
            Self::Closed(closed) => closed.hint(),
            Self::BadAnswer { .. } => {
                Some("the gateway and this program may be of different versions; update both".into())
            }
            Self::BadParams { .. } => None,
        }
    }

    /// The gateway's own error, when it is the gateway that refused.
    #[must_use]
    pub fn shape(&self) -> Option<&ErrorShape> {
        match self {
            Self::Refused { error } | Self::Rejected { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// `details.code`, which is finer than `code`.
fn fine_code(error: &ErrorShape) -> &str {
    detail(error, "code").unwrap_or("")
}

fn detail<'a>(error: &'a ErrorShape, key: &str) -> Option<&'a str> {
    error.details.as_ref()?.get(key).and_then(Value::as_str)
}

fn refusal_hint(error: &ErrorShape) -> Option<String> {
    let text = match fine_code(error) {
        "AUTH_REQUIRED"
        | "AUTH_UNAUTHORIZED"
        | "AUTH_TOKEN_MISSING"
        | "AUTH_TOKEN_MISMATCH"
        | "AUTH_DEVICE_TOKEN_MISMATCH" => {
            "the token is `gateway.auth.token` in the gateway's homard.json (there: `homard config get \
             gateway.auth.token --reveal`); pass it with --token or HOMARD_GATEWAY_TOKEN"
                .into()
        }
        "AUTH_TOKEN_NOT_CONFIGURED" => {
            "the gateway has no token; set one with `homard config set gateway.auth.token …` and restart it".into()
        }
        "AUTH_PASSWORD_MISSING" | "AUTH_PASSWORD_MISMATCH" => {
            "the password is `gateway.auth.password` in the gateway's homard.json; pass it with --password or \
             HOMARD_GATEWAY_PASSWORD"
                .into()
        }
        "AUTH_PASSWORD_NOT_CONFIGURED" => {
            "the gateway has no password; set one with `homard config set gateway.auth.password …`".into()
        }
        "AUTH_IDENTITY_HEADER_REQUIRED" => {
            "this gateway is reached through its proxy, which says who is calling; use the proxy's address".into()
        }
        "AUTH_RATE_LIMITED" => match error.retry_after_ms {
            Some(ms) => format!("too many wrong attempts; try again in {} s", ms.div_ceil(1_000)),
            None => "too many wrong attempts; try again in a few minutes".into(),
        },
        "PAIRING_REQUIRED" => match detail(error, "requestId") {
            Some(id) => format!("approve this device on the gateway's machine: homard devices approve {id}"),
            None => "approve this device on the gateway's machine: homard devices approve --latest".into(),
        },
        "DEVICE_AUTH_SIGNATURE_EXPIRED" => "the clocks of both machines differ too much; set them".into(),
        "PROTOCOL_MISMATCH" | "CLIENT_VERSION_MISMATCH" => {
            "the gateway and this program are of different versions; update both".into()
        }
        _ if error.retryable == Some(true) => "try again in a moment".into(),
        _ => return None,
    };
    Some(text)
}

fn rejection_hint(error: &ErrorShape) -> Option<String> {
    match fine_code(error) {
        "MISSING_SCOPE" => Some(format!(
            "this connection lacks {}; use the gateway's token or a device approved with it",
            detail(error, "missingScope").unwrap_or("a permission")
        )),
        _ if error.message.starts_with("unknown method") => {
            Some("`homard gateway call health` works everywhere; the method may need a newer gateway".into())
        }
        _ if error.retryable == Some(true) => Some("try again in a moment".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
