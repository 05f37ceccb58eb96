//! All skills that were found and what was decided about each, for people.

use std::path::Path;

use homard_config::config::skills::Skills as Settings;
use homard_protocol::methods::tools::skills::{SkillInstallOption, SkillNeeds, SkillStatus};
use homard_runtime::Arrange as _;

use crate::command::SkillCommand;
use crate::env;
use crate::front_matter::Installer;
use crate::gate::{GateFacts, Verdict};
use crate::load::{BrokenSkill, FILE_NAME, Skill, SkillOrigin};

/// One skill that can be read.
pub(crate) fn skill(
    skill: &Skill,
    verdict: &Verdict,
    judge: &GateFacts<'_>,
    commands: &[SkillCommand],
) -> SkillStatus {
    let about = &skill.front.about;
    let entry = judge.settings.entries.get(skill.key());
    let command = commands.iter().find(|command| command.skill.name == skill.name);
    SkillStatus {
        name: skill.name.clone(),
        description: skill.front.description.clone(),
        skill_key: skill.key().to_owned(),
        emoji: about.emoji.clone(),
        homepage: skill.front.homepage.clone(),
        primary_env: about.primary_env.clone(),
        always: about.always,
        disabled: verdict.disabled,
        blocked_by_allowlist: verdict.not_allowed,
        blocked_by_agent_filter: verdict.not_for_agent,
        eligible: verdict.is_eligible(),
        model_invocable: !skill.front.disable_model_invocation,
        user_invocable: skill.front.user_invocable,
        command: command.map(|command| command.name.clone()),
        requirements: SkillNeeds {
            bins: about.bins.clone(),
            any_bins: about.any_bins.clone(),
            env: about.env.clone(),
            config: about.config.clone(),
            os: about.os.clone(),
        },
        missing: verdict.missing.clone(),
        config_checks: verdict.config_checks.clone(),
        install: ways(skill, judge.settings, judge.os).into_iter().map(option).collect(),
        notes: env::notes(skill, entry, judge.env),
        ..placed(&skill.dir, skill.place)
    }
}

/// One skill that cannot be read.
pub(crate) fn broken(broken: &BrokenSkill) -> SkillStatus {
    SkillStatus {
        name: broken.name.clone(),
        skill_key: broken.name.clone(),
        problem: Some(format!("the file {}", broken.reason)),
        ..placed(&broken.dir, broken.place)
    }
}

fn placed(dir: &Path, place: SkillOrigin) -> SkillStatus {
    SkillStatus {
        source: place.wire().to_owned(),
        bundled: place == SkillOrigin::Bundled,
        file_path: dir.join(FILE_NAME).display().to_string(),
        base_dir: dir.display().to_string(),
        ..SkillStatus::default()
    }
}

/// The ways to install what a skill needs on this system, the owner's favourite first.
pub(crate) fn ways<'s>(skill: &'s Skill, settings: &Settings, os: &str) -> Vec<&'s Installer> {
    let fits = |way: &&Installer| way.os.is_empty() || way.os.iter().any(|wanted| wanted == os);
    let mut ways: Vec<&Installer> = skill.front.about.install.iter().filter(fits).collect();
    if settings.install.prefer_brew {
        ways.arrange_by_key(|way| way.kind != "brew");
    }
    ways
}

fn option(way: &Installer) -> SkillInstallOption {
    let target = way.target.as_deref().unwrap_or_default();
    let label = way.label.clone().unwrap_or_else(|| format!("Install {target} ({})", way.kind));
    SkillInstallOption { id: way.id.clone(), kind: way.kind.clone(), label, bins: way.bins.clone() }
}
