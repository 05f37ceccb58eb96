//! What the HTTP routes remember between requests.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use homard_channel::Ingress;
use sha2::Sha256;

use super::page::Pages;
use crate::access::auth::{GuessCounter, GuessLimit};
use crate::replay::Replay;

/// Wrong tokens an address may send to hooks before it has to wait.
const HOOK_LIMIT: GuessLimit =
    GuessLimit { max_attempts: 20, window: Duration::from_secs(60), lockout: Duration::from_secs(60) };
/// Bytes of the key that tickets are made with.
const KEY_LEN: usize = 32;

/// What the HTTP routes remember.
pub(crate) struct HttpState {
    pages: Option<Box<dyn Pages>>,
    /// Paths that platforms bring messages to.
    pub(super) ingress: Ingress,
    hook_guesses: GuessCounter,
    /// Hooks that were called.
    pub(crate) hook_calls: Replay,
    /// Tools that were called.
    pub(crate) tool_calls: Replay,
    /// Made anew with every start, so tickets do not outlive the process.
    key: [u8; KEY_LEN],
}

impl HttpState {
    /// Nothing remembered yet. `pages` is the Control UI, if it is served.
    pub(crate) fn new(pages: Option<Box<dyn Pages>>, ingress: Ingress) -> Self {
        let mut key = [0; KEY_LEN];
        let (one, other) = (uuid::Uuid::new_v4(), uuid::Uuid::new_v4());
        key.iter_mut().zip(one.as_bytes().iter().chain(other.as_bytes())).for_each(|(to, from)| *to = *from);
        Self {
            pages,
            ingress,
            hook_guesses: GuessCounter::default(),
            hook_calls: Replay::default(),
            tool_calls: Replay::default(),
            key,
        }
    }

    /// Where the files of the Control UI come from.
    pub(super) fn pages(&self) -> Option<&dyn Pages> {
        self.pages.as_deref()
    }

    /// How long an address must wait before hooks listen to it again.
    pub(super) fn hooks_shut_for(&self, who: &str) -> Option<Duration> {
        self.hook_guesses.shut_for(who, Instant::now())
    }

    /// Counts a wrong token of a hook.
    pub(super) fn wrong_hook_token(&self, who: &str) {
        self.hook_guesses.wrong(who, HOOK_LIMIT, Instant::now());
    }

    /// A proof that this process said `words` for a purpose.
    pub(super) fn seal(&self, purpose: &str, words: &str) -> String {
        self.mac(purpose, words)
            .map(|mac| URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
            .unwrap_or_default()
    }

    /// Whether a proof is one. Takes the same time however wrong it is.
    pub(super) fn is_sealed(&self, purpose: &str, words: &str, seal: &str) -> bool {
        let Ok(seal) = URL_SAFE_NO_PAD.decode(seal) else { return false };
        self.mac(purpose, words).is_some_and(|mac| mac.verify_slice(&seal).is_ok())
    }

    fn mac(&self, purpose: &str, words: &str) -> Option<Hmac<Sha256>> {
        // Keys of any length are taken, so this never fails.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(words.as_bytes());
        Some(mac)
    }
}

#[cfg(test)]
mod tests {
    use homard_channel::Ingress;

    use super::HttpState;

    #[test]
    fn a_seal_is_good_for_its_words_and_purpose_in_this_process_only() {
        let (desk, other) =
            (HttpState::new(None, Ingress::default()), HttpState::new(None, Ingress::default()));
        let seal = desk.seal("media", "a picture");
        assert!(desk.is_sealed("media", "a picture", &seal));
        for (purpose, words, seal) in [
            ("canvas", "a picture", seal.as_str()),
            ("media", "another", &seal),
            ("media", "a picture", ""),
            ("media", "a picture", "%%"),
        ] {
            assert!(!desk.is_sealed(purpose, words, seal), "{purpose} {words} {seal}");
        }
        assert!(!other.is_sealed("media", "a picture", &seal));
    }
}
