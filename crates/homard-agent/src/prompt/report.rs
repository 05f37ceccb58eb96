//! Measuring a prompt: where its tokens go.

use std::path::Path;
use std::sync::Arc;

use homard_protocol::prompt_report::{
    FileSize, PromptReport, PromptSize, PromptSource, SectionSize, SkillsSize, ToolSize, ToolsSize,
};
use homard_tools::ToolSpec;

use super::files::Told;
use super::input::PromptInput;

/// What is measured beside the text.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) files: &'a [Told],
    pub(super) tools: &'a [Arc<ToolSpec>],
    pub(super) now: i64,
}

/// The sizes of a prompt and of what goes with it.
pub(super) fn measure(
    input: &PromptInput,
    text: &str,
    sections: Vec<SectionSize>,
    parts: Parts<'_>,
) -> PromptReport {
    let chars = text.chars().count();
    let project: usize = parts.files.iter().map(|file| file.injected_chars).sum();
    PromptReport {
        source: PromptSource::Run,
        generated_at: parts.now,
        mode: input.mode,
        model: input.surroundings.model.clone(),
        workspace_dir: input.files.workspace.display().to_string(),
        bootstrap_max_chars: input.files.max_file_chars,
        bootstrap_total_max_chars: input.files.max_total_chars,
        system_prompt: PromptSize {
            chars,
            project_context_chars: project,
            non_project_context_chars: chars.saturating_sub(project),
        },
        sections,
        injected_workspace_files: files(&input.files.workspace, parts.files),
        skills: skills(input),
        tools: tools(parts.tools),
    }
}

fn files(workspace: &Path, told: &[Told]) -> Vec<FileSize> {
    let size = |file: &Told| FileSize {
        name: file.name.clone(),
        path: workspace.join(&file.name).display().to_string(),
        missing: file.is_missing,
        raw_chars: file.raw_chars,
        injected_chars: file.injected_chars,
        truncated: file.is_truncated,
    };
    told.iter().map(size).collect()
}

fn skills(input: &PromptInput) -> SkillsSize {
    let block = input.skills.as_deref().unwrap_or_default();
    SkillsSize { prompt_chars: block.chars().count(), count: block.matches("<skill>").count() }
}

fn tools(told: &[Arc<ToolSpec>]) -> ToolsSize {
    let entries: Vec<ToolSize> = told
        .iter()
        .map(|spec| ToolSize {
            name: spec.name.clone(),
            summary_chars: spec.description.chars().count(),
            schema_chars: spec.parameters.to_string().chars().count(),
        })
        .collect();
    ToolsSize {
        list_chars: entries.iter().map(|tool| tool.summary_chars).sum(),
        schema_chars: entries.iter().map(|tool| tool.schema_chars).sum(),
        entries,
    }
}
