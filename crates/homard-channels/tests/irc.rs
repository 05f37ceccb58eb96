//! The IRC adapter against a real server (`ngircd`), and against scripted ones for what that server cannot do.

#[path = "irc/bot.rs"]
mod bot;
#[path = "irc/conversation.rs"]
mod conversation;
#[path = "irc/scripted.rs"]
mod scripted;
#[path = "irc/trouble.rs"]
mod trouble;
