//! What must not be in a log line: the owner's own secrets by value, and anything that looks like one.
//!
//! Masking errs on the side of hiding: a log line that lost a harmless word is still useful, one that holds a key
//! is not. Words are found by a small scanner instead of patterns, so that masking a line costs microseconds.

use std::borrow::Cow;
use std::sync::Arc;

use homard_runtime::{MIN_SECRET, RwLock};
use regex_lite::{NoExpand, Regex};
use serde_json::Value;

/// What stands in place of a secret.
pub(crate) const MASK: &str = "••••";
/// Shorter values are too likely to be ordinary words. The log hides shorter ones than others do: nobody acts on
/// a word that is missing here.
const MIN_KNOWN_SECRET: usize = 6;
/// How keys of well-known services begin.
const KEY_PREFIXES: [&str; 17] = [
    "sk-",
    "sk_",
    "rk_",
    "pk-lf-",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AIza",
    "gsk_",
    "hf_",
    "npm_",
    "eyJ",
];
/// Keys of well-known services are longer than this, prefix included.
const MIN_PREFIXED_KEY: usize = 16;
/// Names whose value is a secret, without `_`, `-` and capitals.
const SECRET_NAMES: [&str; 14] = [
    "token",
    "accesstoken",
    "refreshtoken",
    "bottoken",
    "apptoken",
    "devicetoken",
    "password",
    "passwd",
    "secret",
    "clientsecret",
    "signingsecret",
    "apikey",
    "xapikey",
    "authorization",
];
/// Words after which a credential follows.
const SCHEMES: [&str; 2] = ["bearer", "basic"];
/// A value after a secret name is masked from this length on, if it holds a digit; a credential in any case.
const MIN_NAMED_VALUE: usize = 8;
/// A value after a secret name is masked from this length on, whatever it holds.
const LONG_NAMED_VALUE: usize = 16;

/// Hides secrets. Clone-cheap; all clones know the same secrets.
#[derive(Clone, Default)]
pub(crate) struct Redactor {
    /// What the whole house hides.
    known: homard_runtime::Redactor,
    /// What only the log hides, because it is short.
    short: Arc<RwLock<Vec<String>>>,
    masking: Arc<RwLock<Masking>>,
}

/// What is masked besides known secrets.
#[derive(Default)]
struct Masking {
    patterns: Vec<Regex>,
    /// Whether what merely looks like a secret is left alone.
    trusts_looks: bool,
}

impl Redactor {
    /// Masks what the house hides, now and later.
    pub(crate) fn over(known: homard_runtime::Redactor) -> Self {
        Self { known, ..Self::default() }
    }

    /// Masks matches of these patterns from now on, and, if asked to `guess`, what looks like a secret. Known
    /// secrets are masked in any case. Answers with the patterns that cannot be used.
    pub(crate) fn set_masking(&self, patterns: &[String], guess: bool) -> Vec<(String, regex_lite::Error)> {
        let (mut usable, mut refused) = (Vec::new(), Vec::new());
        for pattern in patterns {
            match Regex::new(&spelled(pattern)) {
                Ok(regex) => usable.push(regex),
                Err(error) => refused.push((pattern.clone(), error)),
            }
        }
        let mut masking = self.masking.write();
        *masking = Masking { patterns: usable, trusts_looks: !guess };
        refused
    }

    /// Masks this very text from now on.
    pub(crate) fn keep_secret(&self, text: &str) {
        if text.len() >= MIN_SECRET {
            self.known.keep([text]);
            return;
        }
        let mut short = self.short.write();
        if text.len() >= MIN_KNOWN_SECRET && !short.iter().any(|old| old == text) {
            short.push(text.to_owned());
        }
    }

    /// The text without secrets.
    pub(crate) fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = self.known.hide_as(text, MASK);
        for secret in self.short.read().iter() {
            if masked.contains(secret.as_str()) {
                masked = Cow::Owned(masked.replace(secret.as_str(), MASK));
            }
        }
        let masking = self.masking.read();
        for pattern in &masking.patterns {
            if let Cow::Owned(text) = pattern.replace_all(&masked, NoExpand(MASK)) {
                masked = Cow::Owned(text);
            }
        }
        if masking.trusts_looks {
            return masked;
        }
        let found = Scanner::new(&masked).find();
        if found.is_empty() { masked } else { Cow::Owned(cut_out(&masked, &found)) }
    }

    /// Masks a field of a line in place, by its name or by what it holds.
    pub(crate) fn mask_field(&self, name: &str, value: &mut Value) {
        match value {
            Value::String(text) if !text.is_empty() && is_secret_name(name) => MASK.clone_into(text),
            Value::String(text) => {
                if let Cow::Owned(masked) = self.mask(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_field(name, item)),
            Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| self.mask_field(name, value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// A pattern as it may be written for another engine: `/…/i` is the same as `(?i)…`.
fn spelled(pattern: &str) -> Cow<'_, str> {
    let slashed = pattern.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
    match slashed {
        Some((body, flags)) if flags.chars().all(|flag| "gimsu".contains(flag)) => {
            let known: String = flags.chars().filter(|flag| "ims".contains(*flag)).collect();
            if known.is_empty() { Cow::Borrowed(body) } else { Cow::Owned(format!("(?{known}){body}")) }
        }
        _ => Cow::Borrowed(pattern),
    }
}

fn is_secret_name(name: &str) -> bool {
    // Every word of every line comes by here.
    let plain =
        || name.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase());
    let Some(first) = plain().next() else { return false };
    SECRET_NAMES.iter().any(|secret| secret.as_bytes().first() == Some(&first) && secret.bytes().eq(plain()))
}

/// A part of a text, in bytes.
type Span = (usize, usize);

fn cut_out(text: &str, spans: &[Span]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for &(start, end) in spans {
        out.push_str(text.get(done..start).unwrap_or(""));
        out.push_str(MASK);
        done = end;
    }
    out.push_str(text.get(done..).unwrap_or(""));
    out
}

/// What the word before makes of what follows.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Nothing,
    /// After a name such as `token`: a value, if `:` or `=` stands between.
    Named,
    /// After `Bearer`: the credential, if a space stands between.
    Credential,
}

impl Expect {
    fn after(word: &str) -> Self {
        if is_scheme(word) {
            Self::Credential
        } else if is_secret_name(word) {
            Self::Named
        } else {
            Self::Nothing
        }
    }

    /// How much of the text up to the next word belongs to neither name nor value, when a value can follow.
    fn lead(self, between: &str) -> Option<usize> {
        let joins = |c: char| match self {
            Self::Nothing => false,
            Self::Named => matches!(c, ':' | '=' | ' ' | '"' | '\'' | '\\'),
            Self::Credential => c.is_whitespace(),
        };
        let length = between.find(|c| !joins(c)).unwrap_or(between.len());
        let lead = between.get(..length)?;
        let linked = match self {
            Self::Nothing => false,
            Self::Named => lead.contains([':', '=']),
            Self::Credential => !lead.is_empty(),
        };
        linked.then_some(length)
    }

    fn is_met_by(self, value: &str) -> bool {
        let digit = value.contains(|c: char| c.is_ascii_digit());
        match self {
            Self::Nothing => false,
            Self::Named => value.len() >= LONG_NAMED_VALUE || (value.len() >= MIN_NAMED_VALUE && digit),
            Self::Credential => value.len() >= MIN_NAMED_VALUE || digit,
        }
    }
}

fn is_scheme(word: &str) -> bool {
    SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn find(mut self) -> Vec<Span> {
        let mut found = Vec::new();
        let mut expect = Expect::Nothing;
        loop {
            let before = self.at;
            let between = self.take(|c| !is_word(c));
            let start = self.at;
            let word = self.take(is_word);
            if let Some(lead) = expect.lead(between) {
                let value = self.value_from(before + lead);
                if expect.is_met_by(value) && !is_scheme(word) {
                    self.at = before + lead + value.len();
                    found.push((before + lead, self.at));
                    expect = Expect::Nothing;
                    continue;
                }
            }
            if word.is_empty() {
                return found;
            }
            let value = self.value_from(start);
            if let Some(prefix) = KEY_PREFIXES.iter().find(|prefix| word.starts_with(**prefix))
                && value.len() >= MIN_PREFIXED_KEY
            {
                self.at = start + value.len();
                found.push((start + prefix.len(), self.at));
            }
            expect = Expect::after(word);
        }
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let taken = rest.find(|c| !belongs(c)).map_or(rest, |end| rest.get(..end).unwrap_or(""));
        self.at += taken.len();
        taken
    }

    /// A value runs on over characters that end a word but not a key.
    fn value_from(&self, start: usize) -> &'a str {
        let rest = self.text.get(start..).unwrap_or("");
        let ends =
            |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '&' | '}' | ')' | ']' | '`');
        rest.find(ends).map_or(rest, |end| rest.get(..end).unwrap_or(""))
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests;
