//! From the owner's settings to what a turn keeps to.

use std::path::Path;
use std::time::Duration;

use homard_agent::{FlushRules, PruneRules, Rules};
use homard_config::Config;
use homard_config::config::agents::pruning::ContextPruning;
use homard_llm::Resolved;
use homard_models::select::{SMALL_WINDOW, usable_context};
use homard_store::SessionEntry;
use homard_tools::ToolPolicy;

/// What a tool has beyond the longest command, to tell how that ended.
const TOOL_MARGIN: Duration = Duration::from_secs(60);
/// The least a tool may take, whatever commands may.
const LEAST_TOOL_LIMIT: Duration = Duration::from_secs(30 * 60);
/// The provider that charges for remembering a conversation, and forgets it after an hour.
const CACHING_PROVIDER: &str = "anthropic";
/// How long.
const CACHING_TTL: Duration = Duration::from_secs(60 * 60);
/// What notes are written with.
const WRITING: &str = "write";

/// What a turn with this model in this session keeps to.
pub(crate) fn rules_for(
    config: &Config,
    model: &Resolved,
    session: Option<&SessionEntry>,
    policy: &ToolPolicy,
    workspace: &Path,
) -> Rules {
    let defaults = &config.agents.defaults;
    Rules {
        wishes: homard_agent::CallOptions::default(),
        tool_limit: config.tools.exec.timeout.max(LEAST_TOOL_LIMIT).saturating_add(TOOL_MARGIN),
        repeats: config.tools.loop_detection,
        prune: prune(&defaults.context_pruning, model),
        flush: flush(config, session).filter(|_| {
            // Where nothing can be written, asking for notes is a call for nothing; and a small context would be
            // asked for them with every message, because it is never far from full.
            usable_context(&model.model, config) >= SMALL_WINDOW
                && policy.decide(WRITING).allowed
                && std::fs::metadata(workspace).is_ok_and(|found| !found.permissions().readonly())
        }),
    }
}

fn prune(pruning: &ContextPruning, model: &Resolved) -> Option<PruneRules> {
    let caches = model.provider.id().as_str() == CACHING_PROVIDER;
    let unsaid = if pruning.enabled.is_none() && caches { CACHING_TTL } else { ContextPruning::DEFAULT_TTL };
    pruning
        .enabled
        .unwrap_or(caches)
        .then(|| PruneRules { ttl: pruning.ttl.unwrap_or(unsaid), results: pruning.results.clone() })
}

/// Notes are written once between two compactions.
fn flush(config: &Config, session: Option<&SessionEntry>) -> Option<FlushRules> {
    let flush = config.agents.defaults.compaction.memory_flush.as_ref()?;
    let is_written = session.is_some_and(|entry| {
        entry.memory_flush_compaction_count.is_some_and(|at| at == entry.compaction_count.unwrap_or(0))
    });
    (!is_written).then(|| FlushRules {
        soft_threshold: flush.soft_threshold_tokens,
        prompt: flush.prompt.clone(),
        extra: flush.system_prompt.clone(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::prune;
    use crate::fixture::World;

    #[tokio::test]
    async fn old_results_are_shortened_where_the_owner_wants_it() {
        let (minutes, hour) = (Duration::from_secs(5 * 60), Duration::from_secs(60 * 60));
        for (written, ttl) in [
            (json!({}), None),
            (json!({"mode": "off", "ttl": "1h"}), None),
            (json!({"mode": "cache-ttl"}), Some(minutes)),
            (json!({"mode": "cache-ttl", "ttl": "1h"}), Some(hour)),
        ] {
            let world = World::new(json!({"agents": {"defaults": {"contextPruning": written}}}));
            let config = world.relay.inner().config();
            let router = world.relay.router();
            let chain = router.chain(config.agents.default_agent(), router.first_choice()).unwrap();
            let rules = prune(&config.agents.defaults.context_pruning, &chain[0]);
            assert_eq!(rules.map(|rules| rules.ttl), ttl, "{written}");
        }
    }
}
