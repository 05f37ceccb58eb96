//! A stranger who waits, as the owner's clients are shown them.

use homard_protocol::methods::channels::pairing_rows::{PairingAccount, PairingRow};
use homard_protocol::{AccountId, ChannelId};
use homard_store::{PAIRING_TTL_MS, PairingRequest};

/// What strangers say of themselves that can serve as a name, the best first.
const NAMES: [&str; 3] = ["name", "username", "label"];

/// One of our accounts; `label` is what the owner calls it.
#[must_use]
pub fn pairing_account(channel: &ChannelId, account: &AccountId, label: Option<String>) -> PairingAccount {
    PairingAccount {
        channel: channel.to_string(),
        channel_label: channel.to_string(),
        account_id: account.to_string(),
        account_label: label.filter(|label| !label.trim().is_empty()),
        notify_supported: true,
    }
}

/// A stranger who wrote to this account of ours.
#[must_use]
pub fn pairing_row(account: PairingAccount, request: PairingRequest) -> PairingRow {
    let iso =
        |ms: i64| jiff::Timestamp::from_millisecond(ms).map(|at| format!("{at:.3}")).unwrap_or_default();
    let label = NAMES.iter().find_map(|fact| request.meta.get(*fact));
    PairingRow {
        account,
        sender_label: label.cloned().unwrap_or_else(|| request.sender.to_string()),
        sender_id: request.sender.to_string(),
        metadata: request.meta,
        created_at: iso(request.created_at),
        last_seen_at: iso(request.last_seen_at),
        expires_at: iso(request.created_at.saturating_add(PAIRING_TTL_MS)),
        request_id: request.code,
    }
}
