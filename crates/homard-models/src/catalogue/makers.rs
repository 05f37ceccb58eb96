//! Those who train models and serve them themselves.
//!
//! Prices are the public list prices per million tokens of standard service for prompts of ordinary length.

use homard_llm::CredentialKind;

use super::model_row::{ModelRow, model};
use super::{AuthKind, DiscoveryKind, EnvKey, Row, key};
use crate::auth::oauth::BorrowedClient;
use crate::auth::{AccountClaim, DeviceFlow, OAuthRow, TokenBody};

pub(super) const ANTHROPIC: Row = Row {
    id: "anthropic",
    name: "Anthropic",
    api: "anthropic-messages",
    base_url: "https://api.anthropic.com",
    env: &[EnvKey { name: "ANTHROPIC_OAUTH_TOKEN", kind: CredentialKind::Token }, key("ANTHROPIC_API_KEY")],
    auth: &[AuthKind::ApiKey, AuthKind::Token, AuthKind::OAuth],
    models: &[
        model("claude-opus-4-5", "Claude Opus 4.5", 200_000, 64_000)
            .reads()
            .thinks()
            .costs(5.0, 25.0)
            .cached(0.5, 6.25),
        model("claude-sonnet-4-5", "Claude Sonnet 4.5", 200_000, 64_000)
            .reads()
            .thinks()
            .costs(3.0, 15.0)
            .cached(0.3, 3.75),
        model("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000)
            .reads()
            .thinks()
            .costs(1.0, 5.0)
            .cached(0.1, 1.25),
        model("claude-opus-4-1", "Claude Opus 4.1", 200_000, 32_000)
            .reads()
            .thinks()
            .costs(15.0, 75.0)
            .cached(1.5, 18.75),
        model("claude-sonnet-4-0", "Claude Sonnet 4", 200_000, 64_000)
            .reads()
            .thinks()
            .costs(3.0, 15.0)
            .cached(0.3, 3.75),
    ],
    model_aliases: &[
        ("opus-4.6", "claude-opus-4-6"),
        ("opus-4.5", "claude-opus-4-5"),
        ("opus-4.1", "claude-opus-4-1"),
        ("sonnet-4.6", "claude-sonnet-4-6"),
        ("sonnet-4.5", "claude-sonnet-4-5"),
        ("haiku-4.5", "claude-haiku-4-5"),
    ],
    templates: &[("claude-opus-4-6", "claude-opus-4-5"), ("claude-sonnet-4-6", "claude-sonnet-4-5")],
    oauth: Some(OAuthRow {
        authorize_url: "https://claude.ai/oauth/authorize",
        token_url: "https://console.anthropic.com/v1/oauth/token",
        client_id: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
        scopes: "org:create_api_key user:profile user:inference",
        redirect: "https://console.anthropic.com/oauth/code/callback",
        extra: &[("code", "true")],
        token_body: TokenBody::Json,
        ..OAuthRow::EMPTY
    }),
    ..Row::BLANK
};

pub(super) const GOOGLE: Row = Row {
    id: "google",
    name: "Google Gemini",
    aliases: &["google-ai-studio"],
    api: "google-generative-ai",
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    env: &[key("GEMINI_API_KEY"), key("GOOGLE_API_KEY")],
    models: &[
        model("gemini-3-pro-preview", "Gemini 3 Pro", 1_048_576, 65_536)
            .reads()
            .thinks()
            .costs(2.0, 12.0)
            .cached(0.2, 0.0),
        model("gemini-3-flash-preview", "Gemini 3 Flash", 1_048_576, 65_536)
            .reads()
            .thinks()
            .costs(0.5, 3.0)
            .cached(0.05, 0.0),
        model("gemini-2.5-pro", "Gemini 2.5 Pro", 1_048_576, 65_536)
            .reads()
            .thinks()
            .costs(1.25, 10.0)
            .cached(0.125, 0.0),
        model("gemini-2.5-flash", "Gemini 2.5 Flash", 1_048_576, 65_536)
            .reads()
            .thinks()
            .costs(0.3, 2.5)
            .cached(0.03, 0.0),
        model("gemini-2.5-flash-lite", "Gemini 2.5 Flash Lite", 1_048_576, 65_536)
            .reads()
            .thinks()
            .costs(0.1, 0.4)
            .cached(0.01, 0.0),
    ],
    model_aliases: &[
        ("gemini-3-pro", "gemini-3-pro-preview"),
        ("gemini-3-flash", "gemini-3-flash-preview"),
        ("gemini-3.1-pro", "gemini-3.1-pro-preview"),
    ],
    templates: &[("gemini-3.1-pro-preview", "gemini-3-pro-preview")],
    ..Row::BLANK
};

/// Counted by plan: no price per token.
const GEMINI_CLI_MODELS: &[ModelRow] = &[
    model("gemini-3-pro-preview", "Gemini 3 Pro", 1_048_576, 65_536).sees().thinks(),
    model("gemini-3-flash-preview", "Gemini 3 Flash", 1_048_576, 65_536).sees().thinks(),
    model("gemini-2.5-pro", "Gemini 2.5 Pro", 1_048_576, 65_536).sees().thinks(),
    model("gemini-2.5-flash", "Gemini 2.5 Flash", 1_048_576, 65_536).sees().thinks(),
    model("gemini-2.5-flash-lite", "Gemini 2.5 Flash Lite", 1_048_576, 65_536).sees().thinks(),
];

pub(super) const GOOGLE_GEMINI_CLI: Row = Row {
    id: "google-gemini-cli",
    name: "Google Gemini (Google account)",
    aliases: &["gemini-cli"],
    api: "google-gemini-cli",
    base_url: "https://cloudcode-pa.googleapis.com",
    auth: &[AuthKind::OAuth],
    models: GEMINI_CLI_MODELS,
    model_aliases: GOOGLE.model_aliases,
    templates: GOOGLE.templates,
    oauth: Some(OAuthRow {
        authorize_url: "https://accounts.google.com/o/oauth2/v2/auth",
        token_url: "https://oauth2.googleapis.com/token",
        scopes: "https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/userinfo.email \
                 https://www.googleapis.com/auth/userinfo.profile",
        redirect: "http://localhost:8085/oauth2callback",
        // Without both, nothing comes that could renew the login.
        extra: &[("access_type", "offline"), ("prompt", "consent")],
        borrowed: Some(BorrowedClient {
            id_env: &["HOMARD_GEMINI_OAUTH_CLIENT_ID", "GEMINI_CLI_OAUTH_CLIENT_ID"],
            secret_env: &["HOMARD_GEMINI_OAUTH_CLIENT_SECRET", "GEMINI_CLI_OAUTH_CLIENT_SECRET"],
            program: "gemini",
            install: "npm install -g @google/gemini-cli",
        }),
        projects: Some("https://cloudcode-pa.googleapis.com"),
        ..OAuthRow::EMPTY
    }),
    ..Row::BLANK
};

pub(super) const MISTRAL: Row = Row {
    id: "mistral",
    name: "Mistral",
    aliases: &["mistralai"],
    base_url: "https://api.mistral.ai/v1",
    env: &[key("MISTRAL_API_KEY")],
    discovery: DiscoveryKind::OpenAi,
    models: &[
        model("mistral-large-latest", "Mistral Large", 262_144, 32_768).sees().costs(0.5, 1.5),
        model("mistral-medium-latest", "Mistral Medium", 131_072, 32_768).sees().costs(0.4, 2.0),
        model("mistral-small-latest", "Mistral Small", 131_072, 32_768).sees().costs(0.1, 0.3),
        model("codestral-latest", "Codestral", 256_000, 32_768).costs(0.3, 0.9),
        model("magistral-medium-latest", "Magistral Medium", 131_072, 40_960).thinks().costs(2.0, 5.0),
    ],
    ..Row::BLANK
};

pub(super) const OPENAI: Row = Row {
    id: "openai",
    name: "OpenAI",
    api: "openai-responses",
    base_url: "https://api.openai.com/v1",
    env: &[key("OPENAI_API_KEY")],
    models: &[
        model("gpt-5.2", "GPT-5.2", 400_000, 128_000)
            .reads()
            .thinks_harder()
            .costs(1.75, 14.0)
            .cached(0.175, 0.0),
        model("gpt-5.2-codex", "GPT-5.2 Codex", 400_000, 128_000)
            .sees()
            .thinks_harder()
            .costs(1.75, 14.0)
            .cached(0.175, 0.0),
        model("gpt-5.1", "GPT-5.1", 400_000, 128_000).reads().thinks().costs(1.25, 10.0).cached(0.125, 0.0),
        model("gpt-5.1-codex", "GPT-5.1 Codex", 400_000, 128_000)
            .sees()
            .thinks()
            .costs(1.25, 10.0)
            .cached(0.125, 0.0),
        model("gpt-5", "GPT-5", 400_000, 128_000).reads().thinks().costs(1.25, 10.0).cached(0.125, 0.0),
        model("gpt-5-mini", "GPT-5 mini", 400_000, 128_000)
            .reads()
            .thinks()
            .costs(0.25, 2.0)
            .cached(0.025, 0.0),
        model("gpt-5-nano", "GPT-5 nano", 400_000, 128_000)
            .reads()
            .thinks()
            .costs(0.05, 0.4)
            .cached(0.005, 0.0),
        model("gpt-4.1", "GPT-4.1", 1_047_576, 32_768).reads().costs(2.0, 8.0).cached(0.5, 0.0),
        model("gpt-4.1-mini", "GPT-4.1 mini", 1_047_576, 32_768).reads().costs(0.4, 1.6).cached(0.1, 0.0),
        model("gpt-4o", "GPT-4o", 128_000, 16_384).reads().costs(2.5, 10.0).cached(1.25, 0.0),
        model("gpt-4o-mini", "GPT-4o mini", 128_000, 16_384).reads().costs(0.15, 0.6).cached(0.075, 0.0),
        model("o3", "o3", 200_000, 100_000).reads().thinks().costs(2.0, 8.0).cached(0.5, 0.0),
        model("o4-mini", "o4-mini", 200_000, 100_000).reads().thinks().costs(1.1, 4.4).cached(0.275, 0.0),
    ],
    templates: &[("gpt-5.3-codex", "gpt-5.2-codex"), ("gpt-5.1-codex-max", "gpt-5.1-codex")],
    ..Row::BLANK
};

/// Paid by subscription: no price per token.
const CODEX_MODELS: &[ModelRow] = &[
    model("gpt-5.2-codex", "GPT-5.2 Codex", 272_000, 128_000).sees().thinks_harder(),
    model("gpt-5.2", "GPT-5.2", 272_000, 128_000).sees().thinks_harder(),
    model("gpt-5.1-codex-max", "GPT-5.1 Codex Max", 272_000, 128_000).sees().thinks_harder(),
    model("gpt-5.1-codex-mini", "GPT-5.1 Codex mini", 272_000, 128_000).sees().thinks(),
    model("gpt-5.1", "GPT-5.1", 272_000, 128_000).sees().thinks(),
];

pub(super) const OPENAI_CODEX: Row = Row {
    id: "openai-codex",
    name: "OpenAI Codex (ChatGPT subscription)",
    aliases: &["codex"],
    api: "openai-responses",
    base_url: "https://chatgpt.com/backend-api/codex",
    auth: &[AuthKind::OAuth],
    headers: &[("openai-beta", "responses=experimental"), ("originator", "homard")],
    models: CODEX_MODELS,
    templates: &[("gpt-5.3-codex", "gpt-5.2-codex")],
    oauth: Some(OAuthRow {
        authorize_url: "https://auth.openai.com/oauth/authorize",
        token_url: "https://auth.openai.com/oauth/token",
        device_url: Some("https://auth.openai.com/api/accounts/deviceauth/usercode"),
        device_flow: DeviceFlow::Codex,
        client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
        scopes: "openid profile email offline_access",
        redirect: "http://localhost:1455/auth/callback",
        extra: &[("id_token_add_organizations", "true"), ("codex_cli_simplified_flow", "true")],
        account: Some(AccountClaim {
            pointer: "/https:~1~1api.openai.com~1auth/chatgpt_account_id",
            header: "chatgpt-account-id",
        }),
        ..OAuthRow::EMPTY
    }),
    ..Row::BLANK
};

pub(super) const XAI: Row = Row {
    id: "xai",
    name: "xAI",
    aliases: &["x-ai"],
    base_url: "https://api.x.ai/v1",
    env: &[key("XAI_API_KEY")],
    models: &[
        model("grok-4", "Grok 4", 256_000, 64_000).sees().thinks().costs(3.0, 15.0).cached(0.75, 0.0),
        model("grok-4-1-fast", "Grok 4.1 Fast", 2_000_000, 30_000)
            .sees()
            .thinks()
            .costs(0.2, 0.5)
            .cached(0.05, 0.0),
        model("grok-code-fast-1", "Grok Code Fast 1", 256_000, 10_000)
            .thinks()
            .costs(0.2, 1.5)
            .cached(0.02, 0.0),
        model("grok-3", "Grok 3", 131_072, 8_192).costs(3.0, 15.0).cached(0.75, 0.0),
        model("grok-3-mini", "Grok 3 mini", 131_072, 8_192).thinks().costs(0.3, 0.5).cached(0.075, 0.0),
    ],
    ..Row::BLANK
};
