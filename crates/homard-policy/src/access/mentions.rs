//! Whether we are meant: our name, what the owner says counts as it, and what the platform knows.

use homard_channel::Details;
use homard_config::Config;
use homard_protocol::AgentId;
use homard_runtime::Clip;
use regex_lite::{Regex, RegexBuilder};

use super::invisible::visible;
use super::rules::AccountRules;

/// Longest pattern that is read, in bytes.
const MAX_PATTERN: usize = 1000;
/// Largest compiled pattern, in bytes.
const MAX_COMPILED: usize = 1 << 20;
/// Most patterns.
const MAX_PATTERNS: usize = 100;
/// So much of a message is looked through, in bytes; a mention further down is none.
const MAX_LOOKED_AT: usize = 64 * 1024;

/// Where patterns come from. A list that is there counts, even an empty one.
#[derive(Debug, Clone, Copy, Default)]
pub struct PatternSources<'a> {
    /// The platform's section; added to the others.
    pub account: Option<&'a [String]>,
    pub agent: Option<&'a [String]>,
    pub everybody: Option<&'a [String]>,
    /// What the agent is called, when nobody wrote patterns.
    pub name: Option<&'a str>,
    pub emoji: Option<&'a str>,
}

/// What counts as a mention in a text, ready to be looked for.
#[derive(Debug, Clone, Default)]
pub struct MentionPatterns {
    patterns: Vec<Regex>,
    names: Vec<String>,
    /// Patterns that could not be used, in sentences for the owner.
    pub problems: Vec<String>,
}

impl MentionPatterns {
    /// What counts for an agent on one of our accounts.
    #[must_use]
    pub fn of(config: &Config, agent: &AgentId, rules: &AccountRules) -> Self {
        let found = config.agents.agent(agent);
        Self::compile(&PatternSources {
            account: rules.mention_patterns.as_deref(),
            agent: found.and_then(|agent| agent.group_chat.mention_patterns.as_deref()),
            everybody: config.messages.group_chat.mention_patterns.as_deref(),
            name: found.and_then(|agent| agent.identity.name.as_deref().or(agent.name.as_deref())),
            emoji: found.and_then(|agent| agent.identity.emoji.as_deref()),
        })
    }

    /// Makes patterns ready. One that is broken, too long or too large is left out and told about.
    #[must_use]
    pub fn compile(sources: &PatternSources<'_>) -> Self {
        let mut found = Self::default();
        let written = sources.agent.or(sources.everybody);
        let all = sources.account.into_iter().chain(written).flatten();
        for (number, pattern) in all.enumerate() {
            if number >= MAX_PATTERNS {
                found.problems.push(format!("only the first {MAX_PATTERNS} mention patterns count"));
                break;
            }
            found.add(pattern);
        }
        if written.is_none() {
            let names = [sources.name, sources.emoji].into_iter().flatten();
            let names = names.map(|name| visible(name).trim().to_lowercase());
            found.names.extend(names.filter(|name| !name.is_empty()));
        }
        found
    }

    fn add(&mut self, pattern: &str) {
        let pattern = pattern.trim();
        if pattern.is_empty() {
            return;
        }
        let shown = pattern.clip_chars(60).to_owned();
        if pattern.len() > MAX_PATTERN {
            self.problems.push(format!("the mention pattern `{shown}…` is longer than {MAX_PATTERN} bytes"));
            return;
        }
        let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(MAX_COMPILED).build();
        match built {
            // What matches nothing at all would match everything.
            Ok(pattern) if pattern.is_match("") => {
                self.problems.push(format!("the mention pattern `{shown}` matches every text"));
            }
            Ok(pattern) => self.patterns.push(pattern),
            Err(error) => {
                self.problems.push(format!("the mention pattern `{shown}` cannot be used: {error}"));
            }
        }
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty() && self.names.is_empty()
    }

    /// Whether a text has one of them. Characters nobody sees do not count.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let text = looked_at(text);
        self.patterns.iter().any(|pattern| pattern.is_match(&text)) || {
            let small = text.to_lowercase();
            self.names.iter().any(|name| has_word(&small, name))
        }
    }
}

/// Whether a message means us.
pub(super) struct Mention {
    /// Whether anybody could tell.
    pub(super) can_tell: bool,
    pub(super) is_meant: bool,
}

/// Looks for us: what the platform says, a reply to us, our name there, the owner's patterns.
pub(super) fn look(
    text: &str,
    details: &Details,
    our_name: Option<&str>,
    patterns: &MentionPatterns,
) -> Mention {
    let our_name = our_name.map(|name| visible(name).trim_start_matches('@').to_lowercase());
    let our_name = our_name.filter(|name| !name.is_empty() && details.mentions_us.is_none());
    let is_named = our_name.as_ref().is_some_and(|name| {
        let text = looked_at(text).to_lowercase();
        has_word(&text, &format!("@{name}"))
    });
    Mention {
        can_tell: details.mentions_us.is_some() || our_name.is_some() || !patterns.is_empty(),
        is_meant: details.mentions_us == Some(true)
            || details.reply_to.as_ref().is_some_and(|quoted| quoted.is_ours)
            || is_named
            || patterns.matches(text),
    }
}

fn looked_at(text: &str) -> String {
    visible(text.clip_bytes(MAX_LOOKED_AT))
}

/// Whether `word` stands in `text` with nothing of a word beside it.
fn has_word(text: &str, word: &str) -> bool {
    let is_part =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let starts_a_word = is_part(word.chars().next());
    let ends_a_word = is_part(word.chars().next_back());
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|after| after.chars().next());
        // An `@` in the middle of a word is a mail address.
        let begins =
            if word.starts_with('@') { !is_part(before) } else { !(starts_a_word && is_part(before)) };
        begins && !(ends_a_word && is_part(after))
    })
}

#[cfg(test)]
mod tests;
