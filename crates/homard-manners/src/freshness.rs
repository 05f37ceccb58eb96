//! When a conversation starts afresh: daily and idle resets, and what a reset carries over.
