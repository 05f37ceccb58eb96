//! Which tools a conversation is offered: profiles, groups, allow and deny lists in layers.
//!
//! Pure: lists in, a decision with its reason out. Every layer must agree, and inside a layer deny wins over
//! allow. Where the lists come from (configuration, channel, sandbox) is the caller's business. `groups` has the
//! names, `layers` judges, `explain` tells why.

mod explain;
mod groups;
mod layers;

pub use explain::{LayerVerdict, Unmatched, decision_of, near_names};
pub use groups::{
    ADMIN_TOOLS, ALL_FILES, GROUPS, Group, OWNER_ALWAYS, OWNER_ONLY, Profile, SANDBOX_ALLOW, SANDBOX_DENY,
    SUBAGENT_LEAF_NEVER, SUBAGENT_NEVER, canonical_name, known_names,
};
use homard_runtime::Arrange as _;
pub(crate) use layers::lists;
pub use layers::{DecidedBy, Layer, LayerName};

/// Whether a tool is offered, and the rule that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    pub by: DecidedBy,
}

/// All layers that apply to a conversation. The default has none and allows everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolPolicy {
    layers: Vec<Layer>,
}

impl ToolPolicy {
    /// Puts the layers in their order; those that say nothing are left out.
    #[must_use]
    pub fn new(mut layers: Vec<Layer>) -> Self {
        layers.retain(|layer| !layer.is_empty());
        layers.arrange_by_key(|layer| layer.name);
        Self { layers }
    }

    /// Decides about a tool. The first layer that refuses decides; otherwise the last that lists it.
    #[must_use]
    pub fn decide(&self, tool: &str) -> Decision {
        let tool = canonical_name(tool);
        let mut by = DecidedBy::Nothing;
        for layer in &self.layers {
            match layer.judge(&tool) {
                refused @ (DecidedBy::Denied { .. } | DecidedBy::NotListed { .. }) => {
                    return Decision { allowed: false, by: refused };
                }
                listed @ DecidedBy::Listed { .. } => by = listed,
                DecidedBy::Nothing => {}
            }
        }
        Decision { allowed: true, by }
    }
}

#[cfg(test)]
mod tests;
