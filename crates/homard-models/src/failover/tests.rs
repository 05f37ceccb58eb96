//! Whole calls over sockets: two fake servers are two providers, one of them with two keys.

mod budgets;
mod faults;
mod patience;
mod world;

/// Every call moves its future several times before it is first asked, however little of it a call needs.
#[test]
fn what_a_call_seldom_needs_is_kept_out_of_its_future() {
    fn size<A, F>(_: fn(A) -> F) -> usize {
        size_of::<F>()
    }
    let bytes = size(super::AttemptLoop::run);
    assert!(bytes < 16 * 1024, "{bytes} bytes");
}
