//! The rule, by table and by chance.

use std::collections::BTreeMap;

use homard_config::config::budgets::{Budget, Budgets, Limit};
use homard_protocol::{AgentId, SessionKey};
use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::test_runner::TestCaseError;

use super::{BudgetVerdict, Counting, Key, MIN_ANSWER, Spender, Spent, bounds, limit};
use crate::budget::amount::{Amount, Unit};
use crate::budget::max_cost::MaxCost;
use crate::budget::period::{Periods, Span};

const TODAY: Periods = Periods { day: 100, month: 10 };

fn who(agent: &str, session: &str, job: Option<&str>) -> Spender {
    Spender {
        agent: AgentId::parse(agent).unwrap(),
        session: SessionKey::parse(&format!("agent:{agent}:{session}")).unwrap(),
        job: job.map(str::to_owned),
    }
}

fn tokens(tokens: u64) -> Limit {
    Limit { tokens: Some(tokens), usd: None }
}

fn usd(usd: f64) -> Limit {
    Limit { tokens: None, usd: Some(usd) }
}

/// A call of `prompt` tokens and an answer of at most `answer`, at a millionth each for the prompt and ten for
/// the answer.
fn call(prompt: u64, answer: u32) -> MaxCost {
    MaxCost {
        prompt,
        likely_prompt: prompt / 4,
        answer,
        prompt_price: 1_000,
        likely_price: 1_000,
        answer_price: 10_000,
    }
}

fn day(limit: Limit) -> Budget {
    Budget { day: limit, ..Budget::default() }
}

impl Counting {
    fn ask(&mut self, who: &Spender, worst: MaxCost) -> BudgetVerdict {
        let ticket = self.ticket();
        self.reserve(ticket, who, &worst, TODAY)
    }

    fn admit(&mut self, who: &Spender, worst: MaxCost) -> u64 {
        match self.ask(who, worst) {
            BudgetVerdict::Admitted { id, .. } => id,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_fits_is_admitted_whole() {
    let mut counting = Counting::new(Budgets { gateway: day(tokens(10_000)), ..Budgets::default() });
    let main = who("main", "main", None);
    let first = counting.ask(&main, call(1_000, 4_000));
    assert!(matches!(first, BudgetVerdict::Admitted { max_tokens: None, .. }), "{first:?}");
    let second = counting.ask(&main, call(1_000, 4_000));
    assert!(matches!(second, BudgetVerdict::Admitted { max_tokens: None, .. }), "{second:?}");
    assert_eq!(
        counting.ask(&main, call(0, 1)),
        BudgetVerdict::Wait,
        "what calls under way may use is not given twice"
    );
}

#[test]
fn whoever_is_alone_gets_what_is_left() {
    let mut counting = Counting::new(Budgets { gateway: day(tokens(10_000)), ..Budgets::default() });
    let main = who("main", "main", None);
    let BudgetVerdict::Admitted { max_tokens, amount, .. } = counting.ask(&main, call(4_000, 50_000)) else {
        panic!()
    };
    // The prompt is likely a quarter of its bytes, so 9,000 are left for the answer.
    assert_eq!((max_tokens, amount.tokens), (Some(9_000), 13_000));
    let mut counting = Counting::new(Budgets { gateway: day(usd(0.05)), ..Budgets::default() });
    let BudgetVerdict::Admitted { max_tokens, .. } = counting.ask(&main, call(4_000, 50_000)) else {
        panic!()
    };
    assert_eq!(max_tokens, Some(4_900), "50,000 millionths less 1,000 for the prompt, at ten each");
    let mut counting = Counting::new(Budgets { gateway: day(tokens(1)), ..Budgets::default() });
    let BudgetVerdict::Admitted { max_tokens, .. } = counting.ask(&main, call(4_000, 50_000)) else {
        panic!()
    };
    assert_eq!(max_tokens, Some(MIN_ANSWER), "an answer shorter than this is of no use");
}

#[test]
fn what_is_used_up_is_refused_by_the_path_of_the_limit() {
    let main = who("main", "main", Some("nightly"));
    let named = Budgets { agents: BTreeMap::from([(AgentId::main(), day(usd(0.01)))]), ..Budgets::default() };
    let jobs =
        Budgets { jobs: BTreeMap::from([("nightly".to_owned(), day(tokens(10)))]), ..Budgets::default() };
    let month = Budget { month: tokens(10), ..Budget::default() };
    let total = Budget { total: tokens(10), ..Budget::default() };
    let rows = [
        (named, "budgets.agents.main.day.usd", None),
        (jobs, "budgets.jobs.nightly.day.tokens", None),
        (Budgets { gateway: month, ..Budgets::default() }, "budgets.gateway.month.tokens", None),
        (Budgets { agent: month, ..Budgets::default() }, "budgets.agent.month.tokens", Some("agent `main`")),
        (Budgets { job: month, ..Budgets::default() }, "budgets.job.month.tokens", Some("job `nightly`")),
        (
            Budgets { session: total, ..Budgets::default() },
            "budgets.session.total.tokens",
            Some("session `agent:main:main`"),
        ),
    ];
    for (limits, path, whose) in rows {
        let mut counting = Counting::new(limits);
        let id = counting.admit(&main, call(100, 2_000));
        counting.settle(id, Amount { tokens: 12, micro_usd: 12_000 });
        let BudgetVerdict::Refused(line) = counting.ask(&main, call(1, 1)) else { panic!("{path}") };
        assert_eq!((line.path.as_str(), line.whose.as_deref()), (path, whose));
        assert!(line.used >= line.limit, "{line:?}");
    }
}

#[test]
fn a_webhook_has_a_budget_of_its_own() {
    let mail = who("main", "main", Some("hook:mail"));
    let named =
        Budgets { hooks: BTreeMap::from([("mail".to_owned(), day(tokens(10)))]), ..Budgets::default() };
    let each = Budgets { hook: day(tokens(10)), job: day(tokens(1)), ..Budgets::default() };
    let rows = [
        (named, "budgets.hooks.mail.day.tokens", None),
        (each, "budgets.hook.day.tokens", Some("hook `mail`")),
    ];
    for (limits, path, whose) in rows {
        let mut counting = Counting::new(limits);
        let id = counting.admit(&mail, call(100, 2_000));
        counting.settle(id, Amount { tokens: 12, micro_usd: 12_000 });
        let BudgetVerdict::Refused(line) = counting.ask(&mail, call(1, 1)) else { panic!("{path}") };
        assert_eq!((line.path.as_str(), line.whose.as_deref()), (path, whose));
        let other = who("main", "main", Some("hook:ci"));
        assert!(matches!(counting.ask(&other, call(1, 1)), BudgetVerdict::Admitted { .. }), "{path}");
    }
}

#[test]
fn a_limit_of_nothing_admits_nothing_and_others_are_not_touched() {
    let limits =
        Budgets { agents: BTreeMap::from([(AgentId::main(), day(tokens(0)))]), ..Budgets::default() };
    let mut counting = Counting::new(limits);
    assert!(matches!(counting.ask(&who("main", "main", None), call(1, 1)), BudgetVerdict::Refused(_)));
    assert!(matches!(counting.ask(&who("other", "main", None), call(1, 1)), BudgetVerdict::Admitted { .. }));
}

#[test]
fn money_does_not_stop_models_without_a_price() {
    let mut counting = Counting::new(Budgets { gateway: day(usd(0.0)), ..Budgets::default() });
    let free = MaxCost { prompt: 10, likely_prompt: 3, answer: 10, ..MaxCost::default() };
    assert!(matches!(
        counting.ask(&who("main", "main", None), free),
        BudgetVerdict::Admitted { max_tokens: None, .. }
    ));
    assert!(matches!(counting.ask(&who("main", "main", None), call(1, 1)), BudgetVerdict::Refused(_)));
}

#[test]
fn small_calls_do_not_overtake_a_large_one_for_ever() {
    let mut counting = Counting::new(Budgets { gateway: day(tokens(10_000)), ..Budgets::default() });
    let main = who("main", "main", None);
    let first = counting.admit(&main, call(0, 2_000));
    let large = counting.ticket();
    assert_eq!(counting.reserve(large, &main, &call(0, 9_000), TODAY), BudgetVerdict::Wait);
    assert_eq!(counting.ask(&main, call(0, 100)), BudgetVerdict::Wait, "it fits, but came later");
    counting.settle(first, Amount { tokens: 100, micro_usd: 0 });
    assert!(matches!(counting.reserve(large, &main, &call(0, 9_000), TODAY), BudgetVerdict::Admitted { .. }));
}

#[test]
fn a_new_period_begins_with_nothing_and_old_ones_are_forgotten() {
    let both = Budget { day: tokens(100), month: tokens(150), ..Budget::default() };
    let mut counting = Counting::new(Budgets { session: both, ..Budgets::default() });
    let main = who("main", "main", None);
    let spend = |counting: &mut Counting, now: Periods| {
        let ticket = counting.ticket();
        match counting.reserve(ticket, &main, &call(0, 100), now) {
            BudgetVerdict::Admitted { id, .. } => counting.settle(id, Amount { tokens: 100, micro_usd: 0 }),
            other => return Some(other),
        }
        None
    };
    assert_eq!(spend(&mut counting, TODAY), None);
    assert!(
        matches!(spend(&mut counting, TODAY), Some(BudgetVerdict::Refused(line)) if line.span == Span::Day)
    );
    let tomorrow = Periods { day: TODAY.day + 1, ..TODAY };
    assert_eq!(spend(&mut counting, tomorrow), None);
    let later = Periods { day: TODAY.day + 2, ..TODAY };
    assert!(
        matches!(spend(&mut counting, later), Some(BudgetVerdict::Refused(line)) if line.span == Span::Month)
    );
    assert_eq!(spend(&mut counting, Periods { day: 200, month: 20 }), None);
    assert_eq!(counting.accounts.len(), 2, "only the current day and month are kept");
}

#[test]
fn a_clock_put_back_over_midnight_does_not_reopen_a_day() {
    let mut counting = Counting::new(Budgets { gateway: day(tokens(100)), ..Budgets::default() });
    let main = who("main", "main", None);
    let id = counting.admit(&main, call(0, 100));
    counting.settle(id, Amount { tokens: 100, micro_usd: 0 });
    let ticket = counting.ticket();
    let tomorrow = Periods { day: TODAY.day + 1, ..TODAY };
    assert!(matches!(counting.reserve(ticket, &main, &call(0, 1), tomorrow), BudgetVerdict::Admitted { .. }));
    assert!(matches!(counting.ask(&main, call(0, 1)), BudgetVerdict::Refused(_)));
}

#[test]
fn what_the_store_knows_is_taken_over_once() {
    let limits = Budgets {
        gateway: day(tokens(100)),
        session: Budget { total: tokens(1_000), ..Budget::default() },
        ..Budgets::default()
    };
    let mut counting = Counting::new(limits);
    let spent = |session: &str, span: Span, tokens: u64| Spent {
        who: who("main", session, None),
        span,
        amount: Amount { tokens, micro_usd: 0 },
    };
    let rows = [spent("a", Span::Day, 30), spent("b", Span::Day, 40), spent("a", Span::Total, 900)];
    counting.restore(rows.clone().into_iter(), TODAY);
    counting.restore(rows.into_iter(), TODAY);
    let used: Vec<_> =
        counting.lines(TODAY).into_iter().map(|line| (line.path, line.whose, line.used)).collect();
    let a = Some("session `agent:main:a`".to_owned());
    assert_eq!(
        used,
        [
            ("budgets.gateway.day.tokens".to_owned(), None, 70),
            ("budgets.session.total.tokens".to_owned(), a, 900)
        ]
    );
}

#[test]
fn limits_may_change_while_calls_are_under_way() {
    let mut counting = Counting::new(Budgets { gateway: day(tokens(100)), ..Budgets::default() });
    let main = who("main", "main", None);
    let id = counting.admit(&main, call(0, 100));
    counting.set_limits(Budgets { agent: day(tokens(50)), ..Budgets::default() });
    counting.settle(id, Amount { tokens: 60, micro_usd: 0 });
    let BudgetVerdict::Refused(line) = counting.ask(&main, call(0, 1)) else {
        panic!("it counts for the new limit too")
    };
    assert_eq!((line.path.as_str(), line.used), ("budgets.agent.day.tokens", 60));
    counting.set_limits(Budgets::default());
    assert!(matches!(
        counting.ask(&main, call(0, u32::MAX)),
        BudgetVerdict::Admitted { max_tokens: None, .. }
    ));
    assert_eq!(counting.accounts.len(), 0, "nothing is counted that nobody limits");
}

#[test]
fn a_limit_that_is_added_knows_what_calls_under_way_may_use() {
    let mut counting = Counting::new(Budgets { gateway: day(tokens(100_000)), ..Budgets::default() });
    let main = who("main", "main", None);
    let id = counting.admit(&main, call(0, 4_000));
    let limits = Budgets { agent: day(tokens(5_000)), ..Budgets::default() };
    counting.set_limits(limits.clone());
    counting.set_limits(limits);
    let told = |counting: &mut Counting| {
        counting.lines(TODAY).iter().map(|l| (l.used, l.reserved)).collect::<Vec<_>>()
    };
    assert_eq!(told(&mut counting), [(0, 4_000)]);
    assert_eq!(
        counting.ask(&main, call(0, 4_000)),
        BudgetVerdict::Wait,
        "else both would be spent beyond it"
    );
    counting.settle(id, Amount { tokens: 3_000, micro_usd: 0 });
    assert_eq!(told(&mut counting), [(3_000, 0)]);
}

#[test]
fn every_limit_is_told_even_before_anybody_spends() {
    let limits = Budgets {
        gateway: Budget { day: Limit { tokens: Some(5), usd: Some(1.0) }, ..Budget::default() },
        agent: day(usd(0.5)),
        jobs: BTreeMap::from([("nightly".to_owned(), day(tokens(7)))]),
        ..Budgets::default()
    };
    let lines = Counting::new(limits).lines(TODAY);
    let told: Vec<_> = lines.iter().map(|l| (l.path.as_str(), l.whose.as_deref(), l.limit)).collect();
    assert_eq!(
        told,
        [
            ("budgets.gateway.day.tokens", None, 5),
            ("budgets.gateway.day.usd", None, 1_000_000),
            ("budgets.jobs.nightly.day.tokens", None, 7),
            ("budgets.agent.day.usd", Some("each agent"), 500_000),
        ]
    );
}

/// One thing that happens.
#[derive(Debug, Clone)]
enum Op {
    Arrive {
        who: Spender,
        worst: MaxCost,
    },
    /// The n-th open call ends, having used this many thousandths of what it held.
    Settle {
        nth: usize,
        part: u64,
    },
    Drop {
        nth: usize,
    },
    Abandon {
        nth: usize,
    },
    /// The n-th waiter gives up.
    Leave {
        nth: usize,
    },
}

fn spenders() -> impl Strategy<Value = Spender> {
    let agents = prop_oneof![Just("main"), Just("other")];
    let sessions = prop_oneof![Just("main"), Just("a"), Just("b")];
    let jobs = prop_oneof![Just(None), Just(Some("nightly"))];
    (agents, sessions, jobs).prop_map(|(agent, session, job)| who(agent, session, job))
}

fn ops() -> impl Strategy<Value = Op> {
    let worst = (0_u64..8_000, 1_u32..8_000, 0_u64..20_000, 0_u64..20_000);
    let worst = worst.prop_map(|(prompt, answer, prompt_price, answer_price)| MaxCost {
        prompt,
        likely_prompt: prompt / 4,
        answer,
        prompt_price,
        likely_price: prompt_price,
        answer_price,
    });
    prop_oneof![
        4 => (spenders(), worst).prop_map(|(who, worst)| Op::Arrive { who, worst }),
        3 => (any::<usize>(), 0_u64..=1_000).prop_map(|(nth, part)| Op::Settle { nth, part }),
        1 => any::<usize>().prop_map(|nth| Op::Drop { nth }),
        1 => any::<usize>().prop_map(|nth| Op::Abandon { nth }),
        1 => any::<usize>().prop_map(|nth| Op::Leave { nth }),
    ]
}

fn budgets() -> impl Strategy<Value = Budgets> {
    let tokens = prop::option::of(0_u64..40_000);
    let usd = prop::option::of((0_u32..400_000).prop_map(|micro| f64::from(micro) / 1e6));
    let limit = (tokens, usd).prop_map(|(tokens, usd)| Limit { tokens, usd });
    let budget = (limit.clone(), limit.clone(), limit);
    let budget = budget.prop_map(|(day, month, total)| Budget { day, month, total });
    (budget.clone(), budget.clone(), budget.clone(), budget.clone(), budget).prop_map(
        |(gateway, agent, named, session, job)| Budgets {
            gateway,
            agent,
            agents: BTreeMap::from([(AgentId::main(), named)]),
            session,
            job,
            jobs: BTreeMap::new(),
            hook: Budget::default(),
            hooks: BTreeMap::new(),
        },
    )
}

struct Open {
    id: u64,
    who: Spender,
    amount: Amount,
}

struct Waiter {
    ticket: u64,
    who: Spender,
    worst: MaxCost,
}

/// The world around a counting: who holds, who waits, and what was really used.
struct World {
    counting: Counting,
    open: Vec<Open>,
    waiting: Vec<Waiter>,
    actual: BTreeMap<Key, Amount>,
    largest: Amount,
}

impl World {
    fn new(limits: Budgets) -> Self {
        Self {
            counting: Counting::new(limits),
            open: Vec::new(),
            waiting: Vec::new(),
            actual: BTreeMap::new(),
            largest: Amount::default(),
        }
    }

    fn step(&mut self, op: Op) -> Result<(), TestCaseError> {
        let nth = |nth: usize, len: usize| nth.checked_rem(len);
        match op {
            Op::Arrive { who, worst } => {
                let ticket = self.counting.ticket();
                self.waiting.push(Waiter { ticket, who, worst });
            }
            Op::Settle { nth: n, part } => {
                if let Some(at) = nth(n, self.open.len()) {
                    let open = self.open.remove(at);
                    let share = |whole: u64| whole * part / 1_000;
                    let used =
                        Amount { tokens: share(open.amount.tokens), micro_usd: share(open.amount.micro_usd) };
                    self.used(&open.who, used);
                    self.counting.settle(open.id, used);
                }
            }
            Op::Drop { nth: n } => {
                if let Some(at) = nth(n, self.open.len()) {
                    let open = self.open.remove(at);
                    self.used(&open.who, open.amount);
                    self.counting.forfeit(open.id);
                }
            }
            Op::Abandon { nth: n } => {
                if let Some(at) = nth(n, self.open.len()) {
                    self.counting.abandon(self.open.remove(at).id);
                }
            }
            Op::Leave { nth: n } => {
                if let Some(at) = nth(n, self.waiting.len()) {
                    self.counting.leave(self.waiting.remove(at).ticket);
                }
            }
        }
        self.retry()?;
        self.check()
    }

    fn used(&mut self, who: &Spender, amount: Amount) {
        for key in self.counting.keys(who, TODAY) {
            let sum = self.actual.entry(key).or_default();
            *sum = sum.plus(amount);
        }
    }

    /// Everybody who waits asks again, the latest first to make overtaking as easy as can be.
    fn retry(&mut self) -> Result<(), TestCaseError> {
        let mut before = usize::MAX;
        while before != self.waiting.len() {
            before = self.waiting.len();
            for waiter in std::mem::take(&mut self.waiting).into_iter().rev() {
                self.ask(waiter)?;
            }
            self.waiting.sort_by_key(|waiter| waiter.ticket);
        }
        Ok(())
    }

    fn ask(&mut self, waiter: Waiter) -> Result<(), TestCaseError> {
        match self.counting.reserve(waiter.ticket, &waiter.who, &waiter.worst, TODAY) {
            BudgetVerdict::Admitted { id, amount, .. } => {
                self.largest = self.largest.at_least(amount);
                self.open.push(Open { id, who: waiter.who, amount });
            }
            BudgetVerdict::Refused(line) => prop_assert!(line.used >= line.limit, "{line:?}"),
            BudgetVerdict::Wait => self.waiting.push(waiter),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), TestCaseError> {
        for (key, account) in &self.counting.accounts {
            let actual = self.actual.get(key).copied().unwrap_or_default();
            prop_assert_eq!(account.spent, actual, "what is counted is what was used");
            for (unit, limit) in bounds(limit(&self.counting.limits, &key.scope, key.span)) {
                let most = limit + self.largest.in_unit(unit);
                prop_assert!(account.spent.in_unit(unit) <= most, "{key:?} {unit} {account:?}");
                // Never more than one call beyond it, counting also what is only reserved.
                let beyond = account.spent.plus(account.reserved).in_unit(unit) > limit;
                let counts = |open: &&Open| {
                    open.amount.in_unit(unit) > 0 && self.counting.keys(&open.who, TODAY).contains(key)
                };
                prop_assert!(!beyond || self.open.iter().filter(counts).count() <= 1, "{key:?} {account:?}");
            }
        }
        prop_assert_eq!(self.waiting.len(), self.counting.waiting.len());
        prop_assert!(self.waiting.is_empty() || !self.open.is_empty(), "nobody waits for nobody");
        Ok(())
    }
}

proptest! {
    #[test]
    fn no_order_of_events_breaks_a_budget(limits in budgets(), ops in prop::collection::vec(ops(), 1..80)) {
        let mut world = World::new(limits);
        for op in ops {
            world.step(op)?;
        }
        // Everybody is served or refused once the calls under way end.
        while !world.open.is_empty() {
            world.step(Op::Settle { nth: 0, part: 500 })?;
        }
        prop_assert!(world.waiting.is_empty());
        prop_assert!(world.counting.held.is_empty());
        for account in world.counting.accounts.values() {
            prop_assert_eq!(account.reserved, Amount::default());
        }
        prop_assert!(world.counting.lines(TODAY).iter().all(|line| line.reserved == 0 && line.unit <= Unit::Usd));
    }
}
