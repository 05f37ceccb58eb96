//! Accounts that connect, break and are looked after.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::{Abilities, ChannelError};
use homard_config::config::gateway::HealthCheck;
use homard_runtime::{Clock, Tasks};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::supervise::Account;
use crate::fixture::{Line, Platform, Shared, World, abilities, address};

/// An account whose task runs; the clock stands still, so silence is measured only where a test turns it.
fn run(platform: &Arc<Platform>, clock: &Clock) -> (Arc<Account>, CancellationToken, Tasks) {
    run_looking(platform, clock, HealthCheck::Usual)
}

fn run_looking(
    platform: &Arc<Platform>,
    clock: &Clock,
    look: HealthCheck,
) -> (Arc<Account>, CancellationToken, Tasks) {
    let account = Arc::new(Account::new(Arc::new(Shared(Arc::clone(platform))), Arc::default()));
    let (to_relay, heard) = mpsc::channel(1);
    let (tasks, cancel) = (Tasks::new(), CancellationToken::new());
    account.begins();
    let (running, token, clock) = (Arc::clone(&account), cancel.clone(), clock.clone());
    tasks.spawn(async move {
        let _open = heard;
        running.run(to_relay, clock, look, token).await;
    });
    (account, cancel, tasks)
}

async fn listened(platform: &Platform, times: usize) {
    platform.listened.subscribe().wait_for(|listened| *listened >= times).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_is_made_again_and_its_trouble_forgotten_once_it_lives() {
    let platform = Platform::new(abilities());
    for _time in 0..2 {
        platform.line(Line::Breaks(ChannelError::Unreachable("no route".into())));
    }
    let (account, cancel, tasks) = run(&platform, &Clock::fixed(0));
    listened(&platform, 2).await;
    tokio::task::yield_now().await;
    let status = account.status();
    assert_eq!((status.running, status.connected, status.reconnect_attempts), (true, false, 2));
    assert!(status.last_error.unwrap().contains("no route"));
    listened(&platform, 3).await;
    tokio::task::yield_now().await;
    let status = account.status();
    assert_eq!((status.connected, status.reconnect_attempts, status.last_error), (true, 0, None));
    assert_eq!(status.probe.and_then(|probe| probe.username).as_deref(), Some("homard_bot"));
    cancel.cancel();
    tasks.finish(Duration::from_secs(5)).await;
    assert!(!account.status().running);
}

#[tokio::test(start_paused = true)]
async fn refused_credentials_stop_the_account_at_once() {
    let platform = Platform::new(abilities());
    platform.line(Line::Breaks(ChannelError::Refused("bad token".into())));
    let (account, _cancel, tasks) = run(&platform, &Clock::fixed(0));
    tasks.finish(Duration::from_secs(5)).await;
    let status = account.status();
    assert_eq!((status.running, *platform.listened.borrow()), (false, 1));
    assert!(status.last_error.unwrap().contains("bad token"));
}

#[tokio::test(start_paused = true)]
async fn ten_failures_in_a_row_are_given_up_with_words_and_tried_again_much_later() {
    let platform = Platform::new(abilities());
    for _time in 0..11 {
        platform.line(Line::Breaks(ChannelError::Unreachable("no route".into())));
    }
    let (account, cancel, tasks) = run(&platform, &Clock::fixed(0));
    listened(&platform, 11).await;
    tokio::task::yield_now().await;
    let status = account.status();
    assert!(!status.running && status.last_error.unwrap().contains("homard channels start"));
    listened(&platform, 12).await;
    tokio::task::yield_now().await;
    assert!(account.status().connected);
    cancel.cancel();
    tasks.finish(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_sign_of_life_is_dead_and_made_again() {
    let platform = Platform::new(Abilities { silence_limit: Duration::from_secs(60), ..abilities() });
    platform.line(Line::Dead);
    let clock = Clock::fixed(0);
    let (account, cancel, tasks) = run(&platform, &clock);
    listened(&platform, 1).await;
    tokio::task::yield_now().await;
    assert!(!account.status().connected, "nothing was heard yet");
    clock.advance(Duration::from_secs(61));
    listened(&platform, 2).await;
    tokio::task::yield_now().await;
    assert!(account.status().connected);
    cancel.cancel();
    tasks.finish(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn a_dead_connection_is_noticed_when_the_owner_has_it_looked_at_and_never_where_it_is_not() {
    let hour = Duration::from_secs(60 * 60);
    for (look, noticed_after) in [
        (HealthCheck::Usual, Some(Duration::from_secs(30))),
        (HealthCheck::Every(hour), Some(hour)),
        (HealthCheck::Off, None),
    ] {
        let platform = Platform::new(Abilities { silence_limit: Duration::from_secs(60), ..abilities() });
        platform.line(Line::Dead);
        let clock = Clock::fixed(0);
        let (_account, cancel, tasks) = run_looking(&platform, &clock, look);
        listened(&platform, 1).await;
        // The first look is at once.
        tokio::task::yield_now().await;
        clock.advance(Duration::from_secs(61));
        if let Some(after) = noticed_after {
            assert!(tokio::time::timeout(after / 2, listened(&platform, 2)).await.is_err(), "{look:?}");
        }
        let noticed = tokio::time::timeout(hour * 2, listened(&platform, 2)).await;
        assert_eq!(noticed.is_ok(), noticed_after.is_some(), "{look:?}");
        cancel.cancel();
        tasks.finish(Duration::from_secs(5)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_account_that_stays_silent_is_connected_again_three_times_an_hour_and_then_says_so() {
    let platform = Platform::new(Abilities { silence_limit: Duration::from_secs(60), ..abilities() });
    for _time in 0..5 {
        platform.line(Line::Dead);
    }
    let clock = Clock::fixed(0);
    let (account, cancel, tasks) = run(&platform, &clock);
    for time in 1..=4 {
        listened(&platform, time).await;
        tokio::task::yield_now().await;
        clock.advance(Duration::from_secs(61));
    }
    let half = Duration::from_secs(30 * 60);
    assert!(tokio::time::timeout(half, listened(&platform, 5)).await.is_err());
    let status = account.status();
    assert!(status.running && !status.connected, "{status:?}");
    assert!(status.last_error.unwrap().contains("3 times within an hour"));
    assert!(tokio::time::timeout(half, listened(&platform, 5)).await.is_ok(), "the hour is over");
    cancel.cancel();
    tasks.finish(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn accounts_are_stopped_started_and_replaced() {
    let world = World::new(json!({}));
    let (first, second) = (Platform::new(abilities()), Platform::new(abilities()));
    world.relay.platforms().open_channels(vec![Arc::new(Shared(Arc::clone(&first)))]).await.unwrap();
    listened(&first, 1).await;
    let homard_channel::Address { channel, account, .. } = address("1");
    assert_eq!(world.relay.platforms().stop_channel(&channel, &account).await, Some(true));
    assert_eq!(world.relay.platforms().stop_channel(&channel, &account).await, Some(false));
    let status = world.relay.platforms().channel_status();
    assert!(matches!(&status[..], [one] if !one.running && one.last_stop_at.is_some()), "{status:?}");
    assert_eq!(world.relay.platforms().start_channel(&channel, &account).await, Some(true));
    listened(&first, 2).await;
    assert_eq!(world.relay.platforms().start_channel(&channel, &account).await, Some(false));
    world.relay.platforms().replace_channel(Arc::new(Shared(Arc::clone(&second)))).await;
    listened(&second, 1).await;
    assert_eq!(world.relay.platforms().channel_status().len(), 1);
    assert!(world.relay.platforms().remove_channel(&channel, &account).await);
    assert_eq!(world.relay.platforms().stop_channel(&channel, &account).await, None);
    world.relay.stop(Duration::ZERO).await;
}

#[tokio::test(start_paused = true)]
async fn an_account_whose_adapter_has_a_bug_is_connected_again_and_can_be_stopped() {
    let platform = Platform::new(abilities());
    platform.line(Line::Panics);
    let (account, _cancel, _tasks) = run(&platform, &Clock::fixed(0));
    listened(&platform, 2).await;
    account.stop().await;
    assert!(!account.status().running);
}
