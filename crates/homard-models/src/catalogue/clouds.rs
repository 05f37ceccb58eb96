//! Clouds that serve other makers' models under their own accounts.

use homard_llm::CredentialKind;

use super::model_row::model;
use super::{AuthKind, DiscoveryKind, EnvKey, Place, Row, key, token};
use crate::auth::{Exchange, OAuthRow};

/// The API of the newer models Copilot serves.
const RESPONSES: &str = "openai-responses";

pub(super) const AMAZON_BEDROCK: Row = Row {
    id: "amazon-bedrock",
    name: "Amazon Bedrock",
    aliases: &["bedrock", "aws-bedrock"],
    api: "bedrock-converse-stream",
    base_url: "https://bedrock-runtime.{region}.amazonaws.com",
    // Left open, the region of the keys is put there when a call is made.
    places: &[Place { name: "region", env: &["AWS_REGION", "AWS_DEFAULT_REGION"] }],
    env: &[EnvKey { name: "AWS_BEARER_TOKEN_BEDROCK", kind: CredentialKind::Token }],
    auth: &[AuthKind::Aws, AuthKind::Token],
    discovery: DiscoveryKind::Bedrock,
    models: &[
        model("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "Claude Sonnet 4.5", 200_000, 64_000)
            .reads()
            .thinks()
            .costs(3.0, 15.0)
            .cached(0.3, 3.75),
        model("us.anthropic.claude-haiku-4-5-20251001-v1:0", "Claude Haiku 4.5", 200_000, 64_000)
            .reads()
            .thinks()
            .costs(1.0, 5.0)
            .cached(0.1, 1.25),
        model("amazon.nova-pro-v1:0", "Nova Pro", 300_000, 5_120).reads().costs(0.8, 3.2).cached(0.2, 0.0),
        model("amazon.nova-lite-v1:0", "Nova Lite", 300_000, 5_120)
            .reads()
            .costs(0.06, 0.24)
            .cached(0.015, 0.0),
    ],
    ..Row::BLANK
};

pub(super) const AZURE_OPENAI: Row = Row {
    id: "azure-openai",
    name: "Azure OpenAI",
    aliases: &["azure"],
    base_url: "https://{resource}.openai.azure.com/openai/v1",
    places: &[Place { name: "resource", env: &["AZURE_OPENAI_RESOURCE_NAME", "AZURE_OPENAI_RESOURCE"] }],
    env: &[key("AZURE_OPENAI_API_KEY")],
    key_header: Some("api-key"),
    // Names of deployments are the owner's; these are the ones its portal proposes.
    models: &[
        model("gpt-5.2", "GPT-5.2", 400_000, 128_000)
            .sees()
            .thinks_harder()
            .costs(1.75, 14.0)
            .cached(0.175, 0.0),
        model("gpt-5-mini", "GPT-5 mini", 400_000, 128_000)
            .sees()
            .thinks()
            .costs(0.25, 2.0)
            .cached(0.025, 0.0),
        model("gpt-4.1", "GPT-4.1", 1_047_576, 32_768).sees().costs(2.0, 8.0).cached(0.5, 0.0),
    ],
    ..Row::BLANK
};

pub(super) const GITHUB_COPILOT: Row = Row {
    id: "github-copilot",
    name: "GitHub Copilot (subscription)",
    aliases: &["copilot"],
    base_url: "https://api.individual.githubcopilot.com",
    env: &[token("COPILOT_GITHUB_TOKEN"), token("GH_TOKEN"), token("GITHUB_TOKEN")],
    auth: &[AuthKind::OAuth, AuthKind::Token],
    headers: &[
        ("editor-version", concat!("Homard/", env!("CARGO_PKG_VERSION"))),
        ("copilot-integration-id", "vscode-chat"),
    ],
    models: &[
        model("gpt-5.2", "GPT-5.2", 128_000, 64_000).sees().thinks_harder().by(RESPONSES),
        model("gpt-5.2-codex", "GPT-5.2 Codex", 272_000, 128_000).sees().thinks_harder().by(RESPONSES),
        model("gpt-4.1", "GPT-4.1", 128_000, 16_384).sees(),
        model("gpt-4o", "GPT-4o", 128_000, 16_384).sees(),
        model("claude-opus-4.5", "Claude Opus 4.5", 128_000, 16_000).sees(),
        model("claude-sonnet-4.5", "Claude Sonnet 4.5", 128_000, 16_000).sees(),
        model("gemini-3-pro-preview", "Gemini 3 Pro", 128_000, 64_000).sees(),
    ],
    model_aliases: &[("gemini-3-pro", "gemini-3-pro-preview")],
    templates: &[("claude-opus-4.6", "claude-opus-4.5"), ("gpt-5.3-codex", "gpt-5.2-codex")],
    oauth: Some(OAuthRow {
        authorize_url: "https://github.com/login/device",
        token_url: "https://github.com/login/oauth/access_token",
        device_url: Some("https://github.com/login/device/code"),
        client_id: "Iv1.b507a08c87ecfe98",
        scopes: "read:user",
        ..OAuthRow::EMPTY
    }),
    exchange: Some(Exchange::Copilot { url: "https://api.github.com/copilot_internal/v2/token" }),
    ..Row::BLANK
};
