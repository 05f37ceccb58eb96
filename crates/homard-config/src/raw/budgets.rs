//! Shape of the `budgets` section.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// How much may be spent; what is unset is not limited.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Limit {
    /// Tokens, sent and received.
    pub(crate) tokens: Option<u64>,
    /// US dollars, by the prices of the models used.
    #[schemars(range(min = 0))]
    pub(crate) usd: Option<f64>,
}

/// How much may be spent in a day, in a month and altogether.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Budget {
    /// From midnight to midnight in the owner's time zone.
    pub(crate) day: Option<Limit>,
    /// From the first to the last of a month.
    pub(crate) month: Option<Limit>,
    /// Altogether; counts for sessions only.
    pub(crate) total: Option<Limit>,
}

/// What models may cost. A call that would exceed a budget is not made.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Budgets {
    /// Everything this gateway spends.
    pub(crate) gateway: Option<Budget>,
    /// Each agent not named in `agents`.
    pub(crate) agent: Option<Budget>,
    /// Agents by id.
    pub(crate) agents: Option<BTreeMap<String, Budget>>,
    /// Each conversation.
    pub(crate) session: Option<Budget>,
    /// Each scheduled job not named in `jobs`.
    pub(crate) job: Option<Budget>,
    /// Scheduled jobs by id.
    pub(crate) jobs: Option<BTreeMap<String, Budget>>,
    /// Each webhook not named in `hooks`: what its calls make agents spend.
    pub(crate) hook: Option<Budget>,
    /// Webhooks by their path below `hooks.path`; `agent` is `/hooks/agent`.
    pub(crate) hooks: Option<BTreeMap<String, Budget>>,
}
