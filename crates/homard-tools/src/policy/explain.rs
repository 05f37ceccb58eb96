//! Why a tool is offered or not: every layer in order, and what the owner could change.

use homard_runtime::Arrange as _;

use super::groups::canonical_name;
use super::layers::{DecidedBy, Layer, LayerName};
use super::{Decision, ToolPolicy};

/// Least likeness (0 to 1) of a name that is offered for a misspelled one.
const LIKENESS: f64 = 0.75;
/// Most names offered for a misspelled one.
const MAX_NEAR: usize = 3;

/// What one layer says about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerVerdict {
    pub layer: LayerName,
    /// Where its lists are written; `None` when there are none.
    pub place: Option<String>,
    /// What it allows; empty allows everything.
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    pub by: DecidedBy,
    /// What the owner could change, when it refuses.
    pub advice: Option<String>,
}

/// An entry of a list that names no tool there is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unmatched {
    pub place: String,
    pub pattern: String,
}

impl ToolPolicy {
    /// What every layer says about a tool, in the order they are asked, layers without lists included.
    #[must_use]
    pub fn explain(&self, tool: &str) -> Vec<LayerVerdict> {
        let tool = canonical_name(tool);
        let mut verdicts = Vec::new();
        for name in LayerName::ALL {
            let before = verdicts.len();
            let here = self.layers.iter().filter(|layer| layer.name == name);
            verdicts.extend(here.map(|layer| verdict(layer, &tool)));
            if verdicts.len() == before {
                verdicts.push(LayerVerdict {
                    layer: name,
                    place: None,
                    allow: Vec::new(),
                    deny: Vec::new(),
                    by: DecidedBy::Nothing,
                    advice: None,
                });
            }
        }
        verdicts
    }

    /// The owner's entries that name none of `known`: misspelled, most likely.
    #[must_use]
    pub fn unmatched(&self, known: &[&str]) -> Vec<Unmatched> {
        let mut found: Vec<Unmatched> = self
            .layers
            .iter()
            .flat_map(|layer| layer.unmatched(known).map(move |(list, entry)| (layer.place(), list, entry)))
            .map(|(place, list, entry)| Unmatched {
                // What a profile is widened by stands beside it.
                place: match place.strip_suffix(".profile") {
                    Some(beside) => format!("{beside}.alsoAllow"),
                    None => format!("{place}.{list}"),
                },
                pattern: entry.to_owned(),
            })
            .collect();
        found.arrange();
        found.dedup();
        found
    }
}

/// The decision a list of verdicts amounts to.
#[must_use]
pub fn decision_of(verdicts: &[LayerVerdict]) -> Decision {
    if let Some(refusal) = verdicts.iter().find(|verdict| verdict.by.refuses()) {
        return Decision { allowed: false, by: refusal.by.clone() };
    }
    let listed = verdicts.iter().rev().find(|verdict| verdict.by != DecidedBy::Nothing);
    Decision { allowed: true, by: listed.map_or(DecidedBy::Nothing, |verdict| verdict.by.clone()) }
}

/// The names spelled most like `asked`, the best first.
#[must_use]
pub fn near_names<'n>(asked: &str, known: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut alike: Vec<(f64, &str)> = known
        .map(|name| (strsim::jaro_winkler(asked, name), name))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .collect();
    alike.arrange_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    alike.dedup();
    alike.into_iter().take(MAX_NEAR).map(|(_, name)| name.to_owned()).collect()
}

fn verdict(layer: &Layer, tool: &str) -> LayerVerdict {
    let by = layer.judge(tool);
    LayerVerdict {
        layer: layer.name,
        place: Some(layer.place()),
        allow: layer.allow.clone(),
        deny: layer.deny.clone(),
        advice: advice(layer, tool, &by),
        by,
    }
}

/// What the owner could change, when a layer refuses.
fn advice(layer: &Layer, tool: &str, by: &DecidedBy) -> Option<String> {
    let place = layer.place();
    if let (true, Some(remedy)) = (by.refuses(), &layer.remedy) {
        return Some(remedy.to_string());
    }
    match by {
        DecidedBy::Denied { pattern, .. } => Some(format!("take `{pattern}` out of {place}.deny")),
        DecidedBy::NotListed { .. } => Some(match layer.name {
            LayerName::Profile | LayerName::ProviderProfile => {
                let beside = place.strip_suffix(".profile").unwrap_or(&place);
                format!("add `{tool}` to {beside}.alsoAllow, or choose another {place}")
            }
            _ => format!("add `{tool}` to {place}.allow"),
        }),
        DecidedBy::Listed { .. } | DecidedBy::Nothing => None,
    }
}
