//! What is known before anybody says anything: skills, memory, and the owner's files.

use super::Material;
use crate::prompt::files::{BOOTSTRAP, MEMORY, NAMES, SOUL, Told};

const SKILLS: &str = include_str!("../../../prompts/sections/skills.md");
const MEMORY_TEXT: &str = include_str!("../../../prompts/sections/memory.md");
const RITUAL: &str = include_str!("../../../prompts/sections/ritual.md");

/// The skills; a block that brings its own heading needs no other.
pub(super) fn skills(material: &Material<'_>) -> Option<String> {
    let block = material.input.skills.as_deref().filter(|block| !block.trim().is_empty())?;
    let intro = if block.trim_start().starts_with('#') { "" } else { SKILLS };
    Some(format!("{intro}{block}"))
}

pub(super) fn memory(material: &Material<'_>) -> Option<String> {
    material.has_tool("memory_search").then(|| MEMORY_TEXT.to_owned())
}

pub(super) fn files(material: &Material<'_>) -> Option<String> {
    let there = |name: &str| material.files.iter().any(|file| file.name == name && file.text.is_some());
    let mut text = String::from("# Your files\nYou are told these files of your workspace every time.");
    if there(SOUL) {
        text.push_str(" Speak and act as SOUL.md says.");
    }
    if there(BOOTSTRAP) {
        text.push('\n');
        text.push_str(RITUAL.trim_end());
    }
    for file in material.files {
        if let Some(content) = &file.text {
            text.push_str(&format!("\n\n## {}\n{content}", file.name));
        }
    }
    let missed = material.files.iter().filter(|file| is_missed(file));
    let missing: Vec<&str> = missed.map(|file| file.name.as_str()).collect();
    if !missing.is_empty() {
        text.push_str(&format!("\n\n[missing: {}]", missing.join(", ")));
    }
    let is_worth_it = !missing.is_empty() || material.files.iter().any(|file| file.text.is_some());
    is_worth_it.then_some(text)
}

/// Whether it is worth a word that a file is not there. The plan of the first conversation is gone for good,
/// and memory begins with its first line.
fn is_missed(file: &Told) -> bool {
    let usual = NAMES.contains(&file.name.as_str()) && ![BOOTSTRAP, MEMORY].contains(&file.name.as_str());
    file.is_missing && usual
}
