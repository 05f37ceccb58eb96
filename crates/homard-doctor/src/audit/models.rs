//! Models that are easily talked into things. They are told by their names, which is a guess and said as one.

use homard_config::Config;
use homard_runtime::Arrange as _;

use super::tools::runs_commands;
use crate::finding::Finding;
use crate::scene::Scene;

/// Parts of names of models that are years behind.
const LEGACY: [&str; 8] = [
    "gpt-3.5",
    "gpt-4-0",
    "gpt-4-turbo",
    "claude-1",
    "claude-2",
    "claude-instant",
    "claude-3-",
    "text-davinci",
];
/// Parts of names of the small models of a family.
const SMALL: [&str; 6] = ["-mini", "-nano", "haiku", "-flash-lite", "-lite", "-tiny"];
/// Billions of parameters below which a model is small.
const SMALL_BILLIONS: u64 = 30;

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let settings = scene.settings();
    let commands = runs_commands(&settings);
    models(&settings)
        .iter()
        .filter_map(|model| {
            let low = model.to_ascii_lowercase();
            let is = |parts: &[&str]| parts.iter().any(|part| low.contains(part));
            let fix = "use a stronger model where strangers can write, or set tools.profile to minimal";
            let finding = if is(&LEGACY) {
                Finding::warn(
                    "models.legacy",
                    format!("{model} is an old model; those follow hidden orders more easily"),
                )
            } else if billions(&low).is_some_and(|size| size < SMALL_BILLIONS) {
                let words = format!(
                    "{model} is a small model{}",
                    if commands { ", and may run commands" } else { "" }
                );
                Finding::warn("models.small_params", words)
            } else if is(&SMALL) {
                Finding::info(
                    "models.weak_tier",
                    format!("{model} is the small one of its family; those follow hidden orders more easily"),
                )
            } else {
                return None;
            };
            Some(finding.fix(fix))
        })
        .collect()
}

/// Every model somebody's turn may begin with.
fn models(settings: &Config) -> Vec<String> {
    let selections =
        settings.agents.list.iter().map(|agent| &agent.model).chain([&settings.agents.defaults.model]);
    let mut named: Vec<String> = selections
        .flat_map(|model| model.primary.iter().chain(&model.fallbacks))
        .map(ToString::to_string)
        .collect();
    named.arrange();
    named.dedup();
    named
}

/// The size in a name such as `llama3.1:8b`, in billions.
fn billions(name: &str) -> Option<u64> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    words.filter_map(|word| word.strip_suffix('b')).find_map(|number| {
        let whole = number.split('.').next().unwrap_or_default();
        (!whole.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.'))
            .then(|| whole.parse().ok())
            .flatten()
    })
}
