//! Somebody talks.

use serde::Serialize;

use crate::event::{Event, Guard};
use crate::methods::voice::TalkModeResult;
use crate::scope::Scope;

/// `talk.mode`: somebody began or stopped talking.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct TalkModeEvent(pub TalkModeResult);

impl Event for TalkModeEvent {
    const NAME: &'static str = "talk.mode";
    const GUARD: Guard = Guard::Operator(Scope::Talk);

    fn droppable(&self) -> bool {
        true
    }
}
