//! How much others than the owner may leave on the owner's disk in a day. Gone after a restart, which nobody but the
//! owner brings about.

use std::collections::HashMap;

/// Bytes of files one person may send in a day.
const PER_PERSON: u64 = 200 << 20;
/// Bytes of files all of them may send in a day.
const OF_ALL: u64 = 2 << 30;
/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What came today.
#[derive(Debug, Default)]
pub(super) struct MediaQuota {
    day: i64,
    by_person: HashMap<String, u64>,
}

impl MediaQuota {
    /// How many bytes somebody may still send.
    pub(super) fn left(&mut self, person: &str, now_ms: i64) -> u64 {
        let day = now_ms.div_euclid(DAY_MS);
        if day != self.day {
            *self = Self { day, ..Self::default() };
        }
        let sent = self.by_person.get(person).copied().unwrap_or_default();
        let all: u64 = self.by_person.values().sum();
        PER_PERSON.saturating_sub(sent).min(OF_ALL.saturating_sub(all))
    }

    /// Somebody has sent so many.
    pub(super) fn sent(&mut self, person: &str, bytes: u64) {
        *self.by_person.entry(person.to_owned()).or_default() += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::{DAY_MS, MediaQuota, OF_ALL, PER_PERSON};

    #[test]
    fn one_person_and_all_together_have_so_much_a_day() {
        let mut quota = MediaQuota::default();
        assert_eq!(quota.left("chat:43", 0), PER_PERSON);
        quota.sent("chat:43", PER_PERSON);
        assert_eq!((quota.left("chat:43", 1), quota.left("chat:44", 1)), (0, PER_PERSON));
        for person in 100..100 + OF_ALL / PER_PERSON {
            let person = format!("chat:{person}");
            let left = quota.left(&person, 2);
            quota.sent(&person, left);
        }
        assert_eq!(quota.left("chat:44", 3), 0);
        assert_eq!(quota.left("chat:43", DAY_MS), PER_PERSON, "another day");
    }
}
