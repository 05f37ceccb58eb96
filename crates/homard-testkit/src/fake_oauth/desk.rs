//! What the fake login server knows: who has which tokens, and what goes wrong next.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::MutexGuard;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use homard_runtime::Mutex;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::google::GoogleDesk;
use super::{FAKE_ACCOUNT, FAKE_EMAIL};

/// Life of tokens unless a test says otherwise, in seconds.
const LIFE: u64 = 3_600;

/// Tokens of one login.
#[derive(Debug, Clone)]
pub struct Issued {
    pub access: String,
    /// What renews it, once.
    pub refresh: String,
}

/// What goes wrong with one request for tokens.
#[derive(Debug, Clone)]
pub enum OAuthFault {
    /// Refused with this status and body; nothing is rotated.
    Refuses(u16, String),
    /// A web page with status 200, as in a hotel.
    Html,
    /// Never answers; nothing is rotated.
    Hangs,
    /// Answers when the token is cancelled; the tokens are rotated before that.
    Slow(CancellationToken),
    /// Refuses and repeats what it was sent.
    Echoes,
    /// Answers 200 with JSON that holds no token.
    Empty,
    /// Renews without a new refresh token, as some providers do.
    KeepsRefresh,
}

/// One login and everything that grew from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Family(pub(super) u64);

/// What a code was given for.
#[derive(Debug, Clone)]
pub(super) struct Granted {
    pub(super) challenge: String,
    pub(super) redirect: String,
    pub(super) state: String,
}

/// A login on another device.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) user_code: String,
    pub(super) challenge: Option<String>,
    pub(super) approved: bool,
    /// Questions so far; the first is told to wait, the second to slow down.
    pub(super) asked: u32,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) refreshes: usize,
    pub(super) exchanges: usize,
}

#[derive(Debug)]
pub(super) struct Shared {
    desk: Mutex<Desk>,
    pub(super) google: Mutex<GoogleDesk>,
    pub(super) counts: watch::Sender<Counts>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            desk: Mutex::default(),
            google: Mutex::default(),
            counts: watch::Sender::new(Counts::default()),
        }
    }
}

impl Shared {
    pub(super) fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock()
    }
}

#[derive(Debug)]
pub(super) struct Desk {
    serial: u64,
    pub(super) families: u64,
    /// Refresh tokens that work, and those that have worked.
    refresh: BTreeMap<String, Family>,
    used: BTreeMap<String, Family>,
    access: BTreeMap<String, Family>,
    revoked: BTreeSet<Family>,
    codes: BTreeMap<String, Granted>,
    pub(super) devices: BTreeMap<String, Device>,
    pub(super) faults: VecDeque<OAuthFault>,
    pub(super) life: u64,
    pub(super) wants_json: bool,
    pub(super) replays: usize,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            serial: 0,
            families: 0,
            refresh: BTreeMap::new(),
            used: BTreeMap::new(),
            access: BTreeMap::new(),
            revoked: BTreeSet::new(),
            codes: BTreeMap::new(),
            devices: BTreeMap::new(),
            faults: VecDeque::new(),
            life: LIFE,
            wants_json: false,
            replays: 0,
        }
    }
}

impl Desk {
    pub(super) fn next(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// New tokens of a login.
    pub(super) fn issue(&mut self, family: Family) -> Issued {
        let serial = self.next();
        let claims = json!({
            "jti": serial,
            "email": FAKE_EMAIL,
            "https://api.openai.com/auth": {"chatgpt_account_id": FAKE_ACCOUNT},
        });
        let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let access = format!("{}.{}.sig-{serial}", part(&json!({"alg": "none"})), part(&claims));
        let refresh = format!("fake-refresh-secret-{serial}");
        self.access.insert(access.clone(), family);
        self.refresh.insert(refresh.clone(), family);
        Issued { access, refresh }
    }

    /// The same for a provider whose tokens say nothing.
    pub(super) fn issue_opaque(&mut self, family: Family) -> Issued {
        let serial = self.next();
        let issued = Issued {
            access: format!("ya29.fake-{serial}"),
            refresh: format!("1//fake-refresh-secret-{serial}"),
        };
        self.access.insert(issued.access.clone(), family);
        self.refresh.insert(issued.refresh.clone(), family);
        issued
    }

    /// Spends a refresh token. One that comes again revokes its whole login.
    pub(super) fn spend(&mut self, refresh: &str) -> Option<Family> {
        if let Some(family) = self.used.get(refresh).copied() {
            self.replays += 1;
            self.revoke(family);
            return None;
        }
        let family = self.refresh.remove(refresh)?;
        self.used.insert(refresh.to_owned(), family);
        (!self.revoked.contains(&family)).then_some(family)
    }

    /// Renews without rotating.
    pub(super) fn keep(&mut self, refresh: &str) {
        if let Some(family) = self.used.remove(refresh) {
            self.refresh.insert(refresh.to_owned(), family);
        }
    }

    pub(super) fn family_of(&self, refresh: &str) -> Option<Family> {
        self.refresh.get(refresh).or_else(|| self.used.get(refresh)).copied()
    }

    pub(super) fn is_revoked(&self, family: Family) -> bool {
        self.revoked.contains(&family)
    }

    pub(super) fn revoke(&mut self, family: Family) {
        self.revoked.insert(family);
    }

    pub(super) fn is_live(&self, access: &str) -> bool {
        self.access.get(access).is_some_and(|family| !self.revoked.contains(family))
    }

    pub(super) fn grant(&mut self, granted: Granted) -> String {
        let code = format!("fake-code-secret-{}", self.next());
        self.codes.insert(code.clone(), granted);
        code
    }

    /// A code works once.
    pub(super) fn redeem(&mut self, code: &str) -> Option<Granted> {
        self.codes.remove(code)
    }
}
