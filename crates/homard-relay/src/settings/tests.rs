//! Who is offered what.

use homard_config::config::tools::ApplyPatch;

use super::may_patch;

#[test]
fn the_patch_tool_is_for_models_that_know_its_format_and_owners_who_want_it() {
    let off = ApplyPatch { enabled: false, workspace_only: true, allow_models: Vec::new() };
    let on = ApplyPatch { enabled: true, ..off.clone() };
    let named = |name: &str| ApplyPatch { allow_models: vec![name.to_owned()], ..on.clone() };
    let roaming = ApplyPatch { workspace_only: false, ..on.clone() };
    let gpt = ("openai", "openai/gpt-5.2");
    let rows = [
        (off, false, gpt, false),
        (on.clone(), false, gpt, true),
        (on.clone(), true, gpt, true),
        (on.clone(), false, ("openai-codex", "openai-codex/gpt-5.2"), true),
        (on.clone(), false, ("anthropic", "anthropic/claude"), false),
        (on.clone(), false, ("openrouter", "openrouter/openai/gpt-5.2"), false),
        (named("gpt-5.2"), false, gpt, true),
        (named("OpenAI/GPT-5.2 "), false, gpt, true),
        (named("gpt-5"), false, gpt, false),
        (roaming.clone(), false, gpt, true),
        (roaming, true, gpt, false),
    ];
    for (patch, stays_inside, model, expected) in rows {
        assert_eq!(may_patch(&patch, stays_inside, model), expected, "{patch:?} {stays_inside} {model:?}");
    }
}
