//! The accounts that are connected to chat platforms.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use homard_channel::SharedChannel;
use homard_protocol::{AccountId, ChannelId};

/// Accounts by platform and name.
#[derive(Default)]
pub(crate) struct Channels {
    running: Mutex<HashMap<(ChannelId, AccountId), SharedChannel>>,
}

impl Channels {
    /// One of them.
    pub(crate) fn get(&self, channel: &ChannelId, account: &AccountId) -> Option<SharedChannel> {
        self.lock().get(&(channel.clone(), account.clone())).map(Arc::clone)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(ChannelId, AccountId), SharedChannel>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Channels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Channels").field("running", &self.lock().len()).finish()
    }
}
