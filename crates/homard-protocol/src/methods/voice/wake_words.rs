//! `voicewake.get` and `voicewake.set`: the words that wake a listening node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;

/// The words until the owner chooses others; existing apps know them.
pub const DEFAULT_WAKE_WORDS: [&str; 3] = ["openclaw", "claude", "computer"];
/// Most wake words.
pub const MAX_WAKE_WORDS: usize = 32;
/// Longest wake word, in UTF-16 units, as the apps count.
pub const MAX_WAKE_WORD: usize = 64;

/// `voicewake.get`.
#[derive(Debug)]
pub struct VoicewakeGet;

impl Method for VoicewakeGet {
    const NAME: &'static str = "voicewake.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = WakeWords;
}

/// `voicewake.set`.
#[derive(Debug)]
pub struct VoicewakeSet;

impl Method for VoicewakeSet {
    const NAME: &'static str = "voicewake.set";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = WakeWords;
    type Result = WakeWords;
}

/// The wake words: parameters, answers and the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WakeWords {
    pub triggers: Vec<String>,
}
