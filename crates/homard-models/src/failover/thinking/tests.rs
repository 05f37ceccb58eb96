//! Rejections of a thinking level, as providers spell them.

use homard_llm::{FailReason, LlmError, ThinkingLevel};

use super::{LEVELS, instead};
use ThinkingLevel::{High, Low, Medium, Minimal, Off, XHigh};

fn rejected(message: &str) -> LlmError {
    LlmError { status: Some(400), ..LlmError::new(FailReason::Format, message) }
}

#[test]
fn the_nearest_level_a_provider_accepts_is_tried() {
    let rows = [
        (
            "Unsupported value: 'xhigh' is not supported with the 'gpt-5' model (reasoning.effort). Supported values are: 'minimal', 'low', 'medium', and 'high'.",
            XHigh,
            Some(High),
        ),
        (
            "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low', 'medium', 'high'.",
            Minimal,
            Some(Low),
        ),
        ("reasoning_effort must be one of: none, default", High, Some(Off)),
        ("Invalid reasoning effort 'high'. Expected one of: low, medium", High, Some(Medium)),
        ("\"qwen2\" does not support thinking", High, Some(Off)),
        ("Unsupported parameter: 'reasoning_effort' is not supported with this model.", Medium, Some(Off)),
        ("Unrecognized request argument supplied: reasoning_effort", Low, Some(Off)),
        (
            "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is enabled, a final `assistant` message must start with a thinking block",
            High,
            Some(Off),
        ),
        ("thinking level high is not supported", High, Some(Medium)),
        ("thinking.budget_tokens: Input should be greater than or equal to 1024; invalid", XHigh, Some(High)),
        // Not about thinking at all.
        ("messages: text content blocks must be non-empty", High, None),
        ("the model is still thinking", High, None),
    ];
    for (message, asked, expected) in rows {
        assert_eq!(instead(&rejected(message), asked, &[asked]), expected, "{message}");
    }
}

#[test]
fn no_level_is_tried_twice() {
    let vague = rejected("thinking level is not supported");
    let listed = rejected("reasoning: supported values are low, medium and high");
    for error in [vague, listed] {
        let mut tried = vec![XHigh];
        while let Some(next) = instead(&error, *tried.last().unwrap(), &tried) {
            assert!(!tried.contains(&next), "{next:?} after {tried:?}");
            tried.push(next);
        }
        assert!(tried.len() <= LEVELS.len());
    }
}

#[test]
fn other_troubles_that_mention_thinking_are_not_about_the_level() {
    let message = "reasoning models are not supported on this plan";
    for reason in [
        FailReason::RateLimit,
        FailReason::Billing,
        FailReason::Auth,
        FailReason::Overloaded,
        FailReason::Timeout,
    ] {
        let error = LlmError { status: Some(400), ..LlmError::new(reason, message) };
        assert_eq!(instead(&error, High, &[High]), None, "{reason:?}");
    }
    let broken = LlmError { status: Some(500), ..LlmError::new(FailReason::Unknown, message) };
    assert_eq!(instead(&broken, High, &[High]), None);
}
