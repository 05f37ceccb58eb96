//! The agent over sockets, in one test program: linking several takes longer than running them.

mod compaction;
mod prefix;
mod red_team;
