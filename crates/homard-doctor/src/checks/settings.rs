//! The configuration file: mistakes with their place, keys that do nothing, what is read under an old name.

use homard_config::Issue;

use crate::finding::{Act, Finding};
use crate::scene::Scene;

/// Most places that are named in one sentence.
const MAX_NAMED: usize = 8;
/// Prefixes of variables that still work and are not ours.
const OLD_PREFIXES: [&str; 2] = ["OPENCLAW_", "CLAWDBOT_"];

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let snapshot = scene.snapshot;
    let mut found: Vec<Finding> = snapshot.issues.iter().map(|issue| wrong(scene, issue)).collect();
    if !snapshot.exists {
        let path = snapshot.path.display();
        let words = format!("there is no {path} yet; the defaults count");
        found
            .push(Finding::info("config.missing", words).fix("homard gateway writes one at its first start"));
    }
    found.extend(snapshot.warnings.iter().map(|issue| Finding::warn("config.notice", issue.to_string())));
    if !snapshot.inert.is_empty() {
        let words = format!("known, and doing nothing yet: {}", listed(&snapshot.inert));
        found.push(
            Finding::info("config.inert", words).fix("leave them, or take them out with homard config unset"),
        );
    }
    found.extend(old_file(scene));
    found.extend(old_variables(scene));
    found
}

fn wrong(scene: &Scene<'_>, issue: &Issue) -> Finding {
    let path = scene.snapshot.path.display();
    if issue.path.is_empty() {
        let finding = Finding::error("config.broken", format!("{path}: {}", issue.message));
        return if has_last_good(scene) {
            finding.act(Act::LastGood)
        } else {
            finding.fix(format!("mend it with an editor; homard config validate names what is left ({path})"))
        };
    }
    let finding = Finding::error("config.wrong", issue.to_string());
    if scene.snapshot.holds(&issue.path) {
        finding.act(Act::Unset { key: issue.path.clone() })
    } else {
        finding.fix(format!("homard config set {} VALUE", issue.path))
    }
}

fn has_last_good(scene: &Scene<'_>) -> bool {
    let own = &scene.source.paths.config_path;
    let mut copy = own.as_os_str().to_owned();
    copy.push(".last-good");
    scene.snapshot.path == *own && std::path::Path::new(&copy).is_file()
}

fn old_file(scene: &Scene<'_>) -> Option<Finding> {
    let (read, own) = (&scene.snapshot.path, &scene.source.paths.config_path);
    (scene.snapshot.exists && read != own).then(|| {
        let words = format!("the settings are still read from {}, another program's file", read.display());
        Finding::info("config.deprecated_file", words)
            .fix(format!("the first homard config set copies it to {}", own.display()))
    })
}

fn old_variables(scene: &Scene<'_>) -> Option<Finding> {
    let names = scene.source.environment.iter().map(|(name, _)| name.to_owned());
    let old: Vec<String> =
        names.filter(|name| OLD_PREFIXES.iter().any(|old| name.starts_with(old))).collect();
    (!old.is_empty()).then(|| {
        let words = format!("variables with an old name are still read: {}", listed(&old));
        Finding::info("config.deprecated_variables", words).fix("begin their names with HOMARD_")
    })
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let shown: Vec<&str> = names.iter().take(MAX_NAMED).map(String::as_str).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
