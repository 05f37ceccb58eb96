//! The fake Bot API as a process of its own, for tests that are not written in Rust.
//!
//! The first line it writes is `{"url", "token", "bot"}`. It reads one JSON object per line and answers each with one:
//! `{"says": {"user", "text", "chat"?, "name"?}}` somebody writes, `{"fails": {"method", "code", "words"?}}` the next
//! such call is refused, `{"closes": {"chat", "why"}}` nobody can be written to there, `{"sent": true}` what was sent.
//! It ends when its input does.

use std::io::{BufRead as _, Write as _};

use anyhow::{Context, Result, bail};
use homard_testkit::{FakeTelegram, Fault};
use serde::Deserialize;
use serde_json::{Value, json};

fn main() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let _inside = runtime.enter();
    let fake = runtime.block_on(FakeTelegram::start())?;
    tell(&json!({"url": fake.url(), "token": fake.token(), "bot": fake.bot_name()}))?;
    for line in std::io::stdin().lock().lines() {
        let order = serde_json::from_str(&line?).context("not an order");
        let answer = order.and_then(|order| obey(&fake, order));
        tell(&answer.unwrap_or_else(|error| json!({"error": format!("{error:#}")})))?;
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Order {
    Says { user: i64, text: String, chat: Option<i64>, name: Option<String> },
    Fails { method: String, code: u16, words: Option<String> },
    Closes { chat: i64, why: String },
    Sent(bool),
}

fn obey(fake: &FakeTelegram, order: Order) -> Result<Value> {
    match order {
        Order::Says { user, text, chat, name } => {
            if let Some(name) = name {
                fake.names(user, &name);
            }
            let said = fake.user_says(chat.unwrap_or(user), user, &text);
            Ok(json!({"messageId": said.message_id}))
        }
        Order::Fails { method, code, words } => {
            let fault = words.map_or_else(|| Fault::status(code), |words| Fault::Refuse(code, words));
            fake.fail_next(&method, fault);
            Ok(json!({}))
        }
        Order::Closes { chat, why } => {
            fake.closes(chat, &why);
            Ok(json!({}))
        }
        Order::Sent(true) => {
            let sent = fake.sent();
            Ok(sent.iter().map(|sent| json!({"chat": sent.chat(), "text": sent.text()})).collect())
        }
        Order::Sent(false) => bail!("`sent` is true or not asked for"),
    }
}

fn tell(answer: &Value) -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "{answer}")?;
    Ok(out.flush()?)
}
