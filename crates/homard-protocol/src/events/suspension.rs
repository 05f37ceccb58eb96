//! `gateway.suspension`: whether the gateway begins new work.

use serde::Serialize;

use crate::event::{Event, Guard};

/// How far the gateway has stood back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SuspensionPhase {
    /// No turn begins; those under way may finish, and what comes in is kept.
    Draining,
    /// Nothing is under way any more; another process is about to take over.
    Prepared,
}

/// `gateway.suspension`: told when another process is to take over.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct SuspensionEvent {
    pub phase: SuspensionPhase,
}

impl Event for SuspensionEvent {
    const NAME: &'static str = "gateway.suspension";
    const GUARD: Guard = Guard::Everyone;
}
