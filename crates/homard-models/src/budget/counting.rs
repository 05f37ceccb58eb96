//! The counting itself: accounts, reservations and the rule that admits a call. No time, no waiting, no disk.
//!
//! A call is admitted when its worst case fits every limit that applies to it. When it does not fit, but
//! nothing is used up yet, it may go once nobody else holds a reservation on the tight limits: that one answer
//! is all that can be spent beyond a limit. Until then it waits, and whoever comes later and shares a tight
//! limit waits behind it, so that a large call is not starved by small ones.

use std::collections::BTreeMap;

use homard_config::config::budgets::{Budget, Budgets, Limit};
use homard_protocol::{AgentId, SessionKey};
use homard_runtime::Arrange as _;

use super::amount::{Amount, Unit, micro_usd};
use super::max_cost::MaxCost;
use super::period::{Periods, Span};

/// The shortest answer worth asking for, in tokens: what is left of a budget is not divided further.
pub(super) const MIN_ANSWER: u32 = 1_024;

/// What stands before the name of a webhook where the id of a job stands otherwise.
pub const HOOK: &str = "hook:";

/// On whose behalf a call is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spender {
    pub agent: AgentId,
    pub session: SessionKey,
    /// For which scheduled job, if for one; [`HOOK`] and a name for a webhook.
    pub job: Option<String>,
}

/// Whose count a limit bounds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    Gateway,
    Agent(AgentId),
    Session(SessionKey),
    Job(String),
}

impl Scope {
    fn of(who: &Spender) -> impl Iterator<Item = Self> {
        [
            Some(Self::Gateway),
            Some(Self::Agent(who.agent.clone())),
            Some(Self::Session(who.session.clone())),
            who.job.clone().map(Self::Job),
        ]
        .into_iter()
        .flatten()
    }

    /// The setting that bounds it, and where it stands in the configuration.
    fn budget<'a>(&self, limits: &'a Budgets) -> (&'a Budget, String) {
        match self {
            Self::Gateway => (&limits.gateway, "budgets.gateway".to_owned()),
            Self::Agent(id) => match limits.agents.get(id) {
                Some(own) => (own, format!("budgets.agents.{id}")),
                None => (&limits.agent, "budgets.agent".to_owned()),
            },
            Self::Session(_) => (&limits.session, "budgets.session".to_owned()),
            Self::Job(id) => match (id.strip_prefix(HOOK), limits.jobs.get(id)) {
                (Some(name), _) => match limits.hooks.get(name) {
                    Some(own) => (own, format!("budgets.hooks.{name}")),
                    None => (&limits.hook, "budgets.hook".to_owned()),
                },
                (None, Some(own)) => (own, format!("budgets.jobs.{id}")),
                (None, None) => (&limits.job, "budgets.job".to_owned()),
            },
        }
    }

    /// Whose it is, where the setting's path does not say.
    fn whose(&self, limits: &Budgets) -> Option<String> {
        match self {
            Self::Gateway => None,
            Self::Agent(id) => (!limits.agents.contains_key(id)).then(|| format!("agent `{id}`")),
            Self::Session(key) => Some(format!("session `{key}`")),
            Self::Job(id) => match id.strip_prefix(HOOK) {
                Some(name) => (!limits.hooks.contains_key(name)).then(|| format!("hook `{name}`")),
                None => (!limits.jobs.contains_key(id)).then(|| format!("job `{id}`")),
            },
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    scope: Scope,
    span: Span,
    period: i64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Account {
    spent: Amount,
    reserved: Amount,
}

#[derive(Debug)]
struct Held {
    who: Spender,
    /// When it was made: it is spent there, however late it is settled.
    periods: Periods,
    amount: Amount,
    /// The accounts it is reserved in.
    keys: Vec<Key>,
}

/// One row of what was spent before this process began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    pub who: Spender,
    /// In which of the current periods.
    pub span: Span,
    pub amount: Amount,
}

/// The answer to a wish to spend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BudgetVerdict {
    Admitted { id: u64, amount: Amount, max_tokens: Option<u32> },
    Refused(BudgetLine),
    Wait,
}

/// A limit and how far it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BudgetLine {
    pub(super) path: String,
    pub(super) whose: Option<String>,
    pub(super) span: Span,
    pub(super) unit: Unit,
    pub(super) used: u64,
    pub(super) reserved: u64,
    pub(super) limit: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counting {
    limits: Budgets,
    accounts: BTreeMap<Key, Account>,
    held: BTreeMap<u64, Held>,
    /// Who waits, first come first, and for which accounts.
    waiting: BTreeMap<u64, Vec<Key>>,
    next: u64,
    swept: Periods,
}

impl Counting {
    pub(super) fn new(limits: Budgets) -> Self {
        Self { limits, ..Self::default() }
    }

    pub(super) fn limits(&self) -> &Budgets {
        &self.limits
    }

    /// Other limits from now on. What was counted stays; counts nobody limits any more are dropped.
    pub(super) fn set_limits(&mut self, limits: Budgets) {
        self.limits = limits;
        let limits = &self.limits;
        let wanted = |key: &Key| !limit(limits, &key.scope, key.span).is_empty();
        self.accounts.retain(|key, account| account.reserved != Amount::default() || wanted(key));
        // Calls under way may use what is newly limited.
        for (id, mut held) in std::mem::take(&mut self.held) {
            let mut added = self.keys(&held.who, held.periods);
            added.retain(|key| !held.keys.contains(key) && !self.swept.forgets(key.span, key.period));
            for key in &added {
                let account = self.accounts.entry(key.clone()).or_default();
                account.reserved = account.reserved.plus(held.amount);
            }
            held.keys.extend(added);
            self.held.insert(id, held);
        }
    }

    /// How many wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// A place in the queue.
    pub(super) fn ticket(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Gives a place in the queue back.
    pub(super) fn leave(&mut self, ticket: u64) {
        self.waiting.remove(&ticket);
    }

    /// Asks for a reservation. `ticket` stays the same while somebody asks again.
    pub(super) fn reserve(
        &mut self,
        ticket: u64,
        who: &Spender,
        worst: &MaxCost,
        now: Periods,
    ) -> BudgetVerdict {
        self.sweep(now);
        let keys = self.keys(who, now);
        let mut tight = Vec::new();
        let mut alone = true;
        let mut answer = worst.answer;
        for key in &keys {
            let account = self.accounts.get(key).copied().unwrap_or_default();
            let limit = limit(&self.limits, &key.scope, key.span);
            for (unit, limit) in bounds(limit) {
                let spent = account.spent.in_unit(unit);
                let wanted = worst.amount().in_unit(unit);
                // A call that cannot cost anything in this unit is not held up by it.
                if wanted == 0 {
                    continue;
                }
                if spent >= limit {
                    self.waiting.remove(&ticket);
                    return BudgetVerdict::Refused(self.line(key, unit, limit));
                }
                let taken = spent.saturating_add(account.reserved.in_unit(unit));
                if taken.saturating_add(wanted) > limit {
                    tight.push(key.clone());
                    alone &= account.reserved.in_unit(unit) == 0;
                    answer = answer.min(affordable(worst, unit, limit - spent));
                }
            }
        }
        let behind = self.behind(ticket, &keys);
        if behind.is_empty() && alone {
            self.waiting.remove(&ticket);
            let clamped = answer < worst.answer;
            let amount = worst.with_answer(answer);
            let id = self.hold(Held { who: who.clone(), periods: now, amount, keys });
            return BudgetVerdict::Admitted { id, amount, max_tokens: clamped.then_some(answer) };
        }
        tight.extend(behind);
        tight.arrange();
        tight.dedup();
        self.waiting.insert(ticket, tight);
        BudgetVerdict::Wait
    }

    /// A call is over and used this much.
    pub(super) fn settle(&mut self, id: u64, actual: Amount) {
        if let Some(held) = self.release(id) {
            self.count(&held.who, held.periods, actual);
        }
    }

    /// Something was spent. Not only where it was reserved: limits may have been added since.
    pub(super) fn count(&mut self, who: &Spender, periods: Periods, actual: Amount) {
        for key in self.keys(who, periods) {
            if !self.swept.forgets(key.span, key.period) {
                let account = self.accounts.entry(key).or_default();
                account.spent = account.spent.plus(actual);
            }
        }
    }

    /// Nobody can say what a call used: all of it counts as spent.
    pub(super) fn forfeit(&mut self, id: u64) {
        if let Some(amount) = self.held.get(&id).map(|held| held.amount) {
            self.settle(id, amount);
        }
    }

    /// A call was never made.
    pub(super) fn abandon(&mut self, id: u64) {
        drop(self.release(id));
    }

    /// Takes over what the store knows of the current periods. Counts never go down by it, so it may be
    /// repeated, for example after limits were added.
    pub(super) fn restore(&mut self, rows: impl Iterator<Item = Spent>, now: Periods) {
        let mut sums: BTreeMap<Key, Amount> = BTreeMap::new();
        for row in rows {
            for key in self.keys(&row.who, now).into_iter().filter(|key| key.span == row.span) {
                let sum = sums.entry(key).or_default();
                *sum = sum.plus(row.amount);
            }
        }
        for (key, sum) in sums {
            let account = self.accounts.entry(key).or_default();
            account.spent = account.spent.at_least(sum);
        }
    }

    /// Every limit and how far it is used. Limits for each of many that nobody has touched are told once.
    pub(super) fn lines(&mut self, now: Periods) -> Vec<BudgetLine> {
        self.sweep(now);
        let named = self.limits.agents.keys().cloned().map(Scope::Agent);
        let jobs = self.limits.jobs.keys().cloned().map(Scope::Job);
        let hooks = self.limits.hooks.keys().map(|name| Scope::Job(format!("{HOOK}{name}")));
        let fixed = std::iter::once(Scope::Gateway).chain(named).chain(jobs).chain(hooks);
        let mut keys: Vec<Key> = Vec::new();
        for scope in fixed {
            keys.extend(Span::ALL.map(|span| Key { scope: scope.clone(), span, period: now.key(span) }));
        }
        let known = self.accounts.keys().filter(|key| key.period == now.key(key.span));
        keys.extend(known.filter(|key| key.scope.whose(&self.limits).is_some()).cloned());
        keys.arrange();
        let mut lines: Vec<BudgetLine> = Vec::new();
        for key in &keys {
            let bounds = bounds(limit(&self.limits, &key.scope, key.span));
            lines.extend(bounds.map(|(unit, limit)| self.line(key, unit, limit)));
        }
        for line in self.untouched() {
            if !lines.iter().any(|other| other.path == line.path) {
                lines.push(line);
            }
        }
        lines
    }

    fn untouched(&self) -> Vec<BudgetLine> {
        let each = [
            ("agent", "each agent", &self.limits.agent),
            ("session", "each session", &self.limits.session),
            ("job", "each job", &self.limits.job),
            ("hook", "each hook", &self.limits.hook),
        ];
        let mut lines = Vec::new();
        for (name, whose, budget) in each {
            for span in Span::ALL {
                lines.extend(bounds(of_span(budget, span)).map(|(unit, limit)| BudgetLine {
                    path: format!("budgets.{name}.{}.{unit}", span.as_str()),
                    whose: Some(whose.to_owned()),
                    span,
                    unit,
                    used: 0,
                    reserved: 0,
                    limit,
                }));
            }
        }
        lines
    }

    fn line(&self, key: &Key, unit: Unit, limit: u64) -> BudgetLine {
        let account = self.accounts.get(key).copied().unwrap_or_default();
        BudgetLine {
            path: format!("{}.{}.{unit}", key.scope.budget(&self.limits).1, key.span.as_str()),
            whose: key.scope.whose(&self.limits),
            span: key.span,
            unit,
            used: account.spent.in_unit(unit),
            reserved: account.reserved.in_unit(unit),
            limit,
        }
    }

    /// The accounts a call of `who` is counted in: those with a limit.
    fn keys(&self, who: &Spender, now: Periods) -> Vec<Key> {
        let mut keys = Vec::new();
        for scope in Scope::of(who) {
            for span in Span::ALL {
                if !limit(&self.limits, &scope, span).is_empty() {
                    keys.push(Key { scope: scope.clone(), span, period: now.key(span) });
                }
            }
        }
        keys
    }

    /// Which of `keys` earlier comers wait for.
    fn behind(&self, ticket: u64, keys: &[Key]) -> Vec<Key> {
        let wanted = |key: &Key| self.waiting.range(..ticket).any(|(_, wanted)| wanted.contains(key));
        keys.iter().filter(|key| wanted(key)).cloned().collect()
    }

    fn hold(&mut self, held: Held) -> u64 {
        for key in &held.keys {
            let account = self.accounts.entry(key.clone()).or_default();
            account.reserved = account.reserved.plus(held.amount);
        }
        self.next += 1;
        self.held.insert(self.next, held);
        self.next
    }

    fn release(&mut self, id: u64) -> Option<Held> {
        let held = self.held.remove(&id)?;
        for key in &held.keys {
            if let Some(account) = self.accounts.get_mut(key) {
                account.reserved = account.reserved.minus(held.amount);
            }
        }
        Some(held)
    }

    /// Drops what belongs to periods long past.
    fn sweep(&mut self, now: Periods) {
        if now != self.swept {
            self.swept = now;
            self.accounts.retain(|key, _| !now.forgets(key.span, key.period));
        }
    }
}

fn limit(limits: &Budgets, scope: &Scope, span: Span) -> Limit {
    of_span(scope.budget(limits).0, span)
}

fn of_span(budget: &Budget, span: Span) -> Limit {
    match span {
        Span::Day => budget.day,
        Span::Month => budget.month,
        Span::Total => budget.total,
    }
}

/// The numbers of a limit.
fn bounds(limit: Limit) -> impl Iterator<Item = (Unit, u64)> {
    let tokens = limit.tokens.map(|tokens| (Unit::Tokens, tokens));
    tokens.into_iter().chain(limit.usd.map(|usd| (Unit::Usd, micro_usd(usd))))
}

/// How long an answer `rest` still pays for.
fn affordable(worst: &MaxCost, unit: Unit, rest: u64) -> u32 {
    let (tokens, money) = match unit {
        Unit::Tokens => worst.affordable(Amount { tokens: rest, micro_usd: 0 }),
        Unit::Usd => worst.affordable(Amount { tokens: 0, micro_usd: rest }),
    };
    let answer = if unit == Unit::Tokens { Some(tokens) } else { money };
    let answer = answer.unwrap_or(u64::from(worst.answer)).max(u64::from(MIN_ANSWER));
    u32::try_from(answer).unwrap_or(u32::MAX).min(worst.answer)
}

#[cfg(test)]
mod tests;
