//! Time, tasks, cancellation and secrets: the few things every long-lived room needs and none should write again.
//!
//! [`Clock`] is where the time of day comes from, so tests can turn it; [`Tasks`] is the only way to start
//! a task, so shutdown can wait for it; [`OrCancel`] makes any wait stoppable; [`OrLog`] is the accepted way
//! to go on after a failure nobody can act on; [`LogLimiter`] keeps strangers from filling the log; [`KeyedWorkers`]
//! keeps what belongs together in order.
//!
//! And the small vocabulary, one word for each idea that would otherwise be written again in every room: [`Mutex`],
//! [`RwLock`], [`millis`](fn@millis), [`hex`](fn@hex), [`replace_private`], [`FileDraft`], [`Clip`], [`brief`], [`Backoff`],
//! [`json`], [`is_far`], [`off_thread`](fn@off_thread), [`Arrange`],
//! [`CollectOrdered`].

mod arrange;
mod atomic_file;
mod backoff;
mod cancel;
mod clip;
mod clock;
mod far;
mod hex;
pub mod json;
mod keyed_workers;
mod lock;
mod log_limiter;
mod off_thread;
mod or_log;
mod packed;
mod redact;
mod subscribers;
mod tasks;
mod trace;
mod units;
mod visible;

pub use arrange::{Arrange, CollectOrdered};
pub use atomic_file::{FileDraft, create_private_dir, replace_private, replace_shared, sweep_drafts};
pub use backoff::{Backoff, chance, spread};
pub use cancel::{Cancelled, OrCancel};
pub use clip::{Clip, brief};
pub use clock::{Clock, Timestamp};
pub use far::is_far;
pub use hex::{from_hex, hex};
pub use keyed_workers::{KeyedWorkers, Roused, Worker};
pub use lock::{Mutex, RwLock};
pub use log_limiter::LogLimiter;
pub use off_thread::{OffThread, Unfinished, off_thread};
pub use or_log::OrLog;
pub use packed::inflated;
pub use redact::{HIDDEN, HidingStream, MIN_SECRET, Redactor};
pub use subscribers::Subscribers;
pub use tasks::Tasks;
pub use trace::TRACE;
pub use units::{millis, millis_i64};
pub use visible::visible;
