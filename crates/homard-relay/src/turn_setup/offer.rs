//! Which tools a model is told about, worked out once per policy: descriptions and schemas are large, and the
//! same for every turn until the configuration changes, or what a tool needs comes or goes.

use std::sync::Arc;

use homard_runtime::Mutex;
use homard_tools::{Ports, ToolPolicy, ToolSpec, Toolbox};

use crate::parts::TurnSetup;
use crate::turn_setup::small_window;

/// Policies remembered; one per combination of agent and model in use.
const MAX_KEPT: usize = 32;

/// What one policy offers.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    pub(crate) described: Arc<[Arc<ToolSpec>]>,
    pub(crate) for_model: Arc<[homard_llm::ToolSpec]>,
}

/// An offer and what it was made for.
#[derive(Debug)]
struct MadeOffer {
    policy: ToolPolicy,
    /// Tools that could not be used.
    closed: Vec<String>,
    offer: Offer,
}

/// The offers made so far.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    made: Mutex<Vec<MadeOffer>>,
}

impl Offers {
    /// What `policy` offers of `tools` in a turn with these ports.
    pub(crate) fn of(&self, tools: &Toolbox, policy: &ToolPolicy, ports: &Ports) -> Offer {
        let closed = tools.closed(ports);
        let mut made = self.made.lock();
        if let Some(known) = made.iter().find(|made| made.policy == *policy && made.closed == closed) {
            return known.offer.clone();
        }
        let described = tools.specs(policy, ports);
        let for_model = described
            .iter()
            .map(|spec| homard_llm::ToolSpec {
                name: spec.name.clone(),
                description: spec.description.clone(),
                parameters: spec.parameters.clone().into(),
            })
            .collect();
        let offer = Offer { described, for_model };
        if made.len() >= MAX_KEPT {
            made.clear();
        }
        let closed = closed.into_iter().map(str::to_owned).collect();
        made.push(MadeOffer { policy: policy.clone(), closed, offer: offer.clone() });
        offer
    }
}

impl TurnSetup {
    /// What a conversation under `policy` is offered by a model with a context of so many tokens, as things are now.
    pub(crate) fn offer(&self, policy: &ToolPolicy, window: u32) -> Offer {
        let rooms = self.inner().reloadable();
        small_window::fit_tools(rooms.offers.of(&rooms.tools, policy, &self.ports()), window)
    }
}
