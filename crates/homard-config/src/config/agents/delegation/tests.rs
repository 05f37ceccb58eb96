//! Who may reach whom.

use super::{AgentNames, AgentToAgent};

#[test]
fn agents_reach_each_other_only_when_both_are_named() {
    let names =
        |names: &[&str]| AgentNames::new(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
    let cases = [
        (false, names(&["*"]), "main", "work", false),
        (false, names(&[]), "main", "main", true),
        (true, names(&[]), "main", "work", true),
        (true, names(&["*"]), "main", "work", true),
        (true, names(&["main"]), "main", "work", false),
        (true, names(&["main", " Work "]), "main", "work", true),
    ];
    for (enabled, allow, from, to, expected) in cases {
        let policy = AgentToAgent { enabled, allow };
        assert_eq!(policy.allows(from, to), expected, "{policy:?} {from} {to}");
    }
}
