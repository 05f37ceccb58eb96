//! Every number of the gateway protocol, under its name.

use std::time::Duration;

/// The protocol this gateway speaks; always reported in `hello-ok`.
pub const PROTOCOL_VERSION: u32 = 4;
/// The oldest protocol served: nodes and probes of version 3 still connect.
pub const MIN_PROTOCOL_VERSION: u32 = 3;
/// Where a gateway listens unless told otherwise.
pub const DEFAULT_PORT: u16 = 18_789;
/// Largest frame after authentication.
pub const MAX_PAYLOAD: usize = 25 * 1024 * 1024;
/// Largest frame before authentication; a larger one closes with 1009.
pub const MAX_PREAUTH_PAYLOAD: usize = 64 * 1024;
/// What may wait unsent for one client before it counts as slow.
pub const MAX_BUFFERED_BYTES: usize = 50 * 1024 * 1024;
/// How often every client hears `tick`.
pub const TICK_INTERVAL: Duration = Duration::from_secs(30);
/// How often a WebSocket ping is sent, and how long its pong may take.
pub const PING_INTERVAL: Duration = Duration::from_secs(25);
/// How often health is looked at anew.
pub const HEALTH_REFRESH: Duration = Duration::from_secs(60);
/// How long a socket may take to finish `connect`.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(15);
/// How far a device's clock may be off, in milliseconds, either way.
pub const SIGNATURE_SKEW_MS: i64 = 120_000;
/// Sockets of one address that may be unauthenticated at a time.
pub const MAX_PREAUTH_PER_IP: usize = 32;
/// Control-plane writes allowed per [`CONTROL_WRITE_WINDOW`], method, device and address.
pub const CONTROL_WRITE_LIMIT: u32 = 30;
/// See [`CONTROL_WRITE_LIMIT`].
pub const CONTROL_WRITE_WINDOW: Duration = Duration::from_secs(60);
/// Calls of the wrong role in a row before the socket is closed.
pub const MAX_UNAUTHORIZED_CALLS: u32 = 10;
/// Requests of one operator that may be under way at once.
pub const MAX_PENDING_REQUESTS: usize = 256;
/// How long a peer may take to answer our close.
pub const CLOSE_GRACE: Duration = Duration::from_millis(1_000);
/// Largest `chat.history` answer.
pub const MAX_HISTORY_BYTES: usize = 6 * 1024 * 1024;
/// Messages in a `chat.history` answer unless the caller says otherwise.
pub const DEFAULT_HISTORY_LIMIT: u32 = 200;
/// Most messages in a `chat.history` answer.
pub const MAX_HISTORY_LIMIT: u32 = 1_000;
/// Advertised attachment size: base64 of it still fits one frame.
pub const MAX_ATTACHMENT_BYTES: u64 = 19_464_192;
/// Advertised image size.
pub const MAX_IMAGE_BYTES: u64 = 6_291_456;
/// Least time between two `chat` deltas of a run; the first one is sent at once.
pub const DELTA_INTERVAL: Duration = Duration::from_millis(75);
/// Longest close reason WebSocket allows, in bytes.
pub const MAX_CLOSE_REASON: usize = 123;
