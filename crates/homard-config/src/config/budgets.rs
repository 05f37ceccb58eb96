//! `budgets`: what models may cost.

use std::collections::BTreeMap;

use homard_protocol::AgentId;
use homard_runtime::CollectOrdered as _;

use super::Resolve;
use crate::raw::budgets as raw;

/// How much may be spent; `None` is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limit {
    /// Tokens, sent and received.
    pub tokens: Option<u64>,
    pub usd: Option<f64>,
}

/// How much may be spent in a day, in a month and altogether.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// From midnight to midnight in the owner's time zone.
    pub day: Limit,
    /// From the first to the last of a month.
    pub month: Limit,
    /// Altogether; only conversations have it.
    pub total: Limit,
}

/// Decided `budgets`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Budgets {
    /// Everything this gateway spends.
    pub gateway: Budget,
    /// Each agent that is not named.
    pub agent: Budget,
    pub agents: BTreeMap<AgentId, Budget>,
    pub session: Budget,
    /// Each scheduled job that is not named.
    pub job: Budget,
    /// Scheduled jobs by id.
    pub jobs: BTreeMap<String, Budget>,
    /// Each webhook that is not named.
    pub hook: Budget,
    /// Webhooks by the path they take below that of all hooks.
    pub hooks: BTreeMap<String, Budget>,
}

impl Limit {
    /// Whether nothing is limited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_none() && self.usd.is_none()
    }
}

impl Budget {
    /// Whether nothing is limited.
    fn is_empty(&self) -> bool {
        self.day.is_empty() && self.month.is_empty() && self.total.is_empty()
    }

    fn resolve(raw: Option<raw::Budget>, path: &str, has_total: bool, cx: &mut Resolve<'_>) -> Self {
        let raw = raw.unwrap_or_default();
        if raw.total.is_some() && !has_total {
            cx.issue(format!("{path}.total"), "only `budgets.session` has a total; use `day` or `month`");
        }
        let mut limit = |raw: Option<raw::Limit>, period: &str| {
            let raw = raw.unwrap_or_default();
            if raw.usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
                cx.issue(format!("{path}.{period}.usd"), "a budget is a number of dollars, 0 or more");
            }
            Limit { tokens: raw.tokens, usd: raw.usd }
        };
        Self {
            day: limit(raw.day, "day"),
            month: limit(raw.month, "month"),
            total: limit(raw.total.filter(|_| has_total), "total"),
        }
    }
}

impl Budgets {
    /// Whether nothing is limited at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let named = self.agents.values().chain(self.jobs.values()).chain(self.hooks.values());
        let each = [&self.gateway, &self.agent, &self.session, &self.job, &self.hook];
        each.into_iter().chain(named).all(Budget::is_empty)
    }

    pub(super) fn resolve(raw: raw::Budgets, cx: &mut Resolve<'_>) -> Self {
        let mut agents = BTreeMap::new();
        for (id, budget) in raw.agents.unwrap_or_default() {
            let path = format!("budgets.agents.{id}");
            match AgentId::parse(&id) {
                Ok(id) => drop(agents.insert(id, Budget::resolve(Some(budget), &path, false, cx))),
                Err(error) => cx.issue(path, error.to_string()),
            }
        }
        let mut by_name = |kind: &str, raw: Option<BTreeMap<String, raw::Budget>>| {
            let resolve = |(id, budget)| {
                let path = format!("budgets.{kind}.{id}");
                (id, Budget::resolve(Some(budget), &path, false, cx))
            };
            raw.unwrap_or_default().into_iter().map(resolve).collect_map()
        };
        let (jobs, hooks) = (by_name("jobs", raw.jobs), by_name("hooks", raw.hooks));
        Self {
            gateway: Budget::resolve(raw.gateway, "budgets.gateway", false, cx),
            agent: Budget::resolve(raw.agent, "budgets.agent", false, cx),
            agents,
            session: Budget::resolve(raw.session, "budgets.session", true, cx),
            job: Budget::resolve(raw.job, "budgets.job", false, cx),
            jobs,
            hook: Budget::resolve(raw.hook, "budgets.hook", false, cx),
            hooks,
        }
    }
}

#[cfg(test)]
mod tests;
