//! Servers on one's own machine. They ask for nothing and offer whatever their owner put into them.

use super::{AuthKind, DiscoveryKind, Row, key};

const OPEN: &[AuthKind] = &[AuthKind::Keyless, AuthKind::ApiKey];

pub(super) const LLAMA_CPP: Row = Row {
    id: "llama-cpp",
    name: "llama.cpp server",
    aliases: &["llama.cpp", "llamacpp", "llama-server"],
    base_url: "http://127.0.0.1:8080/v1",
    env: &[key("LLAMA_CPP_API_KEY"), key("LLAMA_API_KEY")],
    auth: OPEN,
    discovery: DiscoveryKind::OpenAi,
    ..Row::BLANK
};

pub(super) const LM_STUDIO: Row = Row {
    id: "lmstudio",
    name: "LM Studio",
    aliases: &["lm-studio", "lm_studio"],
    base_url: "http://127.0.0.1:1234/v1",
    env: &[key("LMSTUDIO_API_KEY"), key("LM_STUDIO_API_KEY")],
    auth: OPEN,
    discovery: DiscoveryKind::OpenAi,
    ..Row::BLANK
};

pub(super) const OLLAMA: Row = Row {
    id: "ollama",
    name: "Ollama",
    api: "ollama",
    base_url: "http://127.0.0.1:11434",
    env: &[key("OLLAMA_API_KEY")],
    auth: OPEN,
    discovery: DiscoveryKind::Ollama,
    ..Row::BLANK
};

pub(super) const VLLM: Row = Row {
    id: "vllm",
    name: "vLLM",
    aliases: &["v-llm"],
    base_url: "http://127.0.0.1:8000/v1",
    env: &[key("VLLM_API_KEY")],
    auth: OPEN,
    discovery: DiscoveryKind::OpenAi,
    ..Row::BLANK
};
