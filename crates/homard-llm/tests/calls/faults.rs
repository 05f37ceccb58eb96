//! What goes wrong: each fault becomes one classified, readable, secret-free last event.

use std::time::Duration;

use futures_util::StreamExt;
use homard_llm::{FailReason, HttpOptions, Retry, StreamEvent};
use homard_protocol::StopReason;
use tokio_util::sync::CancellationToken;

use crate::calls::world::{APIS, KEY, World, hasty, resolve, text};

#[tokio::test]
async fn a_rate_limit_says_how_long_to_wait() {
    for api in APIS {
        let world = World::start(api).await;
        world.fake.rate_limits(Duration::from_secs(7));
        let error = world.ask(world.request("hi")).await.1.unwrap_err();
        assert_eq!((error.reason, error.status), (FailReason::RateLimit, Some(429)), "{api}");
        assert_eq!(error.retry(), Retry::After(Duration::from_secs(7)));
        assert_eq!(error.partial, None);
    }
}

#[tokio::test]
async fn refusals_are_classified_and_keep_no_secret() {
    let rows = [
        (500, r#"{"error":{"message":"broken inside"}}"#.to_owned(), FailReason::Overloaded),
        (401, format!(r#"{{"error":{{"message":"the key {KEY} is wrong"}}}}"#), FailReason::Auth),
        (503, "<html><title>Down</title></html>".to_owned(), FailReason::Overloaded),
        (404, r#"{"error":{"message":"model fake-1 not found"}}"#.to_owned(), FailReason::ModelNotFound),
    ];
    for api in APIS {
        let world = World::start(api).await;
        for (status, body, reason) in &rows {
            world.fake.fails(*status, body.clone());
            let error = world.ask(world.request("hi")).await.1.unwrap_err();
            assert_eq!((error.reason, error.status), (*reason, Some(*status)), "{api}");
            assert!(!format!("{error:?}{error}").contains(KEY), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_cut_stream_keeps_what_had_arrived() {
    for api in APIS {
        let world = World::start(api).await;
        world.fake.cuts_after(3);
        let (events, end) = world.ask(world.request("hi")).await;
        let error = end.unwrap_err();
        assert_eq!(error.reason, FailReason::Timeout, "{api}: {error}");
        assert_eq!(text(&events), "w0 w1 w2 ");
        let partial = error.partial.unwrap();
        assert_eq!((partial.text().as_str(), partial.stop_reason), ("w0 w1 w2 ", StopReason::Error));
        assert_eq!(partial.error_message.as_deref(), Some(error.message.as_str()));
    }
}

#[tokio::test]
async fn silence_is_given_up_on() {
    for api in APIS {
        let world = World::start_with(api, hasty()).await;
        world.fake.hangs().stalls_after(2);
        let never = world.ask(world.request("hi")).await.1.unwrap_err();
        assert_eq!((never.reason, never.partial), (FailReason::Timeout, None), "{api}");
        let stalled = world.ask(world.request("hi")).await.1.unwrap_err();
        assert_eq!(stalled.reason, FailReason::Timeout, "{api}");
        assert_eq!(stalled.partial.unwrap().text(), "w0 w1 ");
        world.fake.wait_for_hangups(2).await.unwrap();
    }
}

#[tokio::test]
async fn an_unreadable_stream_is_named_as_such() {
    for api in APIS {
        let world = World::start(api).await;
        world.fake.malformed();
        let error = world.ask(world.request("hi")).await.1.unwrap_err();
        assert_eq!(error.reason, FailReason::Format, "{api}");
        assert_eq!(error.partial.unwrap().text(), "w0 ");
    }
}

#[tokio::test]
async fn a_web_page_is_not_mistaken_for_an_answer() {
    for api in APIS {
        let world = World::start(api).await;
        world.fake.html();
        let error = world.ask(world.request("hi")).await.1.unwrap_err();
        assert_eq!(error.reason, FailReason::Format, "{api}");
        assert!(error.message.contains("hotel network"), "{error}");
    }
}

#[tokio::test]
async fn stopping_a_call_drops_the_connection_and_keeps_the_words() {
    for api in APIS {
        let world = World::start(api).await;
        let _gate = world.fake.gate("first rest");
        let cancel = CancellationToken::new();
        let mut stream = world.model.provider.stream(world.request("hi"), cancel.clone());
        while !matches!(stream.next().await.unwrap(), StreamEvent::Text(_)) {}
        cancel.cancel();
        let rest: Vec<_> = stream.by_ref().collect().await;
        let [StreamEvent::Failed(error)] = rest.as_slice() else { panic!("{api}: {rest:?}") };
        assert_eq!(error.reason, FailReason::Aborted);
        let partial = error.partial.as_ref().unwrap();
        assert_eq!((partial.text().as_str(), partial.stop_reason), ("first ", StopReason::Aborted));
        // The stream itself is still alive: the connection went with the call, not with it.
        world.fake.wait_for_hangups(1).await.unwrap();
    }
}

#[tokio::test]
async fn stopping_before_the_first_word_drops_the_connection_too() {
    for api in APIS {
        let world = World::start(api).await;
        world.fake.hangs();
        let cancel = CancellationToken::new();
        let stream = world.model.provider.stream(world.request("hi"), cancel.clone());
        let stop = async {
            world.fake.wait_for_request(1).await.unwrap();
            cancel.cancel();
        };
        let (events, ()) = tokio::join!(stream.collect::<Vec<_>>(), stop);
        let [StreamEvent::Failed(error)] = events.as_slice() else { panic!("{api}: {events:?}") };
        assert_eq!((error.reason, &error.partial), (FailReason::Aborted, &None));
        world.fake.wait_for_hangups(1).await.unwrap();
    }
}

#[tokio::test]
async fn dropping_the_stream_drops_the_connection() {
    for api in APIS {
        let world = World::start(api).await;
        let _gate = world.fake.gate("first rest");
        let mut stream = world.model.provider.stream(world.request("hi"), CancellationToken::new());
        while !matches!(stream.next().await.unwrap(), StreamEvent::Text(_)) {}
        drop(stream);
        world.fake.wait_for_hangups(1).await.unwrap();
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    // Nothing listens on the discard port of a loopback address nobody uses.
    let rows = [("http://127.0.0.91:9/v1", FailReason::Timeout), ("nonsense", FailReason::Format)];
    for api in APIS {
        let world = World::start(api).await;
        for (base, reason) in rows {
            let model = resolve(api, base, HttpOptions::default());
            let events: Vec<_> =
                model.provider.stream(world.request("hi"), CancellationToken::new()).collect().await;
            let [StreamEvent::Failed(error)] = events.as_slice() else { panic!("{events:?}") };
            assert_eq!(error.reason, reason, "{api} {base}: {error}");
        }
    }
}

#[tokio::test]
async fn a_request_the_api_refuses_says_why() {
    for api in APIS {
        let world = World::start(api).await;
        let mut request = world.request("hi");
        request.tools = std::sync::Arc::from([homard_llm::ToolSpec {
            name: "not a name".to_owned(),
            description: String::new(),
            parameters: serde_json::json!({}).into(),
        }]);
        let error = world.ask(request).await.1.unwrap_err();
        assert_eq!((error.reason, error.status), (FailReason::Format, Some(400)), "{api}");
        assert!(error.message.contains("name"), "{error}");
    }
}
