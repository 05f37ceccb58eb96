//! The end stays, whole characters only, and what is missing is counted.

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

use super::Tail;

#[test]
fn taking_forgets() {
    let mut tail = Tail::new(4);
    tail.push("abcdef");
    assert_eq!(tail.take(), ("cdef".to_owned(), 2));
    assert_eq!(tail.take(), (String::new(), 0));
    tail.push("g");
    assert_eq!((tail.text(), tail.total()), (("g".to_owned(), 0), 1));
}

proptest! {
    #[test]
    fn what_is_kept_is_the_end_and_within_the_limit(pieces in proptest::collection::vec(".{0,12}", 0..12), limit in 0_usize..40) {
        let mut tail = Tail::new(limit);
        pieces.iter().for_each(|piece| tail.push(piece));
        let whole = pieces.concat();
        let (text, dropped) = tail.text();
        prop_assert!(text.len() <= limit && whole.ends_with(&text));
        prop_assert!(text.len() + 3 >= limit.min(whole.len()));
        prop_assert_eq!(text.len() as u64 + dropped, whole.len() as u64);
    }
}
