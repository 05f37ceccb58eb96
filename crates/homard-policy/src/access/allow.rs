//! Allow-lists: who is meant by an entry.
//!
//! An id is compared letter by letter (ASCII case aside), because a look-alike is somebody else. What people can change
//! themselves (names, handles) counts only where the owner says so, and never for an entry that looks like an id.

use homard_channel::{Details, Sender};
use homard_protocol::id::slugify;

use super::invisible::hides_something;

/// Longest entry; a longer one is nobody.
const MAX_ENTRY: usize = 512;
/// Short forms of a platform's name have at most so many letters.
const MAX_SHORT_FORM: usize = 5;

/// Whether what people call themselves counts (`dangerouslyAllowNameMatching`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NameMatching {
    #[default]
    Never,
    /// Names and handles too.
    Allowed,
}

/// What on a list let somebody in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchSource {
    Wildcard,
    Id,
    /// What they call themselves.
    Name,
    /// Their name with a number behind `#`.
    Tag,
    Username,
    /// Their id behind the platform's name.
    PrefixedId,
    /// Their id behind `user:`.
    PrefixedUser,
    /// Their name behind `name:` or the platform's name.
    PrefixedName,
    /// Their name in small letters and dashes.
    Slug,
    /// The part of their id before the server.
    Localpart,
}

impl MatchSource {
    /// The word in logs and context.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wildcard => "wildcard",
            Self::Id => "id",
            Self::Name => "name",
            Self::Tag => "tag",
            Self::Username => "username",
            Self::PrefixedId => "prefixed-id",
            Self::PrefixedUser => "prefixed-user",
            Self::PrefixedName => "prefixed-name",
            Self::Slug => "slug",
            Self::Localpart => "localpart",
        }
    }
}

/// Somebody, as a platform tells of them.
#[derive(Debug, Clone, Copy)]
pub struct SenderIdentity<'a> {
    pub channel: &'a str,
    pub id: &'a str,
    /// Other ids, as trustworthy.
    pub also: &'a [String],
    /// What they call themselves.
    pub name: Option<&'a str>,
    pub username: Option<&'a str>,
    /// The only names the platform vouches for, where that is not the id.
    pub vouched: Option<&'a [String]>,
}

impl<'a> SenderIdentity<'a> {
    /// The sender of a message; `None` for an operator, whom no list concerns.
    #[must_use]
    pub fn sent(channel: &'a str, sender: &'a Sender, details: &'a Details) -> Option<Self> {
        let Sender::Peer { id, name } = sender else { return None };
        Some(Self {
            channel,
            id: id.as_str(),
            also: &details.also_known_as,
            name: name.as_deref(),
            username: details.username.as_deref(),
            vouched: details.vouched.as_deref(),
        })
    }

    /// The same by the names the platform vouches for; `None` where it vouches for none.
    pub(super) fn as_vouched(&self) -> Option<Self> {
        let Some(names) = self.vouched else { return Some(*self) };
        let (id, also) = names.split_first()?;
        Some(Self { id, also, name: None, username: None, ..*self })
    }
}

/// Who is let in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    entries: Vec<String>,
    everybody: bool,
}

impl AllowList {
    /// A list of what the owner wrote. Entries that hide letters or are too long are nobody, and are returned.
    #[must_use]
    pub fn of<I: IntoIterator<Item = String>>(written: I) -> (Self, Vec<String>) {
        let (mut list, mut unusable) = (Self::default(), Vec::new());
        for entry in written {
            let text = entry.trim();
            if text == "*" {
                list.everybody = true;
            } else if hides_something(text) || text.len() > MAX_ENTRY {
                unusable.push(entry);
            } else if !text.is_empty() {
                list.entries.push(text.to_owned());
            }
        }
        (list, unusable)
    }

    /// Whether nobody is on it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && !self.everybody
    }

    /// Whether everybody is on it, by a literal `*`.
    #[must_use]
    pub fn has_everybody(&self) -> bool {
        self.everybody
    }

    /// The entries that name somebody.
    #[must_use]
    pub fn entries(&self) -> &[String] {
        &self.entries
    }

    /// Whether and how somebody is on it; an id beats a name beats `*`.
    #[must_use]
    pub fn find(&self, who: &SenderIdentity<'_>, names: NameMatching) -> Option<MatchSource> {
        let by_star = self.everybody.then_some(MatchSource::Wildcard);
        self.find_named(who, names).or(by_star)
    }

    /// The same without `*`.
    #[must_use]
    pub fn find_named(&self, who: &SenderIdentity<'_>, names: NameMatching) -> Option<MatchSource> {
        let by_id = self.entries.iter().find_map(|entry| match_id(entry, who));
        by_id.or_else(|| match names {
            NameMatching::Never => None,
            NameMatching::Allowed => self.entries.iter().find_map(|entry| match_name(entry, who)),
        })
    }
}

/// Whether one of their ids is among some ids.
pub(super) fn is_among(ids: &[String], who: &SenderIdentity<'_>) -> bool {
    ids.iter().any(|id| match_id(id, who).is_some())
}

/// Whether an entry is an id of theirs.
fn match_id(entry: &str, who: &SenderIdentity<'_>) -> Option<MatchSource> {
    let ids = || std::iter::once(who.id).chain(who.also.iter().map(String::as_str));
    let is_theirs = |written: &str| ids().any(|id| same_id(written, id));
    if is_theirs(entry) {
        return Some(MatchSource::Id);
    }
    let bare = without_channel(entry, who.channel);
    if let Some(bare) = bare
        && is_theirs(bare)
    {
        return Some(MatchSource::PrefixedId);
    }
    let bare = bare.unwrap_or(entry);
    let user = ["user:", "id:"].iter().find_map(|prefix| after(bare, prefix))?;
    is_theirs(user).then_some(MatchSource::PrefixedUser)
}

/// Whether an entry is what they call themselves.
fn match_name(entry: &str, who: &SenderIdentity<'_>) -> Option<MatchSource> {
    let bare = without_channel(entry, who.channel);
    let is_prefixed = bare.is_some();
    let bare = bare.unwrap_or(entry);
    let named = ["name:", "username:"].iter().find_map(|prefix| after(bare, prefix));
    let is_prefixed = is_prefixed || named.is_some();
    let written = named.unwrap_or(bare);
    if looks_like_an_id(written) {
        return None;
    }
    let seen = |text: &'_ &str| !text.is_empty() && !hides_something(text);
    let username = who.username.map(|name| name.trim_start_matches('@')).filter(seen);
    let name = who.name.map(str::trim).filter(seen);
    let handle = written.strip_prefix('@').unwrap_or(written);
    let is = |text: Option<&str>, other: &str| text.is_some_and(|text| text.eq_ignore_ascii_case(other));
    let source = if is(username, handle) {
        if handle.contains('#') { MatchSource::Tag } else { MatchSource::Username }
    } else if is(name, written) {
        if written.contains('#') { MatchSource::Tag } else { MatchSource::Name }
    } else if name.filter(|name| name.is_ascii()).and_then(slugify).is_some_and(|slug| slug == written) {
        MatchSource::Slug
    } else if localpart(who.id).is_some_and(|local| local.eq_ignore_ascii_case(handle)) {
        MatchSource::Localpart
    } else {
        return None;
    };
    Some(if is_prefixed { MatchSource::PrefixedName } else { source })
}

/// Whether two ids are one: letter by letter, ASCII case aside, or as one phone number.
fn same_id(written: &str, id: &str) -> bool {
    !id.is_empty() && id != "*" && (written.eq_ignore_ascii_case(id) || same_phone(written, id))
}

/// Whether an entry is a person's phone number, however it is grouped. Only ids with `+` are phone numbers.
fn same_phone(written: &str, id: &str) -> bool {
    let Some(theirs) = id.strip_prefix('+') else { return false };
    let is_grouped = |letter: char| letter.is_ascii_digit() || "+ ()-./".contains(letter);
    let is_number = !theirs.is_empty() && theirs.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || !written.chars().all(is_grouped) {
        return false;
    }
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    digits == theirs || digits.strip_prefix("00") == Some(theirs)
}

/// What stands behind the platform's name, or a short form of it, and a colon.
pub(super) fn without_channel<'a>(entry: &'a str, channel: &str) -> Option<&'a str> {
    let (prefix, rest) = entry.split_once(':')?;
    let rest = rest.trim();
    (!rest.is_empty() && is_form_of(prefix.trim(), channel)).then_some(rest)
}

/// Whether `prefix` is the platform's name or a short form: the same first letter, then letters of it in order.
fn is_form_of(prefix: &str, channel: &str) -> bool {
    if prefix.eq_ignore_ascii_case(channel) {
        return true;
    }
    let mut letters = channel.chars();
    (2..=MAX_SHORT_FORM).contains(&prefix.len())
        && prefix.chars().next().map(|first| first.to_ascii_lowercase()) == channel.chars().next()
        && prefix.chars().all(|letter| letters.any(|other| other == letter.to_ascii_lowercase()))
}

fn after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    let rest = text.get(prefix.len()..)?.trim();
    (head.eq_ignore_ascii_case(prefix) && !rest.is_empty()).then_some(rest)
}

/// Whether an entry is made of digits and signs only: it means an id, whoever may call themselves so.
fn looks_like_an_id(entry: &str) -> bool {
    !entry.chars().any(char::is_alphabetic)
}

/// The part of `@local:server` or `local@server` before the server.
fn localpart(id: &str) -> Option<&str> {
    let local = match id.strip_prefix('@') {
        Some(rest) => rest.split_once(':')?.0,
        None => id.split_once('@')?.0,
    };
    (!local.is_empty() && !local.contains('!')).then_some(local)
}

#[cfg(test)]
mod tests;
