//! Makers in China, most with an address for the rest of the world.
//!
//! Prices are public list prices where there is one per token; subscriptions and free quotas have none.

use homard_llm::{Compat, ThinkingFormat};

use super::model_row::{ModelRow, model};
use super::{AS_THE_API_SAYS, AuthKind, Row, key, token};
use crate::auth::{DeviceFlow, OAuthRow};

pub(super) const DEEPSEEK: Row = Row {
    id: "deepseek",
    name: "DeepSeek",
    aliases: &["deep-seek"],
    base_url: "https://api.deepseek.com/v1",
    env: &[key("DEEPSEEK_API_KEY")],
    models: &[
        model("deepseek-chat", "DeepSeek V3.2", 131_072, 8_192).costs(0.28, 0.42).cached(0.028, 0.0),
        model("deepseek-reasoner", "DeepSeek V3.2 (thinking)", 131_072, 65_536)
            .thinks()
            .costs(0.28, 0.42)
            .cached(0.028, 0.0),
    ],
    // Thinking is chosen by the model's name.
    compat: Compat { supports_reasoning_effort: Some(false), ..AS_THE_API_SAYS },
    ..Row::BLANK
};

pub(super) const KIMI_CODING: Row = Row {
    id: "kimi-coding",
    name: "Kimi Coding",
    aliases: &["kimi-code", "kimi-for-coding"],
    api: "anthropic-messages",
    base_url: "https://api.kimi.com/coding",
    env: &[key("KIMI_API_KEY"), key("KIMICODE_API_KEY")],
    models: &[model("kimi-for-coding", "Kimi for Coding", 262_144, 32_768).sees().thinks()],
    model_aliases: &[("k2p5", "kimi-for-coding")],
    ..Row::BLANK
};

const MINIMAX_BASE: &str = "https://api.minimax.io/anthropic";

pub(super) const MINIMAX: Row = Row {
    id: "minimax",
    name: "MiniMax",
    aliases: &["mini-max"],
    api: "anthropic-messages",
    base_url: MINIMAX_BASE,
    env: &[key("MINIMAX_API_KEY")],
    models: &[
        model("MiniMax-M2.5", "MiniMax M2.5", 204_800, 131_072).thinks().costs(0.3, 1.2).cached(0.03, 0.375),
        model("MiniMax-M2.1", "MiniMax M2.1", 204_800, 131_072).thinks().costs(0.3, 1.2).cached(0.03, 0.375),
        model("MiniMax-M2", "MiniMax M2", 196_608, 131_072).thinks().costs(0.3, 1.2).cached(0.03, 0.375),
    ],
    ..Row::BLANK
};

pub(super) const MINIMAX_PORTAL: Row = Row {
    id: "minimax-portal",
    name: "MiniMax Portal (subscription)",
    aliases: &["minimax-oauth"],
    api: "anthropic-messages",
    base_url: MINIMAX_BASE,
    env: &[token("MINIMAX_OAUTH_TOKEN")],
    auth: &[AuthKind::OAuth, AuthKind::Token],
    models: &[
        model("MiniMax-M2.5", "MiniMax M2.5", 204_800, 131_072).thinks(),
        model("MiniMax-M2.1", "MiniMax M2.1", 204_800, 131_072).thinks(),
    ],
    oauth: Some(OAuthRow {
        authorize_url: "https://api.minimax.io/oauth/code",
        token_url: "https://api.minimax.io/oauth/token",
        device_url: Some("https://api.minimax.io/oauth/code"),
        device_flow: DeviceFlow::UserCode,
        client_id: "78257093-7e40-4613-99e0-527b14b39113",
        scopes: "group_id profile model.completion",
        ..OAuthRow::EMPTY
    }),
    ..Row::BLANK
};

pub(super) const MOONSHOT: Row = Row {
    id: "moonshot",
    name: "Moonshot (Kimi)",
    aliases: &["moonshotai"],
    base_url: "https://api.moonshot.ai/v1",
    env: &[key("MOONSHOT_API_KEY")],
    models: &[
        model("kimi-k2.5", "Kimi K2.5", 262_144, 32_768).sees().thinks().costs(0.6, 3.0).cached(0.1, 0.0),
        model("kimi-k2-0905-preview", "Kimi K2", 262_144, 32_768).costs(0.6, 2.5).cached(0.15, 0.0),
        model("kimi-k2-turbo-preview", "Kimi K2 Turbo", 262_144, 32_768).costs(1.15, 8.0).cached(0.15, 0.0),
        model("kimi-k2-thinking", "Kimi K2 Thinking", 262_144, 32_768)
            .thinks()
            .costs(0.6, 2.5)
            .cached(0.15, 0.0),
    ],
    // Thinking is chosen by the model's name.
    compat: Compat { supports_reasoning_effort: Some(false), ..AS_THE_API_SAYS },
    ..Row::BLANK
};

pub(super) const QIANFAN: Row = Row {
    id: "qianfan",
    name: "Qianfan (Baidu)",
    base_url: "https://qianfan.baidubce.com/v2",
    env: &[key("QIANFAN_API_KEY")],
    models: &[
        model("deepseek-v3.2", "DeepSeek V3.2", 98_304, 32_768).thinks(),
        model("ernie-5.0-thinking-preview", "ERNIE 5.0 Thinking", 119_000, 64_000).sees().thinks(),
    ],
    compat: Compat { supports_reasoning_effort: Some(false), ..AS_THE_API_SAYS },
    ..Row::BLANK
};

pub(super) const QWEN_PORTAL: Row = Row {
    id: "qwen-portal",
    name: "Qwen Portal",
    aliases: &["qwen", "qwen-oauth"],
    base_url: "https://portal.qwen.ai/v1",
    env: &[token("QWEN_OAUTH_TOKEN"), key("QWEN_PORTAL_API_KEY")],
    auth: &[AuthKind::OAuth, AuthKind::Token, AuthKind::ApiKey],
    models: &[
        model("coder-model", "Qwen Coder", 128_000, 8_192),
        model("vision-model", "Qwen Vision", 128_000, 8_192).sees(),
    ],
    compat: Compat { thinking_format: Some(ThinkingFormat::Qwen), ..AS_THE_API_SAYS },
    oauth: Some(OAuthRow {
        authorize_url: "https://chat.qwen.ai/authorize",
        token_url: "https://chat.qwen.ai/api/v1/oauth2/token",
        device_url: Some("https://chat.qwen.ai/api/v1/oauth2/device/code"),
        client_id: "f0304373b74a44d2b584a3fb70ca9e56",
        scopes: "openid profile email model.completion",
        ..OAuthRow::EMPTY
    }),
    ..Row::BLANK
};

pub(super) const XIAOMI: Row = Row {
    id: "xiaomi",
    name: "Xiaomi MiMo",
    api: "anthropic-messages",
    base_url: "https://api.xiaomimimo.com/anthropic",
    env: &[key("XIAOMI_API_KEY")],
    models: &[model("mimo-v2-flash", "MiMo V2 Flash", 262_144, 8_192).costs(0.1, 0.3).cached(0.01, 0.0)],
    ..Row::BLANK
};

const GLM: &[ModelRow] = &[
    model("glm-4.7", "GLM 4.7", 204_800, 131_072).thinks().costs(0.6, 2.2).cached(0.11, 0.0),
    // Resembles the one above in all but its price.
    model("glm-5", "GLM 5", 204_800, 131_072).thinks().costs(1.0, 3.2).cached(0.2, 0.0),
    model("glm-4.6", "GLM 4.6", 204_800, 131_072).thinks().costs(0.6, 2.2).cached(0.11, 0.0),
    model("glm-4.6v", "GLM 4.6V", 128_000, 32_768).sees().thinks().costs(0.3, 0.9).cached(0.05, 0.0),
    model("glm-4.5-air", "GLM 4.5 Air", 131_072, 98_304).thinks().costs(0.2, 1.1).cached(0.03, 0.0),
];

pub(super) const ZAI: Row = Row {
    id: "zai",
    name: "z.ai",
    aliases: &["z.ai", "z-ai"],
    base_url: "https://api.z.ai/api/paas/v4",
    env: &[key("ZAI_API_KEY"), key("Z_AI_API_KEY")],
    models: GLM,
    templates: &[("glm-5.1", "glm-5")],
    compat: Compat { thinking_format: Some(ThinkingFormat::Zai), ..AS_THE_API_SAYS },
    ..Row::BLANK
};
