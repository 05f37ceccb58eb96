//! Bent ids keep to the rule, stay stable and stay apart.

use proptest::prelude::{any, proptest};

use super::{IdRule, fit};

#[test]
fn acceptable_ids_are_left_alone() {
    assert_eq!(fit("toolu_01-Ab", IdRule::Plain(64)), "toolu_01-Ab");
    assert_eq!(fit("abc123XYZ", IdRule::NineAlphanumerics), "abc123XYZ");
}

#[test]
fn different_ids_stay_different() {
    assert_ne!(fit("call|a", IdRule::Plain(40)), fit("call/a", IdRule::Plain(40)));
    assert_ne!(
        fit("call_fake000001", IdRule::NineAlphanumerics),
        fit("call_fake000002", IdRule::NineAlphanumerics)
    );
}

proptest! {
    #[test]
    fn every_id_bends_to_the_rule(id in any::<String>()) {
        for limit in [40, 64] {
            let bent = fit(&id, IdRule::Plain(limit));
            assert!(!bent.is_empty() && bent.len() <= limit, "{bent}");
            assert!(bent.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{bent}");
            assert_eq!(bent, fit(&id, IdRule::Plain(limit)));
        }
        let nine = fit(&id, IdRule::NineAlphanumerics);
        assert!(nine.len() == 9 && nine.chars().all(|c| c.is_ascii_alphanumeric()), "{nine}");
    }
}
