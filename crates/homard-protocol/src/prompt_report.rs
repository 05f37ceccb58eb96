//! Where the tokens of a first request go: what `/context` shows. The names are those of `systemPromptReport` in other
//! session stores; `mode` and `sections` are our own addition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::word::words;

words! {
    /// Which prompt was measured.
    #[derive(Default)]
    PromptSource {
        /// What a turn was told.
        #[default]
        Run = "run",
        /// What the next one would be told.
        Estimate = "estimate",
    }
}

words! {
    /// How much the model is told. Each mode tells everything the ones before it do.
    #[derive(Default, PartialOrd, Ord)]
    PromptMode {
        /// Who it is, in one line.
        None = "none",
        /// What a helper with one task needs: tools, safety, folder, time.
        Minimal = "minimal",
        #[default]
        Full = "full",
    }
}

/// The sizes of everything a conversation's first request carries, in characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromptReport {
    pub source: PromptSource,
    /// When, milliseconds since 1970.
    pub generated_at: i64,
    pub mode: PromptMode,
    pub model: String,
    pub workspace_dir: String,
    /// The limit for one file.
    pub bootstrap_max_chars: usize,
    /// The limit for all files.
    pub bootstrap_total_max_chars: usize,
    pub system_prompt: PromptSize,
    /// Its parts, in order.
    pub sections: Vec<SectionSize>,
    pub injected_workspace_files: Vec<FileSize>,
    /// The block of skills.
    pub skills: SkillsSize,
    /// What is told of the tools.
    pub tools: ToolsSize,
}

/// The size of a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromptSize {
    pub chars: usize,
    pub project_context_chars: usize,
    pub non_project_context_chars: usize,
}

/// The size of one part of the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SectionSize {
    pub name: String,
    pub chars: usize,
}

/// The size of one of the owner's files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FileSize {
    pub name: String,
    /// Where it is, or would be.
    pub path: String,
    /// Whether there is none.
    pub missing: bool,
    /// How long it is; 0 when it says nothing.
    pub raw_chars: usize,
    /// How much of it is told.
    pub injected_chars: usize,
    /// Whether that is not all.
    pub truncated: bool,
}

/// The size of the skills.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SkillsSize {
    pub prompt_chars: usize,
    /// How many there are.
    pub count: usize,
}

/// The size of the tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolsSize {
    pub list_chars: usize,
    pub schema_chars: usize,
    pub entries: Vec<ToolSize>,
}

/// The size of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolSize {
    pub name: String,
    pub summary_chars: usize,
    pub schema_chars: usize,
}

impl PromptReport {
    /// Everything a first request carries beside the conversation.
    #[must_use]
    pub fn total_chars(&self) -> usize {
        self.system_prompt.chars + self.tools.list_chars + self.tools.schema_chars
    }
}
