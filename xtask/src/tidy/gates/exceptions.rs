//! Places above a limit of the gates: the most they may have, and why. The numbers only go down.

use super::Gate;

/// Gate, place, the most it may have, the reason.
pub(super) const EXCEPTIONS: &[(Gate, &str, usize, &str)] = &[
    (
        Gate::Entries,
        "crates/homard/src/cli/snapshots",
        53,
        "the help of each command as people read it, written by a test and named after it",
    ),
    (
        Gate::Fields,
        "crates/homard-agent/src/turn.rs::Turn",
        14,
        "the state of one small machine, changed together",
    ),
    (
        Gate::Fields,
        "crates/homard-channel/src/abilities.rs::Abilities",
        17,
        "settings or facts of a platform, a field each",
    ),
    (
        Gate::Fields,
        "crates/homard-channel/src/inbound.rs::Details",
        18,
        "settings or facts of a platform, a field each",
    ),
    (
        Gate::Fields,
        "crates/homard-channels/src/irc/settings.rs::IrcSection",
        15,
        "settings or facts of a platform, a field each",
    ),
    (
        Gate::Fields,
        "crates/homard-channels/src/irc/settings.rs::Settings",
        13,
        "settings or facts of a platform, a field each",
    ),
    (
        Gate::Fields,
        "crates/homard-channels/src/irc/state.rs::State",
        14,
        "the state of one small machine, changed together",
    ),
    (
        Gate::Fields,
        "crates/homard-channels/src/telegram/settings.rs::Section",
        13,
        "settings or facts of a platform, a field each",
    ),
    (
        Gate::Fields,
        "crates/homard-channels/src/telegram/wire.rs::Message",
        37,
        "a vendor's or a protocol's shape, field by field",
    ),
    (
        Gate::Fields,
        "crates/homard-llm/src/wire/anthropic_messages/body.rs::Body",
        14,
        "a vendor's or a protocol's shape, field by field",
    ),
    (
        Gate::Fields,
        "crates/homard-llm/src/wire/openai_completions/body.rs::Body",
        14,
        "a vendor's or a protocol's shape, field by field",
    ),
    (
        Gate::Fields,
        "crates/homard-llm/src/wire/openai_responses/body.rs::Body",
        14,
        "a vendor's or a protocol's shape, field by field",
    ),
    (
        Gate::Fields,
        "crates/homard-models/src/auth/describe.rs::Described",
        13,
        "a row of a table written as data",
    ),
    (Gate::Fields, "crates/homard-models/src/catalogue.rs::Row", 17, "a row of a table written as data"),
    (
        Gate::Fields,
        "crates/homard-models/src/cli_backend/row.rs::KnownProgram",
        14,
        "a row of a table written as data",
    ),
    (
        Gate::Fields,
        "crates/homard-models/src/cli_backend/row.rs::Row",
        24,
        "a row of a table written as data",
    ),
    (
        Gate::Fields,
        "crates/homard-models/src/failover/attempts.rs::AttemptLoop",
        14,
        "the state of one small machine, changed together",
    ),
    (
        Gate::Fields,
        "crates/homard-network/src/mdns.rs::Beacon",
        16,
        "a vendor's or a protocol's shape, field by field",
    ),
    (
        Gate::Fields,
        "crates/homard-policy/src/access/rules.rs::AccountRules",
        17,
        "settings or facts of a platform, a field each",
    ),
    (
        Gate::Fields,
        "crates/homard-store/src/cron.rs::CronRunRow",
        14,
        "a row, or a question about rows: a field per column",
    ),
    (
        Gate::Fields,
        "crates/homard-store/src/people/devices.rs::PairedDevice",
        15,
        "a row, or a question about rows: a field per column",
    ),
    (
        Gate::Fields,
        "crates/homard-store/src/runs.rs::RunRecord",
        17,
        "a row, or a question about rows: a field per column",
    ),
    (
        Gate::Fields,
        "crates/homard-relay/src/turns/request.rs::TurnOptions",
        15,
        "what is kept of a request, flat as earlier versions wrote it",
    ),
    (
        Gate::Fields,
        "crates/homard-store/src/sessions.rs::SessionEntry",
        74,
        "a row, or a question about rows: a field per column",
    ),
    (
        Gate::Fields,
        "crates/homard-store/src/sessions/list.rs::SessionQuery",
        17,
        "a row, or a question about rows: a field per column",
    ),
    (
        Gate::Fields,
        "crates/homard-store/src/usage/report.rs::UsageTally",
        13,
        "a row, or a question about rows: a field per column",
    ),
    (
        Gate::Fields,
        "crates/homard-tools/src/ports/message.rs::MessageArgs",
        30,
        "what a caller may say, a field per argument",
    ),
    (
        Gate::Fields,
        "crates/homard-tools/src/tools/nodes.rs::NodesInput",
        13,
        "what a caller may say, a field per argument",
    ),
    (
        Gate::Fields,
        "crates/homard-tools/src/tools/web/markdown.rs::Writer",
        16,
        "the state of one small machine, changed together",
    ),
    (
        Gate::Fields,
        "crates/homard/src/commands/cron/args.rs::CronArgs",
        21,
        "what a caller may say, a field per argument",
    ),
];
