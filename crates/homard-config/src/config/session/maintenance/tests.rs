//! Ages as people write them.

use serde_json::json;

use super::{DAY, Maintenance};
use crate::raw::session as raw;

#[test]
fn ages_are_read_in_every_spelling() {
    for (written, days) in [
        (json!({}), 30),
        (json!({"pruneAfter": "7d"}), 7),
        (json!({"pruneAfter": "48h"}), 2),
        (json!({"pruneAfter": 3}), 3),
        (json!({"pruneAfter": "4"}), 4),
        (json!({"pruneDays": 5}), 5),
        (json!({"pruneAfter": "soon"}), 30),
        (json!({"pruneAfter": false}), 30),
    ] {
        let raw: raw::Maintenance = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(Maintenance::resolve(&raw).prune_after.as_secs(), days * DAY, "{written}");
    }
    let raw: raw::Maintenance = serde_json::from_value(json!({"mode": "enforce", "maxEntries": 9})).unwrap();
    let rules = Maintenance::resolve(&raw);
    assert_eq!((rules.enforce, rules.max_entries), (true, 9));
}
