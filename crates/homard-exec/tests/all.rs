//! Commands and processes, for real, in one test program: linking several takes longer than running them.

mod processes;
mod running_commands;
