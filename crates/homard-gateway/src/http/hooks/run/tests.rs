//! Who is refused is not served all the same.

use homard_relay::AcceptError;

use super::{ADMIT_WITHIN, taken, within};
use homard_automation::hooks::webhooks::WebhookError;

#[tokio::test(start_paused = true)]
async fn an_event_is_answered_when_it_is_kept_and_a_message_is_waited_for_only_so_long() {
    let late = || async {
        tokio::time::sleep(2 * ADMIT_WITHIN).await;
        Ok::<_, AcceptError>("kept")
    };
    assert_eq!(taken(late()).await.unwrap(), "kept");
    assert!(matches!(within(late()).await, Err(WebhookError::Busy(_))));
    let full = taken(async { Err::<(), _>(AcceptError::Stopping) }).await;
    assert!(matches!(full, Err(WebhookError::Busy(_))), "{full:?}");
}
