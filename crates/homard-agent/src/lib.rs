//! The loop: what the model is told, what it answers, which tools it uses, until it is done.
//!
//! [`Agent::run`] takes one [`Turn`] and the [`History`] of its conversation, asks the model, runs the tools
//! it wants, records every step in the transcript and tells the caller about each [`Step`] as it happens. It
//! does not know who is talking or where the answer goes; the relay does.
//!
//! Reading order: `turn` is the loop, `ask` is one answer of the model, `history` is what was said, `prompt` is
//! what the model is told first, `pictures` finds those a person speaks of, `stream` cleans what the model says,
//! `tool_calls` runs what it asks for, `seen` remembers addresses, `compaction` keeps a long conversation within
//! the model's context, `steer` takes messages while a turn is under way, `loop_guard`, `prune` and `flush`
//! interfere as the turn's `rules` say, `call_options` is what a calling program wants.

mod ask;
mod call_options;
mod clip;
mod compaction;
mod flush;
mod history;
mod hook_points;
mod known_urls;
mod loop_guard;
mod pictures;
mod prompt;
mod prune;
mod rules;
mod steer;
mod stream;
mod tool_calls;
mod turn;

pub use call_options::CallOptions;
pub use compaction::size::{of_overhead as overhead_tokens, of_tool as tool_tokens};
pub use compaction::{Compacted, CompactionOptions, CompactionSettings, NotShorter, Trigger};
pub use flush::FlushRules;
pub use history::History;
pub use pictures::{PictureRules, mentioned_pictures, read_pictures};
pub use prompt::{
    Audience, FileRules, Prompt, PromptError, PromptInput, PromptMode, Surroundings, SystemPrompt,
    prepare_whole_workspace, prepare_workspace,
};
pub use prune::PruneRules;
pub use rules::Rules;
pub use steer::{Steer, Steering, Taken};
pub use stream::{BlockChunker, BlockLimits, BreakAt, Coalescer, Directive, MAX_HELD, Piece, TagFilter};
pub use turn::{Agent, Step, Turn, TurnEnd, TurnEndKind, TurnUsage};
