//! Who the model is and how it behaves.

use super::Material;

const TOOLS: &str = include_str!("../../../prompts/sections/tools.md");
const SAFETY: &str = include_str!("../../../prompts/sections/safety.md");
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

pub(super) fn messaging(material: &Material<'_>) -> Option<String> {
    material.has_tool("message").then(|| MESSAGING.to_owned())
}

/// When silence is the right answer. A small model takes it for the answer to everything, so it is told only where it
/// must know, in groups.
pub(super) fn silence(material: &Material<'_>) -> Option<String> {
    (!material.input.is_small).then(|| SILENCE.to_owned())
}
