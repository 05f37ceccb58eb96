//! How many calls to models people who are not the owner may cause in an hour, each of them and each group. Money
//! limits are the budgets'; this is so that nobody but the owner keeps the models busy. Gone after a restart, which
//! nobody but the owner brings about.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, MutexGuard};

use homard_channel::{Inbound, Sender};
use homard_runtime::{Mutex, Timestamp};

/// How many times as many calls a group may cause as one person.
const GROUP_FACTOR: u64 = 5;
/// Milliseconds of an hour.
const HOUR_MS: i64 = 60 * 60 * 1000;

/// Calls of this hour. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallQuota {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    hour: i64,
    calls: HashMap<String, u64>,
    /// Who was told that it is enough.
    told: HashSet<String>,
}

/// Whose calls a turn's are: a person's, and a group's where it is said in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Guest {
    person: String,
    group: Option<String>,
}

impl Guest {
    /// Who is behind a message; `None` for the owner.
    pub(crate) fn behind(message: &Inbound, is_owner: bool) -> Option<Self> {
        let Sender::Peer { id, .. } = &message.sender else { return None };
        let of = |id: &str| format!("{}:{}:{id}", message.channel, message.account);
        let is_direct = message.conversation.kind() == homard_channel::ChatKind::Direct;
        let group = message.conversation.peer().filter(|_| !is_direct).map(|peer| of(peer.as_str()));
        (!is_owner).then(|| Self { person: of(id.as_str()), group })
    }
}

/// That somebody has had enough for the hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spent {
    /// Minutes until there is more.
    pub(crate) minutes: i64,
    /// Whether nobody has told them yet.
    pub(crate) is_news: bool,
}

impl CallQuota {
    /// Whether somebody may ask for a turn, when each person has so many calls an hour; 0 is no limit.
    pub(crate) fn check(&self, guest: &Guest, per_person: u64, now: Timestamp) -> Result<(), Spent> {
        let mut state = self.state(now);
        let used = |whose: &String| state.calls.get(whose).copied().unwrap_or_default();
        let is_over = used(&guest.person) >= per_person
            || guest
                .group
                .as_ref()
                .is_some_and(|group| used(group) >= per_person.saturating_mul(GROUP_FACTOR));
        if per_person == 0 || !is_over {
            return Ok(());
        }
        let left = HOUR_MS - now.rem_euclid(HOUR_MS);
        Err(Spent { minutes: left / (60 * 1000) + 1, is_news: state.told.insert(guest.person.clone()) })
    }

    /// A call was made for somebody.
    pub(crate) fn count(&self, guest: &Guest, now: Timestamp) {
        let mut state = self.state(now);
        for whose in std::iter::once(&guest.person).chain(&guest.group) {
            *state.calls.entry(whose.clone()).or_default() += 1;
        }
    }

    fn state(&self, now: Timestamp) -> MutexGuard<'_, State> {
        let mut state = self.state.lock();
        let hour = now.div_euclid(HOUR_MS);
        if hour != state.hour {
            *state = State { hour, ..State::default() };
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::{CallQuota, GROUP_FACTOR, Guest, HOUR_MS, Spent};

    fn guest(person: &str, group: Option<&str>) -> Guest {
        Guest { person: person.to_owned(), group: group.map(str::to_owned) }
    }

    #[test]
    fn one_person_and_one_group_have_so_many_an_hour() {
        let (quota, bob) = (CallQuota::default(), guest("bob", None));
        for _ in 0..3 {
            assert_eq!(quota.check(&bob, 3, 0), Ok(()));
            quota.count(&bob, 0);
        }
        assert_eq!(quota.check(&bob, 3, 0), Err(Spent { minutes: 61, is_news: true }));
        assert_eq!(quota.check(&bob, 3, HOUR_MS - 1), Err(Spent { minutes: 1, is_news: false }));
        assert_eq!(quota.check(&bob, 0, 0), Ok(()), "no limit");
        assert_eq!(quota.check(&guest("eve", None), 3, 0), Ok(()), "somebody else");
        assert_eq!(quota.check(&bob, 3, HOUR_MS), Ok(()), "another hour");
        for person in 0..3 * GROUP_FACTOR {
            quota.count(&guest(&person.to_string(), Some("crew")), HOUR_MS);
        }
        assert!(quota.check(&guest("new", Some("crew")), 3, HOUR_MS).is_err(), "the group has had enough");
        assert_eq!(quota.check(&guest("new", None), 3, HOUR_MS), Ok(()));
    }
}
