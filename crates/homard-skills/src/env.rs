//! The variables that commands of a run find because of its skills.
//!
//! Commands inherit nothing, so a skill that needs a variable must be given it. What the owner writes under
//! `skills.entries` is given; for skills the owner installed, so is what they name and the gateway's environment
//! has. A skill in the workspace may be the model's own work: it gets only what the owner wrote.

use std::collections::BTreeMap;

use homard_config::Environment;
use homard_config::config::skills::{SkillEntry, Skills as Settings};
use homard_exec::check_injected;

use crate::load::Skill;

/// Variables of this program itself, which no skill is given because it asks for them.
const OWN_PREFIXES: [&str; 3] = ["HOMARD_", "OPENCLAW_", "CLAWDBOT_"];

/// The variables of all these skills; where two name the same one, the first has it.
pub(crate) fn gather<'s>(
    skills: impl Iterator<Item = &'s Skill>,
    settings: &Settings,
    env: &Environment,
) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for skill in skills {
        let entry = settings.entries.get(skill.key());
        for (name, value) in of_skill(skill, entry, env) {
            if check_injected(name, value).is_ok() {
                found.entry(name.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
    }
    found
}

/// What the owner should know about a skill's variables.
pub(crate) fn notes(skill: &Skill, entry: Option<&SkillEntry>, env: &Environment) -> Vec<String> {
    let refused = of_skill(skill, entry, env).into_iter().filter_map(|(name, value)| {
        Some(format!("not set for commands: {}", check_injected(name, value).err()?))
    });
    let given: Vec<&str> = of_skill(skill, entry, env).into_iter().map(|(name, _)| name).collect();
    let kept = named(skill).filter(|name| env.get(name).is_some() && !given.contains(name)).map(|name| {
        format!(
            "`{name}` is in the gateway's environment and not handed to commands; to do so write it under skills.entries.{}.env",
            skill.key()
        )
    });
    refused.chain(kept).collect()
}

fn named(skill: &Skill) -> impl Iterator<Item = &str> {
    let about = &skill.front.about;
    let primary = about.primary_env.iter().filter(|name| !about.env.contains(name));
    about.env.iter().chain(primary).map(String::as_str)
}

fn of_skill<'a>(
    skill: &'a Skill,
    entry: Option<&'a SkillEntry>,
    env: &'a Environment,
) -> Vec<(&'a str, &'a str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    if let Some(entry) = entry {
        // The environment wins over the file, as everywhere.
        let written =
            entry.env.iter().map(|(name, value)| (name.as_str(), env.get(name).unwrap_or(value.expose())));
        found.extend(written);
        if let (Some(name), Some(key)) = (skill.front.about.primary_env.as_deref(), &entry.api_key)
            && !entry.env.contains_key(name)
        {
            found.push((name, key.expose()));
        }
    }
    if !skill.place.is_the_agents_own() {
        for name in named(skill) {
            let is_known = found.iter().any(|(known, _)| *known == name);
            let is_ours = OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
            if let (false, false, Some(value)) = (is_known, is_ours, env.get(name)) {
                found.push((name, value));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
