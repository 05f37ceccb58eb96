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

pub(super) fn models(material: &Material<'_>) -> Option<String> {
    let aliases = &material.input.surroundings.aliases;
    if aliases.is_empty() {
        return None;
    }
    let lines = aliases.iter().take(MAX_ALIASES).map(|(alias, model)| format!("{alias} = {model}"));
    Some(format!("## Models\nShort names: {}.", lines.collect::<Vec<_>>().join(", ")))
}

pub(super) fn group(material: &Material<'_>) -> Option<String> {
    let about = material.input.group.as_ref()?;
    Some(format!("## Group\n{about}"))
}

pub(super) fn runtime(material: &Material<'_>) -> Option<String> {
    let here = &material.input.surroundings;
    let facts =
        [("os", std::env::consts::OS), ("arch", std::env::consts::ARCH), ("model", here.model.as_str())];
    let known = facts.iter().map(|(name, value)| format!("{name}={value}"));
    Some(format!("Runtime: {}", known.collect::<Vec<_>>().join(" ")))
}
