//! Tool-call ids, bent to what each API accepts.
//!
//! A conversation may have begun with another provider whose ids are longer or use other characters. The
//! same id always bends the same way, so a call and its result still match.

use std::borrow::Cow;

/// Which ids an API accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdRule {
    /// Letters, digits, `_` and `-`, up to this many.
    Plain(usize),
    /// Exactly nine letters and digits.
    NineAlphanumerics,
}

const NINE: usize = 9;
/// Characters of the hash that keeps two bent ids apart.
const HASH_LEN: usize = 8;

/// The id as the API accepts it; untouched when it already is.
pub(crate) fn fit(id: &str, rule: IdRule) -> Cow<'_, str> {
    let allowed = |c: char| match rule {
        IdRule::Plain(_) => c.is_ascii_alphanumeric() || c == '_' || c == '-',
        IdRule::NineAlphanumerics => c.is_ascii_alphanumeric(),
    };
    let fits = match rule {
        IdRule::Plain(limit) => !id.is_empty() && id.len() <= limit,
        IdRule::NineAlphanumerics => id.len() == NINE,
    };
    if fits && id.chars().all(allowed) {
        return Cow::Borrowed(id);
    }
    let room = match rule {
        IdRule::Plain(limit) => limit.saturating_sub(HASH_LEN + 1),
        IdRule::NineAlphanumerics => NINE - HASH_LEN,
    };
    let mut out: String = id.chars().filter(|&c| allowed(c)).take(room).collect();
    while rule == IdRule::NineAlphanumerics && out.len() < room {
        out.push('x');
    }
    if matches!(rule, IdRule::Plain(_)) {
        out.push('_');
    }
    let hash = fnv1a(id.as_bytes());
    let short = (hash ^ (hash >> 32)) & 0xffff_ffff;
    out.push_str(&format!("{short:0HASH_LEN$x}"));
    Cow::Owned(out)
}

/// A small stable hash; it separates ids, it protects nothing.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests;
