//! Facts about renewing logins: once, never lost, and honest when it does not work.

use std::time::Duration;

use homard_llm::{CredentialKind, FailReason};
use homard_testkit::{FAKE_ACCOUNT, Issued, OAuthFault};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::world::{HOUR, NOW, World, candidate, first, login, secret};

#[tokio::test]
async fn a_fresh_login_is_used_as_it_is() {
    let world = World::new().await;
    let issued = world.store_login(HOUR);
    let credential = first(&world.profiles(), &world.auth("codex")).await.unwrap();
    assert_eq!(secret(&credential), issued.access);
    assert_eq!(credential.kind, CredentialKind::OAuth);
    assert_eq!(credential.headers.iter().next(), Some(("chatgpt-account-id", FAKE_ACCOUNT)));
    assert_eq!(world.fake.refreshes(), 0);
}

#[tokio::test]
async fn an_expired_login_is_renewed_and_written_before_it_is_used() {
    let world = World::new().await;
    let issued = world.store_login(-1);
    let profiles = world.profiles();
    let credential = first(&profiles, &world.auth("codex")).await.unwrap();
    let stored = &world.read("main")["profiles"]["codex:default"];
    assert_eq!(stored["access"], secret(&credential));
    assert_ne!(stored["refresh"], issued.refresh);
    assert_eq!(stored["expires"], NOW + HOUR);
    assert_eq!(stored["projectId"], "kept");
    assert!(world.fake.accepts(&secret(&credential)));
    first(&profiles, &world.auth("codex")).await.unwrap();
    assert_eq!(world.fake.refreshes(), 1);
}

#[tokio::test]
async fn a_login_about_to_expire_is_renewed_early() {
    let world = World::new().await;
    let issued = world.store_login(9 * 60_000);
    let credential = first(&world.profiles(), &world.auth("codex")).await.unwrap();
    assert_ne!(secret(&credential), issued.access);
}

#[tokio::test]
async fn short_lived_tokens_are_not_renewed_with_every_call() {
    let world = World::new().await;
    world.fake.tokens_live(300);
    world.store_login(-1);
    let profiles = world.profiles();
    for _ in 0..3 {
        first(&profiles, &world.auth("codex")).await.unwrap();
    }
    assert_eq!(world.fake.refreshes(), 1);
    world.clock.advance(Duration::from_secs(240));
    first(&profiles, &world.auth("codex")).await.unwrap();
    assert_eq!(world.fake.refreshes(), 2);
}

#[tokio::test]
async fn many_calls_and_many_handles_renew_once() {
    let world = World::new().await;
    world.store_login(-1);
    let auth = world.auth("codex");
    let handles = [world.profiles(), world.profiles(), world.profiles()];
    let calls = (0..12).map(|n| first(&handles[n % handles.len()], &auth));
    let mut seen: Vec<_> = futures_util::future::join_all(calls)
        .await
        .into_iter()
        .map(|credential| secret(&credential.unwrap()))
        .collect();
    seen.dedup();
    assert_eq!(seen.len(), 1, "everybody uses the same token");
    assert_eq!((world.fake.refreshes(), world.fake.replays()), (1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_programs_renew_once() {
    let world = World::new().await;
    world.store_login(-1);
    let gate = CancellationToken::new();
    world.fake.fault(OAuthFault::Slow(gate.clone()));
    // Each with a runtime, a handle and connections of its own: all they share is the file.
    let programs: Vec<_> = (0..2)
        .map(|_| {
            let (profiles, auth) = (world.profiles(), world.auth("codex"));
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async { secret(&first(&profiles, &auth).await.unwrap()) })
            })
        })
        .collect();
    world.fake.wait_for_refreshes(1).await.unwrap();
    gate.cancel();
    let tokens: Vec<_> = tokio::task::spawn_blocking(move || {
        programs.into_iter().map(|program| program.join().unwrap()).collect()
    })
    .await
    .unwrap();
    assert_eq!(tokens[0], tokens[1]);
    assert!(world.fake.accepts(&tokens[0]));
    assert_eq!((world.fake.refreshes(), world.fake.replays()), (1, 0));
}

#[tokio::test]
async fn a_caller_who_leaves_does_not_lose_the_new_token() {
    let world = World::new().await;
    let issued = world.store_login(-1);
    let gate = CancellationToken::new();
    world.fake.fault(OAuthFault::Slow(gate.clone()));
    let (profiles, auth) = (world.profiles(), world.auth("codex"));
    let one = candidate(&profiles, &auth, "codex:default").await;
    let cancel = CancellationToken::new();
    let asking = profiles.credential(&auth, &one, &cancel);
    let leaving = async {
        world.fake.wait_for_refreshes(1).await.unwrap();
        cancel.cancel();
    };
    let (asked, ()) = tokio::join!(asking, leaving);
    assert_eq!(asked.unwrap_err().reason, FailReason::Aborted);
    assert_eq!(world.read("main")["profiles"]["codex:default"]["refresh"], issued.refresh);
    gate.cancel();
    let credential = first(&profiles, &auth).await.unwrap();
    assert_eq!((world.fake.refreshes(), world.fake.replays()), (1, 0));
    assert!(world.fake.accepts(&secret(&credential)));
    assert_eq!(world.read("main")["profiles"]["codex:default"]["access"], secret(&credential));
}

#[tokio::test]
async fn a_revoked_login_says_how_to_log_in_again() {
    let world = World::new().await;
    let issued = world.store_login(-1);
    world.fake.revoke(&issued.refresh);
    let profiles = world.profiles();
    for _ in 0..3 {
        let error = first(&profiles, &world.auth("codex")).await.unwrap_err();
        assert_eq!(error.reason, FailReason::Auth);
        assert_eq!(
            error.message,
            "the login `codex:default` was revoked; run `homard models auth login --provider codex`"
        );
    }
    assert_eq!(world.fake.refreshes(), 1, "a void token is not shown again and again");
    let again = world.fake.issue();
    world.write_profiles(&json!({"codex:default": login(&again, NOW - 1)}));
    first(&profiles, &world.auth("codex")).await.unwrap();
}

#[tokio::test]
async fn a_login_renewed_by_a_program_without_our_lock_is_found() {
    for (left, renewals) in [(HOUR, 1), (-1, 2)] {
        let world = World::new().await;
        let stale = Issued { access: "spent".to_owned(), refresh: "spent".to_owned() };
        world.write_profiles(&json!({"codex:default": login(&stale, NOW - 1)}));
        let gate = CancellationToken::new();
        world.fake.fault(OAuthFault::Slow(gate.clone()));
        let (profiles, auth) = (world.profiles(), world.auth("codex"));
        let theirs = world.fake.issue();
        let other_program = async {
            world.fake.wait_for_refreshes(1).await.unwrap();
            world.write_profiles(&json!({"codex:default": login(&theirs, NOW + left)}));
            gate.cancel();
        };
        let (renewed, ()) = tokio::join!(first(&profiles, &auth), other_program);
        assert!(world.fake.accepts(&secret(&renewed.unwrap())));
        assert_eq!((world.fake.refreshes(), world.fake.replays()), (renewals, 0));
    }
}

#[tokio::test]
async fn trouble_at_the_token_server_does_not_matter_while_the_token_is_good() {
    let faults = [
        OAuthFault::Html,
        OAuthFault::Empty,
        OAuthFault::Echoes,
        OAuthFault::Refuses(500, "oops".to_owned()),
        OAuthFault::Refuses(503, json!({"error": "temporarily_unavailable"}).to_string()),
        OAuthFault::Refuses(400, json!({"error": "invalid_grant"}).to_string()),
    ];
    for fault in faults {
        let world = World::new().await;
        let issued = world.store_login(60_000);
        world.fake.fault(fault.clone());
        let profiles = world.profiles();
        for _ in 0..3 {
            let credential = first(&profiles, &world.auth("codex")).await.unwrap();
            assert_eq!(secret(&credential), issued.access, "{fault:?}");
        }
        assert_eq!(world.fake.refreshes(), 1, "not asked with every call: {fault:?}");
    }
}

#[tokio::test]
async fn trouble_at_the_token_server_is_told_when_the_token_has_expired() {
    let faults = [
        (OAuthFault::Html, FailReason::Timeout),
        (OAuthFault::Empty, FailReason::Timeout),
        (OAuthFault::Refuses(502, "<html>bad gateway</html>".to_owned()), FailReason::Timeout),
        (OAuthFault::Refuses(429, "{}".to_owned()), FailReason::Timeout),
        (OAuthFault::Refuses(401, json!({"error": "invalid_client"}).to_string()), FailReason::Auth),
        (OAuthFault::Refuses(400, json!({"error": "invalid_grant"}).to_string()), FailReason::Auth),
        (OAuthFault::Echoes, FailReason::Auth),
    ];
    for (fault, reason) in faults {
        let world = World::new().await;
        let issued = world.store_login(-1);
        world.fake.fault(fault.clone());
        let error = first(&world.profiles(), &world.auth("codex")).await.unwrap_err();
        assert_eq!(error.reason, reason, "{fault:?}: {error}");
        assert!(!format!("{error:?}").contains(&issued.refresh), "{error}");
        assert_eq!(world.read("main")["profiles"]["codex:default"]["refresh"], issued.refresh);
    }
}

#[tokio::test]
async fn a_slow_token_server_is_not_waited_for_while_the_token_is_good() {
    let mut world = World::new().await;
    world.limits.grace_wait = Duration::from_millis(20);
    let issued = world.store_login(60_000);
    let gate = CancellationToken::new();
    world.fake.fault(OAuthFault::Slow(gate.clone()));
    let profiles = world.profiles();
    let credential = first(&profiles, &world.auth("codex")).await.unwrap();
    assert_eq!(secret(&credential), issued.access);
    gate.cancel();
    // Takes the pen after the renewal in the background has put it down.
    profiles.clear_order(&world.auth("codex").provider).await.unwrap();
    assert_ne!(secret(&first(&profiles, &world.auth("codex")).await.unwrap()), issued.access);
    assert_eq!((world.fake.refreshes(), world.fake.replays()), (1, 0));
}

#[tokio::test]
async fn a_token_server_that_never_answers_fails_everybody_once() {
    let mut world = World::new().await;
    world.limits.token_timeout = Duration::from_millis(50);
    world.store_login(-1);
    world.fake.fault(OAuthFault::Hangs);
    let (profiles, auth) = (world.profiles(), world.auth("codex"));
    let calls = (0..5).map(|_| first(&profiles, &auth));
    for outcome in futures_util::future::join_all(calls).await {
        assert_eq!(outcome.unwrap_err().reason, FailReason::Timeout);
    }
    assert_eq!(world.fake.refreshes(), 1, "who waited shares the outcome");
    assert!(first(&profiles, &auth).await.is_ok(), "the next call tries again");
}

#[tokio::test]
async fn a_refused_access_token_is_renewed_whatever_the_clock_says() {
    let world = World::new().await;
    let issued = world.store_login(HOUR);
    let (profiles, auth) = (world.profiles(), world.auth("codex"));
    let one = candidate(&profiles, &auth, "codex:default").await;
    profiles.mark_failed(&one, FailReason::Auth, None);
    let credential = first(&profiles, &auth).await.unwrap();
    assert_ne!(secret(&credential), issued.access);
    first(&profiles, &auth).await.unwrap();
    assert_eq!(world.fake.refreshes(), 1);
}

#[tokio::test]
async fn a_clock_that_jumps_ahead_renews_and_goes_on() {
    let world = World::new().await;
    world.store_login(HOUR);
    let (profiles, auth) = (world.profiles(), world.auth("codex"));
    first(&profiles, &auth).await.unwrap();
    world.clock.advance(Duration::from_secs(10 * 365 * 24 * 3_600));
    let credential = first(&profiles, &auth).await.unwrap();
    assert!(world.fake.accepts(&secret(&credential)));
    assert_eq!(world.fake.refreshes(), 1);
}

#[tokio::test]
async fn a_provider_that_keeps_the_refresh_token_is_understood() {
    let world = World::new().await;
    let issued = world.store_login(-1);
    world.fake.fault(OAuthFault::KeepsRefresh);
    let (profiles, auth) = (world.profiles(), world.auth("codex"));
    first(&profiles, &auth).await.unwrap();
    assert_eq!(world.read("main")["profiles"]["codex:default"]["refresh"], issued.refresh);
    world.clock.advance(Duration::from_secs(3_600));
    first(&profiles, &auth).await.unwrap();
    assert_eq!(world.fake.replays(), 0);
}

#[tokio::test]
async fn a_file_changed_by_hand_during_a_renewal_keeps_the_change() {
    let world = World::new().await;
    let issued = world.store_login(-1);
    let gate = CancellationToken::new();
    world.fake.fault(OAuthFault::Slow(gate.clone()));
    let (profiles, auth) = (world.profiles(), world.auth("codex"));
    let editing = async {
        world.fake.wait_for_refreshes(1).await.unwrap();
        let mut file = world.read("main");
        file["profiles"]["acme:new"] = json!({"type": "api_key", "provider": "acme", "key": "k"});
        world.write("main", &file.to_string());
        gate.cancel();
    };
    let (renewed, ()) = tokio::join!(first(&profiles, &auth), editing);
    let stored = world.read("main");
    assert_eq!(stored["profiles"]["codex:default"]["access"], secret(&renewed.unwrap()));
    assert_ne!(stored["profiles"]["codex:default"]["refresh"], issued.refresh);
    assert_eq!(stored["profiles"]["acme:new"]["key"], "k");
}

#[tokio::test]
async fn a_file_broken_during_a_renewal_is_not_replaced_and_the_token_not_lost() {
    let world = World::new().await;
    world.store_login(-1);
    let gate = CancellationToken::new();
    world.fake.fault(OAuthFault::Slow(gate.clone()));
    let (profiles, auth) = (world.profiles(), world.auth("codex"));
    let whole = std::fs::read_to_string(world.path("main")).unwrap();
    let breaking = async {
        world.fake.wait_for_refreshes(1).await.unwrap();
        world.write("main", "{ half an ed");
        gate.cancel();
    };
    let (renewed, ()) = tokio::join!(first(&profiles, &auth), breaking);
    let token = secret(&renewed.unwrap());
    assert!(world.fake.accepts(&token));
    assert_eq!(std::fs::read_to_string(world.path("main")).unwrap(), "{ half an ed");
    world.write("main", &whole);
    profiles.flush().await;
    assert_eq!(world.read("main")["profiles"]["codex:default"]["access"], token);
    assert_eq!((world.fake.refreshes(), world.fake.replays()), (1, 0));
}

#[tokio::test]
async fn a_login_without_a_way_to_renew_it_is_used_to_its_end() {
    let world = World::new().await;
    let issued = world.store_login(60_000);
    let auth = homard_models::auth::ProviderAuth { oauth: None, ..world.auth("codex") };
    let profiles = world.profiles();
    assert_eq!(secret(&first(&profiles, &auth).await.unwrap()), issued.access);
    world.clock.advance(Duration::from_secs(61));
    assert_eq!(first(&profiles, &auth).await.unwrap_err().reason, FailReason::Auth);
}
