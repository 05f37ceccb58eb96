//! Skills as commands: `/name what to do` and `/skill name what to do`.

use std::path::Path;
use std::sync::Arc;

use crate::load::Skill;
use crate::prompt::location;
use homard_runtime::Clip;

/// Longest name of a command, in characters.
const MAX_CHARS: usize = 32;
/// A skill that a person may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillCommand {
    /// Its name, without the slash.
    pub name: String,
    pub skill: Arc<Skill>,
}

/// Names the commands of these skills: small letters, digits and `_`; numbers where names meet, or mean something else.
pub(crate) fn named(skills: &[Arc<Skill>], is_taken: fn(&str) -> bool) -> Vec<SkillCommand> {
    let mut commands: Vec<SkillCommand> = Vec::new();
    for skill in skills.iter().filter(|skill| skill.front.user_invocable) {
        let base = sanitised(&skill.name);
        if base.is_empty() {
            continue;
        }
        let is_free = |name: &str| !is_taken(name) && !commands.iter().any(|taken| taken.name == name);
        let numbered = (2..).map(|n| {
            let suffix = format!("_{n}");
            let stem = base.clip_chars(MAX_CHARS - suffix.len()).to_owned();
            stem + &suffix
        });
        let name = std::iter::once(base.clone()).chain(numbered).find(|name| is_free(name));
        commands.extend(name.map(|name| SkillCommand { name, skill: Arc::clone(skill) }));
    }
    commands
}

fn sanitised(name: &str) -> String {
    let mut out = String::new();
    for c in name.to_lowercase().chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        if c != '_' || !out.ends_with('_') {
            out.push(c);
        }
    }
    let cut = out.trim_matches('_').clip_chars(MAX_CHARS).to_owned();
    cut.trim_end_matches('_').to_owned()
}

/// What the model is told in place of a message that calls one of these commands: `/name …` or `/skill name …`.
pub(crate) fn told(commands: &[SkillCommand], text: &str, home: &Path) -> Option<String> {
    let (word, rest) = first_word(text.trim().strip_prefix('/')?);
    let word = word.split('@').next().unwrap_or_default().trim_end_matches(':').to_lowercase();
    if word == "skill" {
        let (name, args) = first_word(rest);
        return told_by_name(commands, name, args, home);
    }
    let is_called = commands.iter().any(|command| command.name == word);
    is_called.then(|| told_by_name(commands, &word, rest, home)).flatten()
}

/// The same for a call that was read: the name of a command, or of a skill, and what it is to do.
pub(crate) fn told_by_name(commands: &[SkillCommand], name: &str, args: &str, home: &Path) -> Option<String> {
    let by_command = commands.iter().find(|command| command.name.eq_ignore_ascii_case(name));
    let found = by_command.or_else(|| commands.iter().find(|one| one.skill.name.eq_ignore_ascii_case(name)));
    let skill = &found?.skill;
    let place = location(&skill.file, home);
    let asked = if args.is_empty() { "Nothing more was said." } else { args };
    Some(format!("Use the skill \"{}\": read {place} and follow it.\n\n{asked}", skill.name))
}

fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

#[cfg(test)]
mod tests;
