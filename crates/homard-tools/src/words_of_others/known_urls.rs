//! Addresses that somebody other than the model named: the owner, or a page that was read.
//!
//! Fetching such an address tells its server nothing it did not write itself. An address the model put together
//! can carry anything out, so only a little may be added before the owner is asked.

use std::collections::BTreeSet;
use std::sync::Arc;

use homard_runtime::Mutex;
use url::Url;

/// Addresses remembered of one conversation.
const MAX_SEEN: usize = 4_000;
/// Longest address remembered.
const MAX_ADDRESS: usize = 2_000;
/// How much the model may add to known addresses in one run before the owner is asked: a page number, a name. A
/// small letter counts once, what keys are made of twice, and in the part servers read as data three times that.
const MAX_ADDED: usize = 32;
/// How much may be told in one run by which of the known addresses are asked, in bits: a page can name an address for
/// every letter there is. One of a hundred tells seven bits, so that many pages can be read one after another.
const MAX_CHOSEN_BITS: u32 = 192;

/// The addresses of one run. Clone-cheap: clones share them.
#[derive(Debug, Clone, Default)]
pub struct KnownUrls {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    addresses: BTreeSet<String>,
    added: usize,
    chosen_bits: u32,
}

/// What is new about an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Novelty {
    /// Nothing worth asking about.
    Nothing,
    /// Nobody named its host.
    Host,
    /// The host is known, the rest was put together here.
    Rest,
    /// It is known, and so many were asked that it matters which.
    Choice,
}

impl KnownUrls {
    /// Remembers every address in a text of somebody other than the model, except those in `asked`: what the
    /// model wrote itself comes back in answers.
    pub fn note(&self, text: &str, asked: &str) {
        let mut state = self.state.lock();
        for address in addresses(text) {
            if state.addresses.len() < MAX_SEEN && !asked.contains(address) {
                state.addresses.extend(plain(address));
            }
        }
    }

    /// How new an address is. One that adds a little to a known one is let through, and what it adds is counted.
    pub(crate) fn judge(&self, address: &str) -> Novelty {
        let Some(asked) = plain(address) else { return Novelty::Host };
        let Ok(url) = Url::parse(&asked) else { return Novelty::Host };
        let mut state = self.state.lock();
        if state.addresses.contains(&asked) {
            return state.choose();
        }
        let same_place = |known: &&String| {
            Url::parse(known).is_ok_and(|known| {
                known.host_str() == url.host_str()
                    && known.port_or_known_default() == url.port_or_known_default()
            })
        };
        let known: Vec<&String> = state.addresses.iter().filter(same_place).collect();
        if known.is_empty() {
            return Novelty::Host;
        }
        let shared = known.iter().map(|known| shared_len(known, &asked)).max().unwrap_or(0);
        let added = weight(&asked, shared);
        if state.added + added > MAX_ADDED {
            return Novelty::Rest;
        }
        state.added += added;
        state.choose()
    }
}

impl State {
    /// Counts what one address tells by being this one.
    fn choose(&mut self) -> Novelty {
        let known = u32::try_from(self.addresses.len()).unwrap_or(u32::MAX);
        let bits = self.chosen_bits + known.next_power_of_two().trailing_zeros();
        if bits > MAX_CHOSEN_BITS {
            return Novelty::Choice;
        }
        self.chosen_bits = bits;
        Novelty::Nothing
    }
}

/// The address in its one spelling, without the part servers are not sent.
fn plain(address: &str) -> Option<String> {
    if address.len() > MAX_ADDRESS {
        return None;
    }
    let mut url = Url::parse(address.trim()).ok()?;
    url.set_fragment(None);
    Some(url.to_string())
}

/// The addresses in a text.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices("http").map(|(at, _)| at);
    starts.filter_map(move |at| {
        let rest = text.get(at..)?;
        if !rest.starts_with("http://") && !rest.starts_with("https://") {
            return None;
        }
        let ends = |c: char| {
            c.is_whitespace()
                || matches!(c, '"' | '\'' | '<' | '>' | ')' | ']' | '`' | '|' | '\\' | '^' | '{' | '}')
        };
        let whole = rest.find(ends).map_or(rest, |end| rest.get(..end).unwrap_or(rest));
        Some(whole.trim_end_matches(['.', ',', ';', ':', '!', '?']))
    })
}

/// How much of an address is new after its first `known` bytes.
fn weight(address: &str, known: usize) -> usize {
    let query = address.find('?').unwrap_or(address.len());
    let count = |(at, byte): (usize, u8)| {
        let once = if byte.is_ascii_lowercase() || b"/-._".contains(&byte) { 1 } else { 2 };
        if at > query { once * 3 } else { once }
    };
    address.bytes().enumerate().skip(known).map(count).sum()
}

/// How many bytes two texts begin with in common.
fn shared_len(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests;
