//! The life of a node: connect, serve, and connect again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use homard_client::{Client, ClientError, ConnectOptions, DeviceIdentity, Offer};
use homard_protocol::connect::{ClientId, ClientMode, ConnectAuth};
use homard_protocol::{DeviceId, Role};
use homard_runtime::{Backoff, OrCancel, chance};
use tokio_util::sync::CancellationToken;

use crate::commands::offered;
use crate::keep::{KeepError, NodeFolder};
use crate::link::Link;
use crate::machine::Machine;
use crate::platform;

/// The first wait before connecting again, doubled each time.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// What the longest wait is cut by, so that many nodes do not come back in the same moment: up to a quarter.
const JITTER: f64 = 0.25;

/// How a node is started.
#[derive(Debug, Clone)]
pub struct HostOptions {
    pub url: String,
    /// The shared secret or a setup code's token, for the first time.
    pub auth: ConnectAuth,
    /// What it is called; the machine's name otherwise.
    pub display_name: Option<String>,
    pub version: String,
}

/// Why a node cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// The gateway will never let it in like this.
    #[error(transparent)]
    Connect(#[from] ClientError),
}

/// What happens in a node's life, for whoever watches it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeNotice {
    /// It is connected and offers these commands.
    Connected { node_id: DeviceId, commands: Vec<String> },
    /// The owner has to let it in.
    Waiting {
        /// The question, for `homard devices approve`.
        request_id: Option<String>,
    },
    /// It is not connected (any more) and tries again.
    Away {
        reason: String,
        /// When it tries again.
        retry_in: Duration,
    },
}

/// A node.
#[derive(Debug)]
pub struct Host {
    keep: NodeFolder,
    machine: Arc<Machine>,
    identity: DeviceIdentity,
    options: HostOptions,
}

impl Host {
    /// A node of this machine with what it remembers.
    ///
    /// # Errors
    /// When its key cannot be read or made.
    pub fn new(keep: NodeFolder, machine: Machine, options: HostOptions) -> Result<Self, HostError> {
        let identity = keep.identity(&machine.clock)?;
        Ok(Self { keep, machine: Arc::new(machine), identity, options })
    }

    /// Connects and serves until `cancel` fires.
    ///
    /// # Errors
    /// When the gateway will not let it in and trying again would not help.
    pub async fn run(&self, tell: impl Fn(NodeNotice), cancel: &CancellationToken) -> Result<(), HostError> {
        let mut wait = Backoff::doubling(FIRST_WAIT, LONGEST_WAIT);
        while !cancel.is_cancelled() {
            let reason = match self.connect().or_cancel(cancel).await {
                Err(_cancelled) => break,
                Ok(Ok(client)) => {
                    wait.reset();
                    self.serve(client, &tell, cancel).await?
                }
                Ok(Err(error)) => match self.refused(&error)? {
                    Refused::Waiting(request_id) => {
                        tell(NodeNotice::Waiting { request_id });
                        error.to_string()
                    }
                    Refused::TokenForgotten => continue,
                    Refused::Away => error.to_string(),
                    Refused::Never => return Err(error.into()),
                },
            };
            if cancel.is_cancelled() {
                break;
            }
            let retry_in = wait.step().mul_f64(1.0 - JITTER * chance());
            tell(NodeNotice::Away { reason, retry_in });
            if tokio::time::sleep(retry_in).or_cancel(cancel).await.is_err() {
                break;
            }
        }
        Ok(())
    }

    async fn serve(
        &self,
        client: Client,
        tell: &impl Fn(NodeNotice),
        cancel: &CancellationToken,
    ) -> Result<String, HostError> {
        if let Some(token) = client.hello().auth.device_token.as_deref() {
            self.keep.set_token(&self.options.url, Some(token))?;
        }
        let node_id = self.identity.id().clone();
        let (_, commands) = offered(&self.machine);
        tell(NodeNotice::Connected { node_id: node_id.clone(), commands });
        Ok(Link::new(client, Arc::clone(&self.machine), node_id, cancel).serve(cancel).await)
    }

    async fn connect(&self) -> Result<Client, ClientError> {
        let (caps, commands) = offered(&self.machine);
        let mut options = ConnectOptions::command_line(&self.options.url, &self.options.version);
        options.client.id = ClientId::NodeHost;
        options.client.mode = ClientMode::Node;
        options.client.display_name = Some(self.name());
        options.role = Role::Node;
        options.scopes = Vec::new();
        options.caps = caps;
        options.offer = Some(Offer {
            commands,
            permissions: BTreeMap::new(),
            path_env: Some(self.machine.env.search_path().to_owned()),
        });
        options.auth = self.auth();
        options.identity = Some(self.identity.clone());
        Client::connect(&options).await
    }

    fn name(&self) -> String {
        let kept = || self.keep.display_name().ok().flatten();
        self.options.display_name.clone().or_else(kept).unwrap_or_else(platform::host_name)
    }

    /// The token it was given, or what it was started with.
    fn auth(&self) -> ConnectAuth {
        match self.keep.token(&self.options.url) {
            Ok(Some(token)) => ConnectAuth { device_token: Some(token), ..self.options.auth.clone() },
            Ok(None) | Err(_) => self.options.auth.clone(),
        }
    }

    /// What a failed attempt means.
    fn refused(&self, error: &ClientError) -> Result<Refused, HostError> {
        let ClientError::Refused { error } = error else { return Ok(Refused::Away) };
        let detail = |name: &str| error.details.as_ref()?.get(name)?.as_str().map(str::to_owned);
        match detail("code").as_deref() {
            Some("PAIRING_REQUIRED") => Ok(Refused::Waiting(detail("requestId"))),
            Some(code) if code.starts_with("AUTH_") => {
                let has_token = self.keep.token(&self.options.url)?.is_some();
                if !has_token {
                    return Ok(Refused::Never);
                }
                // The token may have been ended; what the node was started with may still be good.
                self.keep.set_token(&self.options.url, None)?;
                Ok(Refused::TokenForgotten)
            }
            _ if error.retryable == Some(true) => Ok(Refused::Away),
            _ => Ok(Refused::Never),
        }
    }
}

/// What a refusal means.
enum Refused {
    /// The owner is asked.
    Waiting(Option<String>),
    /// An old token was forgotten; try without.
    TokenForgotten,
    Away,
    /// Trying again would not help.
    Never,
}
