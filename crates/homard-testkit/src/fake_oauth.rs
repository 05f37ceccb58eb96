//! A fake login server: OAuth with PKCE, device codes, rotating refresh tokens and the Copilot exchange.
//!
//! Written from RFC 6749, 7636 and 8628 and as strict as the strictest provider: a refresh token works once, and
//! when it comes again everything that grew from it is revoked, which is what makes races between two programs
//! visible. Access tokens look like JWTs, because programs read the account out of them.

mod desk;
mod google;
mod server;
mod vendors;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use homard_runtime::{OrLog as _, Tasks};
use tokio::net::TcpListener;
use url::Url;

use crate::client::WAIT_CAP;
use desk::{Desk, Family, Granted, Shared};

pub use desk::{Issued, OAuthFault};
pub use google::{FAKE_CLIENT_SECRET, FAKE_PROJECT, GoogleAccount};

/// Who programs have to say they are.
pub const FAKE_CLIENT_ID: &str = "homard-test-client";
/// The account every token is for.
pub const FAKE_ACCOUNT: &str = "acct-test-1";
/// The person who logs in.
pub const FAKE_EMAIL: &str = "pat@example.test";

/// A running fake. Stops when dropped.
#[derive(Debug)]
pub struct FakeOAuth {
    shared: Arc<Shared>,
    address: SocketAddr,
    tasks: Tasks,
}

impl FakeOAuth {
    /// Starts on a free port.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let app = server::router(Arc::clone(&shared));
        let tasks = Tasks::new();
        let cancel = tasks.token().clone();
        tasks.spawn(async move {
            tokio::select! {
                served = axum::serve(listener, app) => { served.or_log("the fake login server stopped"); }
                () = cancel.cancelled() => {}
            }
        });
        Ok(Self { shared, address, tasks })
    }

    /// One of its addresses: `/authorize`, `/token`, `/device`, `/copilot`, `/minimax/code`, `/minimax/token`, GitHub's `/github/token`,
    /// OpenAI's `/api/accounts/deviceauth/usercode`, and Google's `/google/token` and `/v1internal:…`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A login made some time ago.
    pub fn issue(&self) -> Issued {
        let mut desk = self.shared.desk();
        let family = desk.found_family();
        desk.issue(family)
    }

    /// Revokes everything that grew from this refresh token's login.
    pub fn revoke(&self, refresh: &str) {
        let mut desk = self.shared.desk();
        if let Some(family) = desk.family_of(refresh) {
            desk.revoke(family);
        }
    }

    /// Whether an access token would be accepted, apart from its age.
    #[must_use]
    pub fn accepts(&self, access: &str) -> bool {
        self.shared.desk().is_live(access)
    }

    /// What happens to the next request that asks for tokens; each takes one.
    pub fn fault(&self, fault: OAuthFault) -> &Self {
        self.shared.desk().faults.push_back(fault);
        self
    }

    /// How long tokens live from now on, in seconds.
    pub fn tokens_live(&self, seconds: u64) -> &Self {
        self.shared.desk().life = seconds;
        self
    }

    /// Token requests must be JSON from now on, with the state beside the code.
    pub fn wants_json(&self) -> &Self {
        self.shared.desk().wants_json = true;
        self
    }

    /// The person opens a login address and says yes. Returns where the browser goes next.
    ///
    /// # Errors
    /// When the address is not one a provider would accept.
    pub fn approve(&self, url: &str) -> Result<String> {
        let (mut back, granted, state) = self.asked(url)?;
        let code = self.shared.desk().grant(granted);
        back.query_pairs_mut().append_pair("code", &code).append_pair("state", &state);
        Ok(back.into())
    }

    /// The person opens a login address and says no. Returns where the browser goes next.
    ///
    /// # Errors
    /// When the address is not one a provider would accept.
    pub fn deny(&self, url: &str) -> Result<String> {
        let (mut back, _, state) = self.asked(url)?;
        back.query_pairs_mut().append_pair("error", "access_denied").append_pair("state", &state);
        Ok(back.into())
    }

    fn asked(&self, url: &str) -> Result<(Url, Granted, String)> {
        let url = Url::parse(url)?;
        ensure!(url.path() == "/authorize", "not the login page: {}", url.path());
        let one = |name: &str| -> Result<String> {
            let mut values = url.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value);
            let value = values.next().with_context(|| format!("`{name}` is missing"))?;
            ensure!(values.next().is_none(), "`{name}` is there twice");
            ensure!(!value.is_empty(), "`{name}` is empty");
            Ok(value.into_owned())
        };
        ensure!(one("response_type")? == "code", "unsupported response_type");
        ensure!(one("client_id")? == FAKE_CLIENT_ID, "unknown client_id");
        ensure!(one("code_challenge_method")? == "S256", "PKCE must be S256");
        one("scope")?;
        let challenge = one("code_challenge")?;
        ensure!(challenge.len() == 43, "the challenge is not a SHA-256 in base64url");
        let state = one("state")?;
        ensure!(state.len() >= 16, "the state can be guessed");
        let redirect = one("redirect_uri")?;
        let back = Url::parse(&redirect)?;
        Ok((back, Granted { challenge, redirect, state: state.clone() }, state))
    }

    /// The person types a device code and says yes.
    ///
    /// # Errors
    /// When there is no such code.
    pub fn type_code(&self, user_code: &str) -> Result<()> {
        let mut desk = self.shared.desk();
        match desk.devices.values_mut().find(|device| device.user_code == user_code) {
            Some(device) => device.approved = true,
            None => bail!("no such code"),
        }
        Ok(())
    }

    /// Renewals asked for so far, whatever came of them.
    #[must_use]
    pub fn refreshes(&self) -> usize {
        self.shared.counts.borrow().refreshes
    }

    /// Copilot exchanges asked for so far.
    #[must_use]
    pub fn exchanges(&self) -> usize {
        self.shared.counts.borrow().exchanges
    }

    /// Waits until this many renewals were asked for.
    ///
    /// # Errors
    /// When they are not.
    pub async fn wait_for_refreshes(&self, n: usize) -> Result<()> {
        let mut counts = self.shared.counts.subscribe();
        let waiting = tokio::time::timeout(WAIT_CAP, counts.wait_for(|counts| counts.refreshes >= n)).await;
        waiting.with_context(|| format!("waited in vain for renewal {n}"))??;
        Ok(())
    }

    /// Logins that were revoked because a refresh token came twice.
    #[must_use]
    pub fn replays(&self) -> usize {
        self.shared.desk().replays
    }
}

impl Drop for FakeOAuth {
    fn drop(&mut self) {
        self.tasks.token().cancel();
    }
}

impl Desk {
    fn found_family(&mut self) -> Family {
        self.families += 1;
        Family(self.families)
    }
}
