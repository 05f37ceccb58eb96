//! Who the model is and how it behaves.

use super::Material;
use crate::prompt::input::Audience;

const TOOLS: &str = include_str!("../../../prompts/sections/tools.md");
const SAFETY: &str = include_str!("../../../prompts/sections/safety.md");
const REASONING: &str = include_str!("../../../prompts/sections/reasoning.md");
const MESSAGING: &str = include_str!("../../../prompts/sections/messaging.md");
const SILENCE: &str = include_str!("../../../prompts/sections/silence.md");
/// What the assistant is called unless it has a name of its own.
const PRODUCT: &str = "Homard";
/// How tools are asked for arguments that are not listed.
const BRIEF: &str = "A tool whose arguments are not listed explains them: call it with {\"help\": true}.";

pub(super) fn identity(material: &Material<'_>) -> Option<String> {
    let name = &material.input.name;
    let through = if name == PRODUCT { String::new() } else { format!(" through {PRODUCT}") };
    Some(format!("You are {name}, a personal assistant running on your owner's own machine{through}."))
}

pub(super) fn tools(material: &Material<'_>) -> Option<String> {
    if material.tools.is_empty() {
        return Some("You have no tools in this conversation.".to_owned());
    }
    let brief = material.tools.iter().any(|tool| tool.is_brief());
    Some(if brief { format!("{}\n{BRIEF}", TOOLS.trim_end()) } else { TOOLS.to_owned() })
}

pub(super) fn safety(_: &Material<'_>) -> Option<String> {
    Some(SAFETY.to_owned())
}

pub(super) fn reasoning(material: &Material<'_>) -> Option<String> {
    material.input.reasoning_tags.then(|| REASONING.to_owned())
}

pub(super) fn messaging(material: &Material<'_>) -> Option<String> {
    material.has_tool("message").then(|| MESSAGING.to_owned())
}

/// Where silence can be the right answer: among many people, and when the words went elsewhere.
pub(super) fn silence(material: &Material<'_>) -> Option<String> {
    let speaks_elsewhere = material.has_tool("message") && !material.input.is_small;
    let may = material.input.audience == Audience::Group || speaks_elsewhere;
    may.then(|| SILENCE.to_owned())
}

pub(super) fn heartbeat(material: &Material<'_>) -> Option<String> {
    let wake = material.input.heartbeat.as_ref()?;
    Some(format!(
        "## Heartbeat\nA message that reads \"{wake}\" wakes you up by itself. If nothing needs attention, answer exactly HEARTBEAT_OK; otherwise say what does."
    ))
}
