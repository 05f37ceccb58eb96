//! Money and tokens, counted before they are spent.
//!
//! Every call to a model first reserves its worst case here and afterwards says what it really used. What the
//! owner limits (`budgets` in the configuration) is thereby never exceeded by more than one answer, however
//! many runs there are at once. Reading order: `counting` is the rule, free of time and waiting; this file is the
//! shell around it that waits; `max_cost` bounds a call; `period` knows days and months; `over` says no.
//!
//! Nothing is written to disk here. The store's usage table is the memory: at start it is read back with
//! [`Ledger::restore`], and while limits exist a call's worst case is written there before the call.

use std::sync::Arc;

use homard_config::config::budgets::Budgets;
use homard_protocol::Usage;
use homard_runtime::{Clock, Mutex, OrCancel, Timestamp};
use jiff::tz::TimeZone;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

mod amount;
mod counting;
mod max_cost;
mod over;
mod period;

pub use amount::{Amount, Unit, micro_usd};
pub use counting::{HOOK, Spender, Spent};
pub use max_cost::{MaxCost, estimate};
pub use over::{NotReserved, OverBudget};
pub use period::Span;

use counting::{BudgetLine, BudgetVerdict, Counting};
use period::Periods;

/// What may be spent, what is spent and what is about to be. Clone-cheap; one per gateway.
#[derive(Debug, Clone)]
pub struct Ledger {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    counting: Mutex<Counting>,
    changed: Notify,
    clock: Clock,
    zone: TimeZone,
}

/// One limit and how far it is used, for the command line and `usage.status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetStatus {
    /// Where it stands in the configuration: `budgets.agents.main.day.usd`.
    pub path: String,
    /// Whose count it is, where one limit is for each of many.
    pub whose: Option<String>,
    pub unit: Unit,
    /// How much is used, in tokens or millionths of a dollar.
    pub used: u64,
    /// How much calls under way may use at most.
    pub reserved: u64,
    /// How much there is.
    pub limit: u64,
    /// When it begins anew, in milliseconds since 1970.
    pub resets_at: Option<Timestamp>,
}

impl Ledger {
    /// A ledger in which nothing is spent yet. `zone` is the owner's: their days and months are counted.
    #[must_use]
    pub fn new(limits: Budgets, clock: Clock, zone: TimeZone) -> Self {
        let counting = Mutex::new(Counting::new(limits));
        Self { inner: Arc::new(Inner { counting, changed: Notify::new(), clock, zone }) }
    }

    /// Whether nothing is limited, so that nothing need be counted.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.inner.counting.lock().limits().is_empty()
    }

    /// Takes new limits, at once for everybody. Counts of limits that did not exist before begin at nothing:
    /// call [`restore`](Ledger::restore) afterwards.
    pub fn set_limits(&self, limits: Budgets) {
        self.inner.counting.lock().set_limits(limits);
        self.inner.changed.notify_waiters();
    }

    /// The periods to ask the store about, with the moment each began; empty while nothing is limited.
    #[must_use]
    pub fn periods(&self) -> Vec<(Span, Timestamp)> {
        let limits = self.inner.counting.lock().limits().clone();
        self.periods_of(&limits)
    }

    /// The same for limits that are not in force yet.
    #[must_use]
    pub fn periods_of(&self, limits: &Budgets) -> Vec<(Span, Timestamp)> {
        if limits.is_empty() {
            return Vec::new();
        }
        let now = self.inner.clock.now_ms();
        let wanted = |span: &Span| *span != Span::Total || !limits.session.total.is_empty();
        Span::ALL.into_iter().filter(wanted).map(|s| (s, period::began(s, now, &self.inner.zone))).collect()
    }

    /// Takes new limits together with what was spent in their periods, so that nobody slips in between.
    pub fn take_limits(&self, limits: Budgets, rows: impl Iterator<Item = Spent>) {
        let now = self.now();
        {
            let mut counting = self.inner.counting.lock();
            counting.set_limits(limits);
            counting.restore(rows, now);
        }
        self.inner.changed.notify_waiters();
    }

    /// A call for which nothing was reserved, because nothing was limited when it began, used this much.
    pub fn count(&self, who: &Spender, began: Timestamp, actual: &Usage) {
        let periods = Periods::at(began, &self.inner.zone);
        self.inner.counting.lock().count(who, periods, Amount::of(actual));
    }

    /// Takes over what the store says was spent in the current periods. Counts never go down by it.
    pub fn restore(&self, rows: impl Iterator<Item = Spent>) {
        let now = self.now();
        self.inner.counting.lock().restore(rows, now);
        self.inner.changed.notify_waiters();
    }

    /// Reserves the worst case of a call, waiting while calls under way leave no room but may leave some yet.
    /// Whoever holds a reservation must not wait for a second one.
    ///
    /// # Errors
    /// When a limit is used up, or `cancel` fires while waiting.
    pub async fn reserve(
        &self,
        who: &Spender,
        worst: MaxCost,
        cancel: &CancellationToken,
    ) -> Result<Reservation, NotReserved> {
        let place = Place { ledger: self, ticket: self.inner.counting.lock().ticket() };
        loop {
            // Listening begins before looking, so that no change falls in between.
            let changed = self.inner.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let verdict = {
                let now = self.now();
                self.inner.counting.lock().reserve(place.ticket, who, &worst, now)
            };
            match verdict {
                BudgetVerdict::Admitted { id, amount, max_tokens } => {
                    return Ok(Reservation {
                        ledger: self.clone(),
                        id: Some(id),
                        number: id,
                        amount,
                        max_tokens,
                    });
                }
                BudgetVerdict::Refused(line) => {
                    return Err(NotReserved::OverBudget(Box::new(self.over(line))));
                }
                BudgetVerdict::Wait => {
                    changed.or_cancel(cancel).await.map_err(|_cancelled| NotReserved::Cancelled)?;
                }
            }
        }
    }

    /// Every limit and how far it is used.
    #[must_use]
    pub fn status(&self) -> Vec<BudgetStatus> {
        let now = self.now();
        let lines = self.inner.counting.lock().lines(now);
        lines.into_iter().map(|line| self.told(line)).collect()
    }

    /// How many wait.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.inner.counting.lock().waiting()
    }

    fn told(&self, line: BudgetLine) -> BudgetStatus {
        let resets_at = period::resets(line.span, self.inner.clock.now_ms(), &self.inner.zone);
        let BudgetLine { path, whose, span: _, unit, used, reserved, limit } = line;
        BudgetStatus { path, whose, unit, used, reserved, limit, resets_at }
    }

    fn over(&self, line: BudgetLine) -> OverBudget {
        let BudgetStatus { path, whose, unit, used, reserved: _, limit, resets_at } = self.told(line);
        let resets = resets_at.map(|at| period::show(at, &self.inner.zone));
        OverBudget { path, whose, unit, used, limit, resets_at, resets }
    }

    fn now(&self) -> Periods {
        Periods::at(self.inner.clock.now_ms(), &self.inner.zone)
    }
}

/// A place in the queue, given back when whoever waits is admitted, refused, stopped or dropped.
struct Place<'a> {
    ledger: &'a Ledger,
    ticket: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.ledger.inner.counting.lock().leave(self.ticket);
        self.ledger.inner.changed.notify_waiters();
    }
}

/// Leave to make one call. Dropped without a word, its worst case counts as spent: nobody knows better.
#[derive(Debug)]
#[must_use = "a reservation that is dropped is spent"]
pub struct Reservation {
    ledger: Ledger,
    /// Taken when the reservation is over.
    id: Option<u64>,
    number: u64,
    amount: Amount,
    max_tokens: Option<u32>,
}

impl Reservation {
    /// Its number, unique in this process.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.number
    }

    /// What it holds: what a crash in the middle of the call must count as spent.
    #[must_use]
    pub fn worst(&self) -> Amount {
        self.amount
    }

    /// The longest answer that may be asked for, where the budget allows less than was wanted.
    #[must_use]
    pub fn max_tokens(&self) -> Option<u32> {
        self.max_tokens
    }

    /// The call is over and used this much.
    pub fn settle(mut self, actual: &Usage) {
        if let Some(id) = self.id.take() {
            self.ledger.inner.counting.lock().settle(id, Amount::of(actual));
            self.ledger.inner.changed.notify_waiters();
        }
    }

    /// The call was never made.
    pub fn abandon(mut self) {
        if let Some(id) = self.id.take() {
            self.ledger.inner.counting.lock().abandon(id);
            self.ledger.inner.changed.notify_waiters();
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.ledger.inner.counting.lock().forfeit(id);
            self.ledger.inner.changed.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests;
