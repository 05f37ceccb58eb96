//! Every event of the protocol with the rule for its delivery. What is not in this table never leaves the
//! gateway, and who may hear an event is decided here, whoever publishes it.

use crate::event::Guard;
use crate::scope::Scope;

/// How an event is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRule {
    pub name: &'static str,
    /// Who may hear it.
    pub guard: Guard,
    /// Whether a client that is too slow misses it instead of being disconnected.
    pub drop: Drop,
    /// Whether only some of those who may hear it do: who subscribed, asked or is meant.
    pub targeted: bool,
}

/// Whether an event may be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drop {
    Never,
    Always,
    /// It depends on the payload: of a stream the pieces may, the end may not.
    Some,
}

const fn to(name: &'static str, guard: Guard) -> EventRule {
    EventRule { name, guard, drop: Drop::Never, targeted: false }
}

impl EventRule {
    const fn lossy(self) -> Self {
        Self { drop: Drop::Always, ..self }
    }

    const fn partly_lossy(self) -> Self {
        Self { drop: Drop::Some, ..self }
    }

    const fn targeted(self) -> Self {
        Self { targeted: true, ..self }
    }
}

const ALL: Guard = Guard::Everyone;
const READ: Guard = Guard::Operator(Scope::Read);
const ADMIN: Guard = Guard::Operator(Scope::Admin);
const APPROVALS: Guard = Guard::Operator(Scope::Approvals);
const QUESTIONS: Guard = Guard::Operator(Scope::Questions);
const PAIRING: Guard = Guard::Operator(Scope::Pairing);
const TALK: Guard = Guard::Operator(Scope::Talk);
const SESSIONS: Guard = Guard::Sessions(Scope::Read);
const READ_OR_NODE: Guard = Guard::OperatorOrNode(Scope::Read);

/// The table, in alphabetical order.
pub const RULES: &[EventRule] = &[
    to("agent", READ).partly_lossy(),
    to("board.changed", READ),
    to("board.command", READ),
    to("channels.pairing.requested", PAIRING).lossy(),
    to("channels.pairing.resolved", PAIRING).lossy(),
    to("chat", READ).partly_lossy(),
    to("chat.metadata.changed", SESSIONS),
    to("chat.send_timing", READ).targeted(),
    to("chat.side_result", READ),
    to("config.changed", READ),
    to("connect.challenge", ALL).targeted(),
    to("controlUi.sessionPullRequests.changed", READ).targeted(),
    to("cron", READ).lossy(),
    to("device.pair.changed", PAIRING),
    to("device.pair.requested", PAIRING).lossy(),
    to("device.pair.resolved", PAIRING).lossy(),
    to("device.pair.setup.completed", PAIRING).lossy(),
    to("device.pair.setup.deliveryUncertain", PAIRING).lossy(),
    to("exec.approval.requested", APPROVALS),
    to("exec.approval.resolved", APPROVALS),
    to("gateway.suspension", ALL),
    to("health", ALL),
    to("heartbeat", ALL).lossy(),
    to("mentions.changed", READ).targeted(),
    to("models.snapshot", READ).targeted(),
    to("node.hostStats", READ).lossy(),
    to("node.invoke.cancel", Guard::Node).targeted(),
    to("node.invoke.input", Guard::Node).targeted(),
    to("node.invoke.request", Guard::Node).targeted(),
    to("node.pair.requested", PAIRING).lossy(),
    to("node.pair.resolved", PAIRING).lossy(),
    to("node.presence", READ).lossy(),
    to("node.runnerInventory.changed", READ),
    to("openclaw.approval.requested", APPROVALS),
    to("openclaw.approval.resolved", APPROVALS),
    to("plugin.approval.requested", APPROVALS),
    to("plugin.approval.resolved", APPROVALS),
    to("plugins.changed", READ).lossy(),
    to("plugins.controlUi.changed", READ),
    to("plugins.install.progress", ADMIN).targeted(),
    to("portal.changed", READ),
    to("presence", READ),
    to("progressCard.changed", READ),
    to("question.requested", QUESTIONS),
    to("question.resolved", QUESTIONS),
    to("session.approval", APPROVALS).targeted(),
    to("session.message", READ).targeted(),
    to("session.observer", READ).targeted(),
    to("session.operation", READ).lossy().targeted(),
    to("session.sharing", READ),
    to("session.sharing.evidence", READ),
    to("session.suggestion", READ),
    to("session.tool", READ).lossy().targeted(),
    to("session.typing", READ).targeted(),
    to("sessions.catalog.host", READ).targeted(),
    to("sessions.changed", READ).lossy().targeted(),
    to("shutdown", ALL),
    to("skills.changed", READ),
    to("talk.event", READ).targeted(),
    to("talk.mode", TALK).lossy(),
    to("talk.voice.change", TALK),
    to("task", READ),
    to("task.suggestion", READ),
    to("terminal.data", ADMIN).targeted(),
    to("terminal.exit", ADMIN).targeted(),
    to("tick", ALL).lossy(),
    to("ui.command", READ).targeted(),
    to("update.available", ALL).lossy(),
    to("update.run.changed", ADMIN),
    to("users.prefs.changed", READ).targeted(),
    to("voicewake.changed", READ_OR_NODE),
    to("voicewake.routing.changed", READ_OR_NODE),
];

/// The rule of an event; `None` for one that must not go out.
#[must_use]
pub fn rule(name: &str) -> Option<&'static EventRule> {
    let at = RULES.binary_search_by(|rule| rule.name.cmp(name)).ok()?;
    RULES.get(at)
}

#[cfg(test)]
mod tests;
