//! Which tools a model is told about, worked out once per policy: descriptions and schemas are large, and the
//! same for every turn until the configuration changes.

use std::sync::Arc;

use homard_runtime::Mutex;
use homard_tools::{ToolPolicy, ToolSpec, Toolbox};

/// Policies remembered; one per combination of agent and model in use.
const MAX_KEPT: usize = 32;

/// What one policy offers.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    /// For the prompt.
    pub(crate) described: Arc<[Arc<ToolSpec>]>,
    /// For the request.
    pub(crate) for_model: Arc<[homard_llm::ToolSpec]>,
}

/// The offers made so far.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    made: Mutex<Vec<(ToolPolicy, Offer)>>,
}

impl Offers {
    /// What `policy` offers of `tools`.
    pub(crate) fn of(&self, tools: &Toolbox, policy: &ToolPolicy) -> Offer {
        let mut made = self.made.lock();
        if let Some((_, offer)) = made.iter().find(|(known, _)| known == policy) {
            return offer.clone();
        }
        let described = tools.specs(policy);
        let for_model = described
            .iter()
            .map(|spec| homard_llm::ToolSpec {
                name: spec.name.clone(),
                description: spec.description.clone(),
                parameters: spec.parameters.clone(),
            })
            .collect();
        let offer = Offer { described, for_model };
        if made.len() >= MAX_KEPT {
            made.clear();
        }
        made.push((policy.clone(), offer.clone()));
        offer
    }
}
