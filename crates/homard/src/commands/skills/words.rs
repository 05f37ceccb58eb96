//! A skill's standing in words.

use homard_protocol::methods::tools::skills::SkillStatus;

/// One word.
pub(super) fn state(skill: &SkillStatus) -> &'static str {
    match skill {
        SkillStatus { problem: Some(_), .. } => "broken",
        SkillStatus { disabled: true, .. } => "off",
        SkillStatus { blocked_by_allowlist: true, .. }
        | SkillStatus { blocked_by_agent_filter: true, .. } => "blocked",
        SkillStatus { eligible: true, .. } => "ready",
        _ => "needs",
    }
}

/// Why it is not ready; nothing when it is.
pub(super) fn standing(skill: &SkillStatus) -> String {
    if let Some(problem) = &skill.problem {
        return problem.clone();
    }
    if skill.disabled {
        return format!("turned off with skills.entries.{}.enabled", skill.skill_key);
    }
    if skill.blocked_by_allowlist {
        return "not in skills.allowBundled".to_owned();
    }
    if skill.blocked_by_agent_filter {
        return "not in the agent's list of skills".to_owned();
    }
    let missing = &skill.missing;
    let parts = [
        ("program", " and ", &missing.bins),
        ("program", " or ", &missing.any_bins),
        ("variable", " and ", &missing.env),
        ("setting", " and ", &missing.config),
        ("system", " or ", &missing.os),
    ];
    let parts = parts.iter().filter(|(_, _, names)| !names.is_empty());
    parts
        .map(|(kind, between, names)| format!("{kind} {}", names.join(between)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Where it comes from.
pub(super) fn place(source: &str) -> &str {
    match source {
        "openclaw-extra" => "extra folder",
        "openclaw-bundled" => "built in",
        "openclaw-managed" => "all agents",
        "agents-skills-personal" => "~/.agents",
        "agents-skills-project" => "workspace .agents",
        "openclaw-workspace" => "workspace",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use homard_protocol::methods::tools::skills::{SkillNeeds, SkillStatus};

    use super::{standing, state};

    #[test]
    fn the_reason_that_must_be_mended_first_is_told() {
        let words = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let needy = SkillStatus {
            skill_key: "s".into(),
            missing: SkillNeeds {
                bins: words(&["a", "b"]),
                any_bins: words(&["c", "d"]),
                env: words(&["E"]),
                ..SkillNeeds::default()
            },
            ..SkillStatus::default()
        };
        let off = SkillStatus { disabled: true, ..needy.clone() };
        let rows = [
            (SkillStatus { problem: Some("torn".into()), ..off.clone() }, "broken", "torn"),
            (off, "off", "turned off with skills.entries.s.enabled"),
            (
                SkillStatus { blocked_by_allowlist: true, ..needy.clone() },
                "blocked",
                "not in skills.allowBundled",
            ),
            (needy, "needs", "program a and b, program c or d, variable E"),
            (SkillStatus { eligible: true, ..SkillStatus::default() }, "ready", ""),
        ];
        for (skill, word, why) in rows {
            assert_eq!((state(&skill), standing(&skill).as_str()), (word, why));
        }
    }
}
