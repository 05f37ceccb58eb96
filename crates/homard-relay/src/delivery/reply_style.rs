//! How one of our accounts speaks: what the owner wrote about it, over what the platform can do.

use std::time::Duration;

use homard_agent::{BlockLimits, BreakAt};
use homard_channel::{Abilities, Act, Address, ChunkMode, Shape};
use homard_config::Config;
use homard_config::config::messages::delivery::{BlockCut, Blocks};
use homard_policy::access::{self, StreamMode};
use homard_policy::accounts::ChannelAccounts;
use homard_policy::reply::ReplyToMode;

use crate::parts::Outgoing;

/// How an account speaks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReplyStyle {
    /// How texts are written and cut.
    pub(crate) shape: Shape,
    /// What the platform can do; `None` when the account is not known.
    pub(crate) abilities: Option<Abilities>,
    /// Which messages of an answer are shown as replies.
    pub(crate) reply_mode: ReplyToMode,
    /// What stands before every answer, as a template.
    pub(crate) prefix: Option<String>,
    /// What we react with when a message was seen; `None` means the agent's own sign.
    pub(crate) ack: Option<String>,
    /// Whether, and how, finished pieces are sent before the answer is whole.
    pub(crate) blocks: Option<BlockStyle>,
    /// Whether an answer is shown in one message that grows.
    pub(crate) preview: bool,
}

/// How pieces are cut and joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockStyle {
    /// How they are cut.
    pub(crate) cut: BlockLimits,
    /// How they are joined.
    pub(crate) join: BlockLimits,
    /// After which quiet time what there is is sent.
    pub(crate) idle: Duration,
    /// Whether a piece waits for the end of the model's message.
    pub(crate) at_message_end: bool,
}

impl ReplyStyle {
    /// The style of the account an address names.
    pub(crate) fn of(outgoing: &Outgoing, address: &Address) -> Self {
        let inner = outgoing.inner();
        let abilities =
            outgoing.channels().known(&address.channel, &address.account).map(|channel| channel.abilities());
        Self::decide(&inner.config(), address, abilities)
    }

    /// The same, from what is known.
    pub(crate) fn decide(config: &Config, address: &Address, abilities: Option<Abilities>) -> Self {
        let accounts = config.view::<ChannelAccounts>();
        let speaking = &accounts.get(&address.channel, &address.account).rules.speaking;
        let shape = speaking.shape(abilities.as_ref());
        let can = |act| abilities.is_some_and(|abilities| abilities.can(act));
        let streams_blocks = speaking.block_streaming.unwrap_or(config.delivery.blocks.by_default);
        let blocks = streams_blocks
            .then(|| block_manner(&config.delivery.blocks, speaking.coalesce, abilities.as_ref(), shape));
        Self {
            shape,
            abilities,
            reply_mode: if can(Act::Reply) {
                speaking.reply_to_mode.unwrap_or_default()
            } else {
                ReplyToMode::Off
            },
            prefix: speaking.response_prefix.clone().or_else(|| config.delivery.response_prefix.clone()),
            ack: speaking.ack_reaction.clone().or_else(|| config.delivery.ack_reaction.clone()),
            preview: blocks.is_none() && can(Act::Edit) && speaking.stream_mode != Some(StreamMode::Off),
            blocks,
        }
    }

    /// Whether part `part` (from 0) of something said may be shown as a reply.
    pub(crate) fn replies_to(&self, part: usize) -> bool {
        self.can(Act::Reply) && (part == 0 || self.reply_mode == ReplyToMode::All)
    }

    /// Whether the platform can do `act`.
    pub(crate) fn can(&self, act: Act) -> bool {
        self.abilities.is_some_and(|abilities| abilities.can(act))
    }
}

fn block_manner(
    blocks: &Blocks,
    own: Option<access::Coalesce>,
    abilities: Option<&Abilities>,
    shape: Shape,
) -> BlockStyle {
    let at = match blocks.cut {
        BlockCut::Paragraph => BreakAt::Paragraph,
        BlockCut::Newline => BreakAt::Newline,
        BlockCut::Sentence => BreakAt::Sentence,
    };
    let max = blocks.max.min(shape.limit).max(1);
    let each_paragraph = shape.mode == ChunkMode::Newline;
    let cut = BlockLimits { min: blocks.min.min(max), max, at, each_paragraph };
    let own = own.unwrap_or_default();
    let (platform_min, platform_idle) = abilities.and_then(|abilities| abilities.coalesce).unzip();
    let join_max = own.max_chars.or(blocks.join_max).unwrap_or(max).min(shape.limit).max(1);
    let join_min = own.min_chars.or(blocks.join_min).or(platform_min).unwrap_or(cut.min).min(join_max);
    let own_idle = own.idle_ms.and_then(|ms| u64::try_from(ms).ok()).map(Duration::from_millis);
    BlockStyle {
        cut,
        join: BlockLimits { min: join_min, max: join_max, at, each_paragraph },
        idle: own_idle.or(blocks.idle).or(platform_idle).unwrap_or(Blocks::IDLE),
        at_message_end: blocks.at_message_end,
    }
}

#[cfg(test)]
mod tests;
