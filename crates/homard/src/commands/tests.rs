//! Commands end when they are done.

use super::run_alone;

#[test]
fn a_command_is_not_kept_by_a_thread_that_waits_for_somebody_to_type() {
    let (_keyboard, typed) = std::sync::mpsc::channel::<()>();
    let reading = async {
        drop(tokio::task::spawn_blocking(move || typed.recv()));
        tokio::task::yield_now().await;
        Ok(())
    };
    run_alone(Box::pin(reading)).unwrap();
}
