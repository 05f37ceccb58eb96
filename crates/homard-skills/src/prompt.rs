//! What the model is told about skills: a short list, and how to use it. The same skills always give the same
//! text, so that providers can cache it.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use homard_config::config::skills::SkillsLimits;

use crate::load::Skill;

const HEAD: &str = "\
## Skills
Skills are instructions for particular tasks, kept in files. Before you answer, see whether one of the descriptions \
below fits the request. If one clearly does, read the file at its location with `read`, then follow it; relative \
paths in it start at the folder it is in. Where several fit, take the most specific one. Where none does, read none.

<available_skills>
";
const TAIL: &str = "</available_skills>\n";
/// Room kept for saying how many are missing, in characters.
const REMARK_CHARS: usize = 160;

/// The text for these skills; `None` when there is nothing to tell.
pub(crate) fn block<'s>(
    skills: impl Iterator<Item = &'s Skill>,
    limits: &SkillsLimits,
    home: &Path,
) -> Option<Arc<str>> {
    let skills: Vec<&Skill> = skills.filter(|skill| !skill.front.disable_model_invocation).collect();
    let mut text = HEAD.to_owned();
    let mut room = limits.prompt_chars.saturating_sub(HEAD.chars().count() + TAIL.chars().count());
    let mut shown = 0;
    for (number, skill) in skills.iter().enumerate() {
        let item = item(skill, home);
        let length = item.chars().count();
        let is_last = number + 1 == skills.len();
        let needed = if is_last { length } else { length + REMARK_CHARS };
        if shown == limits.in_prompt || needed > room {
            break;
        }
        room -= length;
        shown += 1;
        text.push_str(&item);
    }
    if shown == 0 {
        return None;
    }
    text.push_str(TAIL);
    let missing = skills.len() - shown;
    if missing > 0 {
        // Writing to a text cannot fail.
        writeln!(
            text,
            "({missing} more skills are not listed for lack of room; `homard skills list` names them.)"
        )
        .ok();
    }
    Some(text.into())
}

fn item(skill: &Skill, home: &Path) -> String {
    format!(
        "  <skill>\n    <name>{}</name>\n    <description>{}</description>\n    <location>{}</location>\n  </skill>\n",
        escaped(&skill.name),
        escaped(&skill.front.description),
        escaped(&location(&skill.file, home))
    )
}

/// A path as the model is told it: short, and the same for everybody who calls home the same.
pub(crate) fn location(file: &Path, home: &Path) -> String {
    match file.strip_prefix(home) {
        Ok(rest) if home.parent().is_some() => format!("~/{}", rest.display()),
        _ => file.display().to_string(),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
