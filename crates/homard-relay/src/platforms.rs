//! The accounts on chat platforms, and strangers who ask to be let in.

pub(crate) mod channels;
pub(crate) mod pairing;
pub(crate) mod pairing_row;

use crate::message_actions::Names;

/// What is known of the platforms.
#[derive(Default)]
pub(crate) struct PlatformsState {
    pub(crate) channels: channels::Channels,
    pub(crate) names: Names,
}
