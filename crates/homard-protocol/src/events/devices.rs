//! A device asks to be let in, and what was decided.

use serde::Serialize;

use crate::event::{Event, Guard};
use crate::id::DeviceId;
use crate::methods::devices::PendingDeviceRow;
use crate::methods::devices::setup_codes::SetupCompletion;
use crate::scope::Scope;

/// `device.pair.requested`: a device waits for the owner.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct DevicePairRequestedEvent(pub PendingDeviceRow);

impl Event for DevicePairRequestedEvent {
    const NAME: &'static str = "device.pair.requested";
    const GUARD: Guard = Guard::Operator(Scope::Pairing);

    fn droppable(&self) -> bool {
        true
    }
}

/// `device.pair.resolved`: a device waits no more.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevicePairResolvedEvent {
    pub request_id: String,
    pub device_id: DeviceId,
    /// What was decided. A request that another one of the same device replaced is rejected.
    pub decision: PairDecision,
    pub ts: i64,
}

/// What was decided about a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PairDecision {
    Approved,
    Rejected,
}

impl Event for DevicePairResolvedEvent {
    const NAME: &'static str = "device.pair.resolved";
    const GUARD: Guard = Guard::Operator(Scope::Pairing);

    fn droppable(&self) -> bool {
        true
    }
}

/// `device.pair.setup.completed`: a device came in with a setup code.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct DevicePairSetupCompletedEvent(pub SetupCompletion);

impl Event for DevicePairSetupCompletedEvent {
    const NAME: &'static str = "device.pair.setup.completed";
    const GUARD: Guard = Guard::Operator(Scope::Pairing);

    fn droppable(&self) -> bool {
        true
    }
}
