//! What a conversation keeps of a turn.

use homard_models::failover::Winner;
use homard_protocol::{ModelId, ProviderId};

use super::to_keep;

#[test]
fn a_stand_in_does_not_replace_the_credential_kept_for_the_wanted_provider() {
    let provider = |id: &str| ProviderId::parse(id).unwrap();
    let winner = |id: &str| Winner {
        provider: provider(id),
        model: ModelId::parse("m").unwrap(),
        profile: Some(format!("{id}:a")),
    };
    let rows = [
        (Some(winner("one")), true, Some("one:a")),
        (Some(winner("one")), false, Some("one:a")),
        (Some(winner("two")), false, Some("two:a")),
        (Some(winner("two")), true, None),
        (None, false, None),
    ];
    for (winner, is_pinned, expected) in rows {
        assert_eq!(to_keep(winner.clone(), &provider("one"), is_pinned).as_deref(), expected, "{winner:?}");
    }
}
