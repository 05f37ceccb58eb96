//! Agents that are programs of their own.
