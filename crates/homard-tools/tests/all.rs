//! Tools as a turn uses them, in one test program: linking several takes longer than running them.

mod exec_approvals;
mod exec_tool;
mod laundering;
mod process_tool;
