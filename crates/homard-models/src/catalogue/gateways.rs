//! Gateways that pass calls on to many makers.

use super::model_row::{ModelRow, model};
use super::{AuthKind, DiscoveryKind, Place, Row, key};

const MESSAGES: &str = "anthropic-messages";
const RESPONSES: &str = "openai-responses";

/// The makers' own prices, which these gateways pass on.
const OPUS: ModelRow =
    model("", "Claude Opus 4.6", 200_000, 64_000).sees().thinks().costs(5.0, 25.0).cached(0.5, 6.25);
const SONNET: ModelRow =
    model("", "Claude Sonnet 4.5", 200_000, 64_000).sees().thinks().costs(3.0, 15.0).cached(0.3, 3.75);

pub(super) const CLOUDFLARE: Row = Row {
    id: "cloudflare-ai-gateway",
    name: "Cloudflare AI Gateway",
    aliases: &["cloudflare-gateway"],
    api: MESSAGES,
    base_url: "https://gateway.ai.cloudflare.com/v1/{accountId}/{gatewayId}/anthropic",
    places: &[
        Place { name: "accountId", env: &["CLOUDFLARE_AI_GATEWAY_ACCOUNT_ID", "CLOUDFLARE_ACCOUNT_ID"] },
        Place { name: "gatewayId", env: &["CLOUDFLARE_AI_GATEWAY_ID", "CLOUDFLARE_GATEWAY_ID"] },
    ],
    env: &[key("CLOUDFLARE_AI_GATEWAY_API_KEY")],
    models: &[ModelRow { id: "claude-sonnet-4-5", ..SONNET }, ModelRow { id: "claude-opus-4-6", ..OPUS }],
    ..Row::BLANK
};

pub(super) const LITELLM: Row = Row {
    id: "litellm",
    name: "LiteLLM proxy",
    aliases: &["lite-llm"],
    base_url: "http://127.0.0.1:4000/v1",
    env: &[key("LITELLM_API_KEY")],
    auth: &[AuthKind::ApiKey, AuthKind::Keyless],
    discovery: DiscoveryKind::OpenAi,
    ..Row::BLANK
};

pub(super) const OPENCODE: Row = Row {
    id: "opencode",
    name: "OpenCode Zen",
    aliases: &["opencode-zen"],
    base_url: "https://opencode.ai/zen/v1",
    env: &[key("OPENCODE_API_KEY"), key("OPENCODE_ZEN_API_KEY")],
    // Its list does not say which API a model is called by.
    models: &[
        ModelRow { id: "claude-opus-4-6", ..OPUS.by(MESSAGES) },
        ModelRow { id: "claude-sonnet-4-5", ..SONNET.by(MESSAGES) },
        model("gpt-5.2", "GPT-5.2", 400_000, 128_000)
            .sees()
            .thinks_harder()
            .costs(1.75, 14.0)
            .cached(0.175, 0.0)
            .by(RESPONSES),
        model("gpt-5.1-codex", "GPT-5.1 Codex", 400_000, 128_000).sees().thinks().by(RESPONSES),
        model("glm-4.7", "GLM 4.7", 204_800, 131_072).thinks(),
        model("kimi-k2.5", "Kimi K2.5", 262_144, 32_768).sees().thinks(),
    ],
    ..Row::BLANK
};

pub(super) const OPENROUTER: Row = Row {
    id: "openrouter",
    name: "OpenRouter",
    aliases: &["open-router"],
    base_url: "https://openrouter.ai/api/v1",
    env: &[key("OPENROUTER_API_KEY")],
    headers: &[("x-title", "Homard")],
    discovery: DiscoveryKind::OpenAiPerToken,
    models: &[
        // It chooses by itself, so it has no price of its own.
        model("openrouter/auto", "OpenRouter Auto", 200_000, 8_192).sees(),
        ModelRow { id: "anthropic/claude-opus-4.6", ..OPUS },
        ModelRow { id: "anthropic/claude-sonnet-4.5", ..SONNET },
    ],
    model_aliases: &[("auto", "openrouter/auto")],
    ..Row::BLANK
};

pub(super) const VERCEL: Row = Row {
    id: "vercel-ai-gateway",
    name: "Vercel AI Gateway",
    aliases: &["vercel"],
    api: MESSAGES,
    base_url: "https://ai-gateway.vercel.sh",
    env: &[key("AI_GATEWAY_API_KEY")],
    discovery: DiscoveryKind::OpenAiPerToken,
    models: &[
        ModelRow { id: "anthropic/claude-opus-4.6", ..OPUS },
        ModelRow { id: "anthropic/claude-sonnet-4.5", ..SONNET },
    ],
    ..Row::BLANK
};
