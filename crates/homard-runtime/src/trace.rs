//! What marks the spans that are exported when the owner wants traces.

/// The target of spans that tell how a message was worked on: `message` → `turn` → `model.call`, `tool.call`.
/// Nobody looks at them unless traces are on, so they cost nothing then. They carry names, counts and kinds of
/// failures, never what was said and never a secret.
pub const TRACE: &str = "homard::trace";
