//! The fake keeps to the documentation.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{FakeTelegram, Fault, Outcome};

const ADA: i64 = 42;

async fn ask(fake: &FakeTelegram, method: &str, params: Value) -> Result<Value> {
    let path = format!("/bot{}/{method}", fake.token());
    let (_, body) = request(fake, &path, "application/json", &params.to_string()).await?;
    serde_json::from_str(&body).context(body)
}

async fn request(fake: &FakeTelegram, path: &str, kind: &str, body: &str) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect(fake.address).await?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").context("the connection was cut")?;
    let status = head.split(' ').nth(1).context("no status")?.parse()?;
    Ok((status, body.to_owned()))
}

async fn started() -> FakeTelegram {
    let fake = FakeTelegram::start().await.unwrap();
    fake.user_says(ADA, ADA, "hello");
    fake
}

#[tokio::test]
async fn calls_are_refused_in_the_servers_words() {
    let fake = started().await;
    let long = "x".repeat(4_097);
    let options: Vec<Value> = (0..11).map(|n| json!({"text": n.to_string()})).collect();
    let rows = [
        ("sendMessage", json!({"text": "x"}), "chat_id is empty"),
        ("sendMessage", json!({"chat_id": 9, "text": "x"}), "chat not found"),
        ("sendMessage", json!({"chat_id": ADA, "text": ""}), "message text is empty"),
        ("sendMessage", json!({"chat_id": ADA, "text": long}), "message is too long"),
        ("sendMessage", json!({"chat_id": ADA, "text": "a", "colour": 1}), "no documented field"),
        ("sendMessage", json!({"chat_id": ADA, "text": 5}), "must be str"),
        ("sendMessage", json!({"chat_id": ADA, "text": "<b>", "parse_mode": "HTML"}), "can't parse entities"),
        (
            "sendMessage",
            json!({"chat_id": ADA, "text": "a", "message_thread_id": 1}),
            "message thread not found",
        ),
        (
            "sendMessage",
            json!({"chat_id": ADA, "text": "a", "reply_parameters": {"message_id": 99}}),
            "message to be replied not found",
        ),
        (
            "sendMessage",
            json!({"chat_id": ADA, "text": "a", "reply_markup": {"inline_keyboard": [[{"text": "b", "callback_data": long}]]}}),
            "BUTTON_DATA_INVALID",
        ),
        (
            "editMessageText",
            json!({"chat_id": ADA, "message_id": 77, "text": "a"}),
            "message to edit not found",
        ),
        ("editMessageText", json!({"chat_id": ADA, "message_id": 1, "text": "a"}), "message can't be edited"),
        ("deleteMessage", json!({"chat_id": ADA, "message_id": 77}), "message to delete not found"),
        (
            "setMessageReaction",
            json!({"chat_id": ADA, "message_id": 1, "reaction": [{"type": "emoji", "emoji": "🦞"}]}),
            "REACTION_INVALID",
        ),
        ("sendPoll", json!({"chat_id": ADA, "question": "q", "options": [{"text": "a"}]}), "at least 2"),
        ("sendPoll", json!({"chat_id": ADA, "question": "q", "options": options}), "more than 10"),
        ("sendChatAction", json!({"chat_id": ADA, "action": "dancing"}), "wrong parameter action"),
        (
            "setMyCommands",
            json!({"commands": [{"command": "Bad-Name", "description": "x"}]}),
            "BOT_COMMAND_INVALID",
        ),
        ("getFile", json!({"file_id": "nope"}), "wrong file_id"),
        ("setWebhook", json!({"url": "http://example.org/x"}), "HTTPS url must be provided"),
        ("answerCallbackQuery", json!({"callback_query_id": "1"}), "query ID is invalid"),
    ];
    for (method, params, words) in rows {
        let answer = ask(&fake, method, params.clone()).await.unwrap();
        let description = answer["description"].as_str().unwrap_or_default();
        assert_eq!((&answer["ok"], &answer["error_code"]), (&json!(false), &json!(400)), "{method} {params}");
        assert!(description.contains(words), "{method} {params}: {description}");
    }
    assert!(fake.sent().is_empty());
}

#[tokio::test]
async fn strangers_and_unknown_methods_are_turned_away() {
    let fake = started().await;
    let rows = [
        ("/bot1:wrong/getMe".to_owned(), 401),
        ("/botnonsense/getMe".to_owned(), 404),
        (format!("/bot{}/frobnicate", fake.token()), 404),
        ("/".to_owned(), 404),
        (format!("/file/bot{}/nothing", fake.token()), 404),
    ];
    for (path, status) in rows {
        assert_eq!(request(&fake, &path, "application/json", "").await.unwrap().0, status, "{path}");
    }
}

#[tokio::test]
async fn forms_and_parts_are_read_like_json() {
    let fake = started().await;
    let path = format!("/bot{}/sendMessage", fake.token());
    let form = "chat_id=42&text=a+b&disable_notification=true";
    let (status, _) = request(&fake, &path, "application/x-www-form-urlencoded", form).await.unwrap();
    assert_eq!(status, 200);
    let path = format!("/bot{}/sendDocument", fake.token());
    let parts = "--B\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n42\r\n--B\r\nContent-Disposition: \
         form-data; name=\"document\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nhi\r\n--B--\r\n";
    let (status, body) = request(&fake, &path, "multipart/form-data; boundary=B", parts).await.unwrap();
    assert_eq!(status, 200, "{body}");
    let sent = fake.sent();
    assert_eq!(sent[0].params, json!({"chat_id": 42, "text": "a b", "disable_notification": true}));
    assert_eq!((sent[1].uploads[0].file_name.as_str(), &sent[1].uploads[0].bytes[..]), ("a.txt", &b"hi"[..]));
}

#[tokio::test]
async fn an_offset_confirms_and_a_second_poll_ends_the_first() {
    let fake = started().await;
    let first = ask(&fake, "getUpdates", json!({})).await.unwrap();
    let number = first["result"][0]["update_id"].as_i64().unwrap();
    assert_eq!(first["result"][0]["message"]["text"], "hello");
    let waiting = ask(&fake, "getUpdates", json!({"offset": number + 1, "timeout": 30}));
    let other = async {
        fake.wait_for_polls(2).await.unwrap();
        ask(&fake, "getUpdates", json!({"offset": number + 1})).await
    };
    let (ended, other) = tokio::join!(waiting, other);
    assert_eq!(ended.unwrap()["error_code"], 409);
    assert_eq!(other.unwrap()["result"], json!([]));
    assert!(fake.unconfirmed().is_empty());
}

#[tokio::test]
async fn a_waiting_poll_hears_at_once() {
    let fake = FakeTelegram::start().await.unwrap();
    let allowed = json!({"timeout": 30, "allowed_updates": ["message"]});
    let speaking = async {
        fake.wait_for_polls(1).await.unwrap();
        fake.reacts(ADA, ADA, 1, Some("👍"));
        fake.group_says(-100, ADA, "hey @homard_test_bot /stop")
    };
    let (heard, said) = tokio::join!(ask(&fake, "getUpdates", allowed), speaking);
    let heard = heard.unwrap();
    assert_eq!(heard["result"].as_array().unwrap().len(), 1);
    assert_eq!(heard["result"][0]["update_id"], said.update_id);
    let message = &heard["result"][0]["message"];
    assert_eq!(message["entities"][0], json!({"type": "mention", "offset": 4, "length": 16}));
    assert_eq!(message["entities"][1]["type"], "bot_command");
}

#[tokio::test]
async fn faults_come_as_planned() {
    let fake = started().await;
    let hi = || json!({"chat_id": ADA, "text": "hi"});
    fake.fail_next("sendMessage", Fault::TooMany(7)).fail_next("sendMessage", Fault::status(403));
    fake.fail_next("sendMessage", Fault::CutBefore).hang_after_accepting(1);
    assert_eq!(ask(&fake, "sendMessage", hi()).await.unwrap()["parameters"]["retry_after"], 7);
    assert_eq!(ask(&fake, "sendMessage", hi()).await.unwrap()["error_code"], 403);
    assert!(ask(&fake, "sendMessage", hi()).await.is_err());
    assert!(ask(&fake, "sendMessage", hi()).await.is_err());
    let (status, _) = {
        fake.fail_next("*", Fault::status(502));
        let path = format!("/bot{}/sendMessage", fake.token());
        request(&fake, &path, "application/json", &hi().to_string()).await.unwrap()
    };
    assert_eq!(status, 502);
    let outcomes: Vec<Outcome> = fake.calls().into_iter().map(|call| call.outcome).collect();
    assert_eq!(outcomes[2..4], [Outcome::Lost, Outcome::TakenUnheard]);
    assert_eq!(fake.sent().len(), 1);
    assert_eq!(fake.next_sent().await.unwrap().text(), "hi");
}

#[tokio::test]
async fn a_moved_group_says_where_it_went() {
    let fake = started().await;
    fake.migrates(-5, -1_000);
    let answer = ask(&fake, "sendMessage", json!({"chat_id": -5, "text": "a"})).await.unwrap();
    assert_eq!(answer["parameters"]["migrate_to_chat_id"], -1_000);
    fake.closes(ADA, "bot was blocked by the user");
    let answer = ask(&fake, "sendMessage", json!({"chat_id": ADA, "text": "a"})).await.unwrap();
    assert_eq!(answer["error_code"], 403);
}

#[tokio::test]
async fn updates_are_brought_until_they_are_taken() {
    let fake = started().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    ask(&fake, "setWebhook", json!({"url": url, "secret_token": "s3cret"})).await.unwrap();
    let polled = ask(&fake, "getUpdates", json!({})).await.unwrap();
    assert_eq!(polled["error_code"], 409);
    for status in ["500 No", "200 OK"] {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut seen = vec![0; 4_096];
        let mut length = 0;
        while !String::from_utf8_lossy(&seen[..length]).contains("hello") {
            length += stream.read(&mut seen[length..]).await.unwrap();
        }
        let text = String::from_utf8_lossy(&seen[..length]).into_owned();
        assert!(text.contains("x-telegram-bot-api-secret-token: s3cret"), "{text}");
        stream.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes()).await.unwrap();
    }
    fake.wait_until_confirmed().await.unwrap();
    let info = ask(&fake, "getWebhookInfo", json!({})).await.unwrap();
    assert_eq!(info["result"]["url"], url);
    assert!(info["result"]["last_error_message"].as_str().unwrap().contains("500"));
}
