//! What is measured, one file per question.

/// What reading and writing model calls costs.
pub(super) mod calls;
/// What a thousand people who say nothing cost.
pub(super) mod crowd;
/// What a delta costs that many see.
pub(super) mod fanout;
/// Whether a turn costs more as the store and the conversation grow.
pub(super) mod growth;
/// How many turns go through.
pub(super) mod load;
/// How many requests go through.
pub(super) mod rpc;
/// How long a start takes and what is held afterwards.
pub(super) mod start;
/// What one turn costs and where its time goes.
pub(super) mod turn;
