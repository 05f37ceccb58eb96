//! What people do with stored credentials: add, remove, order, log in. Each is on disk when it returns.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use homard_llm::ApiKey;
use homard_protocol::ProviderId;
use homard_runtime::{CollectOrdered as _, off_thread};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::candidate::OAuthRow;
use super::file::StoreError;
use super::oauth::{BrowserLogin, Code, DeviceLogin, LoginError, OAuthClient, Tokens};
use super::profiles::Profiles;
use super::state::ProfilePlace;

/// Longest profile id.
const MAX_ID: usize = 256;

/// A credential to be stored. `Debug` shows no value.
#[derive(Clone)]
pub struct NewProfile {
    pub provider: ProviderId,
    /// What it proves itself with.
    pub secret: NewSecret,
    /// The account, which also names the profile.
    pub email: Option<String>,
    /// More the provider's address needs: an account, a gateway.
    pub metadata: BTreeMap<String, String>,
    /// The profile's id; made from provider and account when nobody says.
    pub id: Option<String>,
}

/// What a new credential proves itself with.
#[derive(Clone)]
pub enum NewSecret {
    Key(ApiKey),
    /// A token somebody pasted.
    Token {
        token: ApiKey,
        /// When it expires, in milliseconds since 1970.
        expires: Option<i64>,
    },
    /// A login made elsewhere.
    OAuth {
        access: ApiKey,
        refresh: Option<ApiKey>,
        /// When the access token expires, in milliseconds since 1970.
        expires: i64,
        /// The account calls have to name.
        account: Option<String>,
    },
}

impl fmt::Debug for NewProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.id.as_deref();
        f.debug_struct("NewProfile")
            .field("provider", &self.provider)
            .field("id", &id)
            .finish_non_exhaustive()
    }
}

impl NewProfile {
    /// A key without account or metadata.
    #[must_use]
    pub fn key(provider: ProviderId, key: ApiKey) -> Self {
        Self { provider, secret: NewSecret::Key(key), email: None, metadata: BTreeMap::new(), id: None }
    }

    fn fields(&self) -> Result<Map<String, Value>, StoreError> {
        let mut fields = Map::new();
        let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        let filled = |secret: &ApiKey| !secret.expose().is_empty();
        match &self.secret {
            NewSecret::Key(key) if filled(key) => {
                set("type", json!("api_key"));
                set("key", json!(key.expose()));
            }
            NewSecret::Token { token, expires } if filled(token) => {
                set("type", json!("token"));
                set("token", json!(token.expose()));
                if let Some(expires) = expires {
                    set("expires", json!(expires));
                }
            }
            NewSecret::OAuth { access, refresh, expires, account } if filled(access) => {
                set("type", json!("oauth"));
                set("access", json!(access.expose()));
                if let Some(refresh) = refresh {
                    set("refresh", json!(refresh.expose()));
                }
                set("expires", json!(expires));
                if let Some(account) = account {
                    set("accountId", json!(account));
                }
            }
            NewSecret::Key(_) | NewSecret::Token { .. } | NewSecret::OAuth { .. } => {
                return Err(StoreError::Incomplete("the key is empty; paste it again"));
            }
        }
        set("provider", json!(self.provider.as_str()));
        if let Some(email) = &self.email {
            set("email", json!(email));
        }
        if !self.metadata.is_empty() {
            set("metadata", json!(self.metadata));
        }
        Ok(fields)
    }
}

impl Profiles {
    /// Stores a credential in the agent's own file and returns the profile's id. One of the same id is replaced.
    ///
    /// # Errors
    /// When it is empty, or the file cannot be read or written.
    pub async fn add(&self, profile: NewProfile) -> Result<String, StoreError> {
        let fields = profile.fields()?;
        let id = profile.id.unwrap_or_else(|| profile_id(&profile.provider, profile.email.as_deref()));
        self.put(id, fields).await
    }

    /// The same for somebody who adds one credential after the other: one without a name of its own takes a free
    /// one beside those there are. Also tells whether one of the same name was replaced.
    ///
    /// # Errors
    /// As [`add`](Self::add), and when the name is another provider's.
    pub async fn add_beside(&self, mut profile: NewProfile) -> Result<Added, StoreError> {
        self.inner.look().await;
        let view = self.inner.view();
        let is_taken = |id: &str| view.document.profile(id).is_some();
        let id = match profile.id.take() {
            Some(name) => named(&profile.provider, &name)?,
            None => {
                let usual = profile_id(&profile.provider, profile.email.as_deref());
                let more = (2_u32..).map(|n| format!("{usual}-{n}"));
                std::iter::once(usual.clone()).chain(more).find(|id| !is_taken(id)).unwrap_or(usual)
            }
        };
        let replaced = is_taken(&id);
        profile.id = Some(id);
        Ok(Added { id: self.add(profile).await?, replaced })
    }

    /// Takes a credential out; the token itself stays valid at the provider.
    ///
    /// # Errors
    /// When there is none of that id, or the file cannot be read or written.
    pub async fn remove(&self, id: &str) -> Result<(), StoreError> {
        self.inner.look().await;
        let place = self.inner.view().place;
        let wanted = id.to_owned();
        self.inner
            .edit(place, move |document| {
                if document.remove(&wanted) { Ok(()) } else { Err(StoreError::NoSuchProfile { id: wanted }) }
            })
            .await?;
        self.inner.memory().forget(id);
        Ok(())
    }

    /// The order written for a provider in the store; `None` when the configuration or the usual rule decides.
    pub async fn order(&self, provider: &ProviderId) -> Option<Vec<String>> {
        self.inner.look().await;
        let view = self.inner.view();
        view.own_order(provider).or_else(|| view.document.order(provider.as_str()))
    }

    /// Writes the order for a provider into the agent's own file.
    ///
    /// # Errors
    /// When an id does not exist or is another provider's, or the file cannot be read or written.
    pub async fn set_order(&self, provider: &ProviderId, ids: Vec<String>) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Err(StoreError::Incomplete("an order names at least one profile; clear it to have none"));
        }
        self.inner.look().await;
        let view = self.inner.view();
        for id in &ids {
            match view.document.profile(id) {
                Some(profile) if profile.provider == *provider => {}
                Some(profile) => {
                    return Err(StoreError::WrongProvider {
                        id: id.clone(),
                        owner: profile.provider.as_str().to_owned(),
                        provider: provider.as_str().to_owned(),
                    });
                }
                None => return Err(StoreError::NoSuchProfile { id: id.clone() }),
            }
        }
        let provider = provider.clone();
        self.inner
            .edit(ProfilePlace::Own, move |document| {
                document.set_order(provider.as_str(), Some(&ids));
                Ok(())
            })
            .await
    }

    /// Takes the order for a provider out of the agent's own file.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub async fn clear_order(&self, provider: &ProviderId) -> Result<(), StoreError> {
        let provider = provider.clone();
        self.inner
            .edit(ProfilePlace::Own, move |document| {
                document.set_order(provider.as_str(), None);
                Ok(())
            })
            .await
    }

    /// The providers that have a stored profile, for `providers`.
    pub async fn providers(&self) -> BTreeSet<ProviderId> {
        self.inner.look().await;
        let document = self.inner.view().document;
        document.ids().into_iter().filter_map(|id| Some(document.profile(id)?.provider)).collect_set()
    }

    /// Moves the agent's own file out of the way, for a person who gave up mending it. Returns its new place.
    ///
    /// # Errors
    /// When there is none, or it cannot be moved.
    pub async fn set_aside(&self) -> Result<PathBuf, StoreError> {
        let _pen = self.inner.pen.lock().await;
        let file = self.inner.file(ProfilePlace::Own).clone();
        let _lock = file.lock(self.inner.limits.lock_wait).await?;
        let now = self.inner.cx.clock.now_ms();
        let moved = off_thread(move || file.set_aside(now));
        moved.await.map_err(|_stopped| StoreError::Stopped)?
    }

    /// Exchanges a browser login's code and stores the login. Returns the profile's id.
    ///
    /// # Errors
    /// When the provider refuses the code or the tokens cannot be stored.
    pub async fn finish_login(&self, login: &BrowserLogin, code: &Code) -> Result<String, LoginError> {
        let tokens = login.exchange(code, &self.inner.token_server(login.row())).await?;
        let project = match login.row().projects {
            Some(server) => Some(self.project(server, &tokens.access).await?),
            None => None,
        };
        self.keep_login(login.provider(), Named { client: login.client().clone(), project }, &tokens).await
    }

    /// Asks a provider for a code to be typed on another device.
    ///
    /// # Errors
    /// When the provider has no such login or cannot be reached.
    pub async fn begin_device_login(
        &self,
        provider: &ProviderId,
        row: &'static OAuthRow,
    ) -> Result<DeviceLogin, LoginError> {
        DeviceLogin::begin(provider, &self.inner.token_server(row)).await
    }

    /// Waits until the code was typed and stores the login. Returns the profile's id.
    ///
    /// # Errors
    /// When it was refused, nobody typed it in time, or the tokens cannot be stored.
    pub async fn finish_device_login(
        &self,
        login: &DeviceLogin,
        cancel: &CancellationToken,
    ) -> Result<String, LoginError> {
        let tokens = login.wait(&self.inner.token_server(login.row()), cancel).await?;
        let client = OAuthClient { id: login.row().client_id.to_owned(), secret: None };
        self.keep_login(login.provider(), Named { client, project: None }, &tokens).await
    }

    async fn keep_login(
        &self,
        provider: &ProviderId,
        named: Named,
        tokens: &Tokens,
    ) -> Result<String, LoginError> {
        let mut fields = tokens.fields();
        if tokens.expires.is_some() {
            fields.insert("type".to_owned(), json!("oauth"));
            fields.insert("clientId".to_owned(), json!(named.client.id));
            let secret = named.client.secret.map(|secret| json!(secret.expose()));
            fields.extend(secret.map(|secret| ("clientSecret".to_owned(), secret)));
            fields.extend(named.project.map(|project| ("projectId".to_owned(), json!(project))));
        } else {
            // Nothing to renew and no end: a plain token.
            fields.remove("access");
            fields.insert("type".to_owned(), json!("token"));
            fields.insert("token".to_owned(), json!(tokens.access.expose()));
        }
        fields.insert("provider".to_owned(), json!(provider.as_str()));
        let id = profile_id(provider, tokens.email.as_deref());
        Ok(self.put(id, fields).await?)
    }

    async fn put(&self, id: String, fields: Map<String, Value>) -> Result<String, StoreError> {
        if id.is_empty() || id.len() > MAX_ID || id.chars().any(char::is_control) {
            return Err(StoreError::Incomplete("the profile's id is empty, too long or not printable"));
        }
        let wanted = id.clone();
        self.inner
            .edit(ProfilePlace::Own, move |document| {
                document.put(&wanted, fields);
                Ok(())
            })
            .await?;
        self.inner.memory().forget(&id);
        Ok(id)
    }
}

/// In whose name a login was made, and who pays.
struct Named {
    client: OAuthClient,
    project: Option<String>,
}

/// What became of a credential that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    pub id: String,
    /// Whether another of that name was there.
    pub replaced: bool,
}

/// The id of a name somebody gave: `work` and `openai:work` are the same.
fn named(provider: &ProviderId, name: &str) -> Result<String, StoreError> {
    let name = name.trim();
    match name.split_once(':') {
        Some((owner, _)) if owner == provider.as_str() => Ok(name.to_owned()),
        Some((owner, _)) => Err(StoreError::WrongProvider {
            id: name.to_owned(),
            owner: owner.to_owned(),
            provider: provider.as_str().to_owned(),
        }),
        None => Ok(format!("{}:{name}", provider.as_str())),
    }
}

/// The usual id: the provider and the account.
fn profile_id(provider: &ProviderId, email: Option<&str>) -> String {
    format!("{}:{}", provider.as_str(), email.filter(|email| !email.is_empty()).unwrap_or("default"))
}
