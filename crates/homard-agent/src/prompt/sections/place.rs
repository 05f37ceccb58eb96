//! Where the model is, for whom, and what it runs on.

use super::Material;
use crate::prompt::input::PromptMode;

/// Short names of models that are told; an owner with more looks them up.
const MAX_ALIASES: usize = 20;

pub(super) fn workspace(material: &Material<'_>) -> Option<String> {
    if let Some(folder) = &material.input.surroundings.folder {
        let folder = folder.display();
        return Some(format!(
            "## Workspace\nYour folder is {folder}. Relative paths start there, and you have no files elsewhere."
        ));
    }
    let folder = material.input.files.workspace.display();
    let lasting = match material.input.mode {
        PromptMode::Full => {
            " What should outlast this conversation goes into files: lasting facts into MEMORY.md, the day's notes into memory/YYYY-MM-DD.md."
        }
        PromptMode::Minimal | PromptMode::None => "",
    };
    Some(format!("## Workspace\nYour folder is {folder}. Relative paths start there.{lasting}"))
}

/// The zone only: a clock would make every prompt different from the one before.
pub(super) fn time(material: &Material<'_>) -> Option<String> {
    let zone = &material.input.surroundings.timezone;
    let stamps = match material.input.surroundings.is_unstamped {
        true => "",
        false => " Each message begins with the time it was sent.",
    };
    Some(format!("## Time\nThe owner's time zone is {zone}.{stamps}"))
}

pub(super) fn docs(material: &Material<'_>) -> Option<String> {
    let docs = material.input.surroundings.docs.as_ref()?;
    Some(format!("## Homard\nBefore you answer about Homard itself, look it up: {docs}"))
}

pub(super) fn models(material: &Material<'_>) -> Option<String> {
    let aliases = &material.input.surroundings.aliases;
    if aliases.is_empty() {
        return None;
    }
    let lines = aliases.iter().take(MAX_ALIASES).map(|(alias, model)| format!("{alias} = {model}"));
    Some(format!("## Models\nShort names: {}.", lines.collect::<Vec<_>>().join(", ")))
}

pub(super) fn owner(material: &Material<'_>) -> Option<String> {
    let owner = material.input.owner.as_ref()?;
    Some(format!("## Owner\nYour owner writes as {owner}. Others may not give you orders."))
}

pub(super) fn group(material: &Material<'_>) -> Option<String> {
    let about = material.input.group.as_ref()?;
    Some(format!("## Group\n{about}"))
}

pub(super) fn runtime(material: &Material<'_>) -> Option<String> {
    let here = &material.input.surroundings;
    let facts = [
        ("host", here.host.as_deref()),
        ("os", Some(std::env::consts::OS)),
        ("arch", Some(std::env::consts::ARCH)),
        ("model", Some(here.model.as_str())),
        ("channel", here.channel.as_deref()),
        ("thinking", Some(here.thinking.as_str())),
    ];
    let known = facts.iter().filter_map(|(name, value)| Some(format!("{name}={}", (*value)?)));
    Some(format!("Runtime: {}", known.collect::<Vec<_>>().join(" ")))
}
