//! What is kept: the database and the transcripts.
//!
//! One SQLite database is the truth of sessions, runs, devices and every other table; append-only JSONL files
//! are the truth of conversations, and the index over them in the database can be deleted and rebuilt. One
//! thread writes ([`Store`] hands it work and waits for the commit), a few others read. This crate does not
//! know what a session *means*: who may talk, which model answers and when to reset are decided above.
//!
//! Durability: an acknowledged write survives `kill -9`. The database runs in WAL mode with
//! `synchronous = NORMAL` and transcripts are not flushed per line, so a power cut may lose what came after the last checkpoint (see [`Store::checkpoint_soon`]);
//! it never leaves a file that cannot be opened again.
//!
//! Reading order: [`Store`], its views (`store/views.rs`), `writer`, `reader`, then one file per kind of thing kept.

mod cron;
mod effects;
mod engine;
mod inbox;
mod kv;
mod notes;
mod outbox;
mod people;
mod runs;
mod search;
mod sessions;
mod store;
mod subagents;
mod transcripts;
mod usage;

pub use cron::{
    CronAdded, CronChange, CronJobRow, CronRunPage, CronRunQuery, CronRunRow, CronSettle, CronSettled,
    CronStore, FinishCron, MAX_CRON_JOBS,
};
pub use effects::NewEntries;
pub use engine::database::SCHEMA_VERSION;
pub use engine::salvage::{Salvaged, salvage};
pub use inbox::{HeardRow, InboxId, InboxStore, KeptHeard, NewHeard};
pub use kv::KvStore;
pub use notes::NoteStore;
pub use outbox::{NewOutbound, OutboundRecord, OutboundRetry, OutboxCount, OutboxStore, Posted};
pub use people::devices::{
    DeviceStore, DeviceToken, HeldToken, NewDeviceRequest, PENDING_TTL_MS, PairedDevice, PendingDevice,
    PendingOutcome,
};
pub use people::nodes::{
    NewNodeRequest, NewNodeWork, NodeAction, NodeAsked, NodeRecord, NodeRequest, NodeStore, NodeSurface,
    NodeWork,
};
pub use people::pairing::{MAX_PAIRING_PENDING, PAIRING_TTL_MS, PairingAsked, PairingRequest, PairingStore};
pub use people::setup_codes::{NewSetupCode, SetupCode, SetupCodeStore, SetupUse};
pub use runs::{
    Accepted, FinishRun, Finished, NewRun, RunRecord, RunStatus, RunStore, SessionPatch, StartRun,
    StartedRun, SteerInto, steered_key, steered_too_key,
};
pub use search::{SearchHit, SearchPage, SearchQuery, SearchStore};
pub use sessions::{
    ArchiveTranscript, ArchivedFilter, DeletedSession, DeliveryContext, EndedSession, GroupDefaults,
    GroupStore, ResetReason, ResetSession, RestoreWhich, SessionEntry, SessionGroup, SessionKind,
    SessionOrigin, SessionPage, SessionQuery, SessionRecord, SessionSort, SessionStore,
};
pub use store::{OpenOptions, Store, StoreError};
pub use subagents::{NewSubagent, SubagentAdded, SubagentRecord, SubagentStore, SubagentTask};
pub use transcripts::{
    Appended, Branch, Context, Page, PageEntry, PageQuery, TranscriptError, TranscriptStore, Turning,
};
pub use usage::{
    CallId, CallOwner, CallRow, CallTarget, KeptCall, LatencyStats, OpenCall, SpentRow, UsageCell,
    UsagePoint, UsageQuery, UsageReport, UsageSession, UsageStore, UsageTally,
};
