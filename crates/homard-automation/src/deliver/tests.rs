//! What is said about where results went.

use homard_protocol::methods::cron::{CronDeliveryStatus, CronRunStatus};
use homard_store::CronRunRow;

use super::announce;
use crate::run::{JobOutcome, RunPlan};

fn run(key: &str) -> CronRunRow {
    CronRunRow {
        run_id: "r".parse().unwrap(),
        job_id: "j".parse().unwrap(),
        job_name: "digest".to_owned(),
        agent_id: "main".parse().unwrap(),
        session_key: key.parse().unwrap(),
        started_at: 0,
        plan: String::new(),
        sweep: true,
        ended_at: None,
        status: None,
        delivery_status: None,
        summary: None,
        error: None,
        entry: None,
    }
}

fn outcome(status: CronRunStatus, reply: Option<&str>) -> JobOutcome {
    JobOutcome {
        status,
        reply: reply.map(str::to_owned),
        error: None,
        session_id: None,
        provider: None,
        model: None,
        usage: None,
        waits: None,
    }
}

#[test]
fn an_announcement_says_truly_that_no_platform_carried_it() {
    let plan: RunPlan =
        serde_json::from_value(serde_json::json!({"text": "", "main": "agent:main:main"})).unwrap();
    let own = "agent:main:cron:j:run:r";
    let delivered = announce(&run(own), &plan, &outcome(CronRunStatus::Ok, Some("42")));
    assert_eq!(delivered.status, CronDeliveryStatus::NotDelivered);
    assert!(delivered.error.unwrap().contains("is shown in agent:main:main"));
    let (key, text) = delivered.note.unwrap();
    assert_eq!(key.to_string(), "agent:main:main");
    assert_eq!(text, "The scheduled job \"digest\" (j) says: 42");
    for (key, status, reply, expected) in [
        (own, CronRunStatus::Ok, None, CronDeliveryStatus::NotRequested),
        (own, CronRunStatus::Ok, Some("  "), CronDeliveryStatus::NotRequested),
        (own, CronRunStatus::Error, Some("half"), CronDeliveryStatus::NotRequested),
        ("agent:main:main", CronRunStatus::Ok, Some("42"), CronDeliveryStatus::Delivered),
    ] {
        let delivered = announce(&run(key), &plan, &outcome(status, reply));
        assert_eq!((delivered.status, delivered.note), (expected, None), "{key} {reply:?}");
    }
}
