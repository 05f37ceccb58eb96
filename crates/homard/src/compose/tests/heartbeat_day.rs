//! A day of heartbeats by a clock that is put forward: which turns there are, and what people hear.

use std::time::Duration;

use homard_runtime::Clock;
use homard_testkit::{FakeLlm, FakeTelegram, TEST_TOKEN, TestClient, TestHome, free_port};
use serde_json::{Value, json};

use super::options;
use crate::compose::run_gateway;

const OWNER: i64 = 7;
const HOUR: Duration = Duration::from_secs(60 * 60);
/// The first midnight of the two days.
const MIDNIGHT: i64 = 1_760_054_400_000;
const ALERT: &str = "The oven is on.";

/// What comes of the heartbeat of an hour.
#[derive(Clone, Copy)]
enum Hour {
    Quiet,
    /// There is nothing in the file.
    Empty,
    /// The model says this, and it comes to that.
    Says(&'static str, &'static str),
}

struct Day {
    clock: Clock,
    fake: FakeLlm,
    telegram: FakeTelegram,
    home: TestHome,
}

impl Day {
    async fn begin() -> Self {
        let (fake, telegram) = (FakeLlm::start().await.unwrap(), FakeTelegram::start().await.unwrap());
        telegram.has_chat(OWNER, json!({}));
        let mut config = TestHome::chat_config(TEST_TOKEN, "openai-completions", &fake.openai_url());
        config["channels"]["telegram"] = json!({"botToken": telegram.token(), "apiRoot": telegram.url(),
            "dmPolicy": "allowlist", "allowFrom": [OWNER], "streamMode": "off"});
        let hours = json!({"start": "08:00", "end": "22:00", "timezone": "UTC"});
        config["agents"]["defaults"]["heartbeat"] = json!({"every": "1h", "activeHours": hours});
        config["agents"]["defaults"]["userTimezone"] = json!("UTC");
        let home = TestHome::with_config(&config).unwrap();
        Self { clock: Clock::fixed(MIDNIGHT), fake, telegram, home }
    }

    /// Lets a gateway run while `story` is told. It has a runtime of its own and ends with all that is left of it.
    fn while_it_runs<T: Send>(&self, story: impl AsyncFnOnce(&Self, TestClient) -> T + Send) -> T {
        let living = || tokio::runtime::Runtime::new().unwrap().block_on(self.live(story));
        let lived = || std::thread::scope(|threads| threads.spawn(living).join());
        tokio::task::block_in_place(lived).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    async fn live<T>(&self, story: impl AsyncFnOnce(&Self, TestClient) -> T) -> T {
        let port = free_port().unwrap();
        let mut options = options(&self.home, port);
        options.source.clock = self.clock.clone();
        let told = async {
            let polls = self.telegram.polls();
            self.telegram.wait_for_polls(polls + 1).await.unwrap();
            let page = TestClient::operator(&format!("ws://127.0.0.1:{port}"), TEST_TOKEN).await.unwrap();
            story(self, page).await
        };
        tokio::select! {
            ended = run_gateway(options) => panic!("the gateway ended: {ended:?}"),
            told = told => told,
        }
    }

    /// Puts the clock forward by an hour each, and waits for what comes of it.
    async fn pass(&self, page: &mut TestClient, hours: &[Hour]) {
        for (at, hour) in hours.iter().enumerate() {
            if let Hour::Says(words, _) = hour {
                self.fake.says(*words);
            }
            self.clock.advance(HOUR);
            // The gateway takes few new jobs a minute; at night one look at the clock shows that nobody is asked.
            if !matches!(hour, Hour::Quiet) || at + 1 == hours.len() {
                self.nudge(page).await;
            }
            let (status, reason) = match hour {
                Hour::Quiet => continue,
                Hour::Empty => ("skipped", Some("empty-heartbeat-file")),
                Hour::Says(_, "duplicate") => ("skipped", Some("duplicate")),
                Hour::Says(_, status) => (*status, None),
            };
            let is = |seen: &Value| seen["status"] == status && seen["reason"].as_str() == reason;
            page.next_event_where("heartbeat", is).await.unwrap();
        }
    }

    /// Has the timer look at the clock: who makes a job does.
    async fn nudge(&self, page: &mut TestClient) {
        let nudge = json!({"name": "nudge", "enabled": false, "schedule": {"kind": "every", "everyMs": 3_600_000},
            "sessionTarget": "main", "wakeMode": "now", "payload": {"kind": "systemEvent", "text": "nothing"}});
        page.call("cron.add", nudge).await.unwrap();
    }

    /// The owner says something and is answered.
    async fn talk(&self, said: &str, answer: &str) {
        self.fake.says(answer);
        self.telegram.user_says(OWNER, OWNER, said);
        let sent = self.telegram.next_sent().await.unwrap();
        assert_eq!((sent.chat(), sent.text()), (OWNER, answer));
    }

    async fn hears(&self, alert: &str) {
        let sent = self.telegram.next_sent().await.unwrap();
        assert_eq!((sent.chat(), sent.text()), (OWNER, alert));
    }

    fn write_down(&self, text: &str) {
        let workspace = self.home.state_dir().join("workspace");
        std::fs::create_dir_all(&workspace).unwrap();
        std::fs::write(workspace.join("HEARTBEAT.md"), text).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_of_heartbeats_has_the_turns_and_alerts_it_should() {
    const WELL: Hour = Hour::Says("HEARTBEAT_OK", "ok-token");
    const AGAIN: Hour = Hour::Says(ALERT, "duplicate");
    const NEWS: Hour = Hour::Says(ALERT, "sent");
    let day = Day::begin().await;
    day.write_down("# Nothing yet\n");
    day.while_it_runs(async |day, mut page| {
        day.talk("hi", "hello").await;
        day.pass(&mut page, &[Hour::Quiet; 7]).await;
        day.pass(&mut page, &[Hour::Empty; 2]).await;
        day.write_down("- Is the oven off?\n");
        day.pass(&mut page, &[WELL, Hour::Says("HEARTBEAT_OK, all calm.", "ok-token"), NEWS, AGAIN]).await;
        day.hears(ALERT).await;
        day.pass(&mut page, &[AGAIN, WELL, WELL, WELL]).await;
        day.write_down("");
        day.pass(&mut page, &[Hour::Empty; 2]).await;
        day.write_down("- Is the oven off?\n");
        day.pass(&mut page, &[WELL, AGAIN]).await;
        day.pass(&mut page, &[Hour::Quiet; 9]).await;
        // The conversation begins anew in the morning; what was told the day before is still known.
        day.talk("good morning", "good morning to you").await;
        day.pass(&mut page, &[Hour::Quiet]).await;
        day.pass(&mut page, &[AGAIN, WELL, AGAIN, AGAIN, NEWS]).await;
        day.hears(ALERT).await;
    });
    assert_eq!(day.telegram.sent_count(), 4, "two answers and two alerts");
    let looks =
        day.fake.requests().into_iter().filter(|asked| asked.body.to_string().contains("Read HEARTBEAT.md"));
    assert_eq!(looks.count(), 15, "and nobody was asked in between");
    assert_eq!(day.fake.turns_left(), 0);
}
