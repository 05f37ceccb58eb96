//! What a model with a small context is spared: most of the owner's files, all but the usual tools, and advice for
//! situations it is not in.

use std::sync::Arc;

use homard_agent::{PromptInput, PromptMode, tool_tokens};
use homard_models::select::SMALL_WINDOW;
use homard_runtime::Arrange as _;
use homard_tools::ToolSpec;

use crate::turn_setup::offer::Offer;

/// Below this context, in tokens, only what a helper needs is told.
const TINY_WINDOW: u32 = 6_000;
/// Characters of a token, roughly.
const CHARS_PER_TOKEN: u32 = 4;
/// Part of the context files may take.
const FILES_SHARE: u32 = 8;
/// Part of the context skills may take.
const SKILLS_SHARE: u32 = 16;
/// Part of the context tools may take.
const TOOLS_SHARE: u32 = 4;
/// What is offered before anything else, as far as there is room.
const FIRST: [&str; 9] =
    ["read", "write", "exec", "edit", "web_fetch", "web_search", "memory_search", "cron", "process"];

/// Fits what a model is told to its context.
pub(crate) fn fit_prompt(prompt: &mut PromptInput, window: u32) {
    if window >= SMALL_WINDOW {
        return;
    }
    prompt.is_small = true;
    if window < TINY_WINDOW {
        prompt.mode = prompt.mode.min(PromptMode::Minimal);
    }
    let chars = |share: u32| usize::try_from(window / share * CHARS_PER_TOKEN).unwrap_or(usize::MAX);
    let files = &mut prompt.files;
    files.max_total_chars = files.max_total_chars.min(chars(FILES_SHARE));
    files.max_file_chars = files.max_file_chars.min(files.max_total_chars / 2);
    prompt.skills = prompt.skills.take().filter(|skills| skills.len() <= chars(SKILLS_SHARE));
}

/// Fits what a model is offered to its context: the usual tools first, then others while there is room.
pub(crate) fn fit_tools(offer: Offer, window: u32) -> Offer {
    let mut room = u64::from(window / TOOLS_SHARE);
    if window >= SMALL_WINDOW || offer.for_model.iter().map(tool_tokens).sum::<u64>() <= room {
        return offer;
    }
    let rank = |name: &str| FIRST.iter().position(|first| *first == name);
    let mut order: Vec<usize> = (0..offer.for_model.len()).collect();
    let name = |at: usize| offer.for_model.get(at).map_or("", |tool| tool.name.as_str());
    order.retain(|at| rank(name(*at)).is_some());
    order.arrange_by_key(|at| rank(name(*at)));
    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        let Some(size) = offer.for_model.get(at).map(tool_tokens).filter(|size| *size <= room) else {
            continue;
        };
        room -= size;
        kept.push(at);
    }
    kept.arrange();
    let described: Vec<Arc<ToolSpec>> =
        kept.iter().filter_map(|at| offer.described.get(*at).cloned()).collect();
    let for_model: Vec<_> = kept.iter().filter_map(|at| offer.for_model.get(*at).cloned()).collect();
    Offer { described: described.into(), for_model: for_model.into() }
}

#[cfg(test)]
mod tests;
