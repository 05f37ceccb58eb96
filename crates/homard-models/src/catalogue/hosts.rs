//! Those who serve open models on their own machines.
//!
//! Prices are public list prices where they are the same for everybody; zero otherwise.

use super::model_row::{ModelRow, model};
use super::{DiscoveryKind, Row, key};

pub(super) const CEREBRAS: Row = Row {
    id: "cerebras",
    name: "Cerebras",
    base_url: "https://api.cerebras.ai/v1",
    env: &[key("CEREBRAS_API_KEY")],
    models: &[
        model("gpt-oss-120b", "GPT-OSS 120B", 131_072, 40_960).thinks().costs(0.35, 0.75),
        model("zai-glm-4.7", "GLM 4.7", 131_072, 40_960).thinks().costs(2.25, 2.75),
        model("llama3.1-8b", "Llama 3.1 8B", 32_768, 8_192).costs(0.1, 0.1),
    ],
    ..Row::BLANK
};

pub(super) const GROQ: Row = Row {
    id: "groq",
    name: "Groq",
    base_url: "https://api.groq.com/openai/v1",
    env: &[key("GROQ_API_KEY")],
    discovery: DiscoveryKind::OpenAi,
    models: &[
        model("llama-3.3-70b-versatile", "Llama 3.3 70B", 131_072, 32_768).costs(0.59, 0.79),
        model("openai/gpt-oss-120b", "GPT-OSS 120B", 131_072, 65_536)
            .thinks()
            .costs(0.15, 0.6)
            .cached(0.075, 0.0),
        model("openai/gpt-oss-20b", "GPT-OSS 20B", 131_072, 65_536)
            .thinks()
            .costs(0.075, 0.3)
            .cached(0.0375, 0.0),
        model("moonshotai/kimi-k2-instruct-0905", "Kimi K2", 262_144, 16_384)
            .costs(1.0, 3.0)
            .cached(0.5, 0.0),
        model("llama-3.1-8b-instant", "Llama 3.1 8B", 131_072, 131_072).costs(0.05, 0.08),
    ],
    ..Row::BLANK
};

pub(super) const HUGGINGFACE: Row = Row {
    id: "huggingface",
    name: "Hugging Face",
    aliases: &["hf", "hugging-face"],
    base_url: "https://router.huggingface.co/v1",
    env: &[key("HUGGINGFACE_HUB_TOKEN"), key("HF_TOKEN")],
    discovery: DiscoveryKind::OpenAi,
    // Which host answers, and so the price, is decided per call.
    models: &[
        model("deepseek-ai/DeepSeek-R1", "DeepSeek R1", 131_072, 8_192).thinks(),
        model("deepseek-ai/DeepSeek-V3.1", "DeepSeek V3.1", 131_072, 8_192),
        model("meta-llama/Llama-3.3-70B-Instruct", "Llama 3.3 70B", 131_072, 8_192),
        model("openai/gpt-oss-120b", "GPT-OSS 120B", 131_072, 8_192).thinks(),
    ],
    ..Row::BLANK
};

pub(super) const NVIDIA: Row = Row {
    id: "nvidia",
    name: "NVIDIA NIM",
    aliases: &["nim", "nvidia-nim"],
    base_url: "https://integrate.api.nvidia.com/v1",
    env: &[key("NVIDIA_API_KEY")],
    // Paid in credits.
    models: &[
        model("nvidia/llama-3.1-nemotron-70b-instruct", "Nemotron 70B", 131_072, 4_096),
        model("meta/llama-3.3-70b-instruct", "Llama 3.3 70B", 131_072, 4_096),
    ],
    ..Row::BLANK
};

/// Paid by subscription: no price per token.
const SYNTHETIC_MODELS: &[ModelRow] = &[
    model("hf:MiniMaxAI/MiniMax-M2.1", "MiniMax M2.1", 192_000, 65_536).thinks(),
    model("hf:zai-org/GLM-4.7", "GLM 4.7", 198_000, 128_000).thinks(),
    model("hf:moonshotai/Kimi-K2.5", "Kimi K2.5", 256_000, 8_192).sees().thinks(),
    model("hf:deepseek-ai/DeepSeek-V3.2", "DeepSeek V3.2", 159_000, 8_192),
    model("hf:Qwen/Qwen3-Coder-480B-A35B-Instruct", "Qwen3 Coder 480B", 256_000, 8_192),
];

pub(super) const SYNTHETIC: Row = Row {
    id: "synthetic",
    name: "Synthetic",
    api: "anthropic-messages",
    base_url: "https://api.synthetic.new/anthropic",
    env: &[key("SYNTHETIC_API_KEY")],
    models: SYNTHETIC_MODELS,
    ..Row::BLANK
};

pub(super) const TOGETHER: Row = Row {
    id: "together",
    name: "Together AI",
    aliases: &["together-ai", "togetherai"],
    base_url: "https://api.together.xyz/v1",
    env: &[key("TOGETHER_API_KEY")],
    discovery: DiscoveryKind::OpenAi,
    models: &[
        model("moonshotai/Kimi-K2.5", "Kimi K2.5", 262_144, 32_768).sees().thinks().costs(0.5, 2.8),
        model("zai-org/GLM-4.7", "GLM 4.7", 202_752, 8_192).thinks().costs(0.45, 2.0),
        model("meta-llama/Llama-3.3-70B-Instruct-Turbo", "Llama 3.3 70B Turbo", 131_072, 8_192)
            .costs(0.88, 0.88),
        model("deepseek-ai/DeepSeek-V3.1", "DeepSeek V3.1", 131_072, 8_192).costs(0.6, 1.25),
        model("deepseek-ai/DeepSeek-R1", "DeepSeek R1", 131_072, 8_192).thinks().costs(3.0, 7.0),
    ],
    ..Row::BLANK
};

pub(super) const VENICE: Row = Row {
    id: "venice",
    name: "Venice",
    aliases: &["venice-ai"],
    base_url: "https://api.venice.ai/api/v1",
    env: &[key("VENICE_API_KEY")],
    discovery: DiscoveryKind::OpenAi,
    // Prices come with the list.
    models: &[
        model("llama-3.3-70b", "Llama 3.3 70B", 131_072, 8_192),
        model("qwen3-235b-a22b-instruct-2507", "Qwen3 235B", 131_072, 8_192),
        model("deepseek-v3.2", "DeepSeek V3.2", 163_840, 8_192).thinks(),
        model("kimi-k2-thinking", "Kimi K2 Thinking", 262_144, 8_192).thinks(),
    ],
    ..Row::BLANK
};
