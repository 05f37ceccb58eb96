//! The handshake: open the socket, hear the challenge, prove who we are, hear the hello.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use homard_protocol::connect::{
    ClientDescription, ClientId, ClientMode, ConnectAuth, ConnectChallenge, ConnectParams, HelloOk,
};
use homard_protocol::events::CONNECT_CHALLENGE;
use homard_protocol::limits::{HANDSHAKE_TIMEOUT, MAX_PAYLOAD, PROTOCOL_VERSION};
use homard_protocol::{Role, Scope};
use http::Uri;
use tokio::net::TcpStream;
use tokio_websockets::{ClientBuilder, Limits, Message};

use crate::client::request_text;
use crate::connection::{Answer, Closed, Incoming, Socket};
use crate::error::ClientError;
use crate::identity::DeviceIdentity;
use crate::tls::{self, ByteStream, Fingerprint};

/// The id of the first request.
const CONNECT_ID: &str = "connect";
/// Scopes a command line asks for; the gateway grants at most these.
const OWNER_SCOPES: [Scope; 7] = [
    Scope::Admin,
    Scope::Read,
    Scope::Write,
    Scope::Approvals,
    Scope::Questions,
    Scope::Pairing,
    Scope::TalkSecrets,
];

/// Where a gateway is, who calls, and what proves the right to.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// `ws://host:port`, or `wss://` where the gateway speaks TLS; a path is kept, so a gateway behind a proxy can be reached.
    pub url: String,
    /// The one certificate the gateway may show over TLS; without it the machine's own roots decide.
    pub tls_fingerprint: Option<Fingerprint>,
    /// The shared secret or a token issued earlier.
    pub auth: ConnectAuth,
    /// Signs the handshake, so that the gateway knows this device again. Without one a local command line is let
    /// in by the shared secret alone.
    pub identity: Option<DeviceIdentity>,
    pub client: ClientDescription,
    pub role: Role,
    pub scopes: Vec<Scope>,
    /// What the client understands beyond the basics, such as `tool-events`.
    pub caps: Vec<String>,
    /// What a node offers; nothing for operators.
    pub offer: Option<Offer>,
    /// How long the whole handshake may take.
    pub timeout: Duration,
}

/// What a node offers a gateway.
#[derive(Debug, Clone, Default)]
pub struct Offer {
    /// The commands it can run.
    pub commands: Vec<String>,
    /// What its operating system lets it do.
    pub permissions: BTreeMap<String, bool>,
    /// Where its programs are.
    pub path_env: Option<String>,
}

impl ConnectOptions {
    /// The owner's command line, asking for everything an owner may do.
    #[must_use]
    pub fn command_line(url: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            tls_fingerprint: None,
            auth: ConnectAuth::default(),
            identity: None,
            client: ClientDescription {
                id: ClientId::Cli,
                mode: ClientMode::Cli,
                version: version.into(),
                platform: std::env::consts::OS.to_owned(),
                display_name: None,
                device_family: None,
                model_identifier: None,
                instance_id: None,
                build_id: None,
                time_zone: None,
            },
            role: Role::Operator,
            scopes: OWNER_SCOPES.to_vec(),
            caps: Vec::new(),
            offer: None,
            timeout: HANDSHAKE_TIMEOUT,
        }
    }

    fn params(&self, challenge: &ConnectChallenge) -> ConnectParams {
        let mut params = ConnectParams {
            min_protocol: PROTOCOL_VERSION,
            max_protocol: PROTOCOL_VERSION,
            client: self.client.clone(),
            caps: self.caps.clone(),
            commands: self.offer.as_ref().map(|offer| offer.commands.clone()),
            permissions: self.offer.as_ref().map(|offer| offer.permissions.clone()),
            path_env: self.offer.as_ref().and_then(|offer| offer.path_env.clone()),
            computer_use: None,
            worker_runs: None,
            role: Some(self.role.into()),
            scopes: self.scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
            model_catalog: None,
            device: None,
            auth: Some(self.auth.clone()),
            locale: None,
            user_agent: None,
        };
        params.device = self.identity.as_ref().map(|identity| identity.prove(&params, challenge));
        params
    }
}

/// Opens a socket and shakes hands.
pub(crate) async fn connect(options: &ConnectOptions) -> Result<(Socket, HelloOk), ClientError> {
    let address = Address::parse(&options.url)?;
    let handshake = async {
        let mut socket = address.open(options.tls_fingerprint).await?;
        let hello = shake_hands(&mut socket, options).await?;
        Ok((socket, hello))
    };
    match tokio::time::timeout(options.timeout, handshake).await {
        Ok(outcome) => outcome,
        Err(_elapsed) => {
            Err(ClientError::HandshakeTimeout { url: address.shown, seconds: options.timeout.as_secs() })
        }
    }
}

async fn shake_hands(socket: &mut Socket, options: &ConnectOptions) -> Result<HelloOk, ClientError> {
    let challenge = hear_challenge(socket).await?;
    let text = request_text(CONNECT_ID, "connect", &options.params(&challenge))?;
    socket
        .send(Message::text(text))
        .await
        .map_err(|error| ClientError::Closed(Closed::dead(error.to_string())))?;
    loop {
        match next_frame(socket).await? {
            Incoming::Answer(id, answer) if id == CONNECT_ID => return read_hello(answer),
            Incoming::Answer(..) | Incoming::Event(_) | Incoming::Unknown => {}
        }
    }
}

async fn hear_challenge(socket: &mut Socket) -> Result<ConnectChallenge, ClientError> {
    loop {
        let Incoming::Event(frame) = next_frame(socket).await? else { continue };
        if frame.event == CONNECT_CHALLENGE {
            return homard_runtime::json::from_value(frame.payload)
                .map_err(|source| ClientError::BadAnswer { method: CONNECT_CHALLENGE.into(), source });
        }
    }
}

fn read_hello(answer: Answer) -> Result<HelloOk, ClientError> {
    let bad = |source| ClientError::BadAnswer { method: "connect".into(), source };
    match answer {
        Answer::Good(payload) => homard_runtime::json::from_value(payload).map_err(bad),
        Answer::Bad(error) => Err(ClientError::Refused { error: Box::new(error) }),
        Answer::Unreadable(source) => Err(bad(source)),
    }
}

async fn next_frame(socket: &mut Socket) -> Result<Incoming, ClientError> {
    loop {
        let message = match socket.next().await {
            Some(Ok(message)) => message,
            Some(Err(error)) => return Err(ClientError::Closed(Closed::dead(error.to_string()))),
            None => return Err(ClientError::Closed(Closed::dead("the gateway hung up"))),
        };
        if let Some((code, reason)) = message.as_close() {
            return Err(ClientError::Closed(Closed { code: Some(code.into()), reason: reason.to_owned() }));
        }
        if let Some(text) = message.as_text() {
            return Ok(Incoming::parse(text));
        }
    }
}

/// Where a gateway is.
struct Address {
    uri: Uri,
    host: String,
    port: u16,
    tls: bool,
    /// For messages: without anything that could be a secret.
    shown: String,
}

impl Address {
    fn parse(url: &str) -> Result<Self, ClientError> {
        let shown = without_secrets(url);
        let Ok(uri) = url.trim().parse::<Uri>() else { return Err(ClientError::BadUrl { url: shown }) };
        let tls = match uri.scheme_str() {
            Some("ws" | "http") => false,
            Some("wss" | "https") => true,
            _ => return Err(ClientError::BadUrl { url: shown }),
        };
        let Some(host) = uri.host() else { return Err(ClientError::BadUrl { url: shown }) };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
        Ok(Self { uri, host, port, tls, shown })
    }

    async fn open(&self, pin: Option<Fingerprint>) -> Result<Socket, ClientError> {
        let url = || self.shown.clone();
        let stream = match TcpStream::connect((self.host.as_str(), self.port)).await {
            Ok(stream) => stream,
            Err(source) if source.kind() == io::ErrorKind::ConnectionRefused => {
                return Err(ClientError::NotRunning { url: url(), source });
            }
            Err(source) => return Err(ClientError::Unreachable { url: url(), source }),
        };
        // Without it a peer waits up to 40 ms for the rest of a small frame.
        stream.set_nodelay(true).map_err(|source| ClientError::Unreachable { url: url(), source })?;
        let line: Box<dyn ByteStream> = if self.tls {
            tls::encrypt(stream, &self.host, &self.shown, pin).await?
        } else {
            Box::new(stream)
        };
        let builder = ClientBuilder::from_uri(self.uri.clone())
            .limits(Limits::default().max_payload_len(Some(MAX_PAYLOAD)));
        match builder.connect_on(line).await {
            Ok((socket, _response)) => Ok(socket),
            Err(source) => Err(ClientError::NotAGateway { url: url(), source }),
        }
    }
}

/// Cuts off query, fragment and user information, which is where people put tokens.
fn without_secrets(url: &str) -> String {
    let plain = url.split(['?', '#']).next().unwrap_or("").trim();
    match plain.split_once("://") {
        Some((scheme, rest)) => match rest.rsplit_once('@') {
            Some((_user, host)) => format!("{scheme}://{host}"),
            None => plain.to_owned(),
        },
        None => plain.rsplit('@').next().unwrap_or("").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, without_secrets};
    use crate::error::ClientError;

    #[test]
    fn addresses_are_read_or_refused_with_a_reason() {
        for (url, host, port) in [
            ("ws://127.0.0.1:18789", "127.0.0.1", 18_789),
            ("ws://[::1]:1", "::1", 1),
            ("ws://host", "host", 80),
            ("http://host:7/x", "host", 7),
            ("wss://host", "host", 443),
            ("https://[::1]:8/x", "::1", 8),
        ] {
            let address = Address::parse(url).unwrap();
            assert_eq!((address.host.as_str(), address.port), (host, port), "{url}");
        }
        for url in ["", "127.0.0.1:18789", "ftp://x", "ws://", "ws://a b"] {
            assert!(matches!(Address::parse(url), Err(ClientError::BadUrl { .. })), "{url}");
        }
    }

    #[test]
    fn nothing_secret_of_an_address_is_shown() {
        for (url, shown) in [
            ("ws://h:1/?token=T", "ws://h:1/"),
            ("ws://user:T@h:1", "ws://h:1"),
            ("h:1#token=T", "h:1"),
            ("user:T@h", "h"),
        ] {
            assert_eq!(without_secrets(url), shown);
        }
    }
}
