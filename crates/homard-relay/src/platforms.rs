//! The accounts on chat platforms, and strangers who ask to be let in.

pub(crate) mod channels;
pub(crate) mod pairing;
pub(crate) mod pairing_row;

use crate::message_actions::Names;

/// What is known of the platforms.
pub(crate) struct PlatformsState {
    pub(crate) channels: channels::Channels,
    pub(crate) names: Names,
}

impl PlatformsState {
    pub(crate) fn new(names: Names) -> Self {
        Self { channels: channels::Channels::new(), names }
    }
}
