//! What can be typed after `homard message`.

use clap::{Args, Subcommand};

use super::heard;
use crate::commands::connection::ConnectArgs;

const EXAMPLES: &str = "\
Examples:
  homard message send --target telegram:123456789 --message \"The tea is ready\"
  homard message send -t irc:#home -m \"good morning\"
  homard message send -t telegram:-1001234:topic:7 --media chart.png -m \"May\"
  homard message poll -t telegram:123 --poll-question \"When?\" --poll-option Mon --poll-option Tue
  homard message react -t telegram:123 --message-id 42 --emoji 👍
  homard message send -t telegram:123 -m \"Again?\" --buttons '[[{\"text\":\"Yes\",\"callback_data\":\"yes\"}]]'
  homard message broadcast --targets telegram:123 --targets irc:#home -m \"back in an hour\"
  homard message read -t telegram:-1001234 --limit 20

What a platform cannot do is refused with its name; `homard channels capabilities` says what each can.";

/// Write to people on chat platforms, and read what was said there
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MessageArgs {
    #[command(subcommand)]
    pub(super) command: MessageCommand,
}

#[derive(Subcommand)]
pub(super) enum MessageCommand {
    /// Send a message, a file, or both
    #[command(after_help = EXAMPLES)]
    Send(Box<SendArgs>),
    /// Send the same to several
    Broadcast(Box<BroadcastArgs>),
    /// Ask people to choose
    Poll(Box<PollArgs>),
    /// React to a message
    React(Box<ReactArgs>),
    /// Change a message of ours
    Edit(Box<EditArgs>),
    /// Take a message back
    Delete(Box<OneMessageArgs>),
    /// Pin a message
    Pin(Box<OneMessageArgs>),
    /// Unpin a message
    Unpin(Box<OneMessageArgs>),
    /// Threads
    Thread(Box<ThreadArgs>),
    /// Stickers
    Sticker(Box<StickerArgs>),
    /// Show what was said in a conversation, as far as we were there
    Read(Box<heard::ReadArgs>),
    /// Find what was said in a conversation, as far as we were there
    Search(Box<heard::SearchArgs>),
}

/// Where.
#[derive(Args)]
pub(super) struct Whereto {
    /// To whom: telegram:123456789, irc:#room, or an id alone with --channel
    #[arg(long, short = 't', value_name = "TARGET", allow_hyphen_values = true)]
    pub(super) target: String,
    #[command(flatten)]
    pub(super) with: With,
}

#[derive(Args)]
pub(super) struct With {
    /// The platform, where the target does not name it
    #[arg(long, value_name = "CHANNEL")]
    pub(super) channel: Option<String>,
    /// Which of our accounts speaks
    #[arg(long, value_name = "ID")]
    pub(super) account: Option<String>,
    /// Only say what would be sent, and where
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) reach: ConnectArgs,
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct SendArgs {
    #[command(flatten)]
    pub(super) to: Whereto,
    /// The text, in Markdown
    #[arg(long, short, required_unless_present = "media")]
    pub(super) message: Option<String>,
    /// A file: a path on this machine, or an http(s) address
    #[arg(long, value_name = "PATH|URL")]
    pub(super) media: Option<String>,
    /// The message it answers
    #[arg(long, value_name = "ID")]
    pub(super) reply_to: Option<String>,
    /// The thread or topic
    #[arg(long, value_name = "ID")]
    pub(super) thread_id: Option<String>,
    /// Send a picture as a file
    #[arg(long)]
    pub(super) force_document: bool,
    /// Show a film as a moving picture
    #[arg(long)]
    pub(super) gif_playback: bool,
    /// Pin it
    #[arg(long)]
    pub(super) pin: bool,
    /// Without a sound
    #[arg(long)]
    pub(super) silent: bool,
    /// A sound as a voice message
    #[arg(long, requires = "media")]
    pub(super) as_voice: bool,
    /// Rows of buttons below the text, as JSON
    #[arg(long, value_name = "JSON", conflicts_with_all = ["media", "as_voice"])]
    pub(super) buttons: Option<String>,
}

#[derive(Args)]
pub(super) struct BroadcastArgs {
    /// To whom; several times
    #[arg(long, value_name = "TARGET", required = true, num_args = 1..)]
    pub(super) targets: Vec<String>,
    /// The text, in Markdown
    #[arg(long, short)]
    pub(super) message: Option<String>,
    /// A file the gateway can read, or an http(s) address
    #[arg(long, value_name = "PATH|URL")]
    pub(super) media: Option<String>,
    #[command(flatten)]
    pub(super) with: With,
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct PollArgs {
    #[command(flatten)]
    pub(super) to: Whereto,
    /// The question
    #[arg(long)]
    pub(super) poll_question: String,
    /// An answer to choose; 2 to 12 of them
    #[arg(long, required = true)]
    pub(super) poll_option: Vec<String>,
    /// Let people choose more than one
    #[arg(long)]
    pub(super) poll_multi: bool,
    /// How long it is open
    #[arg(long, value_name = "HOURS", conflicts_with = "poll_duration_seconds")]
    pub(super) poll_duration_hours: Option<u64>,
    /// How long it is open
    #[arg(long, value_name = "SECONDS")]
    pub(super) poll_duration_seconds: Option<u64>,
    /// Nobody sees who chose what
    #[arg(long, conflicts_with = "poll_public")]
    pub(super) poll_anonymous: bool,
    /// Everybody sees who chose what
    #[arg(long)]
    pub(super) poll_public: bool,
    /// The thread or topic
    #[arg(long, value_name = "ID")]
    pub(super) thread_id: Option<String>,
    /// Without a sound
    #[arg(long)]
    pub(super) silent: bool,
}

#[derive(Args)]
pub(super) struct ReactArgs {
    #[command(flatten)]
    pub(super) one: OneMessageArgs,
    /// With what
    #[arg(long, required_unless_present = "remove")]
    pub(super) emoji: Option<String>,
    /// Take ours back
    #[arg(long)]
    pub(super) remove: bool,
}

#[derive(Args)]
pub(super) struct EditArgs {
    #[command(flatten)]
    pub(super) one: OneMessageArgs,
    /// What it says now
    #[arg(long, short)]
    pub(super) message: String,
}

#[derive(Args)]
pub(super) struct OneMessageArgs {
    #[command(flatten)]
    pub(super) to: Whereto,
    /// Which message
    #[arg(long, value_name = "ID")]
    pub(super) message_id: String,
}

#[derive(Args)]
pub(super) struct ThreadArgs {
    #[command(subcommand)]
    pub(super) command: ThreadCommand,
}

#[derive(Args)]
pub(super) struct StickerArgs {
    #[command(subcommand)]
    pub(super) command: StickerCommand,
}

#[derive(Subcommand)]
pub(super) enum StickerCommand {
    /// Send one
    Send(Box<StickerSendArgs>),
}

#[derive(Args)]
pub(super) struct StickerSendArgs {
    #[command(flatten)]
    pub(super) to: Whereto,
    /// Its picture: a path on this machine, or an http(s) address
    #[arg(long, value_name = "PATH|URL")]
    pub(super) media: String,
}

#[derive(Subcommand)]
pub(super) enum ThreadCommand {
    /// Begin a thread
    Create(Box<ThreadCreateArgs>),
    /// Write in a thread
    Reply(Box<ThreadReplyArgs>),
}

#[derive(Args)]
pub(super) struct ThreadCreateArgs {
    #[command(flatten)]
    pub(super) to: Whereto,
    /// What it is called
    #[arg(long, value_name = "NAME")]
    pub(super) thread_name: String,
    /// What is said first in it
    #[arg(long, short)]
    pub(super) message: Option<String>,
}

#[derive(Args)]
pub(super) struct ThreadReplyArgs {
    #[command(flatten)]
    pub(super) to: Whereto,
    /// Which thread
    #[arg(long, value_name = "ID")]
    pub(super) thread_id: String,
    /// The text, in Markdown
    #[arg(long, short)]
    pub(super) message: String,
}
