//! What is measured, one file per question.

/// How fast everything is backed up, and whether a chat notices.
pub(super) mod backup;
/// What reading and writing model calls costs.
pub(super) mod calls;
/// What a thousand people who say nothing cost.
pub(super) mod crowd;
/// What a delta costs that many see.
pub(super) mod fanout;
/// Whether a turn costs more as the store and the conversation grow.
pub(super) mod growth;
/// What jobs cost that wait, and how late one begins that is due.
pub(super) mod jobs;
/// How many turns go through.
pub(super) mod load;
/// Whether anybody notices that notes are indexed.
pub(super) mod memory;
/// How many requests go through.
pub(super) mod rpc;
/// Whether memory comes back over a long time.
pub(super) mod soak;
/// How long a start takes and what is held afterwards.
pub(super) mod start;
/// Whether what waits to be sent goes out after a restart, as fast as the platform allows.
pub(super) mod telegram_drain;
/// What a connected account costs while nobody speaks.
pub(super) mod telegram_idle;
/// How long a message takes from the platform to the model, and the answer back.
pub(super) mod telegram_latency;
/// How many messages from a platform go through.
pub(super) mod telegram_load;
/// What one turn costs and where its time goes.
pub(super) mod turn;
/// So much work and nothing else.
pub(super) mod work;
