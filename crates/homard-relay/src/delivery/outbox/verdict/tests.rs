//! A table of failures.

use std::time::Duration;

use homard_channel::ChannelError;
use homard_protocol::{AccountId, ChannelId};
use homard_store::{NewOutbound, OutboundRecord};

use super::{Verdict, verdict};

fn row(tries: u32, ambiguous: u32, repeatable: bool) -> OutboundRecord {
    OutboundRecord {
        id: 1,
        new: NewOutbound {
            key: "k".into(),
            channel: ChannelId::parse("telegram").unwrap(),
            account: AccountId::default_account(),
            conversation: "c".into(),
            session_key: None,
            run_id: None,
            payload: "{}".into(),
            repeatable,
        },
        created_at: 0,
        next_try_at: 0,
        tries,
        ambiguous,
        last_error: None,
        sending_at: None,
        sent_at: None,
        failed_at: None,
        receipt: None,
    }
}

fn again(millis: u64, ambiguous: bool) -> Verdict {
    Verdict::Again { after: Duration::from_millis(millis), ambiguous }
}

#[test]
fn every_failure_has_its_consequence() {
    let down = || ChannelError::Unreachable("reset".into());
    let unknown = || ChannelError::Unknown("timed out".into());
    let cases = [
        (row(0, 0, false), down(), again(400, false)),
        (row(1, 0, false), down(), again(800, false)),
        (row(2, 0, false), down(), again(1_600, false)),
        (row(3, 0, false), down(), again(30_000, false)),
        (row(4, 0, false), down(), again(60_000, false)),
        (row(30, 0, false), down(), again(300_000, false)),
        (row(0, 0, false), unknown(), again(400, true)),
        (row(0, 0, true), unknown(), again(400, false)),
        (row(1, 2, false), unknown(), again(800, true)),
        (row(1, 3, false), unknown(), Verdict::GiveUp),
        (row(1, 9, true), unknown(), again(800, false)),
        (row(0, 0, false), ChannelError::Wait(Duration::from_secs(7)), Verdict::Wait(Duration::from_secs(7))),
        (row(0, 0, false), ChannelError::Wait(Duration::MAX), Verdict::Wait(Duration::from_secs(3_600))),
        (row(0, 0, false), ChannelError::Permanent("blocked".into()), Verdict::GiveUp),
        (row(0, 0, false), ChannelError::TooLarge { size: 2, limit: 1 }, Verdict::GiveUp),
        (row(0, 0, false), ChannelError::Refused("token".into()), Verdict::Shut),
    ];
    for (row, error, expected) in cases {
        assert_eq!(verdict(&row, &error, 0.5), expected, "{error} after {} tries", row.tries);
    }
}
