//! Why there is no newer program, in words that say what was left as it was.

use std::io;
use std::path::PathBuf;

/// Why a release was not found, not trusted, or not put in place. The program that was there is still there.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    #[error("`{0}` is neither a folder nor an https address")]
    NoSource(String),
    /// There is no manifest where one should be.
    #[error("there is no release at `{0}`")]
    NoRelease(String),
    #[error("the release at `{place}` is `{found}`, and `{wanted}` is asked for")]
    AnotherRelease { place: String, found: String, wanted: String },
    #[error("the release at `{place}` cannot be read: {why}")]
    NotUnderstood { place: String, why: String },
    #[error("could not reach `{address}`")]
    Unreachable {
        address: String,
        #[source]
        source: reqwest::Error,
    },
    #[error("`{address}` answered {status}")]
    Refused { address: String, status: u16 },
    #[error("`{what}` took too long; `--timeout` gives it more seconds")]
    Slow { what: String },
    /// What it is instead is not told: it may be the other half of the key.
    #[error(
        "`update.publicKey` is not a public key: it is the PEM text of an Ed25519 key, or its bytes in base64"
    )]
    NotAKey,
    /// Whoever holds the address could hand out anything.
    #[error("a release behind an address is taken only with a signature, and no key to check one is set")]
    NoKey,
    #[error("the release at `{0}` is not signed")]
    Unsigned(String),
    #[error("the release at `{0}` is not signed by the key that is set; nothing was changed")]
    WrongSignature(String),
    #[error("release {version} has no build for {target}; it has {has}")]
    NoBuild { version: String, target: String, has: String },
    /// Cut off, or changed since.
    #[error("`{name}` is not what the release says it is ({why}); nothing was changed")]
    Damaged { name: String, why: String },
    #[error("the new program does not run on this machine ({why}); nothing was changed")]
    DoesNotRun { why: String },
    #[error("the disk holding `{0}` is full; nothing was changed")]
    Full(PathBuf),
    #[error("could not read `{path}`")]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("could not write in `{path}`; nothing was changed")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl UpdateError {
    pub(crate) fn write(path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full(path)
            }
            _other => Self::Write { path, source },
        }
    }

    /// What to do about it, where that is not in the words themselves.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoSource(_) | Self::NoRelease(_) => Some(
                "name a folder that holds a release (release.json and archives), or the https address of one, with --from",
            ),
            Self::NoKey => Some(
                "set the key of whoever makes the releases: homard config set update.publicKey \"$(cat key.pub.pem)\"",
            ),
            Self::Unsigned(_) | Self::WrongSignature(_) => {
                Some("take releases only from whoever holds the key; `update.publicKey` names it")
            }
            Self::Unreachable { .. } => Some("see whether the address is right and the network is there"),
            Self::NoBuild { .. } => Some("build it from source on this machine"),
            Self::Damaged { .. } => Some("try again; if it stays so, tell whoever makes the releases"),
            Self::Full(_) => Some("make room, then try again"),
            Self::Write { .. } => {
                Some("run it as the account the program belongs to, with sudo for instance")
            }
            _told => None,
        }
    }
}
