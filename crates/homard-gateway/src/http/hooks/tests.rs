//! How long a caller waits.

use std::time::Duration;

use http::StatusCode;

use super::{MEANT_WITHIN, in_time, status_of};

#[tokio::test(start_paused = true)]
async fn programs_that_are_slow_one_after_the_other_have_one_deadline() {
    let one_of = |items: u32| async move {
        for _item in 0..items {
            tokio::time::sleep(Duration::from_secs(9)).await;
        }
        Ok(items)
    };
    assert_eq!(in_time(one_of(3)).await.unwrap(), 3);
    let began = tokio::time::Instant::now();
    let late = in_time(one_of(200)).await.unwrap_err();
    assert_eq!((status_of(&late), began.elapsed()), (StatusCode::INTERNAL_SERVER_ERROR, MEANT_WITHIN));
    assert!(late.to_string().contains("30 s in all"), "{late}");
}
