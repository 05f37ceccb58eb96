//! Every model as people and programs are shown it: what it can do, whether it can be called, what the owner
//! made of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use homard_config::config::agents::Agent;
use homard_llm::ModelSpec;
use homard_protocol::{ModelRef, ProviderId};
use homard_runtime::Arrange as _;

use crate::router::ModelRouter;

/// One line of the list.
#[derive(Debug, Clone)]
pub struct ListedModel {
    pub reference: ModelRef,
    /// What it can do.
    pub model: Arc<ModelSpec>,
    /// What the owner made of it: `default`, `fallback#1`, `image`, `alias:NAME`.
    pub tags: Vec<String>,
    /// Whether there is a credential, or none is needed.
    pub available: bool,
    /// Whether the owner allows it.
    pub allowed: bool,
}

impl ModelRouter {
    /// Every model, in alphabetical order of providers, as `agent` sees them. Models the owner chose and no
    /// list has are added, because they can be asked all the same.
    pub async fn listing(&self, agent: &Agent, chosen: &ModelRef) -> Vec<ListedModel> {
        let tags = self.tags(agent, chosen);
        let mut models: Vec<Arc<ModelSpec>> = self.models().list().cloned().collect();
        for reference in tags.keys() {
            let listed =
                |model: &Arc<ModelSpec>| model.provider == reference.provider && model.id == reference.model;
            if !models.iter().any(listed)
                && let Ok(resolved) = self.models().resolve(reference)
            {
                models.push(resolved.model);
            }
        }
        models.arrange_by(|a, b| a.provider.cmp(&b.provider));
        let mut usable: BTreeMap<ProviderId, bool> = BTreeMap::new();
        let mut out = Vec::with_capacity(models.len());
        for model in models {
            let available = match usable.get(&model.provider) {
                Some(known) => *known,
                None => {
                    let found = self.can_call(agent, &model.provider).await;
                    usable.insert(model.provider.clone(), found);
                    found
                }
            };
            let reference = ModelRef { provider: model.provider.clone(), model: model.id.clone() };
            out.push(ListedModel {
                tags: tags.get(&reference).cloned().unwrap_or_default(),
                allowed: self.selector().allows(&reference),
                available,
                reference,
                model,
            });
        }
        out
    }

    /// Whether a provider can be called at all: it asks for nothing, or something is at hand.
    async fn can_call(&self, agent: &Agent, provider: &ProviderId) -> bool {
        match self.auth().get(provider) {
            Some(auth) => !self.profiles(&agent.id).candidates(auth, None).await.is_empty(),
            None => true,
        }
    }

    fn tags(&self, agent: &Agent, chosen: &ModelRef) -> BTreeMap<ModelRef, Vec<String>> {
        let mut tags: BTreeMap<ModelRef, Vec<String>> = BTreeMap::new();
        let mut tag = |model: &ModelRef, word: String| tags.entry(model.clone()).or_default().push(word);
        tag(chosen, "default".to_owned());
        for (number, model) in agent.model.fallbacks.iter().enumerate() {
            tag(&self.selector().normal(model), format!("fallback#{}", number + 1));
        }
        for (number, model) in self.selector().image_chain().iter().enumerate() {
            tag(model, if number == 0 { "image".to_owned() } else { format!("img-fallback#{number}") });
        }
        for (alias, model) in self.selector().aliases() {
            tag(model, format!("alias:{alias}"));
        }
        tags
    }
}
