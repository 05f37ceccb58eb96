//! Whole-gateway stories: the real binary as a process, a fake model server, clients speaking raw frames.
//!
//! One file per story. Every test has its own state folder, its own port and its own fake, waits for facts and
//! never for time, and reads as what must be true.

#[cfg(test)]
mod abort;
#[cfg(test)]
mod acts;
#[cfg(test)]
mod agents;
#[cfg(test)]
mod approvals;
#[cfg(test)]
mod asking;
#[cfg(test)]
mod attacks;
#[cfg(test)]
mod background;
#[cfg(test)]
mod bad_disk;
#[cfg(test)]
mod book;
#[cfg(test)]
mod branches;
#[cfg(test)]
mod chat;
#[cfg(test)]
mod chat_approvals;
#[cfg(test)]
mod command_bounds;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod compaction;
#[cfg(test)]
mod company;
#[cfg(test)]
mod config_over_wire;
#[cfg(test)]
mod copies;
#[cfg(test)]
mod cron;
#[cfg(test)]
mod daemon;
#[cfg(test)]
mod devices;
#[cfg(test)]
mod empty_rooms;
#[cfg(test)]
mod exec_rules;
#[cfg(test)]
mod families;
#[cfg(test)]
mod first_request;
#[cfg(test)]
mod flood;
#[cfg(test)]
mod handover;
#[cfg(test)]
mod handshake;
#[cfg(test)]
mod heartbeat;
#[cfg(test)]
mod hooks;
#[cfg(test)]
mod hostile_words;
#[cfg(test)]
mod http;
#[cfg(test)]
mod http_doors;
#[cfg(test)]
mod http_tools;
#[cfg(test)]
mod log_settings;
#[cfg(test)]
mod looking_around;
#[cfg(test)]
mod loops;
#[cfg(test)]
mod marks;
#[cfg(test)]
mod migrating;
#[cfg(test)]
mod model_keys;
#[cfg(test)]
mod models;
mod news;
#[cfg(test)]
mod node_host;
#[cfg(test)]
mod node_words;
#[cfg(test)]
mod nodes;
#[cfg(test)]
mod onboard;
#[cfg(test)]
mod one_prompt;
#[cfg(test)]
mod openai_chat;
#[cfg(test)]
mod openai_refusals;
#[cfg(test)]
mod openai_responses;
#[cfg(test)]
mod openai_world;
#[cfg(test)]
mod ordinary_day;
#[cfg(test)]
mod other_clients;
#[cfg(test)]
mod own_hooks;
#[cfg(test)]
mod page_lists;
#[cfg(test)]
mod pairing;
#[cfg(test)]
mod reach;
#[cfg(test)]
mod reconnect;
#[cfg(test)]
mod red_team;
#[cfg(test)]
mod remembering;
#[cfg(test)]
mod restarts;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod scopes;
#[cfg(test)]
mod session_methods;
#[cfg(test)]
mod session_tools;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod settings_hold;
#[cfg(test)]
mod setup_codes;
#[cfg(test)]
mod skills;
mod small_models;
#[cfg(test)]
mod starting;
#[cfg(test)]
mod steering;
#[cfg(test)]
mod subagents;
#[cfg(test)]
mod survival;
#[cfg(test)]
mod telegram;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod tool_policy;
#[cfg(test)]
mod tool_turns;
#[cfg(test)]
mod traces;
#[cfg(test)]
mod trail;
#[cfg(test)]
mod undo;
#[cfg(test)]
mod updates;
#[cfg(test)]
mod upgraded;
#[cfg(test)]
mod usage;
#[cfg(test)]
mod voice;
#[cfg(test)]
mod weechat;
#[cfg(test)]
mod wizard;
#[cfg(test)]
mod wizard_channels;
#[cfg(test)]
mod world;
