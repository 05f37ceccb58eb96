//! How an account is, for people.

use homard_channel::Probe;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Timestamp;

/// How an account is. Quiet and dead are told apart by [`last_sign_at`](Self::last_sign_at): a healthy platform gives
/// signs of life even when nobody writes.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountStatus {
    pub channel: ChannelId,
    pub account: AccountId,
    /// Whether it is listened to, or about to be again.
    pub running: bool,
    /// Whether the platform has given a sign of life on this connection.
    pub connected: bool,
    /// How often connecting failed since it last worked.
    pub reconnect_attempts: u32,
    /// When it was last begun to be listened to.
    pub last_start_at: Option<Timestamp>,
    /// When that last ended.
    pub last_stop_at: Option<Timestamp>,
    /// Why, where it was no wish of the owner.
    pub last_error: Option<String>,
    /// When something was last heard.
    pub last_inbound_at: Option<Timestamp>,
    /// When something was last sent.
    pub last_outbound_at: Option<Timestamp>,
    /// When the platform last gave a sign of life.
    pub last_sign_at: Option<Timestamp>,
    /// Who we are there, as the platform last said.
    pub probe: Option<Probe>,
}

impl AccountStatus {
    pub(super) fn new(channel: ChannelId, account: AccountId) -> Self {
        Self {
            channel,
            account,
            running: false,
            connected: false,
            reconnect_attempts: 0,
            last_start_at: None,
            last_stop_at: None,
            last_error: None,
            last_inbound_at: None,
            last_outbound_at: None,
            last_sign_at: None,
            probe: None,
        }
    }

    /// What people are told at once when it changes.
    pub(super) fn fate(&self) -> (bool, bool, Option<String>, bool) {
        (self.running, self.connected, self.last_error.clone(), self.probe.is_some())
    }
}
